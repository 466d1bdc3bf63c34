//! Inputs of public bug reports, with their right answers; and contracts that sellers publish: an output made to fit one
//! passes, and with one thing broken it fails on exactly that.

use std::collections::BTreeSet;

use assay_engine::json::{Document, ParseLimits, Parser, parse_exact};
use assay_engine::meter::Meter;
use assay_engine::problem::ProblemCode;
use assay_engine::schema::{CompileOptions, Schema};
use assay_engine::verdict::{Tally, Violations};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use serde_json::{Map, Value, json};

use crate::choices::{Choices, for_choices};
use crate::material::{files, parse, repository};

/// A text as both readers read it, which must be the same.
fn read(text: &str) -> Option<Document> {
    let (mut fast, mut exact) = (Document::new(), Document::new());
    let fast_error = Parser::default().parse(text.as_bytes(), &mut fast).err();
    let exact_error = parse_exact(text.as_bytes(), &ParseLimits::default(), &mut exact).err();
    assert_eq!(fast_error, exact_error, "{text}");
    exact_error.is_none().then(|| {
        assert_eq!(fast, exact, "{text}");
        exact
    })
}

/// Every violation as its check and its field.
type Violated = BTreeSet<(String, String)>;

fn check(schema: &Schema, output: &Document) -> Option<Violated> {
    let output = output.root();
    let mut meter = Meter::for_sizes(output.node_count(), output.text_bytes(), schema.subschema_count());
    let (mut tally, mut violations) = (Tally::default(), Violations::default());
    schema
        .check(output, &mut meter, &mut tally, &mut violations)
        .ok()?;
    assert_eq!(violations.total, tally.total - tally.passed);
    assert_eq!(schema.is_valid(output), Ok(violations.is_empty()));
    Some(
        violations
            .entries
            .iter()
            .map(|one| (one.check.to_string(), one.field.clone()))
            .collect(),
    )
}

fn answer(schema: &str, output: &str) -> &'static str {
    let (Some(schema), Some(output)) = (read(schema), read(output)) else {
        return "error";
    };
    match Schema::compile(schema.root(), &CompileOptions::default()) {
        Err(error) if error.clone().into_problem("schema").code == ProblemCode::LimitExceeded => "error",
        Err(_) => "invalid_schema",
        Ok(schema) => match check(&schema, &output) {
            None => "error",
            Some(violated) if violated.is_empty() => "pass",
            Some(_) => "fail",
        },
    }
}

#[test]
fn inputs_of_bug_reports_get_their_right_answers() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    for file in ["schema.jsonl", "patterns.jsonl"] {
        let lines = std::fs::read_to_string(repository().join("tests/cases").join(file)).unwrap();
        let cases = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        for case in cases.filter(|case| case.get("rules").is_none()) {
            tried += 1;
            let answer = answer(case["schema"].as_str().unwrap(), case["output"].as_str().unwrap());
            let also = case
                .get("also_ok")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            let mut right: Vec<&str> = also
                .chain([&case["expect"]])
                .map(|one| one.as_str().unwrap())
                .collect();
            if right.contains(&"error") {
                // Both are a 422; the code tells whether the schema is at fault.
                right.push("invalid_schema");
            }
            if !right.contains(&answer) {
                wrong.push(format!("{}: {answer} for {case}", case["id"]));
            }
        }
    }
    assert!(tried > 130, "only {tried} cases");
    assert!(
        wrong.is_empty(),
        "{} of {tried} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The keywords of the published contracts. Another one would be left out of what is made and broken here.
const KEYWORDS: [&str; 15] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "anyOf",
    "enum",
    "const",
    "minimum",
    "maximum",
    "pattern",
    "format",
    "maxLength",
];

/// The patterns of the contracts, each with texts that match, without their repetition, and one that does not.
const PATTERNS: [(&str, &str, usize, &str); 6] = [
    ("^[0-9]+$", "7", 5, "12a"),
    ("^[0-9]+(\\.[0-9]+)?$", "4", 3, "1."),
    (
        "^0x[a-f0-9]{40}$",
        "c",
        40,
        "0xABCDEF0123456789abcdef0123456789abcdef01",
    ),
    ("^0x[a-fA-F0-9]{40}$", "B", 40, "0x123"),
    ("^0x[a-fA-F0-9]{64}$", "9", 64, "0x"),
    ("^([0-9a-f]{2})*$", "0f", 4, "0f0"),
];

