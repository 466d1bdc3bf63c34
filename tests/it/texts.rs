//! Random JSON texts, written in every way that the grammar allows, and what spoils them.

use crate::choices::Choices;

const MAX_DEPTH: usize = 5;

/// A text of one value. It may be refused: keys repeat, numbers overflow, surrogates are lone, all of it seldom.
pub(crate) fn text(choices: &mut Choices<'_>) -> String {
    let mut text = String::new();
    value(choices, 0, &mut text);
    text
}

/// An array of numbers in every form, some of which no reader of ours accepts.
pub(crate) fn numbers(choices: &mut Choices<'_>) -> String {
    let mut text = String::from("[");
    for at in 0..1 + choices.below(12) {
        if at > 0 {
            text.push(',');
        }
        number(choices, &mut text);
    }
    text.push(']');
    text
}

fn value(choices: &mut Choices<'_>, depth: usize, out: &mut String) {
    space(choices, out);
    let kinds = if depth < MAX_DEPTH { 9 } else { 5 };
    match choices.below(kinds) {
        0 => out.push_str("null"),
        1 => out.push_str(choices.pick(&["true", "false"])),
        2 | 3 => string(choices, out),
        4 => number(choices, out),
        5 | 6 => array(choices, depth, out),
        _ => object(choices, depth, out),
    }
    space(choices, out);
}

fn space(choices: &mut Choices<'_>, out: &mut String) {
    if choices.once_in(8) {
        out.push_str(choices.pick(&[" ", "\n", "\t", "\r\n", "  \n  "]));
    }
}

fn array(choices: &mut Choices<'_>, depth: usize, out: &mut String) {
    out.push('[');
    for at in 0..choices.below(5) {
        if at > 0 {
            out.push(',');
        }
        value(choices, depth + 1, out);
    }
    out.push(']');
}

fn object(choices: &mut Choices<'_>, depth: usize, out: &mut String) {
    // Large objects find repeated keys in another way than small ones.
    let is_large = choices.once_in(12);
    let members = if is_large {
        10 + choices.below(30)
    } else {
        choices.below(6)
    };
    out.push('{');
    for at in 0..members {
        if at > 0 {
            out.push(',');
        }
        space(choices, out);
        if is_large {
            // Mostly one key after the other, so that only a few of these objects repeat one.
            let name = if choices.once_in(40) {
                choices.below(members)
            } else {
                at
            };
            out.push('"');
            for character in format!("key{name}").chars() {
                push_character(choices, character, out);
            }
            out.push('"');
        } else {
            string(choices, out);
        }
        space(choices, out);
        out.push(':');
        value(choices, depth + 1, out);
    }
    out.push('}');
}

fn string(choices: &mut Choices<'_>, out: &mut String) {
    const CHARACTERS: [char; 24] = [
        'a',
        'b',
        'c',
        'd',
        'e',
        'f',
        'g',
        'é',
        '\u{20ac}',
        '\u{1f600}',
        '"',
        '\\',
        '/',
        '\n',
        '\u{8}',
        '\u{1f}',
        '\u{0}',
        '\u{7f}',
        '\u{2028}',
        '\u{ff01}',
        '\u{e000}',
        '\u{feff}',
        '\u{10ffff}',
        '\u{d7ff}',
    ];
    out.push('"');
    for _ in 0..choices.below(7) {
        if choices.once_in(60) {
            out.push_str(choices.pick(&[
                "\\ud800",
                "\\udc00",
                "\\ud800\\u0041",
                "\\udfff\\ud800",
                "\\x",
                "\\u12",
            ]));
        } else {
            let character = choices.pick(&CHARACTERS);
            push_character(choices, character, out);
        }
    }
    // A long run reaches past the blocks in which a fast reader reads.
    if choices.once_in(16) {
        out.push_str(&"0123456789abcdef".repeat(1 + choices.below(16)));
    }
    out.push('"');
}

fn push_character(choices: &mut Choices<'_>, character: char, out: &mut String) {
    let short = match character {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '/' => Some("\\/"),
        '\n' => Some("\\n"),
        '\u{8}' => Some("\\b"),
        _ => None,
    };
    let may_stand_raw = !matches!(character, '"' | '\\' | '\0'..='\x1f');
    match (choices.below(4), short) {
        (0..=2, Some(escape)) => out.push_str(escape),
        (0..=2, None) if may_stand_raw => out.push(character),
        _ => {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let is_upper = choices.once_in(2);
                out.push_str(&if is_upper {
                    format!("\\u{unit:04X}")
                } else {
                    format!("\\u{unit:04x}")
                });
            }
        }
    }
}

fn number(choices: &mut Choices<'_>, out: &mut String) {
    const EDGES: [&str; 36] = [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "0e5",
        "0E-400",
        "-0e400",
        "1",
        "-1",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "-1e309",
        "1e400",
        "4.9e-324",
        "2.5e-324",
        "2.4e-324",
        "1e-400",
        "0.000e-5",
        "2.2250738585072011e-308",
        "0.1",
        "1E+21",
        "1e21",
        "123456789012345680000.0",
        "0.30000000000000004",
    ];
    if choices.once_in(3) {
        return out.push_str(choices.pick(&EDGES));
    }
    if choices.once_in(4) {
        out.push('-');
    }
    digits(choices, 1, out);
    if choices.once_in(3) {
        out.push('.');
        digits(choices, 0, out);
    }
    if choices.once_in(3) {
        out.push_str(choices.pick(&["e", "E", "e+", "e-", "E-"]));
        out.push_str(
            &choices
                .pick(&[0, 1, 7, 15, 20, 22, 23, 30, 290, 308, 310, 322, 324, 340])
                .to_string(),
        );
    }
}

/// Digits, as many as one reading of 64 bits holds or more; from `least` on, so that few begin with a zero.
fn digits(choices: &mut Choices<'_>, least: u32, out: &mut String) {
    let count = choices.pick(&[1, 1, 1, 2, 3, 5, 8, 15, 16, 17, 18, 19, 20, 21, 30, 60]);
    for at in 0..count {
        let digit = choices.below(10) as u32;
        let digit = if at == 0 && count > 1 {
            digit.max(least)
        } else {
            digit
        };
        out.push(char::from_digit(digit, 10).unwrap());
    }
}

/// Alters a text in one to three places.
pub(crate) fn spoil(choices: &mut Choices<'_>, text: String) -> Vec<u8> {
    const PIECES: [&[u8]; 28] = [
        b"\"",
        b"\\",
        b"\\u",
        b"\\ud83d",
        b"\\ude00",
        b",",
        b":",
        b"{",
        b"}",
        b"[",
        b"]",
        b"0",
        b"-",
        b".",
        b"e",
        b"+",
        b"null",
        b"tru",
        b" ",
        b"\x00",
        b"\x1f",
        b"\x0b",
        b"\xc2\xa0",
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\xf4\x90\x80\x80",
    ];
    let mut bytes = text.into_bytes();
    for _ in 0..1 + choices.below(3) {
        let place = (choices.below(256) * 256 + choices.below(256)) % (bytes.len() + 1);
        match choices.below(5) {
            0 => bytes.truncate(place),
            1 if place < bytes.len() => {
                bytes.remove(place);
            }
            2 if place < bytes.len() => bytes[place] ^= 1 << choices.below(8),
            3 => bytes.extend_from_within(..place),
            _ => {
                let piece = choices.pick(&PIECES);
                bytes.splice(place..place, piece.iter().copied());
            }
        }
    }
    bytes
}
