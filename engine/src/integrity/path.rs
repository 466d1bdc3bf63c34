//! The notation of paths: `a.b`, `items[].price`, `[].id`, `["a.b"].c`.

use crate::json::{Document, ParseLimits, key_hash, parse_exact};
use crate::limits::MAX_PATH_CHARS;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Into the member of that name.
    Key {
        name: Box<str>,
        /// Its [`key_hash`].
        hash: u32,
    },
    /// Into every element.
    Each,
}

impl Step {
    fn key(name: &str) -> Step {
        Step::Key {
            name: name.into(),
            hash: key_hash(name.as_bytes()),
        }
    }
}

/// A path with at least one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    text: Box<str>,
    steps: Box<[Step]>,
}

/// Why a text is no path. The texts follow the name of a field in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathError {
    #[error("is an empty path")]
    Empty,
    #[error("is a path of more than {MAX_PATH_CHARS} characters")]
    TooLong,
    #[error("has a dot that no key stands before or after")]
    EmptyKey,
    #[error("picks one element of an array by its number")]
    Index,
    #[error("has a bracket that belongs neither to '[]' nor to a quoted key")]
    Bracket,
    #[error("has a quoted key that is not a string as JSON writes it")]
    QuotedKey,
    #[error("has a key directly after a bracket")]
    MissingDot,
}

impl PathError {
    /// What to do, as a sentence.
    pub(super) fn fix(self) -> &'static str {
        match self {
            PathError::Empty => {
                "Name the keys that lead to the value, as in 'total' or 'items[].price'; begin with '[]' when the output is an array."
            }
            PathError::TooLong => "Use a shorter path.",
            PathError::EmptyKey => {
                "Write one key on each side of a dot, and brackets without one, as in 'items[].price'; an empty key is written '[\"\"]'."
            }
            PathError::Index => {
                "Write '[]', which steps through every element, as in 'items[].price'; what a single element must be belongs in the schema."
            }
            PathError::Bracket => {
                "Write '[]' for every element, as in 'items[].price', and a key that itself holds dots or brackets in brackets and double quotes, as in '[\"a.b\"].c'."
            }
            PathError::QuotedKey => {
                "Write the key in brackets and double quotes and escape it as in JSON, as in '[\"a.b\"].c'."
            }
            PathError::MissingDot => "Put a dot before the key, as in 'items[].price'.",
        }
    }
}

impl Path {
    /// Reads a path. Keys are literal: only dots and brackets have a meaning in it.
    pub(super) fn parse(text: &str) -> Result<Path, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.chars().nth(MAX_PATH_CHARS).is_some() {
            return Err(PathError::TooLong);
        }
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("[]") {
                steps.push(Step::Each);
                rest = after;
            } else if let Some(inside) = rest.strip_prefix('[') {
                let (step, after) = bracketed_key(inside)?;
                steps.push(step);
                rest = after;
            } else {
                let (step, after) = bare_key(rest, steps.is_empty())?;
                steps.push(step);
                rest = after;
            }
        }
        Ok(Path {
            text: text.into(),
            steps: steps.into(),
        })
    }

    /// The path as it was written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Its steps, at least one.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many steps lead to the elements of the innermost array that both paths step through; 0 when they share none.
    pub(super) fn shared_array_steps(&self, other: &Path) -> usize {
        let common = self.steps.iter().zip(&other.steps);
        let common = common.take_while(|(a, b)| a == b).count();
        self.steps[..common]
            .iter()
            .rposition(|step| *step == Step::Each)
            .map_or(0, |last| last + 1)
    }
}

/// A key written as it is: the first one, or one after a dot.
fn bare_key(rest: &str, is_first: bool) -> Result<(Step, &str), PathError> {
    let text = if is_first {
        rest
    } else {
        match rest.strip_prefix('.') {
            Some(text) => text,
            None if rest.starts_with(']') => return Err(PathError::Bracket),
            None => return Err(PathError::MissingDot),
        }
    };
    if text.starts_with(']') {
        return Err(PathError::Bracket);
    }
    let end = text.find(['.', '[', ']']).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    if name.is_empty() {
        return Err(PathError::EmptyKey);
    }
    Ok((Step::key(name), after))
}