/// The formats of the contracts, each with texts that have it and texts that have not.
const FORMATS: [(&str, [&str; 3], [&str; 3]); 4] = [
    (
        "date-time",
        [
            "2024-02-29T12:00:00Z",
            "2026-11-30T23:59:60.5+00:00",
            "1999-12-31T00:00:00-08:00",
        ],
        ["2023-02-29T12:00:00Z", "2024-02-29", "2024-02-29T12:00:00"],
    ),
    (
        "date",
        ["2024-02-29", "1999-12-31", "2026-01-01"],
        ["2023-02-29", "2024-2-9", "29.02.2024"],
    ),
    (
        "uri",
        [
            "https://example.com/a?b=c#d",
            "urn:isbn:0451450523",
            "mailto:a@example.com",
        ],
        ["example.com/a", "https://exa mple.com", "/relative"],
    ),
    (
        "uuid",
        [
            "123e4567-e89b-12d3-a456-426614174000",
            "00000000-0000-0000-0000-000000000000",
            "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
        ],
        [
            "123e4567e89b12d3a456426614174000",
            "123e4567-e89b-12d3-a456-42661417400",
            "urn:uuid:1",
        ],
    ),
];

fn assert_known(schema: &Value) {
    for (keyword, value) in schema.as_object().unwrap() {
        assert!(
            KEYWORDS.contains(&keyword.as_str()),
            "{keyword} is not known here"
        );
        match keyword.as_str() {
            "properties" => value.as_object().unwrap().values().for_each(assert_known),
            "items" => assert_known(value),
            "anyOf" => value.as_array().unwrap().iter().for_each(assert_known),
            "additionalProperties" => assert_eq!(value, &Value::Bool(false)),
            _ => {}
        }
    }
}

fn text_with_pattern(choices: &mut Choices<'_>, pattern: &str) -> String {
    let (_, part, count, _) = PATTERNS.iter().find(|(known, ..)| *known == pattern).unwrap();
    let is_fixed = pattern.starts_with("^0x");
    let count = if is_fixed {
        *count
    } else {
        1 + choices.below(*count)
    };
    format!("{}{}", if is_fixed { "0x" } else { "" }, part.repeat(count))
}

fn number_between(choices: &mut Choices<'_>, schema: &Map<String, Value>, is_integer: bool) -> Value {
    let limit = |name: &str| schema.get(name).map(|limit| limit.as_i64().unwrap());
    let min = limit("minimum").unwrap_or_else(|| limit("maximum").map_or(-5, |max| max - 10));
    let max = limit("maximum").unwrap_or(min + 200);
    match choices.below(4) {
        0 => min.into(),
        1 => max.into(),
        2 if !is_integer => json!(min as f64 + 0.5),
        // Written with a fraction it is a whole number all the same.
        3 if is_integer => json!(max as f64),
        _ => (min + choices.below(200) as i64 % (max - min + 1)).into(),
    }
}

/// A random output that the schema admits.
fn fitting(choices: &mut Choices<'_>, schema: &Value) -> Value {
    let keywords = schema.as_object().unwrap();
    if let Some(constant) = keywords.get("const") {
        return constant.clone();
    }
    if let Some(values) = keywords
        .get("enum")
        .or(keywords.get("anyOf"))
        .and_then(Value::as_array)
    {
        let chosen = &values[choices.below(values.len())];
        return if keywords.contains_key("enum") {
            chosen.clone()
        } else {
            fitting(choices, chosen)
        };
    }
    let names = types(keywords);
    match names[choices.below(names.len())] {
        "null" => Value::Null,
        "boolean" => choices.pick(&[true, false]).into(),
        name @ ("integer" | "number") => number_between(choices, keywords, name == "integer"),
        "string" => match (keywords.get("pattern"), keywords.get("format")) {
            (Some(pattern), None) => text_with_pattern(choices, pattern.as_str().unwrap()).into(),
            (None, Some(format)) => {
                let known = FORMATS.iter().find(|(name, ..)| format == name).unwrap();
                choices.pick(&known.1).into()
            }
            (None, None) => choices.pick(&["", "a text", "ünïcödé 😀", "\"quoted\"\n"]).into(),
            both => panic!("{both:?} together are not known here"),
        },
        "array" => {
            let least = keywords
                .get("minItems")
                .map_or(0, |min| min.as_u64().unwrap() as usize);
            let most = keywords
                .get("maxItems")
                .map_or(least + 3, |max| max.as_u64().unwrap() as usize)
                .min(least + 3);
            let len = least + choices.below(most - least + 1);
            let any = json!({});
            let items = keywords.get("items").unwrap_or(&any);
            Value::Array((0..len).map(|_| fitting(choices, items)).collect())
        }
        "object" => {
            let required = list(keywords, "required");
            let mut members = Map::new();
            for (name, schema) in keywords
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                if required.contains(&name.as_str()) || !choices.once_in(3) {
                    members.insert(name.clone(), fitting(choices, schema));
                }
            }
            for name in required {
                members.entry(name).or_insert(Value::Null);
            }
            Value::Object(members)
        }
        _ => choices
            .pick(&[
                &Value::Null,
                &json!(1.5),
                &json!("any"),
                &json!([1]),
                &json!({"k": []}),
            ])
            .clone(),
    }
}

