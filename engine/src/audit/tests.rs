//! Receipts as published, receipts altered in every way, and receipts of a verifier that lies.

use serde_json::{Value as Json, json};

use super::*;
use crate::json::write_canonical;
use crate::receipt::{SCORE_CONTEXT, Signer, VERIFICATION_CONTEXT};

const KEY: &str = include_str!("../../../schemas/vectors/key.json");
const DRAFT_REQUEST: &str = include_str!("../../../schemas/vectors/invoice-draft.request.json");
const DRAFT_RECEIPT: &str = include_str!("../../../schemas/vectors/invoice-draft.response.json");
const FINAL_REQUEST: &str = include_str!("../../../schemas/vectors/invoice-final.request.json");
const FINAL_RECEIPT: &str = include_str!("../../../schemas/vectors/invoice-final.response.json");

fn published() -> Auditor {
    Auditor::new(PublicKeys::parse(KEY.as_bytes()).unwrap())
}

fn audit(auditor: &mut Auditor, receipt: &str, request: Option<&str>) -> Report {
    auditor
        .audit(receipt.as_bytes(), request.map(str::as_bytes))
        .unwrap()
}

fn with_standing(report: &Report, standing: Standing) -> Vec<&'static str> {
    report
        .findings
        .iter()
        .filter(|finding| finding.standing == standing)
        .map(|finding| finding.name)
        .collect()
}

fn broken(report: &Report) -> Vec<&'static str> {
    with_standing(report, Standing::Broken)
}

/// The text of a JSON document with the value at a pointer replaced, or taken out where there is no new one.
fn changed(text: &str, pointer: &str, value: Option<Json>) -> String {
    let mut document: Json = serde_json::from_str(text).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => parent.insert(key.to_owned(), value),
        None => parent.remove(key),
    };
    document.to_string()
}

/// Another verifier, with a key of its own.
struct OtherVerifier {
    signer: Signer,
}

impl OtherVerifier {
    const VERSION: &str = "other-1";

    fn new() -> OtherVerifier {
        OtherVerifier {
            signer: Signer::new(&[7; 32], Self::VERSION),
        }
    }

    fn key(&self) -> Json {
        use base64::Engine as _;
        let key = base64::engine::general_purpose::STANDARD.encode(self.signer.public_key());
        json!({"keyVersion": Self::VERSION, "algorithm": "Ed25519", "publicKey": key, "publicKeyEncoding": "base64"})
    }

    fn auditor(&self) -> Auditor {
        Auditor::new(PublicKeys::parse(self.key().to_string().as_bytes()).unwrap())
    }

    /// Signs whatever it is given. The signed bytes are written as one envelope, in another way than the audit does it.
    fn sign(&self, document: &str, context: &str) -> String {
        let mut document: Json = serde_json::from_str(document).unwrap();
        let members = document.as_object_mut().unwrap();
        members.remove("attestation");
        if let Some(verify) = members.get_mut("verify") {
            verify["key_version"] = json!(Self::VERSION);
        }
        let time = members
            .get("verified_at")
            .or(members.get("computed_at"))
            .unwrap()
            .clone();
        let envelope = json!({
            "context": context,
            "algorithm": "Ed25519",
            "key_version": Self::VERSION,
            "attested_at": time,
            "response": &document,
        });
        let mut parsed = Document::new();
        Parser::default()
            .parse(envelope.to_string().as_bytes(), &mut parsed)
            .unwrap();
        let mut bytes = Vec::new();
        write_canonical(parsed.root(), &mut bytes);
        use base64::Engine as _;
        let signature = base64::engine::general_purpose::STANDARD.encode(self.signer.sign(&bytes));
        document["attestation"] = json!({
            "algorithm": "Ed25519",
            "key_version": Self::VERSION,
            "timestamp": time,
            "signature": signature,
        });
        document.to_string()
    }
}

