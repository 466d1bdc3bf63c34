//! `assay rebuild`: fills an empty database from the first offset of the receipts topic, and compares it with the old one.

use assay_ledger::clickhouse::{ClickHouse, Comparison, Difference};
use assay_pipeline::project::{Monitor, RebuildError, rebuild};

use crate::cli::cluster::Rebuild;
use crate::commands::{clickhouse, project};
use crate::config::ClickHouseSection;
use crate::failure::{CONFIG, FAILED, Failure, IO, OK, USAGE};
use crate::settings::Global;
use crate::signals;
use crate::terminal;

pub(crate) fn run(global: &Global, arguments: &Rebuild) -> Result<u8, Failure> {
    let source = clickhouse::section(global, &arguments.clickhouse);
    let target = ClickHouseSection {
        database: arguments.into.clone(),
        url: arguments
            .into_clickhouse
            .clone()
            .unwrap_or_else(|| source.url.clone()),
        ..source.clone()
    };
    if target.url == source.url && target.database == source.database {
        return Err(Failure::new(
            USAGE,
            "--into names the old database itself: name a new one",
        ));
    }
    let new = clickhouse::open(&target)?;
    let kafka = clickhouse::kafka_client(global, &arguments.project)?;
    let settings = clickhouse::project_settings(global, &arguments.project, None);
    let stop = signals::stop_flag(settings.drain + project::CLOSING)?;
    let quiet = arguments.quiet;
    let monitor = Monitor::new(move |notice| project::tell(&notice, quiet));
    rebuild(&new, &kafka, &settings, &monitor, &stop).map_err(failure)?;
    let mut line = format!(
        "{}: {} receipts stored, {} dead letters\n",
        new.address(),
        monitor.rows(),
        monitor.dead_letters()
    );
    let code = if arguments.no_compare {
        OK
    } else {
        let old = clickhouse::open(&source)?;
        compare(&new, &old, &mut line)?
    };
    terminal::print(line.as_bytes())?;
    Ok(code)
}

fn compare(new: &ClickHouse, old: &ClickHouse, line: &mut String) -> Result<u8, Failure> {
    let comparison = new.compare(old).map_err(clickhouse::failure)?;
    let Comparison {
        receipts: [new_receipts, old_receipts],
        agents: [new_agents, old_agents],
        ..
    } = comparison;
    if comparison.is_equal {
        line.push_str(&format!(
            "equal to {}: {new_receipts} receipts to the byte, and counts and scores of {new_agents} agents\n",
            old.address()
        ));
        return Ok(OK);
    }
    line.push_str(&format!(
        "not equal to {}: {new_receipts} receipts here and {old_receipts} there, {new_agents} agents here and \
         {old_agents} there\n",
        old.address()
    ));
    for difference in &comparison.differences {
        let what = match difference {
            Difference::Receipt(id) => format!("  the receipt {id} differs or is only in one\n"),
            Difference::Agent(agent) => format!("  the counts of the agent {agent:?} differ\n"),
        };
        line.push_str(&what);
    }
    Ok(FAILED)
}

fn failure(error: RebuildError) -> Failure {
    match error {
        RebuildError::Ledger(error) => clickhouse::failure(error),
        RebuildError::Project(error) => project::failure(error),
        RebuildError::NotEmpty(_) => Failure::caused(CONFIG, "the database cannot be filled", error),
        RebuildError::Stopped => Failure::caused(IO, "the database is not filled", error),
    }
}
