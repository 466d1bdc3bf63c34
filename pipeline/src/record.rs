//! What travels from the source to the workers: a batch of records over one buffer.

/// What one record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordText {
    /// Bytes of the batch's text, from start to end.
    Range(usize, usize),
    /// The record was longer than any request may be, and has been passed over.
    TooLong,
    /// The file ends inside its array.
    UnclosedArray,
    /// Something stands after the file's array.
    AfterArray,
}

/// One record of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The line of its file in which it begins, from 1.
    pub line: u64,
    /// Its place among all records of the run, from 0.
    pub number: u64,
    /// Where its text is.
    pub text: RecordText,
}

/// Consecutive records.
#[derive(Debug, Default)]
pub struct Batch {
    /// Its place among the batches, from 0.
    pub sequence: u64,
    /// The text of the records, as it stands in the file.
    pub text: Vec<u8>,
    /// The records.
    pub records: Vec<Record>,
    /// How far the run's inputs had been read, in bytes as stored, when the batch was full.
    pub bytes_read: u64,
}

impl Batch {
    /// The bytes of a record; none for one that has no text.
    pub fn bytes(&self, record: &Record) -> &[u8] {
        match record.text {
            RecordText::Range(start, end) => &self.text[start..end],
            _ => &[],
        }
    }
}
