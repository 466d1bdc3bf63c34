//! The official JSON-Schema-Test-Suite: every verdict as the suite says and as the crate `jsonschema` gives it; a valid
//! instance has passed = total, an invalid one has not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use assay_engine::json::{Document, Value, write_canonical};
use assay_engine::meter::Meter;
use assay_engine::schema::{CompileOptions, Draft, Schema};
use assay_engine::verdict::{Tally, Violations};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::material::{fetched, files, parse, repository, try_parse};

const FOLDERS: [(&str, Draft); 5] = [
    ("draft4", Draft::Draft4),
    ("draft6", Draft::Draft6),
    ("draft7", Draft::Draft7),
    ("draft2019-09", Draft::Draft201909),
    ("draft2020-12", Draft::Draft202012),
];

fn oracle_draft(draft: Draft) -> jsonschema::Draft {
    match draft {
        Draft::Draft4 => jsonschema::Draft::Draft4,
        Draft::Draft6 => jsonschema::Draft::Draft6,
        Draft::Draft7 => jsonschema::Draft::Draft7,
        Draft::Draft201909 => jsonschema::Draft::Draft201909,
        Draft::Draft202012 => jsonschema::Draft::Draft202012,
    }
}

/// The documents that the suite serves at `http://localhost:1234/`.
fn remotes() -> Vec<(String, String)> {
    let folder = fetched("json-schema-test-suite").join("remotes");
    let uri = |path: &Path| {
        format!(
            "http://localhost:1234/{}",
            path.strip_prefix(&folder).unwrap().display()
        )
    };
    files(&folder, ".json")
        .iter()
        .map(|path| (uri(path), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// What may differ, each line `folder/file | group | test | reason`; a line that no longer differs is an error.
fn deviations() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(repository().join("tests/suite-deviations.txt")).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let (key, reason) = line.rsplit_once(" | ").unwrap();
        assert!(reason.len() > 10, "a deviation needs a reason: {line}");
        (key.to_owned(), reason.to_owned())
    };
    lines.map(entry).collect()
}

fn text_of(value: Value<'_>) -> String {
    let mut text = Vec::new();
    write_canonical(value, &mut text);
    String::from_utf8(text).unwrap()
}

/// A group of the suite's tests. Schemas and instances stay texts, since a number in them may be one that is refused.
#[derive(Deserialize)]
struct Group<'f> {
    description: String,
    #[serde(borrow)]
    schema: &'f RawValue,
    #[serde(borrow)]
    tests: Vec<Test<'f>>,
}

#[derive(Deserialize)]
struct Test<'f> {
    description: String,
    #[serde(borrow)]
    data: &'f RawValue,
    valid: bool,
}

struct Run {
    documents: HashMap<String, Arc<Document>>,
    registry: Vec<(String, serde_json::Value)>,
    tests: usize,
    wrong: BTreeSet<String>,
    oracle: Vec<String>,
}

impl Run {
    fn file(&mut self, path: &Path, draft: Draft, name: &str, assert_formats: bool) {
        let text = std::fs::read_to_string(path).unwrap();
        let groups: Vec<Group<'_>> = serde_json::from_str(&text).unwrap();
        for group in &groups {
            self.group(group, draft, name, assert_formats);
        }
    }

