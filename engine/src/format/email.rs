//! Mail addresses, RFC 5321 section 4.1.2, and RFC 6531 section 3.3 for those beyond ASCII.

use super::chars::AsciiSet;
use super::{host, idn, ip};

/// `atext` of RFC 5322 section 3.2.3.
static ATEXT: AsciiSet = AsciiSet::alphanumeric_and(b"!#$%&'*+-/=?^_`{|}~");

/// The most octets of a local part (RFC 5321 section 4.5.3.1.1).
const LOCAL_PART_OCTETS_MAX: usize = 64;

/// The most octets of an address: a path has at most 256 with its angle brackets (RFC 5321 section 4.5.3.1.3).
const ADDRESS_OCTETS_MAX: usize = 254;

/// The tag of an IPv6 address literal; RFC 5321 registers no other.
const IPV6_TAG: &[u8] = b"IPv6:";

/// Whether `text` is a `Mailbox` of RFC 5321, with nothing around it: no display name, comment or white space.
pub(super) fn is_email(text: &str) -> bool {
    if text.len() > ADDRESS_OCTETS_MAX {
        return false;
    }
    match after_local_part(text.as_bytes(), |byte| ATEXT.contains(byte), is_qtext)
        .and_then(|at| text.get(at..))
    {
        Some(domain) => is_address_literal(domain) || host::is_hostname(domain),
        None => false,
    }
}

/// Whether `text` is a `Mailbox` of RFC 6531: one of RFC 5321, or one with characters beyond ASCII in its local part
/// or with a domain that is an internationalized name, in any case and normalization. The limit of the whole address
/// is left to its domain, which is shorter or longer in ASCII.
pub(super) fn is_idn_email(text: &str) -> bool {
    let is_utf8_atext = |byte: u8| ATEXT.contains(byte) || !byte.is_ascii();
    let is_utf8_qtext = |byte: u8| is_qtext(byte) || !byte.is_ascii();
    match after_local_part(text.as_bytes(), is_utf8_atext, is_utf8_qtext).and_then(|at| text.get(at..)) {
        Some(domain) => is_address_literal(domain) || idn::maps_to_idn_hostname(domain),
        None => false,
    }
}

/// Where the domain begins: after a `Local-part` and its `@`.
fn after_local_part(
    bytes: &[u8],
    is_atext: impl Fn(u8) -> bool,
    is_qtext: impl Fn(u8) -> bool,
) -> Option<usize> {
    let length = if bytes.first() == Some(&b'"') {
        quoted_string_octets(bytes, is_qtext)?
    } else {
        dot_string_octets(bytes, is_atext)?
    };
    (length <= LOCAL_PART_OCTETS_MAX && bytes.get(length) == Some(&b'@')).then_some(length + 1)
}

/// The octets of the `Dot-string` that `bytes` begins with: atoms between full stops.
fn dot_string_octets(bytes: &[u8], is_atext: impl Fn(u8) -> bool) -> Option<usize> {
    let mut length = 0;
    loop {
        let atom = bytes
            .get(length..)?
            .iter()
            .take_while(|&&byte| is_atext(byte))
            .count();
        if atom == 0 {
            return None;
        }
        length += atom;
        if bytes.get(length) != Some(&b'.') {
            return Some(length);
        }
        length += 1;
    }
}

/// The octets of the `Quoted-string` that `bytes` begins with, quotation marks included.
fn quoted_string_octets(bytes: &[u8], is_qtext: impl Fn(u8) -> bool) -> Option<usize> {
    let mut at = 1;
    loop {
        match *bytes.get(at..)? {
            [b'"', ..] => return Some(at + 1),
            [b'\\', b' '..=b'~', ..] => at += 2,
            [byte, ..] if is_qtext(byte) => at += 1,
            _ => return None,
        }
    }
}

