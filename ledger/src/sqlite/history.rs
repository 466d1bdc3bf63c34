//! What was counted for each agent: a log of what batches added and took back.
//!
//! A batch appends one row to `history_tail`, with a group of entries for each agent and day in it. When the tail has grown,
//! its groups are moved into `history`, which has a row for each of 256 buckets of agents and each such move. A row for each
//! agent would be read faster, but then a batch with many agents changes as many pages; measured with an agent for every
//! receipt, that cost three times as much as all the rest. Reading looks into the tail and into one bucket.
//!
//! What was counted is a multiset: a check that is replaced is taken back by an entry that says so, and nothing depends on
//! the order of the entries. The set of §6 (a request once a day, failed if it ever failed) is made when it is read.

use std::collections::BTreeMap;

use assay_engine::score::{DayCount, History};
use assay_engine::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Rows};
use sha2::{Digest as _, Sha256};

use super::block::Check;
use super::bytes::{Cursor, unzigzag, write_varint, zigzag};
use crate::error::{Damaged, Fault};

pub(super) const TABLES: &str = "
CREATE TABLE history_tail (
    batch INTEGER PRIMARY KEY,          -- the last block of the batch
    pending_rows INTEGER NOT NULL,      -- rows up to this one
    pending_bytes INTEGER NOT NULL,     -- bytes of their groups
    groups BLOB NOT NULL
) STRICT;
CREATE TABLE history (
    bucket INTEGER NOT NULL,            -- the first byte of the key of the agents
    batch INTEGER NOT NULL,             -- the last batch in it
    groups BLOB NOT NULL,
    PRIMARY KEY (bucket, batch)
) STRICT, WITHOUT ROWID;
";

/// Buckets of agents. Reading a history reads the groups of as large a part of all agents.
const BUCKETS: usize = 256;

/// When the tail is moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoldAfter {
    /// Bytes of groups. Reading any history reads the tail; this much takes about a millisecond.
    pub(super) bytes: usize,
    /// Rows, of which small batches make many.
    pub(super) rows: i64,
}

impl Default for FoldAfter {
    fn default() -> FoldAfter {
        FoldAfter {
            bytes: 2 * 1024 * 1024,
            rows: 1_024,
        }
    }
}

/// Stands for an agent whatever the length of its name. Nobody can find two names with one key: it has 128 bits of SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AgentKey(u128);

impl AgentKey {
    pub(super) fn of(agent_id: &str) -> AgentKey {
        let digest: [u8; 32] = Sha256::digest(agent_id.as_bytes()).into();
        let mut key = [0; 16];
        key.copy_from_slice(&digest[..16]);
        AgentKey(u128::from_be_bytes(key))
    }

    fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    fn bucket(self) -> usize {
        usize::from(self.to_bytes()[0])
    }
}

/// A check that is counted for an agent, or taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) agent: AgentKey,
    pub(super) check: Check,
    pub(super) is_withdrawn: bool,
}

impl Counted {
    /// Sorts by group, and what takes back next to what it takes back.
    fn sort_key(&self) -> (AgentKey, i32, u64, i64, bool, bool) {
        let Check {
            request,
            day,
            verified_at,
            failed,
        } = self.check;
        (self.agent, day, request, verified_at, failed, self.is_withdrawn)
    }
}

/// Appends what a batch has counted; `batch` is its last block, and `row` is overwritten.
pub(super) fn append(
    connection: &Connection,
    batch: i64,
    counted: &mut Vec<Counted>,
    row: &mut Vec<u8>,
    fold_after: FoldAfter,
) -> Result<(), Fault> {
    if counted.iter().any(|counted| counted.is_withdrawn) {
        counted.sort_unstable_by_key(Counted::sort_key);
        cancel_out(counted);
    } else {
        // Of one agent the entries lie in groups already.
        counted.sort_by_key(|counted| (counted.agent, counted.check.day));
    }
    if counted.is_empty() {
        return Ok(());
    }
    row.clear();
    let mut run = Vec::new();
    for group in counted.chunk_by(|a, b| a.agent == b.agent && a.check.day == b.check.day) {
        let Counted {
            agent,
            check: Check { day, .. },
            ..
        } = group[0];
        run.clear();
        write_run(day, group, &mut run);
        row.extend_from_slice(&agent.to_bytes());
        write_varint(zigzag(i64::from(day)), row);
        write_varint(run.len() as u64, row);
        row.extend_from_slice(&run);
    }
    let (rows, bytes) = pending(connection)?;
    let (rows, bytes) = (rows + 1, bytes + row.len() as i64);
    let mut insert = connection.prepare_cached("INSERT INTO history_tail VALUES (?1, ?2, ?3, ?4)")?;
    insert.execute((batch, rows, bytes, &row[..]))?;
    if rows >= fold_after.rows || bytes >= fold_after.bytes as i64 {
        fold(connection, batch)?;
    }
    Ok(())
}

