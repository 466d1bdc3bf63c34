//! What a rule works with while it is checked, and the violations that all rules have in common.

use super::path::Path;
use super::walk::{Indices, Reached, Walk, What, concrete_path};
use crate::json::{Document, Value};
use crate::meter::{LimitExceeded, Meter};
use crate::text::quote;
use crate::verdict::{Violation, Violations};

/// One check of one rule or bound.
pub(super) struct Run<'a, 'd> {
    /// The full name of the check.
    pub(super) check: &'static str,
    /// What is checked.
    pub(super) output: Value<'d>,
    /// Where the rule's own values stand.
    pub(super) constants: &'d Document,
    pub(super) meter: &'a mut Meter,
    pub(super) violations: &'a mut Violations,
}

/// Whether a place has a value.
pub(super) enum Presence<'d> {
    Value(Value<'d>),
    /// Missing, and the rule allows it. When it is all that the path leads to, the path as a whole is missing.
    Skipped {
        is_whole_path: bool,
    },
    /// A violation, which has been added.
    Violated,
}

/// The one value of a path that a rule compares with.
pub(super) enum Single<'d> {
    One {
        value: Value<'d>,
        indices: Indices,
    },
    /// Missing, and the rule allows it.
    Skipped,
    /// Violations, which have been added.
    Violated,
}

/// The texts of a violation.
pub(super) struct Texts {
    pub(super) field: String,
    pub(super) expected: String,
    pub(super) found: String,
    pub(super) detail: String,
}

impl<'d> Run<'_, 'd> {
    /// Adds a violation, whose texts are made only when the list still takes them.
    pub(super) fn violate(&mut self, describe: impl FnOnce() -> Texts) {
        let check = self.check;
        self.violations.add(check, || {
            let texts = describe();
            Violation {
                check: check.into(),
                field: texts.field,
                expected: texts.expected,
                found: texts.found,
                detail: texts.detail,
            }
        });
    }

    /// Adds the violation of a value that is not what was expected.
    pub(super) fn violate_value(
        &mut self,
        value: Value<'d>,
        place: impl FnOnce() -> String,
        expected: impl FnOnce() -> String,
    ) {
        self.violate(|| {
            let (expected, found) = (expected(), quote(value));
            Texts {
                field: place(),
                detail: format!("value is {found}, expected {expected}"),
                expected,
                found,
            }
        });
    }

    /// Looks whether the place that a walk came to has a value. `expected` says what belongs at the end of the path.
    ///
    /// Something that the path cannot step into is a value of the wrong type and always violates: a rule must not pass
    /// because the output has another shape.
    pub(super) fn presence(
        &mut self,
        walk: &Walk<'_, 'd>,
        reached: Reached<'d>,
        if_present: bool,
        expected: impl FnOnce() -> String,
    ) -> Presence<'d> {
        let expected = || walk.shape(reached.depth).unwrap_or_else(expected);
        match reached.what {
            What::Value(value) => return Presence::Value(value),
            What::Absent | What::Null if if_present => {
                return Presence::Skipped {
                    is_whole_path: walk.is_single(),
                };
            }
            What::Absent => self.violate(|| {
                let expected = expected();
                Texts {
                    field: walk.place(reached),
                    detail: format!("value is missing, expected {expected}"),
                    expected,
                    found: "nothing".to_owned(),
                }
            }),
            What::Null => self.violate(|| {
                let expected = expected();
                Texts {
                    field: walk.place(reached),
                    detail: format!("value is null, expected {expected}"),
                    expected,
                    found: "null".to_owned(),
                }
            }),
            What::Obstacle(value) => {
                self.violate_value(value, || walk.place(reached), expected);
            }
        }
        Presence::Violated
    }

    /// Finds the one value that the steps of `path` from `first` on lead to, starting at `start`, which the steps before
    /// reach by `outer`.
    pub(super) fn single(
        &mut self,
        path: &Path,
        first: usize,
        start: Value<'d>,
        outer: Indices,
        if_present: bool,
        expected: impl Fn() -> String,
    ) -> Result<Single<'d>, LimitExceeded> {
        let steps = path.steps();
        let mut walk = Walk::between(steps, first..steps.len(), start, outer.clone());
        let mut found = None;
        let mut count = 0u64;
        let mut is_violated = false;
        while let Some(reached) = walk.next(self.meter)? {
            match self.presence(&walk, reached, if_present, &expected) {
                Presence::Value(value) => {
                    count += 1;
                    if count == 1 {
                        found = Some((value, walk.indices()));
                    }
                }
                Presence::Skipped { is_whole_path: true } => return Ok(Single::Skipped),
                Presence::Skipped { is_whole_path: false } => {}
                Presence::Violated => is_violated = true,
            }
        }
        if is_violated {
            return Ok(Single::Violated);
        }
        if let (Some((value, indices)), 1) = (found, count) {
            return Ok(Single::One { value, indices });
        }
        self.violate(|| {
            let place = concrete_path(steps, &outer);
            let found = match count {
                0 => "no value".to_owned(),
                _ => format!("{count} values"),
            };
            Texts {
                detail: format!("{place} gives {found}, expected exactly one to compare with"),
                field: place,
                expected: "exactly one value".to_owned(),
                found,
            }
        });
        Ok(Single::Violated)
    }
}
