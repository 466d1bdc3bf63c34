//! Rules and bounds by what they answer.
//!
//! `published` holds the published vectors, `rules` and `bounds` the tables of each type, `problems` what is refused,
//! `model` random outputs against plainly written models, `limits` the work on hostile ones.

mod bounds;
mod limits;
mod model;
mod problems;
mod published;
mod rules;

use super::RuleSet;
use crate::json::{Document, ParseLimits, parse_exact};
use crate::meter::Meter;
use crate::problem::{FieldProblem, FieldProblems, ProblemCode};
use crate::verdict::{Tally, Violation, Violations};

fn document(text: &str) -> Document {
    let mut document = Document::new();
    parse_exact(text.as_bytes(), &ParseLimits::default(), &mut document)
        .unwrap_or_else(|error| panic!("{error}: {text:.200}"));
    document
}

/// Compiles rules and bounds given as JSON texts.
fn compile(rules: Option<&str>, bounds: Option<&str>) -> Result<RuleSet, Vec<FieldProblem>> {
    let rules = rules.map(document);
    let bounds = bounds.map(document);
    let mut problems = FieldProblems::default();
    let compiled = RuleSet::parse(
        rules.as_ref().map(Document::root),
        bounds.as_ref().map(Document::root),
        &mut problems,
    );
    match compiled {
        Some(compiled) => {
            assert!(problems.is_empty());
            Ok(compiled)
        }
        None => Err(problems.into_problem(ProblemCode::InvalidRequest).fields),
    }
}

/// Checks an output given as a JSON text.
fn check(rules: &RuleSet, output: &str) -> (Tally, Violations) {
    let output = document(output);
    let root = output.root();
    let mut meter = Meter::for_sizes(root.node_count(), root.text_bytes(), 0);
    let mut tally = Tally::default();
    let mut violations = Violations::default();
    rules
        .check(root, &mut meter, &mut tally, &mut violations)
        .unwrap();
    assert_eq!(tally.total, rules.check_count() as u64);
    assert_eq!(tally.passed == tally.total, violations.is_empty());
    (tally, violations)
}

/// Checks one rule and gives the fields that violate it.
#[track_caller]
fn fields(rule: &str, output: &str) -> Vec<String> {
    let rules = format!("[{rule}]");
    let compiled = compile(Some(&rules), None).unwrap_or_else(|p| panic!("{rule}: {p:?}"));
    let (_, violations) = check(&compiled, output);
    violations.entries.into_iter().map(|v| v.field).collect()
}

/// Checks one bound and gives the fields that violate it.
#[track_caller]
fn bound_fields(bound: &str, output: &str) -> Vec<String> {
    let bounds = format!("{{{bound}}}");
    let compiled = compile(None, Some(&bounds)).unwrap_or_else(|p| panic!("{bound}: {p:?}"));
    let (_, violations) = check(&compiled, output);
    violations.entries.into_iter().map(|v| v.field).collect()
}

/// Holds one rule against outputs, each with the fields that are to violate it, separated by spaces.
#[track_caller]
fn table(rule: &str, cases: &[(&str, &str)]) {
    for (output, expected) in cases {
        let expected: Vec<&str> = expected.split(' ').filter(|field| !field.is_empty()).collect();
        assert_eq!(fields(rule, output), expected, "{rule} on {output}");
    }
}

/// The same for one bound.
#[track_caller]
fn bound_table(bound: &str, cases: &[(&str, &str)]) {
    for (output, expected) in cases {
        let expected: Vec<&str> = expected.split(' ').filter(|field| !field.is_empty()).collect();
        assert_eq!(bound_fields(bound, output), expected, "{bound} on {output}");
    }
}

/// The only violation of a rule, or of a bound where `rules` is `None`.
#[track_caller]
fn only_violation(rules: Option<&str>, bounds: Option<&str>, output: &str) -> Violation {
    let compiled = compile(rules, bounds).unwrap();
    let (_, violations) = check(&compiled, output);
    assert_eq!(violations.total, 1, "{:?}", violations.entries);
    violations.entries[0].clone()
}

/// Expected, found and detail of the only violation of a rule.
#[track_caller]
fn texts(rule: &str, output: &str) -> [String; 3] {
    let violation = only_violation(Some(&format!("[{rule}]")), None, output);
    [violation.expected, violation.found, violation.detail]
}
