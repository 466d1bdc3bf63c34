//! The counts: how many checks a schema makes and which of them fail, as the protocol's section 3 counts them. The
//! engine is held against a naive counter, against the crate `jsonschema`, and against itself with keys in other orders.

use std::cell::Cell;
use std::collections::BTreeSet;

use assay_engine::meter::Meter;
use assay_engine::schema::{CompileOptions, Schema};
use assay_engine::verdict::{Tally, Violations};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use serde_json::{Value, json};

use crate::choices::for_choices;
use crate::material::{parse, repository};
use crate::{naive, schemas};

type Violated = BTreeSet<(String, String)>;

/// What the engine counts and finds.
#[derive(Debug, PartialEq, Eq)]
struct Count {
    tally: Tally,
    violated: Violated,
    is_valid: bool,
}

fn count(schema: &str, instance: &str) -> Count {
    let (schema, instance) = (parse(schema.as_bytes()), parse(instance.as_bytes()));
    let compiled = Schema::compile(schema.root(), &CompileOptions::default()).unwrap();
    let instance = instance.root();
    let mut meter = Meter::for_sizes(
        instance.node_count(),
        instance.text_bytes(),
        compiled.subschema_count(),
    );
    let (mut tally, mut violations) = (Tally::default(), Violations::default());
    compiled
        .check(instance, &mut meter, &mut tally, &mut violations)
        .unwrap();
    assert_eq!(violations.total, tally.total - tally.passed);
    let violated = violations
        .entries
        .iter()
        .map(|one| (one.check.to_string(), one.field.clone()))
        .collect();
    Count {
        tally,
        violated,
        is_valid: compiled.is_valid(instance).unwrap(),
    }
}

fn naive_count(schema: &Value, instance: &Value) -> (Tally, Violated) {
    let mut tally = Tally::default();
    let mut violated = Violated::new();
    for check in naive::checks(schema, instance) {
        tally.count(check.held);
        if !check.held {
            violated.insert((check.name, check.field));
        }
    }
    (tally, violated)
}

/// Where the crate reads a schema in another way, and no test of the official suite decides:
/// in 2019-09 `contains` evaluates nothing (Core, section 9.3.1.3 names `items` and `additionalItems` alone), the crate
/// takes it as 2020-12 does; and what the older `dependencies` applies evaluates here what `dependentSchemas` would.
fn oracle_reads_otherwise(schema: &Value) -> bool {
    let text = schema.to_string();
    let has = |keyword: &str| text.contains(&format!("\"{keyword}\":"));
    let closes = has("unevaluatedItems") || has("unevaluatedProperties");
    closes && ((text.contains("2019-09") && has("contains")) || has("dependencies"))
}

/// How often the random schemas and instances met.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    valid: u32,
    invalid: u32,
    checks: u64,
}

#[test]
fn the_engine_counts_as_the_naive_counter_does_and_decides_as_jsonschema_does() {
    let met = Cell::new(Met::default());
    for_choices(6_000, 600, |choices| -> TestCaseResult {
        let schema = schemas::schema(choices);
        let instance = schemas::instance(choices, &schema);
        let engine = count(&schema.to_string(), &instance.to_string());
        let (tally, violated) = naive_count(&schema, &instance);
        prop_assert_eq!(
            engine.tally,
            tally,
            "{} {}: {:?} {:?}",
            schema,
            instance,
            &engine.violated,
            violated
        );
        prop_assert_eq!(&engine.violated, &violated, "{} {}", schema, instance);
        prop_assert_eq!(
            engine.is_valid,
            tally.passed == tally.total,
            "{} {}",
            schema,
            instance
        );
        if !oracle_reads_otherwise(&schema) {
            let oracle = jsonschema::options()
                .should_validate_formats(true)
                .build(&schema)
                .unwrap();
            prop_assert_eq!(
                engine.is_valid,
                oracle.is_valid(&instance),
                "{} {}",
                schema,
                instance
            );
        }
        let reordered = count(
            &schemas::shuffled(choices, &schema),
            &schemas::shuffled(choices, &instance),
        );
        prop_assert_eq!(reordered, engine, "{} {}", schema, instance);
        let mut so_far = met.get();
        so_far.checks += tally.total;
        *(if tally.passed == tally.total {
            &mut so_far.valid
        } else {
            &mut so_far.invalid
        }) += 1;
        met.set(so_far);
        Ok(())
    });
    let met = met.get();
    eprintln!("{met:?}");
    assert!(
        met.valid > met.invalid / 10 && met.invalid > met.valid / 10,
        "{met:?}"
    );
    assert!(met.checks > u64::from(met.valid + met.invalid), "{met:?}");
}

/// A dynamic reference means the outermost schema on the way to it that has the anchor, also when the document of that
/// schema was read after the reference was.
#[test]
fn dynamic_references_lead_to_the_outermost_schema_whatever_was_read_first() {
    let metaschema = |name: &str| json!({"$ref": format!("https://json-schema.org/draft/2020-12/{name}")});
    let parts = ["schema", "meta/applicator", "meta/unevaluated", "meta/validation"];
    let instance = json!({"properties": {"a": {"type": 5}}, "unevaluatedItems": {"minLength": -1}});
    for first in parts {
        for second in parts {
            for keyword in ["allOf", "anyOf", "oneOf"] {
                let schema = json!({keyword: [metaschema(first), metaschema(second)]});
                let oracle = jsonschema::options()
                    .should_validate_formats(true)
                    .build(&schema)
                    .unwrap();
                let is_valid = count(&schema.to_string(), &instance.to_string()).is_valid;
                assert_eq!(is_valid, oracle.is_valid(&instance), "{schema}");
            }
        }
    }
    let both = json!({"allOf": [metaschema("meta/applicator"), metaschema("schema")]});
    assert!(!count(&both.to_string(), &instance.to_string()).is_valid);
}

