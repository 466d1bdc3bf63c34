//! JSON Pointers, RFC 6901, and relative ones, draft-bhutton-relative-json-pointer-00.

/// Whether `text` is a `json-pointer`.
pub(super) fn is_json_pointer(text: &str) -> bool {
    is_pointer(text.as_bytes())
}

/// Whether `text` is a `relative-json-pointer`: a number of levels to go up, optionally a shift of the array index,
/// and then a JSON Pointer, or `#` for the key or index itself.
///
/// The draft's grammar forgets that a `#` may follow a shift, as its text says; it may here.
pub(super) fn is_relative_json_pointer(text: &str) -> bool {
    let Some(mut rest) = after_integer(text.as_bytes()) else {
        return false;
    };
    if let [b'+' | b'-', shift @ ..] = rest {
        match after_integer(shift) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest == b"#" || is_pointer(rest)
}

fn is_pointer(bytes: &[u8]) -> bool {
    if !matches!(bytes, [] | [b'/', ..]) {
        return false;
    }
    let mut escaped = false;
    for &byte in bytes {
        if escaped && byte != b'0' && byte != b'1' {
            return false;
        }
        escaped = byte == b'~';
    }
    !escaped
}

/// What follows a `non-negative-integer`, which has no leading zero.
fn after_integer(bytes: &[u8]) -> Option<&[u8]> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.first() {
        Some(b'0') if digits > 1 => None,
        _ if digits == 0 => None,
        _ => bytes.get(digits..),
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn json_pointers() {
        check(
            Format::JsonPointer,
            &[
                "",
                "/",
                "//",
                "/a/b",
                "/a~0b~1c",
                "/~01",
                "/ \t\r\n\0",
                "/\u{e9}\u{1f600}",
                "/#",
                "/%zz",
                "/\"\\",
                "/-",
                "/00",
            ],
            &[
                "a",
                " /a",
                "#",
                "#/a",
                "a/b",
                "/~",
                "/~2",
                "/a~",
                "/~~0",
                "/~/0",
                "~0",
                "/\u{ff5e}/~\u{ff10}",
            ],
        );
    }

    #[test]
    fn relative_json_pointers() {
        check(
            Format::RelativeJsonPointer,
            &[
                "0",
                "0#",
                "0/",
                "1/a~1b",
                "10/a/\u{e9}",
                "99999999999999999999999999999999",
                "0+1",
                "1-12/a",
                "2+0#",
            ],
            &[
                "", "#", "/a", "a", "-1", "+1", "00", "01", "01/a", "0##", "0#/a", "0a", "0~0", "0/~",
                "0/~2", "0+", "0-#", "0+01", "0+-1", "0+1+1", "1.0", " 1", "1\n", "1 ", "1#\n", "\u{661}",
            ],
        );
    }
}
