//! `assay project`: stores the receipts of the topic in ClickHouse until it is told to end.

use std::time::Duration;

use assay_pipeline::project::{Monitor, Notice, ProjectError, project};

use crate::cluster_cli::Project;
use crate::failure::{CONFIG, Failure, IO, OK, SOFTWARE};
use crate::signals;
use crate::terminal;

/// How much longer than the work under way the clients may take to close.
const CLOSING: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &Project) -> Result<u8, Failure> {
    let ledger = arguments.clickhouse.open()?;
    let kafka = arguments.project.kafka()?;
    let settings = arguments.project.settings(arguments.until_idle);
    let stop = signals::stop_flag(settings.drain + CLOSING)?;
    let quiet = arguments.quiet;
    let monitor = Monitor::new(move |notice| tell(&notice, quiet));
    if !quiet {
        terminal::note(&format!(
            "storing receipts of the topic {} in {}",
            settings.receipts,
            ledger.address()
        ));
    }
    project(&ledger, &kafka, &settings, &monitor, &stop).map_err(failure)?;
    if !quiet {
        terminal::note(&format!(
            "{} receipts stored, {} dead letters",
            monitor.rows(),
            monitor.dead_letters()
        ));
    }
    Ok(OK)
}

/// Says what an operator should hear.
pub(super) fn tell(notice: &Notice, quiet: bool) {
    match notice {
        Notice::Held { reason } => {
            terminal::error(&format!("nothing is stored before this is mended: {reason}"))
        }
        Notice::Retrying { reason } => terminal::warn(reason),
        Notice::Recovered if !quiet => terminal::note("receipts are stored again"),
        Notice::DeadLetters {
            count,
            partition,
            offset,
            code,
            message,
        } => terminal::warn(&format!(
            "{count} records became dead letters, the first at partition {partition}, offset {offset}, {code}: {message}"
        )),
        Notice::Broker(words) if !quiet => terminal::note(&format!("broker: {words}")),
        Notice::Recovered | Notice::Broker(_) => {}
    }
}

/// The projector cannot run.
pub(super) fn failure(error: ProjectError) -> Failure {
    let code = match &error {
        ProjectError::Settings(_) => CONFIG,
        ProjectError::Topic(_) => IO,
        ProjectError::Storer => SOFTWARE,
    };
    Failure::caused(code, "the receipts cannot be stored", error)
}
