//! The content checks over the whole output: seven checks, then the flags of each in turn (protocol, section 3).

use crate::content::{ContentCheck, scan_text};
use crate::json::{Kind, Value, equal};
use crate::limits::MAX_LIST_ENTRIES;
use crate::meter::{LimitExceeded, Meter};
use crate::text::{path_between, quote};
use crate::verdict::{Tally, Violation, Violations};

/// What one check has flagged.
#[derive(Default)]
struct Flagged<'d> {
    first: Vec<Value<'d>>,
    total: u64,
}

/// Runs the seven content checks over `output`.
pub(crate) fn check_content(
    output: Value<'_>,
    meter: &mut Meter,
    tally: &mut Tally,
    violations: &mut Violations,
) -> Result<(), LimitExceeded> {
    let mut flagged: [Flagged<'_>; ContentCheck::ALL.len()] = Default::default();
    let mut flag = |check: ContentCheck, value| {
        let flagged = &mut flagged[check as usize];
        flagged.total += 1;
        if flagged.first.len() < MAX_LIST_ENTRIES {
            flagged.first.push(value);
        }
    };
    for value in output.strings_and_arrays() {
        match value.as_str() {
            Some(text) => {
                for check in scan_text(text).iter() {
                    // A deliverable that is itself a schema says `"type": "string"`, which is no stand-in.
                    let is_type =
                        check == ContentCheck::PlaceholderText && value.key_before() == Some("type");
                    if !is_type {
                        flag(check, value);
                    }
                }
            }
            None => {
                if is_repeated(value, meter)? {
                    flag(ContentCheck::RepeatedItems, value);
                }
            }
        }
    }
    for (check, flagged) in ContentCheck::ALL.into_iter().zip(flagged) {
        tally.count(flagged.total == 0);
        let omitted = flagged.total - flagged.first.len() as u64;
        for value in flagged.first {
            violations.add(check.name(), || describe(check, output, value));
        }
        violations.total += omitted;
    }
    Ok(())
}

/// Whether an array holds three or more objects that are all equal.
fn is_repeated(array: Value<'_>, meter: &mut Meter) -> Result<bool, LimitExceeded> {
    /// Two of a kind may be chance.
    const MIN_ITEMS: usize = 3;
    /// Nodes that are compared in about the time of one step.
    const NODES_PER_STEP: usize = 4;
    let Some(mut elements) = array.as_array() else {
        return Ok(false);
    };
    if elements.len() < MIN_ITEMS {
        return Ok(false);
    }
    let Some(first) = elements.next().filter(|first| first.kind() == Kind::Object) else {
        return Ok(false);
    };
    for element in elements {
        meter.charge((first.node_count() / NODES_PER_STEP) as u64)?;
        if !equal(first, element) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn describe(check: ContentCheck, output: Value<'_>, value: Value<'_>) -> Violation {
    let path = path_between(output, value);
    let field = if path.is_empty() { "$".to_owned() } else { path };
    let found = match value.as_array() {
        Some(elements) => {
            let item = value.element(0).map(quote).unwrap_or_default();
            format!("{} items equal to {item}", elements.len())
        }
        None => quote(value),
    };
    let detail = format!("{}: {found}", check.problem());
    Violation {
        check: check.name().into(),
        field,
        expected: check.expected().to_owned(),
        found,
        detail,
    }
}
