//! `assay stream` on a real cluster: each record answered once, whatever is sent and whoever is killed.

use std::collections::BTreeMap;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use assay_engine::hex::hex;
use assay_engine::json::Value;
use sha2::{Digest, Sha256};

use crate::command::{Sandbox, invoice, string};
use crate::material::parse;
use crate::topics::{TestRecord, brokers, fill, fresh, read, topic};

/// One stream: three topics, a group, and a folder with the key that all its processes sign with.
struct Stream {
    sandbox: Sandbox,
    input: String,
    receipts: String,
    dead_letters: String,
    group: String,
}

impl Stream {
    fn new(partitions: i32) -> Stream {
        Stream::with_outputs(partitions, &[], &[])
    }

    fn with_outputs(partitions: i32, receipts: &[(&str, &str)], dead_letters: &[(&str, &str)]) -> Stream {
        let stream = Stream {
            sandbox: Sandbox::new(),
            input: topic("input", partitions, &[("max.message.bytes", "20000000")]),
            receipts: topic("receipts", 2, receipts),
            dead_letters: topic("dead-letters", 1, dead_letters),
            group: fresh("group"),
        };
        // Several processes at once would each make a key.
        stream.sandbox.write("warm.ndjson", invoice("t", "a", "129.5"));
        stream.sandbox.expect(
            0,
            &[
                "verify",
                "warm.ndjson",
                "-o",
                "warm.out",
                "--quiet",
                "--no-record",
            ],
        );
        stream
    }

    fn command(&self, more: &[&str]) -> Command {
        let brokers = brokers();
        let mut arguments = vec![
            "stream",
            "--brokers",
            &brokers,
            "--group",
            &self.group,
            "--input",
            &self.input,
        ];
        arguments.extend(["--receipts", &self.receipts, "--dead-letters", &self.dead_letters]);
        arguments.extend(more);
        self.sandbox.command(&arguments)
    }

    fn start(&self, more: &[&str]) -> Child {
        self.command(more).spawn().unwrap()
    }

    /// Runs until nothing is left to do.
    fn finish(&self, more: &[&str]) {
        let mut arguments = vec!["--until-idle", "1"];
        arguments.extend(more);
        let output = self.command(&arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
    }

    /// What was answered, by partition and offset of the input; twice is a failure.
    fn answers(&self) -> BTreeMap<(i32, i64), Found> {
        let mut found = BTreeMap::new();
        let receipts = read(&self.receipts).into_iter().map(|record| {
            let place = place(&record, "source-partition", "source-offset");
            (place, Found::Receipt(record))
        });
        let letters = read(&self.dead_letters).into_iter().map(|record| {
            let place = place(&record, "__connect.errors.partition", "__connect.errors.offset");
            (place, Found::Letter(record))
        });
        for (place, answer) in receipts.chain(letters) {
            let twice = found.insert(place, answer);
            assert_eq!(twice, None, "{place:?} was answered twice");
        }
        found
    }
}

#[derive(Debug, PartialEq)]
enum Found {
    Receipt(TestRecord),
    Letter(TestRecord),
}

impl Found {
    fn receipt(&self) -> &TestRecord {
        match self {
            Found::Receipt(record) => record,
            Found::Letter(letter) => panic!("a letter: {letter:?}"),
        }
    }

    fn letter(&self) -> &TestRecord {
        match self {
            Found::Letter(record) => record,
            Found::Receipt(receipt) => panic!("a receipt: {receipt:?}"),
        }
    }

