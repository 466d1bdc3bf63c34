//! Random outputs, checked by the rules and by plainly written models of them.

use proptest::prelude::*;

use super::*;

/// What a row holds under a key.
#[derive(Clone, Debug)]
enum Cell {
    Absent,
    Null,
    Text,
    /// Hundredths, and the way in which they are written.
    Number(i64, u8),
}

fn cell() -> impl Strategy<Value = Cell> {
    prop_oneof![
        1 => Just(Cell::Absent),
        1 => Just(Cell::Null),
        1 => Just(Cell::Text),
        12 => (-400i64..400, any::<u8>()).prop_map(|(cents, form)| Cell::Number(cents, form)),
    ]
}

/// Cells that are numbers only, so that sums are often right.
fn number() -> impl Strategy<Value = Cell> {
    (-300i64..300, any::<u8>()).prop_map(|(cents, form)| Cell::Number(cents, form))
}

/// A number of hundredths in one of the forms that JSON has for it.
fn write_number(cents: i64, form: u8) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let (whole, rest) = (cents.abs() / 100, cents.abs() % 100);
    match form % 4 {
        0 if rest == 0 => format!("{sign}{whole}"),
        1 => format!("{sign}{}e-2", cents.abs()),
        2 => format!("{sign}{whole}.{rest:02}000"),
        _ => format!("{sign}{whole}.{rest:02}"),
    }
}

