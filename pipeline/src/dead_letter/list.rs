//! What lies in the dead-letter topic.

use rdkafka::message::{BorrowedMessage, Message};

use super::{DeadLetterError, each_letter, letter};
use crate::kafka::{KafkaSettings, Start, TopicReader, last_header};

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
    each_letter(&reader, |message| {
        take(listed(message)).map_err(DeadLetterError::Write)
    })
}

fn listed(message: &BorrowedMessage<'_>) -> ListedLetter {
    let text = |name: &str| {
        let value = last_header(message, name).unwrap_or_default();
        String::from_utf8_lossy(value).into_owned()
    };
    ListedLetter {
        partition: message.partition(),
        offset: message.offset(),
        source_topic: text(letter::TOPIC),
        source_partition: text(letter::PARTITION),
        source_offset: text(letter::OFFSET),
        code: text(letter::CODE),
        message: text(letter::MESSAGE),
        attempt: letter::attempts(last_header(message, letter::ATTEMPT)),
        value_bytes: message.payload().map(<[u8]>::len),
    }
}
