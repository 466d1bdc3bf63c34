//! Sends dead letters back to the topics that their records came from.
//!
//! In transactions with the offsets of a group of its own, so that what was sent once is never sent again, whenever and
//! however often it is asked for; two replays at a time fence each other. Only what was there at the start is sent, or a
//! letter that fails again would be sent for ever.

use std::collections::HashMap;
use std::time::Duration;

use rdkafka::consumer::Consumer;
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Header, Headers, Message, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer, ThreadedProducer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::{DeadLetterError, each_letter, letter};
use crate::kafka::{ConnectError, KafkaSettings, Start, TopicReader, last_header, producer_config, send};

/// What is sent.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The dead-letter topic.
    pub topic: String,
    /// The stream's group; the replay's own is made of it.
    pub group: String,
    /// Letters that were tried so often, or more, stay.
    pub max_attempts: u32,
    /// Another topic than the records' own.
    pub to: Option<String>,
    /// Counts, and sends nothing.
    pub dry_run: bool,
}

/// What a replay came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplaySummary {
    /// Letters sent again.
    pub sent: u64,
    /// Letters passed over because they were tried too often.
    pub over_cap: u64,
    /// Letters that do not hold their record, or do not say where it came from.
    pub unusable: u64,
}

/// Letters of one transaction.
const GROUP_LETTERS: usize = 1_000;

/// Bytes of the letters of one transaction.
const GROUP_BYTES: usize = 16 * 1024 * 1024;

const STEP_TIMEOUT: Duration = Duration::from_secs(15);

/// Replays what lies in the topic.
///
/// # Errors
/// The cluster cannot be used. What was committed stays sent, and the next replay goes on after it.
pub fn replay(kafka: &KafkaSettings, options: &ReplayOptions) -> Result<ReplaySummary, DeadLetterError> {
    let group = format!("{}-dlq-replay", options.group);
    let reader = TopicReader::open(kafka, "assay-dlq", &group, &options.topic, Start::Committed)?;
    let config = producer_config(kafka, "assay-dlq", Some(&format!("assay-{group}")), 1_000_000)
        .map_err(ConnectError::Setting)?;
    let producer: ThreadedProducer<DefaultProducerContext> = config.create().map_err(ConnectError::Client)?;
    if !options.dry_run {
        retry(|| producer.init_transactions(STEP_TIMEOUT))?;
    }
    let mut summary = ReplaySummary::default();
    let mut open = Group::default();
    each_letter(&reader, |message| {
        let result = open.add(&producer, options, message, &mut summary);
        result
            .and_then(|()| open.commit_if_full(&producer, options, &reader))
            .map_err(|error| give_up(&producer, error))
    })?;
    open.commit(&producer, options, &reader)
        .map_err(|error| give_up(&producer, error))?;
    Ok(summary)
}

fn give_up(producer: &ThreadedProducer<DefaultProducerContext>, error: KafkaError) -> DeadLetterError {
    if let Err(abort) = producer.abort_transaction(STEP_TIMEOUT) {
        tracing::warn!("the transaction is left to its timeout: {abort}");
    }
    DeadLetterError::Send(error)
}

/// The letters of the transaction that is open.
#[derive(Default)]
struct Group {
    next_offsets: HashMap<i32, i64>,
    letters: usize,
    bytes: usize,
    is_begun: bool,
}

impl Group {
    fn add(
        &mut self,
        producer: &ThreadedProducer<DefaultProducerContext>,
        options: &ReplayOptions,
        message: &BorrowedMessage<'_>,
        summary: &mut ReplaySummary,
    ) -> Result<(), KafkaError> {
        self.next_offsets
            .insert(message.partition(), message.offset() + 1);
        self.letters += 1;
        self.bytes += message.payload_len() + message.key_len();
        let source = last_header(message, letter::TOPIC).and_then(|topic| std::str::from_utf8(topic).ok());
        let is_stub = last_header(message, letter::STUB).is_some();
        let Some(topic) = options.to.as_deref().or(source).filter(|_| !is_stub) else {
            summary.unusable += 1;
            return Ok(());
        };
        let attempt = letter::attempts(last_header(message, letter::ATTEMPT));
        if attempt >= options.max_attempts {
            summary.over_cap += 1;
            return Ok(());
        }
        summary.sent += 1;
        if options.dry_run {
            return Ok(());
        }
        if !self.is_begun {
            producer.begin_transaction()?;
            self.is_begun = true;
        }
        let time = last_header(message, letter::TIMESTAMP).and_then(|time| std::str::from_utf8(time).ok());
        let mut record = BaseRecord::<[u8], [u8]>::to(topic).headers(original_headers(message));
        record.key = message.key();
        record.payload = message.payload();
        record.timestamp = time.and_then(|time| time.parse().ok());
        send(producer, record)
    }

    fn commit_if_full(
        &mut self,
        producer: &ThreadedProducer<DefaultProducerContext>,
        options: &ReplayOptions,
        reader: &TopicReader,
    ) -> Result<(), KafkaError> {
        if self.letters >= GROUP_LETTERS || self.bytes >= GROUP_BYTES {
            return self.commit(producer, options, reader);
        }
        Ok(())
    }

    fn commit(
        &mut self,
        producer: &ThreadedProducer<DefaultProducerContext>,
        options: &ReplayOptions,
        reader: &TopicReader,
    ) -> Result<(), KafkaError> {
        if options.dry_run || self.next_offsets.is_empty() {
            return Ok(());
        }
        if !self.is_begun {
            producer.begin_transaction()?;
        }
        let mut offsets = TopicPartitionList::new();
        for (partition, next) in &self.next_offsets {
            offsets.add_partition_offset(&options.topic, *partition, Offset::Offset(*next))?;
        }
        let metadata = reader
            .consumer
            .group_metadata()
            .ok_or(KafkaError::NoMessageReceived)?;
        retry_kafka(|| producer.send_offsets_to_transaction(&offsets, &metadata, STEP_TIMEOUT))?;
        retry_kafka(|| producer.commit_transaction(STEP_TIMEOUT))?;
        *self = Group::default();
        Ok(())
    }
}

/// The record's own headers, with the number of its attempts.
fn original_headers(message: &BorrowedMessage<'_>) -> OwnedHeaders {
    let mut kept = OwnedHeaders::new();
    for header in message.headers().into_iter().flat_map(Headers::iter) {
        if !letter::is_about_the_letter(header.key) {
            kept = kept.insert(Header {
                key: header.key,
                value: header.value,
            });
        }
    }
    kept
}

fn retry(call: impl FnMut() -> Result<(), KafkaError>) -> Result<(), DeadLetterError> {
    retry_kafka(call).map_err(DeadLetterError::Send)
}

/// Repeats what may be repeated, a bounded number of times.
fn retry_kafka(mut call: impl FnMut() -> Result<(), KafkaError>) -> Result<(), KafkaError> {
    const TRIES: usize = 8;
    let mut tried = 0;
    loop {
        tried += 1;
        match call() {
            Err(KafkaError::Transaction(error)) if error.is_retriable() && tried < TRIES => {
                std::thread::sleep(Duration::from_millis(250));
            }
            other => return other,
        }
    }
}
