//! Dead letters of the receipts topic: the record as it came, with headers that say where from and why not.
//!
//! The headers are those of Kafka Connect, as protocol section 9 has them, and `assay-attempt` and `assay-timestamp`, by
//! which a letter can be sent again.

use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _, ProducerContext};

use super::record::{Letter, TopicRecord};
use super::storer::Rejections;
use crate::dead_letter::letter::{self, Cause};

/// How long a letter may take to be acknowledged before it is sent anew.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// The client reports on its own within the timeout; this is for when it does not.
const SLACK: Duration = Duration::from_secs(5);

/// Kibibytes of letters that wait to be sent.
const QUEUE_KBYTES: &str = "65536";

/// Bytes of a letter: the largest record that a receipts topic may have, and the headers that are added.
const MAX_LETTER_BYTES: usize = 64 * 1024 * 1024;

/// Characters of the message in a letter's header.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// What became of a letter, by its place among those that were sent together.
type Acknowledged = (usize, Result<(), KafkaError>);

/// Tells whoever waits that a letter was acknowledged.
struct Acknowledge;

impl ClientContext for Acknowledge {}

impl ProducerContext for Acknowledge {
    type DeliveryOpaque = Box<(usize, Sender<Acknowledged>)>;

    fn delivery(&self, result: &DeliveryResult<'_>, waiting: Self::DeliveryOpaque) {
        let result = match result {
            Ok(_) => Ok(()),
            Err((error, _)) => Err(error.clone()),
        };
        let (place, waiting) = *waiting;
        // Whoever waits no longer sends the letter anew.
        let _gone = waiting.send((place, result)).is_err();
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
            .set("linger.ms", "5")
            .set("queue.buffering.max.kbytes", QUEUE_KBYTES)
            .set("allow.auto.create.topics", "false");
        Ok(DeadLetters {
            producer: config.create_with_context(Acknowledge)?,
            topic: topic.to_owned(),
            receipts: receipts.to_owned(),
        })
    }

    /// Sends letters and waits until it is known what became of each.
    fn send(
        &self,
        letters: &[(usize, Letter<'_>)],
        with_value: bool,
        results: &mut [Result<(), KafkaError>],
    ) {
        let timed_out = || Err(KafkaError::MessageProduction(RDKafkaErrorCode::MessageTimedOut));
        let (waiting, acknowledged) = unbounded();
        let until = Instant::now() + DELIVERY_TIMEOUT + SLACK;
        let mut open = 0;
        for (place, letter) in letters {
            results[*place] = timed_out();
            match self.enqueue(*place, letter, with_value, &waiting, until) {
                Ok(()) => open += 1,
                Err(error) => results[*place] = Err(error),
            }
        }
        while open > 0 && Instant::now() < until {
            self.producer.poll(Duration::from_millis(20));
            while let Ok((place, result)) = acknowledged.try_recv() {
                results[place] = result;
                open -= 1;
            }
        }
    }

    fn enqueue(
        &self,
        place: usize,
        (record, refusal): &Letter<'_>,
        with_value: bool,
        waiting: &Sender<Acknowledged>,
        until: Instant,
    ) -> Result<(), KafkaError> {
        let opaque = Box::new((place, waiting.clone()));
        let mut letter: BaseRecord<'_, [u8], [u8], _> =
            BaseRecord::with_opaque_to(&self.topic, opaque).headers(self.headers(record, refusal));
        if let Some(key) = &record.key {
            letter = letter.key(key);
        }
        if let Some(value) = record.value.as_ref().filter(|_| with_value) {
            letter = letter.payload(value);
        }
        if let Some(timestamp) = record.timestamp {
            letter = letter.timestamp(timestamp);
        }
        loop {
            let Err((error, again)) = self.producer.send(letter) else {
                return Ok(());
            };
            let is_full = error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull);
            if !is_full || Instant::now() >= until {
                return Err(error);
            }
            letter = again;
            self.producer.poll(Duration::from_millis(20));
        }
    }

    fn headers(&self, record: &TopicRecord, refusal: &Cause) -> OwnedHeaders {
        let mut headers = OwnedHeaders::new();
        let mut attempt = 1;
        for (key, value) in record.headers.iter() {
            if key == letter::ATTEMPT {
                attempt = letter::attempts(value).max(1);
            } else if !letter::is_about_the_letter(key) {
                headers = headers.insert(Header { key, value });
            }
        }
        let message: String = refusal.message.chars().take(MAX_MESSAGE_CHARS).collect();
        let mut added = vec![
            (letter::TOPIC, self.receipts.clone()),
            (letter::PARTITION, record.partition.to_string()),
            (letter::OFFSET, record.offset.to_string()),
            (letter::CODE, refusal.code.to_owned()),
            (letter::MESSAGE, message),
            (letter::ATTEMPT, attempt.to_string()),
        ];
        if let Some(timestamp) = record.timestamp {
            added.push((letter::TIMESTAMP, timestamp.to_string()));
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
    fn reject(&self, letters: &[Letter<'_>]) -> Vec<Result<(), String>> {
        let mut results = vec![Ok(()); letters.len()];
        let all: Vec<(usize, Letter<'_>)> = letters.iter().copied().enumerate().collect();
        self.send(&all, true, &mut results);
        // A topic may take smaller records than the receipts topic. The letter then says where the value lies.
        let too_large = |result: &Result<(), KafkaError>| result.as_ref().is_err_and(is_too_large);
        let places: Vec<usize> = (0..results.len())
            .filter(|place| too_large(&results[*place]))
            .collect();
        let stubs: Vec<Cause> = places.iter().map(|place| stub(&letters[*place])).collect();
        let smaller: Vec<(usize, Letter<'_>)> = places
            .iter()
            .zip(&stubs)
            .map(|(place, stub)| (*place, (letters[*place].0, stub)))
            .collect();
        self.send(&smaller, false, &mut results);
        results
            .into_iter()
            .map(|result| result.map_err(|error| error.to_string()))
            .collect()
    }
}

/// The refusal of a letter that is sent without its value.
fn stub((record, refusal): &Letter<'_>) -> Cause {
    let bytes = record.value.as_ref().map_or(0, Vec::len);
    let message = format!(
        "{} (the value, {bytes} bytes, is too large for this topic)",
        refusal.message
    );
    Cause::new(refusal.code, message)
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
