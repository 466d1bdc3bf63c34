//! Tests of what only the inside can bring about: early folds, a full disk, a connection that may not write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_engine::receipt::Receipt;
use assay_engine::response::{Detail, Hashes, Response, ServiceIdentity};
use assay_engine::score::DayCount;
use assay_engine::verdict::{Verdict, Violations};
use proptest::prelude::*;
use tempfile::TempDir;

use super::history::FoldAfter;
use super::*;

const AGENTS: [Option<&str>; 6] = [
    Some("a"),
    Some("b"),
    Some(""),
    Some("test-a"),
    Some("https://sellers.example/7"),
    None,
];

const DAY_MICROS: i64 = 86_400_000_000;

/// A check as the model remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Check {
    agent: usize,
    request: u8,
    failed: bool,
    verified_at: i64,
    day: i32,
}

fn check() -> impl Strategy<Value = Check> {
    let verified_at =
        (19_000..19_004i64, 0..4i64).prop_map(|(day, part)| day * DAY_MICROS + part * DAY_MICROS / 5);
    let own_day = prop_oneof![4 => Just(None), 1 => (18_999..19_002i32).prop_map(Some)];
    (0..AGENTS.len(), 0..4u8, any::<bool>(), verified_at, own_day).prop_map(
        |(agent, request, failed, verified_at, own_day)| Check {
            agent,
            request,
            failed,
            verified_at,
            day: own_day.unwrap_or_else(|| Timestamp::from_micros(verified_at).day()),
        },
    )
}

fn receipt(id: u8, check: Check) -> Receipt {
    let mut verdict = Verdict::default();
    if check.failed {
        verdict.schema_violations = Violations {
            total: 1,
            ..Violations::default()
        };
    }
    Receipt {
        response: Response {
            verification_id: Uuid::from_u128(u128::from(id) << 90 | u128::from(id)),
            task_id: "t".to_owned(),
            agent_id: AGENTS[check.agent].map(str::to_owned),
            hashes: Hashes {
                output: [0; 32],
                schema: [1; 32],
                rules: [2; 32],
                request: [check.request; 32],
            },
            verified_at: Timestamp::from_micros(check.verified_at),
            enforce_rules: false,
            strict_content_check: false,
            detail: Detail::Full,
            verdict,
            identity: Arc::new(ServiceIdentity {
                public_key_url: String::new(),
                service: String::new(),
                mcp: String::new(),
                verifier_version: String::new(),
            }),
            key_version: "v1".into(),
        },
        signature: [id; 64],
    }
}

/// What section 6 says, over the checks that are there: sets of requests by day.
fn expected(checks: &BTreeMap<u8, Check>, agent: usize, as_of: i64) -> History {
    let Some(name) = AGENTS[agent].filter(|name| !name.starts_with("test-")) else {
        return History::default();
    };
    let of_agent = || {
        checks
            .values()
            .filter(|c| AGENTS[c.agent] == Some(name) && c.verified_at <= as_of)
    };
    let mut all: BTreeMap<i32, BTreeSet<u8>> = BTreeMap::new();
    let mut failed: BTreeMap<i32, BTreeSet<u8>> = BTreeMap::new();
    for check in of_agent() {
        all.entry(check.day).or_default().insert(check.request);
        if check.failed {
            failed.entry(check.day).or_default().insert(check.request);
        }
    }
    let count = |(day, requests): (i32, BTreeSet<u8>)| {
        let failed = failed.get(&day).map_or(0, BTreeSet::len);
        DayCount {
            day,
            passed: (requests.len() - failed) as u64,
            failed: failed as u64,
        }
    };
    History {
        days: all.into_iter().map(count).collect(),
        first_seen: of_agent().map(|c| Timestamp::from_micros(c.verified_at)).min(),
        last_seen: of_agent().map(|c| Timestamp::from_micros(c.verified_at)).max(),
    }
}

