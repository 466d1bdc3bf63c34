//! The exact sum of many numbers, in time linear in them.

use smallvec::SmallVec;

use crate::json::{Decimal, Number};

/// Powers of two in one band of doubles. Numbers of one band span 10 decimal digits and have 17, so that the sum of
/// 10^11 of them has a coefficient of 128 bits.
const BAND_BITS: u64 = 32;

/// Doubles that are a whole number of millionths are summed as such, which is several times as fast.
const MILLIONTHS: i64 = 1_000_000;

/// A sum that grows. Numbers of like size are summed by themselves and joined at the end: adding a small number to a
/// huge one would take hundreds of digits every time.
#[derive(Debug)]
pub(super) struct ExactSum {
    integers: i128,
    millionths: i128,
    big_integers: Decimal,
    has_big_integers: bool,
    bands: SmallVec<[(u64, Decimal); 2]>,
    is_written_as_integers: bool,
}

impl ExactSum {
    pub(super) fn new() -> ExactSum {
        ExactSum {
            integers: 0,
            millionths: 0,
            big_integers: Decimal::ZERO,
            has_big_integers: false,
            bands: SmallVec::new(),
            is_written_as_integers: true,
        }
    }

    /// Adds a number.
    pub(super) fn add(&mut self, number: Number<'_>) {
        match number {
            // A document has fewer than 2^32 numbers of 64 bits, whose sum in millionths is below 2^117.
            Number::Integer(value) => self.integers += i128::from(value),
            Number::Unsigned(value) => self.integers += i128::from(value),
            Number::Big(_) => {
                self.big_integers.add(&number.to_decimal());
                self.has_big_integers = true;
            }
            Number::Float(value) => {
                self.is_written_as_integers = false;
                match whole_millionths(value) {
                    Some(count) => self.millionths += i128::from(count),
                    None => self.add_to_band(value),
                }
            }
        }
    }

    fn add_to_band(&mut self, value: f64) {
        let biased_exponent = (value.to_bits() >> 52) & 0x7ff;
        let band = biased_exponent / BAND_BITS;
        let summand = Decimal::from_f64(value);
        match self.bands.iter_mut().find(|(known, _)| *known == band) {
            Some((_, sum)) => sum.add(&summand),
            None => self.bands.push((band, summand)),
        }
    }

    /// The sum so far.
    pub(super) fn total(&self) -> Decimal {
        let mut total = Decimal::from_integer(self.integers);
        total.add(&Decimal::from_integer(self.millionths / i128::from(MILLIONTHS)));
        let rest = (self.millionths % i128::from(MILLIONTHS)) as f64 / MILLIONTHS as f64;
        total.add(&Decimal::from_f64(rest));
        total.add(&self.big_integers);
        for (_, sum) in &self.bands {
            total.add(sum);
        }
        total
    }

    /// Whether it is seen at once to equal `target`. False says nothing.
    pub(super) fn is_plainly(&self, target: Number<'_>) -> bool {
        let is_in_millionths = self.bands.is_empty() && !self.has_big_integers;
        let target = match target {
            Number::Integer(value) => Some(i128::from(value) * i128::from(MILLIONTHS)),
            Number::Float(value) => whole_millionths(value).map(i128::from),
            Number::Unsigned(_) | Number::Big(_) => None,
        };
        let sum = self.integers * i128::from(MILLIONTHS) + self.millionths;
        is_in_millionths && target == Some(sum)
    }

    /// Whether every summand was written without fraction and exponent.
    pub(super) fn is_written_as_integers(&self) -> bool {
        self.is_written_as_integers
    }
}

