//! Why a stream ended though nobody told it to.

use crate::kafka::ConnectError;

use super::contracts::ContractError;

/// Why a stream ended. What is committed is whole; the next process goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The cluster, a topic or a setting of the connection cannot be used.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A contract cannot be used.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// The worker threads cannot be started.
    #[error("the worker threads cannot be started")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// Another process has the same instance name.
    #[error(
        "another process took over the instance {0}: no two may have the same name; give each its own with --instance, or none"
    )]
    Fenced(String),
    /// The client library cannot go on; a new process can.
    #[error("the Kafka client cannot go on, and a new process has to: {0}")]
    Fatal(String),
    /// What was under way could not be committed in time; the next process answers it again.
    #[error("what was under way could not be committed within drain-seconds; the next process takes it up")]
    NotDrained,
}
