//! The ledger in ClickHouse: it answers what the embedded one answers, whatever is stored again and however.

use std::num::NonZeroU32;
use std::sync::Arc;

use assay_engine::receipt::{Receipt, Signer, write_signed_bytes};
use assay_engine::score::{DEFAULT_HALF_LIFE_DAYS, Score};
use assay_engine::time::Timestamp;
use assay_ledger::clickhouse::{
    ClickHouse, ClickHouseError, ClickHouseSettings, Difference, FaultClass, Origin, ReceiptRow, batch_token,
};
use assay_ledger::{DataFolder, Entry, Ledger};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::command::Sandbox;
use crate::database::Database;
use crate::receipts::{Plain, START_DAY, START_MICROS, arbitrary, identity, plain};

const DAY_MICROS: i64 = 86_400_000_000;

/// Agents whose names try what can go wrong with names.
const AGENTS: [Option<&str>; 7] = [
    None,
    Some("a"),
    Some("A"),
    Some("агент ü \u{1f916}"),
    Some("it's\\`\n\0"),
    Some("test-agent"),
    Some(""),
];

fn wire(receipt: &Receipt) -> String {
    let mut out = Vec::new();
    receipt.write_wire(&mut out);
    write_signed_bytes(&receipt.response, &mut out);
    String::from_utf8(out).unwrap()
}

fn rows(receipts: &[(Receipt, i32)]) -> Vec<ReceiptRow> {
    receipts
        .iter()
        .map(|(receipt, day)| {
            // A record of a topic has its id from its place, so an id that comes again comes from the same place.
            let origin = Origin {
                topic: "deliverables".into(),
                partition: 0,
                offset: (receipt.response.verification_id.as_u128() & 0xff) as i64,
            };
            ReceiptRow::new(receipt, *day, Some(&origin), None)
        })
        .collect()
}

fn insert(ledger: &ClickHouse, receipts: &[(Receipt, i32)]) {
    let rows = rows(receipts);
    ledger.insert(&rows, &batch_token(&rows)).unwrap();
}

fn record(ledger: &mut Ledger, receipts: &[(Receipt, i32)]) {
    let entries = receipts.iter().map(|(receipt, day)| Entry { receipt, day: *day });
    ledger.record_batch(entries).unwrap();
}

/// Every answer about an agent at a time, as it is sent.
fn answers(history: &assay_engine::score::History, agent: &str, as_of: Timestamp) -> String {
    let mut out = Vec::new();
    assay_engine::score::Reputation::compute(agent, history, as_of).write_wire(&mut out);
    let signer = Signer::new(&[7; 32], "v1");
    for half_life in [DEFAULT_HALF_LIFE_DAYS, NonZeroU32::MIN] {
        let version = signer.key_version();
        Score::compute(agent, history, half_life, as_of, identity(), version)
            .sign(&signer, &mut Vec::new())
            .write_wire(&mut out);
    }
    String::from_utf8(out).unwrap()
}

fn assert_same_answers(embedded: &Ledger, cluster: &ClickHouse, receipts: &[(Receipt, i32)]) {
    assert_eq!(embedded.len().unwrap(), cluster.len().unwrap());
    for (receipt, _) in receipts {
        let id = receipt.response.verification_id;
        let expected = embedded.receipt(id).unwrap().unwrap();
        assert_eq!(wire(&cluster.receipt(id).unwrap().unwrap()), wire(&expected));
    }
    // Long ago, in the midst of it, and now.
    let times = [-1, 3, 400].map(|quarters| START_MICROS + quarters * DAY_MICROS / 4);
    for agent in AGENTS.into_iter().flatten().chain(["nobody"]) {
        for as_of in times.into_iter().map(Timestamp::from_micros) {
            let expected = embedded.history(agent, as_of).unwrap();
            let found = cluster.history(agent, as_of).unwrap();
            assert_eq!(found, expected, "{agent:?} at {as_of}");
            assert_eq!(answers(&found, agent, as_of), answers(&expected, agent, as_of));
        }
    }
}

/// Agent, id, request, day after the start, whether it fails.
type Choice = (usize, u8, u8, i32, bool);

fn batches() -> impl Strategy<Value = Vec<Vec<Choice>>> {
    let receipt = (0..AGENTS.len(), 0..30u8, 0..12u8, 0..4i32, any::<bool>());
    prop::collection::vec(prop::collection::vec(receipt, 1..40), 1..4)
}

