//! A bound: the values at a path lie in a range of numbers or dates.

use super::fields::{Faults, read_if_present, read_members};
use super::path::Path;
use super::run::{Presence, Run};
use super::scalar::{Scalar, ScalarKind, Tolerance, plain};
use super::walk::Walk;
use crate::json::{Member, Value, write_canonical, write_canonical_string};
use crate::meter::{LimitExceeded, Meter};
use crate::text::push_member;

/// The full name of its check.
pub(super) const CHECK_NAME: &str = "bounds:range";

/// The fields of a bound in canonical order.
const FIELDS: [&str; 3] = ["if_present", "max", "min"];

/// A bound. `min` and `max` are places in the request's bounds, and at least one is there.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    field: Path,
    kind: ScalarKind,
    min: Option<u32>,
    max: Option<u32>,
    if_present: bool,
}

impl Bound {
    /// Reads a bound, notes what is wrong with it, and appends its canonical member, key and value, with every default
    /// filled in.
    pub(super) fn read(
        member: Member<'_>,
        canonical: &mut Vec<u8>,
        faults: &mut Faults<'_>,
    ) -> Option<Bound> {
        let mut owner = "bounds".to_owned();
        push_member(&mut owner, member.key);
        let field = match Path::parse(member.key) {
            Ok(path) => Some(path),
            Err(error) => {
                faults.note(&*owner, error.to_string(), error.fix());
                None
            }
        };
        let Some(members) = member.value.as_object() else {
            faults.note(
                owner,
                "is not an object",
                "A bound is an object with 'min', 'max' or both.",
            );
            return None;
        };
        let values = read_members(members, &FIELDS, &owner, "bound", faults);
        write_bound(member.key, &values, canonical);
        let [if_present, max, min] = values;
        let if_present = read_if_present(if_present, &owner, faults);
        if min.is_none() && max.is_none() {
            faults.note(
                &*owner,
                "has neither 'min' nor 'max'",
                "Give at least one of them.",
            );
        }
        let min = min.filter(|min| is_limit(*min, &owner, "min", faults));
        let max = max.filter(|max| is_limit(*max, &owner, "max", faults));
        if let (Some(min), Some(max)) = (min, max) {
            check_pair(min, max, &owner, faults);
        }
        Some(Bound {
            field: field?,
            kind: Scalar::read(min.or(max)?)?.kind(),
            min: min.map(Value::position),
            max: max.map(Value::position),
            if_present,
        })
    }

    /// Checks it; whether it holds shows in the violations.
    pub(super) fn check(&self, run: &mut Run<'_, '_>) -> Result<(), LimitExceeded> {
        let constants = run.constants;
        let limit = |at: u32| Value::at(constants, at);
        let min = self.min.and_then(|at| Scalar::read(limit(at)));
        let max = self.max.and_then(|at| Scalar::read(limit(at)));
        let expected = || {
            let min = self.min.map(|at| plain(limit(at)));
            let max = self.max.map(|at| plain(limit(at)));
            self.kind.within(min.as_deref(), max.as_deref())
        };
        let mut walk = Walk::new(self.field.steps(), run.output);
        while let Some(reached) = walk.next(run.meter)? {
            let Presence::Value(value) = run.presence(&walk, reached, self.if_present, expected) else {
                continue;
            };
            if !is_within(min, value, max, run.meter)? {
                run.violate_value(value, || walk.place(reached), expected);
            }
        }
        Ok(())
    }
}

fn is_within(
    min: Option<Scalar<'_>>,
    value: Value<'_>,
    max: Option<Scalar<'_>>,
    meter: &mut Meter,
) -> Result<bool, LimitExceeded> {
    let Some(value) = Scalar::read(value) else {
        return Ok(false);
    };
    if let Some(min) = min
        && !min.is_at_most(value, &Tolerance::NONE, meter)?
    {
        return Ok(false);
    }
    match max {
        Some(max) => value.is_at_most(max, &Tolerance::NONE, meter),
        None => Ok(true),
    }
}

/// Whether `min` or `max` can be compared with; notes when not.
fn is_limit(value: Value<'_>, owner: &str, name: &str, faults: &mut Faults<'_>) -> bool {
    let is_scalar = Scalar::read(value).is_some();
    if !is_scalar {
        faults.note(
            format!("{owner}.{name}"),
            "is neither a number nor an ISO 8601 date or date-time",
            "Use a number or a date such as \"2026-10-01\".",
        );
    }
    is_scalar
}

/// Notes limits of two kinds, and a range that nothing is in.
fn check_pair(min: Value<'_>, max: Value<'_>, owner: &str, faults: &mut Faults<'_>) {
    let is_ordered = match (Scalar::read(min), Scalar::read(max)) {
        (Some(Scalar::Number(min)), Some(Scalar::Number(max))) => min.compare(max).is_le(),
        (Some(Scalar::Instant(min)), Some(Scalar::Instant(max))) => min <= max,
        _ => {
            faults.note(
                format!("{owner}.max"),
                "is not of the same kind as 'min'",
                "Use two numbers or two dates.",
            );
            return;
        }
    };
    if !is_ordered {
        faults.note(
            format!("{owner}.min"),
            "is greater than 'max'",
            "Use a 'min' that is at most 'max'.",
        );
    }
}

/// Appends the canonical member of a bound whose fields are `values`, in the order of [`FIELDS`].
fn write_bound(path: &str, values: &[Option<Value<'_>>; 3], canonical: &mut Vec<u8>) {
    write_canonical_string(path, canonical);
    canonical.push(b':');
    for (index, (name, value)) in FIELDS.iter().zip(values).enumerate() {
        canonical.push(if index == 0 { b'{' } else { b',' });
        write_canonical_string(name, canonical);
        canonical.push(b':');
        match value {
            Some(value) => write_canonical(*value, canonical),
            None if *name == "if_present" => canonical.extend_from_slice(b"false"),
            None => canonical.extend_from_slice(b"null"),
        }
    }
    canonical.push(b'}');
}
