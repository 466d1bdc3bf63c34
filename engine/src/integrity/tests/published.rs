//! The published examples: hashes, canonical forms and texts.

use super::*;
use crate::hex::hex;

const INVOICE_RULES: &str =
    r#"[{"type":"sum_equals","field":"line_items[].line_total","equals_field":"total"}]"#;

const INVOICE: &str = r#"{"invoice_id":"INV-7731","currency":"USD","line_items":[
    {"sku":"CRWL-100","qty":3,"line_total":87.0},{"sku":"CRWL-200","qty":1,"line_total":42.5}],"total":TOTAL}"#;

#[test]
fn the_invoice_rules_have_their_hash() {
    let hash = "2acb6de92b88cfbca279ea6d5bd74b7a1e7dec0839dd093dbe041e25df3364d2";
    for bounds in [None, Some("null")] {
        let rules = compile(Some(INVOICE_RULES), bounds).unwrap();
        assert_eq!(hex(&rules.rules_hash()), hash);
    }
}

#[test]
fn the_invoice_draft_violates_with_its_texts() {
    let violation = only_violation(Some(INVOICE_RULES), None, &INVOICE.replace("TOTAL", "135.0"));
    assert_eq!(
        violation,
        Violation {
            check: "consistency:sum_equals".into(),
            field: "line_items[].line_total".into(),
            expected: "a sum equal to total (135.0)".into(),
            found: "sum 129.5".into(),
            detail: "values sum to 129.5, expected total (135.0)".into(),
        }
    );
    let rules = compile(Some(INVOICE_RULES), None).unwrap();
    let (tally, violations) = check(&rules, &INVOICE.replace("TOTAL", "129.5"));
    assert_eq!((tally.passed, tally.total), (1, 1));
    assert!(violations.is_empty());
}

#[test]
fn request_hashes_have_their_rules_and_bounds() {
    let cases = [
        (None, None, "null", "null"),
        (Some("null"), Some("null"), "null", "null"),
        (Some("[]"), Some("{}"), "null", "null"),
        (
            Some(
                r#"[{"type":"sum_equals","field":"items[].price","equals_field":"total","tolerance":0.01},
                    {"type":"unique","field":"items[].id"}]"#,
            ),
            Some(r#"{"items[].price":{"min":0,"max":100}}"#),
            r#"[{"equals":null,"equals_field":"total","field":"items[].price","if_present":false,"in_field":null,"other_field":null,"tolerance":0.01,"type":"sum_equals","value":null,"values":null},{"equals":null,"equals_field":null,"field":"items[].id","if_present":false,"in_field":null,"other_field":null,"tolerance":1e-9,"type":"unique","value":null,"values":null}]"#,
            r#"{"items[].price":{"if_present":false,"max":100,"min":0}}"#,
        ),
        (
            Some(r#"[{"type":"gte","field":"n","value":0,"if_present":true}]"#),
            None,
            r#"[{"equals":null,"equals_field":null,"field":"n","if_present":true,"in_field":null,"other_field":null,"tolerance":1e-9,"type":"gte","value":0,"values":null}]"#,
            "null",
        ),
        // Explicit nulls are defaults; keys are sorted by their UTF-16 code units, and values are canonical.
        (
            Some(
                r#"[{"type":"exists_in","field":"f","values":[1.0,{"b":1e2,"a":"\u00e9"}],"tolerance":null,"if_present":null,"in_field":null}]"#,
            ),
            Some(
                r#"{"\uff01":{"min":1.50},"\ud83d\ude00":{"max":"2026-10-01","min":null},"a":{"max":3,"if_present":null}}"#,
            ),
            r#"[{"equals":null,"equals_field":null,"field":"f","if_present":false,"in_field":null,"other_field":null,"tolerance":1e-9,"type":"exists_in","value":null,"values":[1,{"a":"é","b":100}]}]"#,
            r#"{"a":{"if_present":false,"max":3,"min":null},"😀":{"if_present":false,"max":"2026-10-01","min":null},"！":{"if_present":false,"max":null,"min":1.5}}"#,
        ),
    ];
    for (rules, bounds, canonical_rules, canonical_bounds) in cases {
        let compiled = compile(rules, bounds).unwrap();
        assert_eq!(
            String::from_utf8_lossy(compiled.canonical_rules()),
            canonical_rules
        );
        assert_eq!(
            String::from_utf8_lossy(compiled.canonical_bounds()),
            canonical_bounds
        );
    }
}

#[test]
fn the_rules_hash_is_of_what_was_supplied() {
    use sha2::{Digest as _, Sha256};
    let cases = [
        (None, None, r#"{"bounds":null,"rules":null}"#),
        (Some("[]"), Some("{}"), r#"{"bounds":{},"rules":[]}"#),
        (
            Some(r#"[{"type":"unique","field":"a[]","value":null}]"#),
            Some(r#"{"b":{"min":1.0}}"#),
            r#"{"bounds":{"b":{"min":1}},"rules":[{"field":"a[]","type":"unique","value":null}]}"#,
        ),
    ];
    for (rules, bounds, supplied) in cases {
        let compiled = compile(rules, bounds).unwrap();
        assert_eq!(hex(&compiled.rules_hash()), hex(&Sha256::digest(supplied)));
    }
}

#[test]
fn an_unknown_type_is_refused_as_published() {
    let problems = compile(Some(r#"[{"type":"equals","field":"a"}]"#), None).unwrap_err();
    assert_eq!(
        problems,
        [FieldProblem {
            field: "rules[0].type".into(),
            problem: "is not one of the allowed values".into(),
            fix: "Use one of: 'sum_equals', 'gte', 'lte', 'exists_in' or 'unique'.".into(),
        }]
    );
}
