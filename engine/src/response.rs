//! The response: what is answered and signed, in the order of the wire and in canonical order.
//!
//! One list of members serves both forms. The signed bytes are written directly in canonical order (RFC 8785), never
//! by sorting a value, and a test holds them against the canonical form of the parsed response.

use std::sync::Arc;

use uuid::Uuid;

use crate::hex::write_hex;
use crate::json::write_canonical_string;
use crate::limits::MAX_LIST_ENTRIES;
use crate::time::{Timestamp, write_timestamp};
use crate::verdict::{Outcome, Source, Tally, Verdict, Violation};

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// How much of the response is sent and signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    #[default]
    Full,
    /// Result, hashes and signature.
    Compact,
}

/// The four hashes of protocol section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// Of `submitted_output`.
    pub output: Digest,
    /// Of `expected_schema`.
    pub schema: Digest,
    /// Of rules and bounds as supplied.
    pub rules: Digest,
    /// Of the request with every default filled in.
    pub request: Digest,
}

/// Who answers, as it stands in every response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceIdentity {
    /// Where the public keys are listed: the address of the agent card.
    pub public_key_url: String,
    /// The name of the service.
    pub service: String,
    /// The address of its MCP endpoint.
    pub mcp: String,
    /// The version of the verifier.
    pub verifier_version: String,
}

/// A verification's answer, before it is signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Names this verification.
    pub verification_id: Uuid,
    /// The request's `task_id`.
    pub task_id: String,
    /// The request's `agent_id`: an unauthenticated label.
    pub agent_id: Option<String>,
    /// What was checked, by hash.
    pub hashes: Hashes,
    /// When it was checked; also the time of the attestation.
    pub verified_at: Timestamp,
    /// Whether rules and bounds block.
    pub enforce_rules: bool,
    /// Whether content flags block.
    pub strict_content_check: bool,
    /// Which members the response has.
    pub detail: Detail,
    /// What was found.
    pub verdict: Verdict,
    /// Who answers.
    pub identity: Arc<ServiceIdentity>,
    /// The key that signs.
    pub key_version: Arc<str>,
}

/// The two forms in which a response is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Members in the published order, numbers as the published examples print them.
    Wire,
    /// RFC 8785.
    Canonical,
}

/// The members of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    AgentId,
    EnforceRules,
    Errors,
    ErrorsDetail,
    ErrorsDetailOmitted,
    ErrorsDetailTotal,
    ErrorsOmitted,
    ErrorsTotal,
    Flags,
    FlagsOmitted,
    FlagsTotal,
    Hints,
    HintsOmitted,
    HintsTotal,
    IntegrityChecks,
    NextActions,
    OutputHash,
    Overall,
    RequestHash,
    Result,
    RulesHash,
    SchemaCompliance,
    SchemaHash,
    StrictContentCheck,
    Summary,
    TaskId,
    VerificationId,
    VerifiedAt,
    VerifierVersion,
    Verify,
}

use Field::*;

const FULL_WIRE: [Field; 30] = [
    Summary,
    NextActions,
    Result,
    VerificationId,
    TaskId,
    AgentId,
    OutputHash,
    SchemaHash,
    RulesHash,
    RequestHash,
    VerifiedAt,
    VerifierVersion,
    EnforceRules,
    StrictContentCheck,
    Errors,
    ErrorsTotal,
    ErrorsOmitted,
    ErrorsDetail,
    ErrorsDetailTotal,
    ErrorsDetailOmitted,
    Flags,
    FlagsTotal,
    FlagsOmitted,
    Hints,
    HintsTotal,
    HintsOmitted,
    SchemaCompliance,
    IntegrityChecks,
    Overall,
    Verify,
];

const FULL_CANONICAL: [Field; 30] = [
    AgentId,
    EnforceRules,
    Errors,
    ErrorsDetail,
    ErrorsDetailOmitted,
    ErrorsDetailTotal,
    ErrorsOmitted,
    ErrorsTotal,
    Flags,
    FlagsOmitted,
    FlagsTotal,
    Hints,
    HintsOmitted,
    HintsTotal,
    IntegrityChecks,
    NextActions,
    OutputHash,
    Overall,
    RequestHash,
    Result,
    RulesHash,
    SchemaCompliance,
    SchemaHash,
    StrictContentCheck,
    Summary,
    TaskId,
    VerificationId,
    VerifiedAt,
    VerifierVersion,
    Verify,
];

const COMPACT_WIRE: [Field; 14] = [
    Summary,
    NextActions,
    Result,
    VerificationId,
    TaskId,
    AgentId,
    OutputHash,
    SchemaHash,
    RulesHash,
    VerifiedAt,
    VerifierVersion,
    EnforceRules,
    StrictContentCheck,
    Verify,
];

