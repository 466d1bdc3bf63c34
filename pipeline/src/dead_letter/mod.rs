//! Records that could not be checked: how they are kept, looked at, and sent again.

pub mod letter;
mod list;
mod replay;

pub use list::{ListedLetter, list};
pub use replay::{ReplayOptions, ReplaySummary, replay};

/// Why the dead letters could not be handled.
#[derive(Debug, thiserror::Error)]
pub enum DeadLetterError {
    /// The cluster cannot be used.
    #[error(transparent)]
    Connect(#[from] crate::kafka::ConnectError),
    /// Reading stopped.
    #[error("the dead letters cannot be read")]
    Read(#[source] rdkafka::error::KafkaError),
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
