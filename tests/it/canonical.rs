//! The canonical form: the published vectors of RFC 8785, a million numbers, and what must hold for every value.

use assay_engine::hex::hex;
use assay_engine::json::{Document, ParseLimits, Parser, equal, parse_exact, write_canonical};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use sha2::{Digest, Sha256};

use crate::choices::for_choices;
use crate::material::{fetched, files};
use crate::texts;

fn write(document: &Document) -> Vec<u8> {
    let mut out = Vec::new();
    write_canonical(document.root(), &mut out);
    out
}

/// The canonical form of a text, which must be the same whichever reader has read it.
fn canonical(text: &[u8]) -> Vec<u8> {
    let (mut fast, mut exact) = (Document::new(), Document::new());
    Parser::default().parse(text, &mut fast).unwrap();
    parse_exact(text, &ParseLimits::default(), &mut exact).unwrap();
    let (fast, exact) = (write(&fast), write(&exact));
    assert_eq!(fast, exact, "{}", text.escape_ascii());
    exact
}

#[test]
fn the_published_vectors_come_out_to_the_byte() {
    let folder = fetched("rfc8785");
    let inputs = files(&folder.join("input"), ".json");
    assert_eq!(inputs.len(), 6);
    for input in inputs {
        let name = input.file_name().unwrap();
        let expected = std::fs::read(folder.join("output").join(name)).unwrap();
        let canonical = canonical(&std::fs::read(&input).unwrap());
        assert_eq!(canonical, expected, "{}", input.display());
        let in_hex = std::fs::read_to_string(folder.join("outhex").join(name).with_extension("txt")).unwrap();
        assert_eq!(
            hex(&canonical),
            in_hex.split_whitespace().collect::<String>(),
            "{}",
            input.display()
        );
        assert_eq!(
            self::canonical(&canonical),
            canonical,
            "a canonical form is its own"
        );
    }
}

