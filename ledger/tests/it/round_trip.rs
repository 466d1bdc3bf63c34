//! What is read is what was recorded, to the byte.

use assay_engine::receipt::{Receipt, write_signed_bytes};
use assay_engine::verdict::{Violation, Violations};
use assay_ledger::Ledger;
use proptest::prelude::*;
use uuid::Uuid;

use crate::sample::{Fixture, arbitrary, receipt};

fn assert_same(ledger: &Ledger, expected: &Receipt) {
    let found = ledger
        .receipt(expected.response.verification_id)
        .unwrap()
        .unwrap();
    assert_eq!(found, *expected);
    let bytes = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        out
    };
    assert_eq!(
        bytes(&|out| found.write_wire(out)),
        bytes(&|out| expected.write_wire(out))
    );
    assert_eq!(
        bytes(&|out| write_signed_bytes(&found.response, out)),
        bytes(&|out| write_signed_bytes(&expected.response, out))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn arbitrary_receipts_come_back_to_the_byte(batches in prop::collection::vec(prop::collection::vec(arbitrary(), 1..20), 1..4)) {
        let fixture = Fixture::new();
        let mut ledger = fixture.open();
        for batch in &batches {
            ledger.record_batch(batch).unwrap();
        }
        drop(ledger);
        let ledger = fixture.open();
        for expected in batches.iter().flatten() {
            assert_same(&ledger, expected);
        }
        prop_assert_eq!(ledger.len().unwrap(), batches.iter().flatten().count() as u64);
    }
}

#[test]
fn a_batch_of_many_blocks_comes_back() {
    let fixture = Fixture::new();
    let mut ledger = fixture.open();
    assert!(ledger.is_empty().unwrap());
    // Neither the order of the ids nor the size of a block shows.
    let receipts: Vec<Receipt> = (0..1_500).map(|number| receipt(number * 7_919 % 1_500)).collect();
    ledger.record_batch(&receipts).unwrap();
    assert_eq!(ledger.len().unwrap(), 1_500);
    for expected in &receipts {
        assert_same(&ledger, expected);
    }
    assert_eq!(ledger.receipt(Uuid::from_u128(1)).unwrap(), None);
    assert_eq!(ledger.receipt(Uuid::from_u128(u128::MAX)).unwrap(), None);
}

#[test]
fn the_longest_lists_come_back_and_are_compressed() {
    let fixture = Fixture::new();
    let mut ledger = fixture.open();
    let mut receipts: Vec<Receipt> = (0..300).map(receipt).collect();
    for receipt in &mut receipts {
        let mut violations = Violations::default();
        for index in 0..1_000 {
            violations.add("schema:maxLength", || Violation {
                check: "schema:maxLength".into(),
                field: format!("items[{index}].name"),
                expected: "at most 10 characters".to_owned(),
                found: format!("\"{}\"", "ü".repeat(200)),
                detail: format!("{} characters are more than 10", 200 + index),
            });
        }
        receipt.response.verdict.schema_violations = violations.clone();
        receipt.response.verdict.rule_violations = violations;
    }
    ledger.record_batch(&receipts).unwrap();
    for expected in receipts.iter().step_by(37) {
        assert_same(&ledger, expected);
    }
    drop(ledger);
    let size = std::fs::metadata(fixture.path()).unwrap().len();
    let plain = 300 * 200 * 500;
    assert!(size < plain / 10, "{size}");
}

#[test]
fn an_empty_batch_changes_nothing() {
    let fixture = Fixture::new();
    let mut ledger = fixture.open();
    ledger.record_batch::<&Receipt>([]).unwrap();
    assert!(ledger.is_empty().unwrap());
}
