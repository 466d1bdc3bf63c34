//! Criterion benches of the engine's stages on the published invoice, and on one with a hundred items.

use assay_engine::json::{Document, Parser, write_canonical};
use assay_engine::meter::Meter;
use assay_engine::receipt::{Signer, write_signed_bytes};
use assay_engine::response::ServiceIdentity;
use assay_engine::schema::{CompileOptions, Schema};
use assay_engine::time::Timestamp;
use assay_engine::verdict::{Tally, Violations};
use assay_engine::verifier::{Stamp, Verifier};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const REQUEST: &str = include_str!("../schemas/vectors/invoice-draft.request.json");

fn parse(text: &str) -> Document {
    let mut document = Document::new();
    Parser::default()
        .parse(text.as_bytes(), &mut document)
        .expect("the text is JSON");
    document
}

fn compact(text: &str) -> String {
    let mut out = Vec::new();
    write_canonical(parse(text).root(), &mut out);
    String::from_utf8(out).expect("canonical JSON is UTF-8")
}

/// An output with that many items, valid under the schema of the request.
fn invoice(items: usize) -> String {
    let items: Vec<String> = (0..items)
        .map(|n| format!(r#"{{"sku":"CRWL-{n}","qty":{},"line_total":{n}.5}}"#, n + 1))
        .collect();
    format!(
        r#"{{"invoice_id":"INV-7731","currency":"USD","line_items":[{}],"total":135.0}}"#,
        items.join(",")
    )
}

fn stages(criterion: &mut Criterion) {
    let request = compact(REQUEST);
    let verifier = Verifier::new(ServiceIdentity {
        public_key_url: "http://localhost:8080/.well-known/agent-card.json".into(),
        service: "Agent Output Verifier".into(),
        mcp: "http://localhost:8080/mcp".into(),
        verifier_version: "0.1.0".into(),
    });
    // A key of this bench only.
    let signer = Signer::new(&[7; 32], "bench");
    let stamp = Stamp {
        verification_id: uuid::Uuid::from_u128(1),
        verified_at: Timestamp::from_micros(1_790_816_469_606_993),
    };
    let mut worker = verifier.worker();
    let receipt = worker
        .verify(request.as_bytes(), stamp, &signer)
        .expect("the request is valid");
    let mut message = Vec::new();
    write_signed_bytes(&receipt.response, &mut message);

    let mut group = criterion.benchmark_group("invoice request");
    group.throughput(Throughput::Elements(1));
    let mut parser = Parser::default();
    let mut document = Document::new();
    group.bench_function("parse", |b| {
        b.iter(|| parser.parse(request.as_bytes(), &mut document))
    });
    group.bench_function("sign the bare message", |b| b.iter(|| signer.sign(&message)));
    group.bench_function("verify and sign", |b| {
        b.iter(|| {
            worker
                .verify(request.as_bytes(), stamp, &signer)
                .expect("the request is valid")
        });
    });
    let mut out = Vec::new();
    group.bench_function("write the receipt", |b| {
        b.iter(|| {
            out.clear();
            receipt.write_wire(&mut out);
        });
    });
    group.finish();
}

fn bytes_to_verdict(criterion: &mut Criterion) {
    let request = parse(REQUEST);
    let schema_value = request
        .root()
        .get("expected_schema")
        .expect("the request has a schema");
    let schema = Schema::compile(schema_value, &CompileOptions::default()).expect("the schema is valid");
    let mut schema_text = Vec::new();
    write_canonical(schema_value, &mut schema_text);
    let oracle_schema: serde_json::Value = serde_json::from_slice(&schema_text).expect("the schema is JSON");
    let oracle = jsonschema::validator_for(&oracle_schema).expect("the schema is valid");
    let text = invoice(100);

    let mut group = criterion.benchmark_group("invoice of 100 items, bytes to verdict");
    group.throughput(Throughput::Bytes(text.len() as u64));
    let mut parser = Parser::default();
    let mut document = Document::new();
    group.bench_function("assay, counting", |b| {
        b.iter(|| {
            parser
                .parse(text.as_bytes(), &mut document)
                .expect("the text is JSON");
            let root = document.root();
            let mut meter = Meter::for_sizes(root.node_count(), root.text_bytes(), schema.subschema_count());
            let (mut tally, mut violations) = (Tally::default(), Violations::default());
            schema
                .check(root, &mut meter, &mut tally, &mut violations)
                .expect("within the limits");
            tally
        });
    });
    group.bench_function("serde_json and jsonschema evaluate", |b| {
        b.iter(|| {
            let value: serde_json::Value = serde_json::from_str(&text).expect("the text is JSON");
            oracle.evaluate(&value).flag().valid
        });
    });
    group.finish();
}

criterion_group!(benches, stages, bytes_to_verdict);
criterion_main!(benches);
