//! Code fences that are never closed.
//!
//! Models nest fences that CommonMark does not nest, and put the closing backticks at the end of the last line of code.
//! So three readings run side by side, and a fence counts as open only if it is open in all three.

/// Backticks of the shortest fence.
pub(in crate::content) const SHORTEST: usize = 3;

/// Backticks of the longest bare fence. More than these, alone on a line, underline a heading.
const LONGEST: usize = 8;

/// Words after an opening fence that is set apart by a space: "rust ignore".
const MAX_INFO_WORDS: usize = 2;

/// The state of the three readings.
#[derive(Default)]
pub(in crate::content) struct Fences {
    /// CommonMark: the length of the open fence, which only a fence at least as long closes.
    strict: Option<usize>,
    /// Nested: how many fences are open; one with a language opens, one without closes.
    depth: usize,
    /// Lenient: as strict, but a fence that is followed by signs or by a sentence closes too, and so do enough backticks
    /// at the end of any line.
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
        // A closing fence may be followed by the end of a comment or string that holds it, or, where lines were joined, by
        // a sentence. Neither follows an opening one.
        let is_bare = !info
            .iter()
            .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
        let words = info.split(|byte| *byte == b' ').count();
        let is_sentence = rest.first() == Some(&b' ') && words >= 2;
        let opens = info.is_empty() || !(is_bare || is_sentence && words > MAX_INFO_WORDS);
        if is_bare && self.strict.is_none() && underlines(bytes.get(..start).unwrap_or_default(), end - start)
        {
            return;
        }
        let closes = |open: usize| end - start >= open;
        self.strict = match self.strict {
            Some(open) if info.is_empty() && closes(open) => None,
            Some(open) => Some(open),
            None => opens.then_some(end - start),
        };
        self.lenient = match self.lenient {
            Some(open) if (is_bare || is_sentence) && closes(open) => None,
            Some(open) => Some(open),
            None => opens.then_some(end - start),
        };
        if is_bare && self.depth > 0 {
            self.depth -= 1;
        } else if opens {
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

/// Whether a bare run of backticks is no fence but the underline of a heading: too long for one, or as long as the line
/// above it.
fn underlines(before: &[u8], length: usize) -> bool {
    if length > LONGEST {
        return true;
    }
    let above = before.trim_ascii_end();
    let heading = above
        .iter()
        .rev()
        .take(LONGEST + 1)
        .take_while(|byte| **byte != b'\n')
        .count();
    let is_next_line = matches!(&before[above.len()..], b"\n" | b"\r\n");
    length > SHORTEST && is_next_line && heading == length
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
        assert!(!is_open(
            "A Heading\n`````````\n\nText\n\nAnother one\n```````````\n\nText\n"
        ));
        assert!(!is_open("A heading\n```````````\n\nText\n"));
        assert!(!is_open("Example\n```````\n\nText\n"));
    }

    #[test]
    fn a_fence_is_closed_by_one_with_something_after_it() {
        for end in [
            "``` */",
            "```\"\"\"",
            "```-->",
            "```\",",
            "``` and the text goes on",
        ] {
            assert!(
                !is_open(&format!("/*! ```rust\n```rust\ncode\n{end}\nmore\n")),
                "{end}"
            );
        }
        assert!(!is_open("/*! ```rust\ncode\n``` */\nmore\n"));
        assert!(!is_open("For example: ``` code\n``` would do so and so.\n"));
        assert!(is_open("```md\n``` rust\ncode\n"));
        assert!(is_open("``` rust ignore\ncode\n"));
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
