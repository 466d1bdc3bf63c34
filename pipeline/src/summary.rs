//! What a run came to.

use std::collections::HashMap;
use std::time::Duration;

use assay_engine::schema::CacheStatistics;

use crate::answer::{Answer, Answers};

/// The counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Receipts that say pass.
    pub passed: u64,
    /// Receipts that say fail.
    pub failed: u64,
    /// Records that could not be checked.
    pub errors: u64,
    /// Records answered by an earlier run that this one took up.
    pub resumed: u64,
    /// How often each check blocked and each error occurred.
    pub causes: HashMap<String, u64>,
    /// How long it took.
    pub elapsed: Duration,
    /// How the schema cache did.
    pub cache: CacheStatistics,
}

impl Summary {
    /// Receipts written.
    pub fn receipts(&self) -> u64 {
        self.passed + self.failed
    }

    /// Answers a second.
    pub fn rate(&self) -> f64 {
        let answers = (self.receipts() + self.errors) as f64;
        if self.elapsed.is_zero() {
            0.0
        } else {
            answers / self.elapsed.as_secs_f64()
        }
    }

    /// The most frequent causes of failures and errors, most frequent first.
    pub fn frequent_causes(&self, at_most: usize) -> Vec<(&str, u64)> {
        let mut causes: Vec<(&str, u64)> = self
            .causes
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect();
        causes.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        causes.truncate(at_most);
        causes
    }

    /// Adds the answers that were written.
    pub(crate) fn add(&mut self, answers: &Answers) {
        for (answer, _) in &answers.answers {
            match answer {
                Answer::Pass => self.passed += 1,
                Answer::Fail => self.failed += 1,
                Answer::Error => self.errors += 1,
            }
        }
        for (cause, count) in &answers.causes {
            *self.causes.entry(cause.clone()).or_default() += count;
        }
    }
}
