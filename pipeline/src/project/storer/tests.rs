//! What becomes of a batch when the store answers badly, without a store.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use assay_engine::receipt::Signer;
use assay_engine::response::{Detail, Hashes, Response, ServiceIdentity};
use assay_engine::time::Timestamp;
use assay_engine::verdict::{Tally, Verdict};
use assay_ledger::clickhouse::ServerFault;
use uuid::Uuid;

use super::*;
use crate::project::monitor::{Notice, State};
use crate::project::record::{RecordHeaders, TopicRecord};

fn record(number: u64) -> TopicRecord {
    let signer = Signer::new(&[7; 32], "v1");
    let response = Response {
        verification_id: Uuid::from_u128(u128::from(number)),
        task_id: format!("task-{number}"),
        agent_id: Some("agent".to_owned()),
        hashes: Hashes {
            output: [1; 32],
            schema: [2; 32],
            rules: [3; 32],
            request: [number as u8; 32],
        },
        verified_at: Timestamp::from_micros(1_790_812_800_000_000),
        enforce_rules: false,
        strict_content_check: false,
        detail: Detail::Full,
        verdict: Verdict {
            schema: Tally { passed: 2, total: 2 },
            ..Verdict::default()
        },
        identity: std::sync::Arc::new(ServiceIdentity {
            public_key_url: String::new(),
            service: String::new(),
            mcp: String::new(),
            verifier_version: String::new(),
        }),
        key_version: signer.key_version(),
    };
    let mut value = Vec::new();
    signer
        .sign_response(response, &mut Vec::new())
        .write_wire(&mut value);
    TopicRecord {
        offset: number as i64,
        value: Some(value),
        headers: RecordHeaders::default(),
        ..TopicRecord::default()
    }
}

fn batch(records: impl IntoIterator<Item = TopicRecord>) -> Batch {
    Batch {
        number: 1,
        records: records.into_iter().collect(),
        spans: Vec::new(),
        bytes: 0,
        is_void: std::sync::Arc::default(),
    }
}

fn fault(class: FaultClass, code: u32, text: &str) -> ClickHouseError {
    ClickHouseError::Server {
        address: "http://store".to_owned(),
        operation: "store a batch",
        fault: ServerFault {
            class,
            code: Some(code),
            text: text.to_owned(),
        },
    }
}

/// A store that fails a few times, refuses some rows, and drops what it is sent again under a token.
#[derive(Default)]
struct Store {
    failures: Mutex<Vec<ClickHouseError>>,
    refuses: HashSet<u128>,
    tokens: Mutex<HashSet<String>>,
    stored: Mutex<Vec<u128>>,
    attempts: Mutex<Vec<(usize, String)>>,
}

impl Sink for Store {
    fn check(&self) -> Result<(), ClickHouseError> {
        Ok(())
    }

    fn insert(&self, rows: &[ReceiptRow], token: &str) -> Result<(), ClickHouseError> {
        self.attempts.lock().unwrap().push((rows.len(), token.to_owned()));
        if let Some(failure) = self.failures.lock().unwrap().pop() {
            return Err(failure);
        }
        let ids = rows.iter().map(|row| row.verification_id().as_u128());
        if ids.clone().any(|id| self.refuses.contains(&id)) {
            return Err(fault(FaultClass::Data, 469, "Constraint violated"));
        }
        if self.tokens.lock().unwrap().insert(token.to_owned()) {
            self.stored.lock().unwrap().extend(ids);
        }
        Ok(())
    }
}

