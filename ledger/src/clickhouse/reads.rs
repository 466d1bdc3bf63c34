//! Reading: a receipt by its id, the history of an agent, and what a whole ledger comes to.

use assay_engine::receipt::Receipt;
use assay_engine::score::{DayCount, History};
use assay_engine::time::Timestamp;
use clickhouse::Row;
use serde::Deserialize;
use uuid::Uuid;

use super::connection::{Connection, text_constant};
use super::error::ClickHouseError;
use super::row::ReceiptRow;

/// One day of an agent.
#[derive(Row, Deserialize)]
struct Day {
    counted_on: i32,
    requests: u64,
    failed: u64,
    first_seen: i64,
    last_seen: i64,
}

#[derive(Row, Deserialize)]
struct Count {
    count: u64,
}

/// The receipt with that id.
pub(super) fn receipt(connection: &Connection, id: Uuid) -> Result<Option<Receipt>, ClickHouseError> {
    // Rows that are not merged yet come all; sorting them here is cheaper than by the server, which would read every
    // column to sort it.
    let select = format!("SELECT * FROM receipts WHERE verification_id = '{id}'");
    let rows: Vec<ReceiptRow> = connection.rows("find a receipt", &select)?;
    let latest = rows.into_iter().max_by_key(|row| row.verified_at);
    latest.map(ReceiptRow::into_receipt).transpose()
}

/// What was counted for an agent up to a time: the set of protocol section 6, as the embedded ledger makes it.
pub(super) fn history(
    connection: &Connection,
    agent_id: &str,
    as_of: Timestamp,
) -> Result<History, ClickHouseError> {
    // FINAL comes before WHERE: a check that was made again counts when it was made last, or not at all.
    let select = format!(
        "SELECT counted_on, uniqExact(request) AS requests, uniqExactIf(request, failed) AS failed, \
         min(verified_at) AS first_seen, max(verified_at) AS last_seen \
         FROM checks FINAL \
         WHERE agent_id = {} AND toUnixTimestamp64Micro(verified_at) <= {} AND NOT withdrawn \
         GROUP BY counted_on ORDER BY counted_on",
        text_constant(agent_id),
        as_of.micros(),
    );
    let days: Vec<Day> = connection.rows("tell a history", &select)?;
    let mut history = History::default();
    for day in days {
        history.days.push(DayCount {
            day: day.counted_on,
            passed: day.requests.saturating_sub(day.failed),
            failed: day.failed,
        });
        let first = Timestamp::from_micros(day.first_seen);
        let last = Timestamp::from_micros(day.last_seen);
        history.first_seen = Some(history.first_seen.map_or(first, |known| known.min(first)));
        history.last_seen = Some(history.last_seen.map_or(last, |known| known.max(last)));
    }
    Ok(history)
}

/// How many receipts there are.
pub(super) fn len(connection: &Connection) -> Result<u64, ClickHouseError> {
    let select = "SELECT uniqExact(verification_id) AS count FROM receipts";
    let counts: Vec<Count> = connection.rows("count the receipts", select)?;
    Ok(counts.first().map_or(0, |count| count.count))
}
