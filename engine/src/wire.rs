//! Reading a receipt back from the form in which it goes over the wire: what [`Receipt::write_wire`] has written.
//!
//! What comes back writes the same bytes again, on the wire and to be signed; that is checked, so a receipt that another
//! program has laid out differently is refused and never changed. A receipt need not say everything that a [`Receipt`]
//! holds: a compact one leaves out the hash of the request, the counts and the violations, and a full one lists at most
//! [`crate::limits::MAX_LIST_ENTRIES`] of each kind. The first two can be given aside ([`Unsaid`]); texts that are never
//! printed come back empty.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use uuid::Uuid;

use crate::json::{Document, Number, Parser, SyntaxError, Value};
use crate::receipt::Receipt;
use crate::response::{Detail, Digest, Hashes, Response, ServiceIdentity};
use crate::time::Timestamp;
use crate::verdict::{CheckName, Source, Tally, Verdict, Violation, Violations};

/// What a compact receipt leaves out and somebody else has kept. A full receipt's own word goes before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsaid {
    /// The hash of the request.
    pub request_hash: Option<Digest>,
    /// The checks of the schema and of integrity.
    pub tallies: Option<[Tally; 2]>,
}

/// Why a text is not taken as a receipt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// It is not JSON.
    #[error("the text is not JSON")]
    Json(#[source] SyntaxError),
    /// A member is missing or has not its form.
    #[error("the receipt has no {0} of the right form")]
    Member(&'static str),
    /// A compact receipt came without what it leaves out.
    #[error("the receipt is compact, and its {0} was not given")]
    Unsaid(&'static str),
    /// It would not be written like this.
    #[error("the receipt is not laid out as this program writes it")]
    Layout,
}

/// Reads receipts, one after another, in the same buffers.
#[derive(Default)]
pub struct WireReader {
    parser: Parser,
    document: Document,
    rewritten: Vec<u8>,
    /// Who answers is the same from receipt to receipt.
    last_identity: Option<Arc<ServiceIdentity>>,
    last_key_version: Option<Arc<str>>,
}

impl WireReader {
    /// Reads one receipt.
    ///
    /// # Errors
    /// [`WireError`]: then the text is no receipt that this program has written.
    pub fn read(&mut self, text: &[u8], unsaid: &Unsaid) -> Result<Receipt, WireError> {
        self.parser
            .parse(text, &mut self.document)
            .map_err(WireError::Json)?;
        let document = std::mem::take(&mut self.document);
        let receipt = self.read_document(document.root(), unsaid);
        self.document = document;
        let receipt = receipt?;
        self.rewritten.clear();
        receipt.write_wire(&mut self.rewritten);
        if self.rewritten == text {
            Ok(receipt)
        } else {
            Err(WireError::Layout)
        }
    }

    fn read_document(&mut self, root: Value<'_>, unsaid: &Unsaid) -> Result<Receipt, WireError> {
        let detail = if root.get("request_hash").is_some() {
            Detail::Full
        } else {
            Detail::Compact
        };
        let enforce_rules = bool_member(root, "enforce_rules")?;
        let strict_content_check = bool_member(root, "strict_content_check")?;
        let (request, [schema, integrity]) = match detail {
            Detail::Full => (
                digest_member(root, "request_hash")?,
                [
                    tally_member(root, "schema_compliance")?,
                    tally_member(root, "integrity_checks")?,
                ],
            ),
            Detail::Compact => (
                unsaid.request_hash.ok_or(WireError::Unsaid("request hash"))?,
                unsaid.tallies.ok_or(WireError::Unsaid("counts"))?,
            ),
        };
        let blocking = BlockingChecks::read(root)?;
        let lists = match detail {
            Detail::Full => read_lists(root, &blocking, enforce_rules, strict_content_check)?,
            Detail::Compact => blocking.as_lists(),
        };
        let [schema_violations, content_violations, rule_violations] = lists;
        let verify = root.get("verify").ok_or(WireError::Member("verify"))?;
        let attestation = root.get("attestation").ok_or(WireError::Member("attestation"))?;
        let response = Response {
            verification_id: Uuid::try_parse(text_member(root, "verification_id")?)
                .map_err(|_| WireError::Member("verification_id"))?,
            task_id: text_member(root, "task_id")?.to_owned(),
            agent_id: match root.get("agent_id") {
                Some(agent) if agent.is_null() => None,
                Some(agent) => Some(agent.as_str().ok_or(WireError::Member("agent_id"))?.to_owned()),
                None => return Err(WireError::Member("agent_id")),
            },
            hashes: Hashes {
                output: digest_member(root, "output_hash")?,
                schema: digest_member(root, "schema_hash")?,
                rules: digest_member(root, "rules_hash")?,
                request,
            },
            verified_at: Timestamp::parse(text_member(root, "verified_at")?)
                .ok_or(WireError::Member("verified_at"))?,
            enforce_rules,
            strict_content_check,
            detail,
            verdict: Verdict {
                schema,
                integrity,
                schema_violations,
                content_violations,
                rule_violations,
            },
            identity: self.identity(root, verify)?,
            key_version: self.key_version(text_member(verify, "key_version")?),
        };
        Ok(Receipt {
            response,
            signature: signature(attestation)?,
        })
    }

    fn identity(&mut self, root: Value<'_>, verify: Value<'_>) -> Result<Arc<ServiceIdentity>, WireError> {
        let public_key_url = text_member(verify, "public_key_url")?;
        let service = text_member(verify, "service")?;
        let mcp = text_member(verify, "mcp")?;
        let verifier_version = text_member(root, "verifier_version")?;
        let is_same = |last: &&Arc<ServiceIdentity>| {
            last.public_key_url == public_key_url
                && last.service == service
                && last.mcp == mcp
                && last.verifier_version == verifier_version
        };
        if let Some(last) = self.last_identity.as_ref().filter(is_same) {
            return Ok(Arc::clone(last));
        }
        let identity = Arc::new(ServiceIdentity {
            public_key_url: public_key_url.to_owned(),
            service: service.to_owned(),
            mcp: mcp.to_owned(),
            verifier_version: verifier_version.to_owned(),
        });
        self.last_identity = Some(Arc::clone(&identity));
        Ok(identity)
    }

    fn key_version(&mut self, key_version: &str) -> Arc<str> {
        match &self.last_key_version {
            Some(last) if &**last == key_version => Arc::clone(last),
            _ => Arc::clone(self.last_key_version.insert(key_version.into())),
        }
    }
}

fn text_member<'d>(value: Value<'d>, name: &'static str) -> Result<&'d str, WireError> {
    value
        .get(name)
        .and_then(Value::as_str)
        .ok_or(WireError::Member(name))
}

fn bool_member(value: Value<'_>, name: &'static str) -> Result<bool, WireError> {
    value
        .get(name)
        .and_then(Value::as_bool)
        .ok_or(WireError::Member(name))
}

fn count_member(value: Value<'_>, name: &'static str) -> Result<u64, WireError> {
    match value.get(name).and_then(Value::as_number) {
        Some(Number::Integer(count)) => u64::try_from(count).map_err(|_| WireError::Member(name)),
        Some(Number::Unsigned(count)) => Ok(count),
        _ => Err(WireError::Member(name)),
    }
}

fn tally_member(root: Value<'_>, name: &'static str) -> Result<Tally, WireError> {
    let tally = root.get(name).ok_or(WireError::Member(name))?;
    let tally = Tally {
        passed: count_member(tally, "passed")?,
        total: count_member(tally, "total")?,
    };
    // Both tallies are added up when the receipt is written again.
    let is_sane = tally.passed <= tally.total && tally.total <= u64::MAX / 2;
    if is_sane {
        Ok(tally)
    } else {
        Err(WireError::Member(name))
    }
}

fn digest_member(root: Value<'_>, name: &'static str) -> Result<Digest, WireError> {
    parse_digest(text_member(root, name)?).ok_or(WireError::Member(name))
}

/// Reads the 64 hexadecimal digits of a SHA-256 digest.
pub fn parse_digest(text: &str) -> Option<Digest> {
    let nibble = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let mut digest = [0; 32];
    if pairs.len() != digest.len() || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
        *byte = nibble(*high)? << 4 | nibble(*low)?;
    }
    Some(digest)
}

fn signature(attestation: Value<'_>) -> Result<[u8; 64], WireError> {
    let text = text_member(attestation, "signature")?;
    let bytes = STANDARD.decode(text).ok();
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or(WireError::Member("signature"))
}

/// The part of the check that a check belongs to, by its name.
fn source_of(check: &str) -> Source {
    if check.starts_with("content:") {
        Source::Content
    } else if check.starts_with("consistency:") || check.starts_with("bounds:") {
        Source::Integrity
    } else {
        Source::Schema
    }
}

/// The place of a source's list among the three.
fn place(source: Source) -> usize {
    match source {
        Source::Schema => 0,
        Source::Content => 1,
        Source::Integrity => 2,
    }
}

/// The names of the checks that block, by source.
struct BlockingChecks([Vec<CheckName>; 3]);

impl BlockingChecks {
    fn read(root: Value<'_>) -> Result<BlockingChecks, WireError> {
        let checks = root
            .get("summary")
            .and_then(|summary| summary.get("blocking_checks"))
            .and_then(Value::as_array)
            .ok_or(WireError::Member("summary.blocking_checks"))?;
        let mut lists: [Vec<CheckName>; 3] = Default::default();
        for check in checks {
            let check = check
                .as_str()
                .ok_or(WireError::Member("summary.blocking_checks"))?;
            lists[place(source_of(check))].push(CheckName::Owned(check.to_owned()));
        }
        Ok(BlockingChecks(lists))
    }

    /// All that a compact receipt tells of its violations: that there are some, and of which checks.
    fn as_lists(&self) -> [Violations; 3] {
        let list = |checks: &Vec<CheckName>| Violations {
            entries: Vec::new(),
            total: checks.len() as u64,
            checks: checks.iter().cloned().collect(),
        };
        let [schema, content, rules] = &self.0;
        [list(schema), list(content), list(rules)]
    }
}

/// One violation as the lists of a full receipt show it, each list another side of it.
#[derive(Default)]
struct Sighting<'d> {
    check: &'d str,
    path: Option<&'d str>,
    field: Option<&'d str>,
    expected: &'d str,
    found: &'d str,
    detail: &'d str,
}

