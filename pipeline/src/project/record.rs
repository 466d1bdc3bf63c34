//! A record of the receipts topic, and the row that it becomes.
//!
//! The value is the receipt as it goes over the wire. What a receipt need not say stands in headers: `counted-on`, the day
//! on which it counts; `request-hash` and `checks`, which a compact receipt lacks; `source-topic`, `source-partition` and
//! `source-offset`, where the request came from.

use std::sync::Arc;

use assay_engine::receipt::Receipt;
use assay_engine::time::Timestamp;
use assay_engine::verdict::Tally;
use assay_engine::wire::{Unsaid, WireReader, parse_digest};
use assay_ledger::clickhouse::{Origin, Place, ReceiptRow};
use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};

use crate::dead_letter::letter::Cause;

/// A record, in memory of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct TopicRecord {
    pub(super) partition: i32,
    pub(super) offset: i64,
    /// Milliseconds since 1970, when the record has a time.
    pub(super) timestamp: Option<i64>,
    pub(super) key: Option<Vec<u8>>,
    pub(super) value: Option<Vec<u8>>,
    pub(super) headers: RecordHeaders,
}

/// What a record takes beside its key, value and headers, in bytes; about.
const RECORD_OVERHEAD: usize = 256;

/// The headers of a record in one piece: there may be many records, each with many headers.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordHeaders(Vec<u8>);

impl RecordHeaders {
    /// What stands for the length of a header that is null.
    const NULL: u32 = u32::MAX;

    pub(super) fn push(&mut self, name: &str, value: Option<&[u8]>) {
        let len = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(RecordHeaders::NULL);
        self.0.extend_from_slice(&len(name.as_bytes()).to_le_bytes());
        self.0.extend_from_slice(name.as_bytes());
        self.0
            .extend_from_slice(&value.map_or(RecordHeaders::NULL, len).to_le_bytes());
        self.0.extend_from_slice(value.unwrap_or_default());
    }

    /// Name and value of each, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Option<&[u8]>)> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let name = take_counted(&mut rest)??;
            let value = take_counted(&mut rest)?;
            Some((std::str::from_utf8(name).unwrap_or_default(), value))
        })
    }
}

/// Takes what stands after its length: none at the end, and within, none for null.
fn take_counted<'b>(rest: &mut &'b [u8]) -> Option<Option<&'b [u8]>> {
    let (len, after) = rest.split_first_chunk::<4>()?;
    let len = u32::from_le_bytes(*len);
    if len == RecordHeaders::NULL {
        *rest = after;
        return Some(None);
    }
    let (taken, after) = after.split_at_checked(len as usize)?;
    *rest = after;
    Some(Some(taken))
}

/// A record that becomes a dead letter, and why.
pub(super) type Letter<'r> = (&'r TopicRecord, &'r Cause);

/// The code of a record that is no receipt.
const NOT_A_RECEIPT: &str = "not_a_receipt";

impl TopicRecord {
    pub(super) fn copy(message: &BorrowedMessage<'_>) -> TopicRecord {
        let mut headers = RecordHeaders::default();
        for header in message.headers().into_iter().flat_map(|headers| headers.iter()) {
            headers.push(header.key, header.value);
        }
        TopicRecord {
            partition: message.partition(),
            offset: message.offset(),
            timestamp: message.timestamp().to_millis(),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().map(<[u8]>::to_vec),
            headers,
        }
    }

    /// About how much memory it takes.
    pub(super) fn size(&self) -> usize {
        let len = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
        RECORD_OVERHEAD + len(&self.key) + len(&self.value) + self.headers.0.len()
    }

    /// The last header of that name, when it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().filter(|(known, _)| *known == name).last()?;
        std::str::from_utf8(value?).ok()
    }
}

/// Makes rows of records.
#[derive(Default)]
pub(super) struct RowReader {
    wire: WireReader,
    last_topic: Option<Arc<str>>,
}