#[test]
fn the_published_receipts_hold_with_and_without_their_requests() {
    let mut auditor = published();
    for (receipt, request) in [(DRAFT_RECEIPT, DRAFT_REQUEST), (FINAL_RECEIPT, FINAL_REQUEST)] {
        let alone = audit(&mut auditor, receipt, None);
        assert!(alone.holds(), "{alone:?}");
        assert_eq!(with_standing(&alone, Standing::Skipped), ["request"]);
        let with_request = audit(&mut auditor, receipt, Some(request));
        assert!(with_request.holds(), "{with_request:?}");
    }
    let full = audit(&mut auditor, DRAFT_RECEIPT, Some(DRAFT_REQUEST));
    assert_eq!(with_standing(&full, Standing::Skipped), [""; 0]);
    assert_eq!(
        full.finding("texts").unwrap().words,
        "All texts come out the same."
    );
    assert_eq!(
        full.finding("counts").unwrap().words,
        "Counted again, 29 of 30 checks held."
    );
    assert!(full.finding("key").unwrap().words.contains("v1-2026-09c"));
    assert!(
        full.finding("key")
            .unwrap()
            .words
            .contains("d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=")
    );
    assert_eq!(full.id.as_deref(), Some("28afb453-7c39-4993-a9c4-fcade1b7924f"));
    let compact = audit(&mut auditor, FINAL_RECEIPT, Some(FINAL_REQUEST));
    assert_eq!(
        with_standing(&compact, Standing::Skipped),
        ["request_hash", "counts", "texts"]
    );
}

#[test]
fn the_layout_of_a_receipt_does_not_matter() {
    let value: Json = serde_json::from_str(DRAFT_RECEIPT).unwrap();
    for text in [
        value.to_string(),
        serde_json::to_string_pretty(&value).unwrap(),
        format!("\r\n\t{value} \n"),
    ] {
        assert!(audit(&mut published(), &text, Some(DRAFT_REQUEST)).holds());
    }
}

#[test]
fn no_bit_of_a_receipt_can_be_changed_unnoticed() {
    let mut auditor = published();
    for receipt in [DRAFT_RECEIPT, FINAL_RECEIPT] {
        let text = serde_json::from_str::<Json>(receipt)
            .unwrap()
            .to_string()
            .into_bytes();
        for at in 0..text.len() {
            for bit in [0x01, 0x20, 0x80] {
                let mut altered = text.clone();
                altered[at] ^= bit;
                if let Ok(report) = auditor.audit(&altered, None) {
                    assert!(
                        !broken(&report).is_empty(),
                        "{}",
                        String::from_utf8_lossy(&altered)
                    );
                }
            }
        }
    }
}

#[test]
fn what_was_altered_in_a_receipt_is_named() {
    let cases = [
        ("/result", Some(json!("pass")), vec!["signature", "consistency"]),
        (
            "/verification_id",
            Some(json!("28afb453-7c39-4993-a9c4-fcade1b7924e")),
            vec!["signature"],
        ),
        ("/agent_id", Some(json!("another")), vec!["signature"]),
        ("/hints_total", None, vec!["signature", "consistency"]),
        (
            "/schema_compliance/passed",
            Some(json!(21)),
            vec!["signature", "consistency"],
        ),
        ("/further", Some(json!(1)), vec!["signature"]),
        (
            "/verified_at",
            Some(json!("2026-10-01T01:01:09.606994+00:00")),
            vec!["signature", "time"],
        ),
        (
            "/verify/key_version",
            Some(json!("v2")),
            vec!["signature", "key_version"],
        ),
        ("/verify", None, vec!["signature", "key_version"]),
        ("/attestation", None, vec!["attestation"]),
        ("/attestation", Some(json!("signed")), vec!["attestation"]),
        (
            "/attestation/algorithm",
            Some(json!("ed25519")),
            vec!["attestation"],
        ),
        ("/attestation/further", Some(json!(1)), vec!["attestation"]),
        (
            "/attestation/key_version",
            Some(json!("v2")),
            vec!["key", "key_version"],
        ),
        (
            "/attestation/timestamp",
            Some(json!("2026-10-01T01:01:09.606993Z")),
            vec!["attestation"],
        ),
        (
            "/attestation/timestamp",
            Some(json!("2026-10-01T01:01:09.606994+00:00")),
            vec!["signature", "time"],
        ),
        (
            "/attestation/signature",
            Some(json!("8UexIA==")),
            vec!["attestation"],
        ),
        ("/attestation/signature", None, vec!["attestation"]),
        (
            "/attestation/signature",
            Some(json!(
                "8UexIObSAwQxjj8/rbEpLRgbYY6XO+wg5+b0D8I3BRfbOxl+ouwcKNPE/hp+9p37Tm2wwdmCqPjBgOMLGQtGAA=="
            )),
            vec!["signature"],
        ),
    ];
    let mut auditor = published();
    for (pointer, value, expected) in cases {
        let report = audit(
            &mut auditor,
            &changed(DRAFT_RECEIPT, pointer, value.clone()),
            None,
        );
        assert_eq!(broken(&report), expected, "{pointer} {value:?}");
    }
}