/// Removes what was counted and taken back in one batch: a receipt that replaces its equal changes nothing.
fn cancel_out(counted: &mut Vec<Counted>) {
    let mut left: Vec<Counted> = Vec::with_capacity(counted.len());
    for next in counted.drain(..) {
        match left.last() {
            Some(last)
                if next.is_withdrawn
                    && !last.is_withdrawn
                    && last.agent == next.agent
                    && last.check == next.check =>
            {
                left.pop();
            }
            _ => left.push(next),
        }
    }
    *counted = left;
}

/// Rows and bytes of the tail.
fn pending(connection: &Connection) -> Result<(i64, i64), Fault> {
    let mut select = connection
        .prepare_cached("SELECT pending_rows, pending_bytes FROM history_tail ORDER BY batch DESC LIMIT 1")?;
    let pending = select
        .query_row((), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(pending.unwrap_or_default())
}

/// The entries of one agent and day: twice two bits and a time as the difference to the one before, then the request.
fn write_run(day: i32, entries: &[Counted], out: &mut Vec<u8>) {
    let mut last_at = day_start(day);
    for Counted {
        check, is_withdrawn, ..
    } in entries
    {
        let bits = u64::from(check.failed) | u64::from(*is_withdrawn) << 1;
        // Times keep to the years 1 to 9999, so their differences leave two bits of the 64.
        write_varint(zigzag(check.verified_at - last_at) << 2 | bits, out);
        out.extend_from_slice(&check.request.to_le_bytes());
        last_at = check.verified_at;
    }
}

/// The reverse of [`write_run`]: calls `found` for each entry.
fn read_run(day: i32, run: &[u8], mut found: impl FnMut(Mark)) -> Result<(), Damaged> {
    let mut cursor = Cursor::new(run);
    let mut last_at = day_start(day);
    while !cursor.is_empty() {
        let head = cursor.varint()?;
        last_at = last_at.wrapping_add(unzigzag(head >> 2));
        found(Mark {
            request: u64::from_le_bytes(cursor.array()?),
            verified_at: last_at,
            failed: head & 1 != 0,
            is_withdrawn: head & 2 != 0,
        });
    }
    Ok(())
}

/// The start of a day, in microseconds since 1970.
fn day_start(day: i32) -> i64 {
    const DAY_MICROS: i64 = 86_400_000_000;
    Timestamp::from_micros(i64::from(day).saturating_mul(DAY_MICROS)).micros()
}

/// The entries of one agent and day in one batch.
struct Group<'b> {
    agent: AgentKey,
    day: i32,
    run: &'b [u8],
}

/// Calls `found` for each group of a row, with the bytes that make it up.
fn read_groups<'b>(row: &'b [u8], mut found: impl FnMut(Group<'b>, &'b [u8])) -> Result<(), Damaged> {
    let mut cursor = Cursor::new(row);
    while !cursor.is_empty() {
        let from = cursor.rest();
        let agent = AgentKey(u128::from_be_bytes(cursor.array()?));
        let day = i32::try_from(unzigzag(cursor.varint()?)).map_err(|_| Damaged("a day is out of range"))?;
        let run = cursor.counted()?;
        found(
            Group { agent, day, run },
            &from[..from.len() - cursor.rest().len()],
        );
    }
    Ok(())
}

