//! What travels from the workers to the producer: for each record of a batch a receipt or the cause of a dead letter.

use std::ops::Range;

use assay_engine::receipt::Receipt;
use assay_engine::verdict::Outcome;
use uuid::Uuid;

use super::batch::Batch;
use super::identity::counted_on;
use crate::dead_letter::letter::Cause;

/// How a record is answered.
#[derive(Debug)]
pub(crate) enum Answer {
    Receipt(Box<ReceiptRecord>),
    Letter(Cause),
}

/// What the receipts topic is told of a receipt beside its text.
#[derive(Debug)]
pub(crate) struct ReceiptRecord {
    /// Its place in the text of its chunk.
    pub(crate) text: Range<usize>,
    pub(crate) verification_id: Uuid,
    pub(crate) outcome: Outcome,
    pub(crate) schema_hash: [u8; 32],
    pub(crate) request_hash: [u8; 32],
    pub(crate) counted_on: String,
    /// Passed and total of the schema's checks and of integrity.
    pub(crate) checks: [u64; 4],
}

impl ReceiptRecord {
    /// Writes the receipt to the text and notes the rest.
    pub(crate) fn write(receipt: &Receipt, record_millis: Option<i64>, text: &mut Vec<u8>) -> ReceiptRecord {
        let start = text.len();
        receipt.write_wire(text);
        let response = &receipt.response;
        let (schema, integrity) = (response.verdict.schema, response.verdict.integrity);
        ReceiptRecord {
            text: start..text.len(),
            verification_id: response.verification_id,
            outcome: response.outcome(),
            schema_hash: response.hashes.schema,
            request_hash: response.hashes.request,
            counted_on: counted_on(record_millis, response.verified_at),
            checks: [schema.passed, schema.total, integrity.passed, integrity.total],
        }
    }
}

/// The answers to some consecutive records.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) text: Vec<u8>,
    pub(crate) answers: Vec<Answer>,
}

/// A batch with its answers, chunk after chunk in the order of the records.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) batch: Batch,
    pub(crate) chunks: Vec<Chunk>,
    /// Bytes that it takes of the budget, the batch's own included.
    pub(crate) size: usize,
}
