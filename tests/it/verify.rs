//! `assay verify`: every form of input, order, exit codes, and the independent check of what comes out.

use std::io::Write;
use std::process::Stdio;

use assay_engine::json::Value;

use crate::command::{Sandbox, answers, invoice, python, string};
use crate::material::repository;

/// Result or error code of each answer.
fn outcomes(text: &str) -> Vec<String> {
    let outcome = |answer: &assay_engine::json::Document| match string(answer, "result") {
        "" => string(answer, "code").to_owned(),
        result => result.to_owned(),
    };
    answers(text).iter().map(outcome).collect()
}

#[test]
fn the_sample_comes_out_as_it_is_described() {
    let sandbox = Sandbox::new();
    let sample = repository().join("schemas/sample/deliverables.ndjson");
    sandbox.expect(
        2,
        &["verify", sample.to_str().unwrap(), "-o", "out.ndjson", "--quiet"],
    );
    let text = sandbox.read("out.ndjson");
    let expected = std::fs::read_to_string(repository().join("schemas/sample/expected.ndjson")).unwrap();
    let (got, expected) = (answers(&text), answers(&expected));
    assert_eq!(got.len(), expected.len());
    let list = |value: Option<Value<'_>>| -> Vec<String> {
        let names = value.and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    for (line, (got, expected)) in got.iter().zip(&expected).enumerate() {
        let context = format!("line {}", line + 1);
        let mut because = list(expected.root().get("because"));
        because.sort();
        if string(expected, "result") == "error" {
            assert_eq!([string(got, "code")], *because, "{context}");
            continue;
        }
        assert_eq!(string(got, "result"), string(expected, "result"), "{context}");
        let mut blocking = list(got.root().pointer("/summary/blocking_checks"));
        blocking.sort();
        assert_eq!(blocking, because, "{context}");
        let flags = got
            .root()
            .get("flags")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let mut flagged: Vec<String> = flags
            .filter_map(|flag| flag.get("check").and_then(Value::as_str))
            .map(str::to_owned)
            .collect();
        flagged.sort();
        flagged.dedup();
        let mut wanted = list(expected.root().get("flagged"));
        wanted.extend(because.into_iter().filter(|check| !check.starts_with("schema:")));
        wanted.sort();
        wanted.dedup();
        if !string(got, "request_hash").is_empty() {
            assert_eq!(flagged, wanted, "{context}");
        }
    }
}