const COMPACT_CANONICAL: [Field; 14] = [
    AgentId,
    EnforceRules,
    NextActions,
    OutputHash,
    Result,
    RulesHash,
    SchemaHash,
    StrictContentCheck,
    Summary,
    TaskId,
    VerificationId,
    VerifiedAt,
    VerifierVersion,
    Verify,
];

impl Field {
    /// The key with its quotes and the colon.
    fn key(self) -> &'static str {
        match self {
            AgentId => "\"agent_id\":",
            EnforceRules => "\"enforce_rules\":",
            Errors => "\"errors\":",
            ErrorsDetail => "\"errors_detail\":",
            ErrorsDetailOmitted => "\"errors_detail_omitted\":",
            ErrorsDetailTotal => "\"errors_detail_total\":",
            ErrorsOmitted => "\"errors_omitted\":",
            ErrorsTotal => "\"errors_total\":",
            Flags => "\"flags\":",
            FlagsOmitted => "\"flags_omitted\":",
            FlagsTotal => "\"flags_total\":",
            Hints => "\"hints\":",
            HintsOmitted => "\"hints_omitted\":",
            HintsTotal => "\"hints_total\":",
            IntegrityChecks => "\"integrity_checks\":",
            NextActions => "\"next_actions\":",
            OutputHash => "\"output_hash\":",
            Overall => "\"overall\":",
            RequestHash => "\"request_hash\":",
            Result => "\"result\":",
            RulesHash => "\"rules_hash\":",
            SchemaCompliance => "\"schema_compliance\":",
            SchemaHash => "\"schema_hash\":",
            StrictContentCheck => "\"strict_content_check\":",
            Summary => "\"summary\":",
            TaskId => "\"task_id\":",
            VerificationId => "\"verification_id\":",
            VerifiedAt => "\"verified_at\":",
            VerifierVersion => "\"verifier_version\":",
            Verify => "\"verify\":",
        }
    }
}

/// One entry of the lists of a response.
#[derive(Clone, Copy)]
struct Listed<'r> {
    violation: &'r Violation,
    source: Source,
}

impl Response {
    /// Pass or fail.
    pub fn outcome(&self) -> Outcome {
        self.verdict
            .outcome(self.enforce_rules, self.strict_content_check)
    }

    /// Appends the response without `attestation` and without its closing brace, in the order of the wire.
    pub(crate) fn write_wire_open(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        match self.detail {
            Detail::Full => self.write_members(&FULL_WIRE, Form::Wire, out),
            Detail::Compact => self.write_members(&COMPACT_WIRE, Form::Wire, out),
        }
    }

    /// Appends the response without `attestation` in canonical form.
    pub(crate) fn write_canonical(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        match self.detail {
            Detail::Full => self.write_members(&FULL_CANONICAL, Form::Canonical, out),
            Detail::Compact => self.write_members(&COMPACT_CANONICAL, Form::Canonical, out),
        }
        out.push(b'}');
    }