#[test]
fn the_published_examples_count_22() {
    for (name, passed) in [("invoice-draft", 22), ("invoice-final", 22)] {
        let path = repository().join(format!("schemas/vectors/{name}.request.json"));
        let request: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let (schema, output) = (&request["expected_schema"], &request["submitted_output"]);
        let expected = Tally { passed, total: 22 };
        assert_eq!(
            count(&schema.to_string(), &output.to_string()).tally,
            expected,
            "{name}"
        );
        assert_eq!(naive_count(schema, output).0, expected, "{name}, counted naively");
    }
}

#[test]
fn what_the_protocol_decides_is_counted_so() {
    // Schema, instance, checks made, and what is violated.
    let cases = [
        (json!({}), json!(1), 0, vec![]),
        (json!(true), json!(1), 0, vec![]),
        (json!(false), json!(1), 1, vec![("false", "$")]),
        // Once an object, however many names.
        (
            json!({"required": ["a", "b", "c"]}),
            json!({"a": 1}),
            1,
            vec![("required", "$")],
        ),
        (json!({"required": []}), json!({}), 1, vec![]),
        // A keyword for another type checks nothing.
        (
            json!({"minLength": 1, "minimum": 5, "minItems": 1, "required": ["a"]}),
            json!(9),
            1,
            vec![],
        ),
        // Applicators are not counted, what they apply is, once for each way to it.
        (
            json!({"$defs": {"s": {"type": "string"}}, "allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/s"}]}),
            json!(1),
            2,
            vec![("type", "$")],
        ),
        (
            json!({"properties": {"a": {"type": "null"}}, "items": {"type": "null"}}),
            json!({"a": null}),
            1,
            vec![],
        ),
        // One check each, and nothing inside them.
        (
            json!({"anyOf": [{"type": "string"}, {"minimum": 3, "type": "number"}]}),
            json!(2),
            1,
            vec![("anyOf", "$")],
        ),
        (
            json!({"oneOf": [{"type": "number"}, {"minimum": 1}]}),
            json!(2),
            1,
            vec![("oneOf", "$")],
        ),
        (
            json!({"not": {"type": "number", "minimum": 1}}),
            json!(0),
            1,
            vec![],
        ),
        (
            json!({"contains": {"type": "string"}, "minContains": 2, "maxContains": 3}),
            json!(["a", 1]),
            3,
            vec![("minContains", "$")],
        ),
        (
            json!({"contains": {"type": "string"}, "minContains": 0}),
            json!([]),
            2,
            vec![],
        ),
        (json!({"minContains": 2, "maxContains": 3}), json!([]), 0, vec![]),
        // Nothing inside `if`; `then` and `else` as usual.
        (
            json!({"if": {"type": "number"}, "then": {"minimum": 3}, "else": {"minLength": 1}}),
            json!(2),
            1,
            vec![("minimum", "$")],
        ),
        (
            json!({"if": {"type": "number"}, "then": {"minimum": 3}}),
            json!("a"),
            0,
            vec![],
        ),
        // A closed object or array is one check, a false schema one at each place.
        (
            json!({"properties": {"a": {}}, "additionalProperties": false}),
            json!({"a": 1, "b": 2, "c": 3}),
            1,
            vec![("additionalProperties", "$")],
        ),
        (
            json!({"properties": {"a": false}}),
            json!({"a": 1}),
            1,
            vec![("false", "a")],
        ),
        (
            json!({"items": false}),
            json!([1, 2]),
            2,
            vec![("false", "[0]"), ("false", "[1]")],
        ),
        (json!({"items": false}), json!([]), 0, vec![]),
        (
            json!({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}),
            json!({"a": 1, "b": 1}),
            1,
            vec![("unevaluatedProperties", "$")],
        ),
        (
            json!({"prefixItems": [{}], "unevaluatedItems": false}),
            json!([1]),
            1,
            vec![],
        ),
        // A format that no draft defines is not counted.
        (json!({"format": "color"}), json!("red"), 0, vec![]),
        (
            json!({"format": "date"}),
            json!("2024-02-30"),
            1,
            vec![("format", "$")],
        ),
        (json!({"uniqueItems": false}), json!([1, 1]), 0, vec![]),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"a": 1, "bb": 2}),
            2,
            vec![("maxLength", "bb")],
        ),
        (
            json!({"dependentRequired": {"a": ["b"], "c": ["d"]}}),
            json!({"a": 1}),
            1,
            vec![("dependentRequired", "$")],
        ),
    ];
    for (schema, instance, total, violated) in cases {
        let expected: Violated = violated
            .into_iter()
            .map(|(check, field)| (format!("schema:{check}"), field.to_owned()))
            .collect();
        let engine = count(&schema.to_string(), &instance.to_string());
        assert_eq!(
            (engine.tally.total, engine.violated),
            (total, expected),
            "{schema} {instance}"
        );
        if instance != json!("2024-02-30") && instance != json!("red") {
            let (tally, _) = naive_count(&schema, &instance);
            assert_eq!(tally, engine.tally, "{schema} {instance}, counted naively");
        }
    }
}
