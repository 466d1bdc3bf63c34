//! `assay project`: stores the receipts of the topic in ClickHouse until it is told to end.

use std::sync::Arc;
use std::time::Duration;

use assay_pipeline::project::{Monitor, Notice, ProjectError, State, project};

use crate::cli::cluster::Project;
use crate::commands::clickhouse;
use crate::failure::{CONFIG, Failure, OK, SOFTWARE};
use crate::settings::Global;
use crate::signals;
use crate::terminal;
use crate::watch::{self, Standing, Stands, Status, show_status, watch_settings};

/// How much longer than the work under way the clients may take to close.
pub(super) const CLOSING: Duration = Duration::from_secs(5);

pub(crate) fn run(global: &Global, arguments: &Project) -> Result<u8, Failure> {
    let ledger = clickhouse::open(&clickhouse::section(global, &arguments.clickhouse))?;
    let kafka = clickhouse::kafka_client(global, &arguments.project)?;
    let settings = clickhouse::project_settings(global, &arguments.project, arguments.until_idle);
    let stop = signals::stop_flag(settings.drain + CLOSING)?;
    let quiet = arguments.quiet;
    let monitor = Arc::new(Monitor::new(move |notice| tell(&notice, quiet)));
    watch::start(&watch_settings(global, arguments.watch), quiet, stands(&monitor))?;
    let line = show_status(quiet, status(&monitor));
    if !quiet {
        terminal::note(&format!(
            "storing receipts of the topic {} in {}",
            settings.receipts,
            ledger.address()
        ));
    }
    let result = project(&ledger, &kafka, &settings, &monitor, &stop);
    drop(line);
    result.map_err(failure)?;
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
        ProjectError::Storer => SOFTWARE,
    };
    Failure::caused(code, "the receipts cannot be stored", error)
}

/// How the projector stands, for the listener.
fn stands(monitor: &Arc<Monitor>) -> Stands {
    let monitor = Arc::clone(monitor);
    Arc::new(move || {
        let (status, reason) = match monitor.state() {
            State::Starting => (Status::Starting, None),
            State::Idle => (Status::Idle, None),
            State::Working => (Status::Working, None),
            State::Held(reason) => (Status::Held, Some(reason)),
            State::Stalled(_) => (
                Status::Stalled,
                Some("records wait, and nothing is stored".to_owned()),
            ),
        };
        Standing {
            status,
            reason,
            seconds_without_progress: monitor.without_progress().as_secs(),
            lag: monitor.waiting(),
        }
    })
}

/// What the line on the terminal says.
fn status(monitor: &Arc<Monitor>) -> impl Fn() -> String + Send + 'static {
    let monitor = Arc::clone(monitor);
    move || {
        format!(
            "{} receipts stored, {} dead letters, {} waiting",
            monitor.rows(),
            monitor.dead_letters(),
            monitor.waiting()
        )
    }
}