fn new_ledger() -> (TempDir, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::open(folder.path().join("ledger.sqlite3")).unwrap();
    (folder, ledger)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn reputation_is_exact_whatever_is_replaced_replayed_and_folded(
        batches in prop::collection::vec(prop::collection::vec((0..20u8, check()), 0..12), 1..10),
        fold_after in prop_oneof![
            Just(FoldAfter::default()),
            (1..4i64).prop_map(|rows| FoldAfter { rows, bytes: usize::MAX }),
            (1..400usize).prop_map(|bytes| FoldAfter { rows: i64::MAX, bytes }),
        ],
    ) {
        let (_folder, mut ledger) = new_ledger();
        ledger.recorder.fold_after = FoldAfter { bytes: fold_after.bytes.min(i64::MAX as usize), ..fold_after };
        let mut model = BTreeMap::new();
        for batch in batches {
            let receipts: Vec<(Receipt, i32)> = batch.iter().map(|&(id, check)| (receipt(id, check), check.day)).collect();
            ledger.record_batch(receipts.iter().map(|(receipt, day)| Entry { receipt, day: *day })).unwrap();
            model.extend(batch);
        }
        prop_assert_eq!(ledger.len().unwrap(), model.len() as u64);
        for (agent, name) in AGENTS.iter().enumerate() {
            for as_of in [i64::MAX, 19_001 * DAY_MICROS, 19_002 * DAY_MICROS + DAY_MICROS / 5] {
                let found = ledger.history(name.unwrap_or("nobody"), Timestamp::from_micros(as_of)).unwrap();
                prop_assert_eq!(found, expected(&model, agent, as_of), "{:?} as of {}", name, as_of);
            }
        }
    }
}

#[test]
fn a_replayed_batch_leaves_no_trace_in_the_history() {
    let (_folder, mut ledger) = new_ledger();
    let check = Check {
        agent: 0,
        request: 1,
        failed: false,
        verified_at: 19_000 * DAY_MICROS,
        day: 19_000,
    };
    let receipts: Vec<Receipt> = (0..50).map(|id| receipt(id, check)).collect();
    let rows = |ledger: &Ledger| -> i64 {
        ledger
            .connection
            .query_row("SELECT count(*) FROM history_tail", (), |row| row.get(0))
            .unwrap()
    };
    ledger.record_batch(&receipts).unwrap();
    assert_eq!(rows(&ledger), 1);
    ledger.record_batch(&receipts).unwrap();
    assert_eq!(rows(&ledger), 1);
    assert_eq!(ledger.len().unwrap(), 50);
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let (_folder, mut ledger) = new_ledger();
    let check = Check {
        agent: 0,
        request: 1,
        failed: true,
        verified_at: 19_000 * DAY_MICROS,
        day: 19_000,
    };
    let first = receipt(1, check);
    ledger.record_batch([&first]).unwrap();
    let pages: i64 = ledger
        .connection
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    ledger
        .connection
        .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
        .unwrap();
    let more: Vec<Receipt> = (2..=255).map(|id| receipt(id, check)).collect();
    let error = ledger.record_batch(&more).unwrap_err();
    assert!(matches!(error, LedgerError::DiskFull { .. }), "{error:?}");
    assert!(error.to_string().contains("free some"), "{error}");
    assert_eq!(ledger.len().unwrap(), 1);
    assert_eq!(
        ledger.receipt(first.response.verification_id).unwrap(),
        Some(first)
    );
    ledger
        .connection
        .pragma_update_and_check(None, "max_page_count", 1_000_000, |_| Ok(()))
        .unwrap();
    ledger.record_batch(&more).unwrap();
    assert_eq!(ledger.len().unwrap(), 255);
}

#[test]
fn a_ledger_that_may_not_be_written_says_so() {
    let (_folder, mut ledger) = new_ledger();
    ledger.connection.pragma_update(None, "query_only", true).unwrap();
    let check = Check {
        agent: 0,
        request: 1,
        failed: true,
        verified_at: 0,
        day: 0,
    };
    let error = ledger.record_batch([&receipt(1, check)]).unwrap_err();
    assert!(matches!(error, LedgerError::ReadOnly { .. }), "{error:?}");
}

#[test]
fn ids_of_several_series_cost_an_entry_for_each_block_and_series() {
    const SERIES: u128 = 5;
    let (_folder, mut ledger) = new_ledger();
    let check = Check {
        agent: 0,
        request: 1,
        failed: false,
        verified_at: 0,
        day: 0,
    };
    for batch in 0..8u128 {
        let ids = (0..SERIES).flat_map(|series| (0..200).map(move |n| series << 100 | batch << 64 | n));
        let receipts: Vec<Receipt> = ids
            .map(|id| {
                let mut receipt = receipt(0, check);
                receipt.response.verification_id = Uuid::from_u128(id);
                receipt
            })
            .collect();
        ledger.record_batch(&receipts).unwrap();
    }
    let count = |sql: &str| -> i64 { ledger.connection.query_row(sql, (), |row| row.get(0)).unwrap() };
    // A batch is 1,000 ids in four blocks, so three times a block ends inside a series.
    assert_eq!(count("SELECT count(*) FROM blocks"), 8 * 4);
    assert_eq!(count("SELECT count(*) FROM id_ranges"), 8 * (4 + 4));
    assert_eq!(count("SELECT count(*) FROM id_strays"), 0);
}
