//! Why the ledger could not be used, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the ledger could not be used. Every text says what to do; the cause below it is the source.
///
/// Whatever the error, nothing of the call that failed is in the ledger, and everything that was reported before is.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A newer version of this program has written it.
    #[error(
        "the ledger {} was written by a newer version (format {found}; this version knows formats up to {supported}): \
         use the newer version, or another data folder",
        path.display()
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The newest format that this version knows.
        supported: u32,
    },
    /// The file is something else.
    #[error(
        "{} is not a ledger of this program: name another data folder, or move the file away and a new ledger is begun",
        path.display()
    )]
    NotALedger {
        /// The file.
        path: PathBuf,
    },
    /// The content of the file is not as it was written.
    #[error(
        "the ledger {} is damaged ({what}): stop every program that uses it and restore the data folder from a backup, \
         or move the file and its -wal away and a new ledger is begun",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Another program holds its lock.
    #[error(
        "the ledger {} is locked by another program, for more than {waited_seconds} seconds: wait until that one has \
         finished, or stop it, and try again",
        path.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        waited_seconds: u64,
    },
    /// It may not be written.
    #[error(
        "the ledger {} cannot be written: give this user the right to write the file and its folder, or name a data \
         folder on a disk that can be written",
        path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// What the database says.
        #[source]
        source: rusqlite::Error,
    },
    /// It may not be opened, or its folder is not there.
    #[error(
        "the ledger {} cannot be opened: check that its folder is there and that this user may read and write it",
        path.display()
    )]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No space is left.
    #[error(
        "no space is left for the ledger {}: free some, and try again; everything recorded before is kept",
        path.display()
    )]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// The disk or the system failed.
    #[error("the ledger {} cannot {operation}: check the disk and the system's log", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What was being done.
        operation: &'static str,
        /// What the system says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A stored value that cannot have been written by this program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Damaged(pub(crate) &'static str);

/// What goes wrong inside, where the path isn't known.
#[derive(Debug)]
pub(crate) enum Fault {
    Damaged(Damaged),
    Sqlite(rusqlite::Error),
    System(io::Error),
}

impl From<Damaged> for Fault {
    fn from(damaged: Damaged) -> Fault {
        Fault::Damaged(damaged)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sqlite(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::System(error)
    }
}

impl Fault {
    /// Whether another connection was in the way.
    pub(crate) fn is_lock(&self) -> bool {
        matches!(self, Fault::Sqlite(error) if matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        ))
    }

    /// The error with what to do; `operation` follows "cannot" in a sentence.
    pub(crate) fn explain(self, path: &Path, operation: &'static str, waited_seconds: u64) -> LedgerError {
        let path = path.to_owned();
        let is_lock = self.is_lock();
        match self {
            Fault::Damaged(Damaged(what)) => LedgerError::Damaged {
                path,
                what: what.to_owned(),
            },
            Fault::System(source) => LedgerError::Failed {
                path,
                operation,
                source: source.into(),
            },
            Fault::Sqlite(_) if is_lock => LedgerError::Locked { path, waited_seconds },
            Fault::Sqlite(source) => match source.sqlite_error_code() {
                Some(ErrorCode::NotADatabase) => LedgerError::NotALedger { path },
                Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged {
                    path,
                    what: source.to_string(),
                },
                Some(ErrorCode::ReadOnly) => LedgerError::ReadOnly { path, source },
                Some(ErrorCode::DiskFull) => LedgerError::DiskFull { path },
                Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => LedgerError::CannotOpen {
                    path,
                    source: source.into(),
                },
                Some(_) => LedgerError::Failed {
                    path,
                    operation,
                    source: source.into(),
                },
                // What isn't a failure of SQLite is a value that has not the type that was written.
                None => LedgerError::Damaged {
                    path,
                    what: source.to_string(),
                },
            },
        }
    }
}
