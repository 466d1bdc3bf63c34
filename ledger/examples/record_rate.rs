//! What recording costs: CPU time, wall time and bytes for each receipt, by how the agents and the ids are spread.
//!
//! The CPU time of a signature, taken between the batches, stands beside it: on a busy machine only their ratio means much.
//!
//! `cargo run --release -p assay-ledger --example record_rate [RECEIPTS] [BATCH] [FOLDER]`

#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use assay_engine::receipt::{Receipt, Signer};
use assay_engine::response::{Detail, Hashes, Response, ServiceIdentity};
use assay_engine::time::Timestamp;
use assay_engine::verdict::{Tally, Verdict, Violation, Violations};
use assay_ledger::Ledger;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// A way in which receipts are spread.
struct Case {
    name: &'static str,
    agents: u64,
    ids_ascend: bool,
    failing: bool,
}

const CASES: [Case; 6] = [
    Case {
        name: "1 agent",
        agents: 1,
        ids_ascend: true,
        failing: false,
    },
    Case {
        name: "1,000 agents",
        agents: 1_000,
        ids_ascend: true,
        failing: false,
    },
    Case {
        name: "10,000 agents",
        agents: 10_000,
        ids_ascend: true,
        failing: false,
    },
    Case {
        name: "every agent once",
        agents: u64::MAX,
        ids_ascend: true,
        failing: false,
    },
    Case {
        name: "1,000 agents, all failing",
        agents: 1_000,
        ids_ascend: true,
        failing: true,
    },
    Case {
        name: "1,000 agents, random ids",
        agents: 1_000,
        ids_ascend: false,
        failing: false,
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let receipts: u64 = arguments.next().as_deref().unwrap_or("204800").parse()?;
    let batch: usize = arguments.next().as_deref().unwrap_or("1024").parse()?;
    let folder = match arguments.next() {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    println!(
        "| {receipts} receipts in batches of {batch} | CPU µs | signature, CPU µs | wall µs | bytes | reading one, µs | history, µs |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (number, case) in CASES.iter().enumerate() {
        measure(
            case,
            receipts,
            batch,
            &folder.path().join(format!("{number}.sqlite3")),
        )?;
    }
    Ok(())
}

fn measure(case: &Case, receipts: u64, batch: usize, path: &Path) -> Result<(), Box<dyn Error>> {
    let identity = Arc::new(ServiceIdentity {
        public_key_url: "https://verifier.example/.well-known/agent-card.json".to_owned(),
        service: "Agent Output Verifier".to_owned(),
        mcp: "https://verifier.example/mcp".to_owned(),
        verifier_version: "1.0.0".to_owned(),
    });
    let mut ledger = Ledger::open(path)?;
    let signer = Signer::new(&[7; 32], "v1-2026-10");
    let (mut cpu, mut wall, mut signing, mut signatures) = (0.0, 0.0, 0.0, 0);
    let mut number = 0;
    while number < receipts {
        let end = receipts.min(number + batch as u64);
        let receipts: Vec<Receipt> = (number..end)
            .map(|number| receipt(case, number, &identity))
            .collect();
        let (started, cpu_before) = (Instant::now(), cpu_seconds()?);
        ledger.record_batch(&receipts)?;
        wall += started.elapsed().as_secs_f64();
        cpu += cpu_seconds()? - cpu_before;
        number = end;
        let cpu_before = cpu_seconds()?;
        for receipt in receipts.iter().take(64) {
            std::hint::black_box(signer.sign(receipt.response.task_id.as_bytes()));
            signatures += 1;
        }
        signing += cpu_seconds()? - cpu_before;
    }
    let sample: Vec<u64> = (0..receipts).step_by(1.max(receipts as usize / 200)).collect();
    let started = Instant::now();
    for number in &sample {
        let expected = receipt(case, *number, &identity);
        assert_eq!(ledger.receipt(expected.response.verification_id)?, Some(expected));
    }
    let reading = started.elapsed().as_secs_f64() / sample.len() as f64;
    let started = Instant::now();
    let agent = agent(case, receipts / 2);
    let history = ledger.history(&agent, Timestamp::from_micros(i64::MAX))?;
    let history_reading = started.elapsed().as_secs_f64();
    assert!(!history.days.is_empty());
    drop(ledger);
    let each = |seconds: f64| seconds * 1e6 / receipts as f64;
    let bytes = std::fs::metadata(path)?.len() / receipts;
    println!(
        "| {} | {:.2} | {:.2} | {:.2} | {bytes} | {:.0} | {:.0} |",
        case.name,
        each(cpu),
        signing * 1e6 / f64::from(signatures),
        each(wall),
        reading * 1e6,
        history_reading * 1e6
    );
    Ok(())
}

fn agent(case: &Case, number: u64) -> String {
    // Agents come in no order, as they would from a marketplace.
    let agent = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % case.agents;
    format!("https://sellers.example/agents/{agent:x}")
}

fn receipt(case: &Case, number: u64, identity: &Arc<ServiceIdentity>) -> Receipt {
    let hash = |salt: u8| -> [u8; 32] {
        Sha256::new()
            .chain_update([salt])
            .chain_update(number.to_be_bytes())
            .finalize()
            .into()
    };
    let (random, output, request) = (hash(0), hash(1), hash(2));
    let id = if case.ids_ascend {
        0xa55a_1234_5678_8000_8000_0000_0000_0000 | u128::from(number) << 16 | u128::from(random[0])
    } else {
        random[..16]
            .iter()
            .fold(0, |id, byte| id << 8 | u128::from(*byte))
    };
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&hash(3));
    signature[32..].copy_from_slice(&hash(4));
    let mut verdict = Verdict {
        schema: Tally {
            passed: 22,
            total: 22,
        },
        integrity: Tally { passed: 8, total: 8 },
        ..Verdict::default()
    };
    if case.failing {
        verdict.integrity.passed = 7;
        verdict.rule_violations = sum_violation(number);
    }
    Receipt {
        response: Response {
            verification_id: Uuid::from_u128(id),
            task_id: format!("invoice-{number:07}"),
            agent_id: Some(agent(case, number)),
            hashes: Hashes {
                output,
                schema: [7; 32],
                rules: [8; 32],
                request,
            },
            verified_at: Timestamp::from_micros(1_790_000_000_000_000 + number as i64 * 30),
            enforce_rules: true,
            strict_content_check: false,
            detail: Detail::Full,
            verdict,
            identity: Arc::clone(identity),
            key_version: "v1-2026-10".into(),
        },
        signature,
    }
}

fn sum_violation(number: u64) -> Violations {
    let mut violations = Violations::default();
    violations.add("consistency:sum_equals", || Violation {
        check: "consistency:sum_equals".into(),
        field: "line_items[].line_total".to_owned(),
        expected: format!("a sum equal to total ({number}.0)"),
        found: format!("sum {number}.5"),
        detail: format!("values sum to {number}.5, expected total ({number}.0)"),
    });
    violations
}

/// CPU time of this thread, which does all the work, from the scheduler's own count.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    // The count is brought up to date when the thread leaves the processor, which this makes it do.
    std::thread::yield_now();
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = statistics.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e9)
}