    fn write_members(&self, fields: &[Field], form: Form, out: &mut Vec<u8>) {
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(field.key().as_bytes());
            self.write_member(*field, form, out);
        }
    }

    fn write_member(&self, field: Field, form: Form, out: &mut Vec<u8>) {
        match field {
            AgentId => match &self.agent_id {
                Some(agent) => write_canonical_string(agent, out),
                None => out.extend_from_slice(b"null"),
            },
            TaskId => write_canonical_string(&self.task_id, out),
            VerifierVersion => write_canonical_string(&self.identity.verifier_version, out),
            VerificationId => {
                let mut text = Uuid::encode_buffer();
                write_plain_string(self.verification_id.hyphenated().encode_lower(&mut text), out);
            }
            VerifiedAt => {
                out.push(b'"');
                write_timestamp(self.verified_at, out);
                out.push(b'"');
            }
            EnforceRules => write_bool(self.enforce_rules, out),
            StrictContentCheck => write_bool(self.strict_content_check, out),
            Result => write_plain_string(self.outcome().name(), out),
            OutputHash => write_digest(&self.hashes.output, out),
            SchemaHash => write_digest(&self.hashes.schema, out),
            RulesHash => write_digest(&self.hashes.rules, out),
            RequestHash => write_digest(&self.hashes.request, out),
            SchemaCompliance => write_tally(self.verdict.schema, form, out),
            IntegrityChecks => write_tally(self.verdict.integrity, form, out),
            Overall => write_tally(self.verdict.schema.plus(self.verdict.integrity), form, out),
            Summary => self.write_summary(form, out),
            NextActions => write_next_actions(self.outcome(), out),
            Verify => self.write_verify(form, out),
            Errors => write_list(self.blocking(), out, |entry, out| {
                write_canonical_string(&self.message(entry), out);
            }),
            ErrorsDetail => write_list(self.blocking(), out, |entry, out| {
                self.write_error_detail(entry, form, out)
            }),
            Flags => write_list(self.flags(), out, |entry, out| write_flag(entry, form, out)),
            Hints => write_list(self.hints(), out, |entry, out| write_hint(entry, form, out)),
            ErrorsTotal | ErrorsDetailTotal => write_count(self.blocking_total(), out),
            ErrorsOmitted | ErrorsDetailOmitted => write_omitted(self.blocking_total(), out),
            FlagsTotal => write_count(self.flags_total(), out),
            FlagsOmitted => write_omitted(self.flags_total(), out),
            HintsTotal => write_count(self.hints_total(), out),
            HintsOmitted => write_omitted(self.hints_total(), out),
        }
    }

    /// Violations of the schema, then of what the request lets block.
    fn blocking(&self) -> impl Iterator<Item = Listed<'_>> {
        let content = self.content().filter(|_| self.strict_content_check);
        let rules = self.rules().filter(|_| self.enforce_rules);
        self.schema().chain(content).chain(rules)
    }

    fn flags(&self) -> impl Iterator<Item = Listed<'_>> {
        self.content().chain(self.rules())
    }

    fn hints(&self) -> impl Iterator<Item = Listed<'_>> {
        self.schema().chain(self.content()).chain(self.rules())
    }

    fn schema(&self) -> impl Iterator<Item = Listed<'_>> {
        listed(&self.verdict.schema_violations.entries, Source::Schema)
    }

    fn content(&self) -> impl Iterator<Item = Listed<'_>> {
        listed(&self.verdict.content_violations.entries, Source::Content)
    }

    fn rules(&self) -> impl Iterator<Item = Listed<'_>> {
        listed(&self.verdict.rule_violations.entries, Source::Integrity)
    }

    fn blocking_total(&self) -> u64 {
        let content = if self.strict_content_check {
            self.verdict.content_violations.total
        } else {
            0
        };
        let rules = if self.enforce_rules {
            self.verdict.rule_violations.total
        } else {
            0
        };
        self.verdict.schema_violations.total + content + rules
    }

    fn flags_total(&self) -> u64 {
        self.verdict.content_violations.total + self.verdict.rule_violations.total
    }

    fn hints_total(&self) -> u64 {
        self.verdict.schema_violations.total + self.flags_total()
    }

    /// Every check that blocks, by name.
    pub fn blocking_checks(&self) -> impl Iterator<Item = &str> {
        let content = self
            .verdict
            .content_violations
            .checks
            .iter()
            .filter(|_| self.strict_content_check);
        let rules = self
            .verdict
            .rule_violations
            .checks
            .iter()
            .filter(|_| self.enforce_rules);
        self.verdict
            .schema_violations
            .checks
            .iter()
            .chain(content)
            .chain(rules)
            .map(|name| &**name)
    }

    fn write_summary(&self, form: Form, out: &mut Vec<u8>) {
        let checks = |out: &mut Vec<u8>| {
            out.extend_from_slice(b"\"blocking_checks\":[");
            for (index, check) in self.blocking_checks().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_canonical_string(check, out);
            }
            out.push(b']');
        };
        let result = |out: &mut Vec<u8>| {
            out.extend_from_slice(b"\"result\":");
            write_plain_string(self.outcome().name(), out);
        };
        out.push(b'{');
        if form == Form::Wire {
            result(out);
            out.push(b',');
            checks(out);
        } else {
            checks(out);
            out.push(b',');
            result(out);
        }
        out.push(b'}');
    }

    fn write_verify(&self, form: Form, out: &mut Vec<u8>) {
        let canonicalization = ("canonicalization", "RFC 8785 (JCS)");
        let hash_algorithm = ("hash_algorithm", "SHA-256");
        let key_version = ("key_version", &*self.key_version);
        let mcp = ("mcp", &*self.identity.mcp);
        let public_key_url = ("public_key_url", &*self.identity.public_key_url);
        let service = ("service", &*self.identity.service);
        let members = match form {
            Form::Wire => [
                public_key_url,
                key_version,
                canonicalization,
                hash_algorithm,
                service,
                mcp,
            ],
            Form::Canonical => [
                canonicalization,
                hash_algorithm,
                key_version,
                mcp,
                public_key_url,
                service,
            ],
        };
        write_strings(&members, out);
    }

    fn message(&self, entry: Listed<'_>) -> String {
        let setting = match entry.source {
            Source::Schema => "",
            Source::Integrity => "enforce_rules: ",
            Source::Content => "strict_content_check: ",
        };
        let Violation {
            check, field, detail, ..
        } = entry.violation;
        format!("{setting}{check} at '{field}': {detail}")
    }

    fn write_error_detail(&self, entry: Listed<'_>, form: Form, out: &mut Vec<u8>) {
        let (path, message) = (entry.violation.path(), self.message(entry));
        let check = ("check", &*entry.violation.check);
        let path = ("path", &*path);
        let expected = ("expected", &*entry.violation.expected);
        let found = ("found", &*entry.violation.found);
        let message = ("message", &*message);
        match form {
            Form::Wire => write_strings(&[check, path, expected, found, message], out),
            Form::Canonical => write_strings(&[check, expected, found, message, path], out),
        }
    }
}

