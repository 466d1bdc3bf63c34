//! Numbers by their decimal value (protocol, section 2).
//!
//! An integer written without fraction or exponent is exact; every other number is the double nearest to it, read as
//! the shortest decimal that ECMAScript prints for it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hasher;

use super::decimal::Decimal;

/// The largest magnitude up to which every integer is a double.
const MAX_EXACT_DOUBLE: u64 = 1 << 53;

/// From this double on, none is as near to zero as an integer of 64 bits.
const PAST_64_BITS: f64 = 2e19;

/// A JSON number.
#[derive(Clone, Copy, Debug)]
pub enum Number<'d> {
    /// An integer that an `i64` holds.
    Integer(i64),
    /// An integer above `i64::MAX` that a `u64` holds.
    Unsigned(u64),
    /// Any other integer, by its digits.
    Big(&'d str),
    /// A number written with a fraction or an exponent.
    Float(f64),
}

impl Number<'_> {
    /// Whether it was written without fraction and exponent.
    pub fn is_written_as_integer(self) -> bool {
        !matches!(self, Number::Float(_))
    }

    /// Whether its value is whole, however it was written.
    pub fn is_whole(self) -> bool {
        match self {
            Number::Float(value) => value.fract() == 0.0,
            _ => true,
        }
    }

    /// The nearest double; infinite for an integer past its range.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Unsigned(value) => value as f64,
            Number::Big(digits) => digits.parse().unwrap_or(f64::NAN),
            Number::Float(value) => value,
        }
    }

    /// The exact value.
    pub fn to_decimal(self) -> Decimal {
        match self {
            Number::Integer(value) => Decimal::from_integer(i128::from(value)),
            Number::Unsigned(value) => Decimal::from_integer(i128::from(value)),
            Number::Big(digits) => Decimal::from_digits(digits),
            Number::Float(value) => Decimal::from_f64(value),
        }
    }

    /// Feeds the value to a hasher: equal values feed the same, however they are written.
    pub(super) fn hash_value(self, hasher: &mut impl Hasher) {
        let (negative, digits) = match self {
            Number::Big(digits) => match digits.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, digits),
            },
            _ => return self.to_decimal().hash_value(hasher),
        };
        let significant = digits.trim_end_matches('0');
        match significant.parse::<i128>() {
            Ok(value) => {
                let exponent = (digits.len() - significant.len()) as i32;
                Decimal::scaled(if negative { -value } else { value }, exponent).hash_value(hasher);
            }
            // No double and no smaller integer has so many significant digits.
            Err(_) => hasher.write(digits.as_bytes()),
        }
    }

    /// Compares the values.
    pub fn compare(self, other: Number<'_>) -> Ordering {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a.cmp(&b),
            // The shortest decimals of doubles are in the order of the doubles.
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            // Up to 2^53 every integer is a double, so the double's decimal lies on the same side of it.
            (Number::Integer(a), Number::Float(b)) if a.unsigned_abs() <= MAX_EXACT_DOUBLE => {
                (a as f64).partial_cmp(&b).unwrap_or(Ordering::Equal)
            }
            (Number::Float(a), Number::Integer(b)) if b.unsigned_abs() <= MAX_EXACT_DOUBLE => {
                a.partial_cmp(&(b as f64)).unwrap_or(Ordering::Equal)
            }
            (Number::Big(a), Number::Big(b)) => compare_digits(a, b),
            // Longer than every integer of 64 bits, so its sign decides.
            (Number::Big(a), Number::Integer(_) | Number::Unsigned(_)) => sign_of(a),
            (Number::Integer(_) | Number::Unsigned(_), Number::Big(b)) => sign_of(b).reverse(),
            (Number::Big(a), Number::Float(b)) => compare_digits_to_double(a, b),
            (Number::Float(a), Number::Big(b)) => compare_digits_to_double(b, a).reverse(),
            (a, Number::Float(b)) if b.abs() >= PAST_64_BITS => 0.0.partial_cmp(&b).unwrap_or(a.sign()),
            (Number::Float(a), b) if a.abs() >= PAST_64_BITS => a.partial_cmp(&0.0).unwrap_or(b.sign()),
            // What is left are integers past 2^53 with doubles of whatever smallness, of which only the whole ones
            // come near.
            (a, Number::Float(b)) if b.abs() < 1.0 => a.sign(),
            (Number::Float(a), b) if a.abs() < 1.0 => b.sign().reverse(),
            (a, b) => a.to_decimal().cmp(&b.to_decimal()),
        }
    }

    /// How it compares to zero.
    fn sign(self) -> Ordering {
        match self {
            Number::Integer(value) => value.cmp(&0),
            Number::Unsigned(_) => Ordering::Greater,
            Number::Big(digits) => sign_of(digits),
            Number::Float(value) => value.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
        }
    }

    /// The steps that [`Number::is_multiple_of`] takes beyond one: division of long numbers takes the square of their
    /// length.
    pub(crate) fn multiple_cost(self, divisor: Number<'_>) -> u64 {
        /// Squared digits divided in about the time of one step.
        const PER_STEP: u64 = 4_096;
        match (self, divisor) {
            (Number::Integer(_), Number::Integer(_)) => 0,
            (a, b) => a.aligned_digits(b).saturating_pow(2) / PER_STEP,
        }
    }

    /// About how many digits two numbers have together when they are written with one exponent.
    fn aligned_digits(self, other: Number<'_>) -> u64 {
        let places = |number: Number<'_>| match number {
            Number::Integer(_) | Number::Unsigned(_) => (20, 0),
            Number::Big(digits) => (digits.len() as i64, 0),
            Number::Float(value) => {
                // The exponent of two, and about that of ten; a double has 17 digits at the most.
                let binary = (value.to_bits() >> 52 & 0x7ff) as i64 - 1023;
                let exponent = binary * 3 / 10;
                (exponent.max(0) + 1, exponent.min(0) - 17)
            }
        };
        let ((high_a, low_a), (high_b, low_b)) = (places(self), places(other));
        (high_a.max(high_b) - low_a.min(low_b)).unsigned_abs()
    }

    /// Whether it is a whole multiple of `divisor`, which is greater than zero.
    pub fn is_multiple_of(self, divisor: Number<'_>) -> bool {
        match (self, divisor) {
            (Number::Integer(a), Number::Integer(b)) if b != 0 => {
                a.checked_rem(b).is_none_or(|rest| rest == 0)
            }
            (a, b) => a.to_decimal().is_multiple_of(&b.to_decimal()),
        }
    }
}

