//! The one pass over a text: finds the few bytes that may matter and hands each to the check it may matter to.
//!
//! Most chunks are cleared by a fold of comparisons over [`CHUNK`] bytes, which compilers turn into vector instructions.
//! What is left is walked byte by byte with a 256-entry table of the bytes that may begin a candidate.

use super::control::is_control;
use super::hidden::{self, RightToLeft};
use super::placeholder::lorem::Lorem;
use super::truncated::fence::{self, Fences};
use super::truncated::line::MarkerLines;
use super::{ContentCheck, TextFlags};

/// Bytes cleared at once. Candidates are up to three bytes long, so two more are read.
const CHUNK: usize = 64;

/// Looks for control and hidden characters, filler text, markers of truncation on their own lines and open code fences.
pub(super) fn scan(text: &str) -> TextFlags {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        flags: TextFlags::default(),
        right_to_left: RightToLeft::default(),
        lorem: Lorem::default(),
        lines: MarkerLines::default(),
        fences: Fences::default(),
    };
    scanner.run();
    scanner.flags
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    flags: TextFlags,
    right_to_left: RightToLeft,
    lorem: Lorem,
    lines: MarkerLines,
    fences: Fences,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let end = self.bytes.len();
        let mut at = 0;
        // Where a marker may begin a line, it may begin the text.
        if matches!(self.bytes, [b'[' | b'(', ..] | [b'-', b'-', ..]) {
            self.line(0);
        }
        while let Some(chunk) = self.bytes.get(at..at + CHUNK + 2) {
            at = if is_quiet(chunk) {
                at + CHUNK
            } else {
                self.walk(at, at + CHUNK)
            };
        }
        self.walk(at, end);
        if self.fences.are_open(self.text) {
            self.flags.insert(ContentCheck::TruncatedText);
        }
    }

    /// Inspects the candidates from `at` on and returns where to go on, which is `end` or, where a candidate reaches
    /// beyond it, later.
    fn walk(&mut self, mut at: usize, end: usize) -> usize {
        while at < end {
            let first = self.bytes[at];
            if MAY_BEGIN[usize::from(first)] {
                let second = self.bytes.get(at + 1).copied().unwrap_or(0);
                let third = self.bytes.get(at + 2).copied().unwrap_or(0);
                if is_candidate(first, second, third) {
                    at = self.inspect(at).max(at + 1);
                    continue;
                }
            }
            at += 1;
        }
        at
    }

    /// Looks at the candidate that begins at `at` and returns where it ends.
    fn inspect(&mut self, at: usize) -> usize {
        match self.bytes[at] {
            b'.' => {
                let end = self.end_of_run(at);
                if end - at >= 3 {
                    self.line(at);
                }
                end
            }
            b'`' => {
                let end = self.end_of_run(at);
                if end - at >= fence::SHORTEST {
                    self.fences.see(self.text, at, end);
                }
                end
            }
            b'p' | b'P' => {
                if self.lorem.is_filler(self.text, at) {
                    self.flags.insert(ContentCheck::PlaceholderText);
                }
                at + 1
            }
            b'\n' => {
                self.line(at + 1);
                at + 1
            }
            b'/' | b'#' => {
                self.line(at);
                at + 1
            }
            _ => self.inspect_character(at),
        }
    }

    fn inspect_character(&mut self, at: usize) -> usize {
        let Some(character) = self.text.get(at..).and_then(|rest| rest.chars().next()) else {
            return at + 1;
        };
        let end = at + character.len_utf8();
        if character == '…' {
            self.line(at);
        } else if is_control(character) {
            self.flags.insert(ContentCheck::ControlCharacters);
        } else if !self.flags.contains(ContentCheck::HiddenCharacters) {
            match hidden::end_if_legitimate(self.text, at, character, &mut self.right_to_left) {
                Some(end) => return end,
                None => self.flags.insert(ContentCheck::HiddenCharacters),
            }
        }
        end
    }

    /// Looks once at the line whose first sign stands at `at`, if one begins there.
    fn line(&mut self, at: usize) {
        if !self.flags.contains(ContentCheck::TruncatedText) && self.lines.is_marker(self.text, at) {
            self.flags.insert(ContentCheck::TruncatedText);
        }
    }

    /// Where the run of equal bytes that begins at `at` ends.
    fn end_of_run(&self, at: usize) -> usize {
        let byte = self.bytes[at];
        self.bytes[at..]
            .iter()
            .position(|other| *other != byte)
            .map_or(self.bytes.len(), |length| at + length)
    }
}

/// Whether no candidate begins in the first [`CHUNK`] bytes of a slice of `CHUNK + 2`.
fn is_quiet(chunk: &[u8]) -> bool {
    let (Some(first), Some(second), Some(third)) = (
        chunk.first_chunk::<CHUNK>(),
        chunk.get(1..).and_then(<[u8]>::first_chunk::<CHUNK>),
        chunk.get(2..).and_then(<[u8]>::first_chunk::<CHUNK>),
    ) else {
        return false;
    };
    let mut candidate = false;
    let mut highest = 0;
    for at in 0..CHUNK {
        candidate |= is_ascii_candidate(first[at], second[at], third[at]);
        highest = first[at].max(highest);
    }
    if candidate {
        return false;
    }
    if highest < 0x7F {
        return true;
    }
    for at in 0..CHUNK {
        candidate |= is_wide_candidate(first[at], second[at], third[at]);
    }
    !candidate
}

