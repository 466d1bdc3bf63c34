//! The sections `[clickhouse]` and `[project]`: as they are written, and what the crates take.

use std::path::PathBuf;
use std::time::Duration;

use assay_ledger::Secret;
use assay_ledger::clickhouse::ClickHouseSettings;
use assay_pipeline::project::ProjectSettings;
use serde::{Deserialize, Serialize};

use super::environment::{CLICKHOUSE_PASSWORD, secret};
use crate::failure::{CONFIG, Failure};

/// `[clickhouse]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct ClickHouseSection {
    /// The address of its HTTP interface.
    pub(crate) url: String,
    /// The database.
    pub(crate) database: String,
    /// The user.
    pub(crate) user: String,
    /// A file with the user's password.
    pub(crate) password_file: Option<PathBuf>,
    /// A PEM file with the certificates to trust instead of the system's.
    pub(crate) ca_file: Option<PathBuf>,
    /// Whether rows are compressed (LZ4) on their way.
    pub(crate) compression: bool,
    /// Days after its verification that a receipt is kept; 0 keeps it for good.
    pub(crate) retention_days: u32,
    /// Seconds that a connection may take to come about.
    pub(crate) connect_seconds: u64,
    /// Seconds that a query may take.
    pub(crate) query_seconds: u64,
    /// Seconds that a piece of rows may take to be sent.
    pub(crate) send_seconds: u64,
    /// Seconds that the server may take to store what was sent.
    pub(crate) insert_seconds: u64,
}

impl Default for ClickHouseSection {
    fn default() -> ClickHouseSection {
        let settings = ClickHouseSettings::default();
        ClickHouseSection {
            url: settings.url,
            database: settings.database,
            user: settings.user,
            password_file: None,
            ca_file: settings.ca_file,
            compression: settings.compression,
            retention_days: settings.retention_days,
            connect_seconds: settings.connect_timeout.as_secs(),
            query_seconds: settings.query_timeout.as_secs(),
            send_seconds: settings.send_timeout.as_secs(),
            insert_seconds: settings.insert_timeout.as_secs(),
        }
    }
}

impl ClickHouseSection {
    /// What the ledger takes.
    ///
    /// # Errors
    /// A password file that cannot be read.
    pub(crate) fn settings(&self) -> Result<ClickHouseSettings, Failure> {
        let password = match &self.password_file {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    let what = format!("the password file {} cannot be read", path.display());
                    Failure::caused(CONFIG, what, error)
                })?;
                Some(Secret::new(text.trim_end_matches(['\r', '\n'])))
            }
            None => secret(CLICKHOUSE_PASSWORD),
        };
        Ok(ClickHouseSettings {
            url: self.url.clone(),
            database: self.database.clone(),
            user: self.user.clone(),
            password,
            ca_file: self.ca_file.clone(),
            compression: self.compression,
            retention_days: self.retention_days,
            connect_timeout: Duration::from_secs(self.connect_seconds),
            query_timeout: Duration::from_secs(self.query_seconds),
            send_timeout: Duration::from_secs(self.send_seconds),
            insert_timeout: Duration::from_secs(self.insert_seconds),
        })
    }
}

/// `[project]`. The topics are those of `[stream]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct ProjectSection {
    /// The consumer group; several projectors of one group share the partitions.
    pub(crate) group: String,
    /// Receipts after which a batch is stored.
    pub(crate) batch_rows: usize,
    /// Bytes of receipts after which a batch is stored.
    pub(crate) batch_bytes: usize,
    /// Milliseconds that the first receipt of a batch waits for others.
    pub(crate) batch_age_ms: u64,
    /// Seconds that the work under way may take when the projector is told to end.
    pub(crate) drain_seconds: u64,
}

impl Default for ProjectSection {
    fn default() -> ProjectSection {
        let settings = ProjectSettings::default();
        ProjectSection {
            group: settings.group,
            batch_rows: settings.batch_rows,
            batch_bytes: settings.batch_bytes,
            batch_age_ms: u64::try_from(settings.batch_age.as_millis()).unwrap_or(u64::MAX),
            drain_seconds: settings.drain.as_secs(),
        }
    }
}
