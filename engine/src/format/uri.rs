//! URIs and references to them, RFC 3986, and IRIs, RFC 3987.

use super::chars::{self, AsciiSet};
use super::ip;

/// The characters of a scheme after its first, a letter.
static SCHEME: AsciiSet = AsciiSet::alphanumeric_and(b"+-.");

/// `unreserved` and `sub-delims`, which every component admits.
const COMMON: u8 = 1;
const COLON: u8 = 1 << 1;
const AT: u8 = 1 << 2;
const SLASH: u8 = 1 << 3;
const QUESTION: u8 = 1 << 4;
/// `iprivate`, which only the query of an IRI admits.
const PRIVATE: u8 = 1 << 5;

const USERINFO: u8 = COMMON | COLON;
/// `pchar` without the colon, of which the first segment of a relative path consists.
const SEGMENT_NO_COLON: u8 = COMMON | AT;
const PATH: u8 = COMMON | COLON | AT | SLASH;
const QUERY: u8 = PATH | QUESTION | PRIVATE;
const FRAGMENT: u8 = PATH | QUESTION;

/// The class of each ASCII character.
const CLASSES: [u8; 128] = {
    let mut classes = [0; 128];
    let mut at = 0;
    while at < classes.len() {
        classes[at] = match at as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => COMMON,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => COMMON,
            b':' => COLON,
            b'@' => AT,
            b'/' => SLASH,
            b'?' => QUESTION,
            _ => 0,
        };
        at += 1;
    }
    classes
};

/// Whether `text` is a `URI`, which has a scheme.
pub(super) fn is_uri(text: &str) -> bool {
    Scanner::<false>::read(text) == Some(Reference::Absolute)
}

/// Whether `text` is a `URI-reference`: a URI, or a reference relative to one.
pub(super) fn is_uri_reference(text: &str) -> bool {
    Scanner::<false>::read(text).is_some()
}

/// Whether `text` is an `IRI`, which has a scheme.
pub(super) fn is_iri(text: &str) -> bool {
    Scanner::<true>::read(text) == Some(Reference::Absolute)
}

/// Whether `text` is an `IRI-reference`: an IRI, or a reference relative to one.
pub(super) fn is_iri_reference(text: &str) -> bool {
    Scanner::<true>::read(text).is_some()
}

/// What a string that follows the grammar is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reference {
    /// It has a scheme.
    Absolute,
    /// It has none, and is read against a base.
    Relative,
}

/// A position in a URI, or in an IRI where `IRI` is true, which admits characters beyond ASCII.
struct Scanner<'a, const IRI: bool> {
    text: &'a str,
    at: usize,
}