/// How many millionths a double is, when its shortest decimal is a whole number of them.
///
/// A decimal of at most 15 digits that rounds to a double is the only one of them that does, so it is the shortest one.
fn whole_millionths(value: f64) -> Option<i64> {
    const MAX_15_DIGITS: f64 = 999_999_999_999_999.0;
    let count = (value * MILLIONTHS as f64).round();
    (count.abs() <= MAX_15_DIGITS && count / MILLIONTHS as f64 == value).then_some(count as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_numbers_of_every_size() {
        let mut sum = ExactSum::new();
        assert_eq!(sum.total().display(sum.is_written_as_integers()), "0");
        for number in [
            Number::Integer(i64::MAX),
            Number::Unsigned(u64::MAX),
            Number::Big("100000000000000000000000000000000000000000"),
        ] {
            sum.add(number);
        }
        assert!(sum.is_written_as_integers());
        assert_eq!(
            sum.total().display(true),
            "100000000000000000000027670116110564327422"
        );
        for number in [1e300, 1e-300, 0.0, -1e300, 0.5] {
            sum.add(Number::Float(number));
        }
        sum.add(Number::Big("-100000000000000000000000000000000000000000"));
        sum.add(Number::Integer(-i64::MAX));
        sum.add(Number::Big("-18446744073709551615"));
        assert!(!sum.is_written_as_integers());
        let mut expected = Decimal::from_f64(0.5);
        expected.add(&Decimal::from_f64(1e-300));
        assert_eq!(sum.total(), expected);
    }

    #[test]
    fn a_plain_sum_is_seen_at_once() {
        let sum_of = |numbers: &[Number<'_>]| {
            let mut sum = ExactSum::new();
            numbers.iter().for_each(|number| sum.add(*number));
            sum
        };
        let sum = sum_of(&[Number::Float(0.1), Number::Float(0.2), Number::Integer(-1)]);
        assert!(sum.is_plainly(Number::Float(-0.7)));
        assert!(!sum.is_plainly(Number::Float(-0.7000000001)));
        assert!(sum_of(&[]).is_plainly(Number::Integer(0)));
        assert!(sum_of(&[Number::Integer(i64::MIN)]).is_plainly(Number::Integer(i64::MIN)));
        let band = sum_of(&[Number::Float(1e-9), Number::Integer(1)]);
        assert!(!band.is_plainly(Number::Integer(1)));
        let big = sum_of(&[Number::Big("100000000000000000000"), Number::Integer(1)]);
        assert!(!big.is_plainly(Number::Integer(1)));
    }

    #[test]
    fn a_band_stays_within_its_coefficient() {
        let mut sum = ExactSum::new();
        // The ends of the band of 2^1 to 2^33, whose numbers have all their digits.
        let largest = f64::from_bits((1055 << 52) | 0xf_ffff_ffff_ffff);
        let smallest = f64::from_bits((1024 << 52) | 1);
        let mut expected = Decimal::ZERO;
        for _ in 0..1_000 {
            sum.add(Number::Float(largest));
            sum.add(Number::Float(smallest));
            expected.add(&Decimal::from_f64(largest));
            expected.add(&Decimal::from_f64(smallest));
        }
        assert_eq!(sum.bands.len(), 1);
        assert_eq!(sum.total(), expected);
    }

    proptest! {
        #[test]
        fn millionths_are_those_of_the_shortest_decimal(
            count in -1_000_000_000_000_000i64..1_000_000_000_000_001, units in 1u32..9, nudge in -2i64..3,
        ) {
            // Numbers of up to 8 decimals, and their neighbours.
            let value: f64 = format!("{count}e-{units}").parse().unwrap();
            let value = f64::from_bits(value.to_bits().saturating_add_signed(nudge));
            let mut sum = ExactSum::new();
            sum.add(Number::Float(value));
            prop_assert_eq!(sum.total(), Decimal::from_f64(value));
            if units <= 6 && nudge == 0 {
                let millionths = i128::from(count.abs()) * 10i128.pow(6 - units);
                prop_assert_eq!(sum.bands.is_empty(), millionths <= 999_999_999_999_999);
            }
        }

        #[test]
        fn equals_the_sum_one_by_one(values in prop::collection::vec(any::<f64>(), 0..20)) {
            let mut sum = ExactSum::new();
            let mut expected = Decimal::ZERO;
            for value in values.into_iter().filter(|value| value.is_finite()) {
                sum.add(Number::Float(value));
                expected.add(&Decimal::from_f64(value));
            }
            prop_assert_eq!(sum.total(), expected);
        }
    }
}
