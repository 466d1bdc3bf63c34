//! Blocks: up to 256 receipts in one row, column by column.
//!
//! The receipts of a block lie in the order of their ids. What has a fixed width lies there as such: 16 bytes for an id,
//! 8 for a time, 32 for a hash, 64 for a signature. What repeats (agents, hashes of schemas and rules, key versions, who
//! answers) lies there once, with a byte for each receipt that tells which it has; see [`Dictionary`].

use std::sync::Arc;

use assay_engine::receipt::Receipt;
use assay_engine::response::{Detail, Digest, Hashes, Response, ServiceIdentity};
use assay_engine::time::Timestamp;
use assay_engine::verdict::{Outcome, Tally, Verdict};
use rusqlite::{Connection, OptionalExtension, Row, Statement};
use uuid::Uuid;

use super::bytes::{Cursor, fixed, write_text, write_varint};
use super::dictionary::{self, Dictionary};
use super::violations;
use crate::error::{Damaged, Fault};

/// Receipts of a block: few enough that one of them is read in some ten microseconds, many enough that a row costs each
/// of them next to nothing. A place in a dictionary is a byte.
pub(super) const MAX_RECEIPTS: usize = dictionary::MAX_ENTRIES;

/// Bytes of violations, before compression, at which a block is closed, so that reading one receipt stays cheap.
const MAX_VIOLATION_BYTES: usize = 256 * 1024;

/// Bits of a receipt's settings.
const ENFORCE_RULES: u8 = 1;
const STRICT_CONTENT_CHECK: u8 = 1 << 1;
const COMPACT: u8 = 1 << 2;
const FAILED: u8 = 1 << 3;
const HAS_AGENT: u8 = 1 << 4;
const HAS_VIOLATIONS: u8 = 1 << 5;

/// The table, one column a line; the order is that of [`COLUMNS`].
pub(super) const TABLE: &str = "
CREATE TABLE blocks (
    block INTEGER PRIMARY KEY,
    receipts INTEGER NOT NULL,          -- receipts in this block
    total INTEGER NOT NULL,             -- distinct ids in this block and those before it
    verification_ids BLOB NOT NULL,     -- 16 bytes each, ascending
    verified_at BLOB NOT NULL,          -- microseconds since 1970, 8 bytes each
    days BLOB,                          -- days since 1970, 4 bytes each; null: those of verified_at
    settings BLOB NOT NULL,             -- a byte of flags each
    tallies BLOB NOT NULL,              -- four varints each
    agents BLOB NOT NULL,               -- dictionary
    schema_hashes BLOB NOT NULL,        -- dictionary
    rules_hashes BLOB NOT NULL,         -- dictionary
    key_versions BLOB NOT NULL,         -- dictionary
    identities BLOB NOT NULL,           -- dictionary
    task_ids BLOB NOT NULL,             -- texts after their lengths
    request_hashes BLOB NOT NULL,       -- 32 bytes each
    output_hashes BLOB NOT NULL,        -- 32 bytes each
    signatures BLOB NOT NULL,           -- 64 bytes each
    violations BLOB                     -- of the receipts that have any; null: none has
) STRICT;
";

const INSERT: &str =
    "INSERT INTO blocks VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)";

/// The columns of a block in the order of the table.
#[derive(Clone, Copy)]
enum Column {
    Block,
    Receipts,
    Total,
    VerificationIds,
    VerifiedAt,
    Days,
    Settings,
    Tallies,
    Agents,
    SchemaHashes,
    RulesHashes,
    KeyVersions,
    Identities,
    TaskIds,
    RequestHashes,
    OutputHashes,
    Signatures,
    Violations,
}

/// What a receipt says about its agent, as far as reputation needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Check {
    /// The first 64 bits of the hash of the request.
    pub(super) request: u64,
    /// The day it counts on, in days since 1970.
    pub(super) day: i32,
    /// When it was made, in microseconds since 1970.
    pub(super) verified_at: i64,
    /// Whether it failed.
    pub(super) failed: bool,
}

/// Collects the columns of one block after another.
#[derive(Default)]
pub(super) struct BlockBuilder {
    receipts: usize,
    verification_ids: Vec<u8>,
    verified_at: Vec<u8>,
    days: Vec<u8>,
    has_own_days: bool,
    settings: Vec<u8>,
    tallies: Vec<u8>,
    agents: Dictionary,
    schema_hashes: Dictionary,
    rules_hashes: Dictionary,
    key_versions: Dictionary,
    identities: Dictionary,
    last_identity: Option<Arc<ServiceIdentity>>,
    task_ids: Vec<u8>,
    request_hashes: Vec<u8>,
    output_hashes: Vec<u8>,
    signatures: Vec<u8>,
    violations: Vec<u8>,
    scratch: Vec<u8>,
}

