//! The signing keys: the private one that signs now, and the public half of every one that ever signed.
//!
//! A key store is a folder of two files. `signing-key.json` (mode 0600) holds the private seed with its version, so that
//! the two cannot come apart; whoever has a copy of it can sign, and without it or a copy nobody can sign under that
//! version again. `public-keys.json` lists every key ever used, and is all that receipts need to be checked.
//!
//! Both are replaced by renaming a finished file, under a lock that one process holds at a time. The private file is
//! written first, and every signer is given out only after its public half is in the list, so a crash between the two
//! loses nothing: the next call completes the list.

mod error;
mod file;
mod list;
mod seed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_engine::receipt::Signer;
use assay_engine::time::Timestamp;

pub use error::KeyError;
pub use list::ListedKey;

use list::KeyList;
use seed::PrivateKey;

/// The file of the private key.
const PRIVATE_FILE: &str = "signing-key.json";

/// The file of the public keys.
const LIST_FILE: &str = "public-keys.json";

/// A folder of keys.
#[derive(Clone, Debug)]
pub struct KeyStore {
    folder: PathBuf,
}

/// The key that signs now.
pub struct ActiveKey {
    /// Signs with it.
    pub signer: Signer,
    /// Whether this very call has made it. Someone must then be told to back up [`KeyStore::private_key_path`].
    pub created: bool,
}

/// What a rotation did.
pub struct Rotation {
    /// The version that signed until now; its private half is gone, its public half stays listed.
    pub previous: Option<Arc<str>>,
    /// Signs with the new key.
    pub signer: Signer,
}

impl KeyStore {
    /// Opens the folder, which is made (mode 0700) when it isn't there. No key is made yet.
    ///
    /// # Errors
    /// [`KeyError::File`] when it cannot be made.
    pub fn open(folder: impl Into<PathBuf>) -> Result<KeyStore, KeyError> {
        let folder = folder.into();
        match crate::data::create_private_folder(&folder) {
            Ok(()) => Ok(KeyStore { folder }),
            Err(source) => Err(KeyError::file("made", &folder, source)),
        }
    }

    /// The file whose copy is the only backup of the private key.
    pub fn private_key_path(&self) -> PathBuf {
        self.folder.join(PRIVATE_FILE)
    }

    /// The key that signs; the first call of all makes one from the system's random numbers.
    ///
    /// `now` dates a new key.
    ///
    /// # Errors
    /// [`KeyError`]; among them that others may read the private key.
    pub fn signer(&self, now: Timestamp) -> Result<ActiveKey, KeyError> {
        if let Some(key) = self.private_key()?
            && self.read_list()?.contains(&key.listed(now))
        {
            return Ok(ActiveKey {
                signer: key.signer(),
                created: false,
            });
        }
        let _lock = file::lock(&self.folder)?;
        let (mut list, active) = self.complete_list(now)?;
        if let Some(key) = active {
            return Ok(ActiveKey {
                signer: key.signer(),
                created: false,
            });
        }
        let key = self.make_private_key(&list, now)?;
        self.enlist(&mut list, key.listed(now))?;
        Ok(ActiveKey {
            signer: key.signer(),
            created: true,
        })
    }

    /// Makes a new key, which signs from now on.
    ///
    /// The old private key is removed: what no longer exists cannot be stolen, and receipts are checked with the public
    /// half, which stays listed. A process that has the old signer in memory keeps signing with it until it asks again.
    ///
    /// # Errors
    /// [`KeyError`]; the old key then still signs, or the new one does.
    pub fn rotate(&self, now: Timestamp) -> Result<Rotation, KeyError> {
        let _lock = file::lock(&self.folder)?;
        let (mut list, previous) = self.complete_list(now)?;
        let key = self.make_private_key(&list, now)?;
        self.enlist(&mut list, key.listed(now))?;
        Ok(Rotation {
            previous: previous.map(|key| key.version.into()),
            signer: key.signer(),
        })
    }

