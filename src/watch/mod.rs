//! What operators see of the long-running commands: metrics, health, logs, and a line on the terminal.

mod listener;
mod log;
mod standing;
mod status_line;

use std::net::SocketAddr;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};
use tracing::level_filters::LevelFilter;

pub(crate) use listener::Stands;
pub(crate) use standing::{Standing, Status};
pub(crate) use status_line::show_status;

use crate::config::WatchSettings;
use crate::failure::{Failure, SOFTWARE};
use crate::settings::Global;

/// Bounds of the histograms of seconds.
const SECONDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];
/// Bounds of the histograms of records, rows and bytes.
const SIZES: [f64; 9] = [1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1e6, 1e7, 1e8];

/// The settings of `[watch]` with the flag over them.
pub(crate) fn watch_settings(global: &Global, listen: Option<SocketAddr>) -> WatchSettings {
    let configured = &global.config.watch;
    WatchSettings {
        listen: listen.or(configured.listen),
        log: configured.log,
    }
}

/// Starts logs and metrics, and the listener if an address is set.
///
/// # Errors
/// That the address cannot be listened on.
pub(crate) fn start(settings: &WatchSettings, is_quiet: bool, stands: Stands) -> Result<(), Failure> {
    log::start(
        settings.log,
        if is_quiet {
            LevelFilter::ERROR
        } else {
            LevelFilter::INFO
        },
    )?;
    let metrics = buckets()
        .and_then(PrometheusBuilder::install_recorder)
        .map_err(|error| Failure::caused(SOFTWARE, "the metrics cannot be started", error))?;
    if let Some(address) = settings.listen {
        let address = listener::listen(address, metrics, stands)?;
        tracing::info!(%address, "metrics, health and readiness are served");
    }
    Ok(())
}

fn buckets() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new()
        .set_buckets(&SIZES)?
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
}