impl BlockBuilder {
    /// Adds a receipt, whose id is greater than those before it; the block must not be full.
    pub(super) fn push(&mut self, receipt: &Receipt, day: i32) -> Check {
        let Receipt { response, signature } = receipt;
        let Response {
            hashes,
            verdict,
            verified_at,
            ..
        } = response;
        let failed = response.outcome() == Outcome::Fail;
        let has_violations = violations::has_any(verdict);
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        self.settings.push(
            flag(response.enforce_rules, ENFORCE_RULES)
                | flag(response.strict_content_check, STRICT_CONTENT_CHECK)
                | flag(response.detail == Detail::Compact, COMPACT)
                | flag(failed, FAILED)
                | flag(response.agent_id.is_some(), HAS_AGENT)
                | flag(has_violations, HAS_VIOLATIONS),
        );
        self.verification_ids
            .extend_from_slice(response.verification_id.as_bytes());
        self.verified_at
            .extend_from_slice(&verified_at.micros().to_le_bytes());
        self.days.extend_from_slice(&day.to_le_bytes());
        self.has_own_days |= day != verified_at.day();
        for tally in [verdict.schema, verdict.integrity] {
            write_varint(tally.passed, &mut self.tallies);
            write_varint(tally.total, &mut self.tallies);
        }
        self.agents
            .push(response.agent_id.as_deref().unwrap_or_default().as_bytes());
        self.schema_hashes.push(&hashes.schema);
        self.rules_hashes.push(&hashes.rules);
        self.key_versions.push(response.key_version.as_bytes());
        self.push_identity(&response.identity);
        write_text(&response.task_id, &mut self.task_ids);
        self.request_hashes.extend_from_slice(&hashes.request);
        self.output_hashes.extend_from_slice(&hashes.output);
        self.signatures.extend_from_slice(signature);
        if has_violations {
            violations::write(verdict, &mut self.scratch, &mut self.violations);
        }
        self.receipts += 1;
        Check {
            request: request_prefix(&hashes.request),
            day,
            verified_at: verified_at.micros(),
            failed,
        }
    }

    fn push_identity(&mut self, identity: &Arc<ServiceIdentity>) {
        if self
            .last_identity
            .as_ref()
            .is_some_and(|last| Arc::ptr_eq(last, identity))
        {
            self.identities.push_again();
            return;
        }
        let ServiceIdentity {
            public_key_url,
            service,
            mcp,
            verifier_version,
        } = &**identity;
        self.scratch.clear();
        for text in [public_key_url, service, mcp, verifier_version] {
            write_text(text, &mut self.scratch);
        }
        self.identities.push(&self.scratch);
        self.last_identity = Some(Arc::clone(identity));
    }

    /// Tells apart the agents of this block: distinct ones count up from 0, none being the same as an empty one.
    pub(super) fn last_agent(&self) -> usize {
        self.agents.last_code()
    }

    pub(super) fn is_full(&self) -> bool {
        self.receipts == MAX_RECEIPTS || self.violations.len() >= MAX_VIOLATION_BYTES
    }

    /// Writes the block and begins the next one.
    pub(super) fn finish(&mut self, connection: &Connection, block: i64, total: u64) -> Result<(), Fault> {
        let mut insert = connection.prepare_cached(INSERT)?;
        bind(&mut insert, Column::Block, block)?;
        bind(&mut insert, Column::Receipts, self.receipts as i64)?;
        bind(&mut insert, Column::Total, total as i64)?;
        bind(&mut insert, Column::VerificationIds, &self.verification_ids[..])?;
        bind(&mut insert, Column::VerifiedAt, &self.verified_at[..])?;
        bind(
            &mut insert,
            Column::Days,
            self.has_own_days.then_some(&self.days[..]),
        )?;
        bind(&mut insert, Column::Settings, &self.settings[..])?;
        bind(&mut insert, Column::Tallies, &self.tallies[..])?;
        for (column, dictionary) in [
            (Column::Agents, &self.agents),
            (Column::SchemaHashes, &self.schema_hashes),
            (Column::RulesHashes, &self.rules_hashes),
            (Column::KeyVersions, &self.key_versions),
            (Column::Identities, &self.identities),
        ] {
            self.scratch.clear();
            dictionary.write(&mut self.scratch);
            bind(&mut insert, column, &self.scratch[..])?;
        }
        bind(&mut insert, Column::TaskIds, &self.task_ids[..])?;
        bind(&mut insert, Column::RequestHashes, &self.request_hashes[..])?;
        bind(&mut insert, Column::OutputHashes, &self.output_hashes[..])?;
        bind(&mut insert, Column::Signatures, &self.signatures[..])?;
        if self.violations.is_empty() {
            bind(&mut insert, Column::Violations, None::<&[u8]>)?;
        } else {
            violations::pack(&self.violations, &mut self.scratch)?;
            bind(&mut insert, Column::Violations, &self.scratch[..])?;
        }
        insert.raw_execute()?;
        self.clear();
        Ok(())
    }

