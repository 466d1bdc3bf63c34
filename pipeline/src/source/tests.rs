//! How inputs are cut into records, whatever the size of the pieces they are read in.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::Source;
use crate::input::Input;
use crate::record::{Batch, RecordText};

/// What a run over the file would verify: line, text, or the fault in place of it.
fn records(name: &str, content: &[u8], max_record_bytes: usize, skip: u64) -> Vec<(u64, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    batches(&[&path], max_record_bytes, skip)
        .iter()
        .flat_map(texts)
        .collect()
}

fn batches(paths: &[&Path], max_record_bytes: usize, skip: u64) -> Vec<Batch> {
    let inputs = paths.iter().map(|path| Input::File(path.to_path_buf())).collect();
    let mut source = Source::new(inputs, max_record_bytes, skip, Arc::default());
    std::iter::from_fn(|| source.next_batch().unwrap()).collect()
}

fn texts(batch: &Batch) -> Vec<(u64, String)> {
    let text = |record: &crate::record::Record| match record.text {
        RecordText::Range(..) => String::from_utf8_lossy(batch.bytes(record)).into_owned(),
        other => format!("{other:?}"),
    };
    batch
        .records
        .iter()
        .map(|record| (record.line, text(record)))
        .collect()
}

fn expect(list: &[(u64, &str)]) -> Vec<(u64, String)> {
    list.iter()
        .map(|(line, text)| (*line, (*text).to_owned()))
        .collect()
}

#[test]
fn one_record_a_line() {
    let found = records("a.ndjson", b"{}\n\n  \t\r\n[1]\r\n null", 100, 0);
    assert_eq!(found, expect(&[(1, "{}"), (4, "[1]\r"), (5, " null")]));
    assert_eq!(records("a.jsonl", b"", 100, 0), []);
    assert_eq!(records("a.ndjson", b"\n\n\n", 100, 0), []);
}

#[test]
fn a_line_that_is_too_long_is_passed_over_alone() {
    let found = records("a.ndjson", b"12345\n123456\n1234567890123\n1\n", 5, 0);
    assert_eq!(
        found,
        expect(&[(1, "12345"), (2, "TooLong"), (3, "TooLong"), (4, "1")])
    );
}

#[test]
fn a_document_is_one_record_or_an_array_of_them() {
    assert_eq!(
        records("a.json", b"\n {\n\"a\": [1]\n}\n", 100, 0),
        expect(&[(2, "{\n\"a\": [1]\n}\n")])
    );
    assert_eq!(records("a.json", b" [ ]\n", 100, 0), []);
    assert_eq!(records("a.json", b"", 100, 0), []);
    let found = records("a.json", b"[\n {\"a\": \"],[\\\"\"},\n [1, [2]] ,3]", 100, 0);
    assert_eq!(
        found,
        expect(&[(2, "{\"a\": \"],[\\\"\"}"), (3, "[1, [2]] "), (3, "3")])
    );
}

#[test]
fn a_broken_element_does_not_end_the_array() {
    assert_eq!(
        records("a.json", b"[1,,2]", 100, 0),
        expect(&[(1, "1"), (1, ""), (1, "2")])
    );
    assert_eq!(records("a.json", b"[1,]", 100, 0), expect(&[(1, "1"), (1, "")]));
    assert_eq!(records("a.json", b"[,]", 100, 0), expect(&[(1, ""), (1, "")]));
    assert_eq!(
        records("a.json", b"[{]}, 1]", 100, 0),
        expect(&[(1, "{]}"), (1, "1")])
    );
    assert_eq!(
        records("a.json", b"[1] x y", 100, 0),
        expect(&[(1, "1"), (1, "AfterArray")])
    );
    assert_eq!(
        records("a.json", b"[1, {\"a\":", 100, 0),
        expect(&[(1, "1"), (1, "{\"a\":"), (1, "UnclosedArray")])
    );
    assert_eq!(
        records("a.json", b"[123456,1]", 5, 0),
        expect(&[(1, "TooLong"), (1, "1")])
    );
}

#[test]
fn compression_is_told_by_the_content() {
    let text = b"1\n2\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text).unwrap();
    let mut twice = gzip.finish().unwrap();
    twice.extend_from_slice(&twice.clone());
    let zstd = zstd::stream::encode_all(&text[..], 1).unwrap();
    for name in ["a.ndjson.gz", "a.ndjson"] {
        assert_eq!(
            records(name, &twice, 100, 0),
            expect(&[(1, "1"), (2, "2"), (3, "1"), (4, "2")])
        );
    }
    for name in ["a.jsonl.zst", "a.jsonl"] {
        assert_eq!(records(name, &zstd, 100, 0), expect(&[(1, "1"), (2, "2")]));
    }
    let array = zstd::stream::encode_all(&b"[1,2]"[..], 1).unwrap();
    assert_eq!(
        records("a.json.zst", &array, 100, 0),
        expect(&[(1, "1"), (1, "2")])
    );
}

#[test]
fn a_torn_compressed_file_is_an_error_after_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ndjson.zst");
    let whole = zstd::stream::encode_all(&b"1\n2\n"[..], 1).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let mut source = Source::new(vec![Input::File(path)], 100, 0, Arc::default());
    let error = loop {
        match source.next_batch() {
            Ok(batch) => assert!(batch.is_some(), "the end of a torn file is no end"),
            Err(error) => break error,
        }
    };
    assert!(error.name.ends_with("a.ndjson.zst"));
}

#[test]
fn batches_hold_every_record_once_whatever_their_size() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (0..20_000)
        .map(|n| format!("{n}{}", "x".repeat(n * 7 % 400)))
        .collect();
    let path = folder.path().join("a.ndjson");
    std::fs::write(&path, lines.join("\n")).unwrap();
    let array = folder.path().join("b.json");
    let quoted: Vec<String> = lines.iter().map(|line| format!("\"{line}\"")).collect();
    std::fs::write(&array, format!("[{}]", quoted.join(", "))).unwrap();
    let found = batches(&[&path, &array], 10_000, 0);
    assert!(found.len() > 20, "{} batches", found.len());
    let all: Vec<String> = found.iter().flat_map(texts).map(|(_, text)| text).collect();
    assert_eq!(all, [lines, quoted].concat());
    let numbers: Vec<u64> = found
        .iter()
        .flat_map(|batch| &batch.records)
        .map(|record| record.number)
        .collect();
    assert_eq!(numbers, (0..40_000).collect::<Vec<u64>>());
    let sequence: Vec<u64> = found.iter().map(|batch| batch.sequence).collect();
    assert_eq!(sequence, (0..found.len() as u64).collect::<Vec<u64>>());
    assert!(
        found.iter().all(|batch| batch.text.len() < 300_000),
        "a batch is bounded"
    );
}

#[test]
fn records_that_were_answered_are_passed_over() {
    for skip in [0, 1, 2, 3, 4] {
        let found = records("a.ndjson", b"10\n\n20\n30\n40\n", 100, skip);
        let all = expect(&[(1, "10"), (3, "20"), (4, "30"), (5, "40")]);
        assert_eq!(found, all[skip as usize..]);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ndjson");
    std::fs::write(&path, "1\n2\n").unwrap();
    let mut source = Source::new(vec![Input::File(path)], 100, 5, Arc::default());
    assert!(source.next_batch().unwrap().is_none());
    assert_eq!(source.unmet_skip(), 3);
}
