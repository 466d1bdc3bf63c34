//! The two documents about an agent: the signed score and the unsigned reputation, in wire and canonical order.

use std::num::NonZeroU32;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{DayCount, Estimate, History, REPUTATION_DAYS, estimate};
use crate::json::{Number, write_canonical_string};
use crate::receipt::{SCORE_CONTEXT, Signer};
use crate::response::ServiceIdentity;
use crate::time::{Timestamp, write_timestamp};

/// The score of an agent, before it is signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The agent.
    pub agent_id: String,
    /// Requests that passed, each counted once a day.
    pub passed_count: u64,
    /// Requests that failed, each counted once a day.
    pub failed_count: u64,
    /// The time of the first counted check.
    pub first_seen: Option<Timestamp>,
    /// The time of the last counted check.
    pub last_seen: Option<Timestamp>,
    /// The half-life of a day's weight, in days.
    pub half_life_days: NonZeroU32,
    /// What the history says; none without one, which the document tells as `no_data`.
    pub estimate: Option<Estimate>,
    /// The time that the score stands for; also the time of the attestation.
    pub computed_at: Timestamp,
    /// Who answers.
    pub identity: Arc<ServiceIdentity>,
    /// The key that signs.
    pub key_version: Arc<str>,
}

/// A score with its signature.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedScore {
    /// What is signed.
    pub score: Score,
    /// The Ed25519 signature.
    pub signature: [u8; 64],
}

/// The counts of an agent, with its last days one by one. It is not signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reputation {
    /// The agent.
    pub agent_id: String,
    /// Requests that passed, each counted once a day.
    pub passed_count: u64,
    /// Requests that failed, each counted once a day.
    pub failed_count: u64,
    /// The time of the first counted check.
    pub first_seen: Option<Timestamp>,
    /// The time of the last counted check.
    pub last_seen: Option<Timestamp>,
    /// The time that the counts stand for.
    pub computed_at: Timestamp,
    /// The days that have counts among the last [`REPUTATION_DAYS`], ascending.
    pub by_day: Vec<DayCount>,
}

/// The two forms in which a document is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Members in the order of the protocol, numbers as the ratios of a response.
    Wire,
    /// RFC 8785.
    Canonical,
}

/// The members of a score.
#[derive(Clone, Copy)]
enum Member {
    AgentId,
    ComputedAt,
    ConfidenceInterval95,
    EffectiveSampleSize,
    FailedCount,
    FirstSeen,
    HalfLifeDays,
    IdentityVerified,
    LastSeen,
    PassedCount,
    Reason,
    SampleSize,
    TrustScore,
    VerifiedCount,
    Verify,
}

use Member::*;

const WIRE: [Member; 15] = [
    AgentId,
    TrustScore,
    ConfidenceInterval95,
    SampleSize,
    VerifiedCount,
    PassedCount,
    FailedCount,
    FirstSeen,
    LastSeen,
    HalfLifeDays,
    EffectiveSampleSize,
    IdentityVerified,
    Reason,
    ComputedAt,
    Verify,
];

const CANONICAL: [Member; 15] = [
    AgentId,
    ComputedAt,
    ConfidenceInterval95,
    EffectiveSampleSize,
    FailedCount,
    FirstSeen,
    HalfLifeDays,
    IdentityVerified,
    LastSeen,
    PassedCount,
    Reason,
    SampleSize,
    TrustScore,
    VerifiedCount,
    Verify,
];

impl Score {
    /// The score of `agent_id` at `computed_at`.
    ///
    /// `history` is what was counted up to `computed_at`; `key_version` is that of the signer to be used.
    pub fn compute(
        agent_id: &str,
        history: &History,
        half_life_days: NonZeroU32,
        computed_at: Timestamp,
        identity: Arc<ServiceIdentity>,
        key_version: Arc<str>,
    ) -> Score {
        let (passed_count, failed_count) = history.totals();
        Score {
            agent_id: agent_id.to_owned(),
            passed_count,
            failed_count,
            first_seen: history.first_seen,
            last_seen: history.last_seen,
            half_life_days,
            estimate: estimate(&history.days, half_life_days, computed_at),
            computed_at,
            identity,
            key_version,
        }
    }

