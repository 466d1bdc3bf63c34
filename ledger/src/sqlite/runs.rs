//! Runs over files: what a resumed run needs to know of the one before.

use std::path::Path;

use assay_engine::time::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use crate::error::Fault;

pub(super) const TABLE: &str = "
CREATE TABLE runs (
    output BLOB PRIMARY KEY,            -- the bytes of the path
    run BLOB NOT NULL,                  -- 16 random bytes
    inputs TEXT NOT NULL,
    started_at INTEGER NOT NULL,        -- microseconds since 1970
    finished_at INTEGER
) STRICT;
";

/// A run over files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// 16 random bytes, which tell it from every other.
    pub id: [u8; 16],
    /// What it reads, as told when it began.
    pub inputs: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it came to its end; none while it is running, and after it was killed.
    pub finished_at: Option<Timestamp>,
}

pub(super) fn begin(
    connection: &Connection,
    output: &Path,
    inputs: &str,
    now: Timestamp,
) -> Result<Run, Fault> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(std::io::Error::other)?;
    let mut insert =
        connection.prepare_cached("INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, NULL)")?;
    insert.execute((output.as_os_str().as_encoded_bytes(), id, inputs, now.micros()))?;
    Ok(Run {
        id,
        inputs: inputs.to_owned(),
        started_at: now,
        finished_at: None,
    })
}

pub(super) fn find(connection: &Connection, output: &Path) -> Result<Option<Run>, Fault> {
    let mut select = connection
        .prepare_cached("SELECT run, inputs, started_at, finished_at FROM runs WHERE output = ?1")?;
    let run = select.query_row([output.as_os_str().as_encoded_bytes()], |row| {
        Ok(Run {
            id: row.get(0)?,
            inputs: row.get(1)?,
            started_at: Timestamp::from_micros(row.get(2)?),
            finished_at: row.get::<_, Option<i64>>(3)?.map(Timestamp::from_micros),
        })
    });
    Ok(run.optional()?)
}

pub(super) fn finish(connection: &Connection, run: &Run, now: Timestamp) -> Result<(), Fault> {
    let mut update = connection.prepare_cached("UPDATE runs SET finished_at = ?1 WHERE run = ?2")?;
    // A later run with the same output has taken the place of this one, when it isn't there.
    update.execute((now.micros(), run.id))?;
    Ok(())
}
