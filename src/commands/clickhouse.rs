//! What the commands on ClickHouse share: the settings with the flags over them, and how its failures are told.

use std::num::NonZeroU32;
use std::time::Duration;

use assay_ledger::Store;
use assay_ledger::clickhouse::{ClickHouse, ClickHouseError, FaultClass};
use assay_pipeline::kafka::client_config;
use assay_pipeline::project::ProjectSettings;
use rdkafka::ClientConfig;

use super::kafka;
use crate::cli::cluster::{ClickHouseArguments, LedgerArguments, ProjectArguments};
use crate::config::{ClickHouseSection, LedgerKind};
use crate::failure::{CONFIG, Failure, IO, USAGE};
use crate::settings::{self, Global};

/// The section `[clickhouse]` with the flags over it.
pub(crate) fn section(global: &Global, arguments: &ClickHouseArguments) -> ClickHouseSection {
    let configured = global.config.clickhouse.clone();
    ClickHouseSection {
        url: arguments.url.clone().unwrap_or(configured.url),
        database: arguments.database.clone().unwrap_or(configured.database),
        user: arguments.user.clone().unwrap_or(configured.user),
        password_file: arguments.password_file.clone().or(configured.password_file),
        ca_file: arguments.ca_file.clone().or(configured.ca_file),
        compression: arguments.compression.unwrap_or(configured.compression),
        ..configured
    }
}

/// The ledger; nothing is asked of it yet.
pub(crate) fn open(section: &ClickHouseSection) -> Result<ClickHouse, Failure> {
    ClickHouse::new(section.settings()?).map_err(failure)
}

/// ClickHouse cannot be used.
pub(crate) fn failure(error: ClickHouseError) -> Failure {
    let code = if error.class() == FaultClass::Transient {
        IO
    } else {
        CONFIG
    };
    Failure::caused(code, "the ledger in ClickHouse cannot be used", error)
}

/// Opens the ledger that a command reads: nothing is made for it.
pub(crate) fn open_store(global: &Global, arguments: &LedgerArguments) -> Result<Store, Failure> {
    match kind(global, arguments) {
        LedgerKind::Embedded => Ok(Store::Embedded(Box::new(settings::existing_ledger(global)?))),
        LedgerKind::Clickhouse => {
            let ledger = open(&section(global, &arguments.clickhouse))?;
            ledger.check_schema().map_err(failure)?;
            Ok(Store::ClickHouse(Box::new(ledger)))
        }
    }
}

/// What the ledger that a command reads is called in messages.
pub(crate) fn store_name(global: &Global, arguments: &LedgerArguments) -> String {
    match kind(global, arguments) {
        LedgerKind::Embedded => format!("the ledger in {}", global.data.display()),
        LedgerKind::Clickhouse => {
            format!(
                "the ledger in the database {}",
                section(global, &arguments.clickhouse).database
            )
        }
    }
}

fn kind(global: &Global, arguments: &LedgerArguments) -> LedgerKind {
    arguments.kind.unwrap_or(global.config.ledger.kind)
}

/// What a projector is asked to do.
pub(crate) fn project_settings(
    global: &Global,
    arguments: &ProjectArguments,
    until_idle: Option<NonZeroU32>,
) -> ProjectSettings {
    let (project, stream) = (&global.config.project, &global.config.stream);
    let text =
        |flag: &Option<String>, configured: &String| flag.clone().unwrap_or_else(|| configured.clone());
    ProjectSettings {
        group: text(&arguments.group, &project.group),
        receipts: text(&arguments.receipts, &stream.receipts),
        dead_letters: text(&arguments.dead_letters, &stream.dead_letters),
        batch_rows: arguments.batch_rows.unwrap_or(project.batch_rows),
        batch_bytes: arguments.batch_bytes.unwrap_or(project.batch_bytes),
        batch_age: Duration::from_millis(arguments.batch_age_ms.unwrap_or(project.batch_age_ms)),
        drain: Duration::from_secs(arguments.drain_seconds.unwrap_or(project.drain_seconds)),
        until_idle: until_idle.map(|seconds| Duration::from_secs(u64::from(seconds.get()))),
    }
}

/// The settings of the projector's clients of the cluster.
pub(crate) fn kafka_client(global: &Global, arguments: &ProjectArguments) -> Result<ClientConfig, Failure> {
    client_config(&kafka::settings(global, &arguments.brokers), "assay-projector")
        .map_err(|error| Failure::caused(USAGE, "Kafka cannot be used", error))
}
