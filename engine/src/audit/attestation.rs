//! The attestation: who signed what, and when (protocol, section 5).

use ed25519_dalek::{Signature, VerifyingKey};

use super::keys::{decode_base64, encode_base64};
use super::report::Report;
use super::{PublicKeys, Subject, shown, shown_value};
use crate::json::{Value, write_canonical, write_canonical_string};
use crate::receipt::{SCORE_CONTEXT, VERIFICATION_CONTEXT};
use crate::time::Timestamp;

/// The members of an attestation. No signature covers further ones, so there may be none.
const MEMBERS: [&str; 4] = ["algorithm", "key_version", "timestamp", "signature"];

/// An attestation that has the right form.
struct Attestation<'d> {
    key_version: &'d str,
    timestamp: &'d str,
    signature: Signature,
}

/// Checks the attestation of a document and that the document agrees with it.
pub(super) fn check(document: Value<'_>, subject: Subject, keys: &PublicKeys, report: &mut Report) {
    match read(document) {
        Ok(attestation) => {
            report.hold(
                "attestation",
                "It has the form that the protocol gives it, with the algorithm Ed25519.",
            );
            check_signature(document, subject, &attestation, keys, report);
            check_key_version(document, &attestation, report);
            check_time(document, subject, &attestation, report);
        }
        Err(words) => {
            report.fail("attestation", words);
            let why = "The attestation cannot be read, so there is nothing to check here.";
            for name in ["key", "signature", "key_version", "time"] {
                report.skip(name, why);
            }
        }
    }
}

fn read(document: Value<'_>) -> Result<Attestation<'_>, String> {
    let attestation = document
        .get("attestation")
        .ok_or("There is none: the document is not signed.")?;
    let members = attestation.as_object().ok_or("It is not an object.")?;
    for member in members {
        if !MEMBERS.contains(&member.key) {
            return Err(format!(
                "It has the member {}, which no signature covers.",
                shown(member.key)
            ));
        }
    }
    let text = |name: &str| {
        let text = attestation.get(name).and_then(Value::as_str);
        text.ok_or_else(|| format!("Its {name} is missing or is not a string."))
    };
    let (algorithm, key_version) = (text("algorithm")?, text("key_version")?);
    if algorithm != "Ed25519" {
        return Err(format!(
            "Its algorithm is {}; the protocol knows Ed25519 only.",
            shown(algorithm)
        ));
    }
    let timestamp = text("timestamp")?;
    if Timestamp::parse(timestamp).is_none_or(|instant| instant.to_string() != timestamp) {
        return Err("Its timestamp is not an RFC 3339 instant with six decimals and +00:00.".to_owned());
    }
    let bytes: [u8; 64] =
        decode_base64(text("signature")?).ok_or("Its signature is not the base64 of 64 bytes.")?;
    Ok(Attestation {
        key_version,
        timestamp,
        signature: Signature::from_bytes(&bytes),
    })
}

fn check_signature(
    document: Value<'_>,
    subject: Subject,
    attestation: &Attestation<'_>,
    keys: &PublicKeys,
    report: &mut Report,
) {
    let version = shown(attestation.key_version);
    let Some(key) = keys.get(attestation.key_version) else {
        let published = match document
            .get("verify")
            .and_then(|verify| verify.get("public_key_url")?.as_str())
        {
            Some(url) => format!(
                " The {} says that its keys are published at {}.",
                subject.name(),
                shown(url)
            ),
            None => String::new(),
        };
        let words = format!(
            "It is signed by a key that is not listed: {version} is not among {}.{published} Whoever trusts that \
             address may fetch the list there; otherwise anybody may have signed it.",
            listed(keys)
        );
        report.fail("key", words);
        report.skip("signature", "There is no key to check it with.");
        return;
    };
    report.hold(
        "key",
        format!(
            "It names the listed key {version}, public key {}.",
            encode_base64(key)
        ),
    );
    if is_signed(document, subject, attestation, key) {
        let words = format!(
            "The key {version} signed this {} as it stands, to the last digit.",
            subject.name()
        );
        report.hold("signature", words);
    } else {
        let words = format!(
            "The signature is not that of the key {version} over this {}: something in it was changed after it was \
             signed, or somebody else signed it.",
            subject.name()
        );
        report.fail("signature", words);
    }
}

/// The versions of the list, the first of them when there are many.
fn listed(keys: &PublicKeys) -> String {
    const MAX_LISTED: usize = 10;
    let mut versions: Vec<String> = keys.versions().take(MAX_LISTED).map(shown).collect();
    let count = keys.versions().count();
    if count > MAX_LISTED {
        versions.push(format!("{} more", count - MAX_LISTED));
    }
    versions.join(", ")
}

fn is_signed(
    document: Value<'_>,
    subject: Subject,
    attestation: &Attestation<'_>,
    key: &VerifyingKey,
) -> bool {
    let context = match subject {
        Subject::Receipt => VERIFICATION_CONTEXT,
        Subject::Score => SCORE_CONTEXT,
    };
    let mut bytes = Vec::new();
    write_signed_bytes(document, context, attestation, &mut bytes);
    // The strict check: a signature has one form, and none of it can be changed by somebody without the key.
    key.verify_strict(&bytes, &attestation.signature).is_ok()
}

/// Appends the canonical form of `{context, algorithm, key_version, attested_at, response}`, the response being the
/// document less its attestation.
fn write_signed_bytes(document: Value<'_>, context: &str, attestation: &Attestation<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"algorithm\":\"Ed25519\",\"attested_at\":");
    write_canonical_string(attestation.timestamp, out);
    out.extend_from_slice(b",\"context\":");
    write_canonical_string(context, out);
    out.extend_from_slice(b",\"key_version\":");
    write_canonical_string(attestation.key_version, out);
    out.extend_from_slice(b",\"response\":{");
    let members = document.as_object().into_iter().flatten();
    let mut members: Vec<_> = members.filter(|member| member.key != "attestation").collect();
    // Keys are ordered by their UTF-16 code units (RFC 8785, section 3.2.3).
    members.sort_by(|a, b| a.key.encode_utf16().cmp(b.key.encode_utf16()));
    for (index, member) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_canonical_string(member.key, out);
        out.push(b':');
        write_canonical(member.value, out);
    }
    out.extend_from_slice(b"}}");
}

fn check_key_version(document: Value<'_>, attestation: &Attestation<'_>, report: &mut Report) {
    let stated = document
        .get("verify")
        .and_then(|verify| verify.get("key_version"));
    if stated.and_then(Value::as_str) == Some(attestation.key_version) {
        report.hold(
            "key_version",
            "The signed part names the same key as the attestation.",
        );
    } else {
        let words = format!(
            "The signed part says {} as verify.key_version, and the attestation says {}.",
            shown_value(stated),
            shown(attestation.key_version)
        );
        report.fail("key_version", words);
    }
}

fn check_time(document: Value<'_>, subject: Subject, attestation: &Attestation<'_>, report: &mut Report) {
    let member = match subject {
        Subject::Receipt => "verified_at",
        Subject::Score => "computed_at",
    };
    let stated = document.get(member);
    if stated.and_then(Value::as_str) == Some(attestation.timestamp) {
        report.hold(
            "time",
            format!(
                "It was signed at {}, the time that the signed part states.",
                attestation.timestamp
            ),
        );
    } else {
        let words = format!(
            "The signed part says {} as {member}, and the attestation says {}.",
            shown_value(stated),
            shown(attestation.timestamp)
        );
        report.fail("time", words);
    }
}
