//! A process that is killed while it records: what it had reported is there, and nothing half.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use assay_engine::receipt::Receipt;
use assay_ledger::Ledger;

use crate::sample::{Fixture, agent, receipt};

/// Tells the child what to write, and is how it knows that it is one: the file, and the first batch.
const FILE: &str = "LEDGER_KILLING_FILE";
const FIRST: &str = "LEDGER_KILLING_FIRST";

/// Receipts of a batch: more than one block.
const BATCH: u64 = 300;

/// How long a report may take on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn batch(number: u64) -> Vec<Receipt> {
    (number * BATCH..(number + 1) * BATCH).map(receipt).collect()
}

/// The child: records batches for ever, and reports each.
#[test]
fn child_that_records() {
    let (Ok(file), Ok(first)) = (std::env::var(FILE), std::env::var(FIRST)) else {
        return;
    };
    let mut ledger = Ledger::open(file).unwrap();
    for number in first.parse().unwrap().. {
        ledger.record_batch(&batch(number)).unwrap();
        println!("recorded {number}");
    }
}

fn start_child(file: &Path, first: u64) -> (Child, Receiver<u64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killing::child_that_records", "--nocapture"])
        .env(FILE, file)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (report, reports) = mpsc::channel();
    thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let Some((_, number)) = line.rsplit_once("recorded ") else {
                continue;
            };
            if report.send(number.parse().unwrap()).is_err() {
                break;
            }
        }
    });
    (child, reports)
}

#[test]
fn what_was_reported_survives_a_kill() {
    let fixture = Fixture::new();
    let mut reported: u64 = 0;
    for round in 0..8 {
        // Each child begins with batches that are there, as a resumed run does.
        let (mut child, reports) = start_child(&fixture.path(), reported.saturating_sub(2));
        let last = reported + round % 3;
        while reported <= last {
            reported = reported.max(reports.recv_timeout(PATIENCE).unwrap() + 1);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What it had reported before it died, but was not yet read.
        while let Ok(number) = reports.recv_timeout(PATIENCE) {
            reported = reported.max(number + 1);
        }
        let ledger = fixture.open();
        let batches = ledger.len().unwrap() / BATCH;
        assert_eq!(ledger.len().unwrap() % BATCH, 0, "a batch is there in part");
        assert!(
            batches == reported || batches == reported + 1,
            "{batches} of {reported}"
        );
        check(&ledger, batches);
    }
}

fn check(ledger: &Ledger, batches: u64) {
    for expected in (0..batches).flat_map(batch) {
        assert_eq!(
            ledger.receipt(expected.response.verification_id).unwrap(),
            Some(expected)
        );
    }
    assert_eq!(
        ledger
            .receipt(receipt(batches * BATCH).response.verification_id)
            .unwrap(),
        None
    );
    let as_of = receipt(batches * BATCH).response.verified_at;
    for name in ["even", "odd"] {
        let of_agent = || (0..batches * BATCH).filter(|number| agent(*number) == name);
        let failed = of_agent().filter(|number| number.is_multiple_of(3)).count() as u64;
        let passed = of_agent().count() as u64 - failed;
        let history = ledger.history(name, as_of).unwrap();
        assert_eq!(history.totals(), (passed, failed));
        assert_eq!(
            history.last_seen,
            of_agent()
                .next_back()
                .map(|number| receipt(number).response.verified_at)
        );
    }
}
