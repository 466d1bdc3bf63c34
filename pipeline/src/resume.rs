//! Taking up an interrupted run: what of its output is whole.
//!
//! An answer counts when its line ends. What follows the last line's end is the torn beginning of an answer and is cut
//! off. The ledger was told of every answer before it was written, so it may know of more records than the output has;
//! these are verified again under the same names and replace what the ledger has.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// An output opened where an earlier run stopped.
#[derive(Debug)]
pub struct Resumed {
    /// The file, ready to be written on.
    pub file: File,
    /// Answers that it holds.
    pub answers: u64,
}

/// Opens an output to be written on after its last whole line; a new one when there is none.
///
/// # Errors
/// When the file cannot be opened, read or cut.
pub fn open_output(path: &Path) -> io::Result<Resumed> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let mut buffer = vec![0; 1024 * 1024];
    let mut answers = 0;
    let mut whole = 0;
    let mut read_so_far = 0;
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let chunk = &buffer[..read];
        answers += chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
        if let Some(last) = chunk.iter().rposition(|byte| *byte == b'\n') {
            whole = read_so_far + last as u64 + 1;
        }
        read_so_far += read as u64;
    }
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    Ok(Resumed { file, answers })
}
