//! Why a command ended without doing what it was asked for, and its exit code. The codes follow sysexits.h.

use std::error::Error;
use std::fmt::Write as _;

/// Everything passed.
pub(crate) const OK: u8 = 0;
/// Something failed its check.
pub(crate) const FAILED: u8 = 1;
/// Something could not be checked.
pub(crate) const UNCHECKED: u8 = 2;
/// The command line is wrong.
pub(crate) const USAGE: u8 = 64;
/// An input that must be whole is not.
pub(crate) const DATA: u8 = 65;
/// An input cannot be opened.
pub(crate) const NO_INPUT: u8 = 66;
/// A fault of the program.
pub(crate) const SOFTWARE: u8 = 70;
/// Reading or writing failed.
pub(crate) const IO: u8 = 74;
/// The stream has to be started again.
pub(crate) const RESTART: u8 = 75;
/// The data folder cannot be used.
pub(crate) const CONFIG: u8 = 78;

/// An error for people, with the exit code that tells its kind.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// A failure that needs no cause.
    pub(crate) fn new(code: u8, what: impl Into<String>) -> Failure {
        Failure {
            code,
            what: what.into(),
            source: None,
        }
    }

    /// A failure with the error behind it.
    pub(crate) fn caused(
        code: u8,
        what: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Failure {
        Failure {
            code,
            what: what.into(),
            source: Some(source.into()),
        }
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// What happened with all its causes, in one line.
    pub(crate) fn message(&self) -> String {
        let mut message = self.what.clone();
        let mut cause: Option<&dyn Error> = self.source.as_deref().map(|source| source as &dyn Error);
        while let Some(error) = cause {
            // Writing to a string cannot fail.
            let _infallible = write!(message, ": {error}").is_err();
            cause = error.source();
        }
        message
    }
}
