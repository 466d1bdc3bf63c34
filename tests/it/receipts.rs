//! Receipts to store: signed, with anything in them.

use std::sync::Arc;

use assay_engine::receipt::{Receipt, Signer};
use assay_engine::response::{Detail, Hashes, Response, ServiceIdentity};
use assay_engine::time::Timestamp;
use assay_engine::verdict::{Tally, Verdict, Violation, Violations};
use proptest::prelude::*;
use uuid::Uuid;

/// 2026-10-01, in microseconds since 1970.
pub(crate) const START_MICROS: i64 = 1_790_812_800_000_000;

/// The day of [`START_MICROS`], since 1970.
pub(crate) const START_DAY: i32 = 20_727;

/// What a plain receipt says.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) id: u128,
    pub(crate) agent: Option<String>,
    pub(crate) request: u64,
    pub(crate) fails: bool,
    /// Microseconds after [`START_MICROS`].
    pub(crate) at: i64,
}

/// The receipt of a minimal request.
pub(crate) fn plain(plain: &Plain) -> Receipt {
    let mut request = [7; 32];
    request[..8].copy_from_slice(&plain.request.to_be_bytes());
    let mut verdict = Verdict {
        schema: Tally {
            passed: 3 - u64::from(plain.fails),
            total: 3,
        },
        ..Verdict::default()
    };
    if plain.fails {
        verdict.schema_violations.add("schema:minimum", || Violation {
            check: "schema:minimum".into(),
            field: "items[2].qty".to_owned(),
            expected: "at least 1".to_owned(),
            found: "0".to_owned(),
            detail: "0 is less than the minimum of 1".to_owned(),
        });
    }
    signed(Response {
        verification_id: Uuid::from_u128(plain.id),
        task_id: format!("task-{}", plain.id),
        agent_id: plain.agent.clone(),
        hashes: Hashes {
            output: [1; 32],
            schema: [2; 32],
            rules: [3; 32],
            request,
        },
        verified_at: Timestamp::from_micros(START_MICROS + plain.at),
        enforce_rules: false,
        strict_content_check: false,
        detail: Detail::Full,
        verdict,
        identity: identity(),
        key_version: "v1".into(),
    })
}

pub(crate) fn identity() -> Arc<ServiceIdentity> {
    Arc::new(ServiceIdentity {
        public_key_url: "https://verifier.example/.well-known/agent-card.json".to_owned(),
        service: "Verifier".to_owned(),
        mcp: "https://verifier.example/mcp".to_owned(),
        verifier_version: "1.0.0".to_owned(),
    })
}

fn signed(response: Response) -> Receipt {
    let signer = Signer::new(&[7; 32], Arc::clone(&response.key_version));
    signer.sign_response(response, &mut Vec::new())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,12}",
        Just(String::new()),
        Just("$".to_owned()),
        Just("' at '': x".to_owned()),
        Just("'\\\0`\n".to_owned()),
        "(?s).{0,60}"
    ]
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        text(),
        "[a-z]{1,4}(\\[[0-9]\\]){0,2}",
        "\\[[0-9]\\]",
        Just("$.a".to_owned())
    ]
}

/// Few, or about as many as a list shows and some more.
fn violations(checks: &'static [&'static str]) -> impl Strategy<Value = Violations> {
    let violation = (prop::sample::select(checks), field(), text(), text(), text()).boxed();
    let many = prop_oneof![3 => 0..5usize, 1 => 95..130usize];
    let listed = many.prop_flat_map(move |count| prop::collection::vec(violation.clone(), count));
    let any = listed.prop_map(|found| {
        let mut list = Violations::default();
        for (check, field, expected, found, detail) in found {
            list.add(check, || Violation {
                check: check.into(),
                field,
                expected,
                found,
                detail,
            });
        }
        list
    });
    prop_oneof![1 => Just(Violations::default()), 2 => any]
}

/// A receipt with anything in it, and the day on which it counts.
pub(crate) fn arbitrary() -> impl Strategy<Value = (Receipt, i32)> {
    let tally = || {
        (0..1u64 << 52, 0..1u64 << 52).prop_map(|(a, b)| Tally {
            passed: a.min(b),
            total: a.max(b),
        })
    };
    let verdict = (
        tally(),
        tally(),
        violations(&["schema:minimum", "schema:type"]),
        violations(&["content:empty_text", "content:repeated_items"]),
        violations(&["consistency:gte", "consistency:unique", "bounds:range"]),
    );
    let names = (
        any::<u128>(),
        text(),
        prop::option::of(text()),
        any::<[[u8; 32]; 4]>(),
        text(),
    );
    let days = prop_oneof![-719_162..2_932_000i32, START_DAY..START_DAY + 9];
    let settings = (any::<[bool; 3]>(), any::<i64>(), days, text());
    (verdict, names, settings).prop_map(|(verdict, names, settings)| {
        let (schema, integrity, schema_violations, content_violations, rule_violations) = verdict;
        let (id, task_id, agent_id, [output, of_schema, rules, request], key_version) = names;
        let ([enforce_rules, strict_content_check, is_full], micros, day, service) = settings;
        let receipt = signed(Response {
            verification_id: Uuid::from_u128(id),
            task_id,
            agent_id,
            hashes: Hashes {
                output,
                schema: of_schema,
                rules,
                request,
            },
            verified_at: Timestamp::from_micros(micros),
            enforce_rules,
            strict_content_check,
            detail: if is_full { Detail::Full } else { Detail::Compact },
            verdict: Verdict {
                schema,
                integrity,
                schema_violations,
                content_violations,
                rule_violations,
            },
            identity: Arc::new(ServiceIdentity {
                service,
                ..identity().as_ref().clone()
            }),
            key_version: key_version.into(),
        });
        (receipt, day)
    })
}