fn read_lists(
    root: Value<'_>,
    blocking: &BlockingChecks,
    enforce_rules: bool,
    strict_content_check: bool,
) -> Result<[Violations; 3], WireError> {
    let mut sightings: [Vec<Sighting<'_>>; 3] = Default::default();
    see_hints(root, &mut sightings)?;
    see_flags(root, &mut sightings)?;
    see_errors(root, &mut sightings)?;
    let totals = totals(root, &sightings, enforce_rules, strict_content_check)?;
    let is_blocking = [true, strict_content_check, enforce_rules];
    let mut lists: [Violations; 3] = Default::default();
    for (place, list) in lists.iter_mut().enumerate() {
        list.total = totals[place];
        for sighting in &sightings[place] {
            let check = CheckName::Owned(sighting.check.to_owned());
            if !is_blocking[place] && !list.checks.contains(&check) {
                list.checks.push(check.clone());
            }
            let field = sighting.field.or(sighting.path.and_then(field_of));
            list.entries.push(Violation {
                check,
                field: field.unwrap_or_default().to_owned(),
                expected: sighting.expected.to_owned(),
                found: sighting.found.to_owned(),
                detail: sighting.detail.to_owned(),
            });
        }
        if is_blocking[place] {
            list.checks.extend(blocking.0[place].iter().cloned());
        }
    }
    Ok(lists)
}

/// The entries of a list of the receipt.
fn entries<'d>(root: Value<'d>, name: &'static str) -> Result<impl Iterator<Item = Value<'d>>, WireError> {
    root.get(name)
        .and_then(Value::as_array)
        .ok_or(WireError::Member(name))
}

/// The `nth` sighting of a list, which is made when it is the next one.
fn nth<'s, 'd>(list: &'s mut Vec<Sighting<'d>>, nth: usize) -> &'s mut Sighting<'d> {
    if nth >= list.len() {
        list.push(Sighting::default());
    }
    let last = list.len() - 1;
    &mut list[nth.min(last)]
}

fn see_hints<'d>(root: Value<'d>, sightings: &mut [Vec<Sighting<'d>>; 3]) -> Result<(), WireError> {
    for hint in entries(root, "hints")? {
        let source = match text_member(hint, "source")? {
            "schema" => Source::Schema,
            "content" => Source::Content,
            "integrity" => Source::Integrity,
            _ => return Err(WireError::Member("source")),
        };
        sightings[place(source)].push(Sighting {
            check: text_member(hint, "check")?,
            path: Some(text_member(hint, "path")?),
            expected: text_member(hint, "expected")?,
            found: text_member(hint, "found")?,
            ..Sighting::default()
        });
    }
    Ok(())
}

fn see_flags<'d>(root: Value<'d>, sightings: &mut [Vec<Sighting<'d>>; 3]) -> Result<(), WireError> {
    let mut seen = [0; 3];
    for flag in entries(root, "flags")? {
        let place = place(match text_member(flag, "severity")? {
            "warning" => Source::Content,
            _ => Source::Integrity,
        });
        let sighting = nth(&mut sightings[place], seen[place]);
        seen[place] += 1;
        sighting.check = text_member(flag, "check")?;
        sighting.field = Some(text_member(flag, "field")?);
        sighting.detail = text_member(flag, "detail")?;
    }
    Ok(())
}

fn see_errors<'d>(root: Value<'d>, sightings: &mut [Vec<Sighting<'d>>; 3]) -> Result<(), WireError> {
    let mut seen = [0; 3];
    for error in entries(root, "errors_detail")? {
        let message = text_member(error, "message")?;
        let (source, words) = if let Some(words) = message.strip_prefix("enforce_rules: ") {
            (Source::Integrity, words)
        } else if let Some(words) = message.strip_prefix("strict_content_check: ") {
            (Source::Content, words)
        } else {
            (Source::Schema, message)
        };
        let place = place(source);
        let sighting = nth(&mut sightings[place], seen[place]);
        seen[place] += 1;
        let path = text_member(error, "path")?;
        sighting.check = text_member(error, "check")?;
        sighting.path = Some(path);
        sighting.expected = text_member(error, "expected")?;
        sighting.found = text_member(error, "found")?;
        let (field, detail) =
            split_message(words, sighting.check, path).ok_or(WireError::Member("message"))?;
        sighting.field = Some(field);
        sighting.detail = detail;
    }
    Ok(())
}

/// Field and detail of a message `CHECK at 'FIELD': DETAIL`, whose parts may hold anything.
fn split_message<'d>(words: &'d str, check: &str, path: &'d str) -> Option<(&'d str, &'d str)> {
    let rest = words.strip_prefix(check)?.strip_prefix(" at '")?;
    // The root has two names.
    let fields = [field_of(path)?, if path == "$" { "" } else { field_of(path)? }];
    fields.into_iter().find_map(|field| {
        let detail = rest.strip_prefix(field)?.strip_prefix("': ")?;
        Some((field, detail))
    })
}

