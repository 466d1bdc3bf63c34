//! The check of a receipt by somebody who trusts nobody: neither who brings it nor who made it.
//!
//! Signature and hashes are computed from the receipt's own value, not from this program's [`crate::response::Response`],
//! so that receipts and scores of every compatible verifier can be checked, whatever further members they have. With the
//! request at hand, the verdict is computed again.

mod attestation;
mod content;
mod keys;
mod report;
mod request;
#[cfg(test)]
mod tests;

use crate::json::{Document, Parser, SyntaxError, Value};
use crate::response::ServiceIdentity;
use crate::verifier::Verifier;

pub use keys::{KeyListError, PublicKeys};
pub use report::{Conclusion, Finding, Report, Standing};

/// What kind of document was signed; each has a context of its own (protocol, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The receipt of a verification.
    Receipt,
    /// The score of an agent.
    Score,
}

impl Subject {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Receipt => "receipt",
            Subject::Score => "score",
        }
    }
}

/// Why there is nothing to check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The text is not JSON.
    #[error("the receipt cannot be read")]
    Receipt(#[source] SyntaxError),
    /// The text is JSON, but neither a receipt nor a score.
    #[error("this is neither a receipt, which has a verification_id, nor a score, which has a trust_score")]
    NothingSigned,
    /// The text is the answer to a request that was not checked.
    #[error("this is an error answer: nothing was checked, so nothing was signed")]
    ErrorAnswer,
    /// The request is not JSON.
    #[error("the request cannot be read")]
    Request(#[source] SyntaxError),
}

/// Checks receipts against a list of public keys.
pub struct Auditor {
    keys: PublicKeys,
    verifier: Verifier,
    parser: Parser,
    receipt: Document,
    request: Document,
}

impl Auditor {
    /// An auditor who believes in these keys and in nothing else.
    pub fn new(keys: PublicKeys) -> Auditor {
        // The verdict is computed again to be compared, never to be signed, so nobody answers here.
        let nobody = ServiceIdentity {
            public_key_url: String::new(),
            service: String::new(),
            mcp: String::new(),
            verifier_version: String::new(),
        };
        Auditor {
            keys,
            verifier: Verifier::new(nobody),
            parser: Parser::default(),
            receipt: Document::new(),
            request: Document::new(),
        }
    }

    /// Checks a receipt or score, laid out in any way, and with `request` also that it answers this request and that its
    /// verdict comes out the same.
    ///
    /// # Errors
    /// Why there is nothing to check. What is found wrong stands in the report.
    pub fn audit(&mut self, receipt: &[u8], request: Option<&[u8]>) -> Result<Report, AuditError> {
        self.parser
            .parse(receipt, &mut self.receipt)
            .map_err(AuditError::Receipt)?;
        let receipt = self.receipt.root();
        let subject = subject_of(receipt)?;
        let mut report = Report::new(subject, receipt);
        attestation::check(receipt, subject, &self.keys, &mut report);
        match subject {
            Subject::Receipt => content::check(receipt, &mut report),
            Subject::Score => {}
        }
        match (subject, request) {
            (Subject::Score, None) => {}
            (Subject::Score, Some(_)) => {
                report.skip(
                    "request",
                    "A score answers no request; what was given as one was not looked at.",
                );
            }
            (Subject::Receipt, None) => {
                let words = "No request was given: whether the receipt is about a certain output, and whether its \
                             verdict is right, was not looked at.";
                report.skip("request", words);
            }
            (Subject::Receipt, Some(text)) => {
                self.parser
                    .parse(text, &mut self.request)
                    .map_err(AuditError::Request)?;
                request::check(receipt, self.request.root(), text, &self.verifier, &mut report);
            }
        }
        Ok(report)
    }
}

fn subject_of(document: Value<'_>) -> Result<Subject, AuditError> {
    let has = |member: &str| document.get(member).is_some();
    if has("verification_id") {
        Ok(Subject::Receipt)
    } else if has("trust_score") {
        Ok(Subject::Score)
    } else if has("code") && has("status") && !has("attestation") {
        Err(AuditError::ErrorAnswer)
    } else {
        Err(AuditError::NothingSigned)
    }
}

/// A text of a stranger as it may stand in a sentence on a terminal: in quotes, cut, and without control characters.
fn shown(text: &str) -> String {
    format!("{:?}", crate::text::cut(text))
}

/// A value of a stranger as it may stand in a sentence on a terminal.
fn shown_value(value: Option<Value<'_>>) -> String {
    let Some(value) = value else {
        return "nothing".to_owned();
    };
    if let Some(text) = value.as_str() {
        return shown(text);
    }
    let mut printable = String::new();
    for c in crate::text::quote(value).chars() {
        // What JSON itself is written with stays as it is.
        match c {
            '"' | '\'' | '\\' => printable.push(c),
            _ => printable.extend(c.escape_debug()),
        }
    }
    printable
}