#[test]
fn both_ledgers_answer_the_same_to_the_last_digit() {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(4));
    runner
        .run(&batches(), |batches| {
            let folder = tempfile::tempdir().unwrap();
            let mut embedded = Ledger::open(folder.path().join("ledger.sqlite3")).unwrap();
            let database = Database::migrated();
            let cluster = database.ledger();
            let mut all = Vec::new();
            // Half an hour apart, over some days.
            let mut moments = (0..).map(|n: i64| n * 1_800_000_001);
            for batch in &batches {
                let receipts: Vec<(Receipt, i32)> = batch
                    .iter()
                    .map(|(agent, id, request, day, fails)| {
                        let receipt = plain(&Plain {
                            id: u128::from(*id),
                            agent: AGENTS[*agent].map(str::to_owned),
                            request: u64::from(*request),
                            fails: *fails,
                            // Whatever is verified again is verified later.
                            at: moments.next().unwrap(),
                        });
                        (receipt, START_DAY + day)
                    })
                    .collect();
                record(&mut embedded, &receipts);
                insert(&cluster, &receipts);
                all.extend(receipts);
            }
            assert_same_answers(&embedded, &cluster, &all);
            // Everything once more, from the start and cut otherwise: a projector that lost its offsets.
            for batch in all.chunks(7) {
                insert(&cluster, batch);
            }
            assert_same_answers(&embedded, &cluster, &all);
            // Once more by another projector, which has not seen any of it; then merged.
            let another = database.ledger();
            insert(&another, &all);
            database.sql("OPTIMIZE TABLE receipts FINAL");
            database.sql("OPTIMIZE TABLE checks FINAL");
            assert_same_answers(&embedded, &another, &all);
            Ok(())
        })
        .unwrap();
}

#[test]
fn receipts_with_anything_in_them_come_back_to_the_byte() {
    let database = Database::migrated();
    let cluster = database.ledger();
    let mut runner = TestRunner::new(ProptestConfig::with_cases(8));
    runner
        .run(&prop::collection::vec(arbitrary(), 1..12), |receipts| {
            insert(&cluster, &receipts);
            for (receipt, _) in &receipts {
                let found = cluster
                    .receipt(receipt.response.verification_id)
                    .unwrap()
                    .unwrap();
                assert_eq!(found, *receipt);
                assert_eq!(wire(&found), wire(receipt));
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(cluster.receipt(uuid::Uuid::from_u128(1)).unwrap(), None);
}

#[test]
fn days_of_poison_count_and_stop_nothing() {
    let database = Database::migrated();
    let cluster = database.ledger();
    // A producer may claim any time: every month of 130 years, and the ends of time.
    let mut days: Vec<i32> = (0..1_560).map(|month| month * 30).collect();
    days.extend([-719_162, 2_932_000, -1]);
    let receipts: Vec<(Receipt, i32)> = days
        .iter()
        .enumerate()
        .map(|(number, day)| (receipt(number as u64, "agent", false), *day))
        .collect();
    insert(&cluster, &receipts);
    let history = cluster
        .history("agent", Timestamp::from_micros(i64::MAX))
        .unwrap();
    let mut counted: Vec<i32> = history.days.iter().map(|count| count.day).collect();
    counted.sort_unstable();
    days.sort_unstable();
    assert_eq!(counted, days);
    assert_eq!(database.sql("SELECT count() FROM system.parts WHERE database = currentDatabase() AND table = 'receipts' AND active"), "1");
}

fn receipt(number: u64, agent: &str, fails: bool) -> Receipt {
    plain(&Plain {
        id: u128::from(number),
        agent: Some(agent.to_owned()),
        request: number,
        fails,
        at: number as i64,
    })
}

#[test]
fn the_same_rows_under_their_token_are_stored_once() {
    let database = Database::migrated();
    let cluster = database.ledger();
    let receipts: Vec<(Receipt, i32)> = (0..100)
        .map(|n| (receipt(n, "agent", false), START_DAY))
        .collect();
    let rows = rows(&receipts);
    for _ in 0..3 {
        cluster.insert(&rows, &batch_token(&rows)).unwrap();
    }
    assert_eq!(database.sql("SELECT count() FROM receipts"), "100");
    assert_eq!(database.sql("SELECT count() FROM checks"), "100");
    // Other rows have another token, so nothing of them is taken for those.
    let others: Vec<(Receipt, i32)> = (100..200)
        .map(|n| (receipt(n, "agent", false), START_DAY))
        .collect();
    insert(&cluster, &others);
    assert_eq!(database.sql("SELECT count() FROM receipts"), "200");
}

#[test]
fn a_receipt_of_two_months_is_there_once() {
    let database = Database::migrated();
    let cluster = database.ledger();
    let first = plain(&Plain {
        id: 5,
        agent: Some("agent".to_owned()),
        request: 1,
        fails: true,
        at: 0,
    });
    let second = plain(&Plain {
        id: 5,
        agent: Some("agent".to_owned()),
        request: 1,
        fails: false,
        at: 40 * DAY_MICROS,
    });
    insert(&cluster, &[(first, START_DAY)]);
    insert(&cluster, &[(second.clone(), START_DAY + 40)]);
    assert_eq!(cluster.len().unwrap(), 1);
    assert_eq!(
        cluster.receipt(second.response.verification_id).unwrap(),
        Some(second)
    );
    let history = cluster
        .history("agent", Timestamp::from_micros(i64::MAX))
        .unwrap();
    assert_eq!(history.totals(), (1, 0));
    assert_eq!(history.days.len(), 1);
    assert_eq!(history.days[0].day, START_DAY + 40);
}

#[test]
fn migrations_are_applied_once_by_however_many() {
    let database = Database::fresh();
    let missing = database.ledger().check_schema().unwrap_err();
    assert!(
        matches!(missing, ClickHouseError::OldSchema { found: 0, .. }),
        "{missing}"
    );
    assert_eq!(missing.class(), FaultClass::Configuration);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| database.ledger().migrate().unwrap());
        }
    });
    let report = database.ledger().migrate().unwrap();
    assert!(report.applied.is_empty());
    database.ledger().check_schema().unwrap();
    assert_eq!(database.sql("SELECT count() FROM migrations FINAL"), "1");
}

