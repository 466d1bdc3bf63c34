//! What lies in the dead-letter topic.

use std::time::{Duration, Instant};

use rdkafka::message::{BorrowedMessage, Headers, Message};

use super::DeadLetterError;
use super::letter;
use crate::kafka::{KafkaSettings, Start, TopicReader};

/// One dead letter, without the record that it keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLetter {
    /// Where the letter lies.
    pub partition: i32,
    /// Where the letter lies.
    pub offset: i64,
    /// The topic that the record stood in.
    pub source_topic: String,
    /// Its partition, as the header writes it.
    pub source_partition: String,
    /// Its offset, as the header writes it.
    pub source_offset: String,
    /// The error's code.
    pub code: String,
    /// The error in words.
    pub message: String,
    /// How often the record was tried.
    pub attempt: u32,
    /// Bytes of the record's value; none for a tombstone.
    pub value_bytes: Option<usize>,
}

/// How long nothing may come before the end.
pub(super) const SILENCE: Duration = Duration::from_secs(30);

/// Gives every letter that was in the topic when the call began, and only those.
///
/// # Errors
/// The cluster cannot be used, or the taker fails.
pub fn list(
    kafka: &KafkaSettings,
    topic: &str,
    mut take: impl FnMut(ListedLetter) -> std::io::Result<()>,
) -> Result<(), DeadLetterError> {
    let reader = TopicReader::open(kafka, "assay-dlq", "assay-dlq-list", topic, Start::First)?;
    let mut heard = Instant::now();
    while !reader.is_at_end() {
        match reader.poll(Duration::from_millis(200)) {
            None if heard.elapsed() > SILENCE => return Err(DeadLetterError::Silence(SILENCE.as_secs())),
            None => {}
            Some(Err(error)) => tracing::warn!("dead letters: {error}"),
            Some(Ok(message)) => {
                heard = Instant::now();
                let end = reader.ends.get(&message.partition());
                if end.is_some_and(|end| message.offset() < *end) {
                    take(listed(&message)).map_err(DeadLetterError::Write)?;
                }
            }
        }
    }
    Ok(())
}

fn listed(message: &BorrowedMessage<'_>) -> ListedLetter {
    let text = |name: &str| {
        let value = header(message, name).unwrap_or_default();
        String::from_utf8_lossy(&value).into_owned()
    };
    ListedLetter {
        partition: message.partition(),
        offset: message.offset(),
        source_topic: text(letter::TOPIC),
        source_partition: text(letter::PARTITION),
        source_offset: text(letter::OFFSET),
        code: text(letter::CODE),
        message: text(letter::MESSAGE),
        attempt: letter::attempts(header(message, letter::ATTEMPT).as_deref()),
        value_bytes: message.payload().map(<[u8]>::len),
    }
}

/// The last header of that name.
pub(super) fn header(message: &BorrowedMessage<'_>, name: &str) -> Option<Vec<u8>> {
    let headers = message.headers()?;
    let found = headers.iter().filter(|header| header.key == name).last()?;
    found.value.map(<[u8]>::to_vec)
}
