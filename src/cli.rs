//! The command line as it is written: commands, flags, and their help.

pub(crate) mod cluster;
pub(crate) mod stream;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use cluster::{LedgerArguments, Migrate, Project, Rebuild};

/// Verifies what an agent delivered and signs a receipt that anyone can check with the public key alone.
#[derive(Debug, Parser)]
#[command(name = "assay", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0   everything passed, or the command did what it was asked for
  1   at least one deliverable failed its check, or the receipt does not hold
  2   at least one record could not be checked
  64  the command line or a setting is wrong
  65  an input that must be whole is not (a contract, a schema, a receipt, a key list)
  66  an input cannot be opened
  70  a fault of assay itself
  74  reading or writing failed
  75  the stream cannot go on in this process: start it again, it takes up where it was
  78  the data folder, its ledger or its keys cannot be used";

/// What every command takes.
#[derive(Args, Debug)]
pub(crate) struct GlobalFlags {
    /// A file with settings (TOML), over which the environment and the flags count
    #[arg(long, global = true, env = "ASSAY_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The data folder: ledger and keys [default: assay-data]
    #[arg(long, global = true, env = "ASSAY_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// A file with the private key to sign with, instead of the data folder's
    #[arg(long, global = true, env = "ASSAY_KEY_FILE", value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// The address under which the service of these receipts is reached; it stands in every receipt
    /// [default: http://localhost:8080]
    #[arg(long, global = true, env = "ASSAY_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Verify deliverables in files and write a signed receipt for each
    Verify(Box<Verify>),
    /// Verify deliverables from Kafka topics and write a signed receipt for each to a topic
    Stream(Box<stream::Stream>),
    /// Fill a topic with the records of files
    Produce(stream::Produce),
    /// Follow a topic of receipts
    Consume(stream::Consume),
    /// The records of a stream that could not be checked
    #[command(subcommand)]
    Dlq(stream::DlqCommand),
    /// Check or show a receipt
    #[command(subcommand)]
    Receipt(ReceiptCommand),
    /// The pass/fail history of an agent
    Reputation(Box<Agent>),
    /// The signed trust score of an agent
    Score(Box<Score>),
    /// Store the receipts of a Kafka topic in ClickHouse
    Project(Box<Project>),
    /// Bring the database in ClickHouse to the schema of this program
    Migrate(Box<Migrate>),
    /// Fill an empty database in ClickHouse from a Kafka topic, and compare it with the old one
    Rebuild(Box<Rebuild>),
    /// The settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Look at a JSON Schema as assay reads it
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// The signing keys
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// `assay verify`.
#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// Files to verify: .ndjson or .jsonl (one request a line), .json (one request or an array of them), each also as
    /// .gz or .zst; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Where the answers go, one a line in the order of the input; standard output when left out
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Take up an interrupted run where OUT ends
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,
    /// A file with expected_schema, rules, bounds and settings for all lines; each line is then {task_id, agent_id?,
    /// submitted_output}
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// Each record is the bare output
    #[arg(long, requires = "contract")]
    pub(crate) outputs: bool,
    /// A JSON pointer to the task id in each bare output; without it, the line number names the task
    #[arg(long, requires = "outputs", value_name = "POINTER")]
    pub(crate) task_id: Option<String>,
    /// The agent that produced the bare outputs
    #[arg(long, requires = "outputs", value_name = "AGENT")]
    pub(crate) agent_id: Option<String>,
    /// How much of each receipt for bare outputs is written
    #[arg(long, requires = "outputs", value_enum, default_value_t = DetailArgument::Full)]
    pub(crate) detail: DetailArgument,
    /// Stop after the first record that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Threads that verify and sign; all cores when left out
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Do not record the receipts in the ledger
    #[arg(long)]
    pub(crate) no_record: bool,
    /// No progress bar and no summary
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// The summary as JSON: on standard output with -o, else on standard error
    #[arg(long)]
    pub(crate) json: bool,
}

/// The members of a receipt.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DetailArgument {
    /// Everything
    Full,
    /// Result, hashes and signature
    Compact,
}

/// `assay receipt`.
#[derive(Debug, Subcommand)]
pub(crate) enum ReceiptCommand {
    /// Check a receipt's signature, and with its request the hashes and the verdict
    Check(ReceiptCheck),
    /// Print a receipt from the ledger, byte for byte as it was signed
    Show {
        /// The verification_id
        id: String,
        #[command(flatten)]
        ledger: Box<LedgerArguments>,
    },
}

/// `assay receipt check`.
#[derive(Args, Debug)]
pub(crate) struct ReceiptCheck {
    /// The receipt, or a file with one a line; - is standard input
    #[arg(value_name = "RECEIPT")]
    pub(crate) receipt: PathBuf,
    /// The request that it answers, or a file with one a line
    #[arg(long, value_name = "REQUEST")]
    pub(crate) request: Option<PathBuf>,
    /// The public keys: the output of 'assay keys export', one key, or an agent card; the data folder's when left out
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
    /// The findings as JSON, one object a receipt
    #[arg(long)]
    pub(crate) json: bool,
}

/// An agent.
#[derive(Args, Debug)]
pub(crate) struct Agent {
    /// The agent_id
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) ledger: LedgerArguments,
}

/// `assay score`.
#[derive(Args, Debug)]
pub(crate) struct Score {
    /// The agent_id
    pub(crate) agent: String,
    /// The instant to compute the score for (RFC 3339); now when left out
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    #[command(flatten)]
    pub(crate) ledger: LedgerArguments,
}

/// `assay config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the settings that are in effect, without secrets, and try the connections
    Check {
        /// Only print
        #[arg(long)]
        offline: bool,
    },
}

/// `assay schema`.
#[derive(Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    /// Compile a schema and tell its dialect, its size, unknown keywords and formats, and patterns that may be slow
    Check {
        /// The schema; - is standard input
        #[arg(value_name = "SCHEMA")]
        schema: PathBuf,
        /// The findings as JSON
        #[arg(long)]
        json: bool,
    },
}

/// `assay keys`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// List every key ever used
    List,
    /// Print the public keys as JSON, for whoever checks receipts
    Export,
    /// Make a new key to sign with; the old one stays listed
    Rotate,
}