#[test]
fn all_layouts_and_compressions_give_the_same_receipts() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..40)
        .map(|n| {
            invoice(
                &format!("t-{n}"),
                "seller-1",
                if n % 3 == 0 { "135.0" } else { "129.5" },
            )
        })
        .collect();
    let ndjson = lines.join("\n");
    let array = format!("[\n{}\n]\n", lines.join(",\n  "));
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(ndjson.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    sandbox.write("a.ndjson", &ndjson);
    sandbox.write("b.jsonl", ndjson.replace('\n', "\r\n\n"));
    sandbox.write("c.json", &array);
    sandbox.write("d.ndjson.gz", &gzip);
    sandbox.write(
        "e.json.zst",
        zstd::stream::encode_all(array.as_bytes(), 1).unwrap(),
    );
    sandbox.write("f.json", &lines[0]);
    let hashes = |text: &str| -> Vec<String> {
        answers(text)
            .iter()
            .map(|a| format!("{} {}", string(a, "request_hash"), string(a, "result")))
            .collect()
    };
    let expected = hashes(&sandbox.expect(1, &["verify", "a.ndjson"]));
    assert_eq!(expected.len(), 40);
    for file in ["b.jsonl", "c.json", "d.ndjson.gz", "e.json.zst"] {
        assert_eq!(hashes(&sandbox.expect(1, &["verify", file])), expected, "{file}");
    }
    assert_eq!(hashes(&sandbox.expect(1, &["verify", "f.json"])), expected[..1]);
    let twice = sandbox.expect(1, &["verify", "f.json", "a.ndjson", "--jobs", "3"]);
    assert_eq!(hashes(&twice), [&expected[..1], &expected[..]].concat());

    let mut child = sandbox
        .command(&["verify", "-", "--no-record", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&gzip).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(hashes(&String::from_utf8(output.stdout).unwrap()), expected);
}

#[test]
fn a_contract_gives_the_receipts_of_the_whole_requests() {
    let sandbox = Sandbox::new();
    let whole = [
        invoice("t-1", "seller-1", "129.5"),
        invoice("t-2", "seller-1", "135.0"),
    ];
    sandbox.write("whole.ndjson", whole.join("\n"));
    let member = |line: &str, name: &str| {
        let document = crate::material::parse(line.as_bytes());
        let mut text = Vec::new();
        assay_engine::json::write_canonical(document.root().get(name).unwrap(), &mut text);
        String::from_utf8(text).unwrap()
    };
    let (schema, rules) = (member(&whole[0], "expected_schema"), member(&whole[0], "rules"));
    sandbox.write(
        "contract.json",
        format!("{{\"rules\": {rules},\n \"expected_schema\": {schema}, \"enforce_rules\": true}}"),
    );
    let outputs: Vec<String> = whole
        .iter()
        .map(|line| member(line, "submitted_output"))
        .collect();
    let delivery = |n: usize| {
        format!(
            r#"{{"submitted_output":{},"agent_id":"seller-1","task_id":"t-{}"}}"#,
            outputs[n],
            n + 1
        )
    };
    sandbox.write("deliveries.ndjson", [delivery(0), delivery(1)].join("\n"));
    sandbox.write("outputs.ndjson", outputs.join("\n"));
    let hashes = |text: String| -> Vec<String> {
        answers(&text)
            .iter()
            .map(|a| string(a, "request_hash").to_owned())
            .collect()
    };
    let expected = hashes(sandbox.expect(1, &["verify", "whole.ndjson"]));
    fn run<'a>(rest: &[&'a str]) -> Vec<&'a str> {
        [&["verify", "--contract", "contract.json"], rest].concat()
    }
    assert_eq!(hashes(sandbox.expect(1, &run(&["deliveries.ndjson"]))), expected);

    let by_line = sandbox.expect(
        1,
        &run(&["--outputs", "outputs.ndjson", "--agent-id", "seller-1"]),
    );
    let tasks: Vec<String> = answers(&by_line)
        .iter()
        .map(|a| string(a, "task_id").to_owned())
        .collect();
    assert_eq!(tasks, ["line-1", "line-2"]);
    let by_pointer = sandbox.expect(
        1,
        &run(&["--outputs", "outputs.ndjson", "--task-id", "/line_items/1/sku"]),
    );
    assert_eq!(string(&answers(&by_pointer)[0], "task_id"), "CRWL-200");
    let missing = sandbox.expect(2, &run(&["--outputs", "outputs.ndjson", "--task-id", "/order"]));
    assert_eq!(outcomes(&missing), ["invalid_request", "invalid_request"]);
    assert!(missing.contains("\"line\":2"), "{missing}");

    sandbox.write(
        "broken.json",
        "{\"expected_schema\": {\"type\": \"objekt\"}, \"rule\": []}",
    );
    let output = sandbox.run(&["verify", "deliveries.ndjson", "--contract", "broken.json"]);
    assert_eq!(output.status.code(), Some(65));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("Did you mean 'rules'?"), "{errors}");
}

#[test]
fn a_broken_line_is_answered_in_its_place() {
    let sandbox = Sandbox::new();
    let good = invoice("t", "seller-1", "129.5");
    let lines = [
        good.as_str(),
        "{\"task_id\": \"t\", \"task_id\": \"u\"}",
        "",
        "not json",
        "{\"task_id\": 1}",
        "{\"task_id\":\"t\",\"submitted_output\":1,\"expected_schema\":{\"$ref\":\"http://example.com/\"}}",
        good.as_str(),
    ];
    sandbox.write("a.ndjson", lines.join("\n"));
    let text = sandbox.expect(2, &["verify", "a.ndjson"]);
    let expected = [
        "pass",
        "invalid_json",
        "invalid_json",
        "invalid_request",
        "invalid_schema",
        "pass",
    ];
    assert_eq!(outcomes(&text), expected);
    let lines: Vec<String> = answers(&text)
        .iter()
        .filter_map(|a| {
            a.root()
                .get("line")
                .and_then(Value::as_number)
                .map(|line| line.to_string())
        })
        .collect();
    assert_eq!(lines, ["2", "4", "5", "6"]);
    for secret in ["not json", "example.com"] {
        assert!(!text.contains(secret), "an error echoes its input");
    }
}

