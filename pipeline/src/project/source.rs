//! The receipts topic, read as a member of a group: records, and what happens to the partitions.
//!
//! Each partition has a queue of its own, which is read only while there is room for its records; what is not read waits
//! in the broker. The group is served all the while, so a store that is down for hours costs no membership.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::Statistics;
use rdkafka::client::ClientContext;
use rdkafka::consumer::base_consumer::PartitionQueue;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::record::TopicRecord;
use crate::lock::lock;

/// Kibibytes of a partition's records that the client holds ready.
const QUEUE_KBYTES: &str = "8192";

/// What happened to the partitions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// It is this member's now.
    Assigned(i32),
    /// It is no longer.
    Revoked(i32),
    /// Its position is committed.
    Committed(i32, i64),
    /// The end of a partition was seen, for now.
    End(i32),
    /// The broker has something to say.
    Trouble(String),
}

/// Collects events while the client calls back.
pub(super) struct GroupContext {
    topic: String,
    events: Mutex<Vec<Event>>,
    /// The end of each partition, as the client knows it.
    ends: Mutex<BTreeMap<i32, i64>>,
}

impl GroupContext {
    fn add(&self, event: Event) {
        lock(&self.events).push(event);
    }

    fn partitions(&self, list: &TopicPartitionList) -> Vec<i32> {
        list.elements()
            .iter()
            .filter(|element| element.topic() == self.topic)
            .map(|element| element.partition())
            .collect()
    }
}

impl ClientContext for GroupContext {
    fn stats(&self, statistics: Statistics) {
        let Some(topic) = statistics.topics.get(&self.topic) else {
            return;
        };
        let owned = topic.partitions.values().filter(|partition| partition.desired);
        *lock(&self.ends) = owned
            .filter(|partition| partition.ls_offset >= 0)
            .map(|partition| (partition.partition, partition.ls_offset))
            .collect();
    }

    fn error(&self, error: KafkaError, reason: &str) {
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::PartitionEOF) {
            // The end of a partition is told where it is read, and is no trouble.
            return;
        }
        self.add(Event::Trouble(format!("{error}: {reason}")));
    }
}

impl ConsumerContext for GroupContext {
    fn pre_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Revoke(list) => {
                for partition in self.partitions(list) {
                    self.add(Event::Revoked(partition));
                }
            }
            Rebalance::Error(error) => self.add(Event::Trouble(error.to_string())),
            Rebalance::Assign(_) => {}
        }
    }

    fn post_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if let Rebalance::Assign(list) = rebalance {
            for partition in self.partitions(list) {
                self.add(Event::Assigned(partition));
            }
        }
    }

    fn commit_callback(&self, result: KafkaResult<()>, offsets: &TopicPartitionList) {
        if let Err(error) = result {
            self.add(Event::Trouble(format!(
                "a commit failed and is repeated: {error}"
            )));
            return;
        }
        for element in offsets.elements() {
            if let Offset::Offset(next) = element.offset()
                && element.error().is_ok()
            {
                self.add(Event::Committed(element.partition(), next));
            }
        }
    }
}

/// A member of the group.
pub(super) struct Source {
    // Dropped before the consumer, which they keep alive.
    queues: BTreeMap<i32, PartitionQueue<GroupContext>>,
    consumer: Arc<BaseConsumer<GroupContext>>,
    topic: String,
    /// The partition after the one that was read last.
    turn: i32,
}

impl Source {
    pub(super) fn join(kafka: &ClientConfig, group: &str, topic: &str) -> KafkaResult<Source> {
        let mut config = kafka.clone();
        config
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "earliest")
            .set("isolation.level", "read_committed")
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("session.timeout.ms", "45000")
            .set("max.poll.interval.ms", "300000")
            .set("enable.partition.eof", "true")
            .set("check.crcs", "true")
            .set("queued.min.messages", "10000")
            .set("queued.max.messages.kbytes", QUEUE_KBYTES)
            .set("fetch.queue.backoff.ms", "50")
            .set("statistics.interval.ms", "2000")
            .set("allow.auto.create.topics", "false");
        let consumer: BaseConsumer<GroupContext> = config.create_with_context(GroupContext {
            topic: topic.to_owned(),
            events: Mutex::default(),
            ends: Mutex::default(),
        })?;
        consumer.subscribe(&[topic])?;
        Ok(Source {
            queues: BTreeMap::new(),
            consumer: Arc::new(consumer),
            topic: topic.to_owned(),
            turn: 0,
        })
    }

    /// Serves the group, waiting up to `wait` for it to have something to say. Records may come this way as well, for a
    /// moment after a partition was assigned.
    pub(super) fn serve(&mut self, wait: Duration, records: &mut Vec<TopicRecord>) -> Vec<Event> {
        let mut wait = wait;
        while let Some(polled) = self.consumer.poll(wait) {
            wait = Duration::ZERO;
            match polled {
                Ok(message) => records.push(TopicRecord::copy(&message)),
                Err(error) => self.consumer.context().add(event_of(error)),
            }
        }
        let events = std::mem::take(&mut *lock(&self.consumer.context().events));
        for event in &events {
            match event {
                Event::Assigned(partition) => {
                    if let Some(queue) = self.consumer.split_partition_queue(&self.topic, *partition) {
                        self.queues.insert(*partition, queue);
                    }
                }
                Event::Revoked(partition) => {
                    self.queues.remove(partition);
                    lock(&self.consumer.context().ends).remove(partition);
                }
                _ => {}
            }
        }
        events
    }

    /// Reads up to `max` records of one partition, each partition in its turn. Nothing is waited for.
    pub(super) fn read(&mut self, max: usize, records: &mut Vec<TopicRecord>) {
        let next = self
            .queues
            .range(self.turn..)
            .next()
            .or(self.queues.iter().next());
        let Some((partition, queue)) = next else {
            return;
        };
        self.turn = partition + 1;
        for _ in 0..max {
            match queue.poll(Duration::ZERO) {
                Some(Ok(message)) => records.push(TopicRecord::copy(&message)),
                Some(Err(error)) => self.consumer.context().add(event_of(error)),
                None => break,
            }
        }
    }

    /// How many partitions can be read.
    pub(super) fn partitions(&self) -> usize {
        self.queues.len()
    }

    /// The end of each owned partition, as far as it is known.
    pub(super) fn ends(&self) -> BTreeMap<i32, i64> {
        lock(&self.consumer.context().ends).clone()
    }

    /// Commits positions; the acknowledgement comes as an event.
    pub(super) fn commit(&self, positions: &[(i32, i64)], mode: CommitMode) -> KafkaResult<()> {
        let mut list = TopicPartitionList::new();
        for (partition, next) in positions {
            list.add_partition_offset(&self.topic, *partition, Offset::Offset(*next))?;
        }
        self.consumer.commit(&list, mode)
    }
}

fn event_of(error: KafkaError) -> Event {
    match error {
        KafkaError::PartitionEOF(partition) => Event::End(partition),
        error => Event::Trouble(error.to_string()),
    }
}
