//! One record a line. Blank lines count as lines, but are no records.

use super::{Found, Splitter};
use crate::record::RecordText;

pub(super) struct LineSplitter {
    max_record_bytes: usize,
    line: u64,
    /// Where the line that is being read begins in the batch's text; `None` between lines.
    start: Option<usize>,
    is_too_long: bool,
}

impl LineSplitter {
    pub(super) fn new(max_record_bytes: usize) -> LineSplitter {
        LineSplitter {
            max_record_bytes,
            line: 1,
            start: None,
            is_too_long: false,
        }
    }

    fn end_line(&mut self, out: &mut Found<'_>) {
        if let Some(start) = self.start.take() {
            if self.is_too_long {
                out.text.truncate(start);
                out.records.push((self.line, RecordText::TooLong));
            } else {
                let blank = out.text[start..].iter().all(u8::is_ascii_whitespace);
                if blank {
                    out.text.truncate(start);
                } else {
                    out.records
                        .push((self.line, RecordText::Range(start, out.text.len())));
                }
            }
        }
        self.is_too_long = false;
    }

    fn take(&mut self, bytes: &[u8], out: &mut Found<'_>) {
        let start = *self.start.get_or_insert(out.text.len());
        if self.is_too_long {
            return;
        }
        if out.text.len() - start + bytes.len() > self.max_record_bytes {
            self.is_too_long = true;
            out.text.truncate(start);
        } else {
            out.text.extend_from_slice(bytes);
        }
    }
}

impl Splitter for LineSplitter {
    fn push(&mut self, bytes: &[u8], out: &mut Found<'_>) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(line) => {
                    self.take(line, out);
                    self.end_line(out);
                    self.line += 1;
                }
                None => self.take(piece, out),
            }
        }
    }

    fn finish(&mut self, out: &mut Found<'_>) {
        self.end_line(out);
    }

    fn pending_from(&self) -> Option<usize> {
        self.start
    }

    fn rebase(&mut self) {
        if let Some(start) = &mut self.start {
            *start = 0;
        }
    }
}