    /// Forgets what was added.
    pub(super) fn clear(&mut self) {
        self.receipts = 0;
        self.has_own_days = false;
        self.last_identity = None;
        for column in [
            &mut self.verification_ids,
            &mut self.verified_at,
            &mut self.days,
            &mut self.settings,
            &mut self.tallies,
            &mut self.task_ids,
            &mut self.request_hashes,
            &mut self.output_hashes,
            &mut self.signatures,
            &mut self.violations,
        ] {
            column.clear();
        }
        for dictionary in [
            &mut self.agents,
            &mut self.schema_hashes,
            &mut self.rules_hashes,
            &mut self.key_versions,
            &mut self.identities,
        ] {
            dictionary.clear();
        }
    }
}

fn bind(statement: &mut Statement<'_>, column: Column, value: impl rusqlite::ToSql) -> rusqlite::Result<()> {
    statement.raw_bind_parameter(column as usize + 1, value)
}

/// The first 64 bits of the hash of a request.
fn request_prefix(hash: &Digest) -> u64 {
    let mut prefix = [0; 8];
    prefix.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(prefix)
}

/// The last block.
#[derive(Clone, Copy, Default)]
pub(super) struct LastBlock {
    /// Its number; 0 when there is none.
    pub(super) block: i64,
    /// Distinct ids in all blocks.
    pub(super) total: u64,
}

pub(super) fn last(connection: &Connection) -> Result<LastBlock, Fault> {
    let mut select =
        connection.prepare_cached("SELECT block, total FROM blocks ORDER BY block DESC LIMIT 1")?;
    let last = select.query_row((), |row| {
        Ok(LastBlock {
            block: row.get(0)?,
            total: row.get::<_, i64>(1)? as u64,
        })
    });
    Ok(last.optional()?.unwrap_or_default())
}

/// The ids of a block, 16 bytes each, ascending.
pub(super) fn read_ids(connection: &Connection, block: i64) -> Result<Vec<u8>, Fault> {
    let mut select = connection.prepare_cached("SELECT verification_ids FROM blocks WHERE block = ?1")?;
    let ids: Option<Vec<u8>> = select.query_row([block], |row| row.get(0)).optional()?;
    ids.ok_or(Fault::Damaged(Damaged("a block is missing")))
}

/// The place of an id among those of a block.
pub(super) fn position(ids: &[u8], id: u128) -> Option<usize> {
    ids.as_chunks::<16>()
        .0
        .binary_search_by_key(&id, |bytes| u128::from_be_bytes(*bytes))
        .ok()
}

/// The receipt with that id in that block.
pub(super) fn read_receipt(connection: &Connection, block: i64, id: u128) -> Result<Option<Receipt>, Fault> {
    read_block(connection, block, |stored| {
        match position(stored.blob(Column::VerificationIds)?, id) {
            Some(position) => Ok(Some(stored.receipt(position)?)),
            None => Ok(None),
        }
    })
}

/// Calls `found` with the agent, if any, and the check of each of `ids` in that block.
pub(super) fn read_checks(
    connection: &Connection,
    block: i64,
    ids: impl Iterator<Item = u128>,
    mut found: impl FnMut(Option<&str>, Check),
) -> Result<(), Fault> {
    read_block(connection, block, |stored| {
        for id in ids {
            let position = position(stored.blob(Column::VerificationIds)?, id);
            let position = position.ok_or(Damaged("a receipt is not in its block"))?;
            found(stored.agent(position)?, stored.check(position)?);
        }
        Ok(())
    })
}