/// How a written integer compares to zero, which it is not.
fn sign_of(digits: &str) -> Ordering {
    if digits.starts_with('-') {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

/// Compares integers by their digits, which have no leading zeros.
fn compare_digits(a: &str, b: &str) -> Ordering {
    let by_magnitude = |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (Some(a), Some(b)) => by_magnitude(b, a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => by_magnitude(a, b),
    }
}

/// Compares an integer past 64 bits to a double.
fn compare_digits_to_double(digits: &str, double: f64) -> Ordering {
    /// Below this a double is nearer to zero than every such integer, and from it on it is whole.
    const WITHIN_64_BITS: f64 = 9e18;
    let sign = sign_of(digits);
    let has_other_sign = (sign == Ordering::Less) != (double < 0.0);
    if double.abs() < WITHIN_64_BITS || has_other_sign {
        return sign;
    }
    // Mostly the lengths tell: a double has about three digits for ten bits of its exponent.
    let about = (double.to_bits() >> 52 & 0x7ff) as usize - 1023;
    let about = about * 30_103 / 100_000 + 1;
    let len = digits.len() - usize::from(sign == Ordering::Less);
    if len > about + 2 {
        return sign;
    }
    if len + 2 < about {
        return sign.reverse();
    }
    let mut buffer = ryu_js::Buffer::new();
    let printed = buffer.format(double.abs());
    let (mantissa, exponent) = printed.split_once("e+").unwrap_or((printed, ""));
    // Without an exponent it is printed with all its digits.
    let len = match exponent.parse::<usize>() {
        Ok(exponent) => exponent + 1,
        Err(_) => mantissa.len(),
    };
    let digits = digits.trim_start_matches('-').as_bytes();
    let significant = mantissa.bytes().filter(|byte| *byte != b'.');
    let other = significant.chain(std::iter::repeat(b'0'));
    let by_magnitude = digits
        .len()
        .cmp(&len)
        .then_with(|| digits.iter().copied().cmp(other.take(digits.len())));
    if sign == Ordering::Less {
        by_magnitude.reverse()
    } else {
        by_magnitude
    }
}

/// Prints it as the texts of a response do: an integer as written, every other number as Python prints the double.
impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Number::Integer(value) => value.fmt(f),
            Number::Unsigned(value) => value.fmt(f),
            Number::Big(digits) => f.write_str(digits),
            Number::Float(value) => write_double(f, value),
        }
    }
}