/// The types that a schema admits; the empty name where it admits all.
fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().map(|name| name.as_str().unwrap()).collect(),
        Some(name) => vec![name.as_str().unwrap()],
        None => vec![""],
    }
}

fn list<'s>(schema: &'s Map<String, Value>, keyword: &str) -> Vec<&'s str> {
    schema
        .get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|one| one.as_str().unwrap())
        .collect()
}

/// An output with one thing broken, and the one check that this violates.
struct Broken {
    output: Value,
    check: String,
    field: String,
}

/// Breaks an output in one place after the other.
struct Breaker<'b> {
    output: &'b Value,
    broken: Vec<Broken>,
}

/// A place in the output: as a pointer, and as receipts write it.
#[derive(Clone, Copy)]
struct At<'a> {
    pointer: &'a str,
    field: &'a str,
}

impl Breaker<'_> {
    fn put(&mut self, at: At<'_>, value: Value, keyword: &str) {
        let mut output = self.output.clone();
        *output.pointer_mut(at.pointer).unwrap() = value;
        let field = if at.field.is_empty() { "$" } else { at.field };
        self.broken.push(Broken {
            output,
            check: format!("schema:{keyword}"),
            field: field.to_owned(),
        });
    }

    fn walk(&mut self, schema: &Value, value: &Value, at: At<'_>) {
        let keywords = schema.as_object().unwrap();
        let fixed = keywords.get("const").or(keywords.get("enum"));
        if keywords.contains_key("type") && fixed.is_none() {
            self.wrong_types(keywords, at);
        }
        if let Some(fixed) = fixed {
            let keyword = if keywords.contains_key("const") {
                "const"
            } else {
                "enum"
            };
            let other = if fixed.is_number() {
                json!(fixed.as_i64().unwrap() + 1)
            } else {
                json!("none of these")
            };
            self.put(at, other, keyword);
        }
        if keywords.contains_key("anyOf") {
            self.put(at, json!({}), "anyOf");
            self.put(at, json!([null]), "anyOf");
            let limits = keywords["anyOf"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|branch| branch.get("maximum"));
            for maximum in limits {
                self.put(at, json!(maximum.as_i64().unwrap() + 1), "anyOf");
            }
        }
        match value {
            Value::Number(_) => {
                for (keyword, beyond) in [("minimum", -1), ("maximum", 1)] {
                    if let Some(limit) = keywords.get(keyword) {
                        self.put(at, json!(limit.as_i64().unwrap() + beyond), keyword);
                    }
                }
            }
            Value::String(_) => self.wrong_texts(keywords, at),
            Value::Array(elements) => self.wrong_array(keywords, elements, at),
            Value::Object(members) => self.wrong_object(keywords, members, at),
            _ => {}
        }
    }

    fn wrong_types(&mut self, keywords: &Map<String, Value>, at: At<'_>) {
        let allowed = types(keywords);
        // Between the limits of every number of the contracts.
        let fraction = json!(0.5 + keywords.get("minimum").map_or(0.0, |min| min.as_f64().unwrap()));
        let others = [
            ("null", Value::Null),
            ("boolean", json!(true)),
            ("number", fraction),
            ("string", json!("another type")),
            ("array", json!([])),
            ("object", json!({})),
        ];
        for (name, value) in others {
            if !allowed.contains(&name) {
                self.put(at, value, "type");
            }
        }
    }

    fn wrong_texts(&mut self, keywords: &Map<String, Value>, at: At<'_>) {
        if let Some(pattern) = keywords.get("pattern") {
            let (.., wrong) = PATTERNS.iter().find(|(known, ..)| pattern == known).unwrap();
            self.put(at, json!(wrong), "pattern");
        }
        if let Some(format) = keywords.get("format") {
            let (.., wrong) = FORMATS.iter().find(|(known, ..)| format == known).unwrap();
            wrong.iter().for_each(|text| self.put(at, json!(text), "format"));
        }
        if let Some(most) = keywords.get("maxLength") {
            // Still of the pattern that stands beside it.
            let long = "0f".repeat(most.as_u64().unwrap() as usize / 2 + 1);
            self.put(at, json!(long), "maxLength");
        }
    }

    fn wrong_array(&mut self, keywords: &Map<String, Value>, elements: &[Value], at: At<'_>) {
        if keywords.contains_key("minItems") {
            self.put(at, json!([]), "minItems");
        }
        if let (Some(most), Some(first)) = (keywords.get("maxItems"), elements.first()) {
            let many = most.as_u64().unwrap() as usize + 1;
            self.put(at, Value::Array(vec![first.clone(); many]), "maxItems");
        }
        let Some(items) = keywords.get("items") else {
            return;
        };
        for (index, element) in elements.iter().enumerate() {
            let (pointer, field) = (
                format!("{}/{index}", at.pointer),
                format!("{}[{index}]", at.field),
            );
            self.walk(
                items,
                element,
                At {
                    pointer: &pointer,
                    field: &field,
                },
            );
        }
    }

    fn wrong_object(&mut self, keywords: &Map<String, Value>, members: &Map<String, Value>, at: At<'_>) {
        for name in list(keywords, "required") {
            let mut without = members.clone();
            without.remove(name);
            self.put(at, Value::Object(without), "required");
        }
        if keywords.contains_key("additionalProperties") {
            let mut with = members.clone();
            with.insert("one more".to_owned(), Value::Null);
            self.put(at, Value::Object(with), "additionalProperties");
        }
        for (name, schema) in keywords
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            assert!(
                !name.contains(['/', '~', '.', '[', ']', '"', '\'']),
                "{name} is written in another way"
            );
            if let Some(member) = members.get(name) {
                let dot = if at.field.is_empty() { "" } else { "." };
                let (pointer, field) = (
                    format!("{}/{name}", at.pointer),
                    format!("{}{dot}{name}", at.field),
                );
                self.walk(
                    schema,
                    member,
                    At {
                        pointer: &pointer,
                        field: &field,
                    },
                );
            }
        }
    }
}

