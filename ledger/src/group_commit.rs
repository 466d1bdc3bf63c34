//! Group commit: callers record one receipt each, a single writer records whatever has come together.
//!
//! A commit waits for the disk, some milliseconds; while it waits the next receipts queue up and share the next commit. The
//! queue is bounded, so a disk that is too slow is felt by the callers and not by the memory.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use assay_engine::receipt::Receipt;

use crate::{Entry, Ledger, LedgerError};

/// Receipts that may wait: what the slowest usual disk records in about a second.
const MAX_QUEUED: usize = 4_096;

/// Receipts of one commit. More would make the first of them wait longer and save next to nothing.
const MAX_GROUP: usize = 1_024;

/// Why a receipt was not recorded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordError {
    /// The disk cannot keep up. Answer that the service is overloaded, and let the caller come again.
    #[error("the ledger cannot keep up: {MAX_QUEUED} receipts are waiting; try again later")]
    Overloaded,
    /// The writer has ended.
    #[error("the ledger is closed")]
    Closed,
    /// The ledger failed; every receipt of the same commit gets this error.
    #[error("the receipt was not recorded")]
    Ledger(#[source] Arc<LedgerError>),
}

/// Called when it is certain whether a receipt is recorded.
type OnCommit = Box<dyn FnOnce(Result<(), RecordError>) + Send>;

struct Job {
    receipt: Arc<Receipt>,
    day: i32,
    on_commit: OnCommit,
}

/// A ledger that is written by a thread of its own, for any number of callers at once.
///
/// When it is dropped, the writer records what is queued and ends.
pub struct GroupCommit {
    // None only while it is dropped.
    jobs: Option<SyncSender<Job>>,
    writer: Option<JoinHandle<Ledger>>,
}

impl GroupCommit {
    /// Gives the ledger to a writer.
    ///
    /// # Errors
    /// That the system starts no thread.
    pub fn start(ledger: Ledger) -> std::io::Result<GroupCommit> {
        let (jobs, queue) = sync_channel(MAX_QUEUED);
        let writer = thread::Builder::new()
            .name("ledger-writer".to_owned())
            .spawn(|| write(ledger, queue))?;
        Ok(GroupCommit {
            jobs: Some(jobs),
            writer: Some(writer),
        })
    }

    /// Records a receipt, which counts on the day of `verified_at`, and returns when it is on the disk. While the queue is
    /// full it waits.
    ///
    /// # Errors
    /// [`RecordError`], but never `Overloaded`.
    pub fn record(&self, receipt: impl Into<Arc<Receipt>>) -> Result<(), RecordError> {
        let (done, result) = sync_channel(1);
        let on_commit = move |result| {
            // The caller is waiting below, so it takes the result.
            done.send(result).unwrap_or_default();
        };
        let jobs = self.jobs.as_ref().ok_or(RecordError::Closed)?;
        jobs.send(job(receipt.into(), Box::new(on_commit)))
            .map_err(|_| RecordError::Closed)?;
        result.recv().unwrap_or(Err(RecordError::Closed))
    }

    /// Queues a receipt without waiting; `on_commit` is called from the writer, and must not block or panic.
    ///
    /// # Errors
    /// [`RecordError::Overloaded`] when the queue is full, [`RecordError::Closed`]; `on_commit` is then not called.
    pub fn try_record(
        &self,
        receipt: impl Into<Arc<Receipt>>,
        on_commit: impl FnOnce(Result<(), RecordError>) + Send + 'static,
    ) -> Result<(), RecordError> {
        let jobs = self.jobs.as_ref().ok_or(RecordError::Closed)?;
        jobs.try_send(job(receipt.into(), Box::new(on_commit)))
            .map_err(|error| match error {
                TrySendError::Full(_) => RecordError::Overloaded,
                TrySendError::Disconnected(_) => RecordError::Closed,
            })
    }

    /// Waits until everything queued is recorded, and gives the ledger back.
    ///
    /// # Errors
    /// [`RecordError::Closed`] when the writer has panicked, which a panicking `on_commit` does to it.
    pub fn close(mut self) -> Result<Ledger, RecordError> {
        self.stop().unwrap_or(Err(RecordError::Closed))
    }

    fn stop(&mut self) -> Option<Result<Ledger, RecordError>> {
        drop(self.jobs.take());
        Some(self.writer.take()?.join().map_err(|_| RecordError::Closed))
    }
}

impl Drop for GroupCommit {
    fn drop(&mut self) {
        // A writer that has panicked has told its callers, who got `Closed`.
        drop(self.stop());
    }
}

fn job(receipt: Arc<Receipt>, on_commit: OnCommit) -> Job {
    Job {
        day: receipt.response.verified_at.day(),
        receipt,
        on_commit,
    }
}

/// The writer: takes what has come together, records it, tells the callers.
fn write(mut ledger: Ledger, queue: Receiver<Job>) -> Ledger {
    let mut group = Vec::new();
    while let Ok(first) = queue.recv() {
        group.push(first);
        group.extend(queue.try_iter().take(MAX_GROUP - 1));
        let entries = group.iter().map(|job| Entry {
            receipt: &job.receipt,
            day: job.day,
        });
        let result = ledger
            .record_batch(entries)
            .map_err(|error| RecordError::Ledger(Arc::new(error)));
        for job in group.drain(..) {
            (job.on_commit)(result.clone());
        }
    }
    ledger
}
