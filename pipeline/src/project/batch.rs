//! Collecting records into batches, over all partitions at once: fewer and larger inserts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::positions::Span;
use super::record::TopicRecord;

/// Records that are stored by one insert.
pub(super) struct Batch {
    pub(super) number: u64,
    pub(super) records: Vec<TopicRecord>,
    pub(super) spans: Vec<Span>,
    /// About how much memory the records take.
    pub(super) bytes: usize,
    /// Set when nobody waits for the batch any more.
    pub(super) is_void: Arc<AtomicBool>,
}

impl Batch {
    /// Whether nobody waits for it any more.
    pub(super) fn is_void(&self) -> bool {
        self.is_void.load(Ordering::Relaxed)
    }
}

/// Collects one batch after another.
pub(super) struct Collector {
    max_rows: usize,
    max_bytes: usize,
    records: Vec<TopicRecord>,
    spans: BTreeMap<i32, Span>,
    bytes: usize,
    opened: Option<Instant>,
    batches: u64,
}

impl Collector {
    pub(super) fn new(max_rows: usize, max_bytes: usize) -> Collector {
        Collector {
            max_rows: max_rows.max(1),
            max_bytes,
            records: Vec::new(),
            spans: BTreeMap::new(),
            bytes: 0,
            opened: None,
            batches: 0,
        }
    }

    pub(super) fn push(&mut self, record: TopicRecord, epoch: u64, now: Instant) {
        let span = Span {
            partition: record.partition,
            epoch,
            next: record.offset + 1,
        };
        self.spans.insert(record.partition, span);
        self.bytes += record.size();
        self.records.push(record);
        self.opened.get_or_insert(now);
    }

    /// Drops what is collected of a partition that has gone.
    pub(super) fn drop_partition(&mut self, partition: i32) {
        if self.spans.remove(&partition).is_some() {
            self.records.retain(|record| record.partition != partition);
            self.bytes = self.records.iter().map(TopicRecord::size).sum();
        }
        if self.records.is_empty() {
            self.opened = None;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.records.len() >= self.max_rows || self.bytes >= self.max_bytes
    }

    /// Whether the batch should wait no longer.
    pub(super) fn is_due(&self, now: Instant, max_age: Duration) -> bool {
        let is_old = |opened: Instant| now.saturating_duration_since(opened) >= max_age;
        self.is_full() || self.opened.is_some_and(is_old)
    }

    /// Closes the batch.
    pub(super) fn take(&mut self) -> Batch {
        self.batches += 1;
        self.opened = None;
        Batch {
            number: self.batches,
            records: std::mem::take(&mut self.records),
            spans: std::mem::take(&mut self.spans).into_values().collect(),
            bytes: std::mem::take(&mut self.bytes),
            is_void: Arc::default(),
        }
    }
}
