//! The published examples: our answer to each published request equals the published one.

use assay_engine::json::{Document, ParseLimits, Value, View, parse_exact};
use assay_engine::receipt::Signer;
use assay_engine::response::ServiceIdentity;
use assay_engine::time::Timestamp;
use assay_engine::verifier::{Stamp, Verifier};
use uuid::Uuid;

use crate::material::repository;

fn vector(name: &str) -> Document {
    document(&text(name))
}

fn text(name: &str) -> Vec<u8> {
    std::fs::read(repository().join("schemas/vectors").join(name)).unwrap()
}

fn document(text: &[u8]) -> Document {
    let mut document = Document::new();
    parse_exact(text, &ParseLimits::default(), &mut document).unwrap();
    document
}

fn verify(request: &[u8], published: Value<'_>) -> Result<Vec<u8>, Vec<u8>> {
    let of = |path: &str| {
        published
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut address = of("/verify/mcp");
    address.truncate(address.len().saturating_sub("/mcp".len()));
    let verifier = Verifier::new(ServiceIdentity {
        public_key_url: of("/verify/public_key_url"),
        service: "Agent Output Verifier".to_owned(),
        mcp: format!("{address}/mcp"),
        verifier_version: of("/verifier_version"),
    });
    // A key of this test only.
    let signer = Signer::new(&[7; 32], of("/verify/key_version"));
    let stamp = Stamp {
        verification_id: of("/verification_id").parse().unwrap_or(Uuid::nil()),
        verified_at: Timestamp::parse(&of("/verified_at")).unwrap_or(Timestamp::from_micros(0)),
    };
    let mut out = Vec::new();
    match verifier.worker().verify(request, stamp, &signer) {
        Ok(receipt) => {
            receipt.write_wire(&mut out);
            Ok(out)
        }
        Err(problem) => {
            problem.write_wire(&mut out);
            Err(out)
        }
    }
}

/// Writes a value with its members in their order and its numbers as written, so that texts can be compared.
fn as_written(value: Value<'_>, out: &mut String) {
    match value.view() {
        View::Number(number) => out.push_str(&number.to_string()),
        View::Array(elements) => {
            out.push('[');
            elements.for_each(|element| {
                as_written(element, out);
                out.push('\n');
            });
            out.push(']');
        }
        View::Object(members) => {
            out.push('{');
            for member in members {
                // The signature is made with a key that nobody else has.
                if member.key == "signature" {
                    continue;
                }
                out.push_str(member.key);
                out.push(':');
                as_written(member.value, out);
                out.push('\n');
            }
            out.push('}');
        }
        _ => {
            let mut text = Vec::new();
            assay_engine::json::write_canonical(value, &mut text);
            out.push_str(&String::from_utf8(text).unwrap());
        }
    }
}

fn written(document: &Document) -> String {
    let mut out = String::new();
    as_written(document.root(), &mut out);
    out
}

#[test]
fn our_answers_equal_the_published_ones() {
    for name in ["invoice-draft", "invoice-final"] {
        let published = vector(&format!("{name}.response.json"));
        let answer = verify(&text(&format!("{name}.request.json")), published.root()).unwrap();
        assert_eq!(written(&document(&answer)), written(&published), "{name}");
    }
}

#[test]
fn the_request_hash_vectors_come_out() {
    let vectors = vector("request-hash.json");
    for vector in vectors.root().as_array().unwrap() {
        let mut request = Vec::new();
        assay_engine::json::write_canonical(vector.get("request").unwrap(), &mut request);
        let answer = verify(&request, vector).unwrap();
        let answer = document(&answer);
        assert_eq!(
            answer.root().get("request_hash").and_then(Value::as_str),
            vector.get("request_hash").and_then(Value::as_str),
            "{:?}",
            vector.get("name").and_then(Value::as_str)
        );
    }
}

#[test]
fn the_published_error_comes_out_to_the_byte() {
    let published = vector("error-422.json");
    let request = br#"{"task_id": "t", "expected_schema": {}, "submitted_output": 1,
        "rules": [{"type": "sum", "field": "a", "equals": 1}]}"#;
    let error = verify(request, published.root()).unwrap_err();
    let mut compact = String::new();
    let mut in_string = false;
    let mut before = ' ';
    for character in String::from_utf8(text("error-422.json")).unwrap().chars() {
        if character == '"' && before != '\\' {
            in_string = !in_string;
        }
        if in_string || !character.is_whitespace() {
            compact.push(character);
        }
        before = character;
    }
    assert_eq!(String::from_utf8(error).unwrap(), compact);
}
