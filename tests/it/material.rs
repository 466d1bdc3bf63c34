//! Where the tests' material is: what `tests/fetch.py` has fetched, and what the repository holds.

use std::path::{Path, PathBuf};

use assay_engine::json::{Document, Parser, SyntaxError};

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A fetched suite.
pub(crate) fn fetched(name: &str) -> PathBuf {
    let path = repository().join("tests/.cache").join(name);
    assert!(path.is_dir(), "{} is missing: run tests/fetch.py", path.display());
    path
}

/// All files below a folder whose names end so, sorted.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A text read by the fast reader.
pub(crate) fn parse(text: &[u8]) -> Document {
    try_parse(text).unwrap()
}

/// As [`parse`], for a text that may be refused.
pub(crate) fn try_parse(text: &[u8]) -> Result<Document, SyntaxError> {
    let mut document = Document::new();
    Parser::default().parse(text, &mut document)?;
    Ok(document)
}
