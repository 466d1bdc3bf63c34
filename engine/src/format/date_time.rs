//! Dates and times of day, RFC 3339 section 5.6.

/// Minutes in a day.
const DAY_MINUTES: i32 = 24 * 60;

/// The bytes of a `full-date`: `YYYY-MM-DD`.
const DATE_BYTES: usize = 10;

/// Whether `text` is a `date-time`. The letters `T` and `Z` may be in lower case, as the note to the grammar says.
pub(super) fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.as_bytes().split_at_checked(DATE_BYTES) else {
        return false;
    };
    match rest {
        [b'T' | b't', time @ ..] => is_full_date(date) && is_full_time(time),
        _ => false,
    }
}

/// Whether `text` is a `full-date`.
pub(super) fn is_date(text: &str) -> bool {
    is_full_date(text.as_bytes())
}

/// Whether `text` is a `full-time`.
pub(super) fn is_time(text: &str) -> bool {
    is_full_time(text.as_bytes())
}

fn is_full_date(bytes: &[u8]) -> bool {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = bytes else {
        return false;
    };
    let (Some(century), Some(year_of_century), Some(month), Some(day)) = (
        two_digits(y1, y2),
        two_digits(y3, y4),
        two_digits(m1, m2),
        two_digits(d1, d2),
    ) else {
        return false;
    };
    day >= 1 && day <= days_in_month(century * 100 + year_of_century, month)
}

/// The days of a month of the proleptic Gregorian calendar; 0 where there is no such month.
fn days_in_month(year: i32, month: i32) -> i32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 0,
    }
}

fn is_full_time(bytes: &[u8]) -> bool {
    let &[h1, h2, b':', m1, m2, b':', s1, s2, ref rest @ ..] = bytes else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) =
        (two_digits(h1, h2), two_digits(m1, m2), two_digits(s1, s2))
    else {
        return false;
    };
    let Some(offset_minutes) = after_fraction(rest).and_then(offset) else {
        return false;
    };
    if hour > 23 || minute > 59 {
        return false;
    }
    // A leap second is the last of a day of UTC (section 5.7). Which days have one is announced only half a year
    // ahead, so no day is refused.
    let utc_minute = (hour * 60 + minute - offset_minutes).rem_euclid(DAY_MINUTES);
    second <= 59 || (second == 60 && utc_minute == DAY_MINUTES - 1)
}

/// What follows a `time-secfrac` that is optional; None where its full stop has no digit.
fn after_fraction(bytes: &[u8]) -> Option<&[u8]> {
    let [b'.', fraction @ ..] = bytes else {
        return Some(bytes);
    };
    let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { None } else { fraction.get(digits..) }
}

/// The minutes by which a `time-offset` that is all of `bytes` is ahead of UTC.
fn offset(bytes: &[u8]) -> Option<i32> {
    match *bytes {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two_digits(h1, h2)?, two_digits(m1, m2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let ahead = hours * 60 + minutes;
            Some(if sign == b'-' { -ahead } else { ahead })
        }
        _ => None,
    }
}