    /// Signs the score with the key that `key_version` names; `scratch` is overwritten.
    pub fn sign(self, signer: &Signer, scratch: &mut Vec<u8>) -> SignedScore {
        scratch.clear();
        self.write_signed_bytes(scratch);
        let signature = signer.sign(scratch);
        SignedScore {
            score: self,
            signature,
        }
    }

    /// Appends the bytes that are signed (protocol, section 5).
    pub fn write_signed_bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"algorithm\":\"Ed25519\",\"attested_at\":");
        write_time(Some(self.computed_at), out);
        out.extend_from_slice(b",\"context\":");
        write_canonical_string(SCORE_CONTEXT, out);
        out.extend_from_slice(b",\"key_version\":");
        write_canonical_string(&self.key_version, out);
        out.extend_from_slice(b",\"response\":{");
        self.write_members(&CANONICAL, Form::Canonical, out);
        out.extend_from_slice(b"}}");
    }

    fn write_members(&self, members: &[Member], form: Form, out: &mut Vec<u8>) {
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.write_member(*member, form, out);
        }
    }

    fn write_member(&self, member: Member, form: Form, out: &mut Vec<u8>) {
        let checked = self.passed_count.saturating_add(self.failed_count);
        match member {
            AgentId => {
                write_key("agent_id", out);
                write_canonical_string(&self.agent_id, out);
            }
            TrustScore => {
                write_key("trust_score", out);
                match &self.estimate {
                    Some(estimate) => write_float(estimate.trust_score, form, out),
                    None => out.extend_from_slice(b"null"),
                }
            }
            ConfidenceInterval95 => {
                write_key("confidence_interval_95", out);
                match &self.estimate {
                    Some(Estimate {
                        confidence_interval_95: [low, high],
                        ..
                    }) => {
                        out.push(b'[');
                        write_float(*low, form, out);
                        out.push(b',');
                        write_float(*high, form, out);
                        out.push(b']');
                    }
                    None => out.extend_from_slice(b"null"),
                }
            }
            EffectiveSampleSize => {
                write_key("effective_sample_size", out);
                let size = self
                    .estimate
                    .map_or(0.0, |estimate| estimate.effective_sample_size);
                write_float(size, form, out);
            }
            SampleSize => write_count("sample_size", checked, out),
            VerifiedCount => write_count("verified_count", checked, out),
            PassedCount => write_count("passed_count", self.passed_count, out),
            FailedCount => write_count("failed_count", self.failed_count, out),
            HalfLifeDays => write_count("half_life_days", u64::from(self.half_life_days.get()), out),
            FirstSeen => {
                write_key("first_seen", out);
                write_time(self.first_seen, out);
            }
            LastSeen => {
                write_key("last_seen", out);
                write_time(self.last_seen, out);
            }
            ComputedAt => {
                write_key("computed_at", out);
                write_time(Some(self.computed_at), out);
            }
            IdentityVerified => write_identity_verified(out),
            Reason => write_reason(self.estimate.is_some(), out),
            Verify => {
                write_key("verify", out);
                write_verify(&self.identity, &self.key_version, form, out);
            }
        }
    }
}

impl SignedScore {
    /// Appends the score as it goes over the wire, in one line.
    pub fn write_wire(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        self.score.write_members(&WIRE, Form::Wire, out);
        out.extend_from_slice(b",\"attestation\":{\"algorithm\":\"Ed25519\",\"key_version\":");
        write_canonical_string(&self.score.key_version, out);
        out.extend_from_slice(b",\"timestamp\":");
        write_time(Some(self.score.computed_at), out);
        out.extend_from_slice(b",\"signature\":\"");
        out.extend_from_slice(STANDARD.encode(self.signature).as_bytes());
        out.extend_from_slice(b"\"}}");
    }
}