    fn group(&mut self, group: &Group<'_>, draft: Draft, name: &str, assert_formats: bool) {
        let options = CompileOptions {
            assert_formats,
            documents: self.documents.clone(),
            default_draft: Some(draft),
            ..CompileOptions::default()
        };
        let schema = read(group.schema);
        let compiled = schema
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|schema| Schema::compile(schema.root(), &options).map_err(|error| error.to_string()));
        let oracle = schema
            .ok()
            .and_then(|schema| self.oracle(schema.root(), draft, assert_formats));
        for test in &group.tests {
            let expected = test.valid;
            let data = read(test.data);
            let key = format!("{name} | {} | {}", group.description, test.description);
            self.tests += 1;
            let answer = match (&compiled, &data) {
                (Err(error), _) | (_, Err(error)) => Err(error.clone()),
                (Ok(schema), Ok(data)) => check(schema, data.root()),
            };
            if answer != Ok(expected) {
                self.wrong.insert(key.clone());
                eprintln!("{key}: expected {expected}, got {answer:?}");
            }
            if let (Some(oracle), Ok(answer), Ok(data)) = (&oracle, answer, &data) {
                let instance: serde_json::Value = serde_json::from_str(&text_of(data.root())).unwrap();
                if oracle.is_valid(&instance) != answer {
                    self.oracle.push(key);
                }
            }
        }
    }

    fn oracle(&self, schema: Value<'_>, draft: Draft, assert_formats: bool) -> Option<jsonschema::Validator> {
        let schema: serde_json::Value = serde_json::from_str(&text_of(schema)).unwrap();
        let mut registry = jsonschema::Registry::new().draft(oracle_draft(draft));
        for (uri, document) in &self.registry {
            registry = registry.add(uri, document.clone()).unwrap();
        }
        let registry = registry.prepare().ok()?;
        let mut options = jsonschema::options();
        if schema.get("$schema").is_none() {
            options = options.with_draft(oracle_draft(draft));
        }
        options
            .should_validate_formats(assert_formats)
            .with_registry(&registry)
            .build(&schema)
            .ok()
    }
}

fn read(text: &RawValue) -> Result<Document, String> {
    try_parse(text.get().as_bytes()).map_err(|error| error.to_string())
}

/// The verdict of the counting walk, held against the testing one and the counts.
fn check(schema: &Schema, data: Value<'_>) -> Result<bool, String> {
    let valid = schema.is_valid(data).map_err(|error| error.to_string())?;
    let mut tally = Tally::default();
    let mut violations = Violations::default();
    let mut meter = Meter::for_sizes(data.node_count(), data.text_bytes(), schema.subschema_count());
    schema
        .check(data, &mut meter, &mut tally, &mut violations)
        .map_err(|error| error.to_string())?;
    if valid != (tally.passed == tally.total) || violations.total != tally.total - tally.passed {
        return Err(format!(
            "valid is {valid}, but {tally:?} with {} violations",
            violations.total
        ));
    }
    Ok(valid)
}

#[test]
fn every_test_of_the_suite_has_its_answer() {
    let remotes = remotes();
    let mut run = Run {
        documents: remotes
            .iter()
            .map(|(uri, text)| (uri.clone(), Arc::new(parse(text.as_bytes()))))
            .collect(),
        registry: remotes
            .iter()
            .map(|(uri, text)| (uri.clone(), serde_json::from_str(text).unwrap()))
            .collect(),
        tests: 0,
        wrong: BTreeSet::new(),
        oracle: Vec::new(),
    };
    let suite = fetched("json-schema-test-suite").join("tests");
    for (folder, draft) in FOLDERS {
        for path in files(&suite.join(folder), ".json") {
            let name = path.strip_prefix(&suite).unwrap().display().to_string();
            let assert_formats = name.contains("/optional/format/");
            run.file(&path, draft, &name, assert_formats);
        }
    }
    assert!(run.tests > 7_000, "only {} tests were found", run.tests);
    let expected: BTreeSet<String> = deviations().into_keys().collect();
    let unexpected: Vec<_> = run.wrong.difference(&expected).collect();
    let outdated: Vec<_> = expected.difference(&run.wrong).collect();
    assert!(
        unexpected.is_empty(),
        "{} of {} wrong: {unexpected:#?}",
        unexpected.len(),
        run.tests
    );
    assert!(
        outdated.is_empty(),
        "deviations that no longer differ: {outdated:#?}"
    );
    // The oracle reads the served documents by the draft of the test, whatever their `$schema` says, and asserts no
    // format when it is told so, whatever their vocabularies say.
    let is_known = |key: &&String| {
        expected.contains(*key)
            || ["/cross-draft.json", "/format-assertion.json"]
                .iter()
                .any(|file| key.contains(file))
    };
    let against: Vec<_> = run.oracle.iter().filter(|key| !is_known(key)).collect();
    assert!(against.is_empty(), "the oracle differs on {against:#?}");
}
