//! `assay migrate`: brings the database in ClickHouse to the schema of this program.

use assay_ledger::clickhouse::{ClickHouse, ClickHouseSettings};

use crate::cluster_cli::{Migrate, clickhouse_failure};
use crate::failure::{Failure, OK};
use crate::terminal;

pub(crate) fn run(arguments: &Migrate) -> Result<u8, Failure> {
    let settings = ClickHouseSettings {
        retention_days: arguments.retention_days,
        ..arguments.clickhouse.settings()?
    };
    let ledger = ClickHouse::new(settings).map_err(clickhouse_failure)?;
    let report = ledger.migrate().map_err(clickhouse_failure)?;
    let done = if report.applied.is_empty() {
        "nothing was to do".to_owned()
    } else {
        format!("applied {}", report.applied.join(", "))
    };
    let line = format!(
        "{}: {done}; the schema has version {}\n",
        ledger.address(),
        report.version
    );
    terminal::print(line.as_bytes())?;
    Ok(OK)
}
