//! What is wrong with rules and bounds is named, all of it at once.

use super::*;
use crate::limits::{MAX_BOUNDS, MAX_FIELD_PROBLEMS, MAX_RULES};

/// The problems of a rule as `field problem`, the field without `rules[0]`.
fn problems(rule: &str) -> Vec<String> {
    let problems = match compile(Some(&format!("[{rule}]")), None) {
        Ok(_) => return Vec::new(),
        Err(problems) => problems,
    };
    let mut listed = Vec::new();
    for problem in problems {
        assert!(problem.fix.ends_with('.'), "{}", problem.fix);
        let field = problem.field.strip_prefix("rules[0]").unwrap();
        listed.push(format!("{field} {}", problem.problem));
    }
    listed
}

#[test]
fn every_fault_of_a_rule_is_named() {
    let cases: &[(&str, &[&str])] = &[
        ("7", &[" is not an object"]),
        ("null", &[" is not an object"]),
        ("{}", &[".type is missing", ".field is missing"]),
        (
            r#"{"type":"sum","field":"a"}"#,
            &[".type is not one of the allowed values"],
        ),
        (
            r#"{"type":1,"field":"a"}"#,
            &[".type is not one of the allowed values"],
        ),
        (r#"{"type":"unique"}"#, &[".field is missing"]),
        (r#"{"type":"unique","field":null}"#, &[".field is missing"]),
        (r#"{"type":"unique","field":5}"#, &[".field is not a string"]),
        (r#"{"type":"unique","field":""}"#, &[".field is an empty path"]),
        (
            r#"{"type":"unique","field":"items[0].price"}"#,
            &[".field picks one element of an array by its number"],
        ),
        (
            r#"{"type":"unique","field":"a..b"}"#,
            &[".field has a dot that no key stands before or after"],
        ),
        (
            r#"{"type":"unique","field":"a[]","fields":"b"}"#,
            &[".fields is not a known field"],
        ),
        (
            r#"{"type":"unique","field":"a[]","x.y":1}"#,
            &["[\"x.y\"] is not a known field"],
        ),
        (
            r#"{"type":"unique","field":"a[]","value":1,"values":[1]}"#,
            &[
                ".value does not belong to a rule of the type 'unique'",
                ".values does not belong to a rule of the type 'unique'",
            ],
        ),
        (
            r#"{"type":"sum_equals","field":"a[]"}"#,
            &[" has neither 'equals_field' nor 'equals'"],
        ),
        (
            r#"{"type":"sum_equals","field":"a[]","equals":1,"equals_field":"t"}"#,
            &[".equals is given beside 'equals_field'"],
        ),
        (
            r#"{"type":"sum_equals","field":"a[]","equals":"1"}"#,
            &[".equals is not a number"],
        ),
        (
            r#"{"type":"sum_equals","field":"a[]","equals_field":"t."}"#,
            &[".equals_field has a dot that no key stands before or after"],
        ),
        (
            r#"{"type":"sum_equals","field":"a[]","other_field":"t"}"#,
            &[
                ".other_field does not belong to a rule of the type 'sum_equals'",
                " has neither 'equals_field' nor 'equals'",
            ],
        ),
        (
            r#"{"type":"gte","field":"a"}"#,
            &[" has neither 'value' nor 'other_field'"],
        ),
        (
            r#"{"type":"gte","field":"a","value":null}"#,
            &[" has neither 'value' nor 'other_field'"],
        ),
        (
            r#"{"type":"lte","field":"a","value":1,"other_field":"b"}"#,
            &[".other_field is given beside 'value'"],
        ),
        (
            r#"{"type":"gte","field":"a","value":"x"}"#,
            &[".value is neither a number nor an ISO 8601 date or date-time"],
        ),
        (
            r#"{"type":"gte","field":"a","value":[1]}"#,
            &[".value is neither a number nor an ISO 8601 date or date-time"],
        ),
        (
            r#"{"type":"lte","field":"a","other_field":1}"#,
            &[".other_field is not a string"],
        ),
        (
            r#"{"type":"exists_in","field":"a"}"#,
            &[" has neither 'values' nor 'in_field'"],
        ),
        (
            r#"{"type":"exists_in","field":"a","values":"b"}"#,
            &[".values is not an array"],
        ),
        (
            r#"{"type":"exists_in","field":"a","values":[],"in_field":"b"}"#,
            &[".in_field is given beside 'values'"],
        ),
        (
            r#"{"type":"exists_in","field":"a","in_field":"b","tolerance":-1}"#,
            &[".tolerance is not a number of at least 0"],
        ),
        (
            r#"{"type":"gte","field":"a","value":1,"tolerance":"0"}"#,
            &[".tolerance is not a number of at least 0"],
        ),
        (
            r#"{"type":"gte","field":"a","value":1,"if_present":1}"#,
            &[".if_present is not a boolean"],
        ),
        (
            r#"{"type":"nope","field":"a[0]","equals":"x","if_present":"y","tolerance":-0.1,"z":0}"#,
            &[
                ".z is not a known field",
                ".type is not one of the allowed values",
                ".field picks one element of an array by its number",
                ".if_present is not a boolean",
                ".tolerance is not a number of at least 0",
                ".equals is not a number",
            ],
        ),
    ];
    for (rule, expected) in cases {
        assert_eq!(problems(rule), *expected, "{rule}");
    }
}

#[test]
fn rules_that_are_right_have_no_problem() {
    let right = [
        r#"{"type":"unique","field":"a[]","tolerance":0.5,"value":null,"in_field":null}"#,
        r#"{"type":"sum_equals","field":"a[]","equals":1e5,"equals_field":null,"tolerance":-0.0}"#,
        r#"{"type":"gte","field":"a","value":"2026-10-01T08:30:00+02:00","if_present":null}"#,
        r#"{"type":"exists_in","field":"a","values":[]}"#,
        r#"{"type":"lte","field":"a","other_field":"[\"b.c\"][]","tolerance":0}"#,
    ];
    for rule in right {
        assert_eq!(problems(rule), Vec::<String>::new(), "{rule}");
    }
}

#[test]
fn every_fault_of_a_bound_is_named() {
    let cases: &[(&str, &[&str])] = &[
        (r#""n":5"#, &["bounds.n is not an object"]),
        (r#""n":null"#, &["bounds.n is not an object"]),
        (r#""n":{}"#, &["bounds.n has neither 'min' nor 'max'"]),
        (
            r#""n":{"min":null,"if_present":true}"#,
            &["bounds.n has neither 'min' nor 'max'"],
        ),
        (
            r#""n":{"min":0,"maximum":5}"#,
            &["bounds.n.maximum is not a known field"],
        ),
        (
            r#""a.b":{"min":true}"#,
            &["bounds[\"a.b\"].min is neither a number nor an ISO 8601 date or date-time"],
        ),
        (
            r#""a.b":{"max":"5"}"#,
            &["bounds[\"a.b\"].max is neither a number nor an ISO 8601 date or date-time"],
        ),
        (
            r#""n":{"min":5,"max":4.999}"#,
            &["bounds.n.min is greater than 'max'"],
        ),
        (
            r#""n":{"min":"2026-10-01T01:00:00Z","max":"2026-10-01T02:30:00+02:00"}"#,
            &["bounds.n.min is greater than 'max'"],
        ),
        (
            r#""n":{"min":5,"max":"2026-10-01"}"#,
            &["bounds.n.max is not of the same kind as 'min'"],
        ),
        (
            r#""n":{"min":5,"if_present":"no"}"#,
            &["bounds.n.if_present is not a boolean"],
        ),
        (r#""":{"min":5}"#, &["bounds[\"\"] is an empty path"]),
        (
            r#""a[2]":{"min":5}"#,
            &["bounds[\"a[2]\"] picks one element of an array by its number"],
        ),
        (
            r#""a[":{"min":[],"max":{},"x":1},"b":{"min":1},"c":[]"#,
            &[
                "bounds[\"a[\"] has a bracket that belongs neither to '[]' nor to a quoted key",
                "bounds[\"a[\"].x is not a known field",
                "bounds[\"a[\"].min is neither a number nor an ISO 8601 date or date-time",
                "bounds[\"a[\"].max is neither a number nor an ISO 8601 date or date-time",
                "bounds.c is not an object",
            ],
        ),
    ];
    for (bound, expected) in cases {
        let problems = compile(None, Some(&format!("{{{bound}}}"))).unwrap_err();
        let listed: Vec<String> = problems
            .iter()
            .map(|problem| format!("{} {}", problem.field, problem.problem))
            .collect();
        assert_eq!(listed, *expected, "{bound}");
        assert!(problems.iter().all(|problem| problem.fix.ends_with('.')));
    }
}

#[test]
fn the_lists_themselves_can_be_wrong() {
    fn fields(rules: Option<&str>, bounds: Option<&str>) -> Vec<String> {
        let problems = compile(rules, bounds).unwrap_err();
        problems.into_iter().map(|problem| problem.field).collect()
    }
    assert_eq!(fields(Some("{}"), Some("[]")), ["rules", "bounds"]);
    assert_eq!(fields(Some("\"\""), Some("false")), ["rules", "bounds"]);
    assert_eq!(
        fields(Some("[[],{\"type\":\"x\"}]"), None),
        ["rules[0]", "rules[1].type", "rules[1].field"]
    );

    let rule = r#"{"type":"unique","field":"a[]"}"#;
    let rules = |count: usize| format!("[{}]", vec![rule; count].join(","));
    assert_eq!(
        compile(Some(&rules(MAX_RULES)), None).unwrap().check_count(),
        MAX_RULES
    );
    assert_eq!(fields(Some(&rules(MAX_RULES + 1)), None), ["rules"]);
    let bounds = |count: usize| {
        let bounds: Vec<String> = (0..count).map(|n| format!("\"n{n}\":{{\"min\":0}}")).collect();
        format!("{{{}}}", bounds.join(","))
    };
    assert_eq!(
        compile(None, Some(&bounds(MAX_BOUNDS))).unwrap().check_count(),
        MAX_BOUNDS
    );
    assert_eq!(fields(None, Some(&bounds(MAX_BOUNDS + 1))), ["bounds"]);
}

#[test]
fn a_full_list_of_problems_still_refuses() {
    let mut problems = FieldProblems::default();
    for _ in 0..MAX_FIELD_PROBLEMS {
        problems.add("task_id", "is missing", "Give one.");
    }
    let rules = document("[7]");
    assert!(RuleSet::parse(Some(rules.root()), None, &mut problems).is_none());
    // A problem of another part does not refuse these.
    let rules = document("[]");
    assert!(RuleSet::parse(Some(rules.root()), None, &mut problems).is_some());
}
