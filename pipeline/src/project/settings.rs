//! What a projector is asked to do.

use std::time::Duration;

/// What a projector is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSettings {
    /// The consumer group; several projectors of one group share the partitions.
    pub group: String,
    /// The topic with the receipts.
    pub receipts: String,
    /// The topic for what cannot be stored.
    pub dead_letters: String,
    /// Receipts after which a batch is stored. Large ones are cheaper for the server.
    pub batch_rows: usize,
    /// Bytes of receipts after which a batch is stored. Three times as much may be in memory, each byte about twice.
    pub batch_bytes: usize,
    /// How long the first receipt of a batch waits for others.
    pub batch_age: Duration,
    /// How long the work under way may take once the projector is told to stop.
    pub drain: Duration,
    /// Ends the projector when there was nothing to do for so long; for scripts and tests.
    pub until_idle: Option<Duration>,
}

impl Default for ProjectSettings {
    fn default() -> ProjectSettings {
        ProjectSettings {
            group: "assay-projector".to_owned(),
            receipts: "receipts".to_owned(),
            dead_letters: "dead-letters".to_owned(),
            batch_rows: 50_000,
            batch_bytes: 32 * 1024 * 1024,
            batch_age: Duration::from_secs(1),
            drain: Duration::from_secs(10),
            until_idle: None,
        }
    }
}

/// Batches that may be in memory at once: one that is collected, one that is stored, one that is read or waits.
pub(super) const BATCHES_IN_MEMORY: usize = 3;

/// Threads that read and store batches: while one waits for the server, the other reads.
pub(super) const STORERS: usize = 2;
