//! Where the receipt with an id is: an index whose entries are ranges.
//!
//! `id_ranges` holds ranges that never overlap; every recorded id lies in one. A range names a block, which has the id
//! unless another receipt got in between: such an id is a stray, with an entry of its own in `id_strays`, and so is the id
//! of a receipt that replaced an earlier one. A stray entry therefore always goes before the range.
//!
//! A block whose ids lie side by side thus costs one entry. A range never spans two series, so that the ids of another
//! series find their place between. Ids without order are each their own series: right, but slow, for every one changes
//! another page of the index.

use rusqlite::{Connection, OptionalExtension};

use super::block;
use crate::error::Fault;

pub(super) const TABLES: &str = "
CREATE TABLE id_ranges (
    first BLOB PRIMARY KEY,             -- the least id
    last BLOB NOT NULL,                 -- the greatest id
    block INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE id_strays (
    id BLOB PRIMARY KEY,
    block INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The bits at the start of an id that tell its series. In a UUIDv7 they change about once a minute.
const SERIES_BITS: u32 = 32;

/// A range as it is stored.
struct Range {
    last: u128,
    block: i64,
}

/// An id of a batch that lies in a range that is there already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    /// Its place in the batch.
    pub(super) index: usize,
    /// The block of the receipt that has the same id, if there is one.
    pub(super) replaces: Option<i64>,
}

/// How the ids of a batch lie among those that are there.
#[derive(Default)]
pub(super) struct Survey {
    /// Those in ranges, by index.
    pub(super) inside: Vec<Inside>,
    /// Where a stretch of ids outside begins, other than at the start: no range may span these.
    cuts: Vec<usize>,
}

/// Finds how the ids of a batch, ascending and distinct, lie among those that are there.
pub(super) fn survey(connection: &Connection, ids: &[u128]) -> Result<Survey, Fault> {
    let mut survey = Survey::default();
    let mut at = 0;
    while let Some(&id) = ids.get(at) {
        match range_from(connection, id)? {
            Some(range) if range.last >= id => {
                let end = at + ids[at..].partition_point(|id| *id <= range.last);
                survey_inside(connection, &range, ids, at..end, &mut survey.inside)?;
                at = end;
            }
            _ => match next_first(connection, id)? {
                Some(next) => at += ids[at..].partition_point(|id| *id < next),
                None => break,
            },
        }
        survey.cuts.push(at);
    }
    Ok(survey)
}

fn survey_inside(
    connection: &Connection,
    range: &Range,
    ids: &[u128],
    indexes: std::ops::Range<usize>,
    inside: &mut Vec<Inside>,
) -> Result<(), Fault> {
    let in_block = block::read_ids(connection, range.block)?;
    for index in indexes {
        let replaces = match stray(connection, ids[index])? {
            Some(block) => Some(block),
            None => block::position(&in_block, ids[index]).map(|_| range.block),
        };
        inside.push(Inside { index, replaces });
    }
    Ok(())
}

/// Enters the ids of a new block: those at `indexes` of the batch.
pub(super) fn enter(
    connection: &Connection,
    ids: &[u128],
    indexes: std::ops::Range<usize>,
    survey: &Survey,
    block: i64,
) -> Result<(), Fault> {
    let series = |id: u128| id >> (u128::BITS - SERIES_BITS);
    let mut add_range = connection.prepare_cached("INSERT INTO id_ranges VALUES (?1, ?2, ?3)")?;
    let mut first = indexes.start;
    while first < indexes.end {
        if is_inside(survey, first) {
            let mut add_stray =
                connection.prepare_cached("INSERT OR REPLACE INTO id_strays VALUES (?1, ?2)")?;
            add_stray.execute((ids[first].to_be_bytes(), block))?;
            first += 1;
            continue;
        }
        let cut = survey.cuts.partition_point(|cut| *cut <= first);
        let end = survey
            .cuts
            .get(cut)
            .map_or(indexes.end, |cut| indexes.end.min(*cut));
        let len = ids[first..end].partition_point(|id| series(*id) == series(ids[first]));
        let last = first + len - 1;
        add_range.execute((ids[first].to_be_bytes(), ids[last].to_be_bytes(), block))?;
        first = last + 1;
    }
    Ok(())
}

fn is_inside(survey: &Survey, index: usize) -> bool {
    survey
        .inside
        .binary_search_by_key(&index, |inside| inside.index)
        .is_ok()
}

/// The block of the receipt with that id, if there is one; the block may lack it.
pub(super) fn block_of(connection: &Connection, id: u128) -> Result<Option<i64>, Fault> {
    // A stray entry may come while this is read, but none ever goes: what is found is what was there at some moment.
    if let Some(block) = stray(connection, id)? {
        return Ok(Some(block));
    }
    match range_from(connection, id)? {
        Some(range) if range.last >= id => Ok(Some(range.block)),
        _ => Ok(None),
    }
}

fn stray(connection: &Connection, id: u128) -> Result<Option<i64>, Fault> {
    let mut select = connection.prepare_cached("SELECT block FROM id_strays WHERE id = ?1")?;
    Ok(select
        .query_row([id.to_be_bytes()], |row| row.get(0))
        .optional()?)
}

/// The range with the greatest first id up to `id`.
fn range_from(connection: &Connection, id: u128) -> Result<Option<Range>, Fault> {
    let mut select = connection
        .prepare_cached("SELECT last, block FROM id_ranges WHERE first <= ?1 ORDER BY first DESC LIMIT 1")?;
    let range = select.query_row([id.to_be_bytes()], |row| {
        Ok(Range {
            last: u128::from_be_bytes(row.get(0)?),
            block: row.get(1)?,
        })
    });
    Ok(range.optional()?)
}

/// The least first id of a range past `id`.
fn next_first(connection: &Connection, id: u128) -> Result<Option<u128>, Fault> {
    let mut select =
        connection.prepare_cached("SELECT first FROM id_ranges WHERE first > ?1 ORDER BY first LIMIT 1")?;
    let first = select.query_row([id.to_be_bytes()], |row| Ok(u128::from_be_bytes(row.get(0)?)));
    Ok(first.optional()?)
}