    fn code(&self) -> String {
        self.letter().header("__connect.errors.exception.class.name")
    }
}

fn place(record: &TestRecord, partition: &str, offset: &str) -> (i32, i64) {
    let number = |name: &str| record.header(name).parse::<i64>().unwrap();
    (i32::try_from(number(partition)).unwrap(), number(offset))
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Waits until a condition holds.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !holds() {
        assert!(Instant::now() < deadline, "it never came to it: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The documented layout, computed without the program.
fn expected_id(topic: &str, partition: i32, offset: i64, value: &[u8]) -> String {
    let mut text = (topic.len() as u32).to_be_bytes().to_vec();
    text.extend_from_slice(topic.as_bytes());
    text.extend_from_slice(&partition.to_be_bytes());
    text.extend_from_slice(&offset.to_be_bytes());
    text.extend_from_slice(&Sha256::digest(value));
    let digest = Sha256::digest(&text);
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    id[6] = id[6] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    uuid::Uuid::from_bytes(id).to_string()
}

#[test]
fn every_kind_of_record_gets_its_one_answer() {
    let stream = Stream::new(3);
    /// 2026-11-29T23:59:59.999Z: the day before, to the last millisecond.
    const EVENING: i64 = 1_795_996_799_999;
    let good = invoice("good", "agent", "129.5");
    let mut records = vec![
        TestRecord {
            key: Some(b"agent".to_vec()),
            timestamp: Some(EVENING),
            ..TestRecord::of(0, &good)
        },
        TestRecord::of(0, &good),
        TestRecord::of(1, invoice("bad", "agent", "1.0")),
        TestRecord::of(1, "poison\u{7f}"),
        TestRecord::of(1, b"\xff\xfe"),
        TestRecord::of(1, "[".repeat(10_000)),
        TestRecord::of(2, ""),
        TestRecord::of(2, r#"{"task_id":"t"}"#).with("trace", b"kept"),
        TestRecord::of(2, &good).with("contract-id", b"\xff"),
        TestRecord::of(2, &good).with("contract-id", b"nobody"),
        TestRecord::of(2, vec![b' '; 17 * 1024 * 1024]),
    ];
    records.push(TestRecord {
        value: None,
        key: Some(b"gone".to_vec()),
        ..TestRecord::of(2, "")
    });
    fill(&stream.input, &records);
    stream.finish(&[]);

    let answers = stream.answers();
    assert_eq!(answers.len(), records.len());
    let first = answers[&(0, 0)].receipt();
    assert_eq!(first.key.as_deref(), Some(&b"agent"[..]));
    assert_eq!(first.timestamp, Some(EVENING));
    assert_eq!(first.header("counted-on"), "2026-11-29");
    assert_eq!(first.header("result"), "pass");
    assert_eq!(first.header("checks"), "22/22,8/8");
    assert_eq!(first.header("content-type"), "application/json");
    assert_eq!(first.header("source-topic"), stream.input);
    let receipt = parse(first.value.as_ref().unwrap());
    assert_eq!(
        first.header("verification-id"),
        string(&receipt, "verification_id")
    );
    assert_eq!(first.header("schema-hash"), string(&receipt, "schema_hash"));
    assert_eq!(first.header("request-hash"), string(&receipt, "request_hash"));
    let id = expected_id(&stream.input, 0, 0, good.as_bytes());
    assert_eq!(string(&receipt, "verification_id"), id);
    // The same value at another place is another verification.
    assert_ne!(answers[&(0, 1)].receipt().header("verification-id"), id);
    assert_eq!(answers[&(1, 0)].receipt().header("result"), "fail");

    let codes = [
        ((1, 1), "invalid_json"),
        ((1, 2), "invalid_json"),
        ((1, 3), "limit_exceeded"),
        ((2, 0), "empty_value"),
        ((2, 1), "invalid_request"),
        ((2, 2), "invalid_header"),
        ((2, 3), "unknown_contract"),
        ((2, 4), "body_too_large"),
        ((2, 5), "tombstone"),
    ];
    for (place, code) in codes {
        assert_eq!(answers[&place].code(), code, "{place:?}");
    }
    let kept = answers[&(2, 1)].letter();
    assert_eq!(kept.value.as_deref(), Some(&br#"{"task_id":"t"}"#[..]));
    assert_eq!(kept.header("trace"), "kept");
    assert_eq!(kept.header("assay-attempt"), "1");
    assert_eq!(kept.header("__connect.errors.topic"), stream.input);
    assert!(
        kept.header("__connect.errors.exception.message")
            .contains("expected_schema")
    );
    let gone = answers[&(2, 5)].letter();
    assert_eq!(
        (gone.value.as_deref(), gone.key.as_deref()),
        (None, Some(&b"gone"[..]))
    );
    // 17 MB do not fit into the letters' topic: a stub stands for them.
    let stub = answers[&(2, 4)].letter();
    assert_eq!(stub.header("assay-stub"), "true");
    let stub = parse(stub.value.as_ref().unwrap());
    let hash = hex(&Sha256::digest(vec![b' '; 17 * 1024 * 1024]));
    assert_eq!(string(&stub, "sha256"), hash);

    // Nothing is left: a second run answers nothing.
    stream.finish(&[]);
    assert_eq!(stream.answers().len(), records.len());
}

fn many(count: usize, partitions: i32) -> Vec<TestRecord> {
    (0..count)
        .map(|number| {
            let partition = i32::try_from(number).unwrap() % partitions;
            match number % 97 {
                13 => TestRecord::of(partition, "poison"),
                14 => TestRecord {
                    value: None,
                    ..TestRecord::of(partition, "")
                },
                15 => TestRecord::of(partition, invoice(&format!("t{number}"), "agent", "1.0")),
                _ => TestRecord::of(partition, invoice(&format!("t{number}"), "agent", "129.5")),
            }
        })
        .collect()
}

#[test]
fn kills_and_stops_neither_lose_nor_repeat() {
    const RECORDS: usize = 24_000;
    for delivery in ["exactly-once", "at-least-once"] {
        let stream = Stream::new(4);
        fill(&stream.input, &many(RECORDS, 4));
        // Small batches and one worker, so that the faults find something under way.
        let small = [
            "--batch-records",
            "100",
            "--jobs",
            "1",
            "--quiet",
            "--delivery",
            delivery,
        ];
        let mut other = stream.start(&small);
        for round in 0..4 {
            let mut child = stream.start(&small);
            // Long enough to join and to be in the middle of something, at another point each time.
            std::thread::sleep(Duration::from_millis(2_500 + 370 * round));
            signal(&child, if round % 2 == 0 { "-KILL" } else { "-TERM" });
            let status = child.wait().unwrap();
            if round % 2 == 1 {
                assert_eq!(status.code(), Some(0), "a told end is an orderly one");
            }
        }
        signal(&other, "-KILL");
        other.wait().unwrap();
        // The dead members' partitions come free when their session ends; that is no idleness.
        stream.finish(&["--quiet", "--delivery", delivery]);
        if delivery == "exactly-once" {
            assert_eq!(stream.answers().len(), RECORDS);
        } else {
            // Repeated answers bear the same id.
            let mut ids = BTreeMap::new();
            for receipt in read(&stream.receipts) {
                let place = place(&receipt, "source-partition", "source-offset");
                let id = receipt.header("verification-id");
                let known = ids.entry(place).or_insert_with(|| id.clone());
                assert_eq!(*known, id);
            }
            let letters = read(&stream.dead_letters).into_iter();
            let letters = letters.map(|l| place(&l, "__connect.errors.partition", "__connect.errors.offset"));
            let places: std::collections::BTreeSet<_> = letters.chain(ids.keys().copied()).collect();
            assert_eq!(places.len(), RECORDS);
        }
    }
}

#[test]
fn answers_keep_the_order_of_their_partition() {
    let stream = Stream::new(2);
    fill(&stream.input, &many(4_000, 2));
    stream.finish(&["--batch-records", "500"]);
    // Without a key a record's answer goes anywhere; within one partition of the receipts the order must hold.
    let mut last: BTreeMap<(i32, i32), i64> = BTreeMap::new();
    for receipt in read(&stream.receipts) {
        let (partition, offset) = place(&receipt, "source-partition", "source-offset");
        let before = last.insert((receipt.partition, partition), offset);
        assert!(before.is_none_or(|before| before < offset));
    }
}

#[test]
fn a_successor_of_the_same_name_fences_its_predecessor() {
    let stream = Stream::new(1);
    fill(&stream.input, &many(200, 1));
    let arguments = ["--instance", "one", "--quiet"];
    let mut first = stream.start(&arguments);
    eventually("the first answers", || read(&stream.receipts).len() > 100);
    let mut second = stream.start(&arguments);
    std::thread::sleep(Duration::from_secs(6));
    // The first notices with its next transaction, if the partition is still its own.
    fill(&stream.input, &many(2_000, 1));
    eventually("all answers", || stream.answers().len() == 2_200);
    // The name's new owner ends in order; the old one was thrown out, and says why.
    assert_eq!(first.wait().unwrap().code(), Some(78));
    signal(&second, "-TERM");
    assert_eq!(second.wait().unwrap().code(), Some(0));
    assert_eq!(stream.answers().len(), 2_200);
}

#[test]
fn contracts_by_reference_hash_as_if_they_stood_in_the_request() {
    let stream = Stream::new(1);
    let request = invoice("t", "agent", "129.5");
    let parsed = parse(request.as_bytes());
    let part = |name: &str| {
        let mut text = Vec::new();
        assay_engine::json::write_canonical(parsed.root().get(name).unwrap(), &mut text);
        String::from_utf8(text).unwrap()
    };
    let contract = format!(
        r#"{{"expected_schema":{},"rules":{},"enforce_rules":true}}"#,
        part("expected_schema"),
        part("rules")
    );
    let output = part("submitted_output");
    let delivery = format!(r#"{{"task_id":"t","agent_id":"agent","submitted_output":{output}}}"#);
    std::fs::create_dir(stream.sandbox.path("contracts")).unwrap();
    stream.sandbox.write("contracts/invoice.json", &contract);
    let contract_topic = topic("contracts", 2, &[("cleanup.policy", "compact")]);
    let named = |key: &str, value: &str| TestRecord {
        key: Some(key.as_bytes().to_vec()),
        ..TestRecord::of(1, value)
    };
    fill(
        &contract_topic,
        &[named("invoice@7", "{}"), named("invoice@7", &contract)],
    );
    let hash = hex(&Sha256::digest(&contract));
    fill(
        &stream.input,
        &[
            TestRecord::of(0, &request),
            TestRecord::of(0, &delivery).with("contract-id", b"invoice"),
            TestRecord::of(0, &delivery)
                .with("contract-id", b"invoice")
                .with("contract-version", b"7"),
            TestRecord::of(0, &delivery).with("contract-id", format!("sha256:{hash}").as_bytes()),
            TestRecord::of(0, &delivery)
                .with("contract-id", b"invoice")
                .with("contract-version", b"8"),
        ],
    );
    let arguments = ["--contracts", "contracts", "--contract-topic", &contract_topic];
    stream.finish(&arguments);
    let answers = stream.answers();
    let expected = answers[&(0, 0)].receipt().header("request-hash");
    for offset in 1..4 {
        assert_eq!(answers[&(0, offset)].receipt().header("request-hash"), expected);
    }
    assert_eq!(answers[&(0, 4)].code(), "unknown_contract");

    // The bare output, its task and agent beside it; the contract is the topic's default.
    let bare = TestRecord {
        key: Some(b"agent".to_vec()),
        ..TestRecord::of(0, &output).with("task-id", b"t")
    };
    fill(&stream.input, &[bare]);
    let mut more = vec!["--form", "output", "--default-contract", "invoice"];
    more.extend(arguments);
    stream.finish(&more);
    assert_eq!(
        stream.answers()[&(0, 5)].receipt().header("request-hash"),
        expected
    );
}

#[test]
fn letters_are_replayed_once_and_not_for_ever() {
    let stream = Stream::new(1);
    let request = invoice("t", "agent", "129.5");
    let parsed = parse(request.as_bytes());
    let mut output = Vec::new();
    assay_engine::json::write_canonical(parsed.root().get("submitted_output").unwrap(), &mut output);
    let delivery = [br#"{"task_id":"t","submitted_output":"#.as_slice(), &output, b"}"].concat();
    fill(
        &stream.input,
        &[
            TestRecord::of(0, &delivery).with("contract-id", b"late"),
            TestRecord::of(0, "poison"),
        ],
    );
    stream.finish(&[]);
    let brokers = brokers();
    let replay = |cap: &str| {
        let arguments = [
            "dlq",
            "replay",
            "--brokers",
            &brokers,
            "--topic",
            &stream.dead_letters,
        ];
        let more = ["--group", &stream.group, "--max-attempts", cap];
        let output = stream.sandbox.run(&[&arguments[..], &more].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    // The fix: the contract that was missing.
    std::fs::create_dir(stream.sandbox.path("contracts")).unwrap();
    stream
        .sandbox
        .write("contracts/late.json", r#"{"expected_schema":{"type":"object"}}"#);
    assert!(replay("2").starts_with("2 letters sent"));
    assert!(
        replay("2").starts_with("0 letters sent"),
        "what was sent is not sent again"
    );
    stream.finish(&["--contracts", "contracts"]);
    let answers = stream.answers();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[&(0, 2)].receipt().header("result"), "pass");
    let again = answers[&(0, 3)].letter();
    assert_eq!(
        (again.header("assay-attempt").as_str(), again.value.as_deref()),
        ("2", Some(&b"poison"[..]))
    );
    // The letter itself was tried as often as is allowed.
    assert!(replay("2").starts_with("0 letters sent, 1 tried too often"));
    let listed = stream.sandbox.expect(
        0,
        &[
            "dlq",
            "list",
            "--brokers",
            &brokers,
            "--topic",
            &stream.dead_letters,
            "--json",
        ],
    );
    let listed: Vec<_> = listed.lines().map(|line| parse(line.as_bytes())).collect();
    assert_eq!(listed.len(), 3);
    let attempt = |index: usize| {
        let number = listed[index].root().get("attempt").and_then(Value::as_number);
        number.unwrap().to_string()
    };
    assert_eq!([attempt(0), attempt(1), attempt(2)], ["1", "1", "2"]);
}

#[test]
fn a_receipt_that_its_topic_does_not_take_becomes_a_letter() {
    let stream = Stream::with_outputs(1, &[("max.message.bytes", "4000")], &[]);
    let small = invoice("small", "agent", "129.5");
    // Two hundred violations make a long receipt.
    let wrong = (0..200)
        .map(|n| format!(r#""{n}":"x""#))
        .collect::<Vec<_>>()
        .join(",");
    let large = format!(
        r#"{{"task_id":"large","expected_schema":{{"additionalProperties":{{"type":"number"}}}},"submitted_output":{{{wrong}}}}}"#
    );
    fill(
        &stream.input,
        &[
            TestRecord::of(0, &small),
            TestRecord::of(0, &large),
            TestRecord::of(0, &small),
        ],
    );
    stream.finish(&[]);
    let answers = stream.answers();
    assert_eq!(answers[&(0, 0)].receipt().header("result"), "pass");
    assert_eq!(answers[&(0, 1)].code(), "receipt_too_large");
    assert_eq!(answers[&(0, 1)].letter().value.as_deref(), Some(large.as_bytes()));
    assert_eq!(answers[&(0, 2)].receipt().header("result"), "pass");
}

#[test]
fn a_missing_topic_and_a_topic_that_feeds_itself_are_refused() {
    let stream = Stream::new(1);
    let brokers = brokers();
    let run = |receipts: &str| {
        let arguments = [
            "stream",
            "--brokers",
            &brokers,
            "--input",
            &stream.input,
            "--receipts",
            receipts,
        ];
        let more = ["--dead-letters", &stream.dead_letters, "--group", &stream.group];
        let output = stream.sandbox.run(&[&arguments[..], &more].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, message) = run("no-such-topic");
    assert_eq!(code, Some(66), "{message}");
    assert!(message.contains("no-such-topic"));
    assert_eq!(run(&stream.input).0, Some(64));
}

#[test]
fn files_go_to_a_topic_and_receipts_come_readably() {
    let stream = Stream::new(2);
    let lines: Vec<String> = (0..50)
        .map(|n| invoice(&format!("t{n}"), &format!("agent-{}", n % 3), "129.5"))
        .collect();
    let packed = zstd::encode_all(lines.join("\n").as_bytes(), 1).unwrap();
    stream.sandbox.write("in.ndjson.zst", packed);
    let brokers = brokers();
    stream.sandbox.expect(
        0,
        &[
            "produce",
            "in.ndjson.zst",
            "--brokers",
            &brokers,
            "--topic",
            &stream.input,
        ],
    );
    let produced = read(&stream.input);
    assert_eq!(produced.len(), 50);
    for record in &produced {
        let agent = string(&parse(record.value.as_ref().unwrap()), "agent_id").to_owned();
        assert_eq!(record.key.as_deref(), Some(agent.as_bytes()));
    }
    stream.finish(&[]);
    let arguments = [
        "consume",
        "--brokers",
        &brokers,
        "--topic",
        &stream.receipts,
        "--from-start",
        "--until-idle",
        "1",
    ];
    let words = stream.sandbox.expect(0, &arguments);
    assert_eq!(
        words
            .lines()
            .filter(|line| line.contains("pass 22/22 8/8 agent-"))
            .count(),
        50
    );
    let raw = stream.sandbox.expect(0, &[&arguments[..], &["--json"]].concat());
    let results = raw
        .lines()
        .map(|line| string(&parse(line.as_bytes()), "result").to_owned());
    assert_eq!(results.filter(|result| result == "pass").count(), 50);
}
