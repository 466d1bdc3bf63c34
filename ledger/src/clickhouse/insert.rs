//! Storing: one batch is one insert, which is there as a whole or not at all.

use std::time::Duration;

use assay_engine::hex::hex;
use clickhouse::error::Error as ClientError;
use clickhouse::{Row, RowOwned, RowWrite};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::connection::Connection;
use super::error::{ClickHouseError, FaultClass};
use super::row::ReceiptRow;

/// What every insert says, since servers differ in what they do unasked: it is stored when it is acknowledged, views and
/// all; it is one block, so that it is one part; and sent again under its token it is there once.
const SETTINGS: [(&str, &str); 11] = [
    ("async_insert", "0"),
    ("insert_deduplicate", "1"),
    ("deduplicate_insert", "enable"),
    ("deduplicate_blocks_in_dependent_materialized_views", "1"),
    ("materialized_views_ignore_errors", "0"),
    ("max_insert_block_size", "1048576"),
    ("min_insert_block_size_rows", "1048576"),
    ("min_insert_block_size_bytes", "1073741824"),
    ("max_insert_block_size_bytes", "0"),
    ("input_format_max_block_size_bytes", "0"),
    ("input_format_connection_handling", "0"),
];

#[derive(Row, Deserialize)]
struct Setting {
    name: String,
}

/// Stands for the rows of a batch: the same rows have the same token, and other rows another one.
///
/// It is made from what the rows are and not from where they were read, since a topic can be made anew under its name, and
/// then its offsets mean other records.
pub fn batch_token(rows: &[ReceiptRow]) -> String {
    let mut hasher = Sha256::new();
    hasher.update((rows.len() as u64).to_be_bytes());
    for row in rows {
        hasher.update(row.verification_id.as_bytes());
        hasher.update(row.counted_on.to_be_bytes());
        hasher.update(row.signature);
    }
    token_of(hasher)
}

/// The token of what was hashed.
pub(super) fn token_of(hasher: Sha256) -> String {
    format!("assay-1-{}", hex(&hasher.finalize()))
}

/// Stores rows by one insert; `operation` follows "did not" in a sentence.
pub(super) fn insert<R>(
    connection: &Connection,
    operation: &'static str,
    table: &'static str,
    rows: &[R],
    token: &str,
) -> Result<(), ClickHouseError>
where
    R: RowOwned + RowWrite,
{
    if rows.is_empty() {
        return Ok(());
    }
    let settings = settings(connection)?;
    let limits = &connection.settings;
    // Each step has its own limit; this one is for what none of them covers.
    let overall = limits.query_timeout + limits.send_timeout * 2 + limits.insert_timeout;
    let stored = connection.wait(operation, overall, async {
        let opened = connection.client.insert::<R>(table);
        let mut insert = match tokio::time::timeout(limits.query_timeout, opened).await {
            Ok(opened) => opened?,
            Err(_) => return Err(ClientError::TimedOut),
        };
        insert = insert
            .with_timeouts(Some(limits.send_timeout), Some(limits.insert_timeout))
            .with_setting("insert_deduplication_token", token);
        for (name, value) in settings {
            insert = insert.with_setting(*name, *value);
        }
        for row in rows {
            insert.write(row).await?;
        }
        insert.end().await
    });
    if let Err(error) = &stored
        && error.class() != FaultClass::Transient
    {
        // The table may have been altered; the next attempt looks again. The server may also be another one now.
        connection.wait("forget a table", Duration::from_secs(1), async {
            connection.client.clear_cached_metadata().await;
            Ok(())
        })?;
    }
    stored
}

/// Those of the settings that the server knows: it refuses others.
fn settings(connection: &Connection) -> Result<&[(&'static str, &'static str)], ClickHouseError> {
    if let Some(known) = connection.insert_settings.get() {
        return Ok(known);
    }
    let names: Vec<String> = SETTINGS.iter().map(|(name, _)| format!("'{name}'")).collect();
    let select = format!(
        "SELECT name FROM system.settings WHERE name IN ({})",
        names.join(", ")
    );
    let known: Vec<Setting> = connection.rows("tell its settings", &select)?;
    let is_known = |name: &str| known.iter().any(|setting| setting.name == name);
    let settings = SETTINGS.into_iter().filter(|(name, _)| is_known(name)).collect();
    Ok(connection.insert_settings.get_or_init(|| settings))
}
