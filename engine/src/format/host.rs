//! Host names, RFC 1123 section 2.1.

use super::chars::AsciiSet;
use super::idn;

/// The characters of a label.
static LETTERS_DIGITS_HYPHEN: AsciiSet = AsciiSet::alphanumeric_and(b"-");

/// The most octets of a label (RFC 1035 section 2.3.4).
pub(super) const LABEL_OCTETS_MAX: usize = 63;

/// The most octets of a name in text: 255 on the wire, less the length of the first label and the empty root label.
pub(super) const NAME_OCTETS_MAX: usize = 253;

/// What a label of ASCII letters, digits and hyphens is to IDNA (RFC 5890 section 2.3.1).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LdhLabel {
    /// It stands for itself.
    Plain,
    /// It begins with `xn--`, so it must stand for a U-label.
    ALabel,
}

impl LdhLabel {
    /// Reads a label: at most 63 letters, digits and hyphens, with no hyphen at either end.
    ///
    /// Two hyphens in the third and fourth place are left alone where the prefix is not `xn--`: RFC 5890 reserves
    /// such labels, but RFC 1123 admits them and they are in use.
    pub(super) fn read(label: &[u8]) -> Option<LdhLabel> {
        let (Some(&first), Some(&last)) = (label.first(), label.last()) else {
            return None;
        };
        if label.len() > LABEL_OCTETS_MAX || first == b'-' || last == b'-' {
            return None;
        }
        if !label.iter().all(|&byte| LETTERS_DIGITS_HYPHEN.contains(byte)) {
            return None;
        }
        match label {
            [b'x' | b'X', b'n' | b'N', b'-', b'-', ..] => Some(LdhLabel::ALabel),
            _ => Some(LdhLabel::Plain),
        }
    }
}

/// Whether `text` is a host name: labels between full stops, of 253 octets at most, without a full stop at the end.
/// A label that begins with `xn--` must be an A-label.
pub(super) fn is_hostname(text: &str) -> bool {
    match read_name(text) {
        Some(LdhLabel::Plain) => true,
        Some(LdhLabel::ALabel) => idn::is_internationalized_name(text),
        None => false,
    }
}

/// Reads a name: what all its labels are, or that there is an A-label among them.
fn read_name(text: &str) -> Option<LdhLabel> {
    if text.len() > NAME_OCTETS_MAX {
        return None;
    }
    let mut kind = LdhLabel::Plain;
    for label in text.as_bytes().split(|&byte| byte == b'.') {
        if LdhLabel::read(label)? == LdhLabel::ALabel {
            kind = LdhLabel::ALabel;
        }
    }
    Some(kind)
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn hostnames() {
        let longest_label = "a".repeat(63);
        let longest_name = format!("{0}.{0}.{0}.{1}", longest_label, "a".repeat(61));
        assert_eq!(longest_name.len(), 253);
        check(
            Format::Hostname,
            &[
                "a",
                "1",
                "localhost",
                "example.com",
                "EXAMPLE.Com",
                "3com.example",
                "a-b--c.d",
                "ab--cd.example",
                "123.456",
                "xn--mnchen-3ya.example",
                "XN--MNCHEN-3YA",
                "xn--zckzah",
                &longest_label,
                &longest_name,
            ],
            &[
                "",
                ".",
                ".a",
                "a.",
                "a..b",
                "-a",
                "a-",
                "a.-b",
                "a.b-.c",
                "a_b",
                "_dmarc.example.com",
                "*.example.com",
                "a b",
                "a/b",
                "a:80",
                "a@b",
                "[::1]",
                "m\u{fc}nchen.example",
                "a\u{3002}b",
                "\u{212a}",
                "xn--",
                "xn---",
                "xn--a",
                "xn--99999999",
                "xn--example-",
                "xn--mnchen-3ya-",
                "xn--abc-",
                // It decodes to a capital letter with a diaeresis, which no U-label holds.
                "xn--Mnchen-psa",
                // It decodes to a snowman, a symbol.
                "xn--n3h",
                &format!("{longest_label}a"),
                &format!("{longest_name}a"),
                &format!("{longest_name}.a"),
            ],
        );
    }
}
