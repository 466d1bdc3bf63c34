//! `assay verify` against the ceiling: bare signatures of the same messages on all cores.
//!
//! The signatures are those of the engine's own signer: the curve of ed25519-dalek with the SHA-512 of ring, which is a
//! higher ceiling than ed25519-dalek with its own hash.
//!
//! Makes invoice requests, then in turn lets every core sign the messages of their receipts for some seconds, and runs
//! the binary on the file, recorded and not. Prints the rates and their ratios. The binary is `target/release/assay`;
//! `--lines N` sets the number of requests.

#![expect(clippy::print_stdout, reason = "the table is what the program is for")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use assay_engine::json::{Document, Parser, write_canonical};
use assay_engine::receipt::{Signer, write_signed_bytes};
use assay_engine::response::ServiceIdentity;
use assay_engine::time::Timestamp;
use assay_engine::verifier::{Stamp, Verifier};

/// Rounds; the best of each side counts.
const ROUNDS: usize = 3;
/// How long every core signs in a round.
const SIGNING: Duration = Duration::from_secs(2);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let lines = arguments
        .iter()
        .position(|a| a == "--lines")
        .and_then(|at| arguments.get(at + 1));
    let lines: usize = lines.and_then(|lines| lines.parse().ok()).unwrap_or(60_000);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let input = folder.path().join("requests.ndjson");
    let requests = requests(root, lines);
    std::fs::write(&input, requests.join("\n")).expect("the requests can be written");
    let messages = messages(&requests);
    let (mut signing, mut recorded, mut unrecorded) = (0.0, 0.0, 0.0);
    for round in 0..ROUNDS {
        signing = f64::max(signing, sign_on_all_cores(&messages));
        recorded = f64::max(recorded, verify(root, folder.path(), &input, round, &[]));
        unrecorded = f64::max(
            unrecorded,
            verify(root, folder.path(), &input, round, &["--no-record"]),
        );
    }
    println!("| what | a second | of the ceiling |");
    println!("|---|---:|---:|");
    println!("| bare signatures of the same messages | {signing:.0} | 100 % |");
    for (name, rate) in [
        ("assay verify, recorded", recorded),
        ("assay verify --no-record", unrecorded),
    ] {
        println!("| {name} | {rate:.0} | {:.0} % |", 100.0 * rate / signing);
    }
    println!(
        "\nRecording costs {:.1} % of the rate.",
        100.0 * (1.0 - recorded / unrecorded)
    );
}

/// The two published invoices in turn, each under a task and an agent of its own.
fn requests(root: &Path, lines: usize) -> Vec<String> {
    let published: Vec<String> = ["invoice-draft", "invoice-final"]
        .iter()
        .map(|name| {
            let path = root.join(format!("schemas/vectors/{name}.request.json"));
            let text = std::fs::read(path).expect("the published requests are in the repository");
            let mut document = Document::new();
            Parser::default()
                .parse(&text, &mut document)
                .expect("they are JSON");
            let mut compact = Vec::new();
            write_canonical(document.root(), &mut compact);
            String::from_utf8(compact).expect("canonical JSON is UTF-8")
        })
        .collect();
    (0..lines)
        .map(|n| {
            let request =
                published[n % 2].replace("test-seller-invoice-agent", &format!("seller-{}", n % 50));
            request.replace("invoice-7731-", &format!("invoice-{n}-"))
        })
        .collect()
}

fn messages(requests: &[String]) -> Vec<Vec<u8>> {
    let verifier = Verifier::new(ServiceIdentity {
        public_key_url: "http://localhost:8080/.well-known/agent-card.json".into(),
        service: "Agent Output Verifier".into(),
        mcp: "http://localhost:8080/mcp".into(),
        verifier_version: "0.1.0".into(),
    });
    // A key of this bench only.
    let signer = Signer::new(&[7; 32], "v1-2026-11");
    let stamp = Stamp {
        verification_id: uuid::Uuid::from_u128(1),
        verified_at: Timestamp::from_micros(0),
    };
    let mut worker = verifier.worker();
    let message = |request: &String| {
        let receipt = worker
            .verify(request.as_bytes(), stamp, &signer)
            .expect("the requests are valid");
        let mut message = Vec::new();
        write_signed_bytes(&receipt.response, &mut message);
        message
    };
    requests.iter().take(1_000).map(message).collect()
}

fn sign_on_all_cores(messages: &[Vec<u8>]) -> f64 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (signed, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let started = Instant::now();
    std::thread::scope(|threads| {
        for _ in 0..cores {
            threads.spawn(|| {
                let signer = Signer::new(&[7; 32], "v1-2026-11");
                for message in messages.iter().cycle() {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    std::hint::black_box(signer.sign(message));
                    signed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::park_timeout(SIGNING);
        is_over.store(true, Ordering::Relaxed);
    });
    signed.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
}

/// Answers a second of one run of the binary, by its own summary.
fn verify(root: &Path, folder: &Path, input: &Path, round: usize, flags: &[&str]) -> f64 {
    let data: PathBuf = folder.join(format!("data-{round}"));
    let output = Command::new(root.join("target/release/assay"))
        .arg("verify")
        .arg(input)
        .arg("-o")
        .arg(folder.join("receipts.ndjson"))
        .arg("--json")
        .args(flags)
        .env("ASSAY_DATA", data)
        .output()
        .expect("target/release/assay runs; build it first");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the summary is JSON");
    summary["answers_per_second"]
        .as_f64()
        .expect("the summary has a rate")
}
