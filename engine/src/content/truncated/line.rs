//! Markers that stand alone on a line.

use super::marker::{Marker, Place};

/// Bytes of the longest line that can be nothing but a marker.
const LONGEST_LINE: usize = 200;

/// Signs, white space aside, that may stand before the first dots or the last sign of a comment: `{/* [`.
const MAX_SIGNS: usize = 12;

/// Which lines of one text were looked at.
#[derive(Default)]
pub(in crate::content) struct MarkerLines {
    /// Where the last of them ended. Each line is looked at once, so that all of them together cost linear time.
    seen_to: usize,
}

impl MarkerLines {
    /// Whether nothing but signs stands before `at` in its line, and the line is a marker that was not yet seen.
    pub(in crate::content) fn is_marker(&mut self, text: &str, at: usize) -> bool {
        if at < self.seen_to {
            return false;
        }
        let Some(start) = begin_of_line(text.as_bytes(), at) else {
            return false;
        };
        let Some(rest) = text.get(start..) else {
            return false;
        };
        let line = match rest.find('\n') {
            Some(length) => &rest[..length],
            None => rest,
        };
        self.seen_to = start + line.len();
        line.len() <= LONGEST_LINE
            && may_be_marker(line)
            && Marker::read(line, false).is_some_and(|marker| marker.breaks_off(Place::Line))
    }
}

/// Where the line around `at` begins, if only a few signs and white space stand before `at`.
fn begin_of_line(bytes: &[u8], at: usize) -> Option<usize> {
    let mut signs = 0;
    for (distance, byte) in bytes.get(..at)?.iter().rev().enumerate() {
        match byte {
            b'\n' => return Some(at - distance),
            b' ' | b'\t' => {}
            _ if byte.is_ascii_alphanumeric() || signs == MAX_SIGNS => return None,
            _ => signs += 1,
        }
    }
    Some(0)
}

/// Whether a line begins with a bracket, an ellipsis, a rule or the sign of a comment.
fn may_be_marker(line: &str) -> bool {
    let line = line.trim_start();
    match line.as_bytes() {
        [b'[' | b'(' | b'<' | b'{' | b'/' | b'#' | b';' | b'%', ..] => true,
        [b'.', b'.', ..] | [b'-', b'-', ..] | [b'=', b'=', ..] | [b'*', b'*', ..] => true,
        [0xE2 | 0xE3 | 0xEF, ..] => line.starts_with(['…', '【', '（', '［']),
        _ => false,
    }
}
