//! `kill -9` of `assay verify` at random moments, resumed each time: nothing lost, nothing twice, the counts exact.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use assay_engine::json::Value;
use assay_ledger::Ledger;

use crate::command::{Sandbox, answers, invoice, string};

/// How often the run is killed.
const KILLS: u64 = 50;
const LINES: usize = 30_000;
/// A run that has come no further by then has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Numbers that look random and are the same in every run of the test.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn requests() -> String {
    let lines: Vec<String> = (0..LINES)
        .map(|n| {
            let total = if n % 4 == 0 { "135.0" } else { "129.5" };
            match n % 1000 {
                999 => "{\"task_id\":".to_owned(),
                _ => invoice(&format!("t-{n}"), &format!("seller-{}", n % 3), total),
            }
        })
        .collect();
    lines.join("\n")
}

/// What an answer says, less what differs from run to run.
fn content(text: &str) -> Vec<String> {
    let entry = |a: &assay_engine::json::Document| match string(a, "task_id") {
        "" => string(a, "code").to_owned(),
        task => format!("{task} {} {}", string(a, "result"), string(a, "request_hash")),
    };
    answers(text).iter().map(entry).collect()
}

fn reputation(sandbox: &Sandbox, agent: &str) -> (String, String) {
    let document = crate::material::parse(sandbox.expect(0, &["reputation", agent]).as_bytes());
    let count = |name: &str| {
        document
            .root()
            .get(name)
            .and_then(Value::as_number)
            .unwrap()
            .to_string()
    };
    (count("passed_count"), count("failed_count"))
}

#[test]
fn a_run_killed_fifty_times_ends_like_an_undisturbed_one() {
    let disturbed = Sandbox::new();
    let undisturbed = Sandbox::new();
    let requests = requests();
    for sandbox in [&disturbed, &undisturbed] {
        sandbox.write("in.ndjson", &requests);
    }
    undisturbed.expect(2, &["verify", "in.ndjson", "-o", "out.ndjson", "--quiet"]);
    let expected = undisturbed.read("out.ndjson");

    let out = disturbed.path("out.ndjson");
    let size = || std::fs::metadata(&out).map_or(0, |meta| meta.len());
    let step = 2 * expected.len() as u64 / KILLS;
    let mut draws = Draws(20_261_130);
    let mut kills = 0;
    let arguments = ["verify", "in.ndjson", "-o", "out.ndjson", "--quiet", "--resume"];
    while kills < KILLS {
        let mut child = disturbed
            .command(&arguments)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        // Every third kill comes after some time, which may be before anything is written; the others come when the output
        // has grown by some length.
        let (delay, length) = (
            Duration::from_micros(draws.below(40_000)),
            size() + draws.below(step),
        );
        let by_time = kills % 3 == 0;
        let mut finished = false;
        while !finished
            && if by_time {
                started.elapsed() < delay
            } else {
                size() < length
            }
        {
            assert!(started.elapsed() < PATIENCE, "the run makes no progress");
            finished = child.try_wait().unwrap().is_some();
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        if finished {
            break;
        }
    }
    disturbed.expect(2, &arguments);
    let text = disturbed.read("out.ndjson");
    assert_eq!(content(&text), content(&expected));

    let ids: HashSet<String> = answers(&text)
        .iter()
        .map(|a| string(a, "verification_id").to_owned())
        .filter(|id| !id.is_empty())
        .collect();
    let receipts = LINES - LINES / 1000;
    assert_eq!(ids.len(), receipts, "no id is used twice");
    let ledger = Ledger::open(disturbed.path("data/ledger.sqlite3")).unwrap();
    assert_eq!(
        ledger.len().unwrap(),
        receipts as u64,
        "the ledger has each receipt once"
    );
    for agent in ["seller-0", "seller-1", "seller-2"] {
        assert_eq!(reputation(&disturbed, agent), reputation(&undisturbed, agent));
    }
    for line in text
        .lines()
        .step_by(2_999)
        .filter(|line| line.contains("verification_id"))
    {
        let id = string(&answers(line)[0], "verification_id").to_owned();
        assert_eq!(
            disturbed.expect(0, &["receipt", "show", &id]),
            format!("{line}\n")
        );
    }
}

#[test]
fn a_torn_line_is_answered_again_and_foreign_outputs_are_refused() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..20)
        .map(|n| invoice(&format!("t-{n}"), "seller-1", "129.5"))
        .collect();
    sandbox.write("in.ndjson", lines.join("\n"));
    let resume = ["verify", "in.ndjson", "-o", "out.ndjson", "--resume"];
    sandbox.expect(0, &resume);
    let whole = sandbox.read("out.ndjson");

    // The output ends in the middle of its fifth line.
    let end: usize = whole.split_inclusive('\n').take(4).map(str::len).sum();
    sandbox.write("out.ndjson", &whole[..end + 100]);
    sandbox.expect(0, &resume);
    let again = sandbox.read("out.ndjson");
    assert_eq!(content(&again), content(&whole));
    assert_eq!(again[..end], whole[..end], "what was whole is kept");
    assert_eq!(
        Ledger::open(sandbox.path("data/ledger.sqlite3"))
            .unwrap()
            .len()
            .unwrap(),
        20
    );

    // A finished run has nothing left to do.
    sandbox.expect(0, &resume);
    assert_eq!(sandbox.read("out.ndjson"), again);

    // Other inputs, or an output that no run of this data folder wrote, are not taken up.
    OpenOptions::new()
        .append(true)
        .open(sandbox.path("in.ndjson"))
        .unwrap()
        .write_all(b"\n1")
        .unwrap();
    sandbox.expect(64, &resume);
    sandbox.write("other.ndjson", "{}\n");
    sandbox.expect(64, &["verify", "in.ndjson", "-o", "other.ndjson", "--resume"]);
    assert_eq!(sandbox.read("other.ndjson"), "{}\n");

    // Without a ledger the output alone tells where to go on.
    sandbox.write("out.ndjson", &whole[..end + 1]);
    sandbox.expect(
        2,
        &[
            "verify",
            "in.ndjson",
            "-o",
            "out.ndjson",
            "--resume",
            "--no-record",
        ],
    );
    let unrecorded = sandbox.read("out.ndjson");
    assert_eq!(content(&unrecorded)[..20], content(&whole)[..]);
    assert_eq!(content(&unrecorded)[20], "invalid_request");
}
