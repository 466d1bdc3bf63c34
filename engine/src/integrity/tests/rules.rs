//! Each type of rule: what holds, what violates and where.

use super::*;

#[test]
fn sum_equals_compares_with_a_field() {
    let rule = r#"{"type":"sum_equals","field":"items[].price","equals_field":"total"}"#;
    table(
        rule,
        &[
            (r#"{"items":[{"price":0.1},{"price":0.2}],"total":0.3}"#, ""),
            (
                r#"{"items":[{"price":99.99},{"price":29.52}],"total":129.5}"#,
                "items[].price",
            ),
            (r#"{"items":[{"price":1},{"price":2.0}],"total":3}"#, ""),
            (r#"{"items":[{"price":-1},{"price":1}],"total":0.0}"#, ""),
            (r#"{"items":[],"total":0}"#, ""),
            (r#"{"items":[],"total":1}"#, "items[].price"),
            // Off by exactly the tolerance holds, by more does not.
            (r#"{"items":[{"price":1}],"total":1.000000001}"#, ""),
            (r#"{"items":[{"price":1}],"total":0.999999999}"#, ""),
            (
                r#"{"items":[{"price":1}],"total":1.0000000010000003}"#,
                "items[].price",
            ),
            // Doubles would lose the unit.
            (
                r#"{"items":[{"price":9007199254740993},{"price":1e16}],"total":19007199254740993}"#,
                "",
            ),
            (
                r#"{"items":[{"price":9007199254740993},{"price":1e16}],"total":19007199254740992}"#,
                "items[].price",
            ),
            (
                r#"{"items":[{"price":123456789012345678901234567890123456789012345678901234567890},{"price":1}],"total":123456789012345678901234567890123456789012345678901234567891}"#,
                "",
            ),
            (
                r#"{"items":[{"price":123456789012345678901234567890123456789012345678901234567890},{"price":1}],"total":123456789012345678901234567890123456789012345678901234567890}"#,
                "items[].price",
            ),
            // The target is missing, null, no number.
            (r#"{"items":[{"price":10}]}"#, "total"),
            (r#"{"items":[],"total":null}"#, "total"),
            (r#"{"items":[],"total":"0"}"#, "total"),
            (r#"{"items":[],"total":[0]}"#, "total"),
            // Summands are missing, null, no numbers; without them there is no sum to compare.
            (
                r#"{"items":[{"price":1},{},{"price":null},{"price":"2"},{"price":true}],"total":9}"#,
                "items[1].price items[2].price items[3].price items[4].price",
            ),
            (
                r#"{"items":[{"price":[1]},null,"x",7],"total":1}"#,
                "items[0].price items[1] items[2] items[3]",
            ),
            (r#"{"items":{"price":1},"total":1}"#, "items"),
            (r#"{"items":null,"total":0}"#, "items"),
            (r#"{"total":0}"#, "items"),
            (r#"{}"#, "items total"),
            (r#"[]"#, "$ $"),
            (r#"null"#, "$ $"),
        ],
    );
}

#[test]
fn sum_equals_leaves_out_what_may_be_missing() {
    table(
        r#"{"type":"sum_equals","field":"items[].price","equals_field":"total","if_present":true}"#,
        &[
            (r#"{"items":[{"price":1},{},{"price":null},null],"total":1}"#, ""),
            (r#"{"items":[{"price":1},{}],"total":2}"#, "items[].price"),
            (r#"{"items":[{},{}],"total":0}"#, ""),
            (r#"{"items":[{},{}],"total":1}"#, "items[].price"),
            (r#"{"items":[{"price":"1"}],"total":1}"#, "items[0].price"),
            (r#"{"items":"none","total":1}"#, "items"),
            // A whole path that is missing leaves nothing to compare.
            (r#"{"items":null,"total":1}"#, ""),
            (r#"{"total":1}"#, ""),
            (r#"{"items":[{"price":1}]}"#, ""),
            (r#"{"items":[{"price":1}],"total":"1"}"#, "total"),
        ],
    );
}

#[test]
fn sum_equals_compares_with_a_number() {
    table(
        r#"{"type":"sum_equals","field":"a[].b[].c","equals":10,"tolerance":0.5}"#,
        &[
            (r#"{"a":[{"b":[{"c":4},{"c":3}]},{"b":[]},{"b":[{"c":3}]}]}"#, ""),
            (r#"{"a":[{"b":[{"c":10.5}]}]}"#, ""),
            (r#"{"a":[{"b":[{"c":9.5}]}]}"#, ""),
            (r#"{"a":[{"b":[{"c":9.49}]}]}"#, "a[].b[].c"),
            (r#"{"a":[{"b":[{"c":10}]},{"b":[{}]},{}]}"#, "a[1].b[0].c a[2].b"),
        ],
    );
    table(
        r#"{"type":"sum_equals","field":"share","equals":1.0,"tolerance":0}"#,
        &[
            ("{\"share\":1}", ""),
            ("{\"share\":1.0000000001}", "share"),
            ("{}", "share"),
        ],
    );
    table(
        r#"{"type":"sum_equals","field":"[]","equals":5e-324,"tolerance":0}"#,
        &[
            ("[1e308,5e-324,-1e308]", ""),
            ("[1e308,-1e308]", "[]"),
            ("{}", "$"),
        ],
    );
}

#[test]
fn sum_equals_needs_one_target() {
    table(
        r#"{"type":"sum_equals","field":"items[].price","equals_field":"totals[].of"}"#,
        &[
            (r#"{"items":[{"price":3}],"totals":[{"of":3}]}"#, ""),
            (
                r#"{"items":[{"price":3}],"totals":[{"of":3},{"of":3}]}"#,
                "totals[].of",
            ),
            (r#"{"items":[],"totals":[]}"#, "totals[].of"),
            (r#"{"items":[],"totals":[{"of":0},{}]}"#, "totals[1].of"),
        ],
    );
    // The sum is over the whole output, also where both paths step through the same array.
    table(
        r#"{"type":"sum_equals","field":"orders[].lines[].amount","equals_field":"orders[].total"}"#,
        &[
            (
                r#"{"orders":[{"lines":[{"amount":1},{"amount":2}],"total":3}]}"#,
                "",
            ),
            (
                r#"{"orders":[{"lines":[{"amount":1}],"total":1},{"lines":[{"amount":2}],"total":2}]}"#,
                "orders[].total",
            ),
        ],
    );
}

#[test]
fn gte_and_lte_compare_with_a_number() {
    table(
        r#"{"type":"gte","field":"items[].qty","value":1}"#,
        &[
            (
                r#"{"items":[{"qty":1},{"qty":1.0},{"qty":100000000000000000000000}]}"#,
                "",
            ),
            (r#"{"items":[{"qty":0.999999999}]}"#, ""),
            (
                r#"{"items":[{"qty":2},{"qty":0.99},{"qty":-5}]}"#,
                "items[1].qty items[2].qty",
            ),
            (
                r#"{"items":[{"qty":"2"},{"qty":null},{},{"qty":[2]},3]}"#,
                "items[0].qty items[1].qty items[2].qty items[3].qty items[4]",
            ),
            (r#"{"items":[]}"#, ""),
            (r#"{"items":{}}"#, "items"),
            (r#"{}"#, "items"),
            (r#"7"#, "$"),
        ],
    );
    table(
        r#"{"type":"gte","field":"items[].qty","value":1,"if_present":true}"#,
        &[
            (r#"{"items":[{"qty":null},{},null]}"#, ""),
            (r#"{}"#, ""),
            (
                r#"{"items":[{"qty":"x"},{"qty":0}]}"#,
                "items[0].qty items[1].qty",
            ),
            (r#"{"items":"x"}"#, "items"),
        ],
    );
    table(
        r#"{"type":"lte","field":"n","value":9007199254740992,"tolerance":0}"#,
        &[
            ("{\"n\":9007199254740992}", ""),
            ("{\"n\":9007199254740993}", "n"),
            ("{\"n\":-1e308}", ""),
        ],
    );
    table(
        r#"{"type":"lte","field":"n","value":10,"tolerance":0.25}"#,
        &[("{\"n\":10.25}", ""), ("{\"n\":10.250000001}", "n")],
    );
}

#[test]
fn gte_and_lte_compare_with_a_field() {
    table(
        r#"{"type":"gte","field":"a","other_field":"b"}"#,
        &[
            (r#"{"a":10,"b":9}"#, ""),
            (r#"{"a":10,"b":10.0}"#, ""),
            (r#"{"a":"10","b":9}"#, "a"),
            (r#"{"a":10,"b":"9"}"#, "b"),
            (r#"{"a":"10","b":"9"}"#, "b"),
            (r#"{"a":true,"b":false}"#, "b"),
            (r#"{"a":10}"#, "b"),
            (r#"{"a":10,"b":null}"#, "b"),
            (r#"{"b":10}"#, "a"),
        ],
    );
    table(
        r#"{"type":"lte","field":"min","other_field":"max"}"#,
        &[(r#"{"min":1,"max":2}"#, ""), (r#"{"min":2.5,"max":2}"#, "min")],
    );
    // Without a shared array there is one operand for all values.
    table(
        r#"{"type":"lte","field":"items[].price","other_field":"limits[].price"}"#,
        &[
            (
                r#"{"items":[{"price":1},{"price":2}],"limits":[{"price":2}]}"#,
                "",
            ),
            (
                r#"{"items":[{"price":1},{"price":3}],"limits":[{"price":2}]}"#,
                "items[1].price",
            ),
            (
                r#"{"items":[{"price":1}],"limits":[{"price":2},{"price":3}]}"#,
                "limits[].price",
            ),
            (r#"{"items":[{"price":1}],"limits":[]}"#, "limits[].price"),
            (r#"{"items":[],"limits":[{"price":2}]}"#, ""),
        ],
    );
    table(
        r#"{"type":"lte","field":"a","other_field":"b","if_present":true}"#,
        &[
            (r#"{"a":3}"#, ""),
            (r#"{"b":1}"#, ""),
            (r#"{"a":3,"b":null}"#, ""),
            (r#"{"a":3,"b":2}"#, "a"),
            (r#"{"a":3,"b":"x"}"#, "b"),
        ],
    );
}

#[test]
fn gte_compares_inside_shared_arrays() {
    table(
        r#"{"type":"gte","field":"rows[].a","other_field":"rows[].b"}"#,
        &[
            (
                r#"{"rows":[{"a":5,"b":0},{"a":4,"b":3},{"a":6,"b":6},{"a":6,"b":8}]}"#,
                "rows[3].a",
            ),
            (r#"{"rows":[{"a":1,"b":1},{"a":9,"b":9}]}"#, ""),
            (
                r#"{"rows":[{"a":1},{"b":1},{"a":0,"b":1},null,{"a":1,"b":{}}]}"#,
                "rows[0].b rows[1].a rows[2].a rows[3] rows[4].b",
            ),
            (r#"{"rows":[]}"#, ""),
            (r#"{}"#, "rows"),
            (r#"{"rows":5}"#, "rows"),
        ],
    );
    table(
        r#"{"type":"gte","field":"rows[].a","other_field":"rows[].b","if_present":true}"#,
        &[
            (r#"{"rows":[{"a":1},{"b":1},{},null,{"a":0,"b":1}]}"#, "rows[4].a"),
            (r#"{}"#, ""),
            (r#"{"rows":[7]}"#, "rows[0]"),
        ],
    );
    // Two levels, the operand beside the value.
    table(
        r#"{"type":"gte","field":"a[].b[].c","other_field":"a[].b[].d"}"#,
        &[
            (
                r#"{"a":[{"b":[{"c":1,"d":1}]},{"b":[{"c":2,"d":1},{"c":1,"d":2}]}]}"#,
                "a[1].b[1].c",
            ),
            (r#"{"a":[{"b":[]},{"b":[{"c":1}]},{}]}"#, "a[1].b[0].d a[2].b"),
        ],
    );
    // Two levels, the operand one level above.
    table(
        r#"{"type":"lte","field":"a[].b[].c","other_field":"a[].limit"}"#,
        &[
            (
                r#"{"a":[{"limit":2,"b":[{"c":1},{"c":3}]},{"limit":9,"b":[{"c":3}]}]}"#,
                "a[0].b[1].c",
            ),
            (
                r#"{"a":[{"b":[{"c":1}]},{"limit":0,"b":[{"c":0}]}]}"#,
                "a[0].limit",
            ),
        ],
    );
    // Inside an element the operand must be one value too.
    table(
        r#"{"type":"gte","field":"a[].max","other_field":"a[].b[].c"}"#,
        &[(
            r#"{"a":[{"max":5,"b":[{"c":4}]},{"max":5,"b":[{"c":1},{"c":2}]},{"max":5,"b":[]}]}"#,
            "a[1].b[].c a[2].b[].c",
        )],
    );
    table(
        r#"{"type":"gte","field":"[].hi","other_field":"[].lo"}"#,
        &[
            (r#"[{"hi":2,"lo":1},{"hi":1,"lo":2}]"#, "[1].hi"),
            (r#"{"hi":1}"#, "$"),
        ],
    );
    table(
        r#"{"type":"gte","field":"x[]","other_field":"x[]"}"#,
        &[(r#"{"x":[3,1,2]}"#, ""), (r#"{"x":["a"]}"#, "x[0]")],
    );
}

#[test]
fn gte_compares_dates_as_instants() {
    table(
        r#"{"type":"gte","field":"end","other_field":"start"}"#,
        &[
            (r#"{"end":"2026-10-02","start":"2026-10-01"}"#, ""),
            (
                r#"{"end":"2026-10-01T01:00:00+02:00","start":"2026-10-01"}"#,
                "end",
            ),
            (r#"{"end":"2026-10-01","start":"2026-10-01T02:00:00+02:00"}"#, ""),
            (r#"{"end":20261002,"start":"2026-10-01"}"#, "end"),
            (r#"{"end":"soon","start":"2026-10-01"}"#, "end"),
            (r#"{"end":"2026-10-01","start":"now"}"#, "start"),
        ],
    );
    table(
        r#"{"type":"lte","field":"due[]","value":"2026-12-31","tolerance":5}"#,
        &[(
            r#"{"due":["2026-12-31","2026-12-31T00:00:00.1Z",3]}"#,
            "due[1] due[2]",
        )],
    );
}

#[test]
fn exists_in_looks_values_up() {
    table(
        r#"{"type":"exists_in","field":"items[].sku","values":["A",1,true,{"x":[1],"y":null},null]}"#,
        &[
            (
                r#"{"items":[{"sku":"A"},{"sku":1.0},{"sku":true},{"sku":{"y":null,"x":[1e0]}}]}"#,
                "",
            ),
            (
                r#"{"items":[{"sku":"a"},{"sku":"1"},{"sku":false},{"sku":{"x":[1]}},{"sku":[]}]}"#,
                "items[0].sku items[1].sku items[2].sku items[3].sku items[4].sku",
            ),
            // Null is missing, even where the list holds it.
            (r#"{"items":[{"sku":null},{}]}"#, "items[0].sku items[1].sku"),
            (r#"{"items":[]}"#, ""),
            (r#"{}"#, "items"),
        ],
    );
    table(
        r#"{"type":"exists_in","field":"sku","values":[],"if_present":true}"#,
        &[(r#"{"sku":"A"}"#, "sku"), (r#"{}"#, ""), (r#"{"sku":null}"#, "")],
    );
}

#[test]
fn exists_in_looks_into_another_field() {
    let rule = r#"{"type":"exists_in","field":"lines[].sku","in_field":"catalog[].sku"}"#;
    table(
        rule,
        &[
            (
                r#"{"lines":[{"sku":"B"},{"sku":"A"}],"catalog":[{"sku":"A"},{"sku":"B"}]}"#,
                "",
            ),
            (
                r#"{"lines":[{"sku":"B"},{"sku":"C"}],"catalog":[{"sku":"A"},{"sku":"B"}]}"#,
                "lines[1].sku",
            ),
            (r#"{"lines":[{"sku":2}],"catalog":[{"sku":2.0}]}"#, ""),
            (r#"{"lines":[],"catalog":[]}"#, ""),
            (r#"{"lines":[{"sku":"A"}],"catalog":[]}"#, "lines[0].sku"),
            // With a part of the catalog unknown nothing is judged by it.
            (
                r#"{"lines":[{"sku":"Z"}],"catalog":[{"sku":"A"},{}]}"#,
                "catalog[1].sku",
            ),
            (r#"{"lines":[{"sku":"Z"}]}"#, "catalog"),
            (r#"{"lines":[{"sku":"Z"}],"catalog":"A"}"#, "catalog"),
        ],
    );
    table(
        r#"{"type":"exists_in","field":"lines[].sku","in_field":"catalog[].sku","if_present":true}"#,
        &[
            (r#"{"lines":[{"sku":"Z"}]}"#, ""),
            (
                r#"{"lines":[{"sku":"Z"},{}],"catalog":[{"sku":"A"},{}]}"#,
                "lines[0].sku",
            ),
            (r#"{"lines":[{"sku":"Z"}],"catalog":[]}"#, "lines[0].sku"),
        ],
    );
    // The values of all elements count, also where both paths step through the same array.
    table(
        r#"{"type":"exists_in","field":"nodes[].parent","in_field":"nodes[].id","if_present":true}"#,
        &[
            (
                r#"{"nodes":[{"id":1},{"id":2,"parent":1},{"id":3,"parent":2}]}"#,
                "",
            ),
            (r#"{"nodes":[{"id":1},{"id":2,"parent":9}]}"#, "nodes[1].parent"),
        ],
    );
}

#[test]
fn unique_finds_equal_values() {
    table(
        r#"{"type":"unique","field":"x[]"}"#,
        &[
            (r#"{"x":[1,true,1.5]}"#, ""),
            (r#"{"x":[1,1.0]}"#, "x[1]"),
            (r#"{"x":[0,-0.0,0e5]}"#, "x[1] x[2]"),
            (r#"{"x":["a","A","ａ"]}"#, ""),
            (r#"{"x":["1",1,[1],{"1":1}]}"#, ""),
            (r#"{"x":["b","a","b","a","b"]}"#, "x[2] x[3] x[4]"),
            (r#"{"x":[{"a":1,"b":[2]},{"b":[2.0],"a":1e0}]}"#, "x[1]"),
            (r#"{"x":[[1,2],[2,1]]}"#, ""),
            (
                r#"{"x":[9007199254740992,9007199254740993,9007199254740992.0]}"#,
                "x[2]",
            ),
            (r#"{"x":[100000000000000000000000,1e23]}"#, "x[1]"),
            (r#"{"x":[null,1,null]}"#, "x[0] x[2]"),
            (r#"{"x":[]}"#, ""),
            (r#"{"x":7}"#, "x"),
            (r#"{}"#, "x"),
        ],
    );
    table(
        r#"{"type":"unique","field":"a[].b[].c"}"#,
        &[
            (
                r#"{"a":[{"b":[{"c":1},{"c":2}]},{"b":[{"c":3},{"c":1}]}]}"#,
                "a[1].b[1].c",
            ),
            (r#"{"a":[{"b":[{"c":1},{}]},{}]}"#, "a[0].b[1].c a[1].b"),
        ],
    );
    table(
        r#"{"type":"unique","field":"items[].id","if_present":true}"#,
        &[
            (
                r#"{"items":[{"id":1},{},{"id":null},{},{"id":1}]}"#,
                "items[4].id",
            ),
            (r#"{}"#, ""),
        ],
    );
    table(r#"{"type":"unique","field":"id"}"#, &[(r#"{"id":[1,1]}"#, "")]);
}

#[test]
fn keys_are_literal() {
    table(
        r#"{"type":"gte","field":"1%.soil-cec","value":5}"#,
        &[
            (r#"{"1%":{"soil-cec":5}}"#, ""),
            (r#"{"1%":{"soil-cec":4}}"#, "1%.soil-cec"),
        ],
    );
    table(
        r#"{"type":"gte","field":"[\"a.b\"][\"c[]\"][].d","value":5}"#,
        &[(
            r#"{"a.b":{"c[]":[{"d":5},{"d":4}]},"a":{"b":1}}"#,
            r#"["a.b"]["c[]"][1].d"#,
        )],
    );
    table(
        r#"{"type":"gte","field":"é","value":5}"#,
        &[(r#"{"\u00e9":5}"#, ""), (r#"{"e\u0301":5}"#, "é")],
    );
}

/// Small cases made from public reports on other checkers of data.
#[test]
fn cases_from_reports() {
    let cases = [
        (
            "rule-001",
            r#"{"items":[{"price":0.1},{"price":0.2}],"total":0.3}"#,
            true,
            r#"{"type":"sum_equals","field":"items[].price","equals_field":"total"}"#,
        ),
        (
            "rule-003",
            r#"{"items":[{"price":99.99},{"price":29.52}],"total":129.5}"#,
            false,
            r#"{"type":"sum_equals","field":"items[].price","equals_field":"total"}"#,
        ),
        (
            "rule-005",
            r#"{"items":[0.1,0.2],"max":0.3}"#,
            true,
            r#"{"type":"sum_equals","field":"items[]","equals_field":"max"}"#,
        ),
        (
            "rule-006",
            r#"{"items":[],"total":0}"#,
            true,
            r#"{"type":"sum_equals","field":"items[].price","equals_field":"total"}"#,
        ),
        (
            "rule-008",
            r#"{"rows":[{"a":5,"b":0},{"a":4,"b":3},{"a":6,"b":6},{"a":6,"b":8}]}"#,
            false,
            r#"{"type":"gte","field":"rows[].a","other_field":"rows[].b"}"#,
        ),
        (
            "rule-010",
            r#"{"x":[1,true,1.5]}"#,
            true,
            r#"{"type":"unique","field":"x[]"}"#,
        ),
        (
            "rule-011",
            r#"{"x":[1,1.0]}"#,
            false,
            r#"{"type":"unique","field":"x[]"}"#,
        ),
        (
            "rule-013",
            r#"{"items":[{"price":10}]}"#,
            false,
            r#"{"type":"sum_equals","field":"items[].price","equals_field":"total"}"#,
        ),
        (
            "rule-015",
            r#"{"a":"10","b":9}"#,
            false,
            r#"{"type":"gte","field":"a","other_field":"b"}"#,
        ),
    ];
    for (id, output, holds, rule) in cases {
        assert_eq!(fields(rule, output).is_empty(), holds, "{id}");
    }
}

#[test]
fn each_rule_is_one_check() {
    let rules = compile(
        Some(r#"[{"type":"unique","field":"x[]"},{"type":"gte","field":"x[]","value":2},{"type":"lte","field":"x[]","value":9}]"#),
        Some(r#"{"x[]":{"min":2},"y":{"max":1,"if_present":true}}"#),
    )
    .unwrap();
    assert_eq!(rules.check_count(), 5);
    assert!(!rules.is_empty());
    let (tally, violations) = check(&rules, r#"{"x":[1,1,0]}"#);
    assert_eq!((tally.passed, tally.total), (2, 5));
    assert_eq!(violations.total, 7);
    assert_eq!(
        violations.checks.to_vec(),
        ["consistency:unique", "consistency:gte", "bounds:range"]
    );
    assert!(compile(None, None).unwrap().is_empty());
}

#[test]
fn texts_say_what_to_change() {
    let cases = [
        (
            r#"{"type":"sum_equals","field":"x[]","equals":10}"#,
            r#"{"x":[1,2]}"#,
            ["a sum equal to 10", "sum 3", "values sum to 3, expected 10"],
        ),
        (
            r#"{"type":"sum_equals","field":"x[]","equals_field":"t","tolerance":0.01}"#,
            r#"{"x":[0.1,0.2],"t":1}"#,
            [
                "a sum equal to t (1), within 0.01",
                "sum 0.3",
                "values sum to 0.3, expected t (1), within 0.01",
            ],
        ),
        (
            r#"{"type":"sum_equals","field":"x[]","equals_field":"t"}"#,
            r#"{"x":[]}"#,
            [
                "a number, to compare the sum of x[] with",
                "nothing",
                "value is missing, expected a number, to compare the sum of x[] with",
            ],
        ),
        (
            r#"{"type":"sum_equals","field":"x[].p","equals":1}"#,
            r#"{"x":[{"p":"1.50"}]}"#,
            ["a number", "\"1.50\"", "value is \"1.50\", expected a number"],
        ),
        (
            r#"{"type":"sum_equals","field":"x[].p","equals":1}"#,
            r#"{"x":["p"]}"#,
            [
                "an object with \"p\"",
                "\"p\"",
                "value is \"p\", expected an object with \"p\"",
            ],
        ),
        (
            r#"{"type":"sum_equals","field":"x[].p","equals_field":"t[]"}"#,
            r#"{"x":[],"t":[1,2]}"#,
            [
                "exactly one value",
                "2 values",
                "t[] gives 2 values, expected exactly one to compare with",
            ],
        ),
        (
            r#"{"type":"gte","field":"q","value":1}"#,
            r#"{"q":0}"#,
            [
                "a number of at least 1",
                "0",
                "value is 0, expected a number of at least 1",
            ],
        ),
        (
            r#"{"type":"gte","field":"q","value":1}"#,
            r#"{"q":null}"#,
            [
                "a number of at least 1",
                "null",
                "value is null, expected a number of at least 1",
            ],
        ),
        (
            r#"{"type":"lte","field":"r[].lo","other_field":"r[].hi","tolerance":0.5}"#,
            r#"{"r":[{"lo":9.0,"hi":7.5}]}"#,
            [
                "a number of at most r[0].hi (7.5), within 0.5",
                "9.0",
                "value is 9.0, expected a number of at most r[0].hi (7.5), within 0.5",
            ],
        ),
        (
            r#"{"type":"gte","field":"end","other_field":"start"}"#,
            r#"{"end":"2026-09-30","start":"2026-10-01"}"#,
            [
                "an ISO 8601 date not before start (2026-10-01)",
                "\"2026-09-30\"",
                "value is \"2026-09-30\", expected an ISO 8601 date not before start (2026-10-01)",
            ],
        ),
        (
            r#"{"type":"gte","field":"end","other_field":"start"}"#,
            r#"{"end":1}"#,
            [
                "a number or an ISO 8601 date, to compare end with",
                "nothing",
                "value is missing, expected a number or an ISO 8601 date, to compare end with",
            ],
        ),
        (
            r#"{"type":"exists_in","field":"c","values":["USD","EUR"]}"#,
            r#"{"c":"usd"}"#,
            [
                "one of [\"USD\",\"EUR\"]",
                "\"usd\"",
                "value is \"usd\", expected one of [\"USD\",\"EUR\"]",
            ],
        ),
        (
            r#"{"type":"exists_in","field":"c","in_field":"all[].c"}"#,
            r#"{"c":"z","all":[{"c":"x"},{"c":"y"}]}"#,
            [
                "one of the 2 values at all[].c",
                "\"z\"",
                "value is \"z\", expected one of the 2 values at all[].c",
            ],
        ),
        (
            r#"{"type":"unique","field":"x[].id"}"#,
            r#"{"x":[{"id":"A"},{"id":"B"},{"id":"A"}]}"#,
            [
                "a value that stands only once at x[].id",
                "\"A\", the same as x[0].id",
                "value \"A\" repeats x[0].id, expected every value of x[].id to be unique",
            ],
        ),
    ];
    for (rule, output, expected) in cases {
        assert_eq!(texts(rule, output), expected, "{rule}");
    }
}

#[test]
fn long_values_are_cut() {
    let digits = "9".repeat(900);
    let rule = format!(r#"{{"type":"sum_equals","field":"x[]","equals":{digits}}}"#);
    for text in texts(&rule, &format!(r#"{{"x":[{digits},1]}}"#)) {
        assert!(text.chars().count() < 500, "{text}");
    }
    let values: Vec<String> = (0..500).map(|n| n.to_string()).collect();
    let rule = format!(
        r#"{{"type":"exists_in","field":"x","values":[{}]}}"#,
        values.join(",")
    );
    let [expected, ..] = texts(&rule, r#"{"x":-1}"#);
    assert_eq!(expected, "one of the 500 values that the rule lists");
}
