//! The files that commands read as a whole, `-` being standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use assay_engine::limits::MAX_REQUEST_BYTES;

use crate::failure::{DATA, Failure, IO, NO_INPUT};

/// What a user called an input, for messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Whether the path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file or standard input.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>, Failure> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Failure::caused(
            NO_INPUT,
            format!("{} cannot be opened", path.display()),
            error,
        )),
    }
}

/// Reads one JSON text, which is at most as long as a request may be.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    let limit = MAX_REQUEST_BYTES as u64 + 1;
    match open(path)?.take(limit).read_to_end(&mut text) {
        Ok(_) if text.len() > MAX_REQUEST_BYTES => Err(Failure::new(
            DATA,
            format!("{} is longer than {MAX_REQUEST_BYTES} bytes", name(path)),
        )),
        Ok(_) => Ok(text),
        Err(error) => Err(unreadable(path, error)),
    }
}

/// Reading stopped on the way.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> Failure {
    Failure::caused(IO, format!("{} cannot be read", name(path)), error)
}
