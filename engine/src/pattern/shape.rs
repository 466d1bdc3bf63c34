//! What a pattern's source tells of its cost: its size with all counted repetitions written out, and what in it may
//! be tried in many ways. It need not be exact; a doubtful pattern counts as the more expensive.

/// The parts of a pattern that decide what it costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// States of the pattern when every counted repetition is written out. Saturates.
    pub(super) states: u64,
    /// Repetitions of which the count is open: `*`, `+`, `?`, `{1,3}`.
    pub(super) open_repetitions: u32,
    /// A repetition of something that holds an open repetition.
    pub(super) repeats_repetition: bool,
    /// Groups or alternatives.
    pub(super) is_branched: bool,
    /// Lookahead or lookbehind.
    pub(super) looks_around: bool,
    /// A group read back: `\1`, `\k<name>`.
    pub(super) has_backreference: bool,
    /// Classes named by a Unicode property, each of which is a table to be read.
    pub(super) properties: u64,
}

/// One group that is being read, or the whole pattern.
#[derive(Clone, Copy, Default)]
struct Group {
    states: u64,
    has_open_repetition: bool,
}

/// How often something stands in a pattern.
struct Count {
    is_open: bool,
    most: u64,
    /// Bytes of the quantifier.
    len: usize,
}

impl Shape {
    pub(super) fn of(source: &str) -> Shape {
        let mut shape = Shape::default();
        let mut outer: Vec<Group> = Vec::new();
        let mut group = Group::default();
        let mut last = Group::default();
        let mut rest = source.as_bytes();
        while let Some(byte) = rest.first() {
            if let Some(count) = quantifier(rest) {
                shape.repeat(&mut group, last, &count);
                rest = &rest[count.len..];
                continue;
            }
            let mut len = 1;
            match byte {
                b'(' => {
                    shape.is_branched = true;
                    outer.push(std::mem::take(&mut group));
                    last = Group::default();
                    rest = &rest[group_start_len(rest, &mut shape)..];
                    continue;
                }
                b')' => {
                    last = Group {
                        states: group.states.max(1),
                        ..group
                    };
                    group = outer.pop().unwrap_or_default();
                    group.has_open_repetition |= last.has_open_repetition;
                    group.states = group.states.saturating_add(last.states);
                    rest = &rest[1..];
                    continue;
                }
                b'|' => {
                    shape.is_branched = true;
                    last = Group::default();
                    rest = &rest[1..];
                    continue;
                }
                b'[' => len = class_len(rest, &mut shape),
                b'\\' => len = escape_len(rest, &mut shape),
                _ => {}
            }
            last = Group {
                states: 1,
                has_open_repetition: false,
            };
            group.states = group.states.saturating_add(1);
            rest = &rest[len..];
        }
        // Groups left open are no valid pattern; their states count all the same.
        shape.states = outer
            .iter()
            .fold(group.states, |sum, group| sum.saturating_add(group.states));
        shape
    }

    fn repeat(&mut self, group: &mut Group, repeated: Group, count: &Count) {
        let more = repeated.states.saturating_mul(count.most.saturating_sub(1));
        group.states = group.states.saturating_add(more);
        self.open_repetitions += u32::from(count.is_open);
        self.repeats_repetition |= repeated.has_open_repetition && (count.is_open || count.most > 1);
        group.has_open_repetition |= count.is_open;
    }
}

/// The quantifier that a text begins with, if it does.
fn quantifier(text: &[u8]) -> Option<Count> {
    let (is_open, most, len) = match text.first()? {
        b'*' | b'+' | b'?' => (true, 1, 1),
        b'{' => counts(text)?,
        _ => return None,
    };
    let is_lazy = text.get(len) == Some(&b'?');
    Some(Count {
        is_open,
        most,
        len: len + usize::from(is_lazy),
    })
}

