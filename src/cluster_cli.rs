//! Flags of the commands that use ClickHouse or the broker, and what the crates take of them.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use assay_ledger::Store;
use assay_ledger::clickhouse::{ClickHouse, ClickHouseError, ClickHouseSettings, Password};
use assay_pipeline::project::ProjectSettings;
use clap::{Args, ValueEnum};
use rdkafka::ClientConfig;

use crate::failure::{CONFIG, Failure, IO, USAGE};
use crate::settings;
use crate::settings::Global;

/// Where the password stands when it stands in no file.
const PASSWORD_VARIABLE: &str = "ASSAY_CLICKHOUSE__PASSWORD";

/// How ClickHouse is reached.
#[derive(Args, Clone, Debug)]
pub(crate) struct ClickHouseArguments {
    /// The address of ClickHouse's HTTP interface
    #[arg(
        long = "clickhouse",
        env = "ASSAY_CLICKHOUSE__URL",
        value_name = "URL",
        default_value = "http://localhost:8123"
    )]
    pub(crate) url: String,
    /// The database
    #[arg(
        long,
        env = "ASSAY_CLICKHOUSE__DATABASE",
        value_name = "NAME",
        default_value = "assay"
    )]
    pub(crate) database: String,
    /// The user; the password comes from the file or from ASSAY_CLICKHOUSE__PASSWORD
    #[arg(
        long = "clickhouse-user",
        env = "ASSAY_CLICKHOUSE__USER",
        value_name = "NAME",
        default_value = "default"
    )]
    pub(crate) user: String,
    /// A file with the user's password
    #[arg(
        long = "clickhouse-password-file",
        env = "ASSAY_CLICKHOUSE__PASSWORD_FILE",
        value_name = "FILE"
    )]
    pub(crate) password_file: Option<PathBuf>,
    /// A PEM file with the certificates to trust instead of the system's
    #[arg(
        long = "clickhouse-ca",
        env = "ASSAY_CLICKHOUSE__CA_FILE",
        value_name = "FILE"
    )]
    pub(crate) ca_file: Option<PathBuf>,
    /// Whether rows are compressed on their way
    #[arg(
        long = "clickhouse-compression",
        env = "ASSAY_CLICKHOUSE__COMPRESSION",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) compression: bool,
}

impl ClickHouseArguments {
    /// What the ledger takes.
    pub(crate) fn settings(&self) -> Result<ClickHouseSettings, Failure> {
        let password = match &self.password_file {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    let what = format!("the password file {} cannot be read", path.display());
                    Failure::caused(CONFIG, what, error)
                })?;
                Some(text.trim_end_matches(['\r', '\n']).to_owned())
            }
            None => std::env::var(PASSWORD_VARIABLE).ok(),
        };
        Ok(ClickHouseSettings {
            url: self.url.clone(),
            database: self.database.clone(),
            user: self.user.clone(),
            password: password.map(Password::new),
            ca_file: self.ca_file.clone(),
            compression: self.compression,
            ..ClickHouseSettings::default()
        })
    }

    /// The ledger; nothing is asked of it yet.
    pub(crate) fn open(&self) -> Result<ClickHouse, Failure> {
        ClickHouse::new(self.settings()?).map_err(clickhouse_failure)
    }
}

/// ClickHouse cannot be used.
pub(crate) fn clickhouse_failure(error: ClickHouseError) -> Failure {
    use assay_ledger::clickhouse::FaultClass::Transient;
    let code = if error.class() == Transient { IO } else { CONFIG };
    Failure::caused(code, "the ledger in ClickHouse cannot be used", error)
}

/// Which ledger is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LedgerKind {
    /// The one in the data folder
    Embedded,
    /// The one in ClickHouse
    Clickhouse,
}

/// Which ledger is read, and where.
#[derive(Args, Clone, Debug)]
pub(crate) struct LedgerArguments {
    /// The ledger to read
    #[arg(
        long = "ledger",
        env = "ASSAY_LEDGER__KIND",
        value_enum,
        value_name = "KIND",
        default_value_t = LedgerKind::Embedded
    )]
    pub(crate) kind: LedgerKind,
    #[command(flatten)]
    pub(crate) clickhouse: ClickHouseArguments,
}

impl LedgerArguments {
    /// Opens the ledger for a command that only reads: nothing is made for it.
    pub(crate) fn open(&self, global: &Global) -> Result<Store, Failure> {
        match self.kind {
            LedgerKind::Embedded => {
                let ledger = settings::existing_ledger(global)?;
                Ok(Store::Embedded(Box::new(ledger)))
            }
            LedgerKind::Clickhouse => {
                let ledger = self.clickhouse.open()?;
                ledger.check_schema().map_err(clickhouse_failure)?;
                Ok(Store::ClickHouse(Box::new(ledger)))
            }
        }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self, global: &Global) -> String {
        match self.kind {
            LedgerKind::Embedded => format!("the ledger in {}", global.data.display()),
            LedgerKind::Clickhouse => format!("the ledger in the database {}", self.clickhouse.database),
        }
    }
}

