//! Files of keys: read only when nobody else can, replaced as a whole, by one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::KeyError;
use crate::data::sync_folder;

/// The mode of a private file: its owner's alone.
pub(super) const PRIVATE_MODE: u32 = 0o600;

/// The mode of the list of public keys.
pub(super) const PUBLIC_MODE: u32 = 0o644;

/// Bytes of a key file. A list of a thousand keys has some 200 kB.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// How long another process may hold the lock. It is held for two small files.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait between two attempts to get the lock.
const LOCK_RETRY: Duration = Duration::from_millis(5);

/// The ending of a file that isn't finished.
const UNFINISHED: &str = ".unfinished";

/// Who may read a private file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// The owner alone.
    Owner,
    /// The group as well.
    OwnerAndGroup,
}

/// The content of a private file; none when it isn't there.
pub(super) fn read_private(path: &Path, readers: Readers) -> Result<Option<Vec<u8>>, KeyError> {
    read_checked(path, |file| check_mode(file, path, readers))
}

/// The content of a file; none when it isn't there.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, KeyError> {
    read_checked(path, |_| Ok(()))
}

fn read_checked(
    path: &Path,
    check: impl FnOnce(&File) -> Result<(), KeyError>,
) -> Result<Option<Vec<u8>>, KeyError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(KeyError::file("opened", path, error)),
    };
    check(&file)?;
    let mut bytes = Vec::new();
    match file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > MAX_FILE_BYTES => Err(KeyError::content(path, "it is too long")),
        Ok(_) => Ok(Some(bytes)),
        Err(error) => Err(KeyError::file("read", path, error)),
    }
}

/// Checks the open file, not the name, so that nobody can change what the name means in between.
#[cfg(unix)]
fn check_mode(file: &File, path: &Path, readers: Readers) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;

    const GROUP_READS: u32 = 0o040;
    const NOT_OWNER: u32 = 0o077;
    let metadata = file
        .metadata()
        .map_err(|error| KeyError::file("examined", path, error))?;
    let forbidden = match readers {
        Readers::Owner => NOT_OWNER,
        Readers::OwnerAndGroup => NOT_OWNER & !GROUP_READS,
    };
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & forbidden != 0 {
        return Err(KeyError::OpenToOthers {
            path: path.to_owned(),
            mode,
        });
    }
    Ok(())
}

/// Other systems have no such modes.
#[cfg(not(unix))]
fn check_mode(_file: &File, _path: &Path, _readers: Readers) -> Result<(), KeyError> {
    Ok(())
}

/// Puts `content` in the place of the file, durably: whoever opens the name finds all of the old or all of the new.
/// The caller holds the lock of the folder.
pub(super) fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), KeyError> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(UNFINISHED);
    let unfinished = Path::new(&unfinished);
    let write = || -> io::Result<()> {
        // What a crash has left behind may have another mode.
        match fs::remove_file(unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        #[cfg(not(unix))]
        let _ = mode;
        let mut file = options.open(unfinished)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(unfinished, path)?;
        sync_folder(path.parent().unwrap_or(Path::new(".")))
    };
    write().map_err(|error| KeyError::file("written", path, error))
}

/// The lock of a folder, held until the value is dropped or the process ends.
pub(super) fn lock(folder: &Path) -> Result<File, KeyError> {
    let path = folder.join(".lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|error| KeyError::file("opened", &path, error))?;
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(LOCK_RETRY),
            Err(TryLockError::WouldBlock) => {
                return Err(KeyError::Locked {
                    path: folder.to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(KeyError::file("locked", &path, error)),
        }
    }
}
