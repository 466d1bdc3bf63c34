//! The commands that store receipts in ClickHouse and read them there, as they are written.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;

use super::stream::Brokers;
use crate::config::LedgerKind;

/// How ClickHouse is reached.
#[derive(Args, Clone, Debug)]
pub(crate) struct ClickHouseArguments {
    /// The address of ClickHouse's HTTP interface [default: http://localhost:8123]
    #[arg(long = "clickhouse", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The database [default: assay]
    #[arg(long, value_name = "NAME")]
    pub(crate) database: Option<String>,
    /// The user; the password comes from the file or from ASSAY_CLICKHOUSE__PASSWORD [default: default]
    #[arg(long = "clickhouse-user", value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// A file with the user's password
    #[arg(long = "clickhouse-password-file", value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// A PEM file with the certificates to trust instead of the system's
    #[arg(long = "clickhouse-ca", value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Whether rows are compressed on their way [default: true]
    #[arg(long = "clickhouse-compression", value_name = "BOOL")]
    pub(crate) compression: Option<bool>,
}

/// Which ledger is read, and where.
#[derive(Args, Clone, Debug)]
pub(crate) struct LedgerArguments {
    /// The ledger to read [default: embedded]
    #[arg(long = "ledger", value_enum, value_name = "KIND")]
    pub(crate) kind: Option<LedgerKind>,
    #[command(flatten)]
    pub(crate) clickhouse: ClickHouseArguments,
}

/// How the broker is reached, and what a projector is asked to do.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProjectArguments {
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    /// The consumer group; several projectors of one group share the partitions [default: assay-projector]
    #[arg(long, value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// The topic with the receipts [default: receipts]
    #[arg(long, value_name = "TOPIC")]
    pub(crate) receipts: Option<String>,
    /// The topic for what cannot be stored [default: dead-letters]
    #[arg(long, value_name = "TOPIC")]
    pub(crate) dead_letters: Option<String>,
    /// Receipts after which a batch is stored [default: 50000]
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) batch_rows: Option<usize>,
    /// Bytes of receipts after which a batch is stored; three times as much may be in memory, each byte about twice
    /// [default: 33554432]
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1_024..=1_073_741_824))]
    pub(crate) batch_bytes: Option<usize>,
    /// Milliseconds that the first receipt of a batch waits for others [default: 1000]
    #[arg(long, value_name = "MS")]
    pub(crate) batch_age_ms: Option<u64>,
    /// Seconds that the work under way may take when the command is told to end [default: 10]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) drain_seconds: Option<u64>,
}

/// `assay project`.
#[derive(Args, Debug)]
pub(crate) struct Project {
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    #[command(flatten)]
    pub(crate) clickhouse: ClickHouseArguments,
    /// Serve metrics, health and readiness on this address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) watch: Option<std::net::SocketAddr>,
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
    /// [default: 0]
    #[arg(long, value_name = "DAYS")]
    pub(crate) retention_days: Option<u32>,
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