#[test]
fn published_contracts_pass_what_fits_and_fail_each_break_on_its_own_keyword() {
    let templates = files(&repository().join("tests/cases/templates"), ".json");
    assert!(templates.len() >= 48, "only {} contracts", templates.len());
    let mut kinds = BTreeSet::new();
    for path in templates {
        let contract: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let source = &contract["expected_schema"];
        assert_known(source);
        let schema = Schema::compile(
            parse(source.to_string().as_bytes()).root(),
            &CompileOptions::default(),
        )
        .unwrap();
        let oracle = jsonschema::options()
            .should_validate_formats(true)
            .build(source)
            .unwrap();
        let seen = std::cell::RefCell::new(BTreeSet::new());
        for_choices(20, 300, |choices| -> TestCaseResult {
            let output = fitting(choices, source);
            let found = check(&schema, &parse(output.to_string().as_bytes()));
            prop_assert_eq!(found, Some(Violated::new()), "{} {}", path.display(), output);
            prop_assert!(oracle.is_valid(&output), "{} {}", path.display(), output);
            let mut breaker = Breaker {
                output: &output,
                broken: Vec::new(),
            };
            breaker.walk(
                source,
                &output,
                At {
                    pointer: "",
                    field: "",
                },
            );
            for broken in breaker.broken {
                let found = check(&schema, &parse(broken.output.to_string().as_bytes()));
                let expected = Violated::from([(broken.check.clone(), broken.field)]);
                prop_assert_eq!(
                    found,
                    Some(expected),
                    "{} {:.2000}",
                    path.display(),
                    broken.output.to_string()
                );
                prop_assert!(
                    !oracle.is_valid(&broken.output),
                    "{} {}",
                    path.display(),
                    broken.output
                );
                seen.borrow_mut().insert(broken.check);
            }
            Ok(())
        });
        kinds.extend(seen.into_inner());
    }
    // Every assertion that the contracts make has been broken.
    let asserted = KEYWORDS
        .iter()
        .filter(|keyword| !["properties", "items"].contains(keyword));
    let asserted: BTreeSet<String> = asserted.map(|keyword| format!("schema:{keyword}")).collect();
    assert_eq!(kinds, asserted);
}
