//! A receipts topic with its dead letters, as the tests of the projector fill and read them.

use std::time::Instant;

use assay_engine::hex::hex;
use assay_engine::receipt::Receipt;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::topics::{PATIENCE, TestRecord, brokers, config, fill, fresh, read, topic};

/// A receipts topic with its dead letters.
pub(crate) struct Topics {
    pub(crate) receipts: String,
    pub(crate) dead_letters: String,
    pub(crate) group: String,
    partitions: i32,
}

impl Topics {
    pub(crate) fn new(partitions: i32) -> Topics {
        Topics {
            receipts: topic("receipts", partitions, &[]),
            dead_letters: topic("dead-letters", 1, &[]),
            group: fresh("projector"),
            partitions,
        }
    }

    /// What the program is told of them.
    pub(crate) fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("ASSAY_KAFKA__BROKERS", brokers()),
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

    /// Puts records into the topic, one after another into the partitions.
    pub(crate) fn send_records(
        &self,
        records: impl IntoIterator<Item = (Option<Vec<u8>>, Vec<(&'static str, String)>)>,
    ) {
        let records = records.into_iter().enumerate().map(|(number, (value, headers))| {
            let headers = headers.into_iter();
            TestRecord {
                partition: number as i32 % self.partitions,
                key: Some(number.to_string().into_bytes()),
                value,
                headers: headers
                    .map(|(name, value)| (name.to_owned(), Some(value.into_bytes())))
                    .collect(),
                ..TestRecord::default()
            }
        });
        fill(&self.receipts, &records.collect::<Vec<_>>());
    }

    /// The dead letters, of which there are that many. They are there before the offsets that they stand for are committed.
    pub(crate) fn letters(&self, expected: usize) -> Vec<TestRecord> {
        let letters = read(&self.dead_letters);
        assert_eq!(letters.len(), expected);
        letters
    }

    /// The sum of the committed offsets.
    pub(crate) fn committed(&self) -> i64 {
        let consumer: BaseConsumer = config().set("group.id", &self.group).create().unwrap();
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