/// `qtextSMTP`: what stands in a quoted string without a backslash.
fn is_qtext(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// Whether `domain` is an `address-literal`: an IP address in brackets.
fn is_address_literal(domain: &str) -> bool {
    let [b'[', address @ .., b']'] = domain.as_bytes() else {
        return false;
    };
    match address.split_at_checked(IPV6_TAG.len()) {
        Some((tag, ipv6)) if tag.eq_ignore_ascii_case(IPV6_TAG) => ip::is_ipv6(ipv6),
        _ => ip::is_ipv4(address),
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    /// Addresses that both formats refuse.
    const NEITHER: [&str; 40] = [
        "",
        "@",
        "a",
        "a@",
        "@b",
        "a@b@c",
        "a b@c",
        "a@b c",
        ".a@b",
        "a.@b",
        "a..b@c",
        "a@.b",
        "a@b.",
        "a@b..c",
        "a@-b",
        "a@b-",
        "a@b_c",
        "a@b,c",
        "a(comment)@b",
        "a@(comment)b",
        "<a@b>",
        "A <a@b>",
        "a@b, c@d",
        "mailto:a@b",
        "a\\@b@c",
        "\"a@b",
        "\"a\"b@c",
        "\"a\"\"b\"@c",
        "a\"b\"@c",
        "\"a\tb\"@c",
        "\"a\\\tb\"@c",
        "\"\\\"@b",
        "a@[192.0.2.256]",
        "a@[192.0.2.1",
        "a@192.0.2.1]",
        "a@[]",
        "a@[::1]",
        "a@[IPv6:]",
        "a@[IPv6:192.0.2.1]",
        "a@[x-tag:content]",
    ];

    /// Addresses that both formats admit.
    const BOTH: [&str; 16] = [
        "a@b",
        "first.last+tag@sub.example.com",
        "!#$%&'*+-/=?^_`{|}~@example.com",
        "1@1.example",
        "\"\"@b",
        "\" \"@b",
        "\"a@b\"@c",
        "\"a..b\"@c",
        "\"a\\\"b\\\\c\\ d\"@e",
        "\"(<>[]:;,)\"@a",
        "a@localhost",
        "A@EXAMPLE.COM",
        "a@xn--mnchen-3ya.example",
        "a@[192.0.2.1]",
        "a@[IPv6:2001:db8::1]",
        "a@[ipv6:::ffff:192.0.2.1]",
    ];

    /// Addresses that only the internationalized format admits.
    const INTERNATIONALIZED: [&str; 8] = [
        "\u{e9}@example.com",
        "a.\u{1f600}@example.com",
        "\"\u{e9} \u{85}\"@example.com",
        "a@m\u{fc}nchen.example",
        "a@M\u{dc}NCHEN.example",
        "a@mu\u{308}nchen.example",
        "a@\u{4f8b}\u{3048}\u{3002}\u{30c6}\u{30b9}\u{30c8}",
        "\u{645}@\u{645}\u{62b}\u{627}\u{644}.\u{625}\u{62e}\u{62a}\u{628}\u{627}\u{631}",
    ];

    #[test]
    fn emails() {
        let longest_local_part = "a".repeat(64);
        let longest = format!("a@{0}.{0}.{0}.{1}", "b".repeat(63), "c".repeat(60));
        assert_eq!(longest.len(), 254);
        let too_long = [
            format!("{longest_local_part}a@b"),
            format!("{longest}c"),
            format!("a@{}", "b".repeat(64)),
        ];
        let mut valid = BOTH.to_vec();
        let longest_local_part = format!("{longest_local_part}@b");
        valid.extend([longest_local_part.as_str(), longest.as_str()]);
        let mut invalid = [&NEITHER[..], &INTERNATIONALIZED[..]].concat();
        invalid.extend(too_long.iter().map(String::as_str));
        check(Format::Email, &valid, &invalid);
    }

    #[test]
    fn idn_emails() {
        let too_long = [
            format!("{}a@b", "\u{e9}".repeat(32)),
            format!("a@{}", "\u{fc}".repeat(58)),
        ];
        let longest = format!("{}@{}", "\u{e9}".repeat(32), "\u{fc}".repeat(57));
        let mut valid = [&BOTH[..], &INTERNATIONALIZED[..]].concat();
        valid.push(&longest);
        let mut invalid = NEITHER.to_vec();
        invalid.extend([
            "a\u{ff20}b",
            "\"\\\u{e9}\"@b",
            "a@\u{2603}.example",
            "a@\u{fc}_b",
            "a@xn--\u{fc}",
        ]);
        invalid.extend(too_long.iter().map(String::as_str));
        check(Format::IdnEmail, &valid, &invalid);
    }
}
