//! Whether two databases hold the same: every receipt to its bytes, every count of every agent and day.
//!
//! The servers hash what they have, in buckets, and the hashes are compared; only buckets that differ are looked into. A
//! score is a function of the counts, so equal counts are equal scores.

use std::collections::BTreeMap;
use std::time::Duration;

use clickhouse::Row;
use serde::Deserialize;

use super::connection::Connection;
use super::error::ClickHouseError;

/// How long one of the queries may take: it reads everything.
const COMPARE_TIMEOUT: Duration = Duration::from_secs(3_600);

/// Differences that are told one by one.
const MAX_DIFFERENCES: usize = 20;

/// Everything of a receipt but its place in the receipts topic, as one text of unambiguous form.
const RECEIPT_HASH: &str = "sipHash64(toString((verification_id, toUnixTimestamp64Micro(verified_at), toInt32(counted_on), \
    task_id, agent_id, result, enforce_rules, strict_content_check, detail, hex(output_hash), hex(schema_hash), \
    hex(rules_hash), hex(request_hash), schema_passed, schema_total, integrity_passed, integrity_total, \
    schema_violations, content_violations, rule_violations, schema_checks, content_checks, rule_checks, \
    `violations.source`, `violations.check`, `violations.field`, `violations.expected`, `violations.found`, \
    `violations.detail`, \
    public_key_url, service, mcp, verifier_version, key_version, hex(signature), source_topic, source_partition, \
    source_offset)))";

/// One row for each agent and day, with its counts.
const COUNTS: &str = "SELECT agent_id, sipHash64(toString((agent_id, toInt32(counted_on), uniqExact(request), \
    uniqExactIf(request, failed), toUnixTimestamp64Micro(min(verified_at)), toUnixTimestamp64Micro(max(verified_at))))) \
    AS hash FROM checks FINAL WHERE NOT withdrawn GROUP BY agent_id, counted_on";

/// Where two ledgers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A receipt is not the same in both, or only in one.
    Receipt(String),
    /// The counts of an agent are not the same.
    Agent(String),
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Receipts in this and in the other ledger.
    pub receipts: [u64; 2],
    /// Agents with a history, in this and in the other ledger.
    pub agents: [u64; 2],
    /// The first differences; none when both hold the same.
    pub differences: Vec<Difference>,
    /// Whether both hold the same.
    pub is_equal: bool,
}

#[derive(Row, Deserialize, PartialEq)]
struct Bucket {
    bucket: u64,
    items: u64,
    hash: u64,
}

#[derive(Row, Deserialize)]
struct Item {
    name: String,
    hash: u64,
}

/// Compares two databases.
pub(super) fn compare(this: &Connection, other: &Connection) -> Result<Comparison, ClickHouseError> {
    let receipt_buckets = format!(
        "SELECT toUInt64(cityHash64(verification_id) % 256) AS bucket, count() AS items, groupBitXor({RECEIPT_HASH}) AS hash \
         FROM receipts FINAL GROUP BY bucket ORDER BY bucket"
    );
    let receipts = [rows(this, &receipt_buckets)?, rows(other, &receipt_buckets)?];
    let agent_buckets = format!(
        "SELECT toUInt64(cityHash64(agent_id) % 256) AS bucket, uniqExact(agent_id) AS items, groupBitXor(hash) AS hash \
         FROM ({COUNTS}) GROUP BY bucket ORDER BY bucket"
    );
    let agents = [rows(this, &agent_buckets)?, rows(other, &agent_buckets)?];
    let mut differences = Vec::new();
    for bucket in differing(&receipts) {
        let select = format!(
            "SELECT toString(verification_id) AS name, {RECEIPT_HASH} AS hash FROM receipts FINAL \
             WHERE cityHash64(verification_id) % 256 = {bucket}"
        );
        look_into(this, other, &select, Difference::Receipt, &mut differences)?;
    }
    for bucket in differing(&agents) {
        let select = format!(
            "SELECT agent_id AS name, groupBitXor(hash) AS hash FROM ({COUNTS}) \
             WHERE cityHash64(agent_id) % 256 = {bucket} GROUP BY agent_id"
        );
        look_into(this, other, &select, Difference::Agent, &mut differences)?;
    }
    let sum = |buckets: &[Bucket]| buckets.iter().map(|bucket| bucket.items).sum();
    Ok(Comparison {
        receipts: [sum(&receipts[0]), sum(&receipts[1])],
        agents: [sum(&agents[0]), sum(&agents[1])],
        differences,
        is_equal: receipts[0] == receipts[1] && agents[0] == agents[1],
    })
}

fn rows<T>(connection: &Connection, select: &str) -> Result<Vec<T>, ClickHouseError>
where
    T: clickhouse::RowOwned + clickhouse::RowRead,
{
    let query = connection.client.query_raw(select);
    connection.wait("tell all that it holds", COMPARE_TIMEOUT, query.fetch_all::<T>())
}

/// The buckets that are not the same in both.
fn differing([these, others]: &[Vec<Bucket>; 2]) -> Vec<u64> {
    let keyed = |buckets: &[Bucket]| -> BTreeMap<u64, (u64, u64)> {
        buckets
            .iter()
            .map(|bucket| (bucket.bucket, (bucket.items, bucket.hash)))
            .collect()
    };
    let (these, others) = (keyed(these), keyed(others));
    let mut buckets: Vec<u64> = these.keys().chain(others.keys()).copied().collect();
    buckets.sort_unstable();
    buckets.dedup();
    buckets.retain(|bucket| these.get(bucket) != others.get(bucket));
    buckets
}

/// Adds what differs in one bucket, as long as there is room.
fn look_into(
    this: &Connection,
    other: &Connection,
    select: &str,
    difference: fn(String) -> Difference,
    differences: &mut Vec<Difference>,
) -> Result<(), ClickHouseError> {
    if differences.len() >= MAX_DIFFERENCES {
        return Ok(());
    }
    let mut items: BTreeMap<String, [Option<u64>; 2]> = BTreeMap::new();
    for (place, connection) in [this, other].into_iter().enumerate() {
        for item in rows::<Item>(connection, select)? {
            items.entry(item.name).or_default()[place] = Some(item.hash);
        }
    }
    let differing = items
        .into_iter()
        .filter(|(_, [this, other])| this != other)
        .map(|(name, _)| difference(name));
    let room = MAX_DIFFERENCES - differences.len();
    differences.extend(differing.take(room));
    Ok(())
}
