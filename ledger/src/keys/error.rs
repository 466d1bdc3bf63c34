//! Why a key cannot be used, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a key cannot be used. Every text says what to do; none quotes a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// A file or folder could not be read or written.
    #[error("the key file {} cannot be {action}: check that its folder is there and that this user may read and write it", path.display())]
    File {
        /// What was tried: it follows "cannot be".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The mode of a private key lets others in.
    #[error(
        "the private key {} is open to others (mode {mode:04o}): run `chmod 600` on it, and rotate the key if anyone \
         could have read it",
        path.display()
    )]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A file does not hold what it should.
    #[error("the key file {} cannot be used ({problem}): restore it from a backup, or move it away", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: &'static str,
    },
    /// Two keys would have one version, and receipts could not be checked.
    #[error("another key is already listed as {version}: give this one another keyVersion")]
    VersionTaken {
        /// The version.
        version: String,
    },
    /// Another process is at it and doesn't finish.
    #[error("the key store {} is locked by another program: wait until that one has finished, or stop it", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The system has no random numbers.
    #[error(
        "the system gives no random numbers, so no key can be made: make one elsewhere and name its file"
    )]
    NoRandomness,
}

impl KeyError {
    pub(super) fn file(action: &'static str, path: &Path, source: io::Error) -> KeyError {
        KeyError::File {
            action,
            path: path.to_owned(),
            source,
        }
    }

    pub(super) fn content(path: &Path, problem: &'static str) -> KeyError {
        KeyError::Content {
            path: path.to_owned(),
            problem,
        }
    }
}
