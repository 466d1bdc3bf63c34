//! `gte` and `lte`: the values at a path are on one side of an operand.
//!
//! Numbers are compared with numbers, and ISO 8601 dates with dates, as instants.

use super::path::Path;
use super::run::{Presence, Run, Single};
use super::scalar::{Scalar, ScalarKind, Tolerance, plain};
use super::walk::{Indices, Walk, concrete_path};
use crate::json::Value;
use crate::meter::LimitExceeded;

/// The rule.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) field: Path,
    pub(super) side: Side,
    pub(super) operand: Operand,
    pub(super) tolerance: Tolerance,
    pub(super) if_present: bool,
}

/// On which side of the operand the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// `gte`
    AtLeast,
    /// `lte`
    AtMost,
}

/// What the values are compared with.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A number or date at that place of the rules.
    Constant(u32),
    /// The value at a path of the output, one in each element of the arrays that both paths step through.
    Field(Path),
}

/// The operand of some values.
struct Limit<'d> {
    scalar: Scalar<'d>,
    value: Value<'d>,
    /// Where it stands in the output.
    place: Option<(&'d Path, Indices)>,
}

impl Limit<'_> {
    fn describe(&self) -> String {
        let value = plain(self.value);
        match &self.place {
            Some((path, indices)) => format!("{} ({value})", concrete_path(path.steps(), indices)),
            None => value,
        }
    }
}

impl Order {
    pub(super) fn check<'d>(&'d self, run: &mut Run<'_, 'd>) -> Result<(), LimitExceeded> {
        match &self.operand {
            Operand::Constant(at) => {
                let value = Value::at(run.constants, *at);
                let Some(scalar) = Scalar::read(value) else {
                    return Ok(());
                };
                let limit = Limit {
                    scalar,
                    value,
                    place: None,
                };
                self.check_values(Walk::new(self.field.steps(), run.output), &limit, run)
            }
            Operand::Field(other) => self.check_pairs(other, run),
        }
    }

    /// Compares inside each element of the shared arrays, or in the whole output when there is none.
    fn check_pairs<'d>(&'d self, other: &'d Path, run: &mut Run<'_, 'd>) -> Result<(), LimitExceeded> {
        let steps = self.field.steps();
        let shared = self.field.shared_array_steps(other);
        let comparable = || "a number or an ISO 8601 date".to_owned();
        let mut scopes = Walk::between(steps, 0..shared, run.output, Indices::new());
        while let Some(reached) = scopes.next(run.meter)? {
            let Presence::Value(scope) = run.presence(&scopes, reached, self.if_present, comparable) else {
                continue;
            };
            let outer = scopes.indices();
            let expected = || format!("{}, to compare {} with", comparable(), self.field.text());
            let single = run.single(other, shared, scope, outer.clone(), self.if_present, expected)?;
            let Single::One { value, indices } = single else {
                continue;
            };
            let Some(scalar) = Scalar::read(value) else {
                let place = || concrete_path(other.steps(), &indices);
                run.violate_value(value, place, expected);
                continue;
            };
            let limit = Limit {
                scalar,
                value,
                place: Some((other, indices)),
            };
            let values = Walk::between(steps, shared..steps.len(), scope, outer);
            self.check_values(values, &limit, run)?;
        }
        Ok(())
    }

    fn check_values<'d>(
        &self,
        mut walk: Walk<'_, 'd>,
        limit: &Limit<'_>,
        run: &mut Run<'_, 'd>,
    ) -> Result<(), LimitExceeded> {
        let expected = || self.describe(limit);
        while let Some(reached) = walk.next(run.meter)? {
            let Presence::Value(value) = run.presence(&walk, reached, self.if_present, expected) else {
                continue;
            };
            let holds = match (Scalar::read(value), self.side) {
                (None, _) => false,
                (Some(scalar), Side::AtLeast) => {
                    limit.scalar.is_at_most(scalar, &self.tolerance, run.meter)?
                }
                (Some(scalar), Side::AtMost) => {
                    scalar.is_at_most(limit.scalar, &self.tolerance, run.meter)?
                }
            };
            if !holds {
                run.violate_value(value, || walk.place(reached), expected);
            }
        }
        Ok(())
    }

    fn describe(&self, limit: &Limit<'_>) -> String {
        let kind = limit.scalar.kind();
        let text = limit.describe();
        let range = match self.side {
            Side::AtLeast => kind.within(Some(&text), None),
            Side::AtMost => kind.within(None, Some(&text)),
        };
        match kind {
            ScalarKind::Number => range + &self.tolerance.suffix(),
            ScalarKind::Instant => range,
        }
    }
}
