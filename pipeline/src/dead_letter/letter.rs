//! What a dead letter says (protocol, section 9): the record as it was, and in headers where it stood and what was wrong.

/// The topic that the record stood in.
pub const TOPIC: &str = "__connect.errors.topic";
/// Its partition.
pub const PARTITION: &str = "__connect.errors.partition";
/// Its offset.
pub const OFFSET: &str = "__connect.errors.offset";
/// The error's code, by which letters are told apart.
pub const CODE: &str = "__connect.errors.exception.class.name";
/// The error in words.
pub const MESSAGE: &str = "__connect.errors.exception.message";
/// What all headers about the error begin with.
pub const ERROR_PREFIX: &str = "__connect.errors.";
/// How often the record was tried, 1 at first.
pub const ATTEMPT: &str = "assay-attempt";
/// The record's own Kafka time in milliseconds.
pub const TIMESTAMP: &str = "assay-timestamp";
/// Says that the value is a description of a record that was too large to keep.
pub const STUB: &str = "assay-stub";

/// The codes of the stream's own; the engine's are those of protocol section 7.
pub mod code {
    /// The record has no value.
    pub const TOMBSTONE: &str = "tombstone";
    /// The record's value has no byte.
    pub const EMPTY_VALUE: &str = "empty_value";
    /// A header that matters is no text.
    pub const INVALID_HEADER: &str = "invalid_header";
    /// The contract named is not known, or none is named where one is needed.
    pub const UNKNOWN_CONTRACT: &str = "unknown_contract";
    /// The receipt is larger than its topic takes.
    pub const RECEIPT_TOO_LARGE: &str = "receipt_too_large";
}

/// Why a record could not be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The code.
    pub code: &'static str,
    /// One sentence for people, which quotes nothing of the record.
    pub message: String,
}

impl Cause {
    /// A cause in one sentence.
    pub fn new(code: &'static str, message: impl Into<String>) -> Cause {
        Cause {
            code,
            message: message.into(),
        }
    }
}

/// How often a record was tried before, by its header; one that is no number counts as none.
pub(crate) fn attempts(header: Option<&[u8]>) -> u32 {
    header
        .and_then(|value| std::str::from_utf8(value).ok())
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// Whether a header of a letter is about the letter, and goes when the record is sent again.
pub(crate) fn is_about_the_letter(name: &str) -> bool {
    name.starts_with(ERROR_PREFIX) || name == TIMESTAMP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_a_number_or_none() {
        assert_eq!(attempts(Some(b"4")), 4);
        for broken in [
            None,
            Some(&b""[..]),
            Some(b"-1"),
            Some(b"x"),
            Some(b"\xff"),
            Some(b"99999999999"),
        ] {
            assert_eq!(attempts(broken), 0);
        }
    }
}