#[test]
fn a_schema_of_another_program_is_refused() {
    let database = Database::migrated();
    database.sql("INSERT INTO migrations SELECT 99, 'later', 'abc', 'later', now()");
    for error in [
        database.ledger().check_schema().unwrap_err(),
        database.ledger().migrate().unwrap_err(),
    ] {
        assert!(
            matches!(error, ClickHouseError::NewerSchema { found: 99, .. }),
            "{error}"
        );
    }
    let database = Database::migrated();
    database.sql("INSERT INTO migrations SELECT 1, 'receipts', 'abc', 'another', now()");
    for error in [
        database.ledger().check_schema().unwrap_err(),
        database.ledger().migrate().unwrap_err(),
    ] {
        assert!(
            matches!(error, ClickHouseError::AlteredMigration { number: 1, .. }),
            "{error}"
        );
    }
}

#[test]
fn retention_is_a_setting_that_can_change() {
    let database = Database::migrated();
    let engine = || {
        database.sql(
            "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'receipts'",
        )
    };
    assert!(!engine().contains("TTL"));
    for days in [30, 3, 0, 0] {
        let settings = ClickHouseSettings {
            retention_days: days,
            ..database.settings()
        };
        ClickHouse::new(settings).unwrap().migrate().unwrap();
        assert_eq!(engine().contains("TTL"), days > 0);
        assert!(days == 0 || engine().contains(&format!("toIntervalDay({days})")));
    }
}

#[test]
fn receipts_go_after_their_time_and_reputation_stays() {
    let database = Database::migrated();
    let settings = ClickHouseSettings {
        retention_days: 7,
        ..database.settings()
    };
    let cluster = ClickHouse::new(settings).unwrap();
    cluster.migrate().unwrap();
    let old = plain(&Plain {
        id: 1,
        agent: Some("agent".to_owned()),
        request: 1,
        fails: false,
        at: -400 * DAY_MICROS,
    });
    insert(&cluster, &[(old.clone(), START_DAY)]);
    database.sql("OPTIMIZE TABLE receipts FINAL");
    assert_eq!(cluster.receipt(old.response.verification_id).unwrap(), None);
    let history = cluster
        .history("agent", Timestamp::from_micros(i64::MAX))
        .unwrap();
    assert_eq!(history.totals(), (1, 0));
}

#[test]
fn a_comparison_finds_what_differs() {
    let (one, two) = (Database::migrated(), Database::migrated());
    let receipts: Vec<(Receipt, i32)> = (0..300)
        .map(|n| {
            (
                receipt(n, if n % 2 == 0 { "even" } else { "odd" }, n % 5 == 0),
                START_DAY,
            )
        })
        .collect();
    insert(&one.ledger(), &receipts);
    for batch in receipts.chunks(77) {
        insert(&two.ledger(), batch);
    }
    let equal = one.ledger().compare(&two.ledger()).unwrap();
    assert!(equal.is_equal && equal.differences.is_empty());
    assert_eq!((equal.receipts, equal.agents), ([300, 300], [2, 2]));
    // One more receipt, which counts.
    insert(&two.ledger(), &[(receipt(300, "odd", false), START_DAY)]);
    let unequal = one.ledger().compare(&two.ledger()).unwrap();
    assert!(!unequal.is_equal);
    assert_eq!(
        unequal.differences,
        [
            Difference::Receipt("00000000-0000-0000-0000-00000000012c".to_owned()),
            Difference::Agent("odd".to_owned())
        ]
    );
}

