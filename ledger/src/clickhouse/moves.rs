//! Receipts that count for another agent or on another day than an earlier receipt with their id.
//!
//! The rows of `checks` collapse by agent, day and id, so a check that was made again for the same agent and day replaces
//! itself. One that moved leaves its old row behind, which is withdrawn here: by a row that says so, in its place, and
//! before the new one is stored, so that a batch that is stored again finds the same. It is rare (a contract or a setting
//! was changed and a topic is verified again, or a topic was made anew), and is looked for only where it can be: in a
//! batch with offsets of a source that were stored before.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use assay_engine::score::has_history;
use clickhouse::Row;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::connection::{Connection, text_constant};
use super::error::ClickHouseError;
use super::insert::{self, token_of};
use super::row::ReceiptRow;

/// A topic and a partition.
type Source = (String, i32);

/// Up to where each source was stored.
#[derive(Default)]
pub(super) struct Moves {
    /// None until the database was asked.
    stored_up_to: Mutex<Option<HashMap<Source, i64>>>,
}

#[derive(Row, Deserialize)]
struct StoredUpTo {
    source_topic: String,
    source_partition: i32,
    last: i64,
}

/// A row of the table `checks`; the fields are its columns, in their order.
#[derive(Clone, Debug, Row, Serialize)]
struct CheckRow {
    agent_id: String,
    counted_on: i32,
    #[serde(with = "clickhouse::serde::uuid")]
    verification_id: Uuid,
    verified_at: i64,
    request: u64,
    failed: bool,
    withdrawn: bool,
}

/// For what a receipt counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Row, Deserialize)]
struct Owner {
    #[serde(with = "clickhouse::serde::uuid")]
    verification_id: Uuid,
    verified_at: i64,
    agent_id: Option<String>,
    counted_on: i32,
}

impl Moves {
    /// Withdraws what the rows, or earlier ones with their ids, no longer count for.
    pub(super) fn withdraw(
        &self,
        connection: &Connection,
        rows: &[ReceiptRow],
    ) -> Result<(), ClickHouseError> {
        let mut owners: BTreeMap<Uuid, Vec<Owner>> = BTreeMap::new();
        for (source, first, last) in self.repeated(connection, rows)? {
            for owner in stored_owners(connection, &source, first, last)? {
                owners.entry(owner.verification_id).or_default().push(owner);
            }
        }
        let mut seen: HashMap<Uuid, usize> = HashMap::with_capacity(rows.len());
        for (place, row) in rows.iter().enumerate() {
            let twin = seen.insert(row.verification_id, place);
            let is_known = owners.contains_key(&row.verification_id);
            if let Some(twin) = twin.filter(|_| !is_known) {
                owners
                    .entry(row.verification_id)
                    .or_default()
                    .push(owner_of(&rows[twin]));
            }
            if is_known || twin.is_some() {
                owners.entry(row.verification_id).or_default().push(owner_of(row));
            }
        }
        let withdrawn: Vec<CheckRow> = owners.values().flat_map(|owners| withdrawals(owners)).collect();
        let mut hasher = Sha256::new();
        for row in &withdrawn {
            hasher.update(row.verification_id.as_bytes());
            hasher.update(row.verified_at.to_be_bytes());
            hasher.update(row.counted_on.to_be_bytes());
            hasher.update(row.agent_id.as_bytes());
        }
        let operation = "withdraw what was counted before";
        insert::insert(connection, operation, "checks", &withdrawn, &token_of(hasher))?;
        Ok(())
    }

    /// Notes that the rows are stored.
    pub(super) fn note(&self, rows: &[ReceiptRow]) {
        let mut guard = lock(&self.stored_up_to);
        let Some(stored) = guard.as_mut() else {
            return;
        };
        for (source, (_, last)) in ranges(rows) {
            let known = stored.entry(source).or_insert(last);
            *known = last.max(*known);
        }
    }

