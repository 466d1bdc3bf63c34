//! The work on large and hostile outputs is bounded and metered.

use super::*;
use crate::limits::MAX_LIST_ENTRIES;
use crate::meter::LimitExceeded;

fn array_of(count: usize, element: impl Fn(usize) -> String) -> String {
    let elements: Vec<String> = (0..count).map(element).collect();
    format!("[{}]", elements.join(","))
}

#[test]
fn large_outputs_fit_into_their_meter() {
    let rules = compile(
        Some(
            r#"[{"type":"sum_equals","field":"[].n","equals":4999950000},
                {"type":"unique","field":"[].n"},
                {"type":"exists_in","field":"[].n","in_field":"[].n"},
                {"type":"gte","field":"[].n","other_field":"[].m"},
                {"type":"lte","field":"[].m","value":100000}]"#,
        ),
        Some(r#"{"[].n":{"min":0,"max":99999}}"#),
    )
    .unwrap();
    let output = array_of(100_000, |n| format!("{{\"n\":{n},\"m\":{n}.0}}"));
    let (tally, violations) = check(&rules, &output);
    assert_eq!(
        (tally.passed, tally.total),
        (6, 6),
        "{:?}",
        violations.entries.first()
    );
}

#[test]
fn violations_past_the_list_are_counted() {
    let rules = compile(
        Some(r#"[{"type":"unique","field":"[]"},{"type":"gte","field":"[]","value":8}]"#),
        None,
    )
    .unwrap();
    let (_, violations) = check(&rules, &array_of(50_000, |n| (n % 2).to_string()));
    assert_eq!(violations.total, 49_998 + 50_000);
    assert_eq!(violations.entries.len(), MAX_LIST_ENTRIES);
    assert_eq!(violations.entries[0].field, "[2]");
    assert_eq!(violations.entries[99].found, "1, the same as [1]");
}

#[test]
fn numbers_of_every_size_sum_in_linear_time() {
    let rules = compile(
        Some(r#"[{"type":"sum_equals","field":"[]","equals":1e300}]"#),
        None,
    )
    .unwrap();
    // One by one, each of these additions would take 600 digits.
    let output = array_of(100_000, |n| {
        let exponent = (n / 2) % 300;
        match n % 2 {
            0 => format!("1e{exponent}"),
            _ => format!("-1e{exponent}"),
        }
    });
    let (_, violations) = check(&rules, &output);
    assert_eq!(violations.entries[0].found, "sum 0.0");
}

/// What a check of `rules` uses of a meter that allows everything the smallest output may use.
fn outcome(rules: &str, output: &str) -> Result<(), LimitExceeded> {
    let rules = compile(Some(rules), None).unwrap();
    let output = document(output);
    rules.check(
        output.root(),
        &mut Meter::for_sizes(0, 0, 0),
        &mut Tally::default(),
        &mut Violations::default(),
    )
}

#[test]
fn every_kind_of_work_is_metered() {
    let numbers = array_of(10_000, |n| n.to_string());
    let members: Vec<String> = (0..10_000).map(|n| format!("\"k{n}\":1")).collect();
    let wide = format!("{{{}}}", members.join(","));
    let big = format!("[{}]", vec!["9".repeat(1_000); 300].join(","));
    let long = format!("[\"{}\"]", "x".repeat(1_000_000));
    let tiny = array_of(1_000, |_| "1e-300".to_owned());
    let cases = [
        // Visits of elements, of members passed over, of digits, of texts, and exact comparisons.
        (r#"{"type":"gte","field":"[]","value":0}"#, numbers.as_str()),
        (r#"{"type":"gte","field":"k9999","value":0}"#, wide.as_str()),
        (r#"{"type":"sum_equals","field":"[]","equals":0}"#, big.as_str()),
        (r#"{"type":"unique","field":"[]"}"#, long.as_str()),
        (
            r#"{"type":"exists_in","field":"[]","values":["x"]}"#,
            long.as_str(),
        ),
        (
            r#"{"type":"gte","field":"[]","value":1e300,"tolerance":1e300}"#,
            tiny.as_str(),
        ),
    ];
    for (rule, output) in cases {
        assert_eq!(outcome(&format!("[{rule}]"), output), Ok(()), "{rule}");
        let many = vec![rule; 400].join(",");
        assert_eq!(
            outcome(&format!("[{many}]"), output),
            Err(LimitExceeded::Steps),
            "{rule}"
        );
    }
}

#[test]
fn deep_outputs_and_paths_are_walked_without_recursion() {
    let depth = 128;
    let output = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let path = "[]".repeat(500);
    let rule = format!("{{\"type\":\"gte\",\"field\":\"{path}\",\"value\":0}}");
    assert!(fields(&rule, &output).is_empty());
    let output = format!("{}7{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(fields(&rule, &output), ["[0]".repeat(depth)]);
}
