//! How far a run has come, to be watched from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a run; reading them disturbs nothing.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Bytes of the inputs, as stored, that the source has read.
    pub(crate) bytes_read: Arc<AtomicU64>,
    /// Bytes of the inputs whose answers are written.
    pub(crate) bytes_done: Arc<AtomicU64>,
    /// Answers written.
    pub(crate) answers: Arc<AtomicU64>,
}

impl Progress {
    /// Bytes of the inputs, as stored, whose answers are written.
    pub fn bytes_done(&self) -> u64 {
        self.bytes_done.load(Ordering::Relaxed)
    }

    /// Answers written.
    pub fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }
}
