//! What an audit has found, in words and for programs.

use super::Subject;
use crate::json::{Value, write_canonical_string};

/// How one thing that a receipt claims stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is as claimed.
    Holds,
    /// It is not as claimed.
    Broken,
    /// There was nothing to compare it with.
    Skipped,
    /// There was, but the comparison could not be made.
    Undecided,
}

impl Standing {
    /// Its name in a report.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Holds => "holds",
            Standing::Broken => "broken",
            Standing::Skipped => "skipped",
            Standing::Undecided => "undecided",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at: `signature`, `output_hash`, `counts` and so on.
    pub name: &'static str,
    /// How it stands.
    pub standing: Standing,
    /// What that means, in sentences.
    pub words: String,
}

/// What a whole report comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Everything that there was to compare is as claimed.
    Holds,
    /// Something is not as claimed.
    Broken,
    /// Nothing contradicts the receipt, but something could not be decided.
    Undecided,
}

/// The findings about one receipt or score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was checked.
    pub subject: Subject,
    /// The receipt's `verification_id`, or the score's `agent_id`, as it claims.
    pub id: Option<String>,
    /// Everything that was looked at, in the order in which it matters.
    pub findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(subject: Subject, document: Value<'_>) -> Report {
        let member = match subject {
            Subject::Receipt => "verification_id",
            Subject::Score => "agent_id",
        };
        let id = document.get(member).and_then(Value::as_str).map(crate::text::cut);
        Report {
            subject,
            id,
            findings: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, name: &'static str, standing: Standing, words: impl Into<String>) {
        self.findings.push(Finding {
            name,
            standing,
            words: words.into(),
        });
    }

    pub(super) fn hold(&mut self, name: &'static str, words: impl Into<String>) {
        self.add(name, Standing::Holds, words);
    }

    pub(super) fn fail(&mut self, name: &'static str, words: impl Into<String>) {
        self.add(name, Standing::Broken, words);
    }

    pub(super) fn skip(&mut self, name: &'static str, words: impl Into<String>) {
        self.add(name, Standing::Skipped, words);
    }

    pub(super) fn leave_open(&mut self, name: &'static str, words: impl Into<String>) {
        self.add(name, Standing::Undecided, words);
    }

    /// Whether everything that there was to compare is as claimed.
    pub fn holds(&self) -> bool {
        self.conclusion() == Conclusion::Holds
    }

    /// What the findings come to.
    pub fn conclusion(&self) -> Conclusion {
        let any = |standing| self.findings.iter().any(|finding| finding.standing == standing);
        if any(Standing::Broken) {
            Conclusion::Broken
        } else if any(Standing::Undecided) {
            Conclusion::Undecided
        } else {
            Conclusion::Holds
        }
    }

    /// The finding of that name.
    pub fn finding(&self, name: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.name == name)
    }

    /// Appends the members of the report's JSON object, without the braces around them:
    /// `"subject":…,"id":…,"holds":…,"conclusion":…,"findings":[{"name":…,"standing":…,"words":…}]`.
    pub fn write_members(&self, out: &mut Vec<u8>) {
        write_text(b"\"subject\":", self.subject.name(), out);
        match &self.id {
            Some(id) => write_text(b",\"id\":", id, out),
            None => out.extend_from_slice(b",\"id\":null"),
        }
        out.extend_from_slice(if self.holds() {
            b",\"holds\":true"
        } else {
            b",\"holds\":false"
        });
        let conclusion = match self.conclusion() {
            Conclusion::Holds => Standing::Holds,
            Conclusion::Broken => Standing::Broken,
            Conclusion::Undecided => Standing::Undecided,
        };
        write_text(b",\"conclusion\":", conclusion.name(), out);
        out.extend_from_slice(b",\"findings\":[");
        for (index, finding) in self.findings.iter().enumerate() {
            out.extend_from_slice(if index == 0 { b"{" } else { b",{" });
            write_text(b"\"name\":", finding.name, out);
            write_text(b",\"standing\":", finding.standing.name(), out);
            write_text(b",\"words\":", &finding.words, out);
            out.push(b'}');
        }
        out.push(b']');
    }
}

fn write_text(before: &[u8], text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(before);
    write_canonical_string(text, out);
}
