//! `sum_equals`: the numbers at a path add up to a target.

use super::exact_sum::ExactSum;
use super::path::Path;
use super::run::{Presence, Run, Single, Texts};
use super::scalar::{Tolerance, charge_number};
use super::walk::{Indices, Walk, concrete_path};
use crate::json::{Number, Value};
use crate::meter::LimitExceeded;
use crate::text::cut;

/// The rule.
#[derive(Clone, Debug)]
pub(super) struct SumEquals {
    pub(super) field: Path,
    pub(super) target: Target,
    pub(super) tolerance: Tolerance,
    pub(super) if_present: bool,
}

/// What the sum is compared with.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A number at that place of the rules.
    Constant(u32),
    /// The one number at a path of the output.
    Field(Path),
}

impl SumEquals {
    pub(super) fn check(&self, run: &mut Run<'_, '_>) -> Result<(), LimitExceeded> {
        let violations_before = run.violations.total;
        let mut sum = ExactSum::new();
        let mut walk = Walk::new(self.field.steps(), run.output);
        while let Some(reached) = walk.next(run.meter)? {
            let expected = || "a number".to_owned();
            match run.presence(&walk, reached, self.if_present, expected) {
                Presence::Value(value) => match value.as_number() {
                    Some(number) => {
                        charge_number(number, run.meter)?;
                        sum.add(number);
                    }
                    None => run.violate_value(value, || walk.place(reached), expected),
                },
                Presence::Skipped { is_whole_path: true } => return Ok(()),
                Presence::Skipped { is_whole_path: false } | Presence::Violated => {}
            }
        }
        let target = match &self.target {
            Target::Constant(at) => Value::at(run.constants, *at).as_number(),
            Target::Field(path) => return self.check_field(path, sum, violations_before, run),
        };
        if let Some(target) = target {
            self.compare(&sum, target, violations_before, run, || cut(&target.to_string()))?;
        }
        Ok(())
    }

    fn check_field(
        &self,
        path: &Path,
        sum: ExactSum,
        violations_before: u64,
        run: &mut Run<'_, '_>,
    ) -> Result<(), LimitExceeded> {
        let expected = || {
            let field = self.field.text();
            format!("a number, to compare the sum of {field} with")
        };
        let single = run.single(path, 0, run.output, Indices::new(), self.if_present, expected)?;
        let Single::One { value, indices } = single else {
            return Ok(());
        };
        let place = || concrete_path(path.steps(), &indices);
        match value.as_number() {
            Some(target) => self.compare(&sum, target, violations_before, run, || {
                format!("{} ({})", place(), cut(&target.to_string()))
            }),
            None => {
                run.violate_value(value, place, expected);
                Ok(())
            }
        }
    }

    /// Compares the sum, unless a summand already violates the rule: without it there is no sum.
    fn compare(
        &self,
        sum: &ExactSum,
        target: Number<'_>,
        violations_before: u64,
        run: &mut Run<'_, '_>,
        describe_target: impl FnOnce() -> String,
    ) -> Result<(), LimitExceeded> {
        if run.violations.total > violations_before {
            return Ok(());
        }
        if sum.is_plainly(target) {
            return Ok(());
        }
        charge_number(target, run.meter)?;
        let total = sum.total();
        if !self.tolerance.allows(&total, &target.to_decimal()) {
            run.violate(|| {
                let total = cut(&total.display(sum.is_written_as_integers()));
                let target = describe_target();
                let within = self.tolerance.suffix();
                Texts {
                    field: self.field.text().to_owned(),
                    expected: format!("a sum equal to {target}{within}"),
                    found: format!("sum {total}"),
                    detail: format!("values sum to {total}, expected {target}{within}"),
                }
            });
        }
        Ok(())
    }
}
