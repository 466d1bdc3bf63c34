//! Random material made from a sequence of choices: the test runner makes the sequence, and a case that fails shrinks
//! to a short sequence of small choices, whatever is made from it.

use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

/// What is left of a sequence of choices. A sequence that is used up goes on with zeros, so zero must always be the
/// choice that ends soonest.
pub(crate) struct Choices<'c> {
    bytes: std::slice::Iter<'c, u8>,
}

impl<'c> Choices<'c> {
    pub(crate) fn new(bytes: &'c [u8]) -> Choices<'c> {
        Choices { bytes: bytes.iter() }
    }

    /// A number below `count`, which is at most 256.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        assert!((1..=256).contains(&count));
        usize::from(self.bytes.next().copied().unwrap_or(0)) % count
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// Runs a test on sequences of up to `max_len` choices: `default_cases` times, or as often as `PROPTEST_CASES` says.
pub(crate) fn for_choices(
    default_cases: u32,
    max_len: usize,
    test: impl Fn(&mut Choices<'_>) -> TestCaseResult,
) {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(default_cases);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let sequences = proptest::collection::vec(any::<u8>(), 0..max_len);
    TestRunner::new(config)
        .run(&sequences, |bytes| test(&mut Choices::new(&bytes)))
        .unwrap();
}

#[test]
fn a_sequence_decides_and_zeros_follow_it() {
    let mut choices = Choices::new(&[7, 255, 2]);
    assert_eq!(
        (
            choices.below(4),
            choices.once_in(256),
            choices.pick(&["a", "b", "c"])
        ),
        (3, true, "c")
    );
    assert_eq!(
        (choices.below(9), choices.once_in(2), choices.pick(&["a", "b"])),
        (0, false, "a")
    );
}
