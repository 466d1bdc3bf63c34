//! The projector: every receipt of the topic is stored, once, whatever fails on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use assay_engine::receipt::Receipt;
use assay_engine::time::Timestamp;
use assay_ledger::clickhouse::{ClickHouse, ClickHouseSettings};
use assay_pipeline::project::{Monitor, ProjectSettings, State, project};

use crate::broker::Topics;
use crate::command::Sandbox;
use crate::database::Database;
use crate::faulty_way::{Fault, FaultyWay};
use crate::receipts::{Plain, START_DAY, plain};
use crate::topics::config;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(90);

/// A projector in this process.
struct Running {
    monitor: Arc<Monitor>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start(
        topics: &Topics,
        settings: ClickHouseSettings,
        change: impl FnOnce(&mut ProjectSettings),
    ) -> Running {
        let monitor = Arc::new(Monitor::new(|notice| eprintln!("{notice:?}")));
        let stop = Arc::new(AtomicBool::new(false));
        let mut project_settings = ProjectSettings {
            group: topics.group.clone(),
            receipts: topics.receipts.clone(),
            dead_letters: topics.dead_letters.clone(),
            batch_rows: 500,
            batch_age: Duration::from_millis(200),
            ..ProjectSettings::default()
        };
        change(&mut project_settings);
        let (kafka, shared, flag) = (config(), Arc::clone(&monitor), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            let ledger = ClickHouse::new(settings).unwrap();
            project(&ledger, &kafka, &project_settings, &shared, &flag).unwrap();
        });
        Running {
            monitor,
            stop,
            thread: Some(thread),
        }
    }

    fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Waits until it is so.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn receipts(count: u64) -> Vec<(Receipt, i32)> {
    (0..count)
        .map(|n| {
            let receipt = plain(&Plain {
                id: u128::from(n),
                agent: Some(format!("agent-{}", n % 3)),
                request: n,
                fails: n % 5 == 0,
                at: n as i64 * 1_000,
            });
            (receipt, START_DAY + (n % 4) as i32)
        })
        .collect()
}

fn totals(ledger: &ClickHouse) -> Vec<(u64, u64)> {
    (0..3)
        .map(|n| {
            let history = ledger.history(&format!("agent-{n}"), Timestamp::from_micros(i64::MAX));
            history.unwrap().totals()
        })
        .collect()
}

/// What [`totals`] must be for that many [`receipts`].
fn expected_totals(count: u64) -> Vec<(u64, u64)> {
    (0..3)
        .map(|agent| {
            let of_agent = || (0..count).filter(move |n| n % 3 == agent);
            let failed = of_agent().filter(|n| n % 5 == 0).count() as u64;
            (of_agent().count() as u64 - failed, failed)
        })
        .collect()
}

fn assert_all_stored(database: &Database, receipts: &[(Receipt, i32)]) {
    let ledger = database.ledger();
    assert_eq!(ledger.len().unwrap(), receipts.len() as u64);
    assert_eq!(totals(&ledger), expected_totals(receipts.len() as u64));
    for (receipt, _) in receipts.iter().step_by(97) {
        assert_eq!(
            ledger.receipt(receipt.response.verification_id).unwrap().as_ref(),
            Some(receipt)
        );
    }
}

/// A run in which the way to the store is faulty for a while; at its end everything is stored.
fn run_with(fault: Fault, times: usize) -> (Database, usize) {
    let (database, topics, way) = (Database::migrated(), Topics::new(2), FaultyWay::new());
    let receipts = receipts(3_000);
    topics.send(&receipts);
    way.set(fault, times);
    let settings = ClickHouseSettings {
        url: way.url.clone(),
        query_timeout: Duration::from_secs(2),
        send_timeout: Duration::from_secs(2),
        insert_timeout: Duration::from_secs(4),
        ..database.settings()
    };
    let running = Running::start(&topics, settings, |_| {});
    wait_for("the last commit", || topics.committed() == 3_000);
    running.end();
    assert_all_stored(&database, &receipts);
    let rows: usize = database.sql("SELECT count() FROM receipts").parse().unwrap();
    topics.letters(0);
    (database, rows)
}

#[test]
fn receipts_are_stored_and_committed() {
    let (_database, rows) = run_with(Fault::None, 0);
    assert_eq!(rows, 3_000);
}

#[test]
fn lost_answers_double_nothing() {
    let (database, rows) = run_with(Fault::AnswerLost, 3);
    assert_eq!(rows, 3_000);
    assert_eq!(database.sql("SELECT count() FROM checks"), "3000");
}

#[test]
fn a_read_only_table_is_waited_for() {
    run_with(
        Fault::Answer(
            500,
            "Code: 242. DB::Exception: Table is in readonly mode. (TABLE_IS_READ_ONLY)",
        ),
        4,
    );
}

