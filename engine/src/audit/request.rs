//! A receipt against its request: does it answer this one, and does the verdict come out the same?

use uuid::Uuid;

use super::content::{blocking_checks, count, is_full, tally};
use super::report::{Report, Standing};
use super::{shown, shown_value};
use crate::digest::sha256;
use crate::hex::hex;
use crate::json::{Document, Parser, Value, equal, write_canonical};
use crate::problem::{Problem, ProblemCode};
use crate::receipt::{Receipt, Signer};
use crate::response::{Detail, Digest};
use crate::time::Timestamp;
use crate::verdict::Tally;
use crate::verifier::{Stamp, Verifier};

/// What hangs on the request being checked again, in the order of the report.
const OF_THE_RERUN: [&str; 4] = ["result", "blocking_checks", "counts", "texts"];

/// Checks `receipt` against `request`, which was read from `text`.
pub(super) fn check(
    receipt: Value<'_>,
    request: Value<'_>,
    text: &[u8],
    verifier: &Verifier,
    report: &mut Report,
) {
    if request.as_object().is_none() {
        report.fail("request", "What was given as the request is not a JSON object.");
        return;
    }
    let rerun = rerun(text, verifier);
    match &rerun {
        Ok(_) => report.hold("request", "The request is one that the protocol allows."),
        Err(problem) => report.leave_open("request", why_not_checked(problem)),
    }
    let first = report.findings.len();
    check_labels(receipt, request, report);
    check_parts(receipt, request, report);
    let is_answered = report.findings[first..]
        .iter()
        .all(|finding| finding.standing == Standing::Holds);
    check_request_hash(receipt, rerun.as_ref().ok(), is_answered, report);
    match rerun {
        _ if !is_answered => {
            let why = "The receipt answers another request than this one, so its verdict cannot be compared.";
            OF_THE_RERUN.iter().for_each(|name| report.skip(name, why));
        }
        Err(_) => {
            let why = "The request could not be checked again, so this stays open.";
            report.leave_open("result", why);
            OF_THE_RERUN[1..].iter().for_each(|name| report.skip(name, why));
        }
        Ok(again) => check_verdict(receipt, &again, report),
    }
}

/// Checks the request anew. The answer is compared only: its key, time and name are nobody's.
fn rerun(text: &[u8], verifier: &Verifier) -> Result<Receipt, Problem> {
    let nobody = Signer::new(&[0; 32], "");
    let stamp = Stamp {
        verification_id: Uuid::nil(),
        verified_at: Timestamp::from_micros(0),
    };
    let mut receipt = verifier.worker().verify(text, stamp, &nobody)?;
    receipt.response.detail = Detail::Full;
    Ok(receipt)
}

fn why_not_checked(problem: &Problem) -> String {
    let faults: Vec<String> = problem
        .fields
        .iter()
        .map(|fault| format!("{} {}", shown(&fault.field), fault.problem))
        .collect();
    let what = match problem.code {
        ProblemCode::LimitExceeded => "The request goes over a limit of this verifier",
        _ => "This verifier does not take the request as it stands",
    };
    format!("{what}, so only its parts were compared: {}.", faults.join("; "))
}

/// The parts that stand in the receipt as they are.
fn check_labels(receipt: Value<'_>, request: Value<'_>, report: &mut Report) {
    let no = Document::new();
    let null = no.root();
    let given = |name: &str| request.get(name).unwrap_or(null);
    for (name, what) in [("task_id", "task"), ("agent_id", "agent")] {
        let stated = receipt.get(name);
        if stated.is_some_and(|stated| equal(stated, given(name))) {
            report.hold(name, format!("The receipt is for the {what} of the request."));
        } else {
            let (stated, given) = (shown_value(stated), shown_value(Some(given(name))));
            report.fail(
                name,
                format!("The receipt is for the {what} {stated}, and the request names {given}."),
            );
        }
    }
    for (name, what) in [
        ("enforce_rules", "rules and bounds"),
        ("strict_content_check", "content flags"),
    ] {
        let stated = receipt.get(name).and_then(Value::as_bool);
        // Left out and null mean false.
        let given = if given(name).is_null() {
            Some(false)
        } else {
            given(name).as_bool()
        };
        if stated.is_some() && stated == given {
            report.hold(
                name,
                format!("The request says the same on whether {what} block."),
            );
        } else {
            let (stated, given) = (shown_value(receipt.get(name)), shown_value(request.get(name)));
            let words =
                format!("On whether {what} block, the receipt says {stated}, and the request {given}.");
            report.fail(name, words);
        }
    }
}

