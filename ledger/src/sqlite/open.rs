//! Opening a ledger: what the file is, its settings, and the steps from an older format to this one.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, ffi};

use super::{block, history, ids, runs};
use crate::LedgerError;
use crate::error::{Damaged, Fault};

/// What `PRAGMA application_id` says of a ledger: "assa" in ASCII, for the tool `file` and for us.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"assa");

/// The steps from each format to the next; `PRAGMA user_version` counts those that were taken. A step that was released is
/// never changed.
const MIGRATIONS: &[&[&str]] = &[&[block::TABLE, ids::TABLES, history::TABLES, runs::TABLE]];

/// The tables of the newest format.
const TABLES: [&str; 6] = [
    "blocks",
    "id_ranges",
    "id_strays",
    "history_tail",
    "history",
    "runs",
];

/// Bytes of a page. Blocks have some 45 kB, which larger pages write with fewer calls; a small commit changes three pages
/// and is cheaper with smaller ones.
const PAGE_BYTES: u32 = 8 * 1024;

/// Bytes of pages kept in memory. Writing needs the edges of the tables only.
const CACHE_BYTES: u32 = 16 * 1024 * 1024;

/// Bytes of the write-ahead log at which it is moved into the file, and to which it is cut afterwards.
const LOG_BYTES: u32 = 16 * 1024 * 1024;

/// How long to wait between two attempts, where SQLite does not wait by itself.
const RETRY: Duration = Duration::from_millis(5);

/// Why a file was not opened.
enum Refusal {
    Newer { found: u32 },
    NotALedger,
    Fault(Fault),
}

impl<E: Into<Fault>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Fault(error.into())
    }
}

/// Opens the file, which is made when it isn't there.
pub(super) fn open(path: &Path, busy_timeout: Duration) -> Result<Connection, LedgerError> {
    let refuse = |refusal| match refusal {
        Refusal::Newer { found } => {
            let supported = MIGRATIONS.len() as u32;
            LedgerError::NewerVersion {
                path: path.to_owned(),
                found,
                supported,
            }
        }
        Refusal::NotALedger => LedgerError::NotALedger {
            path: path.to_owned(),
        },
        Refusal::Fault(fault) => fault.explain(path, "open", busy_timeout.as_secs()),
    };
    check_length(path).map_err(refuse)?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(busy_timeout)?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok::<Connection, rusqlite::Error>(connection)
    };
    let connection = connect().map_err(|error| refuse(error.into()))?;
    let deadline = Instant::now() + busy_timeout;
    loop {
        match prepare(&connection) {
            Ok(()) => return Ok(connection),
            // A new file changes to its log without waiting for others that do the same.
            Err(Refusal::Fault(fault)) if fault.is_lock() && Instant::now() < deadline => {
                std::thread::sleep(RETRY);
            }
            Err(refusal) => return Err(refuse(refusal)),
        }
    }
}

