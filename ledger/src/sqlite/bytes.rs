//! Numbers and texts as they lie in the ledger's columns.

use crate::error::Damaged;

/// What a column that ends too early is called.
const CUT_SHORT: Damaged = Damaged("a column is cut short");

/// Appends a number in 7-bit groups, least significant first.
pub(super) fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a text after its length.
pub(super) fn write_text(text: &str, out: &mut Vec<u8>) {
    write_varint(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

/// Maps small numbers of either sign to small ones without.
pub(super) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// The reverse of [`zigzag`].
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Reads what the functions above have written, in order.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'b> {
    rest: &'b [u8],
}

impl<'b> Cursor<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Cursor<'b> {
        Cursor { rest: bytes }
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'b [u8] {
        self.rest
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn varint(&mut self) -> Result<u64, Damaged> {
        const MAX_SHIFT: u32 = 63;
        let mut value = 0;
        let mut shift = 0;
        loop {
            let (byte, rest) = self.rest.split_first().ok_or(CUT_SHORT)?;
            self.rest = rest;
            let group = u64::from(byte & 0x7f);
            if shift == MAX_SHIFT && group > 1 {
                return Err(Damaged("a number is too large"));
            }
            value |= group << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
            if shift > MAX_SHIFT {
                return Err(Damaged("a number is too long"));
            }
        }
    }

    pub(super) fn take(&mut self, len: u64) -> Result<&'b [u8], Damaged> {
        let len = usize::try_from(len).map_err(|_| CUT_SHORT)?;
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(CUT_SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(CUT_SHORT)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// The bytes of something that stands after its length.
    pub(super) fn counted(&mut self) -> Result<&'b [u8], Damaged> {
        let len = self.varint()?;
        self.take(len)
    }

    pub(super) fn text(&mut self) -> Result<&'b str, Damaged> {
        std::str::from_utf8(self.counted()?).map_err(|_| Damaged("a text is not UTF-8"))
    }
}

/// The `position`th of values that have the same width.
pub(super) fn fixed<const N: usize>(column: &[u8], position: usize) -> Result<[u8; N], Damaged> {
    column.as_chunks().0.get(position).copied().ok_or(CUT_SHORT)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_and_texts_come_back(number in any::<u64>(), small in 0..300u64, signed in any::<i64>(), text in "\\PC{0,40}") {
            let mut out = Vec::new();
            write_varint(number, &mut out);
            write_varint(small, &mut out);
            write_text(&text, &mut out);
            write_varint(zigzag(signed), &mut out);
            let mut cursor = Cursor::new(&out);
            prop_assert_eq!(cursor.varint().unwrap(), number);
            prop_assert_eq!(cursor.varint().unwrap(), small);
            prop_assert_eq!(cursor.text().unwrap(), &text);
            prop_assert_eq!(unzigzag(cursor.varint().unwrap()), signed);
            prop_assert!(cursor.is_empty());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..30)) {
            let mut cursor = Cursor::new(&bytes);
            while !cursor.is_empty() && (cursor.text().is_ok() || cursor.varint().is_ok()) {}
        }
    }

    #[test]
    fn numbers_past_64_bits_are_refused() {
        for bytes in [
            &[0xff; 10][..],
            &[0x80; 10],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
        ] {
            assert!(Cursor::new(bytes).varint().is_err());
        }
        let mut largest = vec![0xff; 9];
        largest.push(1);
        assert_eq!(Cursor::new(&largest).varint().unwrap(), u64::MAX);
    }
}
