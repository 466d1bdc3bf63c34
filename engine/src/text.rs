//! Quoting of values and paths in the texts of a response.

use crate::json::{Value, View};
use crate::limits::MAX_QUOTED_CHARS;

/// The value as a text of the response quotes it: JSON, numbers as they were written, cut at
/// [`MAX_QUOTED_CHARS`] characters. Its cost is bounded whatever the size of the value.
pub(crate) fn quote(value: Value<'_>) -> String {
    match value.view() {
        View::String(text) => quote_str(text),
        View::Array(_) | View::Object(_) => {
            let mut out = String::new();
            write_beginning(value, &mut out);
            cut(&out)
        }
        View::Null => "null".to_owned(),
        View::Bool(value) => value.to_string(),
        View::Number(number) => cut(&number.to_string()),
    }
}

/// Appends the value as JSON in the order in which it was written, or at least so much of it as a quotation shows.
fn write_beginning(value: Value<'_>, out: &mut String) {
    // The longest character has four bytes, so a text of this length is cut in any case.
    const ENOUGH_BYTES: usize = 4 * MAX_QUOTED_CHARS + 1;
    let separate = |index: usize, out: &mut String| {
        if index > 0 {
            out.push(',');
        }
        out.len() < ENOUGH_BYTES
    };
    match value.view() {
        View::Array(elements) => {
            out.push('[');
            for (index, element) in elements.enumerate() {
                if !separate(index, out) {
                    return;
                }
                write_beginning(element, out);
            }
            out.push(']');
        }
        View::Object(members) => {
            out.push('{');
            for (index, member) in members.enumerate() {
                if !separate(index, out) {
                    return;
                }
                out.push_str(&quote_str(member.key));
                out.push(':');
                write_beginning(member.value, out);
            }
            out.push('}');
        }
        _ => out.push_str(&quote(value)),
    }
}

/// A string in double quotes, cut at [`MAX_QUOTED_CHARS`] characters.
pub(crate) fn quote_str(text: &str) -> String {
    let mut json = Vec::new();
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => {
            crate::json::write_canonical_string(&text[..end], &mut json);
            json.pop();
            let mut cut = String::from_utf8_lossy(&json).into_owned();
            cut.push_str("…\"");
            cut
        }
        None => {
            crate::json::write_canonical_string(text, &mut json);
            String::from_utf8_lossy(&json).into_owned()
        }
    }
}

/// The text, or its first [`MAX_QUOTED_CHARS`] characters and an ellipsis.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Appends a member's name to a path: `a.b`, and `["a.b"]` where the name itself holds a dot or brackets.
pub(crate) fn push_member(path: &mut String, key: &str) {
    let needs_quotes = key.is_empty()
        || key == "$"
        || key.contains(['.', '[', ']', '"', '\''])
        || key.chars().any(char::is_control);
    if needs_quotes {
        path.push('[');
        path.push_str(&quote_str(key));
        path.push(']');
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(&cut(key));
}

/// Appends an element's index to a path: `items[3]`.
pub(crate) fn push_index(path: &mut String, index: usize) {
    path.push_str(&format!("[{index}]"));
}

/// The path from a value to one inside it; empty when they are the same.
pub(crate) fn path_between(outer: Value<'_>, inner: Value<'_>) -> String {
    let mut path = String::new();
    let mut current = outer;
    let wanted = inner.position();
    let holds = |value: Value<'_>| {
        value.position() <= wanted && (wanted as usize) < value.position() as usize + value.node_count()
    };
    while current.position() != wanted {
        let next = match current.view() {
            View::Object(mut members) => members.find(|member| holds(member.value)).map(|member| {
                push_member(&mut path, member.key);
                member.value
            }),
            View::Array(elements) => {
                elements
                    .enumerate()
                    .find(|(_, element)| holds(*element))
                    .map(|(index, element)| {
                        push_index(&mut path, index);
                        element
                    })
            }
            _ => None,
        };
        match next {
            Some(value) => current = value,
            None => break,
        }
    }
    path
}
