//! Filling an empty ClickHouse from the first offset of the receipts topic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use assay_ledger::clickhouse::{ClickHouse, ClickHouseError};
use rdkafka::ClientConfig;

use super::monitor::Monitor;
use super::run::{End, ProjectError, run};
use super::settings::ProjectSettings;

/// Why a ledger was not rebuilt.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// The database could not be made ready.
    #[error(transparent)]
    Ledger(ClickHouseError),
    /// There are receipts in it.
    #[error("the database has {0} receipts already: name an empty or a new one")]
    NotEmpty(u64),
    /// The topic could not be projected.
    #[error(transparent)]
    Project(ProjectError),
    /// It was stopped on the way.
    #[error("stopped on the way: what is stored is right but not all; begin again with an empty database")]
    Stopped,
}

/// Fills the ledger, whose database is made when it is not there, with every receipt of the topic up to its end. The
/// group's name is made for this run, so no other projector is disturbed.
///
/// # Errors
/// [`RebuildError`].
pub fn rebuild(
    ledger: &ClickHouse,
    kafka: &ClientConfig,
    settings: &ProjectSettings,
    monitor: &Monitor,
    stop: &AtomicBool,
) -> Result<(), RebuildError> {
    ledger.migrate().map_err(RebuildError::Ledger)?;
    let found = ledger.len().map_err(RebuildError::Ledger)?;
    if found > 0 {
        return Err(RebuildError::NotEmpty(found));
    }
    let mut random = [0; 8];
    // Without random numbers the name is that of the process, which is good enough on one machine.
    if getrandom::fill(&mut random).is_err() {
        random = u64::from(std::process::id()).to_be_bytes();
    }
    let settings = ProjectSettings {
        group: format!("{}-rebuild-{:016x}", settings.group, u64::from_be_bytes(random)),
        // Nobody waits for the first receipts, and large batches are cheap.
        batch_age: Duration::from_secs(5),
        ..settings.clone()
    };
    run(ledger, kafka, &settings, monitor, stop, End::OfTopic).map_err(RebuildError::Project)?;
    if stop.load(Ordering::Relaxed) {
        return Err(RebuildError::Stopped);
    }
    Ok(())
}