impl Reputation {
    /// The reputation of `agent_id` at `computed_at`; `history` is what was counted up to then.
    pub fn compute(agent_id: &str, history: &History, computed_at: Timestamp) -> Reputation {
        let (passed_count, failed_count) = history.totals();
        let today = computed_at.day();
        let mut by_day: Vec<DayCount> = history
            .days
            .iter()
            .filter(|count| count.day <= today && count.day > today.saturating_sub(REPUTATION_DAYS))
            .copied()
            .collect();
        by_day.sort_unstable_by_key(|count| count.day);
        Reputation {
            agent_id: agent_id.to_owned(),
            passed_count,
            failed_count,
            first_seen: history.first_seen,
            last_seen: history.last_seen,
            computed_at,
            by_day,
        }
    }

    /// Appends the reputation as it goes over the wire, in one line.
    pub fn write_wire(&self, out: &mut Vec<u8>) {
        let checked = self.passed_count.saturating_add(self.failed_count);
        out.push(b'{');
        write_key("agent_id", out);
        write_canonical_string(&self.agent_id, out);
        for (key, count) in [
            ("sample_size", checked),
            ("verified_count", checked),
            ("passed_count", self.passed_count),
            ("failed_count", self.failed_count),
        ] {
            out.push(b',');
            write_count(key, count, out);
        }
        for (key, time) in [("first_seen", self.first_seen), ("last_seen", self.last_seen)] {
            out.push(b',');
            write_key(key, out);
            write_time(time, out);
        }
        out.push(b',');
        write_identity_verified(out);
        out.push(b',');
        write_reason(checked > 0, out);
        out.push(b',');
        write_key("computed_at", out);
        write_time(Some(self.computed_at), out);
        out.push(b',');
        write_key("by_day", out);
        out.push(b'[');
        for (index, count) in self.by_day.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_day(count, out);
        }
        out.extend_from_slice(b"]}");
    }
}

fn write_day(count: &DayCount, out: &mut Vec<u8>) {
    const DAY_MICROS: i64 = 86_400_000_000;
    /// The characters of `2026-10-01` at the start of a time.
    const DATE_CHARS: usize = 10;
    out.extend_from_slice(b"{\"day\":\"");
    let start = out.len();
    write_timestamp(Timestamp::from_micros(i64::from(count.day) * DAY_MICROS), out);
    out.truncate(start + DATE_CHARS);
    out.extend_from_slice(b"\",");
    write_count("verified_count", count.passed.saturating_add(count.failed), out);
    out.push(b',');
    write_count("passed_count", count.passed, out);
    out.push(b',');
    write_count("failed_count", count.failed, out);
    out.push(b'}');
}

/// The `verify` block, as it stands in every response.
fn write_verify(identity: &ServiceIdentity, key_version: &str, form: Form, out: &mut Vec<u8>) {
    let public_key_url = ("public_key_url", &*identity.public_key_url);
    let key_version = ("key_version", key_version);
    let canonicalization = ("canonicalization", "RFC 8785 (JCS)");
    let hash_algorithm = ("hash_algorithm", "SHA-256");
    let service = ("service", &*identity.service);
    let mcp = ("mcp", &*identity.mcp);
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
    for (index, (key, value)) in members.into_iter().enumerate() {
        out.push(if index == 0 { b'{' } else { b',' });
        write_key(key, out);
        write_canonical_string(value, out);
    }
    out.push(b'}');
}

/// Agents are unauthenticated labels; nobody's identity was verified.
fn write_identity_verified(out: &mut Vec<u8>) {
    write_key("identity_verified", out);
    out.extend_from_slice(b"false");
}

fn write_reason(has_data: bool, out: &mut Vec<u8>) {
    write_key("reason", out);
    out.extend_from_slice(if has_data { b"null" } else { b"\"no_data\"" });
}

