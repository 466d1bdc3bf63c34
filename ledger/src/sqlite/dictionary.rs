//! A column of values that repeat: each distinct one once, and for each receipt which one it has.
//!
//! As stored: the number of distinct values less one in a byte, each after its length, then a byte for each receipt; the
//! latter bytes are left out when there is only one value.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::bytes::{Cursor, write_varint};
use crate::error::Damaged;

/// Distinct values of a column. A receipt's place is a byte.
pub(super) const MAX_ENTRIES: usize = 256;

/// Places of the table by which a value is found: half of them stay empty.
const SLOTS: usize = 2 * MAX_ENTRIES;

/// Collects such a column, of up to [`MAX_ENTRIES`] receipts.
#[derive(Default)]
pub(super) struct Dictionary {
    values: Vec<u8>,
    spans: Vec<Range<usize>>,
    codes: Vec<u8>,
    /// The code and one, by the hash of the value; 0 is empty. Made at the second distinct value.
    slots: Vec<u16>,
    hasher: RandomState,
}

impl Dictionary {
    /// Adds the value of the next receipt.
    pub(super) fn push(&mut self, value: &[u8]) {
        let code = match self.codes.last() {
            Some(&last) if self.value(last) == value => last,
            _ => self.code_of(value),
        };
        self.codes.push(code);
    }

    /// Adds the value of the receipt before once more.
    pub(super) fn push_again(&mut self) {
        self.codes.extend(self.codes.last().copied());
    }

    fn value(&self, code: u8) -> &[u8] {
        &self.values[self.spans[usize::from(code)].clone()]
    }

    fn code_of(&mut self, value: &[u8]) -> u8 {
        self.slots.resize(SLOTS, 0);
        let mut slot = self.hasher.hash_one(value) as usize % SLOTS;
        loop {
            match self.slots[slot] {
                0 => break,
                taken => {
                    let code = (taken - 1) as u8;
                    if self.value(code) == value {
                        return code;
                    }
                }
            }
            slot = (slot + 1) % SLOTS;
        }
        let code = self.spans.len() as u8;
        self.slots[slot] = u16::from(code) + 1;
        let start = self.values.len();
        self.values.extend_from_slice(value);
        self.spans.push(start..self.values.len());
        code
    }

    /// The code of the last receipt's value: distinct values count up from 0.
    pub(super) fn last_code(&self) -> usize {
        self.codes.last().copied().map_or(0, usize::from)
    }

    /// Appends the column as it is stored.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.push(self.spans.len().saturating_sub(1) as u8);
        for span in &self.spans {
            write_varint(span.len() as u64, out);
            out.extend_from_slice(&self.values[span.clone()]);
        }
        if self.spans.len() > 1 {
            out.extend_from_slice(&self.codes);
        }
    }

    /// Forgets what was added.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.spans.clear();
        self.codes.clear();
        self.slots.clear();
    }
}

/// The value of the receipt at `position`.
pub(super) fn value(column: &[u8], position: usize) -> Result<&[u8], Damaged> {
    let mut cursor = Cursor::new(column);
    let [last] = cursor.array()?;
    let mut codes = cursor;
    for _ in 0..=last {
        codes.counted()?;
    }
    let code = match last {
        0 => 0,
        _ => *codes
            .rest()
            .get(position)
            .ok_or(Damaged("a column is cut short"))?,
    };
    for _ in 0..code {
        cursor.counted()?;
    }
    if code > last {
        return Err(Damaged("a receipt has a value that its block lacks"));
    }
    cursor.counted()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_receipt_gets_its_value_back(
            values in prop::collection::vec(prop::collection::vec(0..3u8, 0..4), 1..=MAX_ENTRIES),
            others in prop::collection::vec(any::<u16>().prop_map(|n| n.to_be_bytes().to_vec()), 1..=MAX_ENTRIES),
        ) {
            let mut dictionary = Dictionary::default();
            for values in [values, others] {
                for value in &values {
                    dictionary.push(value);
                }
                let mut column = Vec::new();
                dictionary.write(&mut column);
                for (position, expected) in values.iter().enumerate() {
                    prop_assert_eq!(value(&column, position).unwrap(), expected);
                }
                dictionary.clear();
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..30), position in 0..40usize) {
            if let Ok(value) = value(&bytes, position) {
                prop_assert!(value.len() < bytes.len());
            }
        }
    }
}
