//! A file with one JSON text of any layout, or with many of them, one a line.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use assay_engine::json::{Document, Parser};
use assay_engine::limits::MAX_REQUEST_BYTES;

use crate::commands::input;
use crate::failure::Failure;

/// The texts of one file, in order.
pub(super) struct Documents {
    path: PathBuf,
    layout: Layout,
}

enum Layout {
    /// One text; `None` when it has been given out.
    Whole(Option<Vec<u8>>),
    Lines {
        reader: Box<dyn BufRead + Send>,
        line: u64,
    },
}

/// One text of a file.
pub(super) struct Text {
    /// The line that it stands on, from 1, where each has a line of its own.
    pub(super) line: Option<u64>,
    /// The text; `None` when it is longer than any text may be.
    pub(super) bytes: Option<Vec<u8>>,
}

impl Documents {
    /// Opens a file and finds out how its texts stand.
    pub(super) fn open(path: &Path) -> Result<Documents, Failure> {
        let mut file = input::open(path)?;
        let mut start = Vec::new();
        let limit = MAX_REQUEST_BYTES as u64 + 1;
        file.by_ref()
            .take(limit)
            .read_to_end(&mut start)
            .map_err(|error| input::unreadable(path, error))?;
        let layout = if has_lines(&start) {
            Layout::Lines {
                reader: Box::new(BufReader::new(Cursor::new(start).chain(file))),
                line: 0,
            }
        } else {
            Layout::Whole(Some(start))
        };
        Ok(Documents {
            path: path.to_owned(),
            layout,
        })
    }

    /// Whether there are many texts, or may be.
    pub(super) fn are_lines(&self) -> bool {
        matches!(self.layout, Layout::Lines { .. })
    }

    /// What a user called the file.
    pub(super) fn name(&self) -> String {
        input::name(&self.path)
    }

    /// The next text. Blank lines count as lines, but are no texts.
    pub(super) fn next_text(&mut self) -> Result<Option<Text>, Failure> {
        match &mut self.layout {
            Layout::Whole(text) => {
                let text = text.take().filter(|text| !is_blank(text));
                Ok(text.map(|text| Text {
                    line: None,
                    bytes: Some(text),
                }))
            }
            Layout::Lines { reader, line } => {
                read_text(reader, line).map_err(|error| input::unreadable(&self.path, error))
            }
        }
    }
}

/// Whether a file that begins so has one text a line. A text that is whole with all its lines is one text; otherwise
/// two objects that both begin a line are two texts, one of which may be torn.
fn has_lines(start: &[u8]) -> bool {
    if start.len() > MAX_REQUEST_BYTES {
        return true;
    }
    let mut lines = start.split(|byte| *byte == b'\n').filter(|line| !is_blank(line));
    let begin_with_object = lines
        .by_ref()
        .take(2)
        .filter(|line| line.starts_with(b"{"))
        .count()
        == 2;
    begin_with_object && Parser::default().parse(start, &mut Document::new()).is_err()
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

fn read_text(reader: &mut dyn BufRead, line: &mut u64) -> io::Result<Option<Text>> {
    loop {
        let mut bytes = Vec::new();
        let limit = MAX_REQUEST_BYTES as u64 + 1;
        if (&mut *reader).take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        *line += 1;
        let is_whole = bytes.pop_if(|byte| *byte == b'\n').is_some() || bytes.len() <= MAX_REQUEST_BYTES;
        if !is_whole {
            reader.skip_until(b'\n')?;
            return Ok(Some(Text {
                line: Some(*line),
                bytes: None,
            }));
        }
        if !is_blank(&bytes) {
            return Ok(Some(Text {
                line: Some(*line),
                bytes: Some(bytes),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_of_any_layout_is_told_from_many_on_lines() {
        for whole in [
            "",
            "{}",
            "\n{}\n",
            "{\n \"a\":\n{}}\n",
            "{\"a\":\n{}}",
            "{\n  \"a\": {",
            "[\n{},\n{}\n]",
            "x\ny",
        ] {
            assert!(!has_lines(whole.as_bytes()), "{whole:?}");
        }
        for lines in [
            "{}\n{}",
            "{}\r\n\r\n{}\r\n",
            "{\"torn\":\n{}\n{}\n",
            "{}\n{\"torn\":",
        ] {
            assert!(has_lines(lines.as_bytes()), "{lines:?}");
        }
    }

    #[test]
    fn lines_are_counted_with_the_blank_ones_and_held_to_the_limit() {
        let long = vec![b'x'; MAX_REQUEST_BYTES + 1];
        let just = vec![b'y'; MAX_REQUEST_BYTES];
        let mut reader = BufReader::new(Cursor::new([b"a\n \n", &long[..], b"\n", &just, b"\nb"].concat()));
        let mut line = 0;
        let mut found = Vec::new();
        while let Some(text) = read_text(&mut reader, &mut line).unwrap() {
            found.push((
                text.line,
                text.bytes.map(|bytes| (bytes.len(), bytes.first().copied())),
            ));
        }
        let at = |line, len, first| (Some(line), Some((len, Some(first))));
        assert_eq!(
            found,
            [
                at(1, 1, b'a'),
                (Some(3), None),
                at(4, MAX_REQUEST_BYTES, b'y'),
                at(5, 1, b'b')
            ]
        );
    }
}