impl RowReader {
    pub(super) fn read(&mut self, record: &TopicRecord) -> Result<ReceiptRow, Cause> {
        let refuse = |message: String| Cause::new(NOT_A_RECEIPT, message);
        let Some(value) = record.value.as_deref() else {
            return Err(refuse("the record has no value".to_owned()));
        };
        let unsaid = Unsaid {
            request_hash: record.header("request-hash").and_then(parse_digest),
            tallies: record.header("checks").and_then(parse_tallies),
        };
        let receipt = self
            .wire
            .read(value, &unsaid)
            .map_err(|error| refuse(with_causes(&error)))?;
        let day = match record.header("counted-on") {
            Some(text) => parse_day(text)
                .ok_or_else(|| refuse("the header counted-on is no day like 2026-10-01".to_owned()))?,
            None => day_without_header(&receipt, record.timestamp),
        };
        let place = Place {
            partition: record.partition,
            offset: record.offset,
        };
        Ok(ReceiptRow::new(
            &receipt,
            day,
            self.origin(record).as_ref(),
            Some(place),
        ))
    }

    /// Where the request came from, when all three headers tell it.
    fn origin(&mut self, record: &TopicRecord) -> Option<Origin> {
        let topic = record.header("source-topic")?;
        let partition = record.header("source-partition")?.parse().ok()?;
        let offset = record.header("source-offset")?.parse().ok()?;
        let topic = match &self.last_topic {
            Some(last) if &**last == topic => Arc::clone(last),
            _ => Arc::clone(self.last_topic.insert(topic.into())),
        };
        Some(Origin {
            topic,
            partition,
            offset,
        })
    }
}

/// The day of a receipt that somebody put into the topic without saying one: that of the record, as for every streamed
/// receipt, or of the verification when the record has no time.
fn day_without_header(receipt: &Receipt, timestamp: Option<i64>) -> i32 {
    match timestamp {
        Some(millis) => Timestamp::from_micros(millis.saturating_mul(1_000)).day(),
        None => receipt.response.verified_at.day(),
    }
}

/// Days since 1970-01-01 of a date like `2026-10-01`.
fn parse_day(text: &str) -> Option<i32> {
    /// The characters of such a date.
    const DATE_CHARS: usize = 10;
    if text.len() != DATE_CHARS {
        return None;
    }
    Some(Timestamp::parse(&format!("{text}T00:00:00Z"))?.day())
}

/// Two tallies like `22/22,7/8`: the schema's, then integrity's.
fn parse_tallies(text: &str) -> Option<[Tally; 2]> {
    let tally = |text: &str| {
        let (passed, total) = text.split_once('/')?;
        let tally = Tally {
            passed: passed.parse().ok()?,
            total: total.parse().ok()?,
        };
        (tally.passed <= tally.total && tally.total <= u64::MAX / 2).then_some(tally)
    };
    let (schema, integrity) = text.split_once(',')?;
    Some([tally(schema)?, tally(integrity)?])
}

/// An error with what is behind it, in one line.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        let mut headers = RecordHeaders::default();
        let given = [
            ("a", Some(&b"1"[..])),
            ("", Some(b"")),
            ("b", None),
            ("a", Some(b"\xff\x00")),
        ];
        for (name, value) in given {
            headers.push(name, value);
        }
        assert_eq!(headers.iter().collect::<Vec<_>>(), given);
    }

    #[test]
    fn days_are_dates() {
        assert_eq!(parse_day("1970-01-02"), Some(1));
        assert_eq!(parse_day("2026-10-01"), Some(20_727));
        assert_eq!(parse_day("0001-01-01"), Some(-719_162));
        for text in ["", "2026-10-1", "2026-13-01", "2026-10-01T", "26-10-01xx"] {
            assert_eq!(parse_day(text), None, "{text}");
        }
    }

    #[test]
    fn tallies_are_two_pairs() {
        let tally = |passed, total| Tally { passed, total };
        assert_eq!(parse_tallies("22/22,7/8"), Some([tally(22, 22), tally(7, 8)]));
        for text in ["", "1/1", "2/1,0/0", "1/1,-1/0", "1/1,1/1,1/1", "a/b,c/d"] {
            assert_eq!(parse_tallies(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_receipt_is_refused_by_name() {
        let mut reader = RowReader::default();
        for value in [
            None,
            Some(&b""[..]),
            Some(b"{}"),
            Some(b"\xff"),
            Some(b"[1]"),
            Some(b"null"),
        ] {
            let record = TopicRecord {
                value: value.map(<[u8]>::to_vec),
                ..TopicRecord::default()
            };
            assert_eq!(reader.read(&record).unwrap_err().code, NOT_A_RECEIPT);
        }
    }
}