#[test]
fn too_many_parts_are_waited_for() {
    run_with(
        Fault::Answer(
            500,
            "Code: 252. DB::Exception: Too many parts (300). Merges are processing slower. (TOO_MANY_PARTS)",
        ),
        4,
    );
}

#[test]
fn closed_connections_are_waited_for() {
    run_with(Fault::Closed, 12);
}

#[test]
fn requests_that_are_cut_are_sent_again() {
    run_with(Fault::RequestCut(20_000), 4);
}

#[test]
fn a_server_that_says_nothing_is_given_up_on_and_asked_again() {
    run_with(Fault::Silent, 3);
}

#[test]
fn an_insert_may_take_longer_than_a_batch_is_collected() {
    run_with(Fault::Slow(Duration::from_millis(1_500)), 5);
}

#[test]
fn a_table_that_is_missing_holds_everything() {
    let (database, topics) = (Database::fresh(), Topics::new(2));
    let receipts = receipts(2_000);
    topics.send(&receipts);
    let running = Running::start(&topics, database.settings(), |_| {});
    wait_for("the alarm", || matches!(running.monitor.state(), State::Held(_)));
    assert_eq!(topics.committed(), 0);
    database.ledger().migrate().unwrap();
    wait_for("the last commit", || topics.committed() == 2_000);
    assert!(!matches!(running.monitor.state(), State::Held(_)));
    running.end();
    assert_all_stored(&database, &receipts);
    topics.letters(0);
}

#[test]
fn a_view_that_fails_leaves_nothing_half_counted() {
    let (database, topics) = (Database::migrated(), Topics::new(1));
    database.sql("RENAME TABLE checks TO elsewhere");
    let receipts = receipts(1_000);
    topics.send(&receipts);
    let running = Running::start(&topics, database.settings(), |_| {});
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(topics.committed(), 0);
    database.sql("RENAME TABLE elsewhere TO checks");
    wait_for("the last commit", || topics.committed() == 1_000);
    running.end();
    assert_all_stored(&database, &receipts);
}

#[test]
fn one_refused_row_is_a_dead_letter_with_its_reason() {
    let (database, topics) = (Database::migrated(), Topics::new(2));
    database.sql("ALTER TABLE receipts ADD CONSTRAINT no_task_77 CHECK task_id != 'task-77'");
    let receipts = receipts(1_000);
    topics.send(&receipts);
    let running = Running::start(&topics, database.settings(), |settings| {
        settings.batch_rows = 10_000
    });
    wait_for("the last commit", || topics.committed() == 1_000);
    running.end();
    assert_eq!(database.ledger().len().unwrap(), 999);
    let letters = topics.letters(1);
    let letter = &letters[0];
    assert_eq!(
        letter.header("__connect.errors.exception.class.name"),
        "refused_by_store"
    );
    assert!(
        letter
            .header("__connect.errors.exception.message")
            .contains("469")
    );
    assert_eq!(letter.header("__connect.errors.topic"), topics.receipts);
    assert_eq!(letter.header("counted-on"), "2026-10-02");
    assert_eq!(letter.header("assay-attempt"), "1");
    let mut wire = Vec::new();
    receipts[77].0.write_wire(&mut wire);
    assert_eq!(letter.value.as_deref(), Some(&wire[..]));
}

#[test]
fn what_is_no_receipt_goes_to_the_dead_letters_and_stops_nothing() {
    let (database, topics) = (Database::migrated(), Topics::new(2));
    let mut wire = Vec::new();
    receipts(1)[0].0.write_wire(&mut wire);
    let poison: Vec<Option<Vec<u8>>> = vec![
        None,
        Some(Vec::new()),
        Some(b"\xff\xfe\x00".to_vec()),
        Some(b"[".repeat(10_000)),
        Some(b"{}".to_vec()),
        Some(b"\xef\xbb\xbf{}".to_vec()),
        Some([&wire[..wire.len() - 1], b",\"more\":1}"].concat()),
        Some([b" ", &wire[..]].concat()),
        Some(wire[..wire.len() / 2].to_vec()),
    ];
    let count = poison.len();
    topics.send_records(
        poison
            .iter()
            .map(|value| (value.clone(), vec![("note", "kept".to_owned())])),
    );
    topics.send(&receipts(500));
    topics.send_records([(Some(wire.clone()), vec![("counted-on", "never".to_owned())])]);
    let running = Running::start(&topics, database.settings(), |_| {});
    wait_for("the last commit", || topics.committed() == 501 + count as i64);
    running.end();
    assert_all_stored(&database, &receipts(500));
    let letters = topics.letters(count + 1);
    for letter in &letters {
        assert_eq!(
            letter.header("__connect.errors.exception.class.name"),
            "not_a_receipt"
        );
        assert!(!letter.header("__connect.errors.exception.message").is_empty());
    }
    assert_eq!(
        letters
            .iter()
            .filter(|letter| letter.header("note") == "kept")
            .count(),
        count
    );
}