fn write_row(cells: &[(&str, &Cell)]) -> String {
    let members: Vec<String> = cells
        .iter()
        .filter_map(|(key, cell)| match cell {
            Cell::Absent => None,
            Cell::Null => Some(format!("\"{key}\":null")),
            Cell::Text => Some(format!("\"{key}\":\"1\"")),
            Cell::Number(cents, form) => Some(format!("\"{key}\":{}", write_number(*cents, *form))),
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

fn write_rows(rows: &[(Cell, Cell)]) -> String {
    let rows: Vec<String> = rows
        .iter()
        .map(|(a, b)| write_row(&[("a", a), ("b", b)]))
        .collect();
    format!("[{}]", rows.join(","))
}

fn is_missing(cell: &Cell) -> bool {
    matches!(cell, Cell::Absent | Cell::Null)
}

fn cents(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Number(cents, _) => Some(*cents),
        _ => None,
    }
}

fn rows() -> impl Strategy<Value = Vec<(Cell, Cell)>> {
    prop::collection::vec((cell(), cell()), 0..12)
}

proptest! {
    #[test]
    fn sums(cells in prop_oneof![
        prop::collection::vec(number(), 0..12),
        prop::collection::vec(cell(), 0..12),
    ], off in -2i64..3, tolerance in 0i64..3, if_present in any::<bool>()) {
        let total: i64 = cells.iter().filter_map(cents).sum::<i64>() + off;
        let bad = cells.iter().enumerate().filter(|(_, cell)| {
            matches!(cell, Cell::Text) || (is_missing(cell) && !if_present)
        });
        let mut expected: Vec<String> = bad.map(|(at, _)| format!("rows[{at}].a")).collect();
        if expected.is_empty() && off.abs() > tolerance {
            expected.push("rows[].a".to_owned());
        }
        let rows: Vec<String> = cells.iter().map(|cell| write_row(&[("a", cell)])).collect();
        let output = format!("{{\"rows\":[{}],\"t\":{}}}", rows.join(","), write_number(total, 3));
        let operands = [
            "\"equals_field\":\"t\"".to_owned(),
            format!("\"equals\":{}", write_number(total, 1)),
        ];
        for operand in operands {
            let rule = format!(
                "{{\"type\":\"sum_equals\",\"field\":\"rows[].a\",{operand},\"tolerance\":{},\"if_present\":{if_present}}}",
                write_number(tolerance, 0),
            );
            prop_assert_eq!(fields(&rule, &output), expected.clone(), "{} {}", rule, output);
        }
    }

    #[test]
    fn comparisons_with_a_number(rows in rows(), limit in -400i64..400, if_present in any::<bool>()) {
        let output = write_rows(&rows);
        for (kind, sign) in [("gte", 1), ("lte", -1)] {
            let mut expected = Vec::new();
            for (at, (a, _)) in rows.iter().enumerate() {
                let violates = match cents(a) {
                    Some(value) => (value - limit) * sign < 0,
                    None => !(is_missing(a) && if_present),
                };
                if violates {
                    expected.push(format!("[{at}].a"));
                }
            }
            let rule = format!(
                "{{\"type\":\"{kind}\",\"field\":\"[].a\",\"value\":{},\"if_present\":{if_present}}}",
                write_number(limit, 2),
            );
            prop_assert_eq!(fields(&rule, &output), expected, "{} {}", rule, output);
        }
    }

    #[test]
    fn comparisons_inside_elements(rows in rows(), if_present in any::<bool>()) {
        let output = write_rows(&rows);
        let mut expected = Vec::new();
        for (at, (a, b)) in rows.iter().enumerate() {
            // The operand comes first: without it there is nothing to compare.
            let Some(limit) = cents(b) else {
                if !(is_missing(b) && if_present) {
                    expected.push(format!("[{at}].b"));
                }
                continue;
            };
            let violates = match cents(a) {
                Some(value) => value < limit,
                None => !(is_missing(a) && if_present),
            };
            if violates {
                expected.push(format!("[{at}].a"));
            }
        }
        let rule = format!(
            "{{\"type\":\"gte\",\"field\":\"[].a\",\"other_field\":\"[].b\",\"if_present\":{if_present}}}",
        );
        prop_assert_eq!(fields(&rule, &output), expected, "{} {}", rule, output);
    }

    #[test]
    fn bounds(rows in rows(), low in -400i64..400, width in 0i64..300) {
        let output = write_rows(&rows);
        let high = low + width;
        let mut expected = Vec::new();
        for (at, (a, _)) in rows.iter().enumerate() {
            if !cents(a).is_some_and(|value| low <= value && value <= high) {
                expected.push(format!("[{at}].a"));
            }
        }
        let bound = format!(
            "\"[].a\":{{\"min\":{},\"max\":{}}}",
            write_number(low, 3),
            write_number(high, 1),
        );
        prop_assert_eq!(bound_fields(&bound, &output), expected, "{} {}", bound, output);
    }

    #[test]
    fn repeats(values in prop::collection::vec(
        prop_oneof![
            (-3i64..3, any::<u8>()).prop_map(|(whole, form)| (whole.to_string(), write_number(whole * 100, form))),
            "[ab]{0,1}".prop_map(|text| (format!("{text:?}"), format!("{text:?}"))),
            (0i64..2, any::<bool>()).prop_map(|(n, turned)| {
                let written = if turned { format!("{{\"y\":[],\"x\":{n}.0}}") } else { format!("{{\"x\":{n},\"y\":[]}}") };
                (format!("object {n}"), written)
            }),
        ], 0..16))
    {
        // Each value with the name of its class of equals, in a nested array of a random shape.
        let output: Vec<String> = values.iter().map(|(_, written)| format!("[{written}]")).collect();
        let output = format!("[{}]", output.join(","));
        let mut expected = Vec::new();
        for (at, (class, _)) in values.iter().enumerate() {
            if values[..at].iter().any(|(earlier, _)| earlier == class) {
                expected.push(format!("[{at}][0]"));
            }
        }
        prop_assert_eq!(fields(r#"{"type":"unique","field":"[][]"}"#, &output), expected, "{}", output);
    }

    #[test]
    fn memberships(values in prop::collection::vec(0i64..12, 0..10), allowed in prop::collection::vec((0i64..12, any::<u8>()), 0..8)) {
        let written: Vec<String> = values.iter().map(|n| format!("{{\"v\":{n}}}")).collect();
        let list: Vec<String> = allowed.iter().map(|(n, form)| write_number(n * 100, *form)).collect();
        let output = format!("{{\"rows\":[{}],\"all\":[{}]}}", written.join(","), list.join(","));
        let expected: Vec<String> = values
            .iter()
            .enumerate()
            .filter(|(_, value)| !allowed.iter().any(|(n, _)| n == *value))
            .map(|(at, _)| format!("rows[{at}].v"))
            .collect();
        let operands = ["\"in_field\":\"all[]\"".to_owned(), format!("\"values\":[{}]", list.join(","))];
        for operand in operands {
            let rule = format!("{{\"type\":\"exists_in\",\"field\":\"rows[].v\",{operand}}}");
            prop_assert_eq!(fields(&rule, &output), expected.clone(), "{} {}", rule, output);
        }
    }
}
