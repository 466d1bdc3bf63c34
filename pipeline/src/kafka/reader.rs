//! A reader of whole topics, in no group: for lists, replays, followers and contracts.

use std::collections::HashMap;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaResult;
use rdkafka::message::BorrowedMessage;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::{ConnectError, KafkaSettings, LogContext, assigned_consumer_config, partitions, watermarks};

/// Where a reader begins in each partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At the first record that is there.
    First,
    /// After the last.
    End,
    /// Where the group has come to, at the first record where it never was.
    Committed,
}

/// Reads the partitions of one topic.
pub(crate) struct TopicReader {
    pub(crate) consumer: BaseConsumer<LogContext>,
    topic: String,
    /// Where the partitions ended when it was opened, for those that hold something to read.
    pub(crate) ends: HashMap<i32, i64>,
}

/// How long committed offsets may take to come.
const OFFSETS_TIMEOUT: Duration = Duration::from_secs(15);

impl TopicReader {
    /// Opens all partitions of a topic.
    pub(crate) fn open(
        kafka: &KafkaSettings,
        client_id: &str,
        group: &str,
        topic: &str,
        start: Start,
    ) -> Result<TopicReader, ConnectError> {
        let config = assigned_consumer_config(kafka, client_id, group)?;
        let consumer: BaseConsumer<LogContext> = config
            .create_with_context(LogContext)
            .map_err(ConnectError::Client)?;
        let numbers = partitions(kafka, &consumer, topic)?;
        let mut wanted = TopicPartitionList::new();
        for number in &numbers {
            wanted.add_partition(topic, *number);
        }
        let committed = match start {
            Start::Committed => consumer
                .committed_offsets(wanted, OFFSETS_TIMEOUT)
                .map_err(|source| ConnectError::Cluster {
                    brokers: kafka.brokers.clone(),
                    source,
                })?,
            Start::First | Start::End => wanted,
        };
        let mut assignment = TopicPartitionList::new();
        let mut ends = HashMap::new();
        for number in numbers {
            let (first, end) = watermarks(kafka, &consumer, topic, number)?;
            let known = committed
                .find_partition(topic, number)
                .map(|found| found.offset());
            let from = match (start, known) {
                (Start::End, _) => end,
                (Start::Committed, Some(Offset::Offset(at))) => at.max(first),
                _ => first,
            };
            if from < end {
                ends.insert(number, end);
            }
            assignment
                .add_partition_offset(topic, number, Offset::Offset(from))
                .map_err(ConnectError::Client)?;
        }
        consumer.assign(&assignment).map_err(ConnectError::Client)?;
        Ok(TopicReader {
            consumer,
            topic: topic.to_owned(),
            ends,
        })
    }

    /// Whether everything that was there at the start has been read. The position also passes what no reader sees: markers
    /// of transactions, and records of aborted ones.
    pub(crate) fn is_at_end(&self) -> bool {
        let Ok(position) = self.consumer.position() else {
            return false;
        };
        self.ends.iter().all(|(number, end)| {
            let found = position.find_partition(&self.topic, *number);
            matches!(found.map(|found| found.offset()), Some(Offset::Offset(at)) if at >= *end)
        })
    }

    /// The next record, if one comes in time.
    pub(crate) fn poll(&self, timeout: Duration) -> Option<KafkaResult<BorrowedMessage<'_>>> {
        self.consumer.poll(timeout)
    }
}