impl<const IRI: bool> Scanner<'_, IRI> {
    /// Reads the whole of `text`; None where it does not follow the grammar.
    fn read(text: &str) -> Option<Reference> {
        let mut scanner = Scanner::<IRI> { text, at: 0 };
        let reference = if scanner.skip_scheme() {
            Reference::Absolute
        } else {
            Reference::Relative
        };
        if scanner.eat(b"//") {
            scanner.read_authority()?;
        } else if reference == Reference::Relative {
            scanner.skip(SEGMENT_NO_COLON);
        }
        // An authority ends before a slash or before the end of the path, and the first segment of a relative path
        // ends before a slash or at the colon that it may not hold.
        if scanner.peek() != Some(b':') || reference == Reference::Absolute {
            scanner.skip(PATH);
        }
        if scanner.eat(b"?") {
            scanner.skip(QUERY);
        }
        if scanner.eat(b"#") {
            scanner.skip(FRAGMENT);
        }
        (scanner.at == text.len()).then_some(reference)
    }

    /// Passes `scheme ":"`, or nothing where the text does not begin so.
    fn skip_scheme(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
            return false;
        }
        let length = bytes.iter().take_while(|&&byte| SCHEME.contains(byte)).count();
        let found = bytes.get(length) == Some(&b':');
        if found {
            self.at = length + 1;
        }
        found
    }

    /// Passes `[ userinfo "@" ] host [ ":" port ]`, which must end where the authority does.
    fn read_authority(&mut self) -> Option<()> {
        let start = self.at;
        self.skip(USERINFO);
        if !self.eat(b"@") {
            self.at = start;
        }
        if self.eat(b"[") {
            self.read_ip_literal()?;
        } else {
            // An IPv4 address is a registered name in form.
            self.skip(COMMON);
        }
        if self.eat(b":") {
            self.at += self
                .rest()
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
        }
        matches!(self.peek(), None | Some(b'/' | b'?' | b'#')).then_some(())
    }

    /// Passes an IPv6 address, or an address of a later version, and the bracket that closes it.
    fn read_ip_literal(&mut self) -> Option<()> {
        let length = self.rest().iter().position(|&byte| byte == b']')?;
        let address = self.rest().get(..length)?;
        if !ip::is_ipv6(address) && !is_ip_future(address) {
            return None;
        }
        self.at += length + 1;
        Some(())
    }

    /// Passes the longest run of percent-encoded octets and of characters of the classes in `set`.
    fn skip(&mut self, set: u8) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match CLASSES.get(usize::from(byte)) {
                Some(class) if class & set != 0 => self.at += 1,
                Some(_) if chars::is_pct_encoded(bytes, self.at) => self.at += 3,
                Some(_) => return,
                None if IRI => match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
                    Some(c) if is_iri_character(c, set) => self.at += c.len_utf8(),
                    _ => return,
                },
                None => return,
            }
        }
    }

    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Passes `token` where it is next.
    fn eat(&mut self, token: &[u8]) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }
}

/// Whether an IRI may hold `c`, which is not ASCII, where characters of the classes in `set` are admitted. Section
/// 4.1 of RFC 3987 bars the characters that format bidirectional text from every IRI.
fn is_iri_character(c: char, set: u8) -> bool {
    if matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}') {
        return false;
    }
    chars::is_ucschar(c) || (set & PRIVATE != 0 && chars::is_iprivate(c))
}

