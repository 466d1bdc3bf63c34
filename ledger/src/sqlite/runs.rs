//! Runs over files: what a resumed run needs to know of the one before.

use std::path::Path;

use assay_engine::time::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

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
    id: [u8; 16],
    /// The bits of its verification ids that name it, from the left of these.
    name: u64,
    /// What it reads, as told when it began.
    pub inputs: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it came to its end; none while it is running, and after it was killed.
    pub finished_at: Option<Timestamp>,
}

impl Run {
    fn new(id: [u8; 16], inputs: String, started_at: Timestamp, finished_at: Option<Timestamp>) -> Run {
        Run {
            id,
            name: prefix(Sha256::digest(id).into()),
            inputs,
            started_at,
            finished_at,
        }
    }

    /// The random id of the run.
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// The verification id of a line: a UUIDv8 (RFC 9562, section 5.8), the same whenever the run is resumed.
    ///
    /// Its bits, left to right, less the six that are fixed: 48 that name the run, 40 of `line`, 34 of a hash. The ids of
    /// a run therefore ascend with its lines, which makes them cheap to record, and one of them gives no other away: names
    /// and hashes come from the random id of the run, which stays in the ledger.
    pub fn verification_id(&self, line: u64) -> Uuid {
        /// Leaves the bits of a line that an id has room for; 10^12 lines are more than a run can have.
        const LINE_MASK: u64 = (1 << 40) - 1;
        const TAG_BITS: u32 = 34;
        let tag = prefix(
            Sha256::new()
                .chain_update(self.id)
                .chain_update(line.to_be_bytes())
                .finalize()
                .into(),
        );
        let line = line & LINE_MASK;
        let first_bits = (self.name >> 16) << 16 | line >> 28;
        let last_bits = line << TAG_BITS | tag >> (u64::BITS - TAG_BITS);
        // The builder puts version and variant over bits that are left for them: 4 before the first 12 of the line, and
        // 2 before the rest of it, which has lost its first 12 to the left.
        uuid::Builder::from_custom_bytes((u128::from(first_bits) << 64 | u128::from(last_bits)).to_be_bytes())
            .into_uuid()
    }
}

/// The first 64 bits of a digest.
fn prefix(digest: [u8; 32]) -> u64 {
    let mut prefix = [0; 8];
    prefix.copy_from_slice(&digest[..8]);
    u64::from_be_bytes(prefix)
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
    Ok(Run::new(id, inputs.to_owned(), now, None))
}

pub(super) fn find(connection: &Connection, output: &Path) -> Result<Option<Run>, Fault> {
    let mut select = connection
        .prepare_cached("SELECT run, inputs, started_at, finished_at FROM runs WHERE output = ?1")?;
    let run = select.query_row([output.as_os_str().as_encoded_bytes()], |row| {
        let finished_at = row.get::<_, Option<i64>>(3)?.map(Timestamp::from_micros);
        Ok(Run::new(
            row.get(0)?,
            row.get(1)?,
            Timestamp::from_micros(row.get(2)?),
            finished_at,
        ))
    });
    Ok(run.optional()?)
}

pub(super) fn finish(connection: &Connection, run: &Run, now: Timestamp) -> Result<(), Fault> {
    let mut update = connection.prepare_cached("UPDATE runs SET finished_at = ?1 WHERE run = ?2")?;
    // A later run with the same output has taken the place of this one, when it isn't there.
    update.execute((now.micros(), run.id))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(id: [u8; 16]) -> Run {
        Run::new(id, String::new(), Timestamp::from_micros(0), None)
    }

    proptest! {
        #[test]
        fn ids_of_a_run_ascend_with_its_lines(id in any::<[u8; 16]>(), a in 0..1u64 << 40, b in 0..1u64 << 40) {
            let run = run(id);
            prop_assert_eq!(run.verification_id(a).cmp(&run.verification_id(b)), a.cmp(&b));
            prop_assert_eq!(run.verification_id(a).get_version_num(), 8);
            prop_assert_eq!(run.verification_id(a).get_variant(), uuid::Variant::RFC4122);
        }

        #[test]
        fn neighbouring_lines_have_ids_of_one_series(id in any::<[u8; 16]>(), line in 0..1u64 << 39) {
            let run = run(id);
            let name = |line| run.verification_id(line).as_u128() >> 80;
            prop_assert_eq!(name(line), name(line + 1));
        }
    }

    #[test]
    fn ids_of_different_runs_and_the_hash_in_an_id_differ() {
        let tag = |id, line| run(id).verification_id(line).as_u128() & ((1 << 34) - 1);
        let name = |id, line| run(id).verification_id(line).as_u128() >> 80;
        assert_ne!(name([1; 16], 0), name([2; 16], 0));
        assert_ne!(tag([1; 16], 0), tag([1; 16], 1));
        assert_ne!(tag([1; 16], 0), tag([2; 16], 0));
    }
}
