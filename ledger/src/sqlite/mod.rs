//! The embedded ledger: receipts in SQLite, many to a row.
//!
//! A receipt costs its signature some tens of microseconds, so keeping it must cost next to nothing. A row for each
//! receipt, with an index on random ids, was measured at five to twenty microseconds; therefore:
//!
//! - **Receipts lie in blocks** ([`block`]): a row holds up to 256 of them, column by column, each column one typed array.
//!   A block has everything that its receipts need and is never changed. Blocks are the truth; the rest is found from them.
//! - **An index entry stands for a range of ids** ([`ids`]), not for one, since ids of one series ascend.
//! - **Reputation is a log first** ([`history`]): each batch appends what it counts in one row, and some hundred batches
//!   are folded at once into rows by agent and day.
//!
//! One transaction writes a batch with all three, so they never disagree. Several processes may use a ledger at the same
//! time; each write reads what it builds on inside its transaction, and nothing is kept in memory between two.

mod open;

mod record;

mod block;
mod bytes;
mod dictionary;
mod violations;

mod history;
mod ids;
mod runs;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_engine::receipt::Receipt;
use assay_engine::score::{History, Reputation, has_history};
use assay_engine::time::Timestamp;
use rusqlite::Connection;
use uuid::Uuid;

use crate::LedgerError;
use crate::error::Fault;

pub use record::Entry;
pub use runs::Run;

use record::Recorder;

/// A ledger of receipts: a connection that writes and reads.
///
/// Reading never waits for another connection's writing. To read while one `Ledger` records, open a second one.
pub struct Ledger {
    connection: Connection,
    path: PathBuf,
    busy_timeout: Duration,
    recorder: Recorder,
}

impl Ledger {
    /// How long to wait for another connection that is writing. A batch takes milliseconds.
    pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

    /// Opens the ledger in the file, which is made when it isn't there; its folder must be.
    ///
    /// The check at opening is cheap: the head of the file, its length, and the root of every table. Damage elsewhere
    /// shows when it is read.
    ///
    /// # Errors
    /// [`LedgerError`], which says what to do.
    pub fn open(path: impl Into<PathBuf>) -> Result<Ledger, LedgerError> {
        Ledger::open_with_timeout(path, Ledger::BUSY_TIMEOUT)
    }

    /// As [`Ledger::open`], waiting for other connections no longer than `busy_timeout`, then and in every later call.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_with_timeout(
        path: impl Into<PathBuf>,
        busy_timeout: Duration,
    ) -> Result<Ledger, LedgerError> {
        let path = path.into();
        let connection = open::open(&path, busy_timeout)?;
        Ok(Ledger {
            connection,
            path,
            busy_timeout,
            recorder: Recorder::default(),
        })
    }

    /// Records receipts in one transaction: when this returns they are all on the disk; when it fails, none is there.
    ///
    /// A receipt whose id is already there, in the ledger or earlier in the batch, replaces the earlier one. Entries are
    /// receipts, counted on the day of `verified_at`, or [`Entry`]s, which name the day.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn record_batch<'r, E: Into<Entry<'r>>>(
        &mut self,
        batch: impl IntoIterator<Item = E>,
    ) -> Result<(), LedgerError> {
        let batch: Vec<Entry<'r>> = batch.into_iter().map(Into::into).collect();
        let recorded = self.recorder.record(&mut self.connection, &batch);
        recorded.map_err(|fault| self.explain(fault, "record receipts"))
    }

    /// The receipt with that id.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn receipt(&self, id: Uuid) -> Result<Option<Receipt>, LedgerError> {
        let read = || match ids::block_of(&self.connection, id.as_u128())? {
            Some(block) => block::read_receipt(&self.connection, block, id.as_u128()),
            None => Ok(None),
        };
        read().map_err(|fault| self.explain(fault, "read a receipt"))
    }

    /// How many receipts there are.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn len(&self) -> Result<u64, LedgerError> {
        match block::last(&self.connection) {
            Ok(last) => Ok(last.total),
            Err(fault) => Err(self.explain(fault, "count the receipts")),
        }
    }

    /// Whether there is no receipt.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn is_empty(&self) -> Result<bool, LedgerError> {
        Ok(self.len()? == 0)
    }

    /// What was counted for an agent up to a time, by the `verified_at` of the receipts.
    ///
    /// The time it takes grows with the receipts of this agent, some hundred nanoseconds each.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn history(&self, agent_id: &str, as_of: Timestamp) -> Result<History, LedgerError> {
        if !has_history(agent_id) {
            return Ok(History::default());
        }
        history::read(&self.connection, agent_id, as_of)
            .map_err(|fault| self.explain(fault, "read a history"))
    }

    /// The reputation of an agent at a time (protocol, section 6).
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn reputation(&self, agent_id: &str, as_of: Timestamp) -> Result<Reputation, LedgerError> {
        Ok(Reputation::compute(
            agent_id,
            &self.history(agent_id, as_of)?,
            as_of,
        ))
    }

    /// Notes that a run begins whose answers go to `output`, in the place of an earlier run with the same output.
    ///
    /// `output` is the canonical path; `inputs` tells what the run reads, for a later one to compare.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn begin_run(&mut self, output: &Path, inputs: &str, now: Timestamp) -> Result<Run, LedgerError> {
        runs::begin(&self.connection, output, inputs, now).map_err(|fault| self.explain(fault, "note a run"))
    }

    /// The latest run whose answers went to `output`.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn find_run(&self, output: &Path) -> Result<Option<Run>, LedgerError> {
        runs::find(&self.connection, output).map_err(|fault| self.explain(fault, "find a run"))
    }

    /// Notes that a run has come to its end.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn finish_run(&mut self, run: &Run, now: Timestamp) -> Result<(), LedgerError> {
        runs::finish(&self.connection, run, now).map_err(|fault| self.explain(fault, "note the end of a run"))
    }

    fn explain(&self, fault: Fault, operation: &'static str) -> LedgerError {
        fault.explain(&self.path, operation, self.busy_timeout.as_secs())
    }
}
