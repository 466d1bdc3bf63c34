//! URI templates, RFC 6570.

use super::chars::{self, AsciiSet};

/// `literals` of section 2.1 in ASCII, with the apostrophe that erratum 6937 adds, and without the percent sign.
static LITERALS: AsciiSet = AsciiSet::alphanumeric_and(b"!#$&'()*+,-./:;=?@[]_~");

/// `varchar` of section 2.3, without the percent sign.
static VARCHAR: AsciiSet = AsciiSet::alphanumeric_and(b"_");

/// The most digits of a prefix's length, which is below 10000 (section 2.4.1).
const PREFIX_DIGITS_MAX: usize = 4;

/// Whether `text` is a `URI-Template`: literals, and expressions in braces. The operators that section 2.2 reserves
/// for extensions follow the grammar, so they are admitted.
pub(super) fn is_uri_template(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            b'{' => expression_bytes(bytes.get(at..).unwrap_or_default()),
            b'%' => chars::is_pct_encoded(bytes, at).then_some(3),
            _ if byte.is_ascii() => LITERALS.contains(byte).then_some(1),
            _ => text.get(at..).and_then(non_ascii_literal_bytes),
        };
        match length {
            Some(length) => at += length,
            None => return false,
        }
    }
    true
}

/// The bytes of the character that `rest` begins with, which is beyond ASCII; None where it is no literal.
fn non_ascii_literal_bytes(rest: &str) -> Option<usize> {
    let c = rest.chars().next()?;
    (chars::is_ucschar(c) || chars::is_iprivate(c)).then_some(c.len_utf8())
}

/// The bytes of the `expression` that `bytes` begins with, braces included.
fn expression_bytes(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    if bytes.get(at).is_some_and(|byte| b"+#./;?&=,!@|".contains(byte)) {
        at += 1;
    }
    loop {
        at = after_varspec(bytes, at)?;
        match bytes.get(at)? {
            b',' => at += 1,
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

/// Where the `varspec` that begins at `start` ends: a name, and optionally `*` or a prefix's length.
fn after_varspec(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = after_varname(bytes, start)?;
    match bytes.get(at) {
        Some(b'*') => Some(at + 1),
        Some(b':') => {
            at += 1;
            let digits = bytes
                .get(at..)?
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let leading_zero = bytes.get(at) == Some(&b'0');
            ((1..=PREFIX_DIGITS_MAX).contains(&digits) && !leading_zero).then_some(at + digits)
        }
        _ => Some(at),
    }
}

/// Where the `varname` that begins at `start` ends. A full stop stands only between two of its other characters.
fn after_varname(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let part = at;
        while let Some(&byte) = bytes.get(at) {
            if VARCHAR.contains(byte) {
                at += 1;
            } else if chars::is_pct_encoded(bytes, at) {
                at += 3;
            } else {
                break;
            }
        }
        if at == part {
            return None;
        }
        if bytes.get(at) != Some(&b'.') {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn uri_templates() {
        check(
            Format::UriTemplate,
            &[
                "",
                "http://example.com/~a/[b]@c!$&'()*+,;=:?#",
                "%41",
                "\u{e9}\u{e000}\u{1f600}",
                "{a}",
                "{a}{b}",
                "a{b}c",
                "{a_1.b%41.C}",
                "{%ff}",
                "{_}",
                "{9}",
                "{a,b,c}",
                "{a*,b:3,c}",
                "{a:9999}",
                "{+a}{#a}{.a}{/a}{;a}{?a}{&a}",
                "{=a}{,a}{!a}{@a}{|a}",
            ],
            &[
                "{",
                "}",
                "{}",
                "{a",
                "a}",
                "{a}}",
                "{{a}}",
                "{a{b}}",
                "{+}",
                "{++a}",
                "{$a}",
                "{-a}",
                "{a,}",
                "{a,,b}",
                "{a;b}",
                "{ a}",
                "{a }",
                "{a b}",
                "{a-b}",
                "{.}",
                "{..a}",
                "{a.}",
                "{a..b}",
                "{a%}",
                "{a%4}",
                "{%4g}",
                "{\u{e9}}",
                "{a:}",
                "{a:0}",
                "{a:01}",
                "{a:10000}",
                "{a:-1}",
                "{a:1*}",
                "{a*:1}",
                "{a**}",
                "{*}",
                "{:1}",
                "%",
                "%4",
                "%zz",
                "a b",
                "a\tb",
                "a\"b",
                "a<b>",
                "a\\b",
                "a^b",
                "a`b",
                "a|b",
                "a\u{7f}",
                "a\u{80}",
                "a\u{fdd0}",
                "a\u{ffff}",
            ],
        );
    }
}
