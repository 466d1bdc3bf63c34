//! Files of another version, another program, another state, and in other hands: each error says what to do.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use assay_ledger::{DataError, DataFolder, Ledger, LedgerError};
use rusqlite::Connection;

use crate::sample::{Fixture, receipt};

/// Long enough to be waited for, short enough for a test.
const SHORT: Duration = Duration::from_millis(50);

fn recorded(receipts: u64) -> Fixture {
    let fixture = Fixture::new();
    let receipts: Vec<_> = (0..receipts).map(receipt).collect();
    fixture.open().record_batch(&receipts).unwrap();
    fixture
}

fn refused(path: &Path, expected: &str) -> LedgerError {
    let error = match Ledger::open(path) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    };
    let text = error.to_string();
    assert!(
        text.contains(expected) && text.contains(path.to_str().unwrap()),
        "{text}"
    );
    error
}

#[test]
fn a_ledger_of_a_newer_version_is_refused_and_left_alone() {
    let fixture = recorded(3);
    Connection::open(fixture.path())
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let before = fs::read(fixture.path()).unwrap();
    let error = refused(&fixture.path(), "use the newer version, or another data folder");
    assert!(
        matches!(
            error,
            LedgerError::NewerVersion {
                found: 99,
                supported: 1,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(fs::read(fixture.path()).unwrap(), before);
}

#[test]
fn files_of_other_programs_are_refused_and_left_alone() {
    let fixture = Fixture::new();
    fs::write(
        fixture.path(),
        "{\"this\": \"is no database, however long its text may go on to be, and on\"}",
    )
    .unwrap();
    let before = fs::read(fixture.path()).unwrap();
    let error = refused(&fixture.path(), "name another data folder");
    assert!(matches!(error, LedgerError::NotALedger { .. }), "{error:?}");
    assert_eq!(fs::read(fixture.path()).unwrap(), before);

    fs::remove_file(fixture.path()).unwrap();
    Connection::open(fixture.path())
        .unwrap()
        .execute_batch("CREATE TABLE theirs (n INTEGER)")
        .unwrap();
    let error = refused(&fixture.path(), "name another data folder");
    assert!(matches!(error, LedgerError::NotALedger { .. }), "{error:?}");
}

#[test]
fn a_ledger_that_was_cut_short_is_damaged() {
    for keep in [50, 8_192, 20_000] {
        let fixture = recorded(600);
        let file = fs::OpenOptions::new().write(true).open(fixture.path()).unwrap();
        file.set_len(keep).unwrap();
        let error = refused(&fixture.path(), "restore the data folder from a backup");
        assert!(matches!(error, LedgerError::Damaged { .. }), "{keep}: {error:?}");
    }
}

#[test]
fn a_ledger_without_one_of_its_tables_is_damaged() {
    let fixture = recorded(3);
    Connection::open(fixture.path())
        .unwrap()
        .execute_batch("DROP TABLE id_strays")
        .unwrap();
    let error = refused(&fixture.path(), "restore the data folder from a backup");
    assert!(matches!(error, LedgerError::Damaged { .. }), "{error:?}");
}

#[test]
fn a_spoilt_page_is_an_error_or_does_no_harm() {
    const PAGE_BYTES: usize = 8 * 1024;
    let intact = recorded(1_000);
    let whole = fs::read(intact.path()).unwrap();
    let mut damages = 0;
    for page in 0..whole.len() / PAGE_BYTES {
        for fill in [0x00, 0xa5, 0xff] {
            let fixture = Fixture::new();
            let mut spoilt = whole.clone();
            // The first page keeps the head that makes it a ledger.
            let start = page * PAGE_BYTES + if page == 0 { 100 } else { 0 };
            spoilt[start..(page + 1) * PAGE_BYTES].fill(fill);
            fs::write(fixture.path(), spoilt).unwrap();
            let used = || -> Result<(), LedgerError> {
                let mut ledger = Ledger::open(fixture.path())?;
                for number in 0..1_000 {
                    ledger.receipt(receipt(number).response.verification_id)?;
                }
                ledger.history("even", receipt(999).response.verified_at)?;
                ledger.record_batch(&[receipt(500), receipt(2_000)])
            };
            match used() {
                Ok(()) => {}
                Err(LedgerError::Damaged { .. }) => damages += 1,
                Err(other) => panic!("page {page}: {other:?}"),
            }
        }
    }
    assert!(damages > 10, "{damages}");
}

#[test]
fn a_ledger_that_another_program_writes_is_waited_for_and_then_told() {
    let fixture = recorded(3);
    let other = Connection::open(fixture.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut ledger = Ledger::open_with_timeout(fixture.path(), SHORT).unwrap();
    let error = ledger.record_batch(&[receipt(10)]).unwrap_err();
    assert!(matches!(error, LedgerError::Locked { .. }), "{error:?}");
    assert!(
        error.to_string().contains("wait until that one has finished"),
        "{error}"
    );
    // Reading goes on, and so does writing when the other has finished.
    assert_eq!(ledger.len().unwrap(), 3);
    other.execute_batch("COMMIT").unwrap();
    ledger.record_batch(&[receipt(10)]).unwrap();
    assert_eq!(ledger.len().unwrap(), 4);
}

#[test]
fn a_ledger_that_another_program_keeps_to_itself_is_told_at_opening() {
    let fixture = recorded(3);
    let other = Connection::open(fixture.path()).unwrap();
    other
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT")
        .unwrap();
    let error = Ledger::open_with_timeout(fixture.path(), SHORT).err().unwrap();
    assert!(matches!(error, LedgerError::Locked { .. }), "{error:?}");
}

#[test]
fn a_ledger_without_its_folder_cannot_be_opened() {
    let fixture = Fixture::new();
    let path = fixture.path().join("no/ledger.sqlite3");
    let error = refused(&path, "check that its folder is there");
    assert!(matches!(error, LedgerError::CannotOpen { .. }), "{error:?}");
    let folder = fixture.path();
    fs::create_dir(&folder).unwrap();
    let error = refused(&folder, "check that its folder is there");
    assert!(matches!(error, LedgerError::CannotOpen { .. }), "{error:?}");
}

#[test]
fn several_may_make_and_write_one_ledger_at_the_same_time() {
    const WRITERS: u64 = 6;
    const BATCHES: u64 = 10;
    let fixture = Fixture::new();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let fixture = &fixture;
            scope.spawn(move || {
                let mut ledger = fixture.open();
                for batch in 0..BATCHES {
                    let first = (writer * BATCHES + batch) * 10;
                    let receipts: Vec<_> = (first..first + 10).map(receipt).collect();
                    ledger.record_batch(&receipts).unwrap();
                }
            });
        }
    });
    let ledger = fixture.open();
    let all = WRITERS * BATCHES * 10;
    assert_eq!(ledger.len().unwrap(), all);
    for number in 0..all {
        let expected = receipt(number);
        assert_eq!(
            ledger.receipt(expected.response.verification_id).unwrap(),
            Some(expected)
        );
    }
    let (passed, failed) = ledger
        .history("odd", receipt(all).response.verified_at)
        .unwrap()
        .totals();
    assert_eq!((passed, failed), (200, 100));
}

#[test]
fn a_data_folder_is_its_owners_and_holds_ledger_and_keys() {
    let fixture = Fixture::new();
    let path = fixture.path().join("of/data");
    let folder = DataFolder::open(&path).unwrap();
    assert!(folder.ledger().unwrap().is_empty().unwrap());
    assert!(folder.keys().unwrap().list().unwrap().is_empty());
    assert!(path.join("ledger.sqlite3").is_file() && path.join("keys").is_dir());
    #[cfg(unix)]
    for folder in [&path, &path.join("keys")] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
    DataFolder::open(&path).unwrap();

    let file = path.join("ledger.sqlite3");
    let error = DataFolder::open(&file).unwrap_err();
    assert!(matches!(error, DataError::NotAFolder { .. }), "{error:?}");
    let error = DataFolder::open(file.join("below")).unwrap_err();
    assert!(matches!(error, DataError::Create { .. }), "{error:?}");
}
