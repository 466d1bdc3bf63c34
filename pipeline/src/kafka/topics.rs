//! What a topic is like: its partitions, how far they reach, and how large a record it takes.

use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, ResourceSpecifier};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};

use super::{ConnectError, KafkaSettings, LogContext};

/// How long the cluster may take to answer a question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// The partitions of a topic.
///
/// # Errors
/// The cluster does not answer, or has no such topic.
pub(crate) fn partitions<C: ConsumerContext>(
    settings: &KafkaSettings,
    consumer: &BaseConsumer<C>,
    topic: &str,
) -> Result<Vec<i32>, ConnectError> {
    let failure = |source| ConnectError::Cluster {
        brokers: settings.brokers.clone(),
        source,
    };
    let metadata = consumer
        .fetch_metadata(Some(topic), ANSWER_TIMEOUT)
        .map_err(failure)?;
    let found = metadata.topics().iter().find(|found| found.name() == topic);
    let mut partitions: Vec<i32> = found
        .filter(|found| found.error().is_none())
        .map(|found| {
            found
                .partitions()
                .iter()
                .map(|partition| partition.id())
                .collect()
        })
        .unwrap_or_default();
    if partitions.is_empty() {
        return Err(ConnectError::NoTopic(topic.to_owned()));
    }
    partitions.sort_unstable();
    Ok(partitions)
}

/// How many partitions a topic has; none when it is not there or may not be seen. For whoever tries the settings.
///
/// # Errors
/// A setting is wrong, or the cluster does not answer.
pub fn probe(settings: &KafkaSettings, topic: &str) -> Result<Option<usize>, ConnectError> {
    let config = super::client_config(settings, "assay-probe")?;
    let consumer: BaseConsumer<LogContext> = config
        .create_with_context(LogContext)
        .map_err(ConnectError::Client)?;
    match partitions(settings, &consumer, topic) {
        Ok(partitions) => Ok(Some(partitions.len())),
        Err(ConnectError::NoTopic(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The first offset of a partition and the one after its last.
pub(crate) fn watermarks<C: ConsumerContext>(
    settings: &KafkaSettings,
    consumer: &BaseConsumer<C>,
    topic: &str,
    partition: i32,
) -> Result<(i64, i64), ConnectError> {
    consumer
        .fetch_watermarks(topic, partition, ANSWER_TIMEOUT)
        .map_err(|source| ConnectError::Cluster {
            brokers: settings.brokers.clone(),
            source,
        })
}

/// How large a batch of records a topic takes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TopicLimit {
    /// Bytes, if the cluster tells.
    pub(crate) bytes: Option<usize>,
}

impl TopicLimit {
    /// Asks the cluster. Not being allowed to ask is no failure: the broker's refusal then tells.
    pub(crate) fn ask(config: &rdkafka::ClientConfig, topic: &str) -> TopicLimit {
        let asked = ask(config, topic);
        if asked.is_none() {
            tracing::warn!(
                topic,
                "the topic's max.message.bytes cannot be read; its refusals will tell"
            );
        }
        TopicLimit { bytes: asked }
    }
}

fn ask(config: &rdkafka::ClientConfig, topic: &str) -> Option<usize> {
    let admin: AdminClient<LogContext> = config.create_with_context(LogContext).ok()?;
    let options = AdminOptions::new().request_timeout(Some(ANSWER_TIMEOUT));
    let resource = [ResourceSpecifier::Topic(topic)];
    // The client answers on a thread of its own; this one only waits.
    let runtime = tokio::runtime::Builder::new_current_thread().build().ok()?;
    let answer = runtime
        .block_on(admin.describe_configs(&resource, &options))
        .ok()?;
    let topic = answer.into_iter().next()?.ok()?;
    topic.get("max.message.bytes")?.value.as_ref()?.parse().ok()
}
