//! Schema evaluation against the crate `jsonschema`, on the same parsed outputs, in one run.
//!
//! For each corpus (a folder with `schema.json` and `instances.jsonl`): the time of our counting check and of
//! `jsonschema::is_valid` over all instances, best of several rounds taken in turn. Prints a Markdown table with the
//! ratios and their geometric mean. Folders are given as arguments; without any, the corpora of the repository are used.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the table is what the program is for"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assay_engine::json::{Document, Parser};
use assay_engine::meter::Meter;
use assay_engine::schema::{CompileOptions, Schema};
use assay_engine::verdict::{Tally, Violations};

/// Rounds of each side; the best one counts.
const ROUNDS: usize = 7;

/// Time of one round at least, so that the clock's grain does not show.
const ROUND: Duration = Duration::from_millis(40);

struct Corpus {
    name: String,
    schema: String,
    instances: Vec<String>,
}

fn read(folder: &Path) -> Option<Corpus> {
    let schema = std::fs::read_to_string(folder.join("schema.json")).ok()?;
    let instances = std::fs::read_to_string(folder.join("instances.jsonl")).ok()?;
    Some(Corpus {
        name: folder.file_name()?.to_string_lossy().into_owned(),
        schema,
        instances: instances.lines().map(str::to_owned).collect(),
    })
}

/// The best time of one pass, over rounds in turn with the others'.
fn time(pass: &mut dyn FnMut() -> u64) -> Duration {
    let started = Instant::now();
    let mut passes = 0u32;
    while started.elapsed() < ROUND {
        std::hint::black_box(pass());
        passes += 1;
    }
    started.elapsed() / passes
}

fn main() {
    let mut folders: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .map(PathBuf::from)
        .collect();
    if folders.is_empty() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/corpora");
        folders = std::fs::read_dir(here)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
    }
    folders.sort();
    println!("| corpus | instances | valid | assay, counting | jsonschema is_valid | ratio |");
    println!("|---|---:|---:|---:|---:|---:|");
    let mut product = 0.0;
    let mut counted = 0.0;
    for corpus in folders.iter().filter_map(|folder| read(folder)) {
        match compare(&corpus) {
            Some(ratio) => {
                product += ratio.ln();
                counted += 1.0;
            }
            None => println!("| {} | | | | not compiled | |", corpus.name),
        }
    }
    println!(
        "| **geometric mean** | | | | | **{:.2}** |",
        (product / f64::max(counted, 1.0)).exp()
    );
}

fn compare(corpus: &Corpus) -> Option<f64> {
    let mut parser = Parser::default();
    let mut document = Document::new();
    parser.parse(corpus.schema.as_bytes(), &mut document).ok()?;
    let schema = match Schema::compile(document.root(), &CompileOptions::default()) {
        Ok(schema) => schema,
        Err(error) => {
            eprintln!("{}: {error}", corpus.name);
            return None;
        }
    };
    let oracle_schema: serde_json::Value = serde_json::from_str(&corpus.schema).ok()?;
    let oracle = jsonschema::options()
        .should_validate_formats(true)
        .build(&oracle_schema)
        .ok()?;
    let mut ours = Vec::new();
    let mut theirs: Vec<serde_json::Value> = Vec::new();
    for text in &corpus.instances {
        let mut instance = Document::new();
        parser.parse(text.as_bytes(), &mut instance).ok()?;
        ours.push(instance);
        theirs.push(serde_json::from_str(text).ok()?);
    }
    let mut our_pass = || {
        let mut valid = 0;
        for instance in &ours {
            let root = instance.root();
            let mut meter = Meter::for_sizes(root.node_count(), root.text_bytes(), schema.subschema_count());
            let mut tally = Tally::default();
            let mut violations = Violations::default();
            match schema.check(root, &mut meter, &mut tally, &mut violations) {
                Ok(()) => valid += u64::from(tally.passed == tally.total),
                Err(limit) => panic!("{}: {limit}", corpus.name),
            }
        }
        valid
    };
    let mut their_pass = || theirs.iter().filter(|instance| oracle.is_valid(instance)).count() as u64;
    let (valid, oracle_valid) = (our_pass(), their_pass());
    if valid != oracle_valid {
        eprintln!("{}: {valid} valid here, {oracle_valid} there", corpus.name);
    }
    let (mut best, mut oracle_best) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        best = best.min(time(&mut our_pass));
        oracle_best = oracle_best.min(time(&mut their_pass));
    }
    let ratio = best.as_secs_f64() / oracle_best.as_secs_f64();
    println!(
        "| {} | {} | {valid} | {best:.1?} | {oracle_best:.1?} | {ratio:.2} |",
        corpus.name,
        corpus.instances.len()
    );
    Some(ratio)
}
