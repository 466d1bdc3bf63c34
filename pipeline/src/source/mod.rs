//! The source: reads the inputs one after the other and cuts them into batches of records.

mod document;
mod lines;

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::input::{Input, Layout};
use crate::record::{Batch, Record, RecordText};
use document::DocumentSplitter;
use lines::LineSplitter;

/// Bytes of a batch after which it is closed: large enough to spread the cost of handing it over, small enough that all
/// batches under way together take some megabytes.
const BATCH_BYTES: usize = 128 * 1024;

/// Records of a batch after which it is closed.
const BATCH_RECORDS: usize = 512;

/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// An input that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name} cannot be read")]
pub struct ReadError {
    /// The input.
    pub name: String,
    /// Why.
    #[source]
    pub source: io::Error,
}

/// What a splitter finds in a stretch of input.
trait Splitter {
    /// Takes the next bytes and gives the records that end in them.
    fn push(&mut self, bytes: &[u8], out: &mut Found<'_>);
    /// The input has ended.
    fn finish(&mut self, out: &mut Found<'_>);
    /// Bytes of the batch's text that belong to a record not yet ended begin here.
    fn pending_from(&self) -> Option<usize>;
    /// The batch's text up to `pending_from` has been taken away.
    fn rebase(&mut self);
}

/// Where a splitter puts what it finds.
struct Found<'b> {
    text: &'b mut Vec<u8>,
    records: &'b mut Vec<(u64, RecordText)>,
}

pub(crate) struct Source {
    inputs: VecDeque<Input>,
    bytes_read: Arc<AtomicU64>,
    current: Option<Open>,
    max_record_bytes: usize,
    /// Records to pass over: they were answered before.
    skip: u64,
    next_number: u64,
    next_sequence: u64,
    chunk: Vec<u8>,
    carried: Vec<u8>,
}

struct Open {
    name: String,
    reader: Box<dyn Read + Send>,
    splitter: Box<dyn Splitter + Send>,
}

impl Source {
    pub(crate) fn new(
        inputs: Vec<Input>,
        max_record_bytes: usize,
        skip: u64,
        bytes_read: Arc<AtomicU64>,
    ) -> Source {
        Source {
            inputs: inputs.into(),
            bytes_read,
            current: None,
            max_record_bytes,
            skip,
            next_number: 0,
            next_sequence: 0,
            chunk: vec![0; CHUNK_BYTES],
            carried: Vec::new(),
        }
    }

    /// How many records there were to pass over, but were not found.
    pub(crate) fn unmet_skip(&self) -> u64 {
        self.skip.saturating_sub(self.next_number)
    }

    /// The next batch, `None` at the end of all inputs.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>, ReadError> {
        let mut batch = Batch {
            text: std::mem::take(&mut self.carried),
            ..Batch::default()
        };
        let mut found = Vec::new();
        loop {
            if self.current.is_none() && !self.open_next()? {
                break;
            }
            let Some(open) = &mut self.current else { break };
            let read = match open.reader.read(&mut self.chunk) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(ReadError {
                        name: open.name.clone(),
                        source,
                    });
                }
            };
            let mut out = Found {
                text: &mut batch.text,
                records: &mut found,
            };
            if read == 0 {
                open.splitter.finish(&mut out);
                self.current = None;
            } else {
                open.splitter.push(&self.chunk[..read], &mut out);
            }
            for (line, text) in found.drain(..) {
                if self.next_number >= self.skip {
                    batch.records.push(Record {
                        line,
                        number: self.next_number,
                        text,
                    });
                }
                self.next_number += 1;
            }
            if batch.records.is_empty() {
                // Nothing to hand over yet; what was passed over need not be kept.
                self.drop_finished(&mut batch.text);
            } else if batch.text.len() >= BATCH_BYTES || batch.records.len() >= BATCH_RECORDS {
                break;
            }
        }
        self.carry_pending(&mut batch.text);
        if batch.records.is_empty() {
            return Ok(None);
        }
        batch.sequence = self.next_sequence;
        self.next_sequence += 1;
        batch.bytes_read = self.bytes_read.load(Ordering::Relaxed);
        Ok(Some(batch))
    }

    fn open_next(&mut self) -> Result<bool, ReadError> {
        let Some(input) = self.inputs.pop_front() else {
            return Ok(false);
        };
        let name = input.name();
        let reader = input
            .open(Arc::clone(&self.bytes_read))
            .map_err(|source| ReadError {
                name: name.clone(),
                source,
            })?;
        let splitter: Box<dyn Splitter + Send> = match input.layout() {
            Layout::Lines => Box::new(LineSplitter::new(self.max_record_bytes)),
            Layout::Document => Box::new(DocumentSplitter::new(self.max_record_bytes)),
        };
        self.current = Some(Open {
            name,
            reader,
            splitter,
        });
        Ok(true)
    }

    fn drop_finished(&mut self, text: &mut Vec<u8>) {
        self.carry_pending(text);
        std::mem::swap(text, &mut self.carried);
        self.carried.clear();
    }

    /// Takes the text of a record that has not ended away from the batch, for the next one.
    fn carry_pending(&mut self, text: &mut Vec<u8>) {
        self.carried.clear();
        if let Some(open) = &mut self.current {
            let from = open.splitter.pending_from().unwrap_or(text.len());
            self.carried.extend_from_slice(&text[from..]);
            text.truncate(from);
            open.splitter.rebase();
        }
    }
}

#[cfg(test)]
mod tests;