/// Whether `bytes` is an `IPvFuture`: a version in hexadecimal and an address of any form.
fn is_ip_future(bytes: &[u8]) -> bool {
    let [b'v' | b'V', rest @ ..] = bytes else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    match rest.get(digits..) {
        Some([b'.', address @ ..]) if digits > 0 && !address.is_empty() => address.iter().all(|&byte| {
            CLASSES
                .get(usize::from(byte))
                .is_some_and(|class| class & USERINFO != 0)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    /// Valid as URIs, and so as references and IRIs.
    const ABSOLUTE: [&str; 30] = [
        "a:",
        "A+-.0:",
        "a:b",
        "a:/",
        "a:/b:c@d",
        "a://",
        "a:///b",
        "a://b//c",
        "http://example.com",
        "HTTP://EXAMPLE.COM:80/",
        "http://example.com:",
        "http://:80",
        "http://@",
        "http://u:p:q@h:1/p?q#f",
        "http://%41%ff@%41:1",
        "http://a!$&'()*+,;=b~_-.c/",
        "http://[::1]",
        "http://u@[2001:db8::192.0.2.1]:8080/a",
        "http://[v1.a:b]",
        "http://[VFF.~]/",
        "http://256.1.1.01/",
        "http://a?b/c?d:@e#f/g?h:@",
        "http://a#?",
        "http://a?#",
        "a:?b#c",
        "urn:isbn:0451450523",
        "mailto:a@b.c",
        "data:text/plain;base64,SGk=",
        "file:///etc/passwd",
        "tel:+1-201-555-0123",
    ];

    /// Valid as references only.
    const RELATIVE: [&str; 16] = [
        "",
        "/",
        "//",
        "///",
        "//a@b:1/c",
        "//[::1]",
        "a",
        "a/b:c",
        "./a:b",
        "../..",
        "/a:b",
        "@a",
        "?",
        "?a/b?c",
        "#",
        "#a?b/c",
    ];

    /// Valid as none of the four.
    const NEITHER: [&str; 50] = [
        ":",
        ":a",
        "1a:b",
        "+a:b",
        "a_b:c",
        "a%41:b",
        "a,b:c",
        "@a:b",
        " a:b",
        "a:b c",
        "a:\tb",
        "a:b\0",
        "a:b\u{7f}",
        "a:\"b\"",
        "a:<b>",
        "a:{b}",
        "a:b|c",
        "a:b\\c",
        "a:b^c",
        "a:b`c",
        "a:[b]",
        "a:%",
        "a:%4",
        "a:%4g",
        "a:%g4",
        "a:%%41",
        "a:?%",
        "a:#%zz",
        "a:#b#c",
        "a:b[",
        "a:?[",
        "a:#]",
        "http://a@b@c",
        "http://a:b:c",
        "http://a:1:2",
        "http://a:1a",
        "http://a:-1",
        "http://2001:db8::1",
        "http://[::1",
        "http://::1]",
        "http://[::1]a",
        "http://a[::1]",
        "http://[]",
        "http://[127.0.0.1]",
        "http://[fe80::1%25eth0]",
        "http://[v.a]",
        "http://[v1.]",
        "http://[vg.a]",
        "http://[v1.a/b]",
        "\\\\a\\b",
    ];

    /// Valid as IRIs, and not as URIs.
    const ABSOLUTE_IRIS: [&str; 7] = [
        "http://\u{e9}",
        "http://\u{e9}@\u{e9}:1/\u{e9}?\u{e9}#\u{e9}",
        "a:\u{a0}",
        "a:\u{4f8b}\u{1f600}",
        "a:?\u{e000}\u{f0000}\u{10fffd}",
        "a:\u{efffd}",
        "a:\u{200b}\u{2010}",
    ];

    /// Valid as references to IRIs only.
    const RELATIVE_IRIS: [&str; 5] = ["\u{e9}", "./\u{e9}:a", "//\u{e9}", "?\u{e000}", "#\u{e9}"];

    /// Valid as none of the four for a character beyond ASCII.
    const NO_IRIS: [&str; 16] = [
        "\u{e9}:a",
        "a\u{e9}:b",
        "a:\u{80}",
        "a:\u{9f}",
        "a:\u{e000}",
        "a:#\u{e000}",
        "http://\u{e000}",
        "a:\u{fdd0}",
        "a:\u{ffff}",
        "a:\u{1fffe}",
        "a:\u{e0001}",
        "a:?\u{10fffe}",
        "a:\u{202e}b",
        "http://[\u{e9}]",
        "http://[v1.\u{e9}]",
        "http://a:\u{661}",
    ];

    #[test]
    fn uris() {
        check(
            Format::Uri,
            &ABSOLUTE,
            &[&RELATIVE[..], &NEITHER, &ABSOLUTE_IRIS, &RELATIVE_IRIS, &NO_IRIS].concat(),
        );
    }

    #[test]
    fn uri_references() {
        check(
            Format::UriReference,
            &[&ABSOLUTE[..], &RELATIVE].concat(),
            &[&NEITHER[..], &ABSOLUTE_IRIS, &RELATIVE_IRIS, &NO_IRIS].concat(),
        );
    }

    #[test]
    fn iris() {
        check(
            Format::Iri,
            &[&ABSOLUTE[..], &ABSOLUTE_IRIS].concat(),
            &[&RELATIVE[..], &NEITHER, &RELATIVE_IRIS, &NO_IRIS].concat(),
        );
    }

    #[test]
    fn iri_references() {
        check(
            Format::IriReference,
            &[&ABSOLUTE[..], &RELATIVE, &ABSOLUTE_IRIS, &RELATIVE_IRIS].concat(),
            &[&NEITHER[..], &NO_IRIS].concat(),
        );
    }
}