/// The parts that stand in the receipt by their hash.
fn check_parts(receipt: Value<'_>, request: Value<'_>, report: &mut Report) {
    let parts = [
        (
            "output_hash",
            "submitted_output",
            "The output is the one that was checked.",
            "The output is not the one that was checked: it was changed afterwards, or belongs to another receipt.",
        ),
        (
            "schema_hash",
            "expected_schema",
            "The schema is the one that the output was checked against.",
            "The schema is not the one that the output was checked against.",
        ),
    ];
    for (name, field, holds, broken) in parts {
        match request.get(field) {
            Some(value) => {
                let computed = digest_of(|out| write_canonical(value, out));
                compare_hash(name, receipt, &computed, holds, broken, report);
            }
            None => {
                let advice = "Where a contract of its own holds it, put its fields into the request";
                report.fail(
                    name,
                    format!("The request has no {field} to compare with. {advice}."),
                );
            }
        }
    }
    let computed = digest_of(|out| write_rules(request, out));
    let holds = "Rules and bounds are the ones that the output was checked against.";
    let broken = "Rules or bounds are not the ones that the output was checked against.";
    compare_hash("rules_hash", receipt, &computed, holds, broken, report);
}

fn check_request_hash(receipt: Value<'_>, again: Option<&Receipt>, is_answered: bool, report: &mut Report) {
    let name = "request_hash";
    if receipt.get(name).is_none() {
        if is_full(receipt) {
            report.fail(name, "It is missing, and a receipt with all counts has one.");
        } else {
            report.skip(
                name,
                "A compact receipt has none; the hashes of the parts bind it to the request.",
            );
        }
        return;
    }
    let Some(again) = again else {
        report.skip(
            name,
            "The request could not be checked again, so it was not computed.",
        );
        return;
    };
    let holds = "The request as a whole is the one that was checked.";
    let broken = if is_answered {
        "It is not that of the request, although all parts of the request are the ones that were checked: the receipt \
         was made by a verifier that hashes otherwise, or not by a verifier at all."
    } else {
        "It is not that of the request, some of whose parts are not the ones that were checked."
    };
    compare_hash(
        name,
        receipt,
        &again.response.hashes.request,
        holds,
        broken,
        report,
    );
}

fn compare_hash(
    name: &'static str,
    receipt: Value<'_>,
    computed: &Digest,
    holds: &str,
    broken: &str,
    report: &mut Report,
) {
    let computed = hex(computed);
    let stated = receipt.get(name);
    if stated.and_then(Value::as_str) == Some(&computed) {
        report.hold(name, holds);
    } else {
        let stated = shown_value(stated);
        report.fail(
            name,
            format!("{broken} The receipt says {stated}, the request gives {computed:?}."),
        );
    }
}

/// Appends the canonical form of `{"bounds": B, "rules": R}` as supplied, an absent one as null (protocol, section 5).
fn write_rules(request: Value<'_>, out: &mut Vec<u8>) {
    let mut write = |before: &[u8], name: &str| {
        out.extend_from_slice(before);
        match request.get(name) {
            Some(value) => write_canonical(value, out),
            None => out.extend_from_slice(b"null"),
        }
    };
    write(b"{\"bounds\":", "bounds");
    write(b",\"rules\":", "rules");
    out.push(b'}');
}

fn digest_of(write: impl FnOnce(&mut Vec<u8>)) -> Digest {
    let mut bytes = Vec::new();
    write(&mut bytes);
    sha256(&bytes)
}