/// `{2}`, `{2,}` or `{2,5}`: whether the count is open, the most that is written, and the length.
fn counts(text: &[u8]) -> Option<(bool, u64, usize)> {
    let end = text.iter().position(|byte| *byte == b'}')?;
    let inside = std::str::from_utf8(&text[1..end]).ok()?;
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // Digits that are no `u64` are too many of them.
        is_number.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let (is_open, most) = match inside.split_once(',') {
        None => (false, number(inside)?),
        Some((least, "")) => (true, number(least)?),
        Some((least, most)) => {
            let (least, most) = (number(least)?, number(most)?);
            (least != most, most)
        }
    };
    Some((is_open, most, end + 1))
}

/// The length of `(`, `(?:`, `(?=` or `(?<name>` that a text begins with.
fn group_start_len(text: &[u8], shape: &mut Shape) -> usize {
    match text {
        [_, b'?', b'=' | b'!', ..] => {
            shape.looks_around = true;
            3
        }
        [_, b'?', b'<', b'=' | b'!', ..] => {
            shape.looks_around = true;
            4
        }
        [_, b'?', b'<', ..] => text
            .iter()
            .position(|byte| *byte == b'>')
            .map_or(3, |end| end + 1),
        [_, b'?', b':', ..] => 3,
        [_, b'?', ..] => 2,
        _ => 1,
    }
}

/// The length of the class that a text begins with.
fn class_len(text: &[u8], shape: &mut Shape) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b']' => return at + 1,
            b'\\' => at += escape_len(&text[at..], shape),
            _ => at += 1,
        }
    }
    text.len()
}

/// The length of the escape that a text begins with.
fn escape_len(text: &[u8], shape: &mut Shape) -> usize {
    let braced = || {
        text.iter()
            .position(|byte| *byte == b'}')
            .map_or(2, |end| end + 1)
    };
    match text.get(1) {
        Some(b'p' | b'P') => {
            shape.properties += 1;
            braced()
        }
        Some(b'u') if text.get(2) == Some(&b'{') => braced(),
        Some(b'1'..=b'9' | b'k') => {
            shape.has_backreference = true;
            2
        }
        Some(_) => 2,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_counted_with_repetitions_written_out() {
        let cases = [
            ("", 0),
            ("abc", 3),
            ("a{3}", 3),
            ("a{2,5}b", 6),
            ("a{7,}", 7),
            ("(ab){10}", 20),
            ("((a{9}){9}){9}", 729),
            ("[a-z{3}]{4}", 4),
            ("\\p{L}{100}\\u{1f600}", 101),
            ("a{,2}", 5),
            ("a{x}", 4),
            ("(?:ab|c)*", 3),
            ("x{99999999999999999999}y", u64::MAX),
        ];
        for (source, states) in cases {
            assert_eq!(Shape::of(source).states, states, "{source}");
        }
    }

    #[test]
    fn what_may_be_tried_in_many_ways_is_seen() {
        let shape = Shape::of("^(a+)+$");
        assert!(shape.repeats_repetition && shape.open_repetitions == 2 && shape.is_branched);
        assert!(Shape::of("(.*a){20}").repeats_repetition);
        assert!(!Shape::of("(?:ab){20}c*").repeats_repetition);
        assert!(Shape::of("(?<=a)b").looks_around && Shape::of("a(?!b)").looks_around);
        assert!(!Shape::of("(?<name>a)(?:b)").looks_around);
        assert!(Shape::of("(a)\\1").has_backreference && Shape::of("(?<n>a)\\k<n>").has_backreference);
        assert!(!Shape::of("\\\\1[\\d]").has_backreference);
        let plain = Shape::of("^[A-Z]{3}-\\d{6}$");
        assert_eq!((plain.open_repetitions, plain.is_branched), (0, false));
        assert_eq!(Shape::of("[\\p{L}\\p{N}]+\\P{Lu}").properties, 3);
        // Whatever the source, it is read to its end.
        for source in [
            "(", ")", "[", "\\", "{", "a{", "a{1", "(?", "(?<", "[\\", "\\p{", "\\u{", "**", "a**", "{3}",
        ] {
            Shape::of(source);
        }
    }
}
