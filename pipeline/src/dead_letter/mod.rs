//! Records that could not be checked: how they are kept, looked at, and sent again.

pub mod letter;
mod list;
mod replay;

use std::time::{Duration, Instant};

use rdkafka::message::{BorrowedMessage, Message};

use crate::kafka::TopicReader;

pub use list::{ListedLetter, list};
pub use replay::{ReplayOptions, ReplaySummary, replay};

/// Why the dead letters could not be handled.
#[derive(Debug, thiserror::Error)]
pub enum DeadLetterError {
    /// The cluster cannot be used.
    #[error(transparent)]
    Connect(#[from] crate::kafka::ConnectError),
    /// Sending again failed; nothing of the group under way was sent.
    #[error("the dead letters cannot be sent again; what was not committed is sent by the next replay")]
    Send(#[source] rdkafka::error::KafkaError),
    /// Nothing came for too long.
    #[error("the topic gave nothing for {0} seconds though its end was not reached")]
    Silence(u64),
    /// The output does not take more.
    #[error("the letters cannot be written out")]
    Write(#[source] std::io::Error),
}

/// How long nothing may come before the end.
const SILENCE: Duration = Duration::from_secs(30);

/// Gives every letter that was in the topic when the reader was opened, and only those: a letter that fails again would be
/// read for ever.
fn each_letter(
    reader: &TopicReader,
    mut take: impl FnMut(&BorrowedMessage<'_>) -> Result<(), DeadLetterError>,
) -> Result<(), DeadLetterError> {
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
                    take(&message)?;
                }
            }
        }
    }
    Ok(())
}
