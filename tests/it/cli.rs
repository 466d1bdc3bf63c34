//! The program as a user drives it: exit codes, what it says, and what it leaves on the disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assay_engine::audit::{Auditor, PublicKeys};
use assay_engine::receipt::Receipt;
use assay_engine::response::ServiceIdentity;
use assay_engine::time::Timestamp;
use assay_engine::verifier::{Stamp, Verifier};
use assay_ledger::DataFolder;
use serde_json::{Value, json};

use crate::command::Sandbox;
use crate::material::repository;

/// What a run of the program gave.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

/// A user with an empty folder of their own.
struct User {
    sandbox: Sandbox,
}

impl User {
    fn new() -> User {
        User {
            sandbox: Sandbox::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.path(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        text(&self.sandbox.write(name, content))
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.sandbox.run(arguments))
    }

    /// Runs and expects success without a word of complaint.
    fn succeed(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{arguments:?}: {}", run.stdout);
        run.stdout
    }

    /// Runs and expects an exit code and every part of the complaint.
    fn fail(&self, code: i32, arguments: &[&str], parts: &[&str]) {
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {} {}", run.stdout, run.stderr);
        for part in parts {
            assert!(
                run.stderr.contains(part),
                "{arguments:?}: {part:?} is not in {}",
                run.stderr
            );
        }
    }

    fn data(&self) -> DataFolder {
        DataFolder::open(self.path("data")).unwrap()
    }

    /// Whether any command has made the data folder.
    fn has_data(&self) -> bool {
        self.path("data").exists()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

fn vector(name: &str) -> String {
    text(&vector_path(name))
}

fn vector_path(name: &str) -> PathBuf {
    repository().join("schemas/vectors").join(name)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn vector_text(name: &str) -> String {
    fs::read_to_string(vector_path(name)).unwrap()
}

/// A vector in one line.
fn vector_line(name: &str) -> String {
    serde_json::from_str::<Value>(&vector_text(name))
        .unwrap()
        .to_string()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Verifies a request with the data folder's key and records the receipt, as the commands that verify do.
fn verify_and_record(data: &DataFolder, request: &Value, number: u8, verified_at: &str) -> Receipt {
    let identity = ServiceIdentity {
        public_key_url: "http://localhost:8080/.well-known/agent-card.json".to_owned(),
        service: "Agent Output Verifier".to_owned(),
        mcp: "http://localhost:8080/mcp".to_owned(),
        verifier_version: "0.1.0".to_owned(),
    };
    let verifier = Verifier::new(identity);
    let verified_at = Timestamp::parse(verified_at).unwrap();
    let signer = data.keys().unwrap().signer(verified_at).unwrap().signer;
    let id = format!("00000000-0000-8000-8000-0000000000{number:02x}");
    let stamp = Stamp {
        verification_id: id.parse().unwrap(),
        verified_at,
    };
    let receipt = verifier
        .worker()
        .verify(request.to_string().as_bytes(), stamp, &signer)
        .unwrap();
    data.ledger()
        .unwrap()
        .record_batch(std::iter::once(&receipt))
        .unwrap();
    receipt
}

fn wire(receipt: &Receipt) -> String {
    let mut text = Vec::new();
    receipt.write_wire(&mut text);
    String::from_utf8(text).unwrap()
}

fn request(task: &str, output: Value) -> Value {
    json!({"task_id": task, "agent_id": "seller", "expected_schema": {"type": "integer"}, "submitted_output": output})
}

#[test]
fn the_published_examples_check() {
    let user = User::new();
    let keys = vector("key.json");
    for name in ["invoice-draft", "invoice-final"] {
        let receipt = vector(&format!("{name}.response.json"));
        let request = vector(&format!("{name}.request.json"));
        let words = user.succeed(&["receipt", "check", &receipt, "--keys", &keys]);
        assert!(words.ends_with("The receipt holds.\n"), "{words}");
        assert!(words.contains("skipped    request"), "{words}");
        let words = user.succeed(&[
            "receipt",
            "check",
            &receipt,
            "--request",
            &request,
            "--keys",
            &keys,
        ]);
        assert!(
            words.ends_with("The receipt holds.\n") && words.contains("v1-2026-09c"),
            "{words}"
        );
        let json = user.succeed(&[
            "receipt",
            "check",
            &receipt,
            "--request",
            &request,
            "--keys",
            &keys,
            "--json",
        ]);
        let report: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&report["holds"], &report["line"]), (&json!(true), &Value::Null));
    }
    assert!(!user.has_data(), "checking with given keys makes no data folder");
}

#[test]
fn one_altered_byte_is_detected() {
    let user = User::new();
    let keys = vector("key.json");
    let text = vector_line("invoice-final.response.json").into_bytes();
    for at in (0..text.len()).step_by(41) {
        let mut altered = text.clone();
        altered[at] ^= 1;
        let file = user.write("altered.json", &altered);
        let run = user.run(&["receipt", "check", &file, "--keys", &keys]);
        assert!(
            [1, 65].contains(&run.code),
            "byte {at}: {} {}",
            run.code,
            run.stdout
        );
    }
    let altered = vector_text("invoice-final.request.json").replace("CRWL-100", "CRWL-101");
    let file = user.write("request.json", altered);
    let receipt = vector("invoice-final.response.json");
    let run = user.run(&["receipt", "check", &receipt, "--request", &file, "--keys", &keys]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("BROKEN     output_hash"), "{}", run.stdout);
    assert!(
        run.stdout.contains("The output is not the one that was checked"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.ends_with("The receipt does not hold.\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn many_receipts_are_paired_with_their_requests_line_by_line() {
    let user = User::new();
    let keys = vector("key.json");
    let (draft, last) = (
        vector_line("invoice-draft.response.json"),
        vector_line("invoice-final.response.json"),
    );
    let (asked, asked_last) = (
        vector_line("invoice-draft.request.json"),
        vector_line("invoice-final.request.json"),
    );
    let check = |receipts: String, requests: Option<String>, further: &[&str]| {
        let receipts = user.write("receipts.ndjson", receipts);
        let requests = requests.map(|requests| user.write("requests.ndjson", requests));
        let mut arguments = vec!["receipt", "check", &receipts, "--keys", &keys];
        if let Some(requests) = &requests {
            arguments.extend(["--request", requests]);
        }
        arguments.extend(further);
        user.run(&arguments)
    };

    let both = check(
        format!("{draft}\n\n{last}\n"),
        Some(format!("\n{asked}\n{asked_last}")),
        &[],
    );
    assert_eq!(
        (both.code, &*both.stdout),
        (0, "Of the receipts, 2 hold.\n"),
        "{}",
        both.stderr
    );

    let swapped = check(
        format!("{draft}\n{last}\n"),
        Some(format!("{asked_last}\n{asked}\n")),
        &[],
    );
    assert_eq!(swapped.code, 1);
    assert!(swapped.stdout.contains("line 2: receipt") && swapped.stdout.contains("BROKEN     task_id"));
    assert!(
        swapped
            .stdout
            .ends_with("Of the receipts, 0 hold, 2 do not hold.\n"),
        "{}",
        swapped.stdout
    );

    let error = vector_line("error-422.json");
    let with_error = check(format!("{draft}\n{error}\n{last}\n"), None, &[]);
    assert_eq!(with_error.code, 2);
    assert!(
        with_error.stdout.contains("line 2: this is an error answer"),
        "{}",
        with_error.stdout
    );

    let torn = check(format!("{draft}\n{last}\n{}", &draft[..200]), None, &["--json"]);
    assert_eq!(torn.code, 65, "{}", torn.stdout);
    let lines = json_lines(&torn.stdout);
    let conclusions: Vec<&Value> = lines.iter().map(|line| &line["conclusion"]).collect();
    assert_eq!(conclusions, ["holds", "holds", "unreadable"]);
    assert_eq!(lines[2]["line"], 3);

    let too_few = check(format!("{draft}\n{last}\n"), Some(format!("{asked}\n")), &[]);
    assert_eq!(too_few.code, 65);
    assert!(
        too_few.stderr.contains("there is none for line 2"),
        "{}",
        too_few.stderr
    );

    let too_many = check(draft.clone(), Some(format!("{asked}\n{asked_last}\n")), &[]);
    assert_eq!(too_many.code, 2);
    assert!(
        too_many.stderr.contains("more requests than there are receipts"),
        "{}",
        too_many.stderr
    );

    let empty = check(" \n".to_owned(), None, &[]);
    assert_eq!(empty.code, 65);
}

#[test]
fn receipts_come_from_standard_input_as_well() {
    let user = User::new();
    let mut command = user
        .sandbox
        .command(&["receipt", "check", "-", "--keys", &vector("key.json")]);
    command.stdin(fs::File::open(vector_path("invoice-draft.response.json")).unwrap());
    let run = Run::from(command.output().unwrap());
    assert_eq!(run.code, 0, "{}", run.stderr);
    user.fail(
        64,
        &["receipt", "check", "-", "--request", "-"],
        &["standard input can be only one of"],
    );
}

#[test]
fn a_rotated_key_stays_listed_and_its_receipts_check() {
    let user = User::new();
    user.fail(78, &["keys", "list"], &["no keys", "assay keys rotate"]);
    user.fail(78, &["keys", "export"], &["no keys", "assay keys rotate"]);
    assert!(!user.has_data());

    let words = user.succeed(&["keys", "rotate"]);
    assert!(
        words.contains("signing-key.json") && words.contains("Back up"),
        "{words}"
    );
    let old = verify_and_record(&user.data(), &request("a", json!(1)), 1, "2026-10-01T00:00:00Z");
    let version = old.response.key_version.to_string();
    let table = user.succeed(&["keys", "list"]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["key", "version", "created"]);
    assert_eq!((rows[1][0], rows[1][2]), (&*version, "active"));

    let words = user.succeed(&["keys", "rotate"]);
    assert!(
        words.contains(&format!("The key {version} signs no more")),
        "{words}"
    );
    let new = verify_and_record(&user.data(), &request("b", json!(1)), 2, "2026-10-01T00:00:01Z");
    assert_ne!(new.response.key_version, old.response.key_version);
    let table = user.succeed(&["keys", "list"]);
    let active: Vec<bool> = table
        .lines()
        .skip(1)
        .map(|line| line.ends_with("active"))
        .collect();
    assert_eq!(active, [false, true], "{table}");

    let receipts = user.write("receipts.ndjson", format!("{}\n{}\n", wire(&old), wire(&new)));
    assert_eq!(
        user.succeed(&["receipt", "check", &receipts]),
        "Of the receipts, 2 hold.\n"
    );
    let exported = user.succeed(&["keys", "export"]);
    let keys: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(keys["publicKeys"].as_array().unwrap().len(), 2);
    for key in keys["publicKeys"].as_array().unwrap() {
        let members: Vec<&str> = key.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            members,
            ["algorithm", "keyVersion", "publicKey", "publicKeyEncoding"]
        );
    }
    let mut auditor = Auditor::new(PublicKeys::parse(exported.as_bytes()).unwrap());
    assert!(auditor.audit(wire(&old).as_bytes(), None).unwrap().holds());

    // Somebody else's keys do not do.
    let receipt = user.write("receipt.json", wire(&old));
    let run = user.run(&["receipt", "check", &receipt, "--keys", &vector("key.json")]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("signed by a key that is not listed"),
        "{}",
        run.stdout
    );
}

#[cfg(unix)]
#[test]
fn the_private_key_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;

    let user = User::new();
    user.succeed(&["keys", "rotate"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let private = user.data().keys().unwrap().private_key_path();
    assert_eq!(mode(&private), 0o600);
    assert_eq!(mode(&user.path("data")), 0o700);
    fs::set_permissions(&private, fs::Permissions::from_mode(0o644)).unwrap();
    user.fail(78, &["keys", "list"], &["open to others", "chmod 600"]);
}

#[test]
fn a_key_from_a_file_is_listed_and_not_rotated() {
    let user = User::new();
    let file = private_file(&user, "seed", &"07".repeat(32));
    let exported = user.succeed(&["keys", "export", "--key-file", &file]);
    // The public key of the seed of 32 bytes 7, computed with Python's `cryptography`.
    assert!(
        exported.contains("\"6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=\""),
        "{exported}"
    );
    let table = user.succeed(&["keys", "list", "--key-file", &file]);
    assert!(table.trim_end().ends_with("active"), "{table}");
    user.fail(
        64,
        &["keys", "rotate", "--key-file", &file],
        &["cannot be rotated"],
    );
    user.fail(78, &["keys", "list", "--key-file", "missing"], &["missing"]);
}

#[test]
fn a_receipt_is_shown_as_it_was_answered() {
    let user = User::new();
    let id = "00000000-0000-8000-8000-000000000001";
    user.fail(
        78,
        &["receipt", "show", id],
        &["there is no data folder", "--data"],
    );
    assert!(!user.has_data());
    let receipt = verify_and_record(&user.data(), &request("a", json!("x")), 1, "2026-10-01T00:00:00Z");
    assert_eq!(user.succeed(&["receipt", "show", id]), wire(&receipt) + "\n");
    assert_eq!(
        user.succeed(&["receipt", "show", &id.to_uppercase()]),
        wire(&receipt) + "\n"
    );
    let elsewhere = user.path("data");
    let elsewhere = ["--data", elsewhere.to_str().unwrap()];
    assert_eq!(
        user.succeed(&["receipt", elsewhere[0], elsewhere[1], "show", id]),
        wire(&receipt) + "\n"
    );
    let unknown = "00000000-0000-8000-8000-000000000002";
    user.fail(
        1,
        &["receipt", "show", unknown],
        &["has no receipt with the verification_id", unknown],
    );
    user.fail(
        64,
        &["receipt", "show", "7731"],
        &["is not a verification_id", "28afb453-"],
    );
}

#[test]
fn reputation_and_score_tell_what_was_recorded() {
    let user = User::new();
    for command in ["reputation", "score"] {
        user.fail(78, &[command, "seller"], &["there is no data folder", "--data"]);
    }
    assert!(!user.has_data());
    let data = user.data();
    let folder_only = ["reputation", "seller"];
    user.fail(78, &folder_only, &["nothing was ever recorded"]);
    for (number, (task, output)) in [
        ("a", json!(1)),
        ("b", json!(2)),
        ("c", json!("x")),
        ("a", json!(1)),
    ]
    .into_iter()
    .enumerate()
    {
        verify_and_record(
            &data,
            &request(task, output),
            number as u8,
            "2026-10-01T10:00:00Z",
        );
    }

    let reputation: Value = serde_json::from_str(&user.succeed(&["reputation", "seller"])).unwrap();
    assert_eq!(reputation["agent_id"], "seller");
    assert_eq!(
        (&reputation["passed_count"], &reputation["failed_count"]),
        (&json!(2), &json!(1))
    );
    let unknown: Value = serde_json::from_str(&user.succeed(&["reputation", "nobody"])).unwrap();
    assert_eq!(
        (&unknown["sample_size"], &unknown["reason"]),
        (&json!(0), &json!("no_data"))
    );

    let as_of = ["score", "seller", "--as-of", "2026-10-02T00:00:00+00:00"];
    let text = user.succeed(&as_of);
    let score: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&score["trust_score"], &score["sample_size"]),
        (&json!(0.666667), &json!(3))
    );
    assert_eq!(score["computed_at"], "2026-10-02T00:00:00.000000+00:00");
    assert_eq!(
        user.succeed(&as_of),
        text,
        "a score for a given time comes out the same again"
    );
    let earlier = user.succeed(&["score", "seller", "--as-of", "2026-09-30T00:00:00Z"]);
    assert_eq!(
        serde_json::from_str::<Value>(&earlier).unwrap()["reason"],
        "no_data"
    );
    user.fail(
        64,
        &["score", "seller", "--as-of", "yesterday"],
        &["RFC 3339", "2026-10-01T12:00:00Z"],
    );

    let file = user.write("score.json", &text);
    let words = user.succeed(&["receipt", "check", &file]);
    assert!(words.ends_with("The score holds.\n"), "{words}");
    let altered = user.write("altered.json", text.replace("0.666667", "0.966667"));
    let run = user.run(&["receipt", "check", &altered]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("BROKEN     signature"), "{}", run.stdout);
}

#[test]
fn a_wrong_command_line_is_answered_with_the_nearest_right_one() {
    let user = User::new();
    user.fail(64, &["reciept"], &["'receipt'"]);
    user.fail(64, &["receipt", "chek", "x"], &["'check'"]);
    user.fail(64, &["schema", "check", "x", "--jsn"], &["'--json'"]);
    user.fail(64, &["keys", "rotat"], &["'rotate'"]);
    user.fail(64, &["completions", "bush"], &["bash"]);
    user.fail(64, &["receipt", "check"], &["RECEIPT"]);
    user.fail(
        64,
        &["score", "a", "--public-url", "verify.example"],
        &["--public-url", "https://"],
    );
    user.fail(64, &[], &["Usage"]);
    assert!(user.succeed(&["--version"]).starts_with("assay "));
    let help = user.succeed(&["--help"]);
    assert!(help.contains("Exit codes:") && help.contains("receipt"), "{help}");
}

#[test]
fn a_missing_file_is_told_from_a_broken_one() {
    let user = User::new();
    let (receipt, keys) = (vector("invoice-draft.response.json"), vector("key.json"));
    let broken = user.write("broken.json", "{\"a\":1,\"a\":2}");
    user.fail(
        66,
        &["receipt", "check", "missing.json", "--keys", &keys],
        &["missing.json", "cannot be opened"],
    );
    user.fail(
        66,
        &["receipt", "check", &receipt, "--keys", "missing.json"],
        &["missing.json"],
    );
    user.fail(
        66,
        &[
            "receipt",
            "check",
            &receipt,
            "--keys",
            &keys,
            "--request",
            "missing.json",
        ],
        &["missing.json"],
    );
    user.fail(66, &["schema", "check", "missing.json"], &["missing.json"]);
    user.fail(
        65,
        &["receipt", "check", &broken, "--keys", &keys],
        &["broken.json", "twice", "line 1 column 8"],
    );
    user.fail(
        65,
        &["receipt", "check", &receipt, "--keys", &broken],
        &["broken.json", "twice"],
    );
    user.fail(
        65,
        &[
            "receipt",
            "check",
            &receipt,
            "--keys",
            &keys,
            "--request",
            &broken,
        ],
        &["request", "twice"],
    );
    user.fail(
        65,
        &["receipt", "check", &keys, "--keys", &keys],
        &["neither a receipt"],
    );
    user.fail(
        65,
        &["receipt", "check", &vector("error-422.json"), "--keys", &keys],
        &["error answer"],
    );
    user.fail(
        65,
        &["receipt", "check", &receipt, "--keys", &receipt],
        &["no list of keys", "assay keys export"],
    );
    user.fail(
        65,
        &["schema", "check", &broken],
        &["broken.json", "is not JSON", "twice"],
    );
    user.fail(78, &["receipt", "check", &receipt], &["no keys", "--keys"]);
    assert!(!user.has_data());
}

#[test]
fn a_schema_is_told_as_it_is_read() {
    let user = User::new();
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "a": {"type": "string", "format": "iban", "maxlength": 3},
            "b": {"pattern": "^(a+)\\1+$", "format": "date"},
        },
    });
    let file = user.write("schema.json", schema.to_string());
    let words = user.succeed(&["schema", "check", &file]);
    for part in [
        "can be used",
        "draft-07",
        "subschemas   3",
        "maxlength",
        "\"iban\"",
        "properties.b.pattern",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let found: Value = serde_json::from_str(&user.succeed(&["schema", "check", &file, "--json"])).unwrap();
    assert_eq!(found["dialect"], "http://json-schema.org/draft-07/schema");
    assert_eq!(
        (&found["usable"], &found["subschemas"]),
        (&json!(true), &json!(3))
    );
    assert_eq!(found["unknown_formats"], json!(["iban"]));
    assert_eq!(found["slow_patterns"], json!(["properties.b.pattern"]));
    assert!(
        found["unknown_keywords"][0]
            .as_str()
            .unwrap()
            .contains("maxlength"),
        "{found}"
    );

    // The hash is the one that receipts carry.
    let request: Value = serde_json::from_str(&vector_text("invoice-draft.request.json")).unwrap();
    let file = user.write("invoice.json", request["expected_schema"].to_string());
    let found: Value = serde_json::from_str(&user.succeed(&["schema", "check", &file, "--json"])).unwrap();
    assert_eq!(
        found["schema_hash"],
        "23ea3213715cfaf2011dabe2a9a69d4ac25b6eceec7ce3d4bfef9a1298b69b2a"
    );
    assert_eq!(found["dialect_stated"], false);
    assert_eq!(
        (&found["unknown_keywords"], &found["slow_patterns"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn every_fault_of_a_schema_is_named_with_its_path() {
    let user = User::new();
    let schema = json!({
        "type": "objekt",
        "properties": {"a": {"minLength": -1}, "b.c": {"required": "x"}},
    });
    let file = user.write("schema.json", schema.to_string());
    let run = user.run(&["schema", "check", &file]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("cannot be used (invalid_schema)"),
        "{}",
        run.stdout
    );
    let run = user.run(&["schema", "check", &file, "--json"]);
    assert_eq!(run.code, 1);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let paths: Vec<&str> = found["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["path"].as_str().unwrap())
        .collect();
    for path in [
        "$.type",
        "$.properties.a.minLength",
        "$.properties[\"b.c\"].required",
    ] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
    for (schema, part) in [
        (json!({"$ref": "#/$defs/missing"}), "refers to nothing"),
        (
            json!({"$ref": "https://example.com/schema"}),
            "nothing is ever fetched",
        ),
        (json!({"pattern": "("}), "regular expression"),
        (json!({"$schema": "https://example.com/dialect"}), "dialect"),
        (json!(7), "$"),
    ] {
        let file = user.write("schema.json", schema.to_string());
        let run = user.run(&["schema", "check", &file]);
        assert_eq!(run.code, 1, "{schema}");
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}

#[test]
fn shells_get_completions() {
    let user = User::new();
    for (shell, part) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef assay"),
        ("fish", "complete -c assay"),
    ] {
        let script = user.succeed(&["completions", shell]);
        assert!(script.contains(part), "{shell}");
        assert!(script.contains("rotate"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let manual = User::new().succeed(&["man"]);
    let pages: Vec<&str> = manual
        .lines()
        .filter_map(|line| line.strip_prefix(".TH ")?.split_whitespace().next())
        .collect();
    let expected = [
        "assay",
        "assay-verify",
        "assay-stream",
        "assay-produce",
        "assay-consume",
        "assay-dlq",
        "assay-dlq-list",
        "assay-dlq-replay",
        "assay-receipt",
        "assay-receipt-check",
        "assay-receipt-show",
        "assay-reputation",
        "assay-score",
        "assay-project",
        "assay-migrate",
        "assay-rebuild",
        "assay-config",
        "assay-config-check",
        "assay-schema",
        "assay-schema-check",
        "assay-keys",
        "assay-keys-list",
        "assay-keys-export",
        "assay-keys-rotate",
        "assay-completions",
        "assay-man",
    ];
    assert_eq!(pages, expected);
    assert!(
        manual.contains("a fault of assay itself"),
        "the exit codes stand in the manual"
    );
}

#[test]
fn nothing_prints_a_private_key() {
    let user = User::new();
    user.succeed(&["keys", "rotate"]);
    let private = user.data().keys().unwrap().private_key_path();
    let first: Value = serde_json::from_str(&fs::read_to_string(&private).unwrap()).unwrap();
    let rotated = user.run(&["keys", "rotate"]);
    let second: Value = serde_json::from_str(&fs::read_to_string(&private).unwrap()).unwrap();
    let hex = "0123456789abcdef".repeat(4);
    let seeds = [
        first["seed"].as_str().unwrap(),
        second["seed"].as_str().unwrap(),
        &hex,
    ];
    let hex_file = private_file(&user, "seed", &hex);
    assert_ne!(seeds[0], seeds[1]);
    let receipt = verify_and_record(&user.data(), &request("a", json!(1)), 1, "2026-10-01T00:00:00Z");
    let file = user.write("receipt.json", wire(&receipt));
    let key_file = private.to_str().unwrap();
    let mut said = vec![rotated.stdout, rotated.stderr];
    for arguments in [
        &["keys", "list"][..],
        &["keys", "export"],
        &["keys", "export", "--key-file", key_file],
        &["score", "seller"],
        &["score", "seller", "--key-file", key_file],
        &["score", "seller", "--key-file", &hex_file],
        &["keys", "list", "--key-file", &hex_file],
        &["schema", "check", &hex_file],
        &["receipt", "check", &file, "--keys", &hex_file],
        &["reputation", "seller"],
        &["receipt", "check", &file],
        &["receipt", "check", key_file],
        &["receipt", "check", &file, "--keys", key_file],
        &["receipt", "show", "00000000-0000-8000-8000-000000000001"],
        &["schema", "check", key_file],
        &["keys", "list", "--key-file", &file],
    ] {
        let run = user.run(arguments);
        said.extend([run.stdout, run.stderr]);
    }
    let damaged = fs::read_to_string(&private)
        .unwrap()
        .replace("\"algorithm\"", "\"algorithm\" \"");
    fs::write(&private, damaged).unwrap();
    for arguments in [&["keys", "list"][..], &["keys", "rotate"], &["score", "seller"]] {
        let run = user.run(arguments);
        assert_eq!(run.code, 78, "{}", run.stderr);
        said.extend([run.stdout, run.stderr]);
    }
    for seed in seeds {
        for text in &said {
            assert!(!text.contains(seed), "{text}");
        }
    }
}

/// A file that nobody else can read.
fn private_file(user: &User, name: &str, content: &str) -> String {
    let file = user.write(name, content);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    file
}