/// Calls `found` for each group of the rows that a query gives in its first column.
fn query_groups(mut rows: Rows<'_>, mut found: impl FnMut(Group<'_>, &[u8])) -> Result<(), Fault> {
    while let Some(row) = rows.next()? {
        let groups = row
            .get_ref(0)?
            .as_blob()
            .map_err(|_| Damaged("a history is no blob"))?;
        read_groups(groups, &mut found)?;
    }
    Ok(())
}

const SELECT_TAIL: &str = "SELECT groups FROM history_tail ORDER BY batch";

const SELECT_BUCKET: &str = "SELECT groups FROM history WHERE bucket = ?1 ORDER BY batch";

/// Moves the tail into `history`.
fn fold(connection: &Connection, batch: i64) -> Result<(), Fault> {
    let mut buckets = vec![Vec::new(); BUCKETS];
    query_groups(
        connection.prepare_cached(SELECT_TAIL)?.query(())?,
        |group, bytes| {
            buckets[group.agent.bucket()].extend_from_slice(bytes);
        },
    )?;
    let mut insert = connection.prepare_cached("INSERT INTO history VALUES (?1, ?2, ?3)")?;
    for (bucket, groups) in buckets
        .iter()
        .enumerate()
        .filter(|(_, groups)| !groups.is_empty())
    {
        insert.execute((bucket as i64, batch, &groups[..]))?;
    }
    connection
        .prepare_cached("DELETE FROM history_tail")?
        .execute(())?;
    Ok(())
}

/// What was counted for an agent up to a time.
pub(super) fn read(connection: &Connection, agent_id: &str, as_of: Timestamp) -> Result<History, Fault> {
    let agent = AgentKey::of(agent_id);
    let mut runs: BTreeMap<i32, Vec<Vec<u8>>> = BTreeMap::new();
    let mut keep = |group: Group<'_>, _: &[u8]| {
        if group.agent == agent {
            runs.entry(group.day).or_default().push(group.run.to_vec());
        }
    };
    // One snapshot for both tables: a fold may come between.
    let snapshot = connection.unchecked_transaction()?;
    query_groups(
        snapshot
            .prepare_cached(SELECT_BUCKET)?
            .query([agent.bucket() as i64])?,
        &mut keep,
    )?;
    query_groups(snapshot.prepare_cached(SELECT_TAIL)?.query(())?, &mut keep)?;
    drop(snapshot);
    let mut history = History::default();
    let mut marks = Vec::new();
    for (day, runs) in runs {
        marks.clear();
        for run in runs {
            read_run(day, &run, |mark| {
                if mark.verified_at <= as_of.micros() {
                    marks.push(mark);
                }
            })?;
        }
        count_day(day, &mut marks, &mut history);
    }
    Ok(history)
}

/// One entry of an agent's day.
#[derive(Clone, Copy)]
struct Mark {
    request: u64,
    verified_at: i64,
    failed: bool,
    is_withdrawn: bool,
}

/// Adds a day, later than those before, to a history: the set of §6.
fn count_day(day: i32, marks: &mut [Mark], history: &mut History) {
    marks.sort_unstable_by_key(|mark| (mark.request, mark.failed, mark.verified_at));
    let mut count = DayCount {
        day,
        passed: 0,
        failed: 0,
    };
    for same_request in marks.chunk_by(|a, b| a.request == b.request) {
        let mut is_counted = false;
        let mut has_failed = false;
        for same in same_request.chunk_by(|a, b| a.failed == b.failed && a.verified_at == b.verified_at) {
            let withdrawn = same.iter().filter(|mark| mark.is_withdrawn).count();
            if same.len() > 2 * withdrawn {
                is_counted = true;
                has_failed |= same[0].failed;
                let at = Timestamp::from_micros(same[0].verified_at);
                history.first_seen = Some(history.first_seen.map_or(at, |first| first.min(at)));
                history.last_seen = Some(history.last_seen.map_or(at, |last| last.max(at)));
            }
        }
        count.failed += u64::from(has_failed);
        count.passed += u64::from(is_counted && !has_failed);
    }
    if count.passed > 0 || count.failed > 0 {
        history.days.push(count);
    }
}
