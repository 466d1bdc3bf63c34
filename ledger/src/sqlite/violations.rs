//! The violations of a block's receipts, as one column.
//!
//! Each receipt that has any contributes its three lists after their common length. The texts of one contract repeat from
//! receipt to receipt, so a long column is compressed as a whole.

use std::borrow::Cow;

use assay_engine::verdict::{CheckName, Verdict, Violation, Violations};

use super::bytes::{Cursor, write_text, write_varint};
use crate::error::{Damaged, Fault};

/// Bytes from which a column is compressed. Below, the gain is less than a page.
const COMPRESS_FROM_BYTES: usize = 1_024;

/// The level of compression: the fastest, which already finds the repetitions that matter here.
const COMPRESSION_LEVEL: i32 = 1;

/// Bytes of a decompressed column. A block is closed far below it; more is damage.
const MAX_COLUMN_BYTES: u64 = 256 * 1024 * 1024;

/// The first byte of a column that lies there as it is.
const PLAIN: u8 = 0;

/// The first byte of a column that is compressed; the plain length follows.
const COMPRESSED: u8 = 1;

/// Whether there is anything to keep.
pub(super) fn has_any(verdict: &Verdict) -> bool {
    lists(verdict)
        .into_iter()
        .any(|list| list.total > 0 || !list.entries.is_empty() || !list.checks.is_empty())
}

fn lists(verdict: &Verdict) -> [&Violations; 3] {
    [
        &verdict.schema_violations,
        &verdict.content_violations,
        &verdict.rule_violations,
    ]
}

/// Appends the violations of one receipt; `scratch` is overwritten.
pub(super) fn write(verdict: &Verdict, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
    scratch.clear();
    for list in lists(verdict) {
        write_list(list, scratch);
    }
    write_varint(scratch.len() as u64, out);
    out.extend_from_slice(scratch);
}

fn write_list(list: &Violations, out: &mut Vec<u8>) {
    write_varint(list.total, out);
    write_varint(list.checks.len() as u64, out);
    for check in &list.checks {
        write_text(check, out);
    }
    write_varint(list.entries.len() as u64, out);
    for entry in &list.entries {
        let Violation {
            check,
            field,
            expected,
            found,
            detail,
        } = entry;
        // Its place among the names of the list, from 1; a name that isn't among them is written out after 0.
        match list.checks.iter().position(|known| known == check) {
            Some(place) => write_varint(place as u64 + 1, out),
            None => {
                write_varint(0, out);
                write_text(check, out);
            }
        }
        for text in [field, expected, found, detail] {
            write_text(text, out);
        }
    }
}

/// Reads the violations of the `nth` receipt that has any into `verdict`, from a column as [`unpack`] gives it.
pub(super) fn read(column: &[u8], nth: usize, verdict: &mut Verdict) -> Result<(), Damaged> {
    let mut column = Cursor::new(column);
    for _ in 0..nth {
        column.counted()?;
    }
    let mut cursor = Cursor::new(column.counted()?);
    verdict.schema_violations = read_list(&mut cursor)?;
    verdict.content_violations = read_list(&mut cursor)?;
    verdict.rule_violations = read_list(&mut cursor)?;
    Ok(())
}

fn read_list(cursor: &mut Cursor<'_>) -> Result<Violations, Damaged> {
    let mut list = Violations {
        total: cursor.varint()?,
        ..Violations::default()
    };
    for _ in 0..cursor.varint()? {
        list.checks.push(CheckName::Owned(cursor.text()?.to_owned()));
    }
    for _ in 0..cursor.varint()? {
        let check = match cursor.varint()? {
            0 => CheckName::Owned(cursor.text()?.to_owned()),
            place => {
                let place = usize::try_from(place - 1).ok();
                let check = place.and_then(|place| list.checks.get(place));
                check.ok_or(Damaged("a violation names no check"))?.clone()
            }
        };
        list.entries.push(Violation {
            check,
            field: cursor.text()?.to_owned(),
            expected: cursor.text()?.to_owned(),
            found: cursor.text()?.to_owned(),
            detail: cursor.text()?.to_owned(),
        });
    }
    Ok(list)
}

/// The column as it is stored.
pub(super) fn pack(plain: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    out.clear();
    if plain.len() >= COMPRESS_FROM_BYTES {
        out.push(COMPRESSED);
        write_varint(plain.len() as u64, out);
        out.extend_from_slice(&zstd::bulk::compress(plain, COMPRESSION_LEVEL)?);
    } else {
        out.push(PLAIN);
        out.extend_from_slice(plain);
    }
    Ok(())
}

/// The reverse of [`pack`].
pub(super) fn unpack(stored: &[u8]) -> Result<Cow<'_, [u8]>, Damaged> {
    match stored.split_first() {
        Some((&PLAIN, plain)) => Ok(plain.into()),
        Some((&COMPRESSED, rest)) => {
            let mut cursor = Cursor::new(rest);
            let len = cursor.varint()?;
            if len > MAX_COLUMN_BYTES {
                return Err(Damaged("the violations of a block are too long"));
            }
            let plain = zstd::bulk::decompress(cursor.rest(), len as usize)
                .map_err(|_| Damaged("the violations of a block cannot be decompressed"))?;
            Ok(plain.into())
        }
        _ => Err(Damaged("the violations of a block have no known form")),
    }
}
