//! Why a request was not checked, in the one shape of protocol section 7.
//!
//! This is the engine's only file that knows a status code: the published error document carries it. The texts never
//! echo submitted values; they name fields.

use crate::json::{SyntaxError, write_canonical_string};
use crate::limits::MAX_FIELD_PROBLEMS;
use crate::meter::LimitExceeded;

/// The codes of section 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemCode {
    /// A field is missing, unknown or wrong.
    InvalidRequest,
    /// The bytes are not JSON as the protocol reads it.
    InvalidJson,
    /// `expected_schema` is not a usable JSON Schema.
    InvalidSchema,
    /// A limit of size, depth, steps or time was reached.
    LimitExceeded,
    /// The body is larger than any request may be.
    BodyTooLarge,
    /// A fault of the verifier.
    InternalError,
}

impl ProblemCode {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ProblemCode::InvalidRequest => "invalid_request",
            ProblemCode::InvalidJson => "invalid_json",
            ProblemCode::InvalidSchema => "invalid_schema",
            ProblemCode::LimitExceeded => "limit_exceeded",
            ProblemCode::BodyTooLarge => "body_too_large",
            ProblemCode::InternalError => "internal_error",
        }
    }

    /// The HTTP status that the published document states.
    pub fn status(self) -> u16 {
        match self {
            ProblemCode::InvalidRequest
            | ProblemCode::InvalidJson
            | ProblemCode::InvalidSchema
            | ProblemCode::LimitExceeded => 422,
            ProblemCode::BodyTooLarge => 413,
            ProblemCode::InternalError => 500,
        }
    }
}

/// One field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    /// The field: `rules[0].type`.
    pub field: String,
    /// What is wrong, to follow the field in a sentence: `is not one of the allowed values`.
    pub problem: String,
    /// What to do, as a sentence.
    pub fix: String,
}

/// The fields found wrong so far, the first [`MAX_FIELD_PROBLEMS`] of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldProblems {
    list: Vec<FieldProblem>,
}

impl FieldProblems {
    /// Notes a field.
    pub fn add(&mut self, field: impl Into<String>, problem: impl Into<String>, fix: impl Into<String>) {
        if self.list.len() < MAX_FIELD_PROBLEMS {
            self.list.push(FieldProblem {
                field: field.into(),
                problem: problem.into(),
                fix: fix.into(),
            });
        }
    }

    /// Whether none was noted.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The error that names them all.
    pub fn into_problem(self, code: ProblemCode) -> Problem {
        Problem {
            code,
            fields: self.list,
            line: None,
        }
    }
}

/// Why a request was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind.
    pub code: ProblemCode,
    /// The offending fields.
    pub fields: Vec<FieldProblem>,
    /// The line of the file that the request stood in, from 1.
    pub line: Option<u64>,
}

impl Problem {
    /// A problem with one field.
    pub fn field(
        code: ProblemCode,
        field: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Problem {
        let mut fields = FieldProblems::default();
        fields.add(field, problem, fix);
        fields.into_problem(code)
    }

    /// A text that is no JSON; `field` names what the text was to be.
    pub fn syntax(field: &str, error: &SyntaxError) -> Problem {
        let code = if error.kind.is_limit() {
            ProblemCode::LimitExceeded
        } else {
            ProblemCode::InvalidJson
        };
        let fix = match code {
            ProblemCode::LimitExceeded => "Send a smaller or flatter document.",
            _ => "Send one JSON value as RFC 8259 defines it, in UTF-8, with every key once in its object.",
        };
        Problem::field(code, field, format!("cannot be read: {error}"), fix)
    }

    /// A check that was given up.
    pub fn limit(limit: LimitExceeded) -> Problem {
        let (field, fix) = match limit {
            LimitExceeded::Steps => (
                "expected_schema",
                "Simplify the schema or the rules, or split the output.",
            ),
            LimitExceeded::Depth => (
                "expected_schema",
                "Remove references that lead back to themselves.",
            ),
            LimitExceeded::PatternTime => (
                "expected_schema",
                "Use a simpler pattern, without a backreference inside a repetition.",
            ),
        };
        Problem::field(
            ProblemCode::LimitExceeded,
            field,
            format!("could not be checked: {limit}"),
            fix,
        )
    }

    /// A fault of the verifier.
    pub fn internal() -> Problem {
        Problem {
            code: ProblemCode::InternalError,
            fields: Vec::new(),
            line: None,
        }
    }

    /// One sentence for people.
    pub fn message(&self) -> String {
        if self.code == ProblemCode::InternalError {
            return "The verifier failed. Nothing was charged; send the request again.".to_owned();
        }
        let faults: Vec<String> = self
            .fields
            .iter()
            .map(|f| format!("{} {}", f.field, f.problem))
            .collect();
        format!(
            "The request is invalid: {}. Nothing was charged; fix the field(s) and send it again.",
            faults.join("; ")
        )
    }

    /// Appends the error document in one line.
    pub fn write_wire(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"code\":");
        write_canonical_string(self.code.name(), out);
        out.extend_from_slice(b",\"message\":");
        write_canonical_string(&self.message(), out);
        out.extend_from_slice(format!(",\"status\":{}", self.code.status()).as_bytes());
        let retryable = self.code == ProblemCode::InternalError;
        out.extend_from_slice(if retryable {
            b",\"retryable\":true"
        } else {
            b",\"retryable\":false"
        });
        out.extend_from_slice(b",\"charged\":false,\"next_actions\":[{\"action\":");
        let action = if retryable { "retry" } else { "fix_request_fields" };
        write_canonical_string(action, out);
        out.extend_from_slice(b",\"fields\":[");
        for (index, field) in self.fields.iter().enumerate() {
            separate(index, out);
            write_canonical_string(&field.field, out);
        }
        out.extend_from_slice(b"]}],\"fields\":[");
        for (index, field) in self.fields.iter().enumerate() {
            separate(index, out);
            out.extend_from_slice(b"{\"field\":");
            write_canonical_string(&field.field, out);
            out.extend_from_slice(b",\"problem\":");
            write_canonical_string(&field.problem, out);
            out.extend_from_slice(b",\"fix\":");
            write_canonical_string(&field.fix, out);
            out.push(b'}');
        }
        out.push(b']');
        if retryable {
            out.extend_from_slice(b",\"retry_after\":1");
        }
        if let Some(line) = self.line {
            out.extend_from_slice(format!(",\"line\":{line}").as_bytes());
        }
        out.push(b'}');
    }
}

fn separate(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}
