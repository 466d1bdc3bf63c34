//! Reading a receipt back from its wire form: the same bytes, on the wire and to be signed, whatever is in it.

use assay_engine::receipt::{Receipt, write_signed_bytes};
use assay_engine::response::{Detail, Response};
use assay_engine::verdict::{Verdict, Violations};
use assay_engine::wire::{Unsaid, WireError, WireReader};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

use crate::receipts::arbitrary;

fn unsaid(receipt: &Receipt) -> Unsaid {
    Unsaid {
        request_hash: Some(receipt.response.hashes.request),
        tallies: Some([
            receipt.response.verdict.schema,
            receipt.response.verdict.integrity,
        ]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_read_writes_the_same_bytes((receipt, _) in arbitrary()) {
        let mut wire = Vec::new();
        receipt.write_wire(&mut wire);
        let read = WireReader::default().read(&wire, &unsaid(&receipt)).unwrap();
        let signed = |response: &Response| {
            let mut out = Vec::new();
            write_signed_bytes(response, &mut out);
            out
        };
        prop_assert_eq!(signed(&read.response), signed(&receipt.response));
        prop_assert_eq!(read.signature, receipt.signature);
        prop_assert_eq!(read.response.hashes, receipt.response.hashes);
        prop_assert_eq!(read.response.verdict.schema, receipt.response.verdict.schema);
        prop_assert_eq!(read.response.verdict.integrity, receipt.response.verdict.integrity);
        prop_assert_eq!(read.response.outcome(), receipt.response.outcome());
        let few = |list: &Violations| list.total <= 30;
        let Verdict { schema_violations, content_violations, rule_violations, .. } = &receipt.response.verdict;
        let fits = few(schema_violations) && few(content_violations) && few(rule_violations);
        if receipt.response.detail == Detail::Full && fits {
            // What fits into the lists comes back whole, but for the two names of the root and the order in which checks
            // that don't block were first seen.
            let texts = |list: &Violations| list.entries.iter().map(|entry| (entry.check.to_string(), entry.path(), entry.expected.clone(), entry.found.clone(), entry.detail.clone())).collect::<Vec<_>>();
            prop_assert_eq!(texts(&read.response.verdict.schema_violations), texts(schema_violations));
            prop_assert_eq!(texts(&read.response.verdict.content_violations), texts(content_violations));
            prop_assert_eq!(texts(&read.response.verdict.rule_violations), texts(rule_violations));
            prop_assert_eq!(read.response.verdict.content_violations.total, content_violations.total);
            prop_assert_eq!(read.response.verdict.rule_violations.total, rule_violations.total);
        }
    }

    #[test]
    fn a_receipt_that_was_touched_is_refused_or_reads_as_it_stands((receipt, _) in arbitrary(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut wire = Vec::new();
        receipt.write_wire(&mut wire);
        let at = at.index(wire.len());
        wire[at] = byte;
        if let Ok(read) = WireReader::default().read(&wire, &unsaid(&receipt)) {
            let mut again = Vec::new();
            read.write_wire(&mut again);
            prop_assert_eq!(again, wire);
        }
    }
}

#[test]
fn a_compact_receipt_needs_what_it_leaves_out() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut receipt, _) = arbitrary().new_tree(&mut runner).unwrap().current();
    receipt.response.detail = Detail::Compact;
    let mut wire = Vec::new();
    receipt.write_wire(&mut wire);
    let mut reader = WireReader::default();
    assert_eq!(
        reader.read(&wire, &Unsaid::default()),
        Err(WireError::Unsaid("request hash"))
    );
    let without_counts = Unsaid {
        tallies: None,
        ..unsaid(&receipt)
    };
    assert_eq!(
        reader.read(&wire, &without_counts),
        Err(WireError::Unsaid("counts"))
    );
    assert!(reader.read(&wire, &unsaid(&receipt)).is_ok());
}
