//! What travels from the consumer to the workers: a batch of records over one buffer, with the offsets that it stands for.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use rdkafka::message::{BorrowedMessage, Headers, Message, Timestamp};

use super::ownership::Lease;

/// One partition of one topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Partition {
    pub(crate) topic: Arc<str>,
    pub(crate) number: i32,
}

/// The records of one partition in a batch, as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) partition: Partition,
    /// Under which ownership they were read.
    pub(crate) lease: Lease,
    /// The offset to go on from: the last one seen, plus one. Offsets have gaps, so it is never counted.
    pub(crate) next_offset: i64,
    pub(crate) records: usize,
}

/// A stretch of a batch's bytes.
type Stretch = Range<u32>;

/// One record. An absent key or value differs from an empty one.
#[derive(Debug)]
pub(crate) struct Record {
    /// Its span among the batch's.
    pub(crate) span: u32,
    pub(crate) offset: i64,
    /// Milliseconds since the start of 1970, if the record has a time.
    pub(crate) timestamp: Option<i64>,
    key: Option<Stretch>,
    value: Option<Stretch>,
    headers: Vec<(Stretch, Option<Stretch>)>,
}

/// Consecutive records of some partitions.
#[derive(Debug)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    pub(crate) records: Vec<Record>,
    pub(crate) spans: Vec<Span>,
    pub(crate) opened: Instant,
}

/// Bytes that a record takes beyond its own.
const RECORD_OVERHEAD_BYTES: usize = 128;

impl Batch {
    pub(crate) fn new() -> Batch {
        Batch {
            bytes: Vec::new(),
            records: Vec::new(),
            spans: Vec::new(),
            opened: Instant::now(),
        }
    }

    /// What it takes of the budget.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + self.records.len() * RECORD_OVERHEAD_BYTES
    }

    /// Copies a message; the copy lets librdkafka free its own. Gives the bytes that it takes.
    pub(crate) fn push(
        &mut self,
        partition: &Partition,
        lease: Lease,
        message: &BorrowedMessage<'_>,
    ) -> usize {
        let before = self.size();
        if self.records.is_empty() {
            self.opened = Instant::now();
        }
        let known = self
            .spans
            .iter()
            .position(|span| span.lease == lease && span.partition == *partition);
        let index = known.unwrap_or_else(|| {
            self.spans.push(Span {
                partition: partition.clone(),
                lease,
                next_offset: 0,
                records: 0,
            });
            self.spans.len() - 1
        });
        let span = &mut self.spans[index];
        span.next_offset = message.offset() + 1;
        span.records += 1;
        let key = message.key().map(|key| self.copy(key));
        let value = message.payload().map(|value| self.copy(value));
        let headers = message.headers().map_or_else(Vec::new, |headers| {
            let copied = headers.iter().map(|header| {
                let name = self.copy(header.key.as_bytes());
                (name, header.value.map(|value| self.copy(value)))
            });
            copied.collect()
        });
        let timestamp = match message.timestamp() {
            Timestamp::NotAvailable => None,
            Timestamp::CreateTime(at) | Timestamp::LogAppendTime(at) => Some(at),
        };
        self.records.push(Record {
            span: index as u32,
            offset: message.offset(),
            timestamp,
            key,
            value,
            headers,
        });
        self.size() - before
    }

    fn copy(&mut self, bytes: &[u8]) -> Stretch {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len() as u32
    }

    fn bytes(&self, stretch: &Stretch) -> &[u8] {
        &self.bytes[stretch.start as usize..stretch.end as usize]
    }

    pub(crate) fn key(&self, record: &Record) -> Option<&[u8]> {
        record.key.as_ref().map(|key| self.bytes(key))
    }

    pub(crate) fn value(&self, record: &Record) -> Option<&[u8]> {
        record.value.as_ref().map(|value| self.bytes(value))
    }

    /// The headers in their order; a name may occur several times.
    pub(crate) fn headers<'b>(
        &'b self,
        record: &'b Record,
    ) -> impl Iterator<Item = (&'b str, Option<&'b [u8]>)> {
        record.headers.iter().map(|(name, value)| {
            // The names were texts when they were copied.
            let name = std::str::from_utf8(self.bytes(name)).unwrap_or_default();
            (name, value.as_ref().map(|value| self.bytes(value)))
        })
    }

    /// The last header of that name, which counts when there are several.
    pub(crate) fn header<'b>(&'b self, record: &'b Record, name: &str) -> Option<Option<&'b [u8]>> {
        self.headers(record)
            .filter(|(known, _)| *known == name)
            .last()
            .map(|(_, value)| value)
    }

    pub(crate) fn span(&self, record: &Record) -> &Span {
        &self.spans[record.span as usize]
    }
}