    /// The sources of the rows that had offsets of the rows' range stored before, with that range.
    fn repeated(
        &self,
        connection: &Connection,
        rows: &[ReceiptRow],
    ) -> Result<Vec<(Source, i64, i64)>, ClickHouseError> {
        let ranges = ranges(rows);
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        let mut guard = lock(&self.stored_up_to);
        if guard.is_none() {
            let select = "SELECT source_topic, source_partition, max(source_offset) AS last FROM receipts \
                          WHERE source_offset >= 0 GROUP BY source_topic, source_partition";
            let found: Vec<StoredUpTo> = connection.rows("tell what is stored", select)?;
            *guard = Some(
                found
                    .into_iter()
                    .map(|source| ((source.source_topic, source.source_partition), source.last))
                    .collect(),
            );
        }
        let stored = guard.as_ref();
        let is_repeated = |source: &Source, first: i64| {
            let last_stored = stored.and_then(|stored| stored.get(source));
            last_stored.is_some_and(|last_stored| first <= *last_stored)
        };
        Ok(ranges
            .into_iter()
            .filter(|(source, (first, _))| is_repeated(source, *first))
            .map(|(source, (first, last))| (source, first, last))
            .collect())
    }
}

/// A panic elsewhere leaves the map as it was.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The least and the greatest offset of each source.
fn ranges(rows: &[ReceiptRow]) -> HashMap<Source, (i64, i64)> {
    let mut ranges: HashMap<Source, (i64, i64)> = HashMap::new();
    let mut last_source: Option<Source> = None;
    for row in rows.iter().filter(|row| row.source_offset >= 0) {
        let is_same =
            |(topic, partition): &&Source| *topic == row.source_topic && *partition == row.source_partition;
        let source = match last_source.as_ref().filter(is_same) {
            Some(source) => source,
            None => last_source.insert((row.source_topic.clone(), row.source_partition)),
        };
        match ranges.get_mut(source) {
            Some((first, last)) => {
                *first = row.source_offset.min(*first);
                *last = row.source_offset.max(*last);
            }
            None => {
                ranges.insert(source.clone(), (row.source_offset, row.source_offset));
            }
        }
    }
    ranges
}

fn stored_owners(
    connection: &Connection,
    (topic, partition): &Source,
    first: i64,
    last: i64,
) -> Result<Vec<Owner>, ClickHouseError> {
    let select = format!(
        "SELECT verification_id, verified_at, agent_id, counted_on FROM receipts \
         WHERE source_topic = {} AND source_partition = {partition} AND source_offset BETWEEN {first} AND {last}",
        text_constant(topic)
    );
    connection.rows("tell what is stored", &select)
}

fn owner_of(row: &ReceiptRow) -> Owner {
    Owner {
        verification_id: row.verification_id,
        verified_at: row.verified_at,
        agent_id: row.agent_id.clone(),
        counted_on: row.counted_on,
    }
}

/// The rows that withdraw every check of one id but the one that was made last.
fn withdrawals(owners: &[Owner]) -> Vec<CheckRow> {
    let Some(latest) = owners.iter().max_by_key(|owner| owner.verified_at) else {
        return Vec::new();
    };
    let mut rows: Vec<CheckRow> = owners
        .iter()
        .filter(|owner| (&owner.agent_id, owner.counted_on) != (&latest.agent_id, latest.counted_on))
        .filter_map(|owner| {
            let agent_id = owner.agent_id.clone().filter(|agent| has_history(agent))?;
            Some(CheckRow {
                agent_id,
                counted_on: owner.counted_on,
                verification_id: owner.verification_id,
                verified_at: latest.verified_at,
                request: 0,
                failed: false,
                withdrawn: true,
            })
        })
        .collect();
    rows.sort_unstable_by(|a, b| (&a.agent_id, a.counted_on).cmp(&(&b.agent_id, b.counted_on)));
    rows.dedup_by(|a, b| (&a.agent_id, a.counted_on) == (&b.agent_id, b.counted_on));
    rows
}
