//! The request: which fields it may have, and what is wrong with the ones it has (protocol, section 2).

use crate::contract::ContractSource;
use crate::json::{Document, Value};
use crate::limits::MAX_ID_CHARS;
use crate::problem::{FieldProblems, Problem, ProblemCode};
use crate::response::Detail;
use crate::text::cut;

/// Who delivered what for which task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery<'d> {
    pub(crate) task_id: &'d str,
    pub(crate) agent_id: Option<&'d str>,
    pub(crate) output: Value<'d>,
    pub(crate) detail: Detail,
}

const REQUEST_FIELDS: [&str; 9] = [
    "task_id",
    "agent_id",
    "expected_schema",
    "submitted_output",
    "bounds",
    "rules",
    "enforce_rules",
    "strict_content_check",
    "detail",
];

const DELIVERY_FIELDS: [&str; 4] = ["task_id", "agent_id", "submitted_output", "detail"];

/// Reads a request that brings its contract along.
pub(crate) fn read_request(document: &Document) -> Result<(Delivery<'_>, ContractSource<'_>), Problem> {
    let mut problems = FieldProblems::default();
    let root = open(document, &REQUEST_FIELDS, &mut problems)?;
    let delivery = read_delivery(root, &mut problems);
    let contract = ContractSource::read(root, &mut problems);
    match (delivery, contract) {
        (Some(delivery), Some(contract)) if problems.is_empty() => Ok((delivery, contract)),
        _ => Err(problems.into_problem(ProblemCode::InvalidRequest)),
    }
}

/// Reads a delivery under a contract that stands elsewhere.
pub(crate) fn read_delivery_only(document: &Document) -> Result<Delivery<'_>, Problem> {
    let mut problems = FieldProblems::default();
    let root = open(document, &DELIVERY_FIELDS, &mut problems)?;
    match read_delivery(root, &mut problems) {
        Some(delivery) if problems.is_empty() => Ok(delivery),
        _ => Err(problems.into_problem(ProblemCode::InvalidRequest)),
    }
}

fn open<'d>(
    document: &'d Document,
    fields: &[&str],
    problems: &mut FieldProblems,
) -> Result<Value<'d>, Problem> {
    let root = document.root();
    let Some(members) = root.as_object() else {
        let fix = format!("Send an object with the fields {}.", fields.join(", "));
        return Err(Problem::field(
            ProblemCode::InvalidRequest,
            "request",
            "is not a JSON object",
            fix,
        ));
    };
    for member in members.filter(|member| !fields.contains(&member.key)) {
        note_unknown(member.key, fields, problems);
    }
    Ok(root)
}

/// Notes a field that is not known, with the known one that it may have been meant for.
pub(crate) fn note_unknown(field: &str, known: &[&str], problems: &mut FieldProblems) {
    let nearest = nearest(field, known);
    let fix = match nearest {
        Some(name) => format!("Did you mean '{name}'? Known fields: {}.", known.join(", ")),
        None => format!("Remove it. Known fields: {}.", known.join(", ")),
    };
    problems.add(cut(field), "is not a known field", fix);
}

/// The known name that differs from `name` by the fewest edits, when that is few enough for a typing error.
pub(crate) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    /// A longer name is no typing error, and the comparison takes the product of the lengths.
    const MAX_COMPARED_CHARS: usize = 40;
    if name.chars().count() > MAX_COMPARED_CHARS {
        return None;
    }
    let lower = name.to_lowercase();
    let distances = known
        .iter()
        .map(|candidate| (edit_distance(&lower, candidate), *candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= candidate.len() / 3).then_some(candidate)
}

/// The Levenshtein distance in characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn read_delivery<'d>(root: Value<'d>, problems: &mut FieldProblems) -> Option<Delivery<'d>> {
    let task_id = match root.get("task_id").filter(|value| !value.is_null()) {
        Some(value) => read_id(value, "task_id", problems),
        None => {
            problems.add("task_id", "is missing", ID_FIX);
            None
        }
    };
    let agent_id = match root.get("agent_id").filter(|value| !value.is_null()) {
        Some(value) => read_id(value, "agent_id", problems).map(Some),
        None => Some(None),
    };
    let output = root.get("submitted_output");
    if output.is_none() {
        problems.add(
            "submitted_output",
            "is missing",
            "Add what the agent delivered; any JSON value, null included.",
        );
    }
    let detail = match root.get("detail").filter(|value| !value.is_null()) {
        None => Some(Detail::Full),
        Some(value) => {
            let detail = match value.as_str() {
                Some("full") => Some(Detail::Full),
                Some("compact") => Some(Detail::Compact),
                _ => None,
            };
            if detail.is_none() {
                problems.add(
                    "detail",
                    "is not one of the allowed values",
                    "Use one of: 'full' or 'compact'.",
                );
            }
            detail
        }
    };
    Some(Delivery {
        task_id: task_id?,
        agent_id: agent_id?,
        output: output?,
        detail: detail?,
    })
}

const ID_FIX: &str = "Use a string of 1 to 200 characters.";

fn read_id<'d>(value: Value<'d>, field: &str, problems: &mut FieldProblems) -> Option<&'d str> {
    let Some(text) = value.as_str() else {
        problems.add(field, "is not a string", ID_FIX);
        return None;
    };
    if let Err(problem) = check_id(text) {
        problems.add(field, problem, ID_FIX);
        return None;
    }
    Some(text)
}

/// Whether a text may be a `task_id` or an `agent_id`.
pub(crate) fn check_id(text: &str) -> Result<(), &'static str> {
    if text.is_empty() {
        return Err("is empty");
    }
    if text.len() > MAX_ID_CHARS && text.chars().count() > MAX_ID_CHARS {
        return Err("is longer than 200 characters");
    }
    Ok(())
}