/// How the broker is reached, and what a projector is asked to do.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProjectArguments {
    /// The brokers to ask for the others, HOST:PORT with commas between
    #[arg(
        long,
        env = "ASSAY_KAFKA__BROKERS",
        value_name = "LIST",
        default_value = "localhost:9092"
    )]
    pub(crate) brokers: String,
    /// The consumer group; several projectors of one group share the partitions
    #[arg(
        long,
        env = "ASSAY_PROJECT__GROUP",
        value_name = "NAME",
        default_value = "assay-projector"
    )]
    pub(crate) group: String,
    /// The topic with the receipts
    #[arg(
        long,
        env = "ASSAY_STREAM__RECEIPTS",
        value_name = "TOPIC",
        default_value = "receipts"
    )]
    pub(crate) receipts: String,
    /// The topic for what cannot be stored
    #[arg(
        long,
        env = "ASSAY_STREAM__DEAD_LETTERS",
        value_name = "TOPIC",
        default_value = "dead-letters"
    )]
    pub(crate) dead_letters: String,
    /// Receipts after which a batch is stored
    #[arg(long, env = "ASSAY_PROJECT__BATCH_ROWS", value_name = "N", default_value_t = 50_000,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) batch_rows: usize,
    /// Bytes of receipts after which a batch is stored; three times as much may be in memory, each byte about twice
    #[arg(long, env = "ASSAY_PROJECT__BATCH_BYTES", value_name = "N", default_value_t = 32 * 1024 * 1024,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1_024..=1_073_741_824))]
    pub(crate) batch_bytes: usize,
    /// Milliseconds that the first receipt of a batch waits for others
    #[arg(
        long,
        env = "ASSAY_PROJECT__BATCH_AGE_MS",
        value_name = "MS",
        default_value_t = 1_000
    )]
    pub(crate) batch_age_ms: u64,
    /// Seconds that the work under way may take when the command is told to end
    #[arg(
        long,
        env = "ASSAY_PROJECT__DRAIN_SECONDS",
        value_name = "S",
        default_value_t = 10
    )]
    pub(crate) drain_seconds: u64,
}

impl ProjectArguments {
    /// What the pipeline takes.
    pub(crate) fn settings(&self, until_idle: Option<NonZeroU32>) -> ProjectSettings {
        ProjectSettings {
            group: self.group.clone(),
            receipts: self.receipts.clone(),
            dead_letters: self.dead_letters.clone(),
            batch_rows: self.batch_rows,
            batch_bytes: self.batch_bytes,
            batch_age: Duration::from_millis(self.batch_age_ms),
            drain: Duration::from_secs(self.drain_seconds),
            until_idle: until_idle.map(|seconds| Duration::from_secs(u64::from(seconds.get()))),
        }
    }

    /// The settings of the broker's client.
    pub(crate) fn kafka(&self) -> Result<ClientConfig, Failure> {
        if self.brokers.trim().is_empty() {
            return Err(Failure::new(USAGE, "--brokers names no broker"));
        }
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.brokers)
            .set("client.id", "assay");
        Ok(config)
    }
}

/// `assay project`.
#[derive(Args, Debug)]
pub(crate) struct Project {
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    #[command(flatten)]
    pub(crate) clickhouse: ClickHouseArguments,
    /// End when there was nothing to do for so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) until_idle: Option<NonZeroU32>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// `assay migrate`.
#[derive(Args, Debug)]
pub(crate) struct Migrate {
    #[command(flatten)]
    pub(crate) clickhouse: ClickHouseArguments,
    /// Days after its verification that a receipt is kept; 0 keeps it for good. Reputation is kept in any case
    #[arg(
        long,
        env = "ASSAY_CLICKHOUSE__RETENTION_DAYS",
        value_name = "DAYS",
        default_value_t = 0
    )]
    pub(crate) retention_days: u32,
}

/// `assay rebuild`.
#[derive(Args, Debug)]
pub(crate) struct Rebuild {
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    #[command(flatten)]
    pub(crate) clickhouse: ClickHouseArguments,
    /// The database to fill, which must be empty or not there
    #[arg(long, value_name = "NAME")]
    pub(crate) into: String,
    /// The address of its server, when it is another one
    #[arg(long, value_name = "URL")]
    pub(crate) into_clickhouse: Option<String>,
    /// Do not compare it with --database afterwards
    #[arg(long)]
    pub(crate) no_compare: bool,
    /// Say nothing but the result
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
