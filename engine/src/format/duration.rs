//! Durations, RFC 3339 appendix A.

/// The units of the date part, from the largest down.
const DATE_UNITS: [u8; 3] = *b"YMD";

/// The units of the time part, from the largest down.
const TIME_UNITS: [u8; 3] = *b"HMS";

/// Whether `text` is a `duration`. Its letters are strings of ABNF, which RFC 2234 section 2.3 has in either case.
pub(super) fn is_duration(text: &str) -> bool {
    let [b'P' | b'p', rest @ ..] = text.as_bytes() else {
        return false;
    };
    if let [b'T' | b't', time @ ..] = rest {
        return is_all_of_time(time);
    }
    if is_all_of_weeks(rest) {
        return true;
    }
    match after_components(rest, DATE_UNITS) {
        Some([]) => true,
        Some([b'T' | b't', time @ ..]) => is_all_of_time(time),
        _ => false,
    }
}

fn is_all_of_time(bytes: &[u8]) -> bool {
    after_components(bytes, TIME_UNITS).is_some_and(<[u8]>::is_empty)
}

fn is_all_of_weeks(bytes: &[u8]) -> bool {
    match bytes.split_last() {
        Some((b'W' | b'w', digits)) => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// What follows one or more components, each a number and one of `units`. None where there is no component, or
/// where one is not of the unit after that of the component before it: the grammar lets none be skipped within.
fn after_components(bytes: &[u8], units: [u8; 3]) -> Option<&[u8]> {
    let mut rest = bytes;
    let mut expected = None;
    loop {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return expected.map(|_| rest);
        }
        let letter = rest.get(digits)?.to_ascii_uppercase();
        let rank = units.iter().position(|&unit| unit == letter)?;
        if expected.is_some_and(|expected| expected != rank) {
            return None;
        }
        expected = Some(rank + 1);
        rest = rest.get(digits + 1..)?;
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn durations() {
        check(
            Format::Duration,
            &[
                "P1Y2M3DT4H5M6S",
                "P1Y2M",
                "P2M3D",
                "P3DT6S",
                "P1YT1M",
                "PT4H5M",
                "PT5M6S",
                "PT0S",
                "P52W",
                "P007D",
                "P99999999999999999999999999999999999999999D",
                "p1dt2h",
                "p3w",
            ],
            &[
                "",
                "P",
                "PT",
                "P1",
                "PT1",
                "P1DT",
                "1D",
                "PD",
                "PW",
                "P1S",
                "PT1D",
                "P1Y3D",
                "PT4H6S",
                "P3D2M",
                "P1D1D",
                "P1M1M",
                "PT1S1M",
                "P1W1D",
                "P1D1W",
                "P1WT1H",
                "P1.5D",
                "PT1,5S",
                "-P1D",
                "P-1D",
                "P+1D",
                "P 1D",
                "P1DT1HT1M",
                "PT1HP1D",
                "P\u{661}D",
                "P0001-02-03T04:05:06",
            ],
        );
    }
}
