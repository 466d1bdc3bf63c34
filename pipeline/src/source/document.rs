//! A JSON file: one record however it is laid out, or an array of records.
//!
//! The elements of an array are cut apart by brackets and quotes alone; whether each is JSON is the reader's to say. So
//! a broken element does not end the rest, as long as its brackets and quotes are in order.

use super::{Found, Splitter};
use crate::record::RecordText;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space so far.
    Start,
    /// The file is one record.
    Single,
    /// Inside the array.
    Array,
    /// After the array.
    After,
}

pub(super) struct DocumentSplitter {
    max_record_bytes: usize,
    state: State,
    line: u64,
    /// Open brackets inside the element.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether an element must follow: after a comma.
    after_comma: bool,
    start: Option<usize>,
    start_line: u64,
    is_too_long: bool,
    has_text_after: bool,
}

impl DocumentSplitter {
    pub(super) fn new(max_record_bytes: usize) -> DocumentSplitter {
        DocumentSplitter {
            max_record_bytes,
            state: State::Start,
            line: 1,
            depth: 0,
            in_string: false,
            is_escaped: false,
            after_comma: false,
            start: None,
            start_line: 1,
            is_too_long: false,
            has_text_after: false,
        }
    }

    fn take(&mut self, byte: u8, out: &mut Found<'_>) {
        if self.start.is_none() {
            self.start = Some(out.text.len());
            self.start_line = self.line;
        }
        let start = self.start.unwrap_or_default();
        if self.is_too_long {
            return;
        }
        if out.text.len() - start >= self.max_record_bytes {
            self.is_too_long = true;
            out.text.truncate(start);
        } else {
            out.text.push(byte);
        }
    }

    fn end_record(&mut self, out: &mut Found<'_>) {
        let start = self.start.take().unwrap_or(out.text.len());
        let text = if self.is_too_long {
            RecordText::TooLong
        } else {
            RecordText::Range(start, out.text.len())
        };
        out.records.push((self.start_line, text));
        self.is_too_long = false;
    }

    fn in_array(&mut self, byte: u8, out: &mut Found<'_>) {
        if self.in_string {
            self.take(byte, out);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b',' | b']' if self.depth == 0 => {
                // An empty element is an error of its own, except in an empty array.
                if self.start.is_some() || self.after_comma || byte == b',' {
                    if self.start.is_none() {
                        self.start_line = self.line;
                    }
                    self.end_record(out);
                }
                self.after_comma = byte == b',';
                if byte == b']' {
                    self.state = State::After;
                }
                return;
            }
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            white if white.is_ascii_whitespace() && self.start.is_none() => return,
            _ => {}
        }
        self.take(byte, out);
    }
}

impl Splitter for DocumentSplitter {
    fn push(&mut self, bytes: &[u8], out: &mut Found<'_>) {
        for byte in bytes {
            match self.state {
                State::Start if byte.is_ascii_whitespace() => {}
                State::Start if *byte == b'[' => self.state = State::Array,
                State::Start => {
                    self.state = State::Single;
                    self.take(*byte, out);
                }
                State::Single => self.take(*byte, out),
                State::Array => self.in_array(*byte, out),
                State::After => {
                    if !byte.is_ascii_whitespace() && !self.has_text_after {
                        self.has_text_after = true;
                        out.records.push((self.line, RecordText::AfterArray));
                    }
                }
            }
            self.line += u64::from(*byte == b'\n');
        }
    }

    fn finish(&mut self, out: &mut Found<'_>) {
        match self.state {
            State::Single => self.end_record(out),
            State::Array => {
                if self.start.is_some() {
                    self.end_record(out);
                }
                out.records.push((self.line, RecordText::UnclosedArray));
            }
            State::Start | State::After => {}
        }
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
