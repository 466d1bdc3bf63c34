//! Storing a batch: as one insert that is repeated until it is acknowledged, whatever happens on the way.
//!
//! - The server or the way to it is not well: the same rows under the same token, again and again, ever more slowly.
//! - An operator has to act: the same, with an alarm. Nothing is dropped and no offset moves.
//! - A row is refused: the batch is halved until that row stands alone, which becomes a dead letter; the others are
//!   stored. When row after row is refused, no row is at fault, and an operator has to act.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use assay_ledger::clickhouse::{ClickHouse, ClickHouseError, FaultClass, ReceiptRow, batch_token};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::backoff::Backoff;
use super::batch::Batch;
use super::monitor::Monitor;
use super::record::{Letter, RowReader, with_causes};
use crate::dead_letter::letter::Cause;

/// Rows that may be refused one after another before it is taken for a fault of the table.
const MAX_REFUSED_IN_A_ROW: u32 = 10;

/// How long a wait may overlook that the work was called off.
const WAIT_SLICE: Duration = Duration::from_millis(50);

/// The code of a row that the server refuses.
const REFUSED_BY_STORE: &str = "refused_by_store";

/// Where rows are stored.
pub(super) trait Sink: Sync {
    /// Whether the tables are as they have to be.
    fn check(&self) -> Result<(), ClickHouseError>;
    /// Stores rows by one insert.
    fn insert(&self, rows: &[ReceiptRow], token: &str) -> Result<(), ClickHouseError>;
}

impl Sink for ClickHouse {
    fn check(&self) -> Result<(), ClickHouseError> {
        self.check_schema()
    }

    fn insert(&self, rows: &[ReceiptRow], token: &str) -> Result<(), ClickHouseError> {
        ClickHouse::insert(self, rows, token)
    }
}

/// Where records go that cannot be stored.
pub(super) trait Rejections: Sync {
    /// Returns when it is known of each record whether it is safe there; the text says why it is not.
    fn reject(&self, letters: &[Letter<'_>]) -> Vec<Result<(), String>>;
}

/// How fast batches may follow each other: slower while the server cannot merge what it has.
#[derive(Debug)]
pub(super) struct Pace(AtomicU32);

impl Default for Pace {
    fn default() -> Pace {
        Pace(AtomicU32::new(1))
    }
}

impl Pace {
    /// How many times as old as usual a batch may become.
    pub(super) fn factor(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    fn slow_down(&self) {
        const MAX_FACTOR: u32 = 32;
        self.0
            .store((self.factor() * 2).min(MAX_FACTOR), Ordering::Relaxed);
    }

    fn speed_up(&self) {
        self.0
            .store((self.factor() - self.factor() / 4).max(1), Ordering::Relaxed);
    }
}

/// How a batch came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Each of its records is stored or a dead letter.
    Done,
    /// It was called off; nobody knows what of it is stored.
    CalledOff,
}

/// How one insert came to its end.
enum Stored {
    Yes,
    Refused(String),
    CalledOff,
}

/// Stores batches.
pub(super) struct Storer<'p> {
    pub(super) sink: &'p dyn Sink,
    pub(super) rejections: &'p dyn Rejections,
    pub(super) monitor: &'p Monitor,
    pub(super) pace: &'p Pace,
    /// Set when all work is to be left as it is.
    pub(super) abandon: &'p AtomicBool,
    pub(super) is_checked: bool,
    pub(super) refused_in_a_row: u32,
}

impl Storer<'_> {
    /// Brings every record of a batch to its end.
    pub(super) fn store(&mut self, batch: &Batch) -> Outcome {
        let read: Vec<Result<ReceiptRow, Cause>> = batch
            .records
            .par_iter()
            .map_init(RowReader::default, |reader, record| reader.read(record))
            .collect();
        let mut rows = Vec::with_capacity(read.len());
        let mut places = Vec::with_capacity(read.len());
        let mut letters = Vec::new();
        for (place, row) in read.iter().enumerate() {
            if let Err(refusal) = row {
                letters.push((&batch.records[place], refusal));
            }
        }
        if self.reject(batch, letters) == Outcome::CalledOff {
            return Outcome::CalledOff;
        }
        for (place, row) in read.into_iter().enumerate() {
            if let Ok(row) = row {
                rows.push(row);
                places.push(place);
            }
        }
        self.store_rows(batch, &rows, &places)
    }