#[derive(Default)]
struct Letters(Mutex<Vec<(i64, &'static str)>>);

impl Rejections for Letters {
    fn reject(&self, letters: &[Letter<'_>]) -> Vec<Result<(), String>> {
        let mut written = self.0.lock().unwrap();
        written.extend(
            letters
                .iter()
                .map(|(record, refusal)| (record.offset, refusal.code)),
        );
        vec![Ok(()); letters.len()]
    }
}

struct Run {
    outcome: Outcome,
    letters: Vec<(i64, &'static str)>,
    notices: Vec<Notice>,
    state: State,
}

fn store(store: &Store, batch: &Batch, abandon_after: Option<Duration>) -> Run {
    let notices = std::sync::Arc::new(Mutex::new(Vec::new()));
    let sink = std::sync::Arc::clone(&notices);
    let monitor = Monitor::new(move |notice| sink.lock().unwrap().push(notice));
    let letters = Letters::default();
    let abandon = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        if let Some(wait) = abandon_after {
            let abandon = &abandon;
            scope.spawn(move || {
                std::thread::sleep(wait);
                abandon.store(true, Ordering::Relaxed);
            });
        }
        Storer {
            sink: store,
            rejections: &letters,
            monitor: &monitor,
            pace: &Pace::default(),
            abandon: &abandon,
            is_checked: false,
            refused_in_a_row: 0,
        }
        .store(batch)
    });
    let notices = notices.lock().unwrap().clone();
    Run {
        outcome,
        letters: letters.0.into_inner().unwrap(),
        notices,
        state: monitor.state(),
    }
}

#[test]
fn a_store_that_is_not_well_is_asked_again_under_the_same_token() {
    let sink = Store {
        failures: Mutex::new(vec![
            fault(FaultClass::Transient, 242, "read only"),
            fault(FaultClass::Transient, 202, "too many queries"),
            fault(FaultClass::Configuration, 60, "no table"),
        ]),
        ..Store::default()
    };
    let run = store(&sink, &batch((0..100).map(record)), None);
    assert_eq!(run.outcome, Outcome::Done);
    assert_eq!(sink.stored.lock().unwrap().len(), 100);
    let attempts = sink.attempts.lock().unwrap();
    assert_eq!(attempts.len(), 4);
    assert!(attempts.iter().all(|attempt| *attempt == attempts[0]));
    assert!(run.letters.is_empty());
    assert!(matches!(run.notices[0], Notice::Held { .. }), "{:?}", run.notices);
    assert_eq!(run.notices.last(), Some(&Notice::Recovered));
    assert_eq!(run.state, State::Starting);
}

#[test]
fn one_refused_row_is_a_dead_letter_and_the_others_are_stored() {
    for refused in [vec![0], vec![99], vec![37], vec![3, 4, 50]] {
        let sink = Store {
            refuses: refused.iter().copied().collect(),
            ..Store::default()
        };
        let run = store(&sink, &batch((0..100).map(record)), None);
        assert_eq!(run.outcome, Outcome::Done);
        let letters: Vec<u128> = run.letters.iter().map(|(offset, _)| *offset as u128).collect();
        assert_eq!(letters, refused);
        let mut stored = sink.stored.lock().unwrap().clone();
        stored.sort_unstable();
        let expected: Vec<u128> = (0..100).filter(|id| !refused.contains(id)).collect();
        assert_eq!(stored, expected);
    }
}

#[test]
fn when_every_row_is_refused_nothing_more_is_given_up() {
    let sink = Store {
        refuses: (0..1_000).collect(),
        ..Store::default()
    };
    let run = store(&sink, &batch((0..64).map(record)), Some(Duration::from_secs(2)));
    assert_eq!(run.outcome, Outcome::CalledOff);
    assert_eq!(run.letters.len(), MAX_REFUSED_IN_A_ROW as usize);
    assert!(matches!(run.state, State::Held(_)));
}

#[test]
fn what_is_no_receipt_is_a_dead_letter_at_once() {
    let poison = |offset, value: Option<&[u8]>| TopicRecord {
        offset,
        value: value.map(<[u8]>::to_vec),
        ..TopicRecord::default()
    };
    let mut records: Vec<TopicRecord> = (0..5).map(record).collect();
    records.push(poison(5, None));
    records.push(poison(6, Some(b"\xff\x00")));
    records.push(poison(7, Some(&b"[".repeat(100_000))));
    records.push(poison(8, Some(b"{\"verification_id\":1}")));
    let sink = Store::default();
    let run = store(&sink, &batch(records), None);
    assert_eq!(run.outcome, Outcome::Done);
    assert_eq!(sink.stored.lock().unwrap().len(), 5);
    assert_eq!(run.letters, [5, 6, 7, 8].map(|offset| (offset, "not_a_receipt")));
}

#[test]
fn a_store_that_is_down_is_left_when_the_work_is_called_off() {
    let sink = Store {
        failures: Mutex::new(
            (0..1_000)
                .map(|_| fault(FaultClass::Transient, 210, "refused"))
                .collect(),
        ),
        ..Store::default()
    };
    let began = Instant::now();
    let run = store(
        &sink,
        &batch((0..10).map(record)),
        Some(Duration::from_millis(300)),
    );
    assert_eq!(run.outcome, Outcome::CalledOff);
    assert!(began.elapsed() < Duration::from_secs(3));
    assert!(
        sink.attempts.lock().unwrap().len() < 5,
        "it is not asked all the time"
    );
    assert!(run.letters.is_empty());
}

#[test]
fn a_token_stands_for_its_rows_and_for_no_others() {
    let mut reader = RowReader::default();
    let rows: Vec<ReceiptRow> = (0..50).map(|n| reader.read(&record(n)).unwrap()).collect();
    let mut tokens = HashSet::new();
    for first in 0..rows.len() {
        for end in first + 1..=rows.len() {
            assert!(tokens.insert(batch_token(&rows[first..end])));
        }
    }
    assert_eq!(batch_token(&rows), batch_token(&rows.clone()));
    // Another content under the same id and place is other rows.
    let mut other = record(3);
    other.headers.push("counted-on", Some(b"2026-01-01"));
    assert!(tokens.insert(batch_token(&[reader.read(&other).unwrap()])));
}
