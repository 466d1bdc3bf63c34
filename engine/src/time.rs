//! Instants as receipts carry them. The engine never asks for the time: it is given.

use jiff::tz::Offset;

/// An instant in microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// Microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;

impl Timestamp {
    /// The instant that many microseconds after the start of 1970, UTC; held to what RFC 3339 can write:
    /// the year 0001 to the end of 9999, less the last day, on which some places are in the year after.
    pub fn from_micros(micros: i64) -> Timestamp {
        const YEAR_1: i64 = -62_135_596_800_000_000;
        let end = jiff::Timestamp::MAX.as_second() * 1_000_000;
        Timestamp(micros.clamp(YEAR_1, end - 1))
    }

    /// Microseconds since the start of 1970, UTC.
    pub fn micros(self) -> i64 {
        self.0
    }

    /// The UTC day: days since 1970-01-01.
    pub fn day(self) -> i32 {
        self.0.div_euclid(DAY_MICROS) as i32
    }

    /// Reads RFC 3339.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let instant: jiff::Timestamp = text.parse().ok()?;
        Some(Timestamp::from_micros(instant.as_microsecond()))
    }
}

/// RFC 3339 with six decimals and `+00:00` (protocol, section 4).
impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = Vec::with_capacity(32);
        write_timestamp(*self, &mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// Appends the instant as RFC 3339 with six decimals and `+00:00` (protocol, section 4).
pub(crate) fn write_timestamp(timestamp: Timestamp, out: &mut Vec<u8>) {
    let instant = jiff::Timestamp::from_microsecond(timestamp.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let civil = Offset::UTC.to_datetime(instant);
    // The first separator is not written.
    let parts = [
        (b'-', i32::from(civil.year()), 4),
        (b'-', i32::from(civil.month()), 2),
        (b'-', i32::from(civil.day()), 2),
        (b'T', i32::from(civil.hour()), 2),
        (b':', i32::from(civil.minute()), 2),
        (b':', i32::from(civil.second()), 2),
        (b'.', civil.subsec_nanosecond() / 1_000, 6),
    ];
    for (index, (separator, value, width)) in parts.into_iter().enumerate() {
        if index > 0 {
            out.push(separator);
        }
        for place in (0..width).rev() {
            out.push(b'0' + (value / 10i32.pow(place) % 10) as u8);
        }
    }
    out.extend_from_slice(b"+00:00");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_six_decimals_and_a_numeric_offset() {
        let at = Timestamp::from_micros(1_790_816_469_606_993);
        assert_eq!(at.to_string(), "2026-10-01T01:01:09.606993+00:00");
        assert_eq!(Timestamp::parse("2026-10-01T01:01:09.606993+00:00"), Some(at));
        assert_eq!(
            Timestamp::from_micros(0).to_string(),
            "1970-01-01T00:00:00.000000+00:00"
        );
        assert_eq!(
            Timestamp::from_micros(-1).to_string(),
            "1969-12-31T23:59:59.999999+00:00"
        );
        assert_eq!(Timestamp::from_micros(-1).day(), -1);
        assert_eq!(
            Timestamp::from_micros(i64::MAX).to_string(),
            "9999-12-30T21:59:59.999999+00:00"
        );
        assert_eq!(
            Timestamp::from_micros(i64::MIN).to_string(),
            "0001-01-01T00:00:00.000000+00:00"
        );
    }
}
