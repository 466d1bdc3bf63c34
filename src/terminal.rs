//! What is said to people, on standard error, and to programs, on standard output.

use std::io::{self, Write};

use crate::failure::{Failure, IO};

/// An error message.
pub(crate) fn error(message: &str) {
    note(&format!("error: {message}"));
}

/// A warning.
pub(crate) fn warn(message: &str) {
    note(&format!("warning: {message}"));
}

/// A line on standard error.
pub(crate) fn note(line: &str) {
    // Nothing can be told when standard error does not take it.
    let _unwritable = writeln!(io::stderr().lock(), "{line}").is_err();
}

/// A text of strangers for the terminal, which it must not steer.
pub(crate) fn plain(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

/// Writes to standard output. A reader that has gone away (`| head`) is no failure.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::caused(IO, "standard output cannot be written", error))
        }
        _ => Ok(()),
    }
}