#[test]
fn members_stand_in_the_order_of_utf16_code_units() {
    let cases = [
        // A surrogate pair sorts before the last characters of the basic plane, unlike its code point.
        (
            "{\"\u{ff01}\":1,\"\u{1f600}\":2}",
            "{\"\u{1f600}\":2,\"\u{ff01}\":1}",
        ),
        (
            "{\"\u{e000}\":1,\"\u{10ffff}\":2,\"\u{d7ff}\":3}",
            "{\"\u{d7ff}\":3,\"\u{10ffff}\":2,\"\u{e000}\":1}",
        ),
        (
            "{\"a\u{ffff}\":1,\"a\u{10000}\":2,\"a\":3}",
            "{\"a\":3,\"a\u{10000}\":2,\"a\u{ffff}\":1}",
        ),
        (
            "{\"b\":1,\"B\":2,\"\":3,\"10\":4,\"9\":5,\"é\":6}",
            "{\"\":3,\"10\":4,\"9\":5,\"B\":2,\"b\":1,\"é\":6}",
        ),
        (
            "{\"\\u0080\":1,\"\\u007f\":2,\"\\n\":3}",
            "{\"\\n\":3,\"\u{7f}\":2,\"\u{80}\":1}",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(String::from_utf8(canonical(text.as_bytes())).unwrap(), expected);
    }
}

#[test]
fn integers_keep_their_digits_and_other_numbers_print_as_ecmascript_prints_them() {
    let cases = [
        ("9007199254740993", "9007199254740993"),
        ("-9007199254740993", "-9007199254740993"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775809", "-9223372036854775809"),
        (
            "1000000000000000000000000000000",
            "1000000000000000000000000000000",
        ),
        ("-0", "0"),
        ("9007199254740993.0", "9007199254740992"),
        ("9007199254740993e0", "9007199254740992"),
        ("1.0", "1"),
        ("-0.0", "0"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("4.50", "4.5"),
        ("333333333.33333329", "333333333.3333333"),
    ];
    for (text, expected) in cases {
        assert_eq!(
            String::from_utf8(canonical(text.as_bytes())).unwrap(),
            expected,
            "{text}"
        );
    }
}

/// The doubles of the ECMAScript number test that belongs to RFC 8785: some fixed ones, the first normal doubles one
/// after the other, and then whatever a chain of SHA-256 digests gives, read as little-endian doubles.
struct TestNumbers {
    fixed: std::vec::IntoIter<f64>,
    block: [u8; 32],
    next_in_block: usize,
}

impl TestNumbers {
    fn new() -> TestNumbers {
        let serial = (0..2000).map(|at| f64::from_bits(f64::MIN_POSITIVE.to_bits() + at));
        let fixed: Vec<f64> = fixed_numbers().into_iter().chain(serial).collect();
        TestNumbers {
            fixed: fixed.into_iter(),
            block: [0; 32],
            next_in_block: 32,
        }
    }
}

impl Iterator for TestNumbers {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        self.fixed.next().or_else(|| {
            loop {
                if self.next_in_block == 32 {
                    self.block = Sha256::digest(self.block).into();
                    self.next_in_block = 0;
                }
                let bytes = &self.block[self.next_in_block..self.next_in_block + 8];
                self.next_in_block += 8;
                let number = f64::from_le_bytes(bytes.try_into().unwrap());
                if number != 0.0 && number.is_finite() {
                    return Some(number);
                }
            }
        })
    }
}

/// The 168 fixed numbers, in their order: zeros, thirds of powers of ten, numbers that are five in some decimal place,
/// and the neighbours of limits.
fn fixed_numbers() -> Vec<f64> {
    /// Thirds of powers of ten, 1e22 down to 1e-27, each as some arithmetic came upon it, so not all are the nearest.
    const THIRDS: [u64; 50] = [
        0x446696695dbd1cc3,
        0x443211ede4974a35,
        0x43fce97ca0f21056,
        0x43c7213080c1a6ac,
        0x439280f39a348556,
        0x435d9b1f5d20d557,
        0x4327af4c4a80aaac,
        0x42f2f2a36ecd5556,
        0x42be51057e155558,
        0x428840d131aaaaac,
        0x4253670dc1555557,
        0x421f0b4935555557,
        0x41e8d5d42aaaaaac,
        0x41b3de4355555556,
        0x417fca0555555556,
        0x41496e6aaaaaaaab,
        0x4114585555555555,
        0x40e046aaaaaaaaab,
        0x40aa0aaaaaaaaaaa,
        0x4074d55555555555,
        0x4040aaaaaaaaaaab,
        0x400aaaaaaaaaaaab,
        0x3fd5555555555555,
        0x3fa1111111111111,
        0x3f6b4e81b4e81b4f,
        0x3f35d867c3ece2a5,
        0x3f0179ec9cbd821e,
        0x3ecbf647612f3696,
        0x3e965e9f80f29212,
        0x3e61e54c672874db,
        0x3e2ca213d840baf8,
        0x3df6e80fe033c8c6,
        0x3dc2533fe68fd3d2,
        0x3d8d51ffd74c861c,
        0x3d5774ccac3d3817,
        0x3d22c3d6f030f9ac,
        0x3cee0624b3818f79,
        0x3cb804ea293472c7,
        0x3c833721ba905bd3,
        0x3c4ebe9c5db3c61e,
        0x3c18987d17c304e5,
        0x3be3ad30dfcf371d,
        0x3baf7b816618582f,
        0x3b792f9ab81379bf,
        0x3b442615600f9499,
        0x3b101e77800c76e1,
        0x3ad9ca58cce0be35,
        0x3aa4a1e0a3e6fe90,
        0x3a708180831f320d,
        0x3a3a68cd9e985016,
    ];
    const NEIGHBOURS: [u64; 38] = [
        0x3ff0000000000000,
        0xbff0000000000000,
        0xbfeffffffffffffa,
        0xbfeffffffffffffb,
        0x3feffffffffffffa,
        0x3feffffffffffffb,
        0x3feffffffffffffc,
        0x3feffffffffffffe,
        0xbfefffffffffffff,
        0xbfefffffffffffff,
        0x3fefffffffffffff,
        0x3fefffffffffffff,
        0x3fd3333333333332,
        0x3fd3333333333333,
        0x3fd3333333333334,
        0x0010000000000000,
        0x000ffffffffffffd,
        0x000fffffffffffff,
        0x7fefffffffffffff,
        0xffefffffffffffff,
        0x4340000000000000,
        0xc340000000000000,
        0x4430000000000000,
        0x44b52d02c7e14af5,
        0x44b52d02c7e14af6,
        0x44b52d02c7e14af7,
        0x444b1ae4d6e2ef4e,
        0x444b1ae4d6e2ef4f,
        0x444b1ae4d6e2ef50,
        0x3eb0c6f7a0b5ed8c,
        0x3eb0c6f7a0b5ed8d,
        0x41b3de4355555553,
        0x41b3de4355555554,
        0x41b3de4355555555,
        0x41b3de4355555556,
        0x41b3de4355555557,
        0xbecbf647612f3696,
        0x43143ff3c1cb0959,
    ];
    let thirds = THIRDS.map(f64::from_bits);
    let mut numbers = vec![0.0, -0.0, f64::from_bits(1), -f64::from_bits(1)];
    numbers.extend(thirds.map(|third| -third));
    numbers.extend(thirds);
    numbers.extend([10.0, 5.0]);
    numbers.extend((1..10).map(|place| format!("5e-{place}").parse::<f64>().unwrap()));
    numbers.extend((1..16).map(|zeros| format!("5.{}6e-6", "0".repeat(zeros)).parse::<f64>().unwrap()));
    numbers.extend(NEIGHBOURS.map(f64::from_bits));
    numbers
}

#[test]
fn a_million_numbers_print_as_ecmascript_prints_them() {
    const CHECKSUMS: [(usize, &str); 4] = [
        (
            1_000,
            "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
        ),
        (
            10_000,
            "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
        ),
        (
            100_000,
            "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
        ),
        (
            1_000_000,
            "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16",
        ),
    ];
    /// Numbers written and read as one array.
    const AT_ONCE: usize = 1_000;
    assert_eq!(fixed_numbers().len(), 168);
    let mut numbers = TestNumbers::new();
    let mut lines = Sha256::new();
    let mut checksums = CHECKSUMS.into_iter();
    let mut next = checksums.next();
    let mut written = 0;
    while let Some((count, checksum)) = next {
        let some: Vec<f64> = numbers.by_ref().take(AT_ONCE).collect();
        // Rust's shortest form with an exponent: read back it is the same double, and never an integer.
        let text: Vec<String> = some.iter().map(|number| format!("{number:e}")).collect();
        let canonical = String::from_utf8(canonical(format!("[{}]", text.join(",")).as_bytes())).unwrap();
        let printed: Vec<&str> = canonical[1..canonical.len() - 1].split(',').collect();
        assert_eq!(printed.len(), AT_ONCE);
        for (number, printed) in some.iter().zip(printed) {
            lines.update(format!("{:x},{printed}\n", number.to_bits()));
        }
        written += AT_ONCE;
        if written == count {
            assert_eq!(hex(&lines.clone().finalize()), checksum, "{count} lines");
            next = checksums.next();
        }
    }
}

#[test]
fn a_canonical_form_is_its_own_and_equal_to_what_it_was_made_from() {
    let tried = std::cell::Cell::new(0);
    for_choices(3_000, 400, |choices| -> TestCaseResult {
        let text = texts::text(choices);
        let mut document = Document::new();
        if Parser::default().parse(text.as_bytes(), &mut document).is_err() {
            return Ok(());
        }
        tried.set(tried.get() + 1);
        let once = canonical(text.as_bytes());
        let mut again = Document::new();
        Parser::default().parse(&once, &mut again).unwrap();
        prop_assert_eq!(canonical(&once), once.clone());
        prop_assert!(
            equal(document.root(), again.root()),
            "{} {}",
            text,
            once.escape_ascii()
        );
        Ok(())
    });
    assert!(tried.get() > 2_000, "only {} of the texts were JSON", tried.get());
}