#[test]
fn the_whole_topic_once_more_in_other_batches_changes_no_count() {
    let (database, topics) = (Database::migrated(), Topics::new(3));
    let receipts = receipts(3_000);
    topics.send(&receipts);
    for batch_rows in [1_000, 313, 40_000] {
        // Another group begins at the first offset.
        let running = Running::start(&topics, database.settings(), |settings| {
            settings.group = format!("{}-{batch_rows}", topics.group);
            settings.batch_rows = batch_rows;
            settings.until_idle = Some(Duration::from_secs(3));
        });
        wait_for("the end", || running.thread.as_ref().unwrap().is_finished());
        running.end();
        assert_all_stored(&database, &receipts);
    }
}

#[test]
fn two_projectors_share_the_partitions_and_one_may_go() {
    let (database, topics) = (Database::migrated(), Topics::new(4));
    let receipts = receipts(6_000);
    topics.send(&receipts[..3_000]);
    let one = Running::start(&topics, database.settings(), |_| {});
    let two = Running::start(&topics, database.settings(), |_| {});
    wait_for("both at work", || {
        two.monitor.state() != State::Starting && one.monitor.state() != State::Starting
    });
    wait_for("half of the commits", || topics.committed() == 3_000);
    one.end();
    topics.send(&receipts);
    wait_for("the last commit", || topics.committed() == 9_000);
    two.end();
    assert_all_stored(&database, &receipts);
}

#[test]
fn the_command_ends_when_told_though_the_store_is_down_and_loses_nothing() {
    let (database, topics) = (Database::migrated(), Topics::new(2));
    let receipts = receipts(2_000);
    topics.send(&receipts);
    let way = FaultyWay::new();
    way.set(Fault::Silent, usize::MAX);
    let sandbox = Sandbox::new();
    let command = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.envs(database.environment()).envs(topics.environment());
        command
    };
    let mut child = command(&["project", "--drain-seconds", "2", "--clickhouse", &way.url])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(4));
    let asked = Instant::now();
    let id = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .arg(id)
            .status()
            .unwrap()
            .success()
    );
    while child.try_wait().unwrap().is_none() {
        assert!(asked.elapsed() < Duration::from_secs(12), "it does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(topics.committed(), 0);
    let output = command(&["project", "--until-idle", "3"]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(topics.committed(), 2_000);
    assert_all_stored(&database, &receipts);
}

#[test]
fn memory_stays_flat_while_the_store_is_down() {
    let (database, topics) = (Database::migrated(), Topics::new(4));
    let receipts = receipts(60_000);
    for _ in 0..4 {
        topics.send(&receipts);
    }
    let way = FaultyWay::new();
    way.set(Fault::Silent, usize::MAX);
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["project", "--clickhouse", &way.url])
        .envs(database.environment())
        .envs(topics.environment())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut largest = 0;
    for _ in 0..30 {
        std::thread::sleep(Duration::from_millis(500));
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap_or_default();
        let kilobytes: u64 = line
            .split_whitespace()
            .nth(1)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0);
        largest = largest.max(kilobytes);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(largest > 0 && largest < 300 * 1_024, "{largest} kB");
}

#[test]
fn a_new_database_is_rebuilt_and_found_equal_or_not() {
    let (old, new, topics) = (Database::migrated(), Database::fresh(), Topics::new(3));
    let receipts = receipts(2_000);
    topics.send(&receipts);
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.envs(old.environment()).envs(topics.environment());
        let output = command.output().unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), text)
    };
    assert_eq!(run(&["project", "--until-idle", "3"]).0, Some(0));
    let (code, text) = run(&["rebuild", "--into", &new.name]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("equal to") && text.contains("2000 receipts to the byte"),
        "{text}"
    );
    assert_all_stored(&new, &receipts);
    // It is not filled twice.
    let (code, text) = run(&["rebuild", "--into", &new.name]);
    assert_eq!(code, Some(78), "{text}");
    // Whatever was changed in the old one is found.
    old.sql("ALTER TABLE receipts DELETE WHERE task_id = 'task-42' SETTINGS mutations_sync = 2");
    let other = Database::fresh();
    let (code, text) = run(&["rebuild", "--into", &other.name]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("00000000-0000-0000-0000-00000000002a"), "{text}");
}
