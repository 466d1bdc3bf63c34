//! What a resumed run finds.

use std::path::Path;

use assay_engine::time::Timestamp;

use crate::sample::Fixture;

#[test]
fn a_run_is_found_by_its_output_until_another_takes_its_place() {
    let fixture = Fixture::new();
    let mut ledger = fixture.open();
    let (out, other) = (Path::new("/data/out.ndjson"), Path::new("/data/other.ndjson"));
    let at = Timestamp::from_micros;
    assert_eq!(ledger.find_run(out).unwrap(), None);
    let first = ledger.begin_run(out, "in.ndjson 12 bytes", at(1)).unwrap();
    let beside = ledger.begin_run(other, "", at(2)).unwrap();
    drop(ledger);

    let mut ledger = fixture.open();
    assert_eq!(ledger.find_run(out).unwrap().as_ref(), Some(&first));
    assert_eq!(first.inputs, "in.ndjson 12 bytes");
    assert_eq!((first.started_at, first.finished_at), (at(1), None));
    assert_ne!(first.id, beside.id);

    ledger.finish_run(&first, at(3)).unwrap();
    let found = ledger.find_run(out).unwrap().unwrap();
    assert_eq!(found.finished_at, Some(at(3)));

    let second = ledger.begin_run(out, "", at(4)).unwrap();
    assert_ne!(second.id, first.id);
    ledger.finish_run(&first, at(5)).unwrap();
    assert_eq!(ledger.find_run(out).unwrap(), Some(second));
    assert_eq!(ledger.find_run(other).unwrap(), Some(beside));
}
