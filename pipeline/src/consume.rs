//! Follows a topic of receipts.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rdkafka::message::Message;

use crate::kafka::{ConnectError, KafkaSettings, Start, TopicReader, last_header};

/// Why following ended.
#[derive(Debug, thiserror::Error)]
pub enum ConsumeError {
    /// The cluster cannot be used.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The taker fails.
    #[error("the receipts cannot be written out")]
    Write(#[source] io::Error),
}

/// A record of the topic, as its taker sees it.
#[derive(Clone, Copy, Debug)]
pub struct Followed<'m> {
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
    /// Its value; none for a tombstone.
    pub value: Option<&'m [u8]>,
    /// `checks` of its headers: passed and total of the schema's checks, and of integrity.
    pub checks: Option<&'m str>,
}

/// What is followed.
#[derive(Clone, Debug)]
pub struct FollowOptions {
    /// The topic.
    pub topic: String,
    /// From the first record on, not only new ones.
    pub from_start: bool,
    /// Ends when nothing came for so long.
    pub until_idle: Option<Duration>,
}

/// Gives each committed record to the taker until told to stop, or until nothing came for long enough.
///
/// # Errors
/// The cluster cannot be used, or the taker fails.
pub fn follow(
    kafka: &KafkaSettings,
    options: &FollowOptions,
    stop: &AtomicBool,
    mut take: impl FnMut(Followed<'_>) -> io::Result<()>,
) -> Result<(), ConsumeError> {
    let start = if options.from_start {
        Start::First
    } else {
        Start::End
    };
    let reader = TopicReader::open(kafka, "assay-consume", "assay-consume", &options.topic, start)?;
    let mut heard = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        match reader.poll(Duration::from_millis(100)) {
            None => {
                let is_idle = options.until_idle.is_some_and(|limit| heard.elapsed() >= limit);
                // What was there at the start is given whatever the time it takes to come.
                if is_idle && reader.is_at_end() {
                    return Ok(());
                }
            }
            Some(Err(error)) => tracing::warn!("receipts: {error}"),
            Some(Ok(message)) => {
                heard = Instant::now();
                let checks = last_header(&message, "checks");
                let followed = Followed {
                    partition: message.partition(),
                    offset: message.offset(),
                    value: message.payload(),
                    checks: checks.and_then(|checks| std::str::from_utf8(checks).ok()),
                };
                take(followed).map_err(ConsumeError::Write)?;
            }
        }
    }
    Ok(())
}
