//! Receipts to record: plain ones by number, and arbitrary ones.

use std::path::PathBuf;
use std::sync::Arc;

use assay_engine::receipt::{Receipt, Signer};
use assay_engine::response::{Detail, Hashes, Response, ServiceIdentity};
use assay_engine::time::Timestamp;
use assay_engine::verdict::{CheckName, Tally, Verdict, Violation, Violations};
use assay_ledger::Ledger;
use proptest::prelude::*;
use tempfile::TempDir;
use uuid::Uuid;

/// 2026-10-01, in microseconds since 1970.
pub(crate) const START_MICROS: i64 = 1_790_812_800_000_000;

pub(crate) struct Fixture {
    folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        Fixture {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("ledger.sqlite3")
    }

    pub(crate) fn open(&self) -> Ledger {
        Ledger::open(self.path()).unwrap()
    }
}

fn identity() -> Arc<ServiceIdentity> {
    Arc::new(ServiceIdentity {
        public_key_url: "https://verifier.example/.well-known/agent-card.json".to_owned(),
        service: "Verifier".to_owned(),
        mcp: "https://verifier.example/mcp".to_owned(),
        verifier_version: "1.0.0".to_owned(),
    })
}

/// A receipt of its own for each number, of one of two agents; every third fails.
pub(crate) fn receipt(number: u64) -> Receipt {
    let byte = |salt: u8| (number as u8) ^ salt;
    let mut request = [0; 32];
    request[..8].copy_from_slice(&number.to_be_bytes());
    let mut verdict = Verdict {
        schema: Tally {
            passed: 22,
            total: 22,
        },
        ..Verdict::default()
    };
    if number.is_multiple_of(3) {
        verdict.schema_violations.add("schema:minimum", || Violation {
            check: "schema:minimum".into(),
            field: format!("items[{number}].qty"),
            expected: "at least 1".to_owned(),
            found: "0".to_owned(),
            detail: "0 is less than the minimum of 1".to_owned(),
        });
    }
    Receipt {
        response: Response {
            verification_id: Uuid::from_u128(0xa5a5 << 112 | u128::from(number)),
            task_id: format!("task-{number}"),
            agent_id: Some(agent(number).to_owned()),
            hashes: Hashes {
                output: [byte(1); 32],
                schema: [2; 32],
                rules: [3; 32],
                request,
            },
            verified_at: Timestamp::from_micros(START_MICROS + number as i64 * 100),
            enforce_rules: false,
            strict_content_check: false,
            detail: Detail::Full,
            verdict,
            identity: identity(),
            key_version: "v1-2026-10".into(),
        },
        signature: [byte(4); 64],
    }
}

/// The agent of the receipt with that number.
pub(crate) fn agent(number: u64) -> &'static str {
    if number.is_multiple_of(2) { "even" } else { "odd" }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,12}",
        Just(String::new()),
        Just("same".to_owned()),
        "(?s).{0,300}"
    ]
}

fn digest() -> impl Strategy<Value = [u8; 32]> {
    prop_oneof![Just([7; 32]), any::<[u8; 32]>()]
}

fn tally() -> impl Strategy<Value = Tally> {
    (0..1u64 << 53, 0..1u64 << 53).prop_map(|(passed, total)| Tally { passed, total })
}

fn violations() -> impl Strategy<Value = Violations> {
    let check = || {
        prop_oneof![
            Just(CheckName::Borrowed("schema:minimum")),
            text().prop_map(CheckName::Owned)
        ]
    };
    let violation =
        (check(), text(), text(), text(), text()).prop_map(|(check, field, expected, found, detail)| {
            Violation {
                check,
                field,
                expected,
                found,
                detail,
            }
        });
    let any = (
        prop::collection::vec(violation, 0..5),
        0..1u64 << 40,
        prop::collection::vec(check(), 0..3),
    )
        .prop_map(|(entries, total, checks)| Violations {
            entries,
            total,
            checks: checks.into(),
        });
    prop_oneof![2 => Just(Violations::default()), 1 => any]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    (tally(), tally(), violations(), violations(), violations()).prop_map(
        |(schema, integrity, schema_violations, content_violations, rule_violations)| Verdict {
            schema,
            integrity,
            schema_violations,
            content_violations,
            rule_violations,
        },
    )
}

fn hashes() -> impl Strategy<Value = Hashes> {
    (digest(), digest(), digest(), digest()).prop_map(|(output, schema, rules, request)| Hashes {
        output,
        schema,
        rules,
        request,
    })
}

/// A response with anything in it, signed.
pub(crate) fn arbitrary() -> impl Strategy<Value = Receipt> {
    let ids = (
        any::<u128>(),
        text(),
        prop::option::of(text()),
        prop::option::of((text(), text())),
    );
    let settings = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<i64>(),
        any::<u8>(),
    );
    (ids, settings, hashes(), verdict()).prop_map(|(ids, settings, hashes, verdict)| {
        let (id, task_id, agent_id, other_service) = ids;
        let (enforce_rules, strict_content_check, is_compact, micros, key) = settings;
        let identity = match other_service {
            None => identity(),
            Some((service, mcp)) => Arc::new(ServiceIdentity {
                service,
                mcp,
                ..ServiceIdentity::clone(&identity())
            }),
        };
        let signer = Signer::new(&[key; 32], format!("v{}", key % 3));
        let response = Response {
            verification_id: Uuid::from_u128(id),
            task_id,
            agent_id,
            hashes,
            verified_at: Timestamp::from_micros(micros),
            enforce_rules,
            strict_content_check,
            detail: if is_compact { Detail::Compact } else { Detail::Full },
            verdict,
            identity,
            key_version: signer.key_version(),
        };
        signer.sign_response(response, &mut Vec::new())
    })
}
