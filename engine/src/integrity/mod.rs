//! Integrity: the rules and bounds of a request (protocol, section 2), compiled once and checked against outputs.
//!
//! Each rule and each bound is one check, however many values it looks at. Every value that is not as the rule wants
//! it is a violation with its concrete path; a sum that is off is one violation at the rule's own path.
//!
//! What the protocol leaves open is decided so:
//!
//! - A path steps into objects by key and through arrays by `[]`. Anything else in the way, such as a string where an
//!   object belongs, is a value of the wrong type: it violates even under `if_present`. Null in the way is missing.
//! - `if_present` holds for every path of a rule. When the whole path of an operand is missing, nothing can be compared
//!   and the rule holds; when all of a sum's path is missing, so does the sum. An element that lacks the key inside an
//!   array that is there is left out.
//! - Only `other_field` is read element by element. `equals_field` gives one value for the whole sum, and `in_field`
//!   all of its values for every value at `field`.
//! - `gte` and `lte` compare ISO 8601 dates too, as bounds do; the tolerance is for numbers. A date is its start in UTC,
//!   and a date-time without an offset is read in UTC; `instant.rs` lists the forms.
//! - An operand that is itself missing or of the wrong type is one violation, and what hangs on it is not judged.

mod bound;
mod exact_sum;
mod exists_in;
mod fields;
mod instant;
mod order;
mod path;
mod rule;
mod run;
mod scalar;
mod sum_equals;
#[cfg(test)]
mod tests;
mod unique;
mod value_set;
mod walk;

use sha2::{Digest as _, Sha256};

use crate::json::{Document, Member, Value, write_canonical};
use crate::limits::{MAX_BOUNDS, MAX_RULES};
use crate::meter::{LimitExceeded, Meter};
use crate::problem::FieldProblems;
use crate::response::Digest;
use crate::verdict::{Tally, Violations};
use bound::Bound;
use fields::Faults;
use rule::Rule;
use run::Run;

/// The rules and bounds of a request.
#[derive(Clone, Debug)]
pub struct RuleSet {
    rules: Vec<Rule>,
    bounds: Vec<Bound>,
    /// The rules as supplied: their values stand here.
    rules_document: Document,
    /// The bounds as supplied.
    bounds_document: Document,
    rules_hash: Digest,
    canonical_rules: Vec<u8>,
    canonical_bounds: Vec<u8>,
}

impl RuleSet {
    /// Reads `rules` and `bounds` of a request; null is the same as absent.
    ///
    /// Everything that is wrong is noted with its field: `rules[0].type`, `bounds["a.b"].min`. `None` when there is
    /// something.
    pub fn parse(
        rules: Option<Value<'_>>,
        bounds: Option<Value<'_>>,
        problems: &mut FieldProblems,
    ) -> Option<RuleSet> {
        let mut faults = Faults::new(problems);
        let rules_document = rules.map(Value::to_document).unwrap_or_default();
        let bounds_document = bounds.map(Value::to_document).unwrap_or_default();
        let (rules, canonical_rules) = read_rules(rules_document.root(), &mut faults);
        let (bounds, canonical_bounds) = read_bounds(bounds_document.root(), &mut faults);
        if faults.is_noted() {
            return None;
        }
        Some(RuleSet {
            rules,
            bounds,
            rules_hash: hash_as_supplied(rules_document.root(), bounds_document.root()),
            rules_document,
            bounds_document,
            canonical_rules,
            canonical_bounds,
        })
    }

    /// Whether there is nothing to check.
    pub fn is_empty(&self) -> bool {
        self.check_count() == 0
    }

    /// How many checks there are: one for each rule and bound.
    pub fn check_count(&self) -> usize {
        self.rules.len() + self.bounds.len()
    }

    /// SHA-256 of the canonical form of `{"bounds": B, "rules": R}` as supplied (protocol, section 5).
    pub fn rules_hash(&self) -> Digest {
        self.rules_hash
    }

    /// The canonical form of the rules with every default filled in, `null` when there are none: the part of
    /// `request_hash` (protocol, section 5).
    pub fn canonical_rules(&self) -> &[u8] {
        &self.canonical_rules
    }