/// A key in quotes; `inside` begins after the opening bracket.
fn bracketed_key(inside: &str) -> Result<(Step, &str), PathError> {
    if !inside.starts_with('"') {
        let is_index = inside.split_once(']').is_some_and(|(content, _)| {
            let digits = content.strip_prefix('-').unwrap_or(content);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        return Err(if is_index {
            PathError::Index
        } else {
            PathError::Bracket
        });
    }
    let mut is_escaped = false;
    let closing = inside.bytes().skip(1).position(|byte| {
        let closes = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        closes
    });
    let Some(closing) = closing else {
        return Err(PathError::QuotedKey);
    };
    let (quoted, after) = inside.split_at(closing + 2);
    let after = after.strip_prefix(']').ok_or(PathError::Bracket)?;
    let mut document = Document::new();
    parse_exact(quoted.as_bytes(), &ParseLimits::default(), &mut document)
        .map_err(|_| PathError::QuotedKey)?;
    let name = document.root().as_str().ok_or(PathError::QuotedKey)?;
    Ok((Step::key(name), after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::write_canonical_string;
    use proptest::prelude::*;

    fn key(name: &str) -> Step {
        Step::key(name)
    }

    #[test]
    fn reads_every_form() {
        let each = Step::Each;
        let cases: &[(&str, &[Step])] = &[
            ("a", &[key("a")]),
            ("a.b", &[key("a"), key("b")]),
            ("items[].price", &[key("items"), each.clone(), key("price")]),
            (
                "a[].b[].c",
                &[key("a"), each.clone(), key("b"), each.clone(), key("c")],
            ),
            ("[]", &[Step::Each]),
            ("[].x", &[each.clone(), key("x")]),
            ("[][]", &[each.clone(), each.clone()]),
            ("a[][]", &[key("a"), each.clone(), each.clone()]),
            ("1%", &[key("1%")]),
            ("soil-cec", &[key("soil-cec")]),
            ("a b.ü ✓", &[key("a b"), key("ü ✓")]),
            ("$id.*", &[key("$id"), key("*")]),
            ("it's.\"q\"", &[key("it's"), key("\"q\"")]),
            ("[\"a.b\"].c", &[key("a.b"), key("c")]),
            ("x[\"[]\"][].y", &[key("x"), key("[]"), each.clone(), key("y")]),
            ("[\"\"]", &[key("")]),
            (r#"["a\"]"]["\u00e9\\"]"#, &[key("a\"]"), key("é\\")]),
        ];
        for (text, steps) in cases {
            let path = Path::parse(text).unwrap_or_else(|error| panic!("{text} {error}"));
            assert_eq!(path.steps(), *steps, "{text}");
            assert_eq!(path.text(), *text);
        }
    }

    #[test]
    fn refuses_what_is_no_path_and_says_why() {
        let long = "x".repeat(MAX_PATH_CHARS + 1);
        let cases = [
            ("", PathError::Empty),
            (long.as_str(), PathError::TooLong),
            (".a", PathError::EmptyKey),
            ("a.", PathError::EmptyKey),
            ("a..b", PathError::EmptyKey),
            ("a.[]", PathError::EmptyKey),
            (".", PathError::EmptyKey),
            ("[].", PathError::EmptyKey),
            ("items[0].price", PathError::Index),
            ("[12]", PathError::Index),
            ("a[-1]", PathError::Index),
            ("a[*]", PathError::Bracket),
            ("a['b']", PathError::Bracket),
            ("a[b]", PathError::Bracket),
            ("a[", PathError::Bracket),
            ("a]", PathError::Bracket),
            ("]", PathError::Bracket),
            ("a.]", PathError::Bracket),
            ("a[ ]", PathError::Bracket),
            ("[\"a\"", PathError::Bracket),
            ("[\"a\" ]", PathError::Bracket),
            ("[\"a", PathError::QuotedKey),
            ("[\"a\\\"]", PathError::QuotedKey),
            (r#"["\x"]"#, PathError::QuotedKey),
            (r#"["\ud800"]"#, PathError::QuotedKey),
            ("items[]price", PathError::MissingDot),
            ("[\"a\"]b", PathError::MissingDot),
        ];
        for (text, error) in cases {
            assert_eq!(Path::parse(text), Err(error), "{text}");
            assert!(error.fix().ends_with('.'));
        }
        assert!(Path::parse(&"é".repeat(MAX_PATH_CHARS)).is_ok());
    }

    #[test]
    fn a_shared_prefix_ends_with_an_array() {
        let shared = |a: &str, b: &str| {
            let (a, b) = (Path::parse(a).unwrap(), Path::parse(b).unwrap());
            assert_eq!(a.shared_array_steps(&b), b.shared_array_steps(&a));
            a.shared_array_steps(&b)
        };
        assert_eq!(shared("rows[].a", "rows[].b"), 2);
        assert_eq!(shared("a[].b[].c", "a[].b[].d"), 4);
        assert_eq!(shared("a[].b[].c", "a[].limit"), 2);
        assert_eq!(shared("a[].b.c[].x", "a[].b.d[].x"), 2);
        assert_eq!(shared("a[]", "a[]"), 2);
        assert_eq!(shared("[].x", "[].y"), 1);
        assert_eq!(shared("a.b", "a.c"), 0);
        assert_eq!(shared("a[].x", "b[].x"), 0);
        assert_eq!(shared("[\"a\"][].x", "a[].y"), 2);
    }

    /// Writes steps in the plainest form that each allows.
    fn print(steps: &[Step]) -> String {
        let mut text = String::new();
        for step in steps {
            match step {
                Step::Each => text.push_str("[]"),
                Step::Key { name, .. } if name.is_empty() || name.contains(['.', '[', ']']) => {
                    let mut quoted = Vec::new();
                    write_canonical_string(name, &mut quoted);
                    text.push_str(&format!("[{}]", String::from_utf8(quoted).unwrap()));
                }
                Step::Key { name, .. } => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
            }
        }
        text
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_fail(text in "(\\[\\]|[\\[\\]\".\\\\a0*é]|.){0,24}") {
            if let Ok(path) = Path::parse(&text) {
                let printed = Path::parse(&print(path.steps())).unwrap();
                prop_assert_eq!(printed.steps(), path.steps());
            }
        }

        #[test]
        fn printed_steps_read_back_the_same(
            names in prop::collection::vec(prop::option::of("([\\[\\]\".\\\\ab]|.){0,6}"), 1..8)
        ) {
            let steps: Vec<Step> = names
                .iter()
                .map(|name| name.as_deref().map_or(Step::Each, Step::key))
                .collect();
            let path = Path::parse(&print(&steps)).unwrap();
            prop_assert_eq!(path.steps(), steps.as_slice());
        }
    }
}