#[test]
fn exit_codes_tell_what_happened() {
    let sandbox = Sandbox::new();
    let (pass, fail) = (
        invoice("t", "seller-1", "129.5"),
        invoice("t", "seller-1", "135.0"),
    );
    sandbox.write("pass.ndjson", &pass);
    sandbox.write("fail.ndjson", [&*pass, &*fail, &*pass].join("\n"));
    sandbox.write("empty.ndjson", "\n");
    sandbox.expect(0, &["verify", "pass.ndjson"]);
    sandbox.expect(1, &["verify", "fail.ndjson"]);
    assert_eq!(sandbox.expect(0, &["verify", "empty.ndjson"]), "");
    sandbox.expect(66, &["verify", "missing.ndjson"]);
    sandbox.expect(66, &["verify", "."]);
    sandbox.expect(64, &["verify"]);
    sandbox.expect(64, &["verify", "pass.ndjson", "--resume"]);
    sandbox.expect(64, &["verify", "pass.ndjson", "-o", "pass.ndjson"]);
    sandbox.expect(64, &["verify", "-", "-"]);
    sandbox.expect(64, &["verify", "pass.ndjson", "--public-url", "ftp://x"]);
    sandbox.expect(74, &["verify", "pass.ndjson", "-o", "no/such/folder.ndjson"]);
    sandbox.write("torn.ndjson.gz", b"\x1f\x8b\x08\x00");
    sandbox.expect(74, &["verify", "torn.ndjson.gz"]);

    let first = sandbox.expect(1, &["verify", "fail.ndjson", "--fail-fast"]);
    assert_eq!(outcomes(&first), ["pass", "fail"]);

    let json = sandbox.expect(1, &["verify", "fail.ndjson", "-o", "out.ndjson", "--json"]);
    let summary = crate::material::parse(json.as_bytes());
    let count = |name: &str| {
        summary
            .root()
            .get(name)
            .and_then(Value::as_number)
            .unwrap()
            .to_string()
    };
    assert_eq!(
        [count("passed"), count("failed"), count("errors")],
        ["2", "1", "0"]
    );
    assert_eq!(
        summary
            .root()
            .pointer("/causes/consistency:sum_equals")
            .unwrap()
            .as_number()
            .unwrap()
            .to_string(),
        "1"
    );
}

#[test]
fn an_independent_program_accepts_every_receipt_and_no_altered_one() {
    const LINES: usize = 10_000;
    let sandbox = Sandbox::new();
    let mut lines = Vec::with_capacity(LINES);
    for n in 0..LINES {
        let agent = format!("seller-{}", n % 7);
        let line = invoice(
            &format!("täsk \\\"{n}\\u0007"),
            &agent,
            if n % 5 == 0 { "135.0" } else { "1.295e2" },
        );
        lines.push(if n % 4 == 1 {
            line.replacen('{', "{\"detail\":\"compact\",", 1)
        } else {
            line
        });
    }
    lines[17] = "{".to_owned();
    let requests = sandbox.write("requests.ndjson", lines.join("\n"));
    sandbox.expect(
        2,
        &["verify", "requests.ndjson", "-o", "receipts.ndjson", "--quiet"],
    );
    let keys = sandbox.write("keys.json", sandbox.expect(0, &["keys", "export"]));
    let output = python()
        .arg("tests/check_receipts.py")
        .arg(sandbox.path("receipts.ndjson"))
        .arg("--keys")
        .arg(keys)
        .arg("--requests")
        .arg(requests)
        .args(["--alter", "100", "--seed", "1"])
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("9999"), "{said}");
}
