//! Many callers, a queue that is full, a ledger that fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use assay_ledger::{GroupCommit, Ledger, LedgerError, RecordError};
use rusqlite::Connection;

use crate::sample::{Fixture, receipt};

/// How long anything here may take on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn sixteen_callers_each_find_their_receipt_when_they_are_told() {
    const CALLERS: u64 = 16;
    const EACH: u64 = 40;
    let fixture = Fixture::new();
    let group = GroupCommit::start(fixture.open()).unwrap();
    thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (group, fixture) = (&group, &fixture);
            scope.spawn(move || {
                let reader = fixture.open();
                for number in caller * EACH..(caller + 1) * EACH {
                    let expected = receipt(number);
                    group.record(expected.clone()).unwrap();
                    assert_eq!(
                        reader.receipt(expected.response.verification_id).unwrap(),
                        Some(expected)
                    );
                }
            });
        }
    });
    let ledger = group.close().unwrap();
    assert_eq!(ledger.len().unwrap(), CALLERS * EACH);
    // They shared commits: one for each would be as many rows of history.
    let connection = Connection::open(fixture.path()).unwrap();
    let commits: i64 = connection
        .query_row("SELECT count(*) FROM history_tail", (), |row| row.get(0))
        .unwrap();
    assert!(commits < (CALLERS * EACH) as i64, "{commits}");
}

#[test]
fn a_full_queue_is_told_and_what_was_taken_is_recorded() {
    let fixture = Fixture::new();
    let ledger = fixture.open();
    let other = Connection::open(fixture.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let group = GroupCommit::start(ledger).unwrap();
    let recorded = Arc::new(AtomicUsize::new(0));
    let mut taken = 0;
    let refusal = loop {
        let recorded = Arc::clone(&recorded);
        let on_commit = move |result: Result<(), RecordError>| {
            result.unwrap();
            recorded.fetch_add(1, Ordering::Relaxed);
        };
        match group.try_record(receipt(taken), on_commit) {
            Ok(()) => taken += 1,
            Err(refusal) => break refusal,
        }
    };
    assert!(matches!(refusal, RecordError::Overloaded), "{refusal:?}");
    other.execute_batch("COMMIT").unwrap();
    let ledger = group.close().unwrap();
    assert_eq!(recorded.load(Ordering::Relaxed) as u64, taken);
    assert_eq!(ledger.len().unwrap(), taken);
}

#[test]
fn a_failure_reaches_its_callers_and_the_next_ones_go_on() {
    let fixture = Fixture::new();
    let ledger = Ledger::open_with_timeout(fixture.path(), Duration::from_millis(50)).unwrap();
    let other = Connection::open(fixture.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let group = GroupCommit::start(ledger).unwrap();
    let error = group.record(receipt(1)).unwrap_err();
    let RecordError::Ledger(cause) = &error else {
        panic!("{error:?}")
    };
    assert!(matches!(**cause, LedgerError::Locked { .. }), "{cause:?}");
    other.execute_batch("COMMIT").unwrap();
    group.record(receipt(2)).unwrap();
    let ledger = group.close().unwrap();
    assert_eq!(ledger.receipt(receipt(1).response.verification_id).unwrap(), None);
    assert_eq!(
        ledger.receipt(receipt(2).response.verification_id).unwrap(),
        Some(receipt(2))
    );
}

#[test]
fn what_is_queued_when_it_is_dropped_is_recorded() {
    let fixture = Fixture::new();
    let group = GroupCommit::start(fixture.open()).unwrap();
    let (done, results) = mpsc::channel();
    for number in 0..100 {
        let done = done.clone();
        group
            .try_record(receipt(number), move |result| done.send(result).unwrap())
            .unwrap();
    }
    drop(group);
    for _ in 0..100 {
        results.recv_timeout(PATIENCE).unwrap().unwrap();
    }
    assert_eq!(fixture.open().len().unwrap(), 100);
}