#[test]
fn a_server_that_is_not_there_is_a_passing_fault() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let settings = ClickHouseSettings {
        url: format!("http://{closed}"),
        ..ClickHouseSettings::default()
    };
    let error = ClickHouse::new(settings).unwrap().ping().unwrap_err();
    assert_eq!(error.class(), FaultClass::Transient);
    for url in ["localhost:8123", "ftp://x", ""] {
        let settings = ClickHouseSettings {
            url: url.to_owned(),
            ..ClickHouseSettings::default()
        };
        assert!(matches!(
            ClickHouse::new(settings),
            Err(ClickHouseError::Settings(_))
        ));
    }
}

#[test]
fn a_server_that_says_nothing_hangs_nobody() {
    // The system takes the connection, and nobody ever reads from it.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let limit = std::time::Duration::from_millis(700);
    let settings = ClickHouseSettings {
        url: format!("http://{}", silent.local_addr().unwrap()),
        query_timeout: limit,
        send_timeout: limit,
        insert_timeout: limit,
        ..ClickHouseSettings::default()
    };
    let began = std::time::Instant::now();
    let cluster = ClickHouse::new(settings).unwrap();
    assert_eq!(cluster.ping().unwrap_err().class(), FaultClass::Transient);
    let rows = rows(&[(receipt(1, "agent", false), START_DAY)]);
    let error = cluster.insert(&rows, &batch_token(&rows)).unwrap_err();
    assert_eq!(error.class(), FaultClass::Transient);
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
}

#[test]
fn the_commands_read_either_ledger() {
    let database = Database::migrated();
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..20)
        .map(|n| {
            crate::command::invoice(
                &format!("t{n}"),
                "agent",
                if n % 4 == 0 { "1.0" } else { "129.5" },
            )
        })
        .collect();
    sandbox.write("in.ndjson", lines.join("\n"));
    let output = sandbox.expect(1, &["verify", "--quiet", "in.ndjson"]);
    let folder = DataFolder::open(sandbox.path("data")).unwrap();
    let embedded = folder.ledger().unwrap();
    let receipts: Vec<(Receipt, i32)> = output
        .lines()
        .map(|line| {
            let receipt = assay_engine::wire::WireReader::default()
                .read(line.as_bytes(), &assay_engine::wire::Unsaid::default())
                .unwrap();
            let day = receipt.response.verified_at.day();
            assert_eq!(
                embedded
                    .receipt(receipt.response.verification_id)
                    .unwrap()
                    .map(|known| wire(&known)),
                Some(wire(&receipt))
            );
            (receipt, day)
        })
        .collect();
    insert(&database.ledger(), &receipts);
    let run = |arguments: &[&str], kind: &str| {
        let mut command = sandbox.command(arguments);
        command
            .env("ASSAY_LEDGER__KIND", kind)
            .envs(database.environment());
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let id = receipts[3].0.response.verification_id.to_string();
    for arguments in [
        &["score", "agent", "--as-of", "2030-01-01T00:00:00Z"][..],
        &["receipt", "show", &id],
    ] {
        assert_eq!(run(arguments, "embedded"), run(arguments, "clickhouse"));
    }
    let counts = |kind: &str| {
        let reputation = run(&["reputation", "agent"], kind);
        let (before, _) = reputation.split_once("\"computed_at\"").unwrap();
        before.to_owned()
    };
    assert_eq!(counts("embedded"), counts("clickhouse"));
}

#[test]
fn many_threads_may_ask_at_once() {
    let database = Database::migrated();
    let cluster = Arc::new(database.ledger());
    let receipts: Vec<(Receipt, i32)> = (0..50).map(|n| (receipt(n, "agent", false), START_DAY)).collect();
    insert(&cluster, &receipts);
    std::thread::scope(|scope| {
        for (receipt, _) in receipts.iter().step_by(10) {
            let cluster = &cluster;
            scope.spawn(move || {
                let id = receipt.response.verification_id;
                assert_eq!(cluster.receipt(id).unwrap().as_ref(), Some(receipt));
            });
        }
    });
}
