//! Dead letters of the receipts topic: the record as it came, with headers that say where from and why not.
//!
//! The headers are those of Kafka Connect, as protocol section 9 has them, and `assay-attempt` and `assay-timestamp`, by
//! which a letter can be sent again.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _, ProducerContext};

use super::record::{Refusal, TopicRecord};
use super::storer::Rejections;

/// How long a letter may take to be acknowledged before it is sent anew.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of a letter: the largest record that a receipts topic may have, and the headers that are added.
const MAX_LETTER_BYTES: usize = 64 * 1024 * 1024;

/// Characters of the message in a letter's header.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// Tells whoever waits that a letter was acknowledged.
struct Acknowledge;

impl ClientContext for Acknowledge {}

impl ProducerContext for Acknowledge {
    type DeliveryOpaque = Box<Sender<Result<(), KafkaError>>>;

    fn delivery(&self, result: &DeliveryResult<'_>, waiting: Self::DeliveryOpaque) {
        let result = match result {
            Ok(_) => Ok(()),
            Err((error, _)) => Err(error.clone()),
        };
        // Whoever waits no longer sends the letter anew.
        let _gone = waiting.try_send(result).is_err();
    }
}

/// Writes dead letters.
pub(super) struct DeadLetters {
    producer: BaseProducer<Acknowledge>,
    topic: String,
    receipts: String,
}

impl DeadLetters {
    pub(super) fn new(kafka: &ClientConfig, topic: &str, receipts: &str) -> Result<DeadLetters, KafkaError> {
        let mut config = kafka.clone();
        config
            .set("acks", "all")
            .set("enable.idempotence", "true")
            .set("message.max.bytes", MAX_LETTER_BYTES.to_string())
            .set("message.timeout.ms", DELIVERY_TIMEOUT.as_millis().to_string())
            .set("linger.ms", "0")
            .set("allow.auto.create.topics", "false");
        Ok(DeadLetters {
            producer: config.create_with_context(Acknowledge)?,
            topic: topic.to_owned(),
            receipts: receipts.to_owned(),
        })
    }

    fn send(&self, record: &TopicRecord, value: Option<&[u8]>, refusal: &Refusal) -> Result<(), KafkaError> {
        let (waiting, acknowledged) = bounded(1);
        let mut letter: BaseRecord<'_, [u8], [u8], _> =
            BaseRecord::with_opaque_to(&self.topic, Box::new(waiting)).headers(self.headers(record, refusal));
        if let Some(key) = &record.key {
            letter = letter.key(key);
        }
        if let Some(value) = value {
            letter = letter.payload(value);
        }
        if let Some(timestamp) = record.timestamp {
            letter = letter.timestamp(timestamp);
        }
        self.producer.send(letter).map_err(|(error, _)| error)?;
        self.wait(&acknowledged)
    }

    fn wait(&self, acknowledged: &Receiver<Result<(), KafkaError>>) -> Result<(), KafkaError> {
        /// The client reports on its own within the timeout; this is for when it does not.
        const SLACK: Duration = Duration::from_secs(5);
        let until = Instant::now() + DELIVERY_TIMEOUT + SLACK;
        while Instant::now() < until {
            self.producer.poll(Duration::from_millis(50));
            if let Ok(result) = acknowledged.try_recv() {
                return result;
            }
        }
        Err(KafkaError::MessageProduction(RDKafkaErrorCode::MessageTimedOut))
    }

    fn headers(&self, record: &TopicRecord, refusal: &Refusal) -> OwnedHeaders {
        let mut headers = OwnedHeaders::new();
        let mut attempt = 1;
        for (key, value) in record.headers.iter() {
            if key == "assay-attempt" {
                let text = value.and_then(|value| std::str::from_utf8(value).ok());
                attempt = text.and_then(|text| text.parse::<u32>().ok()).unwrap_or(attempt);
            } else if !key.starts_with("__connect.errors.") && key != "assay-timestamp" {
                headers = headers.insert(Header { key, value });
            }
        }
        let message: String = refusal.message.chars().take(MAX_MESSAGE_CHARS).collect();
        let mut added = vec![
            ("__connect.errors.topic", self.receipts.clone()),
            ("__connect.errors.partition", record.partition.to_string()),
            ("__connect.errors.offset", record.offset.to_string()),
            ("__connect.errors.exception.class.name", refusal.code.to_owned()),
            ("__connect.errors.exception.message", message),
            ("assay-attempt", attempt.to_string()),
        ];
        if let Some(timestamp) = record.timestamp {
            added.push(("assay-timestamp", timestamp.to_string()));
        }
        for (key, value) in &added {
            headers = headers.insert(Header {
                key,
                value: Some(value),
            });
        }
        headers
    }
}

impl Rejections for DeadLetters {
    fn reject(&self, record: &TopicRecord, refusal: &Refusal) -> Result<(), String> {
        let sent = match self.send(record, record.value.as_deref(), refusal) {
            Err(error) if is_too_large(&error) => {
                // The topic takes smaller records than the receipts topic. The letter then says where the value lies.
                let bytes = record.value.as_ref().map_or(0, Vec::len);
                let stub = Refusal {
                    code: refusal.code,
                    message: format!("{} (the value, {bytes} bytes, is too large for this topic)", refusal.message),
                };
                self.send(record, None, &stub)
            }
            sent => sent,
        };
        sent.map_err(|error| error.to_string())
    }
}

fn is_too_large(error: &KafkaError) -> bool {
    error.rdkafka_error_code() == Some(RDKafkaErrorCode::MessageSizeTooLarge)
}

impl Drop for DeadLetters {
    fn drop(&mut self) {
        // Letters that nobody waits for need not go out.
        self.producer
            .purge(rdkafka::producer::PurgeConfig::default().queue().inflight());
    }
}
