//! A broker for tests: topics of their own for each, on the cluster that `KAFKA_BROKERS` names.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use assay_engine::receipt::Receipt;
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{Header, Headers as _, Message as _, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::database::random_name;

/// How long a test waits for the broker.
const PATIENCE: Duration = Duration::from_secs(30);

/// A record as it was read.
pub(crate) struct Letter {
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) headers: Vec<(String, String)>,
}

/// A receipts topic with its dead letters.
pub(crate) struct Topics {
    pub(crate) receipts: String,
    pub(crate) dead_letters: String,
    pub(crate) group: String,
    partitions: i32,
    brokers: String,
}

/// The addresses of the brokers; a test that needs one fails without.
pub(crate) fn brokers() -> String {
    std::env::var("KAFKA_BROKERS").expect(
        "KAFKA_BROKERS is not set: run the tests by tests/run, which starts what they need, or start it with \
         tests/services.py and set the variable to the address that it prints",
    )
}

impl Topics {
    pub(crate) fn new(partitions: i32) -> Topics {
        let name = random_name();
        let topics = Topics {
            receipts: format!("receipts-{name}"),
            dead_letters: format!("dead-letters-{name}"),
            group: format!("projector-{name}"),
            partitions,
            brokers: brokers(),
        };
        let admin: AdminClient<DefaultClientContext> = topics.config().create().unwrap();
        let new = [
            NewTopic::new(&topics.receipts, partitions, TopicReplication::Fixed(1)),
            NewTopic::new(&topics.dead_letters, 1, TopicReplication::Fixed(1)),
        ];
        let created =
            block_on(admin.create_topics(&new, &AdminOptions::new().operation_timeout(Some(PATIENCE))));
        for topic in created.unwrap() {
            topic.unwrap();
        }
        topics
    }

    pub(crate) fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.brokers);
        config
    }

    /// What the program is told of them.
    pub(crate) fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("ASSAY_KAFKA__BROKERS", self.brokers.clone()),
            ("ASSAY_PROJECT__GROUP", self.group.clone()),
            ("ASSAY_STREAM__RECEIPTS", self.receipts.clone()),
            ("ASSAY_STREAM__DEAD_LETTERS", self.dead_letters.clone()),
        ]
    }

    /// Puts receipts into the topic as a stream does, one after another into the partitions.
    pub(crate) fn send(&self, receipts: &[(Receipt, i32)]) {
        let records = receipts.iter().enumerate().map(|(number, (receipt, day))| {
            let mut value = Vec::new();
            receipt.write_wire(&mut value);
            let verdict = &receipt.response.verdict;
            let day =
                assay_engine::time::Timestamp::from_micros(i64::from(*day) * 86_400_000_000).to_string();
            let headers = vec![
                ("counted-on", day[..10].to_owned()),
                ("request-hash", hex(&receipt.response.hashes.request)),
                (
                    "checks",
                    format!(
                        "{}/{},{}/{}",
                        verdict.schema.passed,
                        verdict.schema.total,
                        verdict.integrity.passed,
                        verdict.integrity.total
                    ),
                ),
                ("source-topic", "deliverables".to_owned()),
                ("source-partition", "0".to_owned()),
                ("source-offset", number.to_string()),
            ];
            (Some(value), headers)
        });
        self.send_records(records);
    }

    /// Puts records into the topic.
    pub(crate) fn send_records(
        &self,
        records: impl IntoIterator<Item = (Option<Vec<u8>>, Vec<(&'static str, String)>)>,
    ) {
        let producer: BaseProducer = self.config().set("linger.ms", "5").create().unwrap();
        for (number, (value, headers)) in records.into_iter().enumerate() {
            let mut owned = OwnedHeaders::new();
            for (key, value) in &headers {
                owned = owned.insert(Header {
                    key,
                    value: Some(value),
                });
            }
            let key = number.to_string();
            let mut record = BaseRecord::to(&self.receipts)
                .key(&key)
                .partition(number as i32 % self.partitions)
                .headers(owned);
            if let Some(value) = &value {
                record = record.payload(value);
            }
            while let Err((_, again)) = producer.send(record) {
                producer.poll(Duration::from_millis(20));
                record = again;
            }
        }
        producer.flush(PATIENCE).unwrap();
    }

    /// The dead letters, of which there are that many.
    pub(crate) fn letters(&self, expected: usize) -> Vec<Letter> {
        let consumer: BaseConsumer = self
            .config()
            .set("group.id", format!("{}-letters", self.group))
            .set("auto.offset.reset", "earliest")
            .create()
            .unwrap();
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(&self.dead_letters, 0, Offset::Beginning)
            .unwrap();
        consumer.assign(&list).unwrap();
        let mut letters = Vec::new();
        let began = Instant::now();
        // A little longer than for the last one: there must be no more.
        let mut until = began + PATIENCE;
        while Instant::now() < until {
            if let Some(message) = consumer.poll(Duration::from_millis(100)) {
                let message = message.unwrap();
                let headers = message.headers().into_iter().flat_map(|headers| headers.iter());
                letters.push(Letter {
                    value: message.payload().map(<[u8]>::to_vec),
                    headers: headers
                        .map(|header| {
                            let value = header.value.unwrap_or_default();
                            (header.key.to_owned(), String::from_utf8_lossy(value).into_owned())
                        })
                        .collect(),
                });
            }
            if letters.len() >= expected {
                until = until.min(Instant::now() + Duration::from_millis(500));
            }
        }
        assert_eq!(letters.len(), expected);
        letters
    }

    /// The sum of the committed offsets.
    pub(crate) fn committed(&self) -> i64 {
        let consumer: BaseConsumer = self.config().set("group.id", &self.group).create().unwrap();
        let mut list = TopicPartitionList::new();
        for partition in 0..self.partitions {
            list.add_partition(&self.receipts, partition);
        }
        let began = Instant::now();
        let committed = loop {
            match consumer.committed_offsets(list.clone(), PATIENCE) {
                Ok(committed) => break committed,
                // A group that nobody has used yet may have no coordinator for a moment.
                Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
            }
        };
        committed
            .elements()
            .iter()
            .map(|element| match element.offset() {
                Offset::Offset(next) => next,
                _ => 0,
            })
            .sum()
    }
}

impl Letter {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| &**value).unwrap_or_default()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Waits for a future, whose thread wakes this one.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park_timeout(Duration::from_millis(100)),
        }
    }
}
