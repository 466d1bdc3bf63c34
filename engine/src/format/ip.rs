//! IP addresses in text: dotted decimal, and RFC 4291 section 2.2.

/// The most bytes that an IPv4 address takes: `255.255.255.255`.
const IPV4_BYTES_MAX: usize = 15;

/// The most bytes that an IPv6 address takes: six groups of four digits, and an IPv4 address.
const IPV6_BYTES_MAX: usize = 45;

/// The 16-bit groups of an IPv6 address.
const IPV6_GROUPS: usize = 8;

/// Whether `bytes` is four numbers up to 255 between full stops, none with a leading zero: some readers take a
/// number that has one as octal, so it has no one meaning.
pub(super) fn is_ipv4(bytes: &[u8]) -> bool {
    if bytes.len() > IPV4_BYTES_MAX {
        return false;
    }
    let mut octets = 0;
    for octet in bytes.split(|&byte| byte == b'.') {
        if !is_dec_octet(octet) {
            return false;
        }
        octets += 1;
    }
    octets == 4
}

/// `dec-octet` of RFC 3986 section 3.2.2.
fn is_dec_octet(bytes: &[u8]) -> bool {
    match *bytes {
        [ones] => ones.is_ascii_digit(),
        [b'1'..=b'9', ones] => ones.is_ascii_digit(),
        [b'1', tens, ones] => tens.is_ascii_digit() && ones.is_ascii_digit(),
        [b'2', b'0'..=b'4', ones] => ones.is_ascii_digit(),
        [b'2', b'5', b'0'..=b'5'] => true,
        _ => false,
    }
}

/// Whether `bytes` is an IPv6 address: eight groups of one to four hexadecimal digits between colons, where one `::`
/// may stand for one or more groups of zeros and the last two groups may be written as an IPv4 address.
pub(super) fn is_ipv6(bytes: &[u8]) -> bool {
    if bytes.len() > IPV6_BYTES_MAX {
        return false;
    }
    let mut rest = bytes;
    let mut groups = 0;
    let mut compressed = false;
    if let [b':', b':', after @ ..] = rest {
        if after.is_empty() {
            return true;
        }
        compressed = true;
        rest = after;
    }
    loop {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if rest.get(digits) == Some(&b'.') {
            if !is_ipv4(rest) {
                return false;
            }
            groups += 2;
            break;
        }
        if digits == 0 || digits > 4 {
            return false;
        }
        groups += 1;
        match rest.get(digits..) {
            Some([]) => break,
            Some([b':', b':', after @ ..]) if !compressed => {
                compressed = true;
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
            Some([b':', after @ ..]) => rest = after,
            _ => return false,
        }
    }
    if compressed {
        groups < IPV6_GROUPS
    } else {
        groups == IPV6_GROUPS
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn ipv4_addresses() {
        check(
            Format::Ipv4,
            &[
                "0.0.0.0",
                "255.255.255.255",
                "127.0.0.1",
                "10.20.30.40",
                "199.249.250.1",
            ],
            &[
                "",
                ".",
                "...",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.",
                ".1.2.3",
                "1..2.3",
                "1.2.3.4.",
                "256.1.1.1",
                "1.1.1.260",
                "1.1.1.1000",
                "01.1.1.1",
                "1.1.1.00",
                "1.1.1.001",
                "0x1.1.1.1",
                "1.1.1.a",
                "1.1.1.-1",
                "1.1.1.+1",
                "1.1.1.1/8",
                "1.1.1.1:80",
                "3232235521",
                "１.1.1.1",
                "1.1.1.\u{661}",
                "::1",
            ],
        );
    }

    #[test]
    fn every_octet_in_its_shortest_form_only() {
        for value in 0..1000 {
            assert_eq!(
                Format::Ipv4.is_valid(&format!("1.{value}.1.1")),
                value <= 255,
                "octet {value}"
            );
            let padded = format!("{value:03}");
            assert_eq!(
                Format::Ipv4.is_valid(&format!("1.1.1.{padded}")),
                (100..=255).contains(&value),
                "{padded}"
            );
        }
    }

    #[test]
    fn ipv6_addresses() {
        check(
            Format::Ipv6,
            &[
                "::",
                "::1",
                "1::",
                "1::8",
                "1:2:3:4:5:6:7:8",
                "ABCD:EF01:2345:6789:abcd:ef01:2345:6789",
                "1:2:3:4:5:6:7::",
                "::2:3:4:5:6:7:8",
                "1::3:4:5:6:7:8",
                "2001:db8::7",
                "::192.0.2.1",
                "::ffff:192.0.2.1",
                "1:2:3:4:5:6:192.0.2.1",
                "1:2:3:4:5::192.0.2.1",
                "::2:3:4:5:6:192.0.2.1",
                "0000:0000:0000:0000:0000:ffff:255.255.255.255",
            ],
            &[
                "",
                ":",
                ":::",
                "1",
                "1:",
                ":1",
                "1::2:",
                ":1::2",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:",
                ":2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1:2:3:4:5:6:7:8",
                "1::2::3",
                "1:::2",
                "12345::",
                "g::",
                "::192.0.2",
                "::192.0.2.256",
                "::192.0.2.01",
                "::192.0.2.1:1",
                "192.0.2.1::",
                "192.0.2.1",
                "1:2:3:4:5:6:7:192.0.2.1",
                "1:2:3:4:5:6::192.0.2.1",
                "::.0.2.1",
                "::1.",
                "fe80::1%eth0",
                "fe80::1%25eth0",
                "fe80::/10",
                "[::1]",
                "::\u{661}",
            ],
        );
    }

    /// Writes every address of up to nine groups with at most one `::` at each place, and asks for the rule of counts.
    #[test]
    fn every_count_of_groups_and_place_of_compression() {
        for groups in 0..10 {
            let names = vec!["a"; groups];
            assert_eq!(
                Format::Ipv6.is_valid(&names.join(":")),
                groups == 8,
                "{groups} groups"
            );
            for before in 0..=groups {
                let text = format!("{}::{}", names[..before].join(":"), names[before..].join(":"));
                assert_eq!(Format::Ipv6.is_valid(&text), groups <= 7, "{text}");
                let separator = if before == groups { "" } else { ":" };
                let mixed = format!("{text}{separator}1.2.3.4");
                assert_eq!(Format::Ipv6.is_valid(&mixed), groups <= 5, "{mixed}");
            }
        }
    }
}
