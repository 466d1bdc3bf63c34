//! All settings, from the least to the most: defaults, the file, the environment. Flags are laid over them by the commands.
//!
//! A key that nothing knows is refused with the nearest one that is known. Secrets are no keys: they come from a file
//! that a setting names, or from the environment.

mod cluster;
mod environment;
mod explain;

use std::path::{Path, PathBuf};

use assay_pipeline::kafka::KafkaSettings;
use assay_pipeline::stream::StreamSettings;
use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde::{Deserialize, Serialize};

pub(crate) use cluster::{ClickHouseSection, ProjectSection};

use crate::failure::{Failure, NO_INPUT, USAGE};

/// The settings as they stand in the file, section by section.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct Config {
    /// The data folder: ledger and keys.
    pub(crate) data: Option<PathBuf>,
    /// A file with the private key to sign with, instead of the data folder's.
    pub(crate) key_file: Option<PathBuf>,
    /// The address under which the service of the receipts is reached.
    pub(crate) public_url: Option<String>,
    /// The Kafka cluster.
    pub(crate) kafka: KafkaSettings,
    /// `assay stream`.
    pub(crate) stream: StreamSettings,
    /// The ledger in ClickHouse.
    pub(crate) clickhouse: ClickHouseSection,
    /// `assay project`.
    pub(crate) project: ProjectSection,
    /// Where receipts are read.
    pub(crate) ledger: LedgerSettings,
    /// Metrics, health and logs.
    pub(crate) watch: WatchSettings,
}

/// `[ledger]`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct LedgerSettings {
    /// Which ledger is read.
    pub(crate) kind: LedgerKind,
}

/// The ledgers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LedgerKind {
    /// SQLite in the data folder.
    #[default]
    Embedded,
    /// ClickHouse.
    Clickhouse,
}

/// `[watch]`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct WatchSettings {
    /// The address on which `/metrics`, `/health` and `/ready` are served; none serves nothing.
    pub(crate) listen: Option<std::net::SocketAddr>,
    /// How log lines are written.
    pub(crate) log: LogForm,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogForm {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    /// For people.
    Text,
    /// One object a line.
    Json,
}

/// Reads the settings.
///
/// # Errors
/// A file that cannot be read, a key that nothing knows, a value of the wrong kind.
pub(crate) fn load(file: Option<&Path>) -> Result<Config, Failure> {
    let mut figment = Figment::new();
    if let Some(file) = file {
        let text = std::fs::read_to_string(file).map_err(|error| {
            Failure::caused(
                NO_INPUT,
                format!("the settings {} cannot be read", file.display()),
                error,
            )
        })?;
        figment = figment.merge(Toml::string(&text));
    }
    let mut config: Config = figment
        .merge(environment::Sections::of(std::env::vars_os()))
        .extract()
        .map_err(|error| Failure::new(USAGE, explain::explain(error, file)))?;
    config.kafka.sasl_password = environment::secret(environment::SASL_PASSWORD);
    Ok(config)
}
