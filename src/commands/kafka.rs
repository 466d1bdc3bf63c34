//! What the commands on topics share: the connection, and how its failures are told.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use assay_pipeline::kafka::{ConnectError, KafkaSettings};

use crate::cli::stream::Brokers;
use crate::failure::{CONFIG, Failure, IO, NO_INPUT, SOFTWARE, USAGE};

/// The settings of the connection.
pub(crate) fn settings(arguments: &Brokers) -> KafkaSettings {
    let mut settings = KafkaSettings::default();
    if let Some(brokers) = &arguments.brokers {
        settings.brokers.clone_from(brokers);
    }
    settings
}

/// The cluster cannot be used.
pub(crate) fn failure(error: ConnectError) -> Failure {
    let code = match &error {
        ConnectError::Setting(_) => USAGE,
        ConnectError::Client(_) => CONFIG,
        ConnectError::Cluster { .. } => IO,
        ConnectError::NoTopic(_) => NO_INPUT,
    };
    Failure::caused(code, "Kafka cannot be used", error)
}

/// A flag that SIGTERM and SIGINT set; a second one ends the process at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    /// What shells say of a process that an interrupt ended.
    const INTERRUPTED: i32 = 130;
    let failure = |error| Failure::caused(SOFTWARE, "signals cannot be taken", error);
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        // In this order, so that the first signal finds the flag unset.
        signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&flag))
            .map_err(failure)?;
        signal_hook::flag::register(signal, Arc::clone(&flag)).map_err(failure)?;
    }
    Ok(flag)
}
