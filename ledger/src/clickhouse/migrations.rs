//! The schema, in versions: each migration is a file of statements that is applied once.
//!
//! ClickHouse has neither transactions over tables nor locks, so two programs may migrate at once. Therefore every
//! statement may be repeated (`IF NOT EXISTS` and the like), and a migration counts as applied when its row is in the
//! table `migrations`, however often it is there.

use assay_engine::hex::hex;
use clickhouse::Row;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::connection::{Connection, text_constant};
use super::error::{ClickHouseError, FaultClass};

/// One step of the schema.
struct Migration {
    number: u32,
    name: &'static str,
    statements: &'static str,
}

/// Every step, ascending from 1 without a gap.
const MIGRATIONS: [Migration; 1] = [Migration {
    number: 1,
    name: "receipts",
    statements: include_str!("../../../schemas/clickhouse/0001-receipts.sql"),
}];

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS migrations (
    number UInt32,
    name String,
    checksum String,
    program String,
    applied_at DateTime('UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY (number, checksum)";

const SELECT: &str =
    "SELECT number, checksum FROM migrations GROUP BY number, checksum ORDER BY number, checksum";

/// A migration as the database knows it.
#[derive(Row, Deserialize)]
struct Applied {
    number: u32,
    checksum: String,
}

/// What a migration did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationReport {
    /// The steps that were applied now, by name.
    pub applied: Vec<&'static str>,
    /// The version of the schema now.
    pub version: u32,
}

impl Migration {
    fn checksum(&self) -> String {
        hex(&Sha256::digest(self.statements.as_bytes()))
    }

    /// The statements, each without its semicolon. One ends where a line does, so no text in one may hold `;` at the end
    /// of a line.
    fn statements(&self) -> impl Iterator<Item = &'static str> {
        self.statements
            .split(";\n")
            .map(str::trim)
            .filter(|statement| !statement.is_empty())
    }
}

/// Brings the schema to the version of this program.
pub(super) fn migrate(connection: &Connection) -> Result<MigrationReport, ClickHouseError> {
    const OPERATION: &str = "migrate";
    let database = &connection.settings.database;
    let anywhere = connection.client.clone().with_database("default");
    let create = format!("CREATE DATABASE IF NOT EXISTS {}", identifier(database));
    match connection.execute_in(&anywhere, OPERATION, &create) {
        Err(error) if error.class() == FaultClass::Configuration && exists(connection) => {
            // It is there already, and this user may use it but not make one.
        }
        result => result?,
    }
    connection.execute(OPERATION, TABLE)?;
    let mut report = MigrationReport::default();
    let applied = known(connection)?;
    for migration in &MIGRATIONS {
        report.version = migration.number;
        if applied.iter().any(|applied| applied.number == migration.number) {
            continue;
        }
        for statement in migration.statements() {
            connection.execute(OPERATION, statement)?;
        }
        let note = format!(
            "INSERT INTO migrations SELECT {}, {}, {}, {}, now()",
            migration.number,
            text_constant(migration.name),
            text_constant(&migration.checksum()),
            text_constant(env!("CARGO_PKG_VERSION")),
        );
        connection.execute(OPERATION, &note)?;
        report.applied.push(migration.name);
    }
    set_retention(connection)?;
    Ok(report)
}

/// Checks that the schema has the version of this program.
pub(super) fn check(connection: &Connection) -> Result<(), ClickHouseError> {
    let database = connection.settings.database.clone();
    let needed = MIGRATIONS.len() as u32;
    let applied = match known(connection) {
        Err(ClickHouseError::Server { fault, .. }) if is_missing(fault.code) => {
            return Err(ClickHouseError::OldSchema {
                database,
                found: 0,
                needed,
            });
        }
        result => result?,
    };
    let found = applied.len() as u32;
    if found < needed {
        return Err(ClickHouseError::OldSchema {
            database,
            found,
            needed,
        });
    }
    Ok(())
}

/// Whether the server's number says that a table or the database is not there.
fn is_missing(code: Option<u32>) -> bool {
    const UNKNOWN_TABLE: u32 = 60;
    const UNKNOWN_DATABASE: u32 = 81;
    matches!(code, Some(UNKNOWN_TABLE | UNKNOWN_DATABASE))
}

/// What was applied, when it is a beginning of what this program knows.
fn known(connection: &Connection) -> Result<Vec<Applied>, ClickHouseError> {
    let applied: Vec<Applied> = connection.rows("tell its migrations", SELECT)?;
    let database = || connection.settings.database.clone();
    let newest = applied.last().map_or(0, |applied| applied.number);
    if newest as usize > MIGRATIONS.len() {
        return Err(ClickHouseError::NewerSchema {
            database: database(),
            found: newest,
            known: MIGRATIONS.len() as u32,
        });
    }
    for (place, found) in applied.iter().enumerate() {
        let expected = MIGRATIONS.get(place);
        let is_same =
            |expected: &Migration| expected.number == found.number && expected.checksum() == found.checksum;
        if !expected.is_some_and(is_same) {
            return Err(ClickHouseError::AlteredMigration {
                database: database(),
                number: found.number,
            });
        }
    }
    Ok(applied)
}

fn exists(connection: &Connection) -> bool {
    connection.execute("answer", "SELECT 1").is_ok()
}

/// Makes the table forget what is older than the settings say.
fn set_retention(connection: &Connection) -> Result<(), ClickHouseError> {
    const OPERATION: &str = "set how long receipts are kept";
    let days = connection.settings.retention_days;
    let tables: Vec<String> = connection.rows(
        OPERATION,
        "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'receipts'",
    )?;
    let current = tables.first().map(String::as_str).unwrap_or_default();
    let wanted = format!("toIntervalDay({days})");
    if days == 0 {
        if current.contains(" TTL ") {
            connection.execute(OPERATION, "ALTER TABLE receipts REMOVE TTL")?;
        }
    } else if !current.contains(&wanted) {
        let alter = format!("ALTER TABLE receipts MODIFY TTL toDateTime(verified_at) + {wanted}");
        connection.execute(OPERATION, &alter)?;
    }
    Ok(())
}

/// A name as it stands in a statement.
pub(super) fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_and_may_be_repeated() {
        for (place, migration) in MIGRATIONS.iter().enumerate() {
            assert_eq!(migration.number as usize, place + 1);
            assert!(migration.statements().count() > 0);
            for statement in migration.statements() {
                let code: Vec<&str> = statement.lines().filter(|line| !line.starts_with("--")).collect();
                let may_be_repeated = ["IF NOT EXISTS", "IF EXISTS"]
                    .iter()
                    .any(|words| code[0].contains(words));
                assert!(may_be_repeated, "{statement}");
            }
        }
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(identifier("a`b\\c"), "`a\\`b\\\\c`");
    }
}