/// Writes a double as Python's `repr` does: shortest digits, an exponent below 1e-4 and from 1e16.
fn write_double(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) {
        return write!(f, "{value:?}");
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.strip_prefix('-') {
        Some(digits) => write!(f, "{mantissa}e-{digits:0>2}"),
        None => write!(f, "{mantissa}e+{exponent:0>2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_published_texts_do() {
        let cases = [
            (135.0, "135.0"),
            (129.5, "129.5"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (9007199254740992.0, "9007199254740992.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-1.25e-7, "-1.25e-07"),
            (5e-324, "5e-324"),
        ];
        for (value, text) in cases {
            assert_eq!(Number::Float(value).to_string(), text);
        }
        assert_eq!(Number::Integer(135).to_string(), "135");
    }

    #[test]
    fn compares_by_decimal_value() {
        let big = Number::Big("100000000000000000000000");
        assert_eq!(big.compare(Number::Float(1e23)), Ordering::Equal);
        assert_eq!(
            Number::Integer(9_007_199_254_740_993).compare(Number::Float(9_007_199_254_740_992.0)),
            Ordering::Greater
        );
        assert_eq!(
            Number::Unsigned(u64::MAX).compare(Number::Float(18_446_744_073_709_551_616.0)),
            Ordering::Less
        );
        assert_eq!(
            Number::Integer(i64::MIN).compare(Number::Float(-9.3e18)),
            Ordering::Greater
        );
        assert_eq!(Number::Float(-0.0).compare(Number::Integer(0)), Ordering::Equal);
        assert_eq!(Number::Float(0.1).compare(Number::Integer(0)), Ordering::Greater);
    }

    /// Against the arithmetic of decimals, which takes no short cuts.
    #[test]
    fn every_form_compares_as_its_decimal_does() {
        let mut big = vec![
            "9223372036854775808".to_owned(),
            "18446744073709551616".to_owned(),
            "20000000000000000000".to_owned(),
            "99999999999999991611392".to_owned(),
            "100000000000000000000000".to_owned(),
            format!("1{}", "0".repeat(308)),
            format!("17{}", "9".repeat(307)),
            format!("3{}", "0".repeat(999)),
        ];
        big.extend(big.clone().iter().map(|digits| format!("-{digits}")));
        // What 64 bits hold is read as such.
        big.retain(|digits| digits.parse::<u64>().is_err() && digits.parse::<i64>().is_err());
        let integers = [
            0,
            1,
            -1,
            10,
            1 << 53,
            (1 << 53) + 1,
            -(1 << 53) - 1,
            i64::MAX,
            i64::MIN,
            i64::MAX - 1,
        ];
        let doubles = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1e-300,
            -1e-300,
            5e-324,
            9007199254740992.0,
            9007199254740994.0,
            9.223372036854775e18,
            9.223372036854776e18,
            -9.223372036854776e18,
            1.8446744073709552e19,
            2e19,
            -2e19,
            1e23,
            1e23,
            1.7976931348623157e308,
            -1e308,
            1e300,
        ];
        let mut numbers: Vec<Number<'_>> = big.iter().map(|digits| Number::Big(digits)).collect();
        numbers.extend(integers.map(Number::Integer));
        numbers.extend([u64::MAX, u64::MAX - 1, 1 << 63].map(Number::Unsigned));
        numbers.extend(doubles.map(Number::Float));
        for a in &numbers {
            for b in &numbers {
                assert_eq!(a.compare(*b), a.to_decimal().cmp(&b.to_decimal()), "{a} {b}");
            }
        }
    }

    #[test]
    fn multiples_are_decimal() {
        let yes = [
            (10.1, 0.1),
            (78.0, 0.1),
            (583333.33, 0.01),
            (19.99, 0.01),
            (1e308, 1e-300),
            (0.0, 0.3),
            (1e20, 0.01),
        ];
        let no = [(1.005, 0.01), (10001.125, 0.01), (1e-300, 1e300), (0.15, 0.1)];
        for (value, divisor) in yes {
            assert!(
                Number::Float(value).is_multiple_of(Number::Float(divisor)),
                "{value} {divisor}"
            );
        }
        for (value, divisor) in no {
            assert!(
                !Number::Float(value).is_multiple_of(Number::Float(divisor)),
                "{value} {divisor}"
            );
        }
        assert!(Number::Big("18446744073709551620").is_multiple_of(Number::Integer(10)));
        assert!(!Number::Integer(9_007_199_254_740_993).is_multiple_of(Number::Integer(2)));
        assert!(Number::Integer(i64::MIN).is_multiple_of(Number::Integer(-1)));
    }
}