/// Finds a file that was cut short, which SQLite finds only when it reads what is missing.
fn check_length(path: &Path) -> Result<(), Refusal> {
    const HEAD_BYTES: u64 = 100;
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let file = match File::open(path) {
        Ok(file) => file,
        // Whether it can be made, SQLite finds out.
        Err(_) => return Ok(()),
    };
    let len = file.metadata()?.len();
    let mut head = Vec::new();
    match file.take(HEAD_BYTES).read_to_end(&mut head) {
        // A folder cannot be read; SQLite says so.
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Ok(()),
        Err(error) => return Err(error.into()),
        Ok(0) => return Ok(()),
        Ok(_) => {}
    }
    if !head.starts_with(MAGIC) {
        return Err(Refusal::NotALedger);
    }
    if (head.len() as u64) < HEAD_BYTES {
        return Err(Damaged("its file is cut short").into());
    }
    // Pages may still be in the log, and then the length says nothing.
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return Ok(());
    }
    // The file format of SQLite, section 1.3: the size of a page, the change counter, the pages of the file, and the
    // change counter for which that number is right.
    let number = |at: usize| {
        head[at..at + 4]
            .iter()
            .fold(0u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let page_bytes = match number(16) >> 16 {
        1 => 65_536,
        bytes => bytes,
    };
    if number(24) == number(92) && len < page_bytes * number(28) {
        return Err(Damaged("its file is cut short").into());
    }
    Ok(())
}

fn prepare(connection: &Connection) -> Result<(), Refusal> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    let application = number("application_id")?;
    let version = number("user_version")?;
    let is_new = objects == 0 && application == 0 && version == 0;
    if application != APPLICATION_ID && !is_new {
        return Err(Refusal::NotALedger);
    }
    let found = version as u32;
    if found > MIGRATIONS.len() as u32 {
        return Err(Refusal::Newer { found });
    }
    if connection.is_readonly("main")? {
        let error = ffi::Error::new(ffi::SQLITE_READONLY);
        return Err(rusqlite::Error::SqliteFailure(error, None).into());
    }
    connection.execute_batch(&format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA cache_size = -{};
         PRAGMA synchronous = FULL;
         PRAGMA wal_autocheckpoint = {};
         PRAGMA journal_size_limit = {LOG_BYTES};
         PRAGMA temp_store = MEMORY;
         PRAGMA cell_size_check = ON;
         PRAGMA trusted_schema = OFF;",
        CACHE_BYTES / 1024,
        LOG_BYTES / PAGE_BYTES,
    ))?;
    let journal: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if journal != "wal" {
        // Some network folders have no shared memory, and two machines could then destroy the file.
        return Err(io::Error::other("the folder does not support a write-ahead log").into());
    }
    migrate(connection, MIGRATIONS)?;
    check_tables(connection)
}

/// Takes the steps that are left, all or none.
fn migrate(connection: &Connection, migrations: &[&[&str]]) -> Result<(), Fault> {
    let version = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))
    };
    if version(connection)? as usize >= migrations.len() {
        return Ok(());
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Another process may have taken them meanwhile.
    let taken = version(&transaction)? as usize;
    for step in migrations.iter().skip(taken) {
        for statements in *step {
            transaction.execute_batch(statements)?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", migrations.len().max(taken) as i32)?;
    Ok(transaction.commit()?)
}

/// Reads the root of every table.
fn check_tables(connection: &Connection) -> Result<(), Refusal> {
    let names = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    for table in TABLES {
        if connection.query_row(names, [table], |row| row.get::<_, i64>(0))? == 0 {
            return Err(Damaged("a table is missing").into());
        }
        connection
            .prepare(&format!("SELECT 1 FROM {table} LIMIT 1"))?
            .exists(())?;
    }
    block::last(connection)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_taken_once_and_all_or_none() {
        let connection = Connection::open_in_memory().unwrap();
        let first: &[&str] = &["CREATE TABLE one (n INTEGER)"];
        let second: &[&str] = &["INSERT INTO one VALUES (1)", "CREATE TABLE two (n INTEGER)"];
        let broken: &[&str] = &["INSERT INTO one VALUES (2)", "CREATE TABLE two (n INTEGER)"];
        let state = || {
            let count = |sql: &str| connection.query_row(sql, (), |row| row.get::<_, i64>(0));
            (
                count("PRAGMA user_version").unwrap(),
                count("SELECT sum(n) FROM one").unwrap_or_default(),
            )
        };
        migrate(&connection, &[first]).unwrap();
        migrate(&connection, &[first]).unwrap();
        assert_eq!(state(), (1, 0));
        migrate(&connection, &[first, second]).unwrap();
        migrate(&connection, &[first, second]).unwrap();
        assert_eq!(state(), (2, 1));
        assert!(migrate(&connection, &[first, second, broken]).is_err());
        assert_eq!(state(), (2, 1));
    }
}