/// Compares what a receipt says with what came out again.
fn check_verdict(receipt: Value<'_>, again: &Receipt, report: &mut Report) {
    let response = &again.response;
    let result = receipt.get("result");
    let found = response.outcome().name();
    if result.and_then(Value::as_str) == Some(found) {
        report.hold(
            "result",
            format!("Checked again, the output gives {found} as well."),
        );
    } else {
        let words = format!(
            "The receipt says {}; checked again, the output gives {found}.",
            shown_value(result)
        );
        report.fail("result", words);
    }

    let (stated, found) = (
        sorted(blocking_checks(receipt).unwrap_or_default()),
        sorted(response.blocking_checks()),
    );
    if stated == found {
        report.hold("blocking_checks", "The same checks block.");
    } else {
        let words = format!(
            "The receipt says {}; checked again, {} block.",
            names(&stated),
            names(&found)
        );
        report.fail("blocking_checks", words);
    }

    if !is_full(receipt) {
        let why = "A compact receipt has none.";
        report.skip("counts", why);
        report.skip("texts", why);
        return;
    }
    // The answer in the form in which the receipt came, so that both are read alike.
    let mut wire = Vec::new();
    again.write_wire(&mut wire);
    let mut document = Document::new();
    if Parser::default().parse(&wire, &mut document).is_err() {
        // An answer longer than a request may be: nothing is then compared by its text.
        document = Document::new();
    }
    let found = document.root();
    check_counts(receipt, found, &response.verdict, report);
    check_texts(receipt, found, report);
}

fn check_counts(
    receipt: Value<'_>,
    found: Value<'_>,
    verdict: &crate::verdict::Verdict,
    report: &mut Report,
) {
    let tallies = [
        ("schema_compliance", verdict.schema),
        ("integrity_checks", verdict.integrity),
        ("overall", verdict.schema.plus(verdict.integrity)),
    ];
    let print = |tally: Tally| format!("{} of {}", tally.passed, tally.total);
    let differing = tallies
        .into_iter()
        .find(|(name, found)| tally(receipt, name) != Some(*found));
    if let Some((name, found)) = differing {
        let stated = tally(receipt, name).map_or_else(|| "nothing".to_owned(), print);
        let words = format!(
            "Of {name} the receipt says {stated}; checked again, {} held.",
            print(found)
        );
        report.fail("counts", words);
        return;
    }
    for name in [
        "errors_total",
        "errors_detail_total",
        "flags_total",
        "hints_total",
    ] {
        if count(receipt, name) != count(found, name) {
            let (stated, found) = (shown_value(receipt.get(name)), shown_value(found.get(name)));
            report.fail(
                "counts",
                format!("As {name} the receipt says {stated}; checked again, it is {found}."),
            );
            return;
        }
    }
    let total = verdict.schema.plus(verdict.integrity);
    report.hold("counts", format!("Counted again, {} checks held.", print(total)));
}

/// Texts may differ between versions of a verifier; the checks that they speak of may not.
fn check_texts(receipt: Value<'_>, found: Value<'_>, report: &mut Report) {
    const LISTS: [&str; 4] = ["errors", "errors_detail", "flags", "hints"];
    for name in ["errors_detail", "flags", "hints"] {
        let (stated, found) = (sorted(checks_of(receipt, name)), sorted(checks_of(found, name)));
        if stated != found {
            let words = format!(
                "In {name} the receipt lists {}; checked again, {} came out.",
                names(&stated),
                names(&found)
            );
            report.fail("texts", words);
            return;
        }
    }
    let differing: Vec<&str> = LISTS
        .into_iter()
        .filter(|name| match (receipt.get(name), found.get(name)) {
            (Some(stated), Some(found)) => !equal(stated, found),
            (stated, found) => stated.is_some() || found.is_some(),
        })
        .collect();
    if differing.is_empty() {
        report.hold("texts", "All texts come out the same.");
    } else {
        let words = format!(
            "The same checks are listed, but this version words {} otherwise; that is no error.",
            differing.join(", ")
        );
        report.hold("texts", words);
    }
}

/// The names of the checks in a list of the receipt.
fn checks_of<'d>(receipt: Value<'d>, list: &str) -> impl Iterator<Item = &'d str> {
    let entries = receipt.get(list).and_then(Value::as_array).into_iter().flatten();
    entries.map(|entry| entry.get("check").and_then(Value::as_str).unwrap_or_default())
}

fn sorted<'s>(names: impl IntoIterator<Item = &'s str>) -> Vec<&'s str> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names
}

/// The distinct names of a sorted list in a sentence, the first of them when there are many.
fn names(sorted: &[&str]) -> String {
    const MAX_NAMES: usize = 10;
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    if distinct.is_empty() {
        return "no check".to_owned();
    }
    let mut listed: Vec<String> = distinct.iter().take(MAX_NAMES).map(|name| shown(name)).collect();
    if distinct.len() > MAX_NAMES {
        listed.push(format!("{} more", distinct.len() - MAX_NAMES));
    }
    listed.join(", ")
}