#[test]
fn what_was_altered_in_the_request_is_named() {
    let cases = [
        (
            "/submitted_output/total",
            Some(json!(129.5)),
            vec!["output_hash", "request_hash"],
        ),
        (
            "/submitted_output/note",
            Some(json!(null)),
            vec!["output_hash", "request_hash"],
        ),
        (
            "/expected_schema/title",
            Some(json!("Invoice")),
            vec!["schema_hash", "request_hash"],
        ),
        ("/rules", Some(json!([])), vec!["rules_hash", "request_hash"]),
        ("/rules", None, vec!["rules_hash", "request_hash"]),
        (
            "/bounds",
            Some(json!({"total": {"min": 0}})),
            vec!["rules_hash", "request_hash"],
        ),
        (
            "/task_id",
            Some(json!("another")),
            vec!["task_id", "request_hash"],
        ),
        ("/agent_id", None, vec!["agent_id", "request_hash"]),
        (
            "/enforce_rules",
            Some(json!(false)),
            vec!["enforce_rules", "request_hash"],
        ),
        ("/enforce_rules", None, vec!["enforce_rules", "request_hash"]),
        (
            "/strict_content_check",
            Some(json!(true)),
            vec!["strict_content_check", "request_hash"],
        ),
    ];
    let mut auditor = published();
    for (pointer, value, expected) in cases {
        let request = changed(DRAFT_REQUEST, pointer, value);
        let report = audit(&mut auditor, DRAFT_RECEIPT, Some(&request));
        assert_eq!(broken(&report), expected, "{pointer}");
        assert_eq!(
            with_standing(&report, Standing::Skipped),
            ["result", "blocking_checks", "counts", "texts"]
        );
        // Nobody is accused of a wrong verdict on another request.
        assert_eq!(report.finding("signature").unwrap().standing, Standing::Holds);
    }
    // What means the same is the same: a default written out, and the detail, which no hash covers.
    for (pointer, value) in [
        ("/strict_content_check", json!(null)),
        ("/strict_content_check", json!(false)),
        ("/bounds", json!(null)),
        ("/detail", json!("compact")),
    ] {
        let request = changed(DRAFT_REQUEST, pointer, Some(value));
        let report = audit(&mut auditor, DRAFT_RECEIPT, Some(&request));
        assert!(report.holds(), "{pointer}: {report:?}");
    }
}

#[test]
fn a_request_that_cannot_be_checked_again_leaves_the_verdict_open() {
    let mut auditor = published();
    // Not allowed, and not the request of the receipt either.
    let request = changed(DRAFT_REQUEST, "/expected_schema/type", Some(json!("invoice")));
    let report = audit(&mut auditor, DRAFT_RECEIPT, Some(&request));
    assert_eq!(broken(&report), ["schema_hash"]);
    assert_eq!(with_standing(&report, Standing::Undecided), ["request"]);
    // A verifier that takes further fields leaves them out of its hashes, as far as anybody here can know.
    let request = changed(DRAFT_REQUEST, "/priority", Some(json!(1)));
    let report = audit(&mut auditor, DRAFT_RECEIPT, Some(&request));
    assert_eq!(with_standing(&report, Standing::Undecided), ["request", "result"]);
    assert_eq!(report.conclusion(), Conclusion::Undecided);
    assert!(!report.holds());
    assert!(
        report
            .finding("request")
            .unwrap()
            .words
            .contains("\"priority\" is not a known field"),
        "{report:?}"
    );
    let report = audit(&mut auditor, DRAFT_RECEIPT, Some("[1]"));
    assert_eq!(broken(&report), ["request"]);
}