/// Whether three bytes may matter to a check.
fn is_candidate(first: u8, second: u8, third: u8) -> bool {
    match first {
        b'\t' | b'\r' => false,
        b'\n' => matches!(second, b'[' | b'(') || second == b'-' && third == b'-',
        0..0x20 | 0x7F => true,
        // Three dots or backticks may follow.
        b'.' | b'`' => second == first,
        // "ipsum", and hardly any other word.
        b'p' | b'P' => second | 0x20 == b's' && third | 0x20 == b'u',
        // A comment or a heading.
        b'/' | b'#' => second == b' ',
        // U+0080–009F; U+034F; U+061C.
        0xC2 => second < 0xA0,
        0xCD => second == 0x8F,
        0xD8 => second == 0x9C,
        // U+115F, 1160 and U+1800–183F with what is beside them; U+3164.
        0xE1 => matches!(second, 0x85 | 0xA0),
        0xE3 => second == 0x85 && third == 0xA4,
        // U+200B–200F, 2026, 202A–202E; U+2060–206F.
        0xE2 => match second {
            0x80 => matches!(third, 0x8B..=0x8F | 0xA6 | 0xAA..=0xAE),
            0x81 => matches!(third, 0xA0..=0xAF),
            _ => false,
        },
        // U+FE00–FE0F; U+FEFF; U+FFA0; U+FFF9–FFFB, FFFD.
        0xEF => match second {
            0xB8 => third <= 0x8F,
            0xBB => third == 0xBF,
            0xBE => third == 0xA0,
            0xBF => matches!(third, 0xB9..=0xBB | 0xBD),
            _ => false,
        },
        // U+E0000–E0FFF.
        0xF3 => second == 0xA0,
        _ => false,
    }
}

/// Whether [`is_candidate`] may hold for three bytes of which the first is ASCII, DEL excepted. Operators that do not
/// short-circuit keep this one straight line of code, for vector instructions.
#[inline(always)]
fn is_ascii_candidate(first: u8, second: u8, third: u8) -> bool {
    let control = (first < 0x20) & (first != b'\t') & (first != b'\n') & (first != b'\r');
    let run = (first == second) & ((first == b'.') | (first == b'`'));
    let ipsum = (first | 0x20 == b'p') & (second | 0x20 == b's') & (third | 0x20 == b'u');
    let rule = (second == b'-') & (third == b'-');
    let line = (first == b'\n') & ((second == b'[') | (second == b'(') | rule);
    let comment = ((first == b'/') | (first == b'#')) & (second == b' ');
    control | run | ipsum | line | comment
}

/// Whether [`is_candidate`] may hold for three bytes of which the first is DEL or beyond ASCII. Rare neighbours are let
/// in where that spares comparisons; frequent ones, such as quotation marks and full-width punctuation, are not.
#[inline(always)]
fn is_wide_candidate(first: u8, second: u8, third: u8) -> bool {
    let controls = (first == 0x7F) | (first == 0xC2) & (second < 0xA0);
    let arabic_mark = (first == 0xD8) & (second == 0x9C);
    // 0xE1 and 0xE3 differ in this one bit.
    let fillers = (first | 0x02 == 0xE3) & (second == 0x85) | (first == 0xE1) & (second == 0xA0);
    let is_dash_or_quote = third.wrapping_sub(0x90) <= 0x15;
    let punctuation = (first == 0xE2) & ((second == 0x80) & !is_dash_or_quote | (second == 0x81));
    let specials = (first == 0xEF) & (second & 0xFE != 0xBC);
    let others = (first == 0xCD) | (first == 0xF3);
    controls | arabic_mark | fillers | punctuation | specials | others
}

/// The bytes with which a candidate may begin.
static MAY_BEGIN: [bool; 256] = may_begin();

const fn may_begin() -> [bool; 256] {
    let mut table = [false; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = control != 0x09 && control != 0x0D;
        control += 1;
    }
    let others = b".`pP/#\x7F\xC2\xCD\xD8\xE1\xE2\xE3\xEF\xF3";
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{MAY_BEGIN, is_ascii_candidate, is_candidate, is_wide_candidate};
    use crate::content::control::is_control;
    use crate::content::hidden;

    #[test]
    fn no_candidate_is_cleared_by_a_quicker_condition() {
        for first in 0..=255_u8 {
            let mut begins = false;
            for second in 0..=255_u8 {
                for third in 0..=255_u8 {
                    let candidate = is_candidate(first, second, third);
                    let folded = if first < 0x7F {
                        is_ascii_candidate(first, second, third)
                    } else {
                        is_wide_candidate(first, second, third)
                    };
                    assert!(folded || !candidate, "{first:#04X} {second:#04X} {third:#04X}");
                    begins |= candidate;
                }
            }
            assert_eq!(MAY_BEGIN[usize::from(first)], begins, "{first:#04X}");
        }
    }

    #[test]
    fn every_character_that_a_check_may_flag_is_a_candidate() {
        for character in (0..=0x10FFFF).filter_map(char::from_u32) {
            let text = format!("{character}a ");
            let alone = hidden::end_if_legitimate(&text, 0, character, &mut Default::default()).is_none();
            let inside =
                hidden::end_if_legitimate(&format!("a{text}"), 1, character, &mut Default::default());
            if is_control(character) || alone || inside.is_none() {
                let bytes = text.as_bytes();
                assert!(is_candidate(bytes[0], bytes[1], bytes[2]), "{:?}", character);
            }
        }
    }
}