    /// A signer from a file that the configuration names, whose public half is added to the list.
    ///
    /// The file holds the 32 bytes of an Ed25519 seed (RFC 8032, section 5.1.5): raw, or as 64 hexadecimal digits, or in
    /// base64; or a JSON object with `seed` (one of the last two) and optionally `keyVersion`, like the store's own
    /// `signing-key.json`. Without `keyVersion` it goes by the version under which its public half is listed, or else by
    /// the next one of this store; so where several stores use one key, the file must name it.
    ///
    /// Its owner's group may read the file, since that is how secrets are mounted into containers; others may not.
    ///
    /// # Errors
    /// [`KeyError`]; among them that another key has the same version.
    pub fn signer_from_file(&self, path: &Path, now: Timestamp) -> Result<Signer, KeyError> {
        let bytes = file::read_private(path, file::Readers::OwnerAndGroup)?.ok_or_else(|| {
            KeyError::file("opened", path, std::io::Error::from(std::io::ErrorKind::NotFound))
        })?;
        let parsed = seed::parse(&bytes).map_err(|problem| KeyError::content(path, problem))?;
        let _lock = file::lock(&self.folder)?;
        let (mut list, _) = self.complete_list(now)?;
        let key = parsed.named(|public_key| match list.version_of(public_key) {
            Some(version) => version.to_owned(),
            None => list.next_version(now),
        });
        self.enlist(&mut list, key.listed(now))?;
        Ok(key.signer())
    }

    /// Every key ever used, in the order in which they were.
    ///
    /// # Errors
    /// [`KeyError`] when the list cannot be read.
    pub fn list(&self) -> Result<Vec<ListedKey>, KeyError> {
        Ok(self.read_list()?.keys)
    }

    /// The list as it is published: `{"publicKeys":[{keyVersion, algorithm, publicKey, publicKeyEncoding}]}`, in one line.
    ///
    /// # Errors
    /// As [`KeyStore::list`].
    pub fn export_json(&self) -> Result<String, KeyError> {
        Ok(self.read_list()?.to_published_json())
    }

    fn private_key(&self) -> Result<Option<PrivateKey>, KeyError> {
        let path = self.private_key_path();
        let Some(bytes) = file::read_private(&path, file::Readers::Owner)? else {
            return Ok(None);
        };
        let parsed = seed::parse(&bytes).map_err(|problem| KeyError::content(&path, problem))?;
        match parsed.into_named() {
            Some(key) => Ok(Some(key)),
            None => Err(KeyError::content(&path, "it has no keyVersion")),
        }
    }

    /// The list and the private key, which a crash may have kept out of the list. The caller holds the lock.
    fn complete_list(&self, now: Timestamp) -> Result<(KeyList, Option<PrivateKey>), KeyError> {
        let mut list = self.read_list()?;
        let active = self.private_key()?;
        if let Some(key) = &active {
            self.enlist(&mut list, key.listed(now))?;
        }
        Ok((list, active))
    }

    /// Makes a key and puts it into the private file. The caller holds the lock.
    fn make_private_key(&self, list: &KeyList, now: Timestamp) -> Result<PrivateKey, KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|_| KeyError::NoRandomness)?;
        let key = PrivateKey {
            seed,
            version: list.next_version(now),
            created_at: Some(now),
        };
        file::replace(
            &self.private_key_path(),
            key.to_json(now).as_bytes(),
            file::PRIVATE_MODE,
        )?;
        Ok(key)
    }

    fn read_list(&self) -> Result<KeyList, KeyError> {
        let path = self.folder.join(LIST_FILE);
        match file::read(&path)? {
            Some(bytes) => KeyList::parse(&bytes).map_err(|problem| KeyError::content(&path, problem)),
            None => Ok(KeyList::default()),
        }
    }

    /// Adds a key to the list, unless it is there. The caller holds the lock.
    fn enlist(&self, list: &mut KeyList, key: ListedKey) -> Result<(), KeyError> {
        if list.add(key)? {
            file::replace(
                &self.folder.join(LIST_FILE),
                list.to_json().as_bytes(),
                file::PUBLIC_MODE,
            )?;
        }
        Ok(())
    }
}
