//! The canonical form of RFC 8785 (JCS), written straight from the parsed value.
//!
//! Integers written without fraction or exponent keep all their digits; every other number prints as ECMAScript prints
//! the double (protocol, section 5).

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::number::Number;
use super::tape::{Value, View};

/// Appends the canonical form of `value`.
pub fn write_canonical(value: Value<'_>, out: &mut Vec<u8>) {
    match value.view() {
        View::Null => out.extend_from_slice(b"null"),
        View::Bool(true) => out.extend_from_slice(b"true"),
        View::Bool(false) => out.extend_from_slice(b"false"),
        View::Number(number) => write_number(number, out),
        View::String(text) => write_canonical_string(text, out),
        View::Array(elements) => {
            out.push(b'[');
            for (index, element) in elements.enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_canonical(element, out);
            }
            out.push(b']');
        }
        View::Object(members) => {
            let mut sorted: SmallVec<[(&str, Value<'_>); 16]> = members.map(|m| (m.key, m.value)).collect();
            if !sorted.is_sorted_by(|a, b| compare_keys(a.0, b.0) == Ordering::Less) {
                sorted.sort_unstable_by(|a, b| compare_keys(a.0, b.0));
            }
            out.push(b'{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_canonical_string(key, out);
                out.push(b':');
                write_canonical(member, out);
            }
            out.push(b'}');
        }
    }
}

/// Compares keys by their UTF-16 code units (RFC 8785, section 3.2.3).
///
/// UTF-8 bytes sort by code point, which differs in one thing: characters past the basic plane are written with
/// surrogates in UTF-16, and these sort before U+E000 to U+FFFF.
pub(crate) fn compare_keys(a: &str, b: &str) -> Ordering {
    /// The first byte of U+E000 in UTF-8.
    const PRIVATE_USE_LEAD: u8 = 0xee;
    /// The first byte of the characters past the basic plane.
    const SUPPLEMENTARY_LEAD: u8 = 0xf0;
    for (x, y) in a.bytes().zip(b.bytes()) {
        if x != y {
            return if x >= PRIVATE_USE_LEAD && y >= PRIVATE_USE_LEAD {
                match (x >= SUPPLEMENTARY_LEAD, y >= SUPPLEMENTARY_LEAD) {
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                    _ => x.cmp(&y),
                }
            } else {
                x.cmp(&y)
            };
        }
    }
    a.len().cmp(&b.len())
}

fn write_number(number: Number<'_>, out: &mut Vec<u8>) {
    match number {
        Number::Integer(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Number::Unsigned(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Number::Big(digits) => out.extend_from_slice(digits.as_bytes()),
        Number::Float(value) => out.extend_from_slice(ryu_js::Buffer::new().format(value).as_bytes()),
    }
}

/// Appends the canonical form of a string, quotes included (RFC 8785, section 3.2.2.2).
pub fn write_canonical_string(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut written = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if !NEEDS_ESCAPE[*byte as usize] {
            continue;
        }
        out.extend_from_slice(&bytes[written..at]);
        written = at + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x09 => out.extend_from_slice(b"\\t"),
            0x0a => out.extend_from_slice(b"\\n"),
            0x0c => out.extend_from_slice(b"\\f"),
            0x0d => out.extend_from_slice(b"\\r"),
            control => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.extend_from_slice(b"\\u00");
                out.push(HEX[(control >> 4) as usize]);
                out.push(HEX[(control & 0xf) as usize]);
            }
        }
    }
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}

const NEEDS_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_by_utf16_code_units() {
        let mut keys = [
            "\u{ff01}",
            "\u{1f600}",
            "a",
            "",
            "\u{e000}",
            "\u{d7ff}",
            "\u{10ffff}",
            "ab",
            "é",
        ];
        keys.sort_by(|a, b| compare_keys(a, b));
        let mut by_units = keys;
        by_units.sort_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
        assert_eq!(keys, by_units);
        assert_eq!(
            keys,
            [
                "",
                "a",
                "ab",
                "é",
                "\u{d7ff}",
                "\u{1f600}",
                "\u{10ffff}",
                "\u{e000}",
                "\u{ff01}"
            ]
        );
    }

    #[test]
    fn strings_escape_what_the_rfc_says_and_nothing_else() {
        let mut out = Vec::new();
        write_canonical_string("\u{0}\u{8}\t\n\u{c}\r\u{1f}\"\\/\u{7f}é\u{2028}😀", &mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "\"\\u0000\\b\\t\\n\\f\\r\\u001f\\\"\\\\/\u{7f}é\u{2028}😀\""
        );
    }
}
