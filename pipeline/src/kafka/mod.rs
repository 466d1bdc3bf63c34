//! What all work on topics shares: the settings of the connection, the clients made of them, and questions to the cluster.

mod client;
mod reader;
mod records;
mod settings;
mod topics;

pub use client::client_config;
pub(crate) use client::{
    LogContext, SESSION_TIMEOUT_MS, assigned_consumer_config, group_consumer_config, log, log_event,
    producer_config,
};
pub(crate) use reader::{Start, TopicReader};
pub(crate) use records::{last_header, send};
pub use settings::{KafkaSettings, Security, SettingError, SettingValue};
pub use topics::probe;
pub(crate) use topics::{TopicLimit, partitions, watermarks};

/// Why the cluster could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// A setting is wrong.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A client cannot be made of the settings.
    #[error("the Kafka client cannot be made")]
    Client(#[source] rdkafka::error::KafkaError),
    /// The cluster does not answer.
    #[error("the cluster at {brokers} does not answer")]
    Cluster {
        /// The addresses that were tried.
        brokers: String,
        /// Why.
        #[source]
        source: rdkafka::error::KafkaError,
    },
    /// A topic is not there, or may not be seen.
    #[error("there is no topic {0}, or this user may not see it; topics are not made on the fly")]
    NoTopic(String),
}