    /// The canonical form of the bounds with every default filled in, `null` when there are none.
    pub fn canonical_bounds(&self) -> &[u8] {
        &self.canonical_bounds
    }

    /// Checks an output: the rules, then the bounds, in the order of the request.
    ///
    /// # Errors
    /// When the meter runs out; what was counted until then means nothing.
    pub fn check(
        &self,
        output: Value<'_>,
        meter: &mut Meter,
        tally: &mut Tally,
        violations: &mut Violations,
    ) -> Result<(), LimitExceeded> {
        for rule in &self.rules {
            let violations_before = violations.total;
            rule.check(&mut Run {
                check: rule.check_name(),
                output,
                constants: &self.rules_document,
                meter,
                violations,
            })?;
            tally.count(violations.total == violations_before);
        }
        for bound in &self.bounds {
            let violations_before = violations.total;
            bound.check(&mut Run {
                check: bound::CHECK_NAME,
                output,
                constants: &self.bounds_document,
                meter,
                violations,
            })?;
            tally.count(violations.total == violations_before);
        }
        Ok(())
    }
}

/// The rules with their canonical form.
fn read_rules(rules: Value<'_>, faults: &mut Faults<'_>) -> (Vec<Rule>, Vec<u8>) {
    let none = (Vec::new(), b"null".to_vec());
    if rules.is_null() {
        return none;
    }
    let Some(elements) = rules.as_array() else {
        faults.note("rules", "is not an array", "Send an array of rules.");
        return none;
    };
    if elements.len() > MAX_RULES {
        faults.note(
            "rules",
            format!("has more than {MAX_RULES} entries"),
            format!("Send at most {MAX_RULES} rules."),
        );
        return none;
    }
    if elements.len() == 0 {
        return none;
    }
    let mut read = Vec::with_capacity(elements.len());
    let mut canonical = vec![b'['];
    for (index, rule) in elements.enumerate() {
        if index > 0 {
            canonical.push(b',');
        }
        let owner = format!("rules[{index}]");
        read.extend(Rule::read(rule, &owner, &mut canonical, faults));
    }
    canonical.push(b']');
    (read, canonical)
}

/// The bounds with their canonical form.
fn read_bounds(bounds: Value<'_>, faults: &mut Faults<'_>) -> (Vec<Bound>, Vec<u8>) {
    let none = (Vec::new(), b"null".to_vec());
    if bounds.is_null() {
        return none;
    }
    let Some(members) = bounds.as_object() else {
        faults.note(
            "bounds",
            "is not an object",
            "Send an object whose keys are paths, as in {\"items[].price\": {\"min\": 0}}.",
        );
        return none;
    };
    if members.len() > MAX_BOUNDS {
        faults.note(
            "bounds",
            format!("has more than {MAX_BOUNDS} entries"),
            format!("Send at most {MAX_BOUNDS} bounds."),
        );
        return none;
    }
    if members.len() == 0 {
        return none;
    }
    let mut read = Vec::with_capacity(members.len());
    // Members with their canonical forms, to be brought into the order of the keys' UTF-16 code units (RFC 8785,
    // section 3.2.3).
    let mut forms: Vec<(Member<'_>, Vec<u8>)> = Vec::with_capacity(members.len());
    for member in members {
        let mut form = Vec::new();
        read.extend(Bound::read(member, &mut form, faults));
        forms.push((member, form));
    }
    forms.sort_by(|(a, _), (b, _)| a.key.encode_utf16().cmp(b.key.encode_utf16()));
    let mut canonical = vec![b'{'];
    for (index, (_, form)) in forms.iter().enumerate() {
        if index > 0 {
            canonical.push(b',');
        }
        canonical.extend_from_slice(form);
    }
    canonical.push(b'}');
    (read, canonical)
}

fn hash_as_supplied(rules: Value<'_>, bounds: Value<'_>) -> Digest {
    let mut canonical = b"{\"bounds\":".to_vec();
    write_canonical(bounds, &mut canonical);
    canonical.extend_from_slice(b",\"rules\":");
    write_canonical(rules, &mut canonical);
    canonical.push(b'}');
    Sha256::digest(&canonical).into()
}
