//! Code fences that are never closed.
//!
//! Models nest fences that CommonMark does not nest, and put the closing backticks at the end of the last line of code.
//! So three readings run side by side, and a fence counts as open only if it is open in all three.

/// Backticks of the shortest fence.
pub(in crate::content) const SHORTEST: usize = 3;

/// The state of the three readings.
#[derive(Default)]
pub(in crate::content) struct Fences {
    /// CommonMark: the length of the open fence, which only a fence at least as long closes.
    strict: Option<usize>,
    /// Nested: how many fences are open; one with a language opens, one without closes.
    depth: usize,
    /// Lenient: as strict, but enough backticks at the end of any line close the fence too.
    lenient: Option<usize>,
    /// Where the last line with a fence ends; what else stands in it is no fence.
    seen_to: usize,
}

impl Fences {
    /// Takes in the run of three or more backticks from `start` to `end`.
    pub(in crate::content) fn see(&mut self, text: &str, start: usize, end: usize) {
        if start < self.seen_to {
            return;
        }
        let bytes = text.as_bytes();
        let rest = bytes.get(end..).unwrap_or_default();
        if !begins_line(bytes.get(..start).unwrap_or_default()) {
            let after = rest.iter().find(|byte| !matches!(**byte, b' ' | b'\t' | b'\r'));
            let ends_line = matches!(after, None | Some(b'\n'));
            if ends_line && self.lenient.is_some_and(|open| end - start >= open) {
                self.lenient = None;
            }
            return;
        }
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.seen_to = end + length;
        let info = rest[..length].trim_ascii();
        if info.contains(&b'`') {
            // A code span that happens to begin the line.
            return;
        }
        let is_bare = info.is_empty();
        for reading in [&mut self.strict, &mut self.lenient] {
            match *reading {
                Some(open) if is_bare && end - start >= open => *reading = None,
                Some(_) => {}
                None => *reading = Some(end - start),
            }
        }
        if is_bare && self.depth > 0 {
            self.depth -= 1;
        } else {
            self.depth += 1;
        }
    }

    /// Whether a fence is open at the end of the text.
    pub(in crate::content) fn are_open(&self, text: &str) -> bool {
        self.strict.is_some()
            && self.depth > 0
            && self.lenient.is_some()
            && !text.trim_end().ends_with("```")
            && !is_unified_diff(text)
    }
}

/// Whether nothing but indentation, list markers and quotation signs stands between the beginning of the line and here.
fn begins_line(before: &[u8]) -> bool {
    for (distance, byte) in before.iter().rev().enumerate() {
        match byte {
            b'\n' => return true,
            b' ' | b'\t' | b'>' => {}
            // `- `, `* `, `+ `, `1. `, `1) `: a sign, and then a space or a sign further right.
            b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9' if distance > 0 => {}
            _ => return false,
        }
    }
    true
}

/// Whether a text has the hunk headers of a diff, whose context may begin and end inside a fence.
fn is_unified_diff(text: &str) -> bool {
    text.starts_with("@@ -") || text.contains("\n@@ -")
}

#[cfg(test)]
mod tests {
    use super::SHORTEST;
    use crate::content::{ContentCheck, scan_text};

    fn is_open(text: &str) -> bool {
        scan_text(text).contains(ContentCheck::TruncatedText)
    }

    #[test]
    fn a_fence_is_closed_by_one_as_long() {
        for length in SHORTEST..8 {
            let fence = "`".repeat(length);
            assert!(is_open(&format!("{fence}\ncode\n")));
            assert!(!is_open(&format!("{fence}\ncode\n{fence}\n")));
            assert!(!is_open(&format!("{fence}text\ncode\n{fence}`\n\nafter")));
        }
        assert!(is_open("````md\n```\ncode\n```\nmore"));
        assert!(!is_open("``\nno fence"));
    }

    #[test]
    fn a_fence_begins_its_line() {
        for prefix in ["", "  ", "\t", "> ", "> > ", "- ", "* ", "1. ", "12) ", "> - "] {
            assert!(is_open(&format!("text\n{prefix}```js\ncode\n")), "{prefix:?}");
        }
        for prefix in ["text ", "+", "//! ", "\"", "/// "] {
            assert!(!is_open(&format!("text\n{prefix}```js\ncode\n")), "{prefix:?}");
        }
    }
}