#[test]
fn a_verifier_that_lies_is_found_out_by_checking_again() {
    let other = OtherVerifier::new();
    let mut auditor = other.auditor();
    let honest = other.sign(DRAFT_RECEIPT, VERIFICATION_CONTEXT);
    assert!(audit(&mut auditor, &honest, Some(DRAFT_REQUEST)).holds());

    let mut passed = changed(DRAFT_RECEIPT, "/result", Some(json!("pass")));
    passed = changed(
        &passed,
        "/summary",
        Some(json!({"result": "pass", "blocking_checks": []})),
    );
    let miscounted = json!({"ratio": 0.954545, "passed": 21, "total": 22});
    let mut counts = changed(DRAFT_RECEIPT, "/schema_compliance", Some(miscounted));
    counts = changed(
        &counts,
        "/overall",
        Some(json!({"ratio": 0.933333, "passed": 28, "total": 30})),
    );
    let silent = changed(
        &changed(DRAFT_RECEIPT, "/flags", Some(json!([]))),
        "/flags_total",
        Some(json!(0)),
    );
    let flag = json!([{"check": "content:empty_text", "field": "$", "severity": "warning", "detail": ""}]);
    let misnamed = changed(DRAFT_RECEIPT, "/flags", Some(flag));
    let blocks = json!({"result": "fail", "blocking_checks": ["type"]});
    let other_check = changed(DRAFT_RECEIPT, "/summary", Some(blocks));
    let rehashed = changed(DRAFT_RECEIPT, "/request_hash", Some(json!("00".repeat(32))));
    let cases = [
        (passed, vec!["result", "blocking_checks"]),
        (counts, vec!["counts"]),
        (silent, vec!["counts", "texts"]),
        (misnamed, vec!["texts"]),
        (other_check, vec!["blocking_checks"]),
        (rehashed, vec!["request_hash"]),
        (
            changed(DRAFT_RECEIPT, "/request_hash", None),
            vec!["request_hash"],
        ),
    ];
    for (receipt, expected) in cases {
        let receipt = other.sign(&receipt, VERIFICATION_CONTEXT);
        assert!(audit(&mut auditor, &receipt, None).holds(), "{receipt}");
        assert_eq!(
            broken(&audit(&mut auditor, &receipt, Some(DRAFT_REQUEST))),
            expected,
            "{receipt}"
        );
    }
}

#[test]
fn other_words_for_the_same_checks_are_told_and_are_no_error() {
    let other = OtherVerifier::new();
    let reworded = changed(DRAFT_RECEIPT, "/errors", Some(json!(["the sum is off"])));
    let report = audit(
        &mut other.auditor(),
        &other.sign(&reworded, VERIFICATION_CONTEXT),
        Some(DRAFT_REQUEST),
    );
    assert!(report.holds(), "{report:?}");
    let words = &report.finding("texts").unwrap().words;
    assert!(words.contains("words errors otherwise"), "{words}");
}

#[test]
fn a_receipt_that_contradicts_itself_is_named() {
    let other = OtherVerifier::new();
    let cases = [
        ("/result", json!("passed")),
        ("/summary/result", json!("pass")),
        ("/summary/blocking_checks", json!([])),
        ("/summary/blocking_checks", json!([1])),
        ("/overall/passed", json!(30)),
        ("/overall/total", json!(31)),
        ("/overall/ratio", json!(0.9667)),
        ("/schema_compliance/passed", json!(23)),
        ("/schema_compliance/passed", json!(-1)),
        ("/integrity_checks", json!(null)),
        ("/errors_total", json!(2)),
        ("/flags_omitted", json!(1)),
        ("/hints", json!([])),
        ("/errors_detail_total", json!(1.5)),
    ];
    for (pointer, value) in cases {
        let receipt = other.sign(
            &changed(DRAFT_RECEIPT, pointer, Some(value)),
            VERIFICATION_CONTEXT,
        );
        let report = audit(&mut other.auditor(), &receipt, None);
        assert_eq!(broken(&report), ["consistency"], "{pointer}");
    }
}

#[test]
fn a_verifier_may_add_members_of_its_own() {
    let other = OtherVerifier::new();
    let further = json!({
        "\u{ff01}": 1e21,
        "\u{1f600}": -0.0,
        "": [null, true, "\u{7f}\u{2028}"],
        "big": 18446744073709551615u64,
    });
    let mut receipt = changed(FINAL_RECEIPT, "/x", Some(further.clone()));
    for (key, value) in further.as_object().unwrap() {
        receipt = changed(&receipt, &format!("/{key}"), Some(value.clone()));
    }
    let receipt = other.sign(&receipt, VERIFICATION_CONTEXT);
    assert!(audit(&mut other.auditor(), &receipt, Some(FINAL_REQUEST)).holds());
}

