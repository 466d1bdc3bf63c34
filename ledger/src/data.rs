//! The data folder: one place for the ledger and the keys.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::keys::{KeyError, KeyStore};
use crate::{Ledger, LedgerError};

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// It could not be made.
    #[error("the data folder {} cannot be made; name another one, or allow writing to the folder above it", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Something else has its name.
    #[error("{} is not a folder; name another data folder, or move that file away", path.display())]
    NotAFolder {
        /// The folder.
        path: PathBuf,
    },
}

/// A folder that holds `ledger.sqlite3` and `keys/`.
#[derive(Clone, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// Opens the folder, which is made when it isn't there, for its owner alone (mode 0700).
    ///
    /// A folder that is there keeps its mode: who made it may have had a reason, and the private key has its own.
    ///
    /// # Errors
    /// [`DataError`].
    pub fn open(path: impl Into<PathBuf>) -> Result<DataFolder, DataError> {
        let path = path.into();
        match create_private_folder(&path) {
            Ok(()) => Ok(DataFolder { path }),
            Err(_) if path.exists() && !path.is_dir() => Err(DataError::NotAFolder { path }),
            Err(source) => Err(DataError::Create { path, source }),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of the ledger.
    pub fn ledger_path(&self) -> PathBuf {
        self.path.join("ledger.sqlite3")
    }

    /// The folder of the keys.
    pub fn keys_path(&self) -> PathBuf {
        self.path.join("keys")
    }

    /// Opens the ledger.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn ledger(&self) -> Result<Ledger, LedgerError> {
        Ledger::open(self.ledger_path())
    }

    /// Opens the key store.
    ///
    /// # Errors
    /// As [`KeyStore::open`].
    pub fn keys(&self) -> Result<KeyStore, KeyError> {
        KeyStore::open(self.keys_path())
    }
}

/// Makes a folder with those above it, mode 0700, unless it is there, and makes its name durable.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_folder(parent),
        _ => sync_folder(Path::new(".")),
    }
}

/// Makes the names in a folder durable. Only Unix lets a folder be opened for it.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()
    } else {
        Ok(())
    }
}