    fn store_rows(&mut self, batch: &Batch, rows: &[ReceiptRow], places: &[usize]) -> Outcome {
        let mut backoff = Backoff::new(batch.number ^ u64::from(std::process::id()) << 32);
        // What is left to store, the next part last.
        let whole = 0..rows.len();
        let mut parts = Vec::from([whole]);
        while let Some(part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            match self.insert(batch, &rows[part.clone()], &mut backoff) {
                Stored::Yes => self.refused_in_a_row = 0,
                Stored::CalledOff => return Outcome::CalledOff,
                Stored::Refused(_) if part.len() > 1 => {
                    let middle = part.start + part.len() / 2;
                    parts.push(middle..part.end);
                    parts.push(part.start..middle);
                }
                Stored::Refused(reason) if self.refused_in_a_row >= MAX_REFUSED_IN_A_ROW => {
                    self.monitor.hold(&format!(
                        "every row is refused, so the table is taken to be at fault: {reason}"
                    ));
                    if !self.wait(batch, backoff.configuration()) {
                        return Outcome::CalledOff;
                    }
                    parts.push(part);
                }
                Stored::Refused(message) => {
                    self.refused_in_a_row += 1;
                    let refusal = Cause::new(REFUSED_BY_STORE, message);
                    let record = &batch.records[places[part.start]];
                    if self.reject(batch, vec![(record, &refusal)]) == Outcome::CalledOff {
                        return Outcome::CalledOff;
                    }
                }
            }
        }
        Outcome::Done
    }

    /// Inserts rows until they are acknowledged or a row of them is refused.
    fn insert(&mut self, batch: &Batch, rows: &[ReceiptRow], backoff: &mut Backoff) -> Stored {
        let token = batch_token(rows);
        let mut refusals = 0;
        loop {
            if self.is_called_off(batch) {
                return Stored::CalledOff;
            }
            let began = Instant::now();
            let Err(error) = self.attempt(rows, &token) else {
                self.monitor.note_stored(rows.len(), began.elapsed());
                self.pace.speed_up();
                return Stored::Yes;
            };
            let class = error.class();
            let reason = with_causes(&error);
            self.monitor.note_failure(class, &reason);
            let wait = match class {
                FaultClass::Data => {
                    refusals += 1;
                    // The first time the table may have been altered meanwhile.
                    if refusals > 1 {
                        return Stored::Refused(reason);
                    }
                    Duration::ZERO
                }
                FaultClass::Transient => {
                    if error.is_too_many_parts() {
                        self.pace.slow_down();
                    }
                    backoff.transient()
                }
                FaultClass::Configuration => {
                    self.is_checked = false;
                    self.monitor.hold(&reason);
                    backoff.configuration()
                }
            };
            if !self.wait(batch, wait) {
                return Stored::CalledOff;
            }
        }
    }

    fn attempt(&mut self, rows: &[ReceiptRow], token: &str) -> Result<(), ClickHouseError> {
        if !self.is_checked {
            self.sink.check()?;
            self.is_checked = true;
        }
        self.sink.insert(rows, token)
    }

    /// Makes records dead letters; until each is safe there, the batch is not done.
    fn reject(&self, batch: &Batch, mut letters: Vec<Letter<'_>>) -> Outcome {
        let mut backoff = Backoff::new(batch.number);
        while !letters.is_empty() {
            if self.is_called_off(batch) {
                return Outcome::CalledOff;
            }
            let results = self.rejections.reject(&letters);
            let mut failure = None;
            let mut results = results.into_iter();
            let (safe, left) = letters
                .into_iter()
                .partition(|_| match results.next().unwrap_or(Ok(())) {
                    Ok(()) => true,
                    Err(reason) => {
                        failure = Some(reason);
                        false
                    }
                });
            let safe: Vec<Letter<'_>> = safe;
            self.monitor.note_dead_letters(&safe);
            letters = left;
            if let Some(reason) = failure {
                self.monitor
                    .hold(&format!("a dead letter cannot be written: {reason}"));
                if !self.wait(batch, backoff.transient()) {
                    return Outcome::CalledOff;
                }
            }
        }
        Outcome::Done
    }

    fn is_called_off(&self, batch: &Batch) -> bool {
        batch.is_void() || self.abandon.load(Ordering::Relaxed)
    }

    /// Waits; false when the work is called off meanwhile.
    fn wait(&self, batch: &Batch, wait: Duration) -> bool {
        let until = Instant::now() + wait;
        loop {
            if self.is_called_off(batch) {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(WAIT_SLICE));
        }
    }
}

#[cfg(test)]
mod tests;
