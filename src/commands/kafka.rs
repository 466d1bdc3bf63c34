//! What the commands on topics share: the connection, and how its failures are told.

use assay_pipeline::kafka::{ConnectError, KafkaSettings};

use crate::cli::stream::Brokers;
use crate::failure::{CONFIG, Failure, IO, NO_INPUT, USAGE};
use crate::settings::Global;

/// The settings of the connection.
pub(crate) fn settings(global: &Global, arguments: &Brokers) -> KafkaSettings {
    let mut settings = global.config.kafka.clone();
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
