//! The signed parts of a receipt against each other: a verifier that contradicts itself is not to be believed.

use super::report::Report;
use super::shown_value;
use crate::json::{Number, Value};
use crate::verdict::Tally;

/// Checks that a receipt does not contradict itself.
pub(super) fn check(receipt: Value<'_>, report: &mut Report) {
    let contradiction = result(receipt)
        .or_else(|| counts(receipt))
        .or_else(|| totals(receipt));
    match contradiction {
        None => report.hold(
            "consistency",
            "Result, checks and counts of the receipt agree with each other.",
        ),
        Some(words) => report.fail("consistency", format!("The receipt contradicts itself: {words}.")),
    }
}

/// The tallies of a full receipt.
const TALLIES: [&str; 3] = ["schema_compliance", "integrity_checks", "overall"];

/// Whether a receipt has the members that a compact one leaves out.
pub(super) fn is_full(receipt: Value<'_>) -> bool {
    TALLIES.iter().any(|name| receipt.get(name).is_some())
}

/// The texts of `summary.blocking_checks`.
pub(super) fn blocking_checks(receipt: Value<'_>) -> Option<Vec<&str>> {
    receipt
        .get("summary")?
        .get("blocking_checks")?
        .as_array()?
        .map(Value::as_str)
        .collect()
}

/// The tally of that name, when the receipt has it in the right form.
pub(super) fn tally(receipt: Value<'_>, name: &str) -> Option<Tally> {
    let tally = receipt.get(name)?;
    Some(Tally {
        passed: count(tally, "passed")?,
        total: count(tally, "total")?,
    })
}

/// A count, which is a whole number that 64 bits hold.
pub(super) fn count(object: Value<'_>, name: &str) -> Option<u64> {
    match object.get(name)?.as_number()? {
        Number::Integer(value) => u64::try_from(value).ok(),
        Number::Unsigned(value) => Some(value),
        Number::Big(_) | Number::Float(_) => None,
    }
}

fn result(receipt: Value<'_>) -> Option<String> {
    let result = receipt.get("result");
    let passed = match result.and_then(Value::as_str) {
        Some("pass") => true,
        Some("fail") => false,
        _ => {
            return Some(format!(
                "its result is {}, neither pass nor fail",
                shown_value(result)
            ));
        }
    };
    let summary = receipt.get("summary").and_then(|summary| summary.get("result"));
    if summary.and_then(Value::as_str) != result.and_then(Value::as_str) {
        let (result, summary) = (shown_value(result), shown_value(summary));
        return Some(format!("its result is {result}, and its summary says {summary}"));
    }
    match blocking_checks(receipt) {
        None => Some("summary.blocking_checks is not a list of names".to_owned()),
        Some(checks) if checks.is_empty() != passed => {
            let found = if passed {
                "checks block, and yet it passed"
            } else {
                "nothing blocks, and yet it failed"
            };
            Some(found.to_owned())
        }
        Some(_) => None,
    }
}

/// The three tallies of a full receipt; a compact one has none of them.
fn counts(receipt: Value<'_>) -> Option<String> {
    if !is_full(receipt) {
        return None;
    }
    let mut tallies = [Tally::default(); 3];
    for (name, place) in TALLIES.into_iter().zip(&mut tallies) {
        let Some(tally) = tally(receipt, name) else {
            return Some(format!("{name} has no counts"));
        };
        if tally.passed > tally.total {
            return Some(format!("{name} has more checks passed than made"));
        }
        let ratio = receipt
            .get(name)
            .and_then(|tally| tally.get("ratio")?.as_number());
        if ratio.is_none_or(|ratio| ratio.to_f64() != tally.ratio()) {
            return Some(format!(
                "the ratio of {name} is not its passed divided by its total"
            ));
        }
        *place = tally;
    }
    let [schema, integrity, overall] = tallies;
    let sum = |a: u64, b: u64| a.checked_add(b);
    let is_sum = sum(schema.passed, integrity.passed) == Some(overall.passed)
        && sum(schema.total, integrity.total) == Some(overall.total);
    (!is_sum).then(|| "overall is not the sum of schema_compliance and integrity_checks".to_owned())
}

/// The lists of a full receipt with their totals.
fn totals(receipt: Value<'_>) -> Option<String> {
    for name in ["errors", "errors_detail", "flags", "hints"] {
        let Some(list) = receipt.get(name) else { continue };
        let listed = list.as_array().map(|list| list.len() as u64);
        let total = count(receipt, &format!("{name}_total"));
        let omitted = count(receipt, &format!("{name}_omitted"));
        let adds_up = match (listed, total, omitted) {
            (Some(listed), Some(total), Some(omitted)) => listed.checked_add(omitted) == Some(total),
            _ => false,
        };
        if !adds_up {
            return Some(format!(
                "{name}_total is not what {name} lists and {name}_omitted leaves out"
            ));
        }
    }
    None
}