#[test]
fn a_score_is_checked_in_its_own_context() {
    let other = OtherVerifier::new();
    let score = json!({
        "agent_id": "seller-7",
        "trust_score": 0.8,
        "confidence_interval_95": [0.490162, 0.943318],
        "sample_size": 10,
        "computed_at": "2026-10-01T01:01:09.606993+00:00",
        "verify": {"key_version": ""},
    })
    .to_string();
    let mut auditor = other.auditor();
    let report = audit(&mut auditor, &other.sign(&score, SCORE_CONTEXT), None);
    assert!(report.holds(), "{report:?}");
    assert_eq!(
        (report.subject, report.id.as_deref()),
        (Subject::Score, Some("seller-7"))
    );
    let report = audit(
        &mut auditor,
        &other.sign(&score, SCORE_CONTEXT),
        Some(DRAFT_REQUEST),
    );
    assert_eq!(with_standing(&report, Standing::Skipped), ["request"]);
    // A signature over the same bytes for another purpose proves nothing.
    let report = audit(&mut auditor, &other.sign(&score, VERIFICATION_CONTEXT), None);
    assert_eq!(broken(&report), ["signature"]);
    let report = audit(&mut auditor, &other.sign(DRAFT_RECEIPT, SCORE_CONTEXT), None);
    assert_eq!(broken(&report), ["signature"]);
    let later = changed(
        &other.sign(&score, SCORE_CONTEXT),
        "/computed_at",
        Some(json!("now")),
    );
    assert_eq!(broken(&audit(&mut auditor, &later, None)), ["signature", "time"]);
}

