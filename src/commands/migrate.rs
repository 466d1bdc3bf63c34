//! `assay migrate`: brings the database in ClickHouse to the schema of this program.

use crate::cli::cluster::Migrate;
use crate::commands::clickhouse;
use crate::failure::{Failure, OK};
use crate::settings::Global;
use crate::terminal;

pub(crate) fn run(global: &Global, arguments: &Migrate) -> Result<u8, Failure> {
    let mut section = clickhouse::section(global, &arguments.clickhouse);
    section.retention_days = arguments.retention_days.unwrap_or(section.retention_days);
    let ledger = clickhouse::open(&section)?;
    let report = ledger.migrate().map_err(clickhouse::failure)?;
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
