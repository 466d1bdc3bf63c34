//! The commands that work on Kafka topics, as they are written.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// How the cluster is reached.
#[derive(Args, Clone, Debug)]
pub(crate) struct Brokers {
    /// Addresses of the cluster to start from, host:port, separated by commas
    #[arg(long, value_name = "LIST")]
    pub(crate) brokers: Option<String>,
}

/// `assay stream`.
#[derive(Args, Debug)]
pub(crate) struct Stream {
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    /// The consumer group; its members share the partitions
    #[arg(long, value_name = "GROUP")]
    pub(crate) group: Option<String>,
    /// A topic of deliverables; may be given several times
    #[arg(long, value_name = "TOPIC", value_delimiter = ',')]
    pub(crate) input: Vec<String>,
    /// The topic of receipts
    #[arg(long, value_name = "TOPIC")]
    pub(crate) receipts: Option<String>,
    /// The topic of records that could not be checked
    #[arg(long, value_name = "TOPIC")]
    pub(crate) dead_letters: Option<String>,
    /// How often a record may be answered
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) delivery: Option<DeliveryArgument>,
    /// This process among those of the group, stable over restarts; no two may have the same at a time
    #[arg(long, value_name = "NAME")]
    pub(crate) instance: Option<String>,
    /// Threads that verify and sign; all cores when left out
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Records after which a batch is closed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) batch_records: Option<u32>,
    /// A folder of contracts: ID.json, ID@VERSION.json
    #[arg(long, value_name = "DIR")]
    pub(crate) contracts: Option<PathBuf>,
    /// A compacted topic of contracts, by the key ID or ID@VERSION
    #[arg(long, value_name = "TOPIC")]
    pub(crate) contract_topic: Option<String>,
    /// The contract of records that name none
    #[arg(long, value_name = "ID[@VERSION]")]
    pub(crate) default_contract: Option<String>,
    /// What a record under a contract holds
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) form: Option<FormArgument>,
    /// Seconds for finishing what is under way after a stop
    #[arg(long, value_name = "SECONDS")]
    pub(crate) drain_seconds: Option<u64>,
    /// Serve metrics, health and readiness on this address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) watch: Option<std::net::SocketAddr>,
    /// End when there was nothing to do for so long
    #[arg(long, value_name = "SECONDS")]
    pub(crate) until_idle: Option<u64>,
    /// No summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Answer with the records themselves, unchecked and unsigned: measures what all but the checking costs
    #[arg(long, hide = true)]
    pub(crate) copy: bool,
}

/// The choices of --delivery.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DeliveryArgument {
    /// Receipts and offsets in one transaction
    ExactlyOnce,
    /// Offsets after receipts; a repetition has the same id
    AtLeastOnce,
}

/// The choices of --form.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormArgument {
    /// A whole request, or a delivery where the record names a contract
    Request,
    /// {task_id, agent_id?, submitted_output}
    Delivery,
    /// The bare output; task and agent come from headers and key
    Output,
}

/// `assay produce`.
#[derive(Args, Debug)]
pub(crate) struct Produce {
    /// Files, as 'assay verify' reads them; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    /// The topic to fill
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: String,
    /// A JSON pointer to each record's key
    #[arg(long, value_name = "POINTER", default_value = "/agent_id")]
    pub(crate) key_from: String,
}

/// `assay consume`.
#[derive(Args, Debug)]
pub(crate) struct Consume {
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    /// The topic of receipts [default: receipts]
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
    /// From the first receipt on, not only new ones
    #[arg(long)]
    pub(crate) from_start: bool,
    /// End when nothing came for so long
    #[arg(long, value_name = "SECONDS")]
    pub(crate) until_idle: Option<u64>,
    /// The receipts as they are, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// `assay dlq`.
#[derive(Debug, Subcommand)]
pub(crate) enum DlqCommand {
    /// List the records that could not be checked
    List {
        #[command(flatten)]
        brokers: Brokers,
        /// The dead-letter topic [default: dead-letters]
        #[arg(long, value_name = "TOPIC")]
        topic: Option<String>,
        /// One JSON object a letter
        #[arg(long)]
        json: bool,
    },
    /// Send them back to where they came from, each once
    Replay {
        #[command(flatten)]
        brokers: Brokers,
        /// The dead-letter topic [default: dead-letters]
        #[arg(long, value_name = "TOPIC")]
        topic: Option<String>,
        /// The stream's group, which keeps apart what was replayed for whom
        #[arg(long, value_name = "GROUP")]
        group: Option<String>,
        /// Letters that were tried so often stay
        #[arg(long, value_name = "N", default_value_t = 5)]
        max_attempts: u32,
        /// Another topic than the records' own
        #[arg(long, value_name = "TOPIC")]
        to: Option<String>,
        /// Count them, and send nothing
        #[arg(long)]
        dry_run: bool,
    },
}
