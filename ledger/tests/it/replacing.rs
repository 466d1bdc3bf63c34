//! Ids in any order, among and over those that are there: the last receipt with an id is the one that counts.

use std::collections::BTreeMap;

use assay_engine::receipt::Receipt;
use proptest::prelude::*;
use uuid::Uuid;

use crate::sample::{Fixture, receipt};

/// Ids that lie close together in a few series, so that they fall beside, between and over each other.
fn id() -> impl Strategy<Value = u128> {
    let series = prop_oneof![Just(0), Just(1), Just(u128::from(u32::MAX))];
    (series, 0..60u128).prop_map(|(series, number)| series << 96 | number)
}

fn with_id(id: u128, content: u64) -> Receipt {
    let mut receipt = receipt(content);
    receipt.response.verification_id = Uuid::from_u128(id);
    receipt
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_last_receipt_with_an_id_is_found(batches in prop::collection::vec(prop::collection::vec(id(), 1..30), 1..12)) {
        let fixture = Fixture::new();
        let mut ledger = fixture.open();
        let mut model: BTreeMap<u128, u64> = BTreeMap::new();
        let mut content = 0;
        for batch in batches {
            let mut receipts = Vec::new();
            for id in batch {
                content += 1;
                receipts.push(with_id(id, content));
                model.insert(id, content);
            }
            ledger.record_batch(&receipts).unwrap();
        }
        prop_assert_eq!(ledger.len().unwrap(), model.len() as u64);
        for id in [0, 1, 2, u128::from(u32::MAX)].into_iter().flat_map(|series| (0..61u128).map(move |n| series << 96 | n)) {
            let expected = model.get(&id).map(|content| with_id(id, *content));
            prop_assert_eq!(ledger.receipt(Uuid::from_u128(id)).unwrap(), expected);
        }
    }

    #[test]
    fn ids_without_any_order_are_found(batches in prop::collection::vec(prop::collection::vec(any::<u128>(), 1..300), 1..4)) {
        let fixture = Fixture::new();
        let mut ledger = fixture.open();
        for batch in &batches {
            let receipts: Vec<Receipt> = batch.iter().enumerate().map(|(content, id)| with_id(*id, content as u64)).collect();
            ledger.record_batch(&receipts).unwrap();
        }
        for batch in &batches {
            for (content, id) in batch.iter().enumerate() {
                prop_assert_eq!(ledger.receipt(Uuid::from_u128(*id)).unwrap(), Some(with_id(*id, content as u64)));
            }
        }
    }
}

#[test]
fn recording_everything_again_counts_nothing_twice() {
    let fixture = Fixture::new();
    let mut ledger = fixture.open();
    let receipts: Vec<Receipt> = (0..1_000).map(receipt).collect();
    let as_of = receipts[999].response.verified_at;
    ledger.record_batch(&receipts).unwrap();
    let once = ledger.history("even", as_of).unwrap();
    assert_eq!(once.totals(), (333, 167));
    for batch in receipts.chunks(77) {
        ledger.record_batch(batch).unwrap();
    }
    assert_eq!(ledger.len().unwrap(), 1_000);
    assert_eq!(ledger.history("even", as_of).unwrap(), once);
}
