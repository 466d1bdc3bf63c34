//! What a check found: counts, and the violations behind them. A failed check is a value here, never an error.

use smallvec::SmallVec;

use crate::limits::MAX_LIST_ENTRIES;

/// The part of the check that a violation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The JSON Schema.
    Schema,
    /// A rule or a bound.
    Integrity,
    /// A content check.
    Content,
}

impl Source {
    /// Its name in a hint.
    pub fn name(self) -> &'static str {
        match self {
            Source::Schema => "schema",
            Source::Integrity => "integrity",
            Source::Content => "content",
        }
    }
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The check by its full name: `schema:minimum`, `consistency:sum_equals`, `bounds:range`, `content:empty_text`.
    pub check: CheckName,
    /// Where: `line_items[0].qty`, a rule's own path where the whole of it is meant, `$` for the root.
    pub field: String,
    /// What would have been right.
    pub expected: String,
    /// What is there, quoted values cut at [`crate::limits::MAX_QUOTED_CHARS`] characters.
    pub found: String,
    /// Both in one sentence.
    pub detail: String,
}

impl Violation {
    /// The field as a path from the root: `$.line_items[0].qty`.
    pub fn path(&self) -> String {
        match self.field.as_bytes().first() {
            None => "$".to_owned(),
            Some(b'$') if self.field.len() == 1 => "$".to_owned(),
            Some(b'[') => format!("${}", self.field),
            Some(_) => format!("$.{}", self.field),
        }
    }
}

/// The full name of a check. The names are few and known when the program is built or come back from a ledger.
pub type CheckName = std::borrow::Cow<'static, str>;

/// How many checks were made and how many held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that held.
    pub passed: u64,
    /// Checks made.
    pub total: u64,
}

impl Tally {
    /// Counts one check.
    pub fn count(&mut self, held: bool) {
        self.total += 1;
        self.passed += u64::from(held);
    }

    /// Counts checks that held.
    pub(crate) fn count_held(&mut self, checks: u64) {
        self.total += checks;
        self.passed += checks;
    }

    /// The two tallies together.
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            passed: self.passed + other.passed,
            total: self.total + other.total,
        }
    }

    /// `passed / total` rounded to six decimals, half to even; 1 when nothing was checked.
    pub fn ratio(self) -> f64 {
        if self.total == 0 || self.passed == self.total {
            return 1.0;
        }
        let exact = self.passed as f64 / self.total as f64;
        format!("{exact:.6}").parse().unwrap_or(exact)
    }
}

/// Violations of one kind: the first ones in full, all of them counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// The first [`MAX_LIST_ENTRIES`].
    pub entries: Vec<Violation>,
    /// How many there are in all.
    pub total: u64,
    /// The name of every check that was violated, each once, in the order in which it first was.
    pub checks: SmallVec<[CheckName; 2]>,
}

impl Violations {
    /// Adds a violation of `check`, whose texts are made only when the list still takes them.
    pub fn add(&mut self, check: &'static str, describe: impl FnOnce() -> Violation) {
        self.total += 1;
        if !self.checks.iter().any(|known| known == check) {
            self.checks.push(CheckName::Borrowed(check));
        }
        if self.entries.len() < MAX_LIST_ENTRIES {
            self.entries.push(describe());
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

/// Whether the deliverable is what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing blocks.
    Pass,
    /// Something does.
    Fail,
}

impl Outcome {
    /// Its name in a response.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
        }
    }
}

/// Everything that a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Assertions of the schema.
    pub schema: Tally,
    /// Content checks, rules and bounds.
    pub integrity: Tally,
    /// Violations of the schema: they always block.
    pub schema_violations: Violations,
    /// Flags of the content checks: they block under `strict_content_check`.
    pub content_violations: Violations,
    /// Violations of rules, then of bounds: they block under `enforce_rules`.
    pub rule_violations: Violations,
}

impl Verdict {
    /// The result under the two settings of the request.
    pub fn outcome(&self, enforce_rules: bool, strict_content_check: bool) -> Outcome {
        let blocked = !self.schema_violations.is_empty()
            || (strict_content_check && !self.content_violations.is_empty())
            || (enforce_rules && !self.rule_violations.is_empty());
        if blocked { Outcome::Fail } else { Outcome::Pass }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_round_half_to_even_at_six_decimals() {
        let ratio = |passed, total| Tally { passed, total }.ratio();
        assert_eq!(ratio(29, 30), 0.966667);
        assert_eq!(ratio(7, 8), 0.875);
        assert_eq!(ratio(22, 22), 1.0);
        assert_eq!(ratio(0, 0), 1.0);
        assert_eq!(ratio(0, 3), 0.0);
        assert_eq!(ratio(1, 128), 0.007812);
        assert_eq!(ratio(3, 128), 0.023438);
        assert_eq!(ratio(999_999_999, 1_000_000_000), 1.0);
    }
}