fn two_digits(tens: u8, ones: u8) -> Option<i32> {
    if tens.is_ascii_digit() && ones.is_ascii_digit() {
        Some(i32::from(tens - b'0') * 10 + i32::from(ones - b'0'))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn date_times() {
        check(
            Format::DateTime,
            &[
                "2024-02-29T23:59:59Z",
                "2024-02-29t23:59:59z",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999999999999999999999+23:59",
                "1985-04-12T23:20:50.52Z",
                "1996-12-19T16:39:57-08:00",
                "2016-12-31T23:59:60Z",
                "2016-12-31T23:59:60.9z",
                "2017-01-01T08:59:60+09:00",
                "2016-12-31T16:29:60-07:30",
                "2020-06-15T10:00:00-00:00",
            ],
            &[
                "",
                "2024-02-29",
                "2024-02-29T",
                "2024-02-29 23:59:59Z",
                "2024-02-29_23:59:59Z",
                "2024-02-29T23:59:59",
                "2024-02-29T23:59Z",
                "2024-02-29T23Z",
                "2023-02-29T23:59:59Z",
                "1990-02-31T15:59:59Z",
                "2024-01-01T24:00:00Z",
                "2024-01-01T23:60:00Z",
                "2024-01-01T23:59:61Z",
                "2024-01-01T12:00:60Z",
                "2016-12-31T23:59:60+09:00",
                "2017-01-01T24:59:60+01:00",
                "2024-01-01T00:00:00+24:00",
                "2024-01-01T00:00:00+23:60",
                "2024-01-01T00:00:00+2300",
                "2024-01-01T00:00:00+23",
                "2024-01-01T00:00:00\u{2212}08:00",
                "2024-01-01T00:00:00.Z",
                "2024-01-01T00:00:00,5Z",
                "2024-01-01T00:00:00.5.5Z",
                "2024-01-01T00:00:00 Z",
                "2024-01-01T00:00:00UTC",
                "2024-01-01T00:00:00Z+00:00",
                "24-01-01T00:00:00Z",
                "+2024-01-01T00:00:00Z",
                "12024-01-01T00:00:00Z",
                "2024-1-01T00:00:00Z",
                "20240101T000000Z",
                "2024-W01-1T00:00:00Z",
                "２０２４-01-01T00:00:00Z",
                "2024-01-01T0\u{661}:00:00Z",
            ],
        );
    }

    #[test]
    fn dates() {
        check(
            Format::Date,
            &[
                "2024-02-29",
                "2000-02-29",
                "0000-02-29",
                "0001-01-01",
                "9999-12-31",
                "1582-10-10",
            ],
            &[
                "",
                "1900-02-29",
                "2100-02-29",
                "2023-02-29",
                "2024-00-10",
                "2024-13-10",
                "2024-10-00",
                "2024-04-31",
                "2024-1-1",
                "2024/01/01",
                "20240101",
                "2024-01",
                "2024-001",
                "2024-01-01T00:00:00Z",
                "2024-01-01Z",
                "-024-01-01",
                "2024--1-01",
                "2024-01-\u{661}",
                "\u{661}024-01-01",
            ],
        );
    }

    #[test]
    fn times() {
        check(
            Format::Time,
            &[
                "00:00:00Z",
                "23:59:59.000000001z",
                "23:59:60Z",
                "23:59:60-00:00",
                "00:00:60+00:01",
                "23:58:60-00:01",
                "12:30:00+05:45",
            ],
            &[
                "",
                "00:00:00",
                "00:00Z",
                "24:00:00Z",
                "12:60:00Z",
                "12:00:61Z",
                "23:59:60+00:01",
                "00:00:60Z",
                "1:00:00Z",
                "01:00:00 Z",
                "01:00:00+5:45",
                "01:00:00+05:45:00",
                "01:00:00*05:45",
                "T01:00:00Z",
                "2024-01-01T01:00:00Z",
            ],
        );
    }

    #[test]
    fn every_year_has_its_days() {
        for (year, days) in [
            ("1900", 365),
            ("2000", 366),
            ("2023", 365),
            ("2024", 366),
            ("2100", 365),
            ("2400", 366),
        ] {
            let valid = (0..100)
                .flat_map(|month| (0..100).map(move |day| format!("{year}-{month:02}-{day:02}")))
                .filter(|date| Format::Date.is_valid(date))
                .count();
            assert_eq!(valid, days, "days of {year}");
        }
    }

    #[test]
    fn every_day_has_its_seconds() {
        let mut valid = 0;
        for hour in 0..100 {
            for minute in 0..100 {
                for second in 0..100 {
                    let time = format!("{hour:02}:{minute:02}:{second:02}Z");
                    valid += u32::from(Format::Time.is_valid(&time));
                }
            }
        }
        assert_eq!(
            valid,
            24 * 60 * 60 + 1,
            "the seconds of a day and its leap second"
        );
    }

    #[test]
    fn every_offset_has_one_leap_second() {
        for sign in ['+', '-'] {
            for ahead in 0..24 * 60 {
                let offset = format!("{sign}{:02}:{:02}", ahead / 60, ahead % 60);
                let leaps: Vec<i32> = (0..24 * 60)
                    .filter(|at| Format::Time.is_valid(&format!("{:02}:{:02}:60{offset}", at / 60, at % 60)))
                    .collect();
                let local: i32 = if sign == '+' {
                    23 * 60 + 59 + ahead
                } else {
                    23 * 60 + 59 - ahead
                };
                assert_eq!(leaps, [local.rem_euclid(24 * 60)], "offset {offset}");
            }
        }
    }
}