fn listed(entries: &[Violation], source: Source) -> impl Iterator<Item = Listed<'_>> {
    entries.iter().map(move |violation| Listed { violation, source })
}

fn write_flag(entry: Listed<'_>, form: Form, out: &mut Vec<u8>) {
    let check = ("check", &*entry.violation.check);
    let field = ("field", &*entry.violation.field);
    let severity = (
        "severity",
        if entry.source == Source::Content {
            "warning"
        } else {
            "error"
        },
    );
    let detail = ("detail", &*entry.violation.detail);
    match form {
        Form::Wire => write_strings(&[check, field, severity, detail], out),
        Form::Canonical => write_strings(&[check, detail, field, severity], out),
    }
}

fn write_hint(entry: Listed<'_>, form: Form, out: &mut Vec<u8>) {
    let path = entry.violation.path();
    let source = ("source", entry.source.name());
    let check = ("check", &*entry.violation.check);
    let path = ("path", &*path);
    let expected = ("expected", &*entry.violation.expected);
    let found = ("found", &*entry.violation.found);
    match form {
        Form::Wire => write_strings(&[source, check, path, expected, found], out),
        Form::Canonical => write_strings(&[check, expected, found, path, source], out),
    }
}

/// The same in both forms, since `action` sorts before `for` and `using`.
fn write_next_actions(outcome: Outcome, out: &mut Vec<u8>) {
    out.extend_from_slice(match outcome {
        Outcome::Pass => {
            br#"[{"action":"attach_receipt","for":"seller"},{"action":"proceed_to_payment","for":"buyer"}]"#
        }
        Outcome::Fail => br#"[{"action":"repair_and_reverify","using":"hints"}]"#,
    });
}

fn write_list<'r>(
    entries: impl Iterator<Item = Listed<'r>>,
    out: &mut Vec<u8>,
    mut write_entry: impl FnMut(Listed<'r>, &mut Vec<u8>),
) {
    out.push(b'[');
    for (index, entry) in entries.take(MAX_LIST_ENTRIES).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_entry(entry, out);
    }
    out.push(b']');
}

fn write_strings(members: &[(&str, &str)], out: &mut Vec<u8>) {
    for (index, (key, value)) in members.iter().enumerate() {
        out.push(if index == 0 { b'{' } else { b',' });
        write_plain_string(key, out);
        out.push(b':');
        write_canonical_string(value, out);
    }
    out.push(b'}');
}

fn write_tally(tally: Tally, form: Form, out: &mut Vec<u8>) {
    let ratio = |out: &mut Vec<u8>| {
        out.extend_from_slice(b"\"ratio\":");
        let ratio = tally.ratio();
        if form == Form::Wire && ratio.fract() == 0.0 {
            out.extend_from_slice(if ratio == 0.0 { b"0.0" } else { b"1.0" });
        } else if form == Form::Wire && ratio < 1e-4 {
            out.extend_from_slice(crate::json::Number::Float(ratio).to_string().as_bytes());
        } else {
            out.extend_from_slice(ryu_js::Buffer::new().format(ratio).as_bytes());
        }
    };
    out.push(b'{');
    if form == Form::Wire {
        ratio(out);
        out.push(b',');
    }
    out.extend_from_slice(b"\"passed\":");
    write_count(tally.passed, out);
    if form == Form::Canonical {
        out.push(b',');
        ratio(out);
    }
    out.extend_from_slice(b",\"total\":");
    write_count(tally.total, out);
    out.push(b'}');
}

fn write_count(count: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
}

fn write_omitted(total: u64, out: &mut Vec<u8>) {
    write_count(total.saturating_sub(MAX_LIST_ENTRIES as u64), out);
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// A string that needs no escape.
fn write_plain_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn write_digest(digest: &Digest, out: &mut Vec<u8>) {
    out.push(b'"');
    write_hex(digest, out);
    out.push(b'"');
}