#[test]
fn an_unlisted_key_is_named_with_the_place_where_it_should_be() {
    let other = OtherVerifier::new();
    let report = audit(&mut other.auditor(), DRAFT_RECEIPT, Some(DRAFT_REQUEST));
    assert_eq!(broken(&report), ["key"]);
    assert_eq!(with_standing(&report, Standing::Skipped), ["signature"]);
    let words = &report.finding("key").unwrap().words;
    for part in [
        "not listed",
        "\"v1-2026-09c\"",
        "\"other-1\"",
        "onrender.com/.well-known/agent-card.json",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn what_strangers_write_does_not_reach_the_terminal_as_it_is() {
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}\u{200b}";
    let mut receipt = changed(DRAFT_RECEIPT, "/attestation/key_version", Some(json!(evil)));
    receipt = changed(&receipt, "/verify/public_key_url", Some(json!(evil)));
    receipt = changed(&receipt, "/result", Some(json!([{ evil: [evil] }])));
    receipt = changed(&receipt, "/task_id", Some(json!({ evil: 1 })));
    let report = audit(
        &mut published(),
        &receipt,
        Some(&changed(DRAFT_REQUEST, "/agent_id", Some(json!(evil)))),
    );
    assert!(broken(&report).len() >= 5);
    for finding in &report.findings {
        let hidden = finding
            .words
            .chars()
            .find(|c| c.is_control() || ('\u{200b}'..='\u{202e}').contains(c));
        assert_eq!(hidden, None, "{finding:?}");
    }
}

#[test]
fn what_is_no_receipt_is_an_error() {
    let mut auditor = published();
    let mut error = |text: &str| auditor.audit(text.as_bytes(), None).unwrap_err();
    assert_eq!(
        error(include_str!("../../../schemas/vectors/error-422.json")),
        AuditError::ErrorAnswer
    );
    for text in ["{}", "[]", "null", "\"verification_id\"", DRAFT_REQUEST, KEY] {
        assert_eq!(error(text), AuditError::NothingSigned, "{text}");
    }
    for text in [
        "",
        "{",
        "{\"a\":1,\"a\":2}",
        "\u{feff}{}",
        "{\"verification_id\":1}x",
        "{\"verification_id\":1e400}",
    ] {
        assert!(matches!(error(text), AuditError::Receipt(_)), "{text}");
    }
    let cut = &DRAFT_REQUEST.as_bytes()[..100];
    assert!(matches!(
        published().audit(DRAFT_RECEIPT.as_bytes(), Some(cut)),
        Err(AuditError::Request(_))
    ));
}

#[test]
fn keys_are_read_from_every_form_in_which_they_are_published() {
    let key: Json = serde_json::from_str(KEY).unwrap();
    let other = OtherVerifier::new().key();
    let later = json!({"keyVersion": "v2", "algorithm": "ML-DSA-65", "publicKey": "AAAA"});
    let uri = "urn:json-schema-verifier:extension:attestation:v1";
    let card = json!({
        "name": "verifier",
        "capabilities": {"streaming": false, "extensions": [
            {"uri": "https://example.com/other", "params": {"publicKeys": "none"}},
            {"uri": uri, "params": {"publicKeys": [&key, &other, &later]}},
        ]},
    });
    for form in [
        json!({"publicKeys": [&key, &other]}),
        json!([&other, &key, &key]),
        json!([&key, &later, &other]),
        card,
    ] {
        let keys = PublicKeys::parse(form.to_string().as_bytes()).unwrap();
        assert_eq!(keys.versions().collect::<Vec<_>>(), ["other-1", "v1-2026-09c"]);
        assert!(audit(&mut Auditor::new(keys), DRAFT_RECEIPT, None).holds());
    }
    assert_eq!(
        PublicKeys::parse(key.to_string().as_bytes())
            .unwrap()
            .versions()
            .count(),
        1
    );
}

#[test]
fn a_list_of_keys_is_whole_or_refused() {
    let entry = |key: &str| json!([{"keyVersion": "v", "algorithm": "Ed25519", "publicKey": key}]);
    let valid = "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=";
    let zero = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let no_point = "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let refused = |list: &Json| PublicKeys::parse(list.to_string().as_bytes()).unwrap_err();
    assert!(PublicKeys::parse(entry(valid).to_string().as_bytes()).is_ok());
    // The bits that base64 leaves over, no padding, the other alphabet, too long, of small order, not on the curve.
    let spare_bits = valid.replace("hw=", "hx=");
    let other_alphabet = valid.replace('/', "_");
    let long = format!("AAAA{valid}");
    for key in [
        spare_bits.as_str(),
        &valid[..43],
        &other_alphabet,
        &long,
        zero,
        no_point,
        "",
    ] {
        assert!(
            matches!(refused(&entry(key)), KeyListError::Entry { place: 1, .. }),
            "{key}"
        );
    }
    assert_eq!(refused(&json!([])), KeyListError::Empty);
    assert_eq!(refused(&json!({"publicKeys": []})), KeyListError::Empty);
    assert_eq!(
        refused(&json!([{"keyVersion": "v", "algorithm": "RSA"}])),
        KeyListError::Empty
    );
    assert!(matches!(
        refused(&json!([1])),
        KeyListError::Entry { place: 1, .. }
    ));
    assert!(matches!(
        refused(&json!([{"algorithm": "Ed25519"}])),
        KeyListError::Entry { place: 1, .. }
    ));
    for form in [json!(1), json!({}), json!({"publicKeys": 1}), json!("key")] {
        assert_eq!(refused(&form), KeyListError::UnknownForm);
    }
    assert_eq!(refused(&json!({"capabilities": {}})), KeyListError::NoExtension);
    let own = OtherVerifier::new().key();
    let conflict = json!([{"keyVersion": "other-1", "algorithm": "Ed25519", "publicKey": valid}, own]);
    assert_eq!(refused(&conflict), KeyListError::Conflict { place: 2 });
    assert!(matches!(
        PublicKeys::parse(b"-----BEGIN PUBLIC KEY-----").unwrap_err(),
        KeyListError::Syntax(_)
    ));
}

#[test]
fn a_report_is_written_as_json() {
    let report = audit(&mut published(), DRAFT_RECEIPT, Some(DRAFT_REQUEST));
    let mut members = Vec::new();
    report.write_members(&mut members);
    let json: Json = serde_json::from_str(&format!("{{{}}}", String::from_utf8(members).unwrap())).unwrap();
    assert_eq!(json["subject"], "receipt");
    assert_eq!(json["id"], "28afb453-7c39-4993-a9c4-fcade1b7924f");
    assert_eq!(
        (&json["holds"], &json["conclusion"]),
        (&json!(true), &json!("holds"))
    );
    assert_eq!(json["findings"].as_array().unwrap().len(), report.findings.len());
    assert_eq!(json["findings"][0]["name"], "attestation");
    assert_eq!(json["findings"][0]["standing"], "holds");
}