fn read_block<T>(
    connection: &Connection,
    block: i64,
    read: impl FnOnce(&StoredBlock<'_, '_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut select = connection.prepare_cached("SELECT * FROM blocks WHERE block = ?1")?;
    let mut rows = select.query([block])?;
    match rows.next()? {
        Some(row) => read(&StoredBlock { row }),
        None => Err(Fault::Damaged(Damaged("a block is missing"))),
    }
}

/// A block as it lies in its row.
struct StoredBlock<'row, 'statement> {
    row: &'row Row<'statement>,
}

impl<'row> StoredBlock<'row, '_> {
    fn blob(&self, column: Column) -> Result<&'row [u8], Fault> {
        self.optional_blob(column)?
            .ok_or(Fault::Damaged(Damaged("a column of a block is missing")))
    }

    fn optional_blob(&self, column: Column) -> Result<Option<&'row [u8]>, Fault> {
        let value = self.row.get_ref(column as usize)?;
        value
            .as_blob_or_null()
            .map_err(|_| Fault::Damaged(Damaged("a column of a block is no blob")))
    }

    fn fixed<const N: usize>(&self, column: Column, position: usize) -> Result<[u8; N], Fault> {
        Ok(fixed(self.blob(column)?, position)?)
    }

    fn dictionary(&self, column: Column, position: usize) -> Result<&'row [u8], Fault> {
        Ok(dictionary::value(self.blob(column)?, position)?)
    }

    fn dictionary_text(&self, column: Column, position: usize) -> Result<&'row str, Fault> {
        let bytes = self.dictionary(column, position)?;
        std::str::from_utf8(bytes).map_err(|_| Fault::Damaged(Damaged("a text is not UTF-8")))
    }

    fn dictionary_digest(&self, column: Column, position: usize) -> Result<Digest, Fault> {
        let bytes = self.dictionary(column, position)?;
        bytes
            .try_into()
            .map_err(|_| Fault::Damaged(Damaged("a hash has not 32 bytes")))
    }

    fn settings(&self, position: usize) -> Result<u8, Fault> {
        Ok(self.fixed::<1>(Column::Settings, position)?[0])
    }

    fn verified_at(&self, position: usize) -> Result<Timestamp, Fault> {
        Ok(Timestamp::from_micros(i64::from_le_bytes(
            self.fixed(Column::VerifiedAt, position)?,
        )))
    }

    fn agent(&self, position: usize) -> Result<Option<&'row str>, Fault> {
        if self.settings(position)? & HAS_AGENT == 0 {
            return Ok(None);
        }
        Ok(Some(self.dictionary_text(Column::Agents, position)?))
    }

    fn check(&self, position: usize) -> Result<Check, Fault> {
        let verified_at = self.verified_at(position)?;
        let day = match self.optional_blob(Column::Days)? {
            Some(days) => i32::from_le_bytes(fixed(days, position)?),
            None => verified_at.day(),
        };
        Ok(Check {
            request: request_prefix(&self.fixed(Column::RequestHashes, position)?),
            day,
            verified_at: verified_at.micros(),
            failed: self.settings(position)? & FAILED != 0,
        })
    }

    fn identity(&self, position: usize) -> Result<ServiceIdentity, Fault> {
        let mut cursor = Cursor::new(self.dictionary(Column::Identities, position)?);
        let mut text = || Ok::<String, Damaged>(cursor.text()?.to_owned());
        Ok(ServiceIdentity {
            public_key_url: text()?,
            service: text()?,
            mcp: text()?,
            verifier_version: text()?,
        })
    }

    fn task_id(&self, position: usize) -> Result<&'row str, Fault> {
        let mut cursor = Cursor::new(self.blob(Column::TaskIds)?);
        for _ in 0..position {
            cursor.counted()?;
        }
        Ok(cursor.text()?)
    }

    fn verdict(&self, position: usize) -> Result<Verdict, Fault> {
        let mut tallies = Cursor::new(self.blob(Column::Tallies)?);
        for _ in 0..position * 4 {
            tallies.varint()?;
        }
        let mut tally = || {
            Ok::<Tally, Damaged>(Tally {
                passed: tallies.varint()?,
                total: tallies.varint()?,
            })
        };
        let mut verdict = Verdict {
            schema: tally()?,
            integrity: tally()?,
            ..Verdict::default()
        };
        if self.settings(position)? & HAS_VIOLATIONS != 0 {
            let settings = self.blob(Column::Settings)?;
            let before = settings
                .iter()
                .take(position)
                .filter(|bits| *bits & HAS_VIOLATIONS != 0)
                .count();
            let column = violations::unpack(self.blob(Column::Violations)?)?;
            violations::read(&column, before, &mut verdict)?;
        }
        Ok(verdict)
    }

    fn receipt(&self, position: usize) -> Result<Receipt, Fault> {
        let settings = self.settings(position)?;
        let response = Response {
            verification_id: Uuid::from_bytes(self.fixed(Column::VerificationIds, position)?),
            task_id: self.task_id(position)?.to_owned(),
            agent_id: self.agent(position)?.map(str::to_owned),
            hashes: Hashes {
                output: self.fixed(Column::OutputHashes, position)?,
                schema: self.dictionary_digest(Column::SchemaHashes, position)?,
                rules: self.dictionary_digest(Column::RulesHashes, position)?,
                request: self.fixed(Column::RequestHashes, position)?,
            },
            verified_at: self.verified_at(position)?,
            enforce_rules: settings & ENFORCE_RULES != 0,
            strict_content_check: settings & STRICT_CONTENT_CHECK != 0,
            detail: if settings & COMPACT != 0 {
                Detail::Compact
            } else {
                Detail::Full
            },
            verdict: self.verdict(position)?,
            identity: Arc::new(self.identity(position)?),
            key_version: self.dictionary_text(Column::KeyVersions, position)?.into(),
        };
        Ok(Receipt {
            response,
            signature: self.fixed(Column::Signatures, position)?,
        })
    }
}
