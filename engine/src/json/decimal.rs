//! Exact decimal arithmetic: a whole coefficient times a power of ten.
//!
//! Coefficients are `i128` as long as that holds them, which is nearly always, and big integers past it. Exponents stay
//! within what doubles and the digit limit allow, so no operation takes more than some thousand digits.

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hasher;

use num_bigint::BigInt;

/// An exact decimal number, `coefficient × 10^exponent`.
#[derive(Clone, Debug)]
pub struct Decimal {
    coefficient: Coefficient,
    exponent: i32,
}

#[derive(Clone, Debug)]
enum Coefficient {
    Small(i128),
    Big(BigInt),
}

impl Coefficient {
    fn to_big(&self) -> BigInt {
        match self {
            Coefficient::Small(value) => BigInt::from(*value),
            Coefficient::Big(value) => value.clone(),
        }
    }

    fn is_zero(&self) -> bool {
        match self {
            Coefficient::Small(value) => *value == 0,
            Coefficient::Big(value) => *value == BigInt::ZERO,
        }
    }
}

/// 10^power, when an `i128` holds it.
fn small_power_of_ten(power: u32) -> Option<i128> {
    10i128.checked_pow(power)
}

impl Decimal {
    /// Zero.
    pub const ZERO: Decimal = Decimal {
        coefficient: Coefficient::Small(0),
        exponent: 0,
    };

    /// A whole number.
    pub fn from_integer(value: i128) -> Decimal {
        Decimal {
            coefficient: Coefficient::Small(value),
            exponent: 0,
        }
    }

    /// `coefficient × 10^exponent`.
    pub(super) fn scaled(coefficient: i128, exponent: i32) -> Decimal {
        Decimal {
            coefficient: Coefficient::Small(coefficient),
            exponent,
        }
    }

    /// Feeds the value, less its trailing zeros, to a hasher. For coefficients that an `i128` holds.
    pub(super) fn hash_value(&self, hasher: &mut impl Hasher) {
        let Coefficient::Small(mut coefficient) = self.coefficient else {
            return;
        };
        let mut exponent = self.exponent;
        if coefficient == 0 {
            exponent = 0;
        }
        while coefficient != 0 && coefficient % 10 == 0 {
            coefficient /= 10;
            exponent += 1;
        }
        hasher.write_i128(coefficient);
        hasher.write_i32(exponent);
    }

    /// A whole number from its digits, with an optional minus sign before them.
    pub(super) fn from_digits(digits: &str) -> Decimal {
        let coefficient = match digits.parse::<i128>() {
            Ok(value) => Coefficient::Small(value),
            Err(_) => Coefficient::Big(digits.parse().unwrap_or(BigInt::ZERO)),
        };
        Decimal {
            coefficient,
            exponent: 0,
        }
    }

