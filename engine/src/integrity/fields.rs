//! Reading the fields of rules and bounds, with a named problem for whatever is wrong.

use super::path::Path;
use crate::json::{Members, Value};
use crate::problem::FieldProblems;
use crate::text::push_member;

/// The problems of a request, and whether this part of it has any.
pub(super) struct Faults<'a> {
    problems: &'a mut FieldProblems,
    is_noted: bool,
}

impl<'a> Faults<'a> {
    pub(super) fn new(problems: &'a mut FieldProblems) -> Faults<'a> {
        Faults {
            problems,
            is_noted: false,
        }
    }

    /// Notes a problem.
    pub(super) fn note(
        &mut self,
        field: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.is_noted = true;
        self.problems.add(field, problem, fix);
    }

    /// Whether a problem was noted, be it still in the list or past its end.
    pub(super) fn is_noted(&self) -> bool {
        self.is_noted
    }
}

/// The members of an object in the order of `names`. Null counts as absent, and every other name is a problem; `owner`
/// is the object's own field, `noun` what it is called.
pub(super) fn read_members<'d, const N: usize>(
    members: Members<'d>,
    names: &[&str; N],
    owner: &str,
    noun: &str,
    faults: &mut Faults<'_>,
) -> [Option<Value<'d>>; N] {
    let mut found = [None; N];
    for member in members {
        match names.iter().position(|name| *name == member.key) {
            Some(index) => found[index] = Some(member.value).filter(|value| !value.is_null()),
            None => {
                let mut field = owner.to_owned();
                push_member(&mut field, member.key);
                faults.note(
                    field,
                    "is not a known field",
                    format!("Remove it. A {noun} may have: {}.", alternatives(names)),
                );
            }
        }
    }
    found
}

/// Reads a path.
pub(super) fn read_path(value: Value<'_>, field: &str, faults: &mut Faults<'_>) -> Option<Path> {
    let Some(text) = value.as_str() else {
        faults.note(
            field,
            "is not a string",
            "Name a path of the output, as in 'total' or 'items[].price'.",
        );
        return None;
    };
    match Path::parse(text) {
        Ok(path) => Some(path),
        Err(error) => {
            faults.note(field, error.to_string(), error.fix());
            None
        }
    }
}

/// Reads `if_present`, which is false by default.
pub(super) fn read_if_present(value: Option<Value<'_>>, owner: &str, faults: &mut Faults<'_>) -> bool {
    let Some(value) = value else {
        return false;
    };
    value.as_bool().unwrap_or_else(|| {
        faults.note(
            format!("{owner}.if_present"),
            "is not a boolean",
            "Use true or false.",
        );
        false
    })
}

/// `'a', 'b' or 'c'`
pub(super) fn alternatives(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            text.push_str(if index + 1 == names.len() { " or " } else { ", " });
        }
        text.push_str(&format!("'{name}'"));
    }
    text
}
