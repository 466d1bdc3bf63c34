//! Values that have an order: numbers, and ISO 8601 dates as instants.

use super::instant::Instant;
use crate::json::{Decimal, Number, Value, View};
use crate::meter::{LimitExceeded, Meter};
use crate::text::{cut, quote};

/// Decimal digits of a big integer that take about as long as one step of the meter.
pub(super) const DIGITS_PER_STEP: usize = 8;

/// A value that can be compared with others of its kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'d> {
    Number(Number<'d>),
    Instant(Instant<'d>),
}

impl<'d> Scalar<'d> {
    /// The value as a number or as an instant, when it is one.
    pub(super) fn read(value: Value<'d>) -> Option<Scalar<'d>> {
        match value.view() {
            View::Number(number) => Some(Scalar::Number(number)),
            View::String(text) => Instant::parse(text).map(Scalar::Instant),
            _ => None,
        }
    }

    pub(super) fn kind(self) -> ScalarKind {
        match self {
            Scalar::Number(_) => ScalarKind::Number,
            Scalar::Instant(_) => ScalarKind::Instant,
        }
    }

    /// Whether it is at most `high`; numbers may be greater by the tolerance. False for two kinds.
    pub(super) fn is_at_most(
        self,
        high: Scalar<'_>,
        tolerance: &Tolerance,
        meter: &mut Meter,
    ) -> Result<bool, LimitExceeded> {
        match (self, high) {
            (Scalar::Number(low), Scalar::Number(high)) => is_number_at_most(low, high, tolerance, meter),
            (Scalar::Instant(low), Scalar::Instant(high)) => Ok(low <= high),
            _ => Ok(false),
        }
    }
}

/// The kinds of [`Scalar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarKind {
    Number,
    Instant,
}

impl ScalarKind {
    /// What a value of this kind between two limits is called.
    pub(super) fn within(self, low: Option<&str>, high: Option<&str>) -> String {
        match (self, low, high) {
            (ScalarKind::Number, Some(low), Some(high)) => format!("a number from {low} to {high}"),
            (ScalarKind::Number, Some(low), None) => format!("a number of at least {low}"),
            (ScalarKind::Number, None, Some(high)) => format!("a number of at most {high}"),
            (ScalarKind::Number, None, None) => "a number".to_owned(),
            (ScalarKind::Instant, Some(low), Some(high)) => {
                format!("an ISO 8601 date from {low} to {high}")
            }
            (ScalarKind::Instant, Some(low), None) => format!("an ISO 8601 date not before {low}"),
            (ScalarKind::Instant, None, Some(high)) => format!("an ISO 8601 date not after {high}"),
            (ScalarKind::Instant, None, None) => "an ISO 8601 date".to_owned(),
        }
    }
}

/// How far numbers may be off.
#[derive(Clone, Debug)]
pub(super) struct Tolerance {
    exact: Decimal,
    approximate: f64,
    /// As the request gives it; a default is not mentioned in texts.
    given: Option<String>,
}

impl Tolerance {
    /// What holds where a rule states none (protocol, section 2).
    pub(super) fn default_of_rules() -> Tolerance {
        Tolerance {
            exact: Decimal::from_f64(1e-9),
            approximate: 1e-9,
            given: None,
        }
    }

    /// No tolerance.
    pub(super) const NONE: Tolerance = Tolerance {
        exact: Decimal::ZERO,
        approximate: 0.0,
        given: None,
    };

    /// A tolerance that a rule states.
    pub(super) fn given(number: Number<'_>) -> Tolerance {
        Tolerance {
            exact: number.to_decimal(),
            approximate: number.to_f64(),
            given: Some(cut(&number.to_string())),
        }
    }

    /// Whether two numbers are as near to each other as it allows.
    pub(super) fn allows(&self, a: &Decimal, b: &Decimal) -> bool {
        a.distance(b) <= self.exact
    }

    /// The end of a text that states what was expected.
    pub(super) fn suffix(&self) -> String {
        match &self.given {
            Some(text) => format!(", within {text}"),
            None => String::new(),
        }
    }
}

/// Uses the steps that working with a number takes beyond the one for its visit.
pub(super) fn charge_number(number: Number<'_>, meter: &mut Meter) -> Result<(), LimitExceeded> {
    match number {
        Number::Big(digits) => meter.charge((digits.len() / DIGITS_PER_STEP) as u64),
        _ => Ok(()),
    }
}

/// Whether `low - high` is at most the tolerance.
fn is_number_at_most(
    low: Number<'_>,
    high: Number<'_>,
    tolerance: &Tolerance,
    meter: &mut Meter,
) -> Result<bool, LimitExceeded> {
    charge_number(low, meter)?;
    charge_number(high, meter)?;
    // Doubles decide nearly always: each is off by half a unit in its last place, and so is each operation.
    let (l, h, t) = (low.to_f64(), high.to_f64(), tolerance.approximate);
    let excess = l - h - t;
    let uncertainty = (l.abs() + h.abs() + t) * (4.0 * f64::EPSILON);
    if excess < -uncertainty {
        return Ok(true);
    }
    if excess > uncertainty {
        return Ok(false);
    }
    if low.is_written_as_integer() == high.is_written_as_integer() && low.compare(high).is_le() {
        return Ok(true);
    }
    meter.charge(exact_comparison_steps([l, h, t]))?;
    let (low, high) = (low.to_decimal(), high.to_decimal());
    Ok(low <= high || tolerance.allows(&low, &high))
}

/// The steps of a comparison that doubles cannot decide: it takes as many digits as lie between the largest and the
/// smallest of the numbers.
fn exact_comparison_steps(numbers: [f64; 3]) -> u64 {
    /// Binary digits that take about as long as one step of the meter.
    const BITS_PER_STEP: u64 = 10;
    let exponents = numbers.into_iter().filter(|number| *number != 0.0);
    let exponents = exponents.map(|number| (number.to_bits() >> 52) & 0x7ff);
    let (least, greatest) = exponents.fold((0x7ff, 0), |(least, greatest), exponent| {
        (exponent.min(least), exponent.max(greatest))
    });
    1 + u64::saturating_sub(greatest, least) / BITS_PER_STEP
}

/// A number as a text quotes it, and a date without quotes.
pub(super) fn plain(value: Value<'_>) -> String {
    match value.view() {
        View::String(text) => cut(text),
        _ => quote(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn at_most(low: Number<'_>, high: Number<'_>, tolerance: Number<'_>) -> bool {
        let mut meter = Meter::for_sizes(0, 0, 0);
        is_number_at_most(low, high, &Tolerance::given(tolerance), &mut meter).unwrap()
    }

    #[test]
    fn numbers_compare_exactly_at_the_edge() {
        let zero = Number::Integer(0);
        let long = format!("1{}", "0".repeat(399));
        let longer = format!("1{}1", "0".repeat(398));
        let cases = [
            (Number::Float(0.3), Number::Float(0.1), Number::Float(0.2), true),
            (
                Number::Float(0.30000000000000004),
                Number::Float(0.1),
                Number::Float(0.2),
                false,
            ),
            (
                Number::Integer(9_007_199_254_740_993),
                Number::Float(9_007_199_254_740_992.0),
                zero,
                false,
            ),
            (
                Number::Float(9_007_199_254_740_992.0),
                Number::Integer(9_007_199_254_740_993),
                zero,
                true,
            ),
            (
                Number::Integer(9_007_199_254_740_993),
                Number::Integer(9_007_199_254_740_992),
                Number::Integer(1),
                true,
            ),
            (Number::Big(&longer), Number::Big(&long), zero, false),
            (Number::Big(&longer), Number::Big(&long), Number::Integer(1), true),
            (Number::Big(&long), Number::Big(&longer), zero, true),
            (
                Number::Float(1.7e308),
                Number::Float(-1.7e308),
                Number::Float(1.7e308),
                false,
            ),
            (
                Number::Float(1e-300),
                Number::Float(-1e300),
                Number::Float(1e300),
                false,
            ),
            (
                Number::Float(0.0),
                Number::Float(-1e300),
                Number::Float(1e300),
                true,
            ),
            (Number::Float(-0.0), zero, zero, true),
        ];
        for (low, high, tolerance, expected) in cases {
            assert_eq!(
                at_most(low, high, tolerance),
                expected,
                "{low} {high} {tolerance}"
            );
        }
    }

    proptest! {
        #[test]
        fn doubles_never_decide_wrongly(
            low in any::<f64>(), high in any::<f64>(), tolerance in any::<f64>(),
            near in any::<bool>(), nudge in -3i64..4,
        ) {
            prop_assume!(low.is_finite() && high.is_finite() && tolerance.is_finite());
            let tolerance = tolerance.abs();
            // Half of the cases lie within some units in the last place of the edge.
            let low = if near {
                let edge = high + tolerance;
                f64::from_bits(edge.to_bits().wrapping_add_signed(nudge))
            } else {
                low
            };
            prop_assume!(low.is_finite());
            let mut edge = Decimal::from_f64(high);
            edge.add(&Decimal::from_f64(tolerance));
            let expected = Decimal::from_f64(low).cmp(&edge) != Ordering::Greater;
            let (low, high, tolerance) =
                (Number::Float(low), Number::Float(high), Number::Float(tolerance));
            prop_assert_eq!(at_most(low, high, tolerance), expected);
        }
    }
}
