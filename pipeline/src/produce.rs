//! Fills a topic from files: one record each for the lines of an `.ndjson` file or the elements of a `.json` array.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use assay_engine::json::{Document, Parser};
use assay_engine::limits::MAX_REQUEST_BYTES;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseRecord, Producer, ProducerContext, ThreadedProducer};

use crate::input::Input;
use crate::kafka::{ConnectError, KafkaSettings, Start, TopicReader, producer_config, send};
use crate::record::RecordText;
use crate::run::ReadError;
use crate::source::Source;

/// Why a file could not be produced to its end.
#[derive(Debug, thiserror::Error)]
pub enum ProduceError {
    /// The cluster cannot be used.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A record was not taken.
    #[error("a record was not taken by the topic")]
    Send(#[source] KafkaError),
    /// Some records were not taken.
    #[error("{0} records were not taken by the topic")]
    Failed(u64),
}

/// What was produced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProduceSummary {
    /// Records that the topic took.
    pub records: u64,
    /// Records left out because they are longer than any request may be, or stand outside their file's array.
    pub skipped: u64,
}

#[derive(Clone, Debug, Default)]
struct Failures(Arc<AtomicU64>);

impl ClientContext for Failures {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        crate::kafka::log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        crate::kafka::log_event(&error, reason);
    }
}

impl ProducerContext for Failures {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if result.is_err() {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Produces the files' records to a topic, in their order; `key_pointer` (RFC 6901) leads to each record's key, `/agent_id`
/// by habit. A record without a string or number there, or that is no JSON, has no key.
///
/// # Errors
/// A file cannot be read, or not all records were taken.
pub fn produce(
    kafka: &KafkaSettings,
    topic: &str,
    inputs: Vec<Input>,
    key_pointer: &str,
) -> Result<ProduceSummary, ProduceError> {
    // Asks for the topic, which a producer alone would only wait for.
    drop(TopicReader::open(
        kafka,
        "assay-produce",
        "assay-produce",
        topic,
        Start::End,
    )?);
    let config = producer_config(kafka, "assay-produce", None, 1_000_000).map_err(ConnectError::Setting)?;
    let failures = Failures::default();
    let producer: ThreadedProducer<Failures> = config
        .create_with_context(failures.clone())
        .map_err(ConnectError::Client)?;
    let mut source = Source::new(inputs, MAX_REQUEST_BYTES, 0, Arc::default());
    let mut summary = ProduceSummary::default();
    let mut keys = Keys::default();
    while let Some(batch) = source.next_batch()? {
        for record in &batch.records {
            if !matches!(record.text, RecordText::Range(..)) {
                summary.skipped += 1;
                continue;
            }
            let value = batch.bytes(record);
            let key = keys.key(value, key_pointer);
            let mut message = BaseRecord::<str, [u8]>::to(topic).payload(value);
            message.key = key.as_deref();
            send(&producer, message).map_err(ProduceError::Send)?;
            summary.records += 1;
        }
    }
    producer
        .flush(Duration::from_secs(60))
        .map_err(ProduceError::Send)?;
    match failures.0.load(Ordering::Relaxed) {
        0 => Ok(summary),
        failed => Err(ProduceError::Failed(failed)),
    }
}

#[derive(Default)]
struct Keys {
    parser: Parser,
    document: Document,
}

impl Keys {
    fn key(&mut self, text: &[u8], pointer: &str) -> Option<String> {
        self.parser.parse(text, &mut self.document).ok()?;
        let value = self.document.root().pointer(pointer)?;
        let text = value.as_str().map(str::to_owned);
        text.or_else(|| value.as_number().map(|number| number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_string_or_a_number_at_the_pointer() {
        let mut keys = Keys::default();
        let text = br#"{"agent_id":"a","order":{"number":7},"none":null}"#;
        assert_eq!(keys.key(text, "/agent_id").as_deref(), Some("a"));
        assert_eq!(keys.key(text, "/order/number").as_deref(), Some("7"));
        assert_eq!(keys.key(text, "/none"), None);
        assert_eq!(keys.key(text, "/missing"), None);
        assert_eq!(keys.key(b"poison\xff", "/agent_id"), None);
    }
}
