//! Bounds: ranges of numbers and of dates.

use super::*;

#[test]
fn numbers_lie_in_a_range() {
    bound_table(
        r#""items[].price":{"min":0,"max":100}"#,
        &[
            (
                r#"{"items":[{"price":0},{"price":100.0},{"price":50},{"price":-0.0}]}"#,
                "",
            ),
            (
                r#"{"items":[{"price":-0.000000000001},{"price":100.000000000001}]}"#,
                "items[0].price items[1].price",
            ),
            (
                r#"{"items":[{"price":1e308},{"price":-100000000000000000000000}]}"#,
                "items[0].price items[1].price",
            ),
            (
                r#"{"items":[{"price":"50"},{"price":true},{"price":[50]},{"price":"2026-10-01"}]}"#,
                "items[0].price items[1].price items[2].price items[3].price",
            ),
            (
                r#"{"items":[{"price":null},{},null,"x"]}"#,
                "items[0].price items[1].price items[2] items[3]",
            ),
            (r#"{"items":[]}"#, ""),
            (r#"{"items":{"price":5}}"#, "items"),
            (r#"{}"#, "items"),
            (r#"[]"#, "$"),
        ],
    );
    bound_table(
        r#""a.b":{"min":1}"#,
        &[
            ("{\"a\":{\"b\":1}}", ""),
            ("{\"a\":{\"b\":0}}", "a.b"),
            ("{\"a\":{\"b\":1e300}}", ""),
            ("{\"a\":5}", "a"),
        ],
    );
    bound_table(
        r#""n":{"max":9007199254740992}"#,
        &[
            ("{\"n\":9007199254740992.0}", ""),
            ("{\"n\":9007199254740993}", "n"),
        ],
    );
    bound_table(
        r#""n":{"min":0.3,"max":0.3}"#,
        &[("{\"n\":0.3}", ""), ("{\"n\":0.30000000000000004}", "n")],
    );
    bound_table(
        r#""[].lat":{"min":-90,"max":90}"#,
        &[(r#"[{"lat":90},{"lat":91},{}]"#, "[1].lat [2].lat")],
    );
    bound_table(
        r#""[\"a.b\"].c":{"min":1}"#,
        &[(r#"{"a.b":{"c":0}}"#, r#"["a.b"].c"#)],
    );
    bound_table(
        r#""deal[].legs[].pct":{"max":1}"#,
        &[(
            r#"{"deal":[{"legs":[{"pct":1},{"pct":2}]},{"legs":[]},{"legs":[{"pct":3}]}]}"#,
            "deal[0].legs[1].pct deal[2].legs[0].pct",
        )],
    );
}

#[test]
fn missing_values_may_be_allowed() {
    bound_table(
        r#""items[].price":{"min":0,"if_present":true}"#,
        &[
            (r#"{"items":[{"price":null},{},null]}"#, ""),
            (r#"{"items":null}"#, ""),
            (r#"{}"#, ""),
            (
                r#"{"items":[{"price":-1},{"price":"1"},7]}"#,
                "items[0].price items[1].price items[2]",
            ),
            (r#"{"items":"none"}"#, "items"),
        ],
    );
}

#[test]
fn dates_lie_in_a_range() {
    bound_table(
        r#""d":{"min":"2026-01-01","max":"2026-12-31T23:59:59Z"}"#,
        &[
            (r#"{"d":"2026-01-01"}"#, ""),
            (r#"{"d":"2026-01-01T00:00:00"}"#, ""),
            (r#"{"d":"2026-01-01T00:30:00+01:00"}"#, "d"),
            (r#"{"d":"2025-12-31T23:30:00-01:00"}"#, ""),
            (r#"{"d":"2026-12-31T23:59:59.000Z"}"#, ""),
            (r#"{"d":"2026-12-31T23:59:59.001Z"}"#, "d"),
            (r#"{"d":"2027-01-01T00:59:59+01:00"}"#, ""),
            (r#"{"d":"2026-02-30"}"#, "d"),
            (r#"{"d":"next week"}"#, "d"),
            (r#"{"d":20260601}"#, "d"),
            (r#"{"d":null}"#, "d"),
        ],
    );
    bound_table(
        r#""d":{"max":"9999-12-31"}"#,
        &[
            (r#"{"d":"9999-12-31"}"#, ""),
            (r#"{"d":"9999-12-31T00:00:01Z"}"#, "d"),
        ],
    );
}

#[test]
fn texts_state_the_range() {
    let texts = |bound: &str, output: &str| {
        let violation = only_violation(None, Some(&format!("{{{bound}}}")), output);
        assert_eq!(violation.check, "bounds:range");
        [violation.expected, violation.found, violation.detail]
    };
    let cases = [
        (
            r#""n":{"min":0,"max":100}"#,
            r#"{"n":120.5}"#,
            [
                "a number from 0 to 100",
                "120.5",
                "value is 120.5, expected a number from 0 to 100",
            ],
        ),
        (
            r#""n":{"min":0.5}"#,
            r#"{"n":"1"}"#,
            [
                "a number of at least 0.5",
                "\"1\"",
                "value is \"1\", expected a number of at least 0.5",
            ],
        ),
        (
            r#""n":{"max":1.0}"#,
            r#"{}"#,
            [
                "a number of at most 1.0",
                "nothing",
                "value is missing, expected a number of at most 1.0",
            ],
        ),
        (
            r#""a[].n":{"max":1}"#,
            r#"{}"#,
            ["an array", "nothing", "value is missing, expected an array"],
        ),
        (
            r#""n":{"min":"2026-01-01","max":"2026-12-31"}"#,
            r#"{"n":"2027-01-01"}"#,
            [
                "an ISO 8601 date from 2026-01-01 to 2026-12-31",
                "\"2027-01-01\"",
                "value is \"2027-01-01\", expected an ISO 8601 date from 2026-01-01 to 2026-12-31",
            ],
        ),
        (
            r#""n":{"max":"2026-12-31"}"#,
            r#"{"n":5}"#,
            [
                "an ISO 8601 date not after 2026-12-31",
                "5",
                "value is 5, expected an ISO 8601 date not after 2026-12-31",
            ],
        ),
    ];
    for (bound, output, expected) in cases {
        assert_eq!(texts(bound, output), expected, "{bound}");
    }
}
