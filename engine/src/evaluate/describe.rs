//! The texts of schema violations: what was expected, what was found, and both in one sentence.
//!
//! They are read by the agent that has to repair its output, so they name values and names, not keywords.

use super::Described;
use super::location::Location;
use crate::json::{Kind, Value};
use crate::schema::Types;
use crate::text::{cut, quote, quote_str};

/// Names listed in one text; a longer list tells how many more there are.
pub(super) const MAX_LISTED: usize = 10;

fn described(at: &Location<'_>, expected: String, found: String, detail: String) -> Described {
    Described {
        field: at.field(),
        expected,
        found,
        detail,
    }
}

fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// `string`, `string or null`, `string, number or null`.
fn or_list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The first of some names in quotes, and how many more of all `count` there are.
fn listed<'n>(names: impl Iterator<Item = &'n str>, count: usize) -> String {
    let shown: Vec<String> = names.take(MAX_LISTED).map(quote_str).collect();
    and_more(&shown, count)
}

fn and_more(shown: &[String], count: usize) -> String {
    let list = shown.join(", ");
    match count.saturating_sub(shown.len()) {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}

/// The value with its type, where the value alone does not show it: `string "abc"`, `number 3.5`, `null`.
fn typed_quote(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Array | Kind::Object => format!("{} {}", value.kind().name(), quote(value)),
        kind => format!("{} {}", kind.name(), quote(value)),
    }
}

pub(super) fn wrong_type(types: Types, instance: Value<'_>, at: &Location<'_>) -> Described {
    let names: Vec<&str> = types.names().collect();
    let expected = or_list(&names);
    let detail = match instance.kind() {
        Kind::Null => format!("is null, expected {expected}"),
        kind => format!("{} is {}, expected {expected}", quote(instance), article(kind)),
    };
    described(at, format!("type {expected}"), typed_quote(instance), detail)
}

pub(super) fn not_among(values: Value<'_>, instance: Value<'_>, at: &Location<'_>) -> Described {
    let all = values.as_array();
    let shown: Vec<String> = all.into_iter().flatten().take(MAX_LISTED).map(quote).collect();
    let list = and_more(&shown, all.map_or(0, |all| all.len()));
    let found = quote(instance);
    let detail = format!("{found} is not one of: {list}");
    described(at, format!("one of: {list}"), found, detail)
}

pub(super) fn not_constant(value: Value<'_>, instance: Value<'_>, at: &Location<'_>) -> Described {
    let (expected, found) = (quote(value), quote(instance));
    let detail = format!("{found} is not {expected}");
    described(at, format!("the value {expected}"), found, detail)
}

pub(super) fn number_limit(
    words: &str,
    limit: Value<'_>,
    instance: Value<'_>,
    at: &Location<'_>,
) -> Described {
    let (limit, found) = (quote(limit), quote(instance));
    let detail = format!("{found} is not {words} {limit}");
    described(
        at,
        format!("a number {words} {limit}").replace("a number a multiple", "a multiple"),
        found,
        detail,
    )
}

pub(super) fn length(words: &str, limit: u64, text: &str, at: &Location<'_>) -> Described {
    let found = text.chars().count();
    let detail = format!(
        "{} has {}, expected {words} {}",
        quote_str(text),
        characters(found as u64),
        characters(limit)
    );
    let expected = format!("a string of {words} {}", characters(limit));
    described(
        at,
        expected,
        format!("{} ({})", quote_str(text), characters(found as u64)),
        detail,
    )
}

fn characters(count: u64) -> String {
    if count == 1 {
        "1 character".to_owned()
    } else {
        format!("{count} characters")
    }
}

pub(super) fn no_match(pattern: &str, instance: Value<'_>, at: &Location<'_>) -> Described {
    let (pattern, found) = (cut(pattern), quote(instance));
    let detail = format!("{found} does not match the pattern {pattern}");
    described(
        at,
        format!("a string that matches the pattern {pattern}"),
        found,
        detail,
    )
}

pub(super) fn wrong_format(format: &str, instance: Value<'_>, at: &Location<'_>) -> Described {
    let found = quote(instance);
    let detail = format!("{found} is not a valid {format}");
    described(at, format!("a string in the format {format}"), found, detail)
}

pub(super) fn wrong_content(content: &str, instance: Value<'_>, at: &Location<'_>) -> Described {
    let found = quote(instance);
    let detail = format!("{found} is not {content}");
    described(at, format!("a string of {content}"), found, detail)
}