/// The field whose path from the root this is; the reverse of [`Violation::path`].
fn field_of(path: &str) -> Option<&str> {
    match path {
        "$" => Some("$"),
        _ => {
            let field = path.strip_prefix('$')?;
            Some(field.strip_prefix('.').unwrap_or(field))
        }
    }
}

/// How many violations each list has, of which the receipt tells only sums.
///
/// Where those leave the share of content and rules open, both block or neither does, and no byte depends on it.
fn totals(
    root: Value<'_>,
    sightings: &[Vec<Sighting<'_>>; 3],
    enforce_rules: bool,
    strict_content_check: bool,
) -> Result<[u64; 3], WireError> {
    let hints = count_member(root, "hints_total")?;
    let flags = count_member(root, "flags_total")?;
    let errors = count_member(root, "errors_total")?;
    let schema = hints.checked_sub(flags).ok_or(WireError::Member("hints_total"))?;
    let blocking_flags = errors
        .checked_sub(schema)
        .ok_or(WireError::Member("errors_total"))?;
    let content = match (strict_content_check, enforce_rules) {
        (true, false) => blocking_flags,
        (false, true) => flags.saturating_sub(blocking_flags),
        // Content comes first: once a rule is listed, all of it is.
        _ if !sightings[2].is_empty() => sightings[1].len() as u64,
        _ => flags,
    };
    let rules = flags
        .checked_sub(content)
        .ok_or(WireError::Member("flags_total"))?;
    Ok([schema, content, rules])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(WireReader::default().read(&bytes, &Unsaid::default()).is_err());
        }
    }

    #[test]
    fn digests_are_64_hexadecimal_digits() {
        assert_eq!(parse_digest(&"0f".repeat(32)), Some([15; 32]));
        for text in ["", "0f", &"0f".repeat(33), &"0g".repeat(32), &"é".repeat(32)] {
            assert_eq!(parse_digest(text), None);
        }
    }
}
