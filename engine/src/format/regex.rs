//! Regular expressions, ECMA-262.

use corvus_regex_ecma262::{Edition, Flags, Regex, UnicodeVersion};

/// Whether `text` is a `Pattern` of the 11th edition with the u flag, or one without it whose every escaped letter means something.
///
/// Without the flag a web browser reads `\a` as the letter itself (ECMA-262 annex B). Its author meant what another
/// dialect has there, so the official test suite refuses it, and so do we. The size of a pattern is not judged.
pub(super) fn is_regex(text: &str) -> bool {
    is_pattern(text, true) || (is_pattern(text, false) && !has_meaningless_escape(text.as_bytes()))
}

/// Whether a text is a pattern of the edition that JSON Schema 2020-12 names (Core, section 6.4).
fn is_pattern(text: &str, unicode: bool) -> bool {
    let flags = Flags {
        unicode,
        ..Flags::default()
    };
    Regex::is_valid_pattern_with(text, flags, Edition::Es2020, UnicodeVersion::Default)
}

/// Whether a pattern, which is valid without the u flag, escapes an ASCII letter that has no meaning when escaped.
fn has_meaningless_escape(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    let mut in_class = false;
    let mut names_a_group = false;
    let mut refers_by_name = false;
    loop {
        rest = match rest {
            [] => break,
            [b'\\', b'k', after @ ..] => {
                refers_by_name = true;
                after
            }
            [b'\\', escaped, after @ ..] => {
                if escaped.is_ascii_alphabetic() && !has_meaning(*escaped, after, in_class) {
                    return true;
                }
                after
            }
            [b'(', b'?', b'<', mark, ..] if !in_class && !matches!(mark, b'=' | b'!') => {
                names_a_group = true;
                rest.get(3..).unwrap_or_default()
            }
            [byte, after @ ..] => {
                in_class = match byte {
                    b'[' => true,
                    b']' => false,
                    _ => in_class,
                };
                after
            }
        };
    }
    // The letter k means a reference only in a pattern that names a group.
    refers_by_name && !names_a_group
}

/// Whether a backslash and the letter `escaped`, before `after`, are a class, an assertion or a character other than
/// the letter.
fn has_meaning(escaped: u8, after: &[u8], in_class: bool) -> bool {
    let hexadecimal_digits = after.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    match escaped {
        b'd' | b'D' | b's' | b'S' | b'w' | b'W' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => true,
        b'B' => !in_class,
        b'c' => match after.first() {
            Some(control) if in_class => control.is_ascii_alphanumeric() || *control == b'_',
            Some(control) => control.is_ascii_alphabetic(),
            None => false,
        },
        b'x' => hexadecimal_digits >= 2,
        b'u' => hexadecimal_digits >= 4,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn regexes() {
        let deep = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
        check(
            Format::Regex,
            &[
                "",
                "^\\d{3}-\\d{4}$",
                "^\\p{L}+\\P{Lu}$",
                "\\u{1f600}",
                "[\\u{1f600}-\\u{1f64f}]",
                "(?<year>\\d{4})-\\k<year>",
                "(?<=a+)b(?!c)",
                "[]",
                "[^]",
                "\\cA\\x41\\u0041\\0",
                "\u{1f600}+",
                // Valid without the u flag only.
                "\\-\\_\\@\\'",
                "[\\w-.]",
                "a{",
                "{a}",
                "]",
                "}",
                "(?=a)*",
                "\\1",
                "[\\c1]",
                "[\\w-.]\\x41\\u0041\\cA\\B[\\b]",
                "[\\w-.](?<a>)\\k<a>",
                &deep,
            ],
            &[
                "(",
                ")",
                "[",
                "*",
                "+a",
                "a**",
                "a{2,1}",
                "\\",
                "(?",
                "(?<a",
                "(?<1>a)",
                "(?<a>)(?<a>)",
                // Of later editions.
                "(?i:a)",
                "(?:(?<a>x)|(?<a>y))",
                "(?<a>)\\k<b>",
                "(?P<a>b)",
                "(?>a)",
                "(?#a)",
                "(?i)a",
                "a++",
                "[b-a]",
                "\\p{Nope}\\p",
                // Escaped letters that mean something elsewhere.
                "\\a",
                "\\A",
                "\\Z",
                "\\z",
                "\\G",
                "\\h",
                "\\Q\\E",
                "\\e",
                "\\k",
                "\\k<a>",
                "\\p",
                "\\p{L}[\\w-.]",
                "\\c",
                "\\c1",
                "\\x4",
                "\\xzz",
                "\\u123",
                "\\u{1f600}[\\w-.]",
                "[\\B]",
                "[\\a]",
                "[(?<a>]\\k",
            ],
        );
    }
}