pub(super) fn size(words: &str, limit: u64, what: &str, found: usize, at: &Location<'_>) -> Described {
    let singular = what.trim_end_matches('s');
    let count = |count: u64| {
        if count == 1 {
            format!("1 {singular}")
        } else {
            format!("{count} {what}")
        }
    };
    let found = count(found as u64);
    let detail = format!("has {found}, expected {words} {}", count(limit));
    described(at, format!("{words} {}", count(limit)), found, detail)
}

pub(super) fn not_unique(instance: Value<'_>, repeated: (usize, usize), at: &Location<'_>) -> Described {
    let (first, second) = repeated;
    let found = format!(
        "items {first} and {second} are equal: {}",
        instance.element(first).map(quote).unwrap_or_default()
    );
    described(at, "items that all differ".to_owned(), found.clone(), found)
}

pub(super) fn contains_nothing(at: &Location<'_>) -> Described {
    let expected = "at least 1 item that is valid under the schema of contains".to_owned();
    described(
        at,
        expected,
        "no such item".to_owned(),
        "no item is valid under the schema of contains".to_owned(),
    )
}

pub(super) fn contains(words: &str, limit: u64, found: u64, at: &Location<'_>) -> Described {
    let expected = format!("{words} {limit} items that are valid under the schema of contains");
    let detail = format!("{found} items are valid under the schema of contains, expected {words} {limit}");
    described(at, expected, format!("{found} such items"), detail)
}

pub(super) fn missing(names: &[&str], at: &Location<'_>) -> Described {
    let missing = listed(names.iter().copied(), names.len());
    let (members, are) = if names.len() == 1 {
        ("the member", "is")
    } else {
        ("the members", "are")
    };
    let detail = format!("{missing} {are} required, but missing");
    described(
        at,
        format!("{members} {missing}"),
        format!("missing {missing}"),
        detail,
    )
}

pub(super) fn missing_beside<'n>(
    name: &str,
    missing: impl Iterator<Item = &'n str>,
    at: &Location<'_>,
) -> Described {
    let missing: Vec<&str> = missing.collect();
    let missing = listed(missing.iter().copied(), missing.len());
    let beside = quote_str(name);
    let detail = format!("{missing} must be there because {beside} is");
    described(
        at,
        format!("{missing} beside {beside}"),
        format!("{beside} without {missing}"),
        detail,
    )
}

/// `names` are at least the first ones of all `count` members that may not be there.
pub(super) fn unexpected_members<'n>(
    names: impl Iterator<Item = &'n str>,
    count: usize,
    at: &Location<'_>,
) -> Described {
    let extra = listed(names, count);
    let detail = format!("{extra} not allowed here");
    described(
        at,
        "no other members than those that the schema names".to_owned(),
        format!("unexpected {extra}"),
        detail,
    )
}

pub(super) fn unexpected_element(instance: Value<'_>, index: usize, at: &Location<'_>) -> Described {
    let found = format!(
        "item {index}: {}",
        instance.element(index).map(quote).unwrap_or_default()
    );
    let detail = format!("{found} is not allowed here");
    described(
        at,
        "no other items than those that the schema describes".to_owned(),
        found,
        detail,
    )
}

pub(super) fn nothing_allowed(instance: Value<'_>, at: &Location<'_>) -> Described {
    let found = quote(instance);
    let detail = format!("{found} stands where nothing is allowed");
    described(at, "nothing here".to_owned(), found, detail)
}

pub(super) fn no_branch(branches: usize, instance: Value<'_>, at: &Location<'_>) -> Described {
    let found = quote(instance);
    let detail = format!("{found} is valid under none of the {branches} schemas of anyOf");
    described(
        at,
        format!("a value valid under at least one of the {branches} schemas of anyOf"),
        found,
        detail,
    )
}

pub(super) fn not_one_branch(
    holding: usize,
    branches: usize,
    instance: Value<'_>,
    at: &Location<'_>,
) -> Described {
    let value = quote(instance);
    let count = if holding == 0 {
        "none".to_owned()
    } else {
        holding.to_string()
    };
    let detail =
        format!("{value} is valid under {count} of the {branches} schemas of oneOf, expected exactly one");
    let expected = format!("a value valid under exactly one of the {branches} schemas of oneOf");
    described(at, expected, format!("{value} (valid under {count})"), detail)
}

pub(super) fn forbidden(instance: Value<'_>, at: &Location<'_>) -> Described {
    let found = quote(instance);
    let detail = format!("{found} is valid under the schema of not");
    described(
        at,
        "a value that is not valid under the schema of not".to_owned(),
        found,
        detail,
    )
}
