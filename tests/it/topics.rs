//! Topics of a real cluster for the tests: made under random names, filled and read to their ends.

use std::future::Future;
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Header, Headers, Message, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::database::random_name;

/// How long a cluster may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The cluster of the tests.
pub(crate) fn brokers() -> String {
    std::env::var("KAFKA_BROKERS").expect(
        "KAFKA_BROKERS is not set: run the tests by tests/run, which starts what they need, or start it with \
         tests/services.py and set the variable to the address that it prints",
    )
}

/// A record as a test writes or reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TestRecord {
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) timestamp: Option<i64>,
    pub(crate) headers: Vec<(String, Option<Vec<u8>>)>,
}

impl TestRecord {
    pub(crate) fn of(partition: i32, value: impl AsRef<[u8]>) -> TestRecord {
        TestRecord {
            partition,
            value: Some(value.as_ref().to_vec()),
            ..TestRecord::default()
        }
    }

    pub(crate) fn with(mut self, name: &str, value: &[u8]) -> TestRecord {
        self.headers.push((name.to_owned(), Some(value.to_vec())));
        self
    }

    /// A header as text; empty when it is not there.
    pub(crate) fn header(&self, name: &str) -> String {
        let found = self.headers.iter().find(|(known, _)| known == name);
        let value = found.and_then(|(_, value)| value.clone()).unwrap_or_default();
        String::from_utf8(value).unwrap()
    }
}

/// A name that no other test has.
pub(crate) fn fresh(name: &str) -> String {
    format!("{name}-{}", random_name())
}

/// Makes a topic and gives its name.
pub(crate) fn topic(name: &str, partitions: i32, settings: &[(&str, &str)]) -> String {
    let name = fresh(name);
    let admin: AdminClient<DefaultClientContext> = config().create().unwrap();
    let mut topic = NewTopic::new(&name, partitions, TopicReplication::Fixed(1));
    for (key, value) in settings {
        topic = topic.set(key, value);
    }
    let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
    wait_for(admin.create_topics([&topic], &options))
        .unwrap()
        .remove(0)
        .unwrap();
    name
}

/// The settings that lead to the cluster.
pub(crate) fn config() -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers());
    config
}

/// Writes records, each to its partition.
pub(crate) fn fill(topic: &str, records: &[TestRecord]) {
    let mut config = config();
    config.set("message.max.bytes", "104857600").set("linger.ms", "5");
    let producer: BaseProducer = config.create().unwrap();
    for record in records {
        let mut headers = OwnedHeaders::new();
        for (key, value) in &record.headers {
            headers = headers.insert(Header {
                key,
                value: value.as_deref(),
            });
        }
        let mut message = BaseRecord::<[u8], [u8]>::to(topic)
            .partition(record.partition)
            .headers(headers);
        message.key = record.key.as_deref();
        message.payload = record.value.as_deref();
        message.timestamp = record.timestamp;
        while let Err((error, unsent)) = producer.send(message) {
            assert!(error.to_string().contains("Queue full"), "{error}");
            message = unsent;
            producer.poll(Duration::from_millis(20));
        }
    }
    producer.flush(PATIENCE).unwrap();
}

/// Everything that a reader of committed records finds in a topic.
pub(crate) fn read(topic: &str) -> Vec<TestRecord> {
    let mut config = config();
    config
        .set("group.id", fresh("reader"))
        .set("enable.auto.commit", "false")
        .set("isolation.level", "read_committed");
    let consumer: BaseConsumer = config.create().unwrap();
    let metadata = consumer.fetch_metadata(Some(topic), PATIENCE).unwrap();
    let mut assignment = TopicPartitionList::new();
    let mut ends = Vec::new();
    for partition in metadata.topics()[0].partitions() {
        let (_, end) = consumer
            .fetch_watermarks(topic, partition.id(), PATIENCE)
            .unwrap();
        ends.push((partition.id(), end));
        assignment
            .add_partition_offset(topic, partition.id(), Offset::Beginning)
            .unwrap();
    }
    consumer.assign(&assignment).unwrap();
    let deadline = Instant::now() + PATIENCE;
    let mut records = Vec::new();
    loop {
        let position = consumer.position().unwrap();
        let is_read = |(partition, end): &(i32, i64)| {
            let at = position
                .find_partition(topic, *partition)
                .map(|found| found.offset());
            *end == 0 || matches!(at, Some(Offset::Offset(at)) if at >= *end)
        };
        if ends.iter().all(is_read) {
            return records;
        }
        assert!(Instant::now() < deadline, "{topic} cannot be read to its end");
        let Some(message) = consumer.poll(Duration::from_millis(50)) else {
            continue;
        };
        let message = message.unwrap();
        let headers = message.headers().map_or_else(Vec::new, |headers| {
            let copied = headers
                .iter()
                .map(|h| (h.key.to_owned(), h.value.map(<[u8]>::to_vec)));
            copied.collect()
        });
        records.push(TestRecord {
            partition: message.partition(),
            offset: message.offset(),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().map(<[u8]>::to_vec),
            timestamp: message.timestamp().to_millis(),
            headers,
        });
    }
}

/// Waits for what the client's own thread answers.
fn wait_for<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(future)
}
