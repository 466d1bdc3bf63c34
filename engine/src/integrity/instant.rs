//! Dates and date-times of ISO 8601, compared as instants.
//!
//! Read are `2026-10-01` and `2026-10-01T08:30[:15[.25]]` with `Z`, an offset (`+02:00`, `+0200`, `+02`) or nothing; a
//! space or `t` may stand for the `T` and a comma for the decimal point. A date is its start in UTC, and a date-time
//! without an offset is read in UTC too, so that both kinds of value lie on one line whatever the place of the verifier.
//! A leap second (`23:59:60` in UTC) is the instant after `23:59:59`.

/// An instant with any number of decimals of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant<'t> {
    /// Seconds on the proleptic Gregorian calendar in UTC. Only the order counts, so the zero is of no matter.
    second: i64,
    /// The decimals of the second without trailing zeros: as texts they have the order of their values.
    fraction: &'t str,
}

const SECONDS_PER_DAY: i64 = 86_400;

impl<'t> Instant<'t> {
    /// Reads a date or date-time.
    pub(super) fn parse(text: &'t str) -> Option<Instant<'t>> {
        let mut rest = Reader { text };
        let year = rest.digits(4)?;
        rest.literal("-")?;
        let month = rest.digits(2)?;
        rest.literal("-")?;
        let day = rest.digits(2)?;
        let start_of_day = days_before(year, month, day)? * SECONDS_PER_DAY;
        if rest.text.is_empty() {
            return Some(Instant {
                second: start_of_day,
                fraction: "",
            });
        }
        rest.one_of("Tt ")?;
        let hour = rest.digits(2)?;
        rest.literal(":")?;
        let minute = rest.digits(2)?;
        let mut second = 0;
        let mut fraction = "";
        if rest.literal(":").is_some() {
            second = rest.digits(2)?;
            if rest.one_of(".,").is_some() {
                fraction = rest.fraction()?;
            }
        }
        let offset = rest.offset()?;
        if !rest.text.is_empty() || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let start_of_minute = start_of_day + hour * 3_600 + minute * 60 - offset;
        let is_last_minute = start_of_minute.rem_euclid(SECONDS_PER_DAY) == SECONDS_PER_DAY - 60;
        if second == 60 && !is_last_minute {
            return None;
        }
        Some(Instant {
            second: start_of_minute + second,
            fraction,
        })
    }
}

/// Days from the start of the year 0 to a date; `None` for a date that is not on the calendar.
fn days_before(year: i64, month: i64, day: i64) -> Option<i64> {
    /// Days of a common year before each month.
    const BEFORE_MONTH: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month = usize::try_from(month).ok()?;
    let before = *BEFORE_MONTH.get(month.checked_sub(1)?)?;
    let length = BEFORE_MONTH.get(month)? - before + i64::from(is_leap && month == 2);
    if day < 1 || day > length {
        return None;
    }
    // The year 0 is a leap year, which the number of multiples of 4, 100 and 400 below a later year includes.
    let past = year - 1;
    let leap_days = past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400) + 1;
    let this_leap_day = i64::from(is_leap && month > 2);
    Some(year * 365 + leap_days + before + this_leap_day + day - 1)
}