    /// The shortest decimal that rounds to the double, as ECMAScript prints it.
    pub fn from_f64(value: f64) -> Decimal {
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format(value);
        let (mantissa, exponent) = match text.split_once('e') {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().unwrap_or(0)),
            None => (text, 0),
        };
        let mut coefficient: i128 = 0;
        let mut scale = 0;
        let mut after_point = false;
        let mut negative = false;
        for byte in mantissa.bytes() {
            match byte {
                b'-' => negative = true,
                b'.' => after_point = true,
                digit => {
                    coefficient = coefficient * 10 + i128::from(digit.wrapping_sub(b'0'));
                    scale += i32::from(after_point);
                }
            }
        }
        if negative {
            coefficient = -coefficient;
        }
        Decimal {
            coefficient: Coefficient::Small(coefficient),
            exponent: exponent - scale,
        }
    }

    /// Whether it has no fraction.
    pub fn is_whole(&self) -> bool {
        self.is_multiple_of(&Decimal::from_integer(1))
    }

    /// Brings two numbers to the smaller of their exponents and gives the coefficients there.
    fn align(&self, other: &Decimal) -> (Coefficient, Coefficient, i32) {
        let exponent = self.exponent.min(other.exponent);
        (
            self.coefficient_at(exponent),
            other.coefficient_at(exponent),
            exponent,
        )
    }

    fn coefficient_at(&self, exponent: i32) -> Coefficient {
        let power = (self.exponent - exponent).unsigned_abs();
        if power == 0 || self.coefficient.is_zero() {
            return self.coefficient.clone();
        }
        if let Coefficient::Small(value) = self.coefficient
            && let Some(scaled) = small_power_of_ten(power).and_then(|factor| value.checked_mul(factor))
        {
            return Coefficient::Small(scaled);
        }
        Coefficient::Big(self.coefficient.to_big() * BigInt::from(10).pow(power))
    }

    /// Adds `other` to it, exactly.
    pub fn add(&mut self, other: &Decimal) {
        let (a, b, exponent) = self.align(other);
        self.exponent = exponent;
        self.coefficient = match (&a, &b) {
            (Coefficient::Small(x), Coefficient::Small(y)) => match x.checked_add(*y) {
                Some(sum) => Coefficient::Small(sum),
                None => Coefficient::Big(a.to_big() + b.to_big()),
            },
            _ => Coefficient::Big(a.to_big() + b.to_big()),
        };
    }

    /// The distance between the two numbers.
    pub fn distance(&self, other: &Decimal) -> Decimal {
        let mut result = self.clone();
        result.add(&other.negated());
        if result.cmp(&Decimal::ZERO) == Ordering::Less {
            result.negated()
        } else {
            result
        }
    }

    fn negated(&self) -> Decimal {
        let coefficient = match &self.coefficient {
            Coefficient::Small(value) => match value.checked_neg() {
                Some(negative) => Coefficient::Small(negative),
                None => Coefficient::Big(-BigInt::from(*value)),
            },
            Coefficient::Big(value) => Coefficient::Big(-value.clone()),
        };
        Decimal {
            coefficient,
            exponent: self.exponent,
        }
    }

    /// Whether it is a whole multiple of `divisor`; nothing is a multiple of zero.
    pub fn is_multiple_of(&self, divisor: &Decimal) -> bool {
        if divisor.coefficient.is_zero() {
            return false;
        }
        let (a, b, _) = self.align(divisor);
        match (&a, &b) {
            (Coefficient::Small(x), Coefficient::Small(y)) => x.checked_rem(*y).is_none_or(|rest| rest == 0),
            _ => a.to_big() % b.to_big() == BigInt::ZERO,
        }
    }

    /// Prints it as a sum stands in a response: like an integer when every summand was written as one, else like a
    /// double (`129.5`, `135.0`), but with all its digits.
    pub fn display(&self, written_as_integers: bool) -> String {
        let digits = match &self.coefficient {
            Coefficient::Small(value) => value.to_string(),
            Coefficient::Big(value) => value.to_string(),
        };
        let (sign, digits) = match digits.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", digits.as_str()),
        };
        let trimmed = digits.trim_end_matches('0');
        if trimmed.is_empty() {
            return if written_as_integers {
                "0".into()
            } else {
                "0.0".into()
            };
        }
        if written_as_integers && self.exponent == 0 {
            return format!("{sign}{digits}");
        }
        let exponent = i64::from(self.exponent) + (digits.len() - trimmed.len()) as i64;
        // The place of the decimal point, counted from the first digit.
        let point = trimmed.len() as i64 + exponent;
        /// Past this many zeros between the digits and the point a power of ten is easier to read.
        const MAX_ZEROS: i64 = 16;
        if exponent >= 0 && point <= MAX_ZEROS {
            let zeros = "0".repeat(exponent as usize);
            return format!("{sign}{trimmed}{zeros}.0");
        }
        if exponent < 0 && point > 0 {
            let (whole, fraction) = trimmed.split_at(point as usize);
            return format!("{sign}{whole}.{fraction}");
        }
        if exponent < 0 && point > -4 {
            let zeros = "0".repeat((-point) as usize);
            return format!("{sign}0.{zeros}{trimmed}");
        }
        let (first, rest) = trimmed.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let power = point - 1;
        let power_sign = if power < 0 { '-' } else { '+' };
        format!("{sign}{first}{dot}{rest}e{power_sign}{:02}", power.abs())
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let (a, b, _) = self.align(other);
        match (&a, &b) {
            (Coefficient::Small(x), Coefficient::Small(y)) => x.cmp(y),
            _ => a.to_big().cmp(&b.to_big()),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f64]) -> Decimal {
        let mut total = Decimal::ZERO;
        for value in values {
            total.add(&Decimal::from_f64(*value));
        }
        total
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(sum(&[0.1, 0.2]), Decimal::from_f64(0.3));
        assert_eq!(sum(&[0.1; 10]), Decimal::from_integer(1));
        assert_eq!(sum(&[1e16, 1.0, -1e16]), Decimal::from_integer(1));
        assert_eq!(sum(&[1e300, 1e-300, -1e300]), Decimal::from_f64(1e-300));
        assert_eq!(
            sum(&[1.7976931348623157e308; 3]).to_string(),
            "5.3930794045869471e+308"
        );
    }

    #[test]
    fn prints_sums_like_the_published_texts() {
        assert_eq!(sum(&[87.0, 42.5]).to_string(), "129.5");
        assert_eq!(sum(&[100.0, 35.0]).to_string(), "135.0");
        assert_eq!(sum(&[]).to_string(), "0.0");
        assert_eq!(sum(&[0.001, 0.002]).to_string(), "0.003");
        assert_eq!(sum(&[-1.0, -0.5]).to_string(), "-1.5");
        assert_eq!(sum(&[1e-7]).to_string(), "1e-07");
        let mut whole = Decimal::from_integer(130);
        whole.add(&Decimal::from_integer(5));
        assert_eq!(whole.display(true), "135");
        assert_eq!(Decimal::from_integer(120).display(true), "120");
        assert_eq!(Decimal::ZERO.display(true), "0");
    }

    #[test]
    fn a_decimal_past_128_bits_stays_exact() {
        let nines = "9".repeat(1000);
        let mut value = Decimal::from_digits(&nines);
        value.add(&Decimal::from_integer(1));
        assert_eq!(value.display(true), format!("1{}", "0".repeat(1000)));
        assert!(value.is_multiple_of(&Decimal::from_f64(1e300)));
        assert!(value > Decimal::from_f64(1.7e308));
        let extreme = Decimal::from_integer(i128::MIN);
        assert_eq!(
            extreme.distance(&Decimal::ZERO).cmp(&Decimal::ZERO),
            Ordering::Greater
        );
    }
}