/// A key that needs no escape, and the colon.
fn write_key(key: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

fn write_count(key: &str, count: u64, out: &mut Vec<u8>) {
    write_key(key, out);
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
}

fn write_float(value: f64, form: Form, out: &mut Vec<u8>) {
    match form {
        Form::Wire => out.extend_from_slice(Number::Float(value).to_string().as_bytes()),
        Form::Canonical => out.extend_from_slice(ryu_js::Buffer::new().format(value).as_bytes()),
    }
}

fn write_time(time: Option<Timestamp>, out: &mut Vec<u8>) {
    match time {
        Some(time) => {
            out.push(b'"');
            write_timestamp(time, out);
            out.push(b'"');
        }
        None => out.extend_from_slice(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signature, VerifyingKey};
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Document, Parser, write_canonical};
    use crate::score::DEFAULT_HALF_LIFE_DAYS;

    fn identity() -> Arc<ServiceIdentity> {
        Arc::new(ServiceIdentity {
            public_key_url: "https://verifier.example/.well-known/agent-card.json".to_owned(),
            service: "Verifier \"one\"".to_owned(),
            mcp: "https://verifier.example/mcp".to_owned(),
            verifier_version: "1.0.0".to_owned(),
        })
    }

    fn signer() -> Signer {
        Signer::new(&[7; 32], "v1-2026-10")
    }

    fn score(agent_id: &str, history: &History, computed_at: Timestamp) -> Score {
        let key_version = signer().key_version();
        Score::compute(
            agent_id,
            history,
            DEFAULT_HALF_LIFE_DAYS,
            computed_at,
            identity(),
            key_version,
        )
    }

    fn history(days: &[(i32, u64, u64)]) -> History {
        let day_start = |day: i32| Timestamp::from_micros(i64::from(day) * 86_400_000_000);
        History {
            days: days
                .iter()
                .map(|&(day, passed, failed)| DayCount { day, passed, failed })
                .collect(),
            first_seen: days.first().map(|&(day, ..)| day_start(day)),
            last_seen: days.last().map(|&(day, ..)| day_start(day)),
        }
    }

    fn wire(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_score_has_the_members_of_the_protocol_in_its_order() {
        let at = Timestamp::parse("2026-10-01T12:00:00Z").unwrap();
        let known = history(&[(at.day() - 30, 0, 4), (at.day(), 4, 0)]);
        let signed = score("https://seller.example/a", &known, at).sign(&signer(), &mut Vec::new());
        let text = wire(|out| signed.write_wire(out));
        let expected = concat!(
            r#"{"agent_id":"https://seller.example/a","trust_score":0.666667,"#,
            r#""confidence_interval_95":[0.324646,0.892717],"sample_size":8,"verified_count":8,"#,
            r#""passed_count":4,"failed_count":4,"first_seen":"2026-09-01T00:00:00.000000+00:00","#,
            r#""last_seen":"2026-10-01T00:00:00.000000+00:00","half_life_days":30,"#,
            r#""effective_sample_size":7.2,"identity_verified":false,"reason":null,"#,
            r#""computed_at":"2026-10-01T12:00:00.000000+00:00","verify":{"public_key_url":"#,
            r#""https://verifier.example/.well-known/agent-card.json","key_version":"v1-2026-10","#,
            r#""canonicalization":"RFC 8785 (JCS)","hash_algorithm":"SHA-256","#,
            r#""service":"Verifier \"one\"","mcp":"https://verifier.example/mcp"},"#,
            r#""attestation":{"algorithm":"Ed25519","key_version":"v1-2026-10","#,
            r#""timestamp":"2026-10-01T12:00:00.000000+00:00","signature":""#,
        );
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("==\"}}"), "{text}");
    }

    #[test]
    fn an_unknown_agent_has_a_signed_answer_without_estimates() {
        let signed =
            score("nobody", &History::default(), Timestamp::from_micros(0)).sign(&signer(), &mut Vec::new());
        let text = wire(|out| signed.write_wire(out));
        let expected = concat!(
            r#"{"agent_id":"nobody","trust_score":null,"confidence_interval_95":null,"sample_size":0,"#,
            r#""verified_count":0,"passed_count":0,"failed_count":0,"first_seen":null,"last_seen":null,"#,
            r#""half_life_days":30,"effective_sample_size":0.0,"identity_verified":false,"reason":"no_data","#,
        );
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn a_reputation_lists_the_last_thirty_days() {
        let at = Timestamp::parse("2026-10-01T12:00:00Z").unwrap();
        let today = at.day();
        let known = history(&[(today - 30, 9, 9), (today - 29, 1, 0), (today, 2, 3)]);
        let reputation = Reputation::compute("a", &known, at);
        assert_eq!(
            wire(|out| reputation.write_wire(out)),
            concat!(
                r#"{"agent_id":"a","sample_size":24,"verified_count":24,"passed_count":12,"failed_count":12,"#,
                r#""first_seen":"2026-09-01T00:00:00.000000+00:00","last_seen":"2026-10-01T00:00:00.000000+00:00","#,
                r#""identity_verified":false,"reason":null,"computed_at":"2026-10-01T12:00:00.000000+00:00","#,
                r#""by_day":[{"day":"2026-09-02","verified_count":1,"passed_count":1,"failed_count":0},"#,
                r#"{"day":"2026-10-01","verified_count":5,"passed_count":2,"failed_count":3}]}"#,
            )
        );
        let unknown = Reputation::compute("b", &History::default(), at);
        let text = wire(|out| unknown.write_wire(out));
        assert!(
            text.contains(r#""reason":"no_data""#) && text.ends_with(r#""by_day":[]}"#),
            "{text}"
        );
    }

    /// The wire form without its attestation, in the envelope of the protocol, made canonical by the general writer.
    fn signed_bytes_from_wire(text: &str) -> Vec<u8> {
        let (open, attestation) = text.rsplit_once(",\"attestation\":").unwrap();
        let attestation = &attestation[..attestation.len() - 1];
        let mut parser = Parser::default();
        let mut attested = Document::new();
        parser.parse(attestation.as_bytes(), &mut attested).unwrap();
        let member = |key: &str| attested.root().get(key).unwrap().as_str().unwrap();
        let envelope = format!(
            r#"{{"context":"json-schema-verifier/trust-score-attestation/v1","algorithm":"{}","key_version":"{}","attested_at":"{}","response":{open}}}}}"#,
            member("algorithm"),
            member("key_version"),
            member("timestamp"),
        );
        let mut document = Document::new();
        parser.parse(envelope.as_bytes(), &mut document).unwrap();
        let mut canonical = Vec::new();
        write_canonical(document.root(), &mut canonical);
        canonical
    }

    proptest! {
        #[test]
        fn the_signature_holds_over_the_canonical_form_of_what_is_sent(
            agent_id in "\\PC{0,20}",
            days in prop::collection::vec((19_000..20_000i32, 0..50u64, 0..50u64), 0..8),
            today in 19_900..21_000i32,
        ) {
            let at = Timestamp::from_micros(i64::from(today) * 86_400_000_000 + 17);
            let signed = score(&agent_id, &history(&days), at).sign(&signer(), &mut Vec::new());
            let bytes = signed_bytes_from_wire(&wire(|out| signed.write_wire(out)));
            let key = VerifyingKey::from_bytes(&signer().public_key()).unwrap();
            prop_assert!(key.verify_strict(&bytes, &Signature::from_bytes(&signed.signature)).is_ok());
        }

        #[test]
        fn a_score_can_be_computed_again_from_the_days_of_the_reputation(
            days in prop::collection::btree_map(19_971..=20_000i32, (0..50u64, 0..50u64), 0..30),
        ) {
            let days: Vec<(i32, u64, u64)> = days.into_iter().map(|(day, (p, f))| (day, p, f)).collect();
            let known = history(&days);
            let at = Timestamp::from_micros(20_000 * 86_400_000_000);
            let reputation = Reputation::compute("a", &known, at);
            let again = estimate(&reputation.by_day, DEFAULT_HALF_LIFE_DAYS, at);
            prop_assert_eq!(score("a", &known, at).estimate, again);
        }
    }
}