/// The text that is still to be read.
struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn digits(&mut self, count: usize) -> Option<i64> {
        let digits = self.text.get(..count)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.text = &self.text[count..];
        digits.parse().ok()
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        self.text = self.text.strip_prefix(literal)?;
        Some(())
    }

    fn one_of(&mut self, characters: &str) -> Option<char> {
        let first = self.text.chars().next().filter(|c| characters.contains(*c))?;
        self.text = &self.text[first.len_utf8()..];
        Some(first)
    }

    fn fraction(&mut self) -> Option<&'t str> {
        let end = self
            .text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.text.len());
        let (digits, rest) = self.text.split_at(end);
        self.text = rest;
        (!digits.is_empty()).then(|| digits.trim_end_matches('0'))
    }

    /// The offset from UTC in seconds.
    fn offset(&mut self) -> Option<i64> {
        if self.text.is_empty() || self.one_of("Zz").is_some() {
            return Some(0);
        }
        let sign = if self.one_of("+-")? == '-' { -1 } else { 1 };
        let hours = self.digits(2)?;
        let mut minutes = 0;
        if !self.text.is_empty() {
            // The colon may be left out, as in the basic format.
            let _colon = self.literal(":");
            minutes = self.digits(2)?;
        }
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Instant<'_> {
        Instant::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn one_instant_has_many_forms() {
        let same = [
            "2026-10-01T00:00:00Z",
            "2026-10-01",
            "2026-10-01T00:00",
            "2026-10-01T00:00:00",
            "2026-10-01t00:00:00z",
            "2026-10-01 00:00:00.000",
            "2026-10-01T02:00:00+02:00",
            "2026-10-01T05:30+0530",
            "2026-09-30T14:00:00,0-10",
            "2026-09-30T23:59:60Z",
            "2026-10-01T01:59:60+02:00",
            "2026-10-01T00:00:00-00:00",
        ];
        for text in same {
            assert_eq!(read(text), read(same[0]), "{text}");
        }
    }

    #[test]
    fn instants_are_in_order() {
        let ascending = [
            "0000-01-01",
            "0000-02-29",
            "0001-01-01",
            "1899-12-31",
            "1900-02-28",
            "1900-03-01",
            "1999-12-31T23:59:59.999999999999999999Z",
            "2000-01-01",
            "2000-02-29",
            "2000-03-01",
            "2026-10-01T00:00:00.1",
            "2026-10-01T00:00:00.12",
            "2026-10-01T00:00:00.1200000000000001Z",
            "2026-10-01T00:00:00.2",
            "2026-10-01T01:00:00+00:59",
            "2026-10-01T23:59:59-01:00",
            "9999-12-31",
            "9999-12-31T23:59:59.9-23:59",
        ];
        for pair in ascending.windows(2) {
            assert!(read(pair[0]) < read(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_date() {
        let refused = [
            "",
            "2026",
            "2026-10",
            "2026-1-1",
            "20261001",
            "2026-W40-4",
            "2026-274",
            "26-10-01",
            "2026-00-01",
            "2026-13-01",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-10-00",
            "2026-10-01T",
            "2026-10-01Z",
            "2026-10-01T08",
            "2026-10-01T24:00:00Z",
            "2026-10-01T08:60",
            "2026-10-01T08:30:61",
            "2026-10-01T08:30:60Z",
            "2026-10-01T23:59:60+02:00",
            "2026-10-01T08:30:15.",
            "2026-10-01T08:30:15.Z",
            "2026-10-01T08:30.5",
            "2026-10-01T08:30:15+24:00",
            "2026-10-01T08:30:15+02:60",
            "2026-10-01T08:30:15+2",
            "2026-10-01T08:30:15+",
            "2026-10-01T08:30:15 Z",
            " 2026-10-01",
            "2026-10-01 ",
            "+002026-10-01",
            "2026-10-0１",
            "２026-10-01",
            "1 October 2026",
        ];
        for text in refused {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_calendar_library(
            a in -62_167_219_200i64..253_402_200_000,
            b in -62_167_219_200i64..253_402_200_000,
            nanos in prop::array::uniform2(0i32..1_000_000_000),
        ) {
            let (a, b) = (
                jiff::Timestamp::new(a, if a < 0 { 0 } else { nanos[0] }).unwrap(),
                jiff::Timestamp::new(b, if b < 0 { 0 } else { nanos[1] }).unwrap(),
            );
            let texts = (a.to_string(), b.to_string());
            prop_assert_eq!(read(&texts.0).cmp(&read(&texts.1)), a.cmp(&b));
            let seconds = read(&texts.0).second - read(&texts.1).second;
            let floor = |t: jiff::Timestamp| t.as_nanosecond().div_euclid(1_000_000_000);
            prop_assert_eq!(i128::from(seconds), floor(a) - floor(b));
        }

        #[test]
        fn no_text_makes_the_reader_fail(text in "([0-9T:+Z.-]|.){0,32}") {
            let _read = Instant::parse(&text);
        }
    }
}
