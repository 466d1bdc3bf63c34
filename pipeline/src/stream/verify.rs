//! The verifying stage: a batch in, an answer for each of its records out, in their order.
//!
//! This file is the only one of the stream that calls the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use assay_engine::contract::Contract;
use assay_engine::limits::MAX_REQUEST_BYTES;
use assay_engine::problem::{Problem, ProblemCode};
use assay_engine::receipt::{Receipt, Signer};
use assay_engine::response::Detail;
use assay_engine::verifier::{OutputName, Stamp, Verifier, Worker};
use crossbeam_channel::{Receiver, Sender};
use rayon::prelude::*;

use super::answer::{Answer, Answered, Chunk, ReceiptRecord};
use super::batch::{Batch, Record};
use super::budget::Budget;
use super::contracts::Contracts;
use super::identity::verification_id;
use super::measures;
use super::settings::Form;
use crate::clock::now;
use crate::dead_letter::letter::{Cause, code};
use crate::lock::lock;

/// Records that one worker answers in one go: enough to spread what handing over costs, few enough to keep all workers busy
/// to the end of a batch.
const CHUNK_RECORDS: usize = 64;

/// What all workers share.
pub(crate) struct Stage<'v> {
    pub(crate) verifier: &'v Verifier,
    pub(crate) signer: &'v Signer,
    pub(crate) contracts: &'v Contracts,
    pub(crate) default_contract: Option<(String, Option<String>)>,
    pub(crate) form: Form,
    pub(crate) pool: &'v rayon::ThreadPool,
    pub(crate) workers: Vec<Mutex<Worker<'v>>>,
    /// Answers with the value itself, to measure what everything but the checking costs.
    pub(crate) is_copy: bool,
}

/// What a record is to be read as.
enum Reading {
    Request,
    Delivery(Arc<Contract>),
    Output(Arc<Contract>),
}

impl<'v> Stage<'v> {
    /// Runs until no more batches come, or nobody takes the answers.
    pub(crate) fn run(&self, batches: &Receiver<Batch>, answers: &Sender<Answered>, budget: &Budget) {
        for batch in batches {
            let started = Instant::now();
            let answered = self.answer(batch);
            budget.take(answered.size - answered.batch.size());
            measures::stage("verify", started.elapsed());
            let cache = self.verifier.cache_statistics();
            measures::schema_cache(cache.hits, cache.misses);
            if answers.send(answered).is_err() {
                return;
            }
        }
    }

    fn answer(&self, batch: Batch) -> Answered {
        let chunks: Vec<Chunk> = self.pool.install(|| {
            let chunks = batch.records.par_chunks(CHUNK_RECORDS);
            chunks.map(|records| self.answer_chunk(&batch, records)).collect()
        });
        let texts: usize = chunks.iter().map(|chunk| chunk.text.capacity()).sum();
        let size = batch.size() + texts + batch.records.len() * size_of::<ReceiptRecord>();
        Answered { batch, chunks, size }
    }

    fn answer_chunk(&self, batch: &Batch, records: &[Record]) -> Chunk {
        let index = rayon::current_thread_index().unwrap_or_default();
        // A worker is used by its own thread only; a panic inside it has been caught.
        let mut worker = lock(&self.workers[index]);
        let mut chunk = Chunk {
            text: Vec::new(),
            answers: Vec::with_capacity(records.len()),
        };
        for record in records {
            let answer = if self.is_copy {
                copy(batch, record, &mut chunk.text)
            } else {
                self.answer_record(&mut worker, batch, record, &mut chunk.text)
            };
            chunk.answers.push(answer);
        }
        chunk.text.shrink_to_fit();
        chunk
    }

    fn answer_record(
        &self,
        worker: &mut Worker<'v>,
        batch: &Batch,
        record: &Record,
        text: &mut Vec<u8>,
    ) -> Answer {
        let value = match value_of(batch, record) {
            Ok(value) => value,
            Err(cause) => return Answer::Letter(cause),
        };
        let reading = match self.reading(batch, record) {
            Ok(reading) => reading,
            Err(cause) => return Answer::Letter(cause),
        };
        // A fault of the verifier on one record is answered as such; the others are not its victims.
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.verify(worker, batch, record, value, &reading)
        }));
        let result = result.unwrap_or_else(|_| {
            *worker = self.verifier.worker();
            Err(Problem::internal().into())
        });
        match result {
            Ok(receipt) => Answer::Receipt(Box::new(ReceiptRecord::write(&receipt, record.timestamp, text))),
            Err(cause) => Answer::Letter(cause),
        }
    }

    fn verify(
        &self,
        worker: &mut Worker<'v>,
        batch: &Batch,
        record: &Record,
        value: &[u8],
        reading: &Reading,
    ) -> Result<Receipt, Cause> {
        let partition = &batch.span(record).partition;
        let stamp = Stamp {
            verification_id: verification_id(&partition.topic, partition.number, record.offset, value),
            verified_at: now(),
        };
        match reading {
            Reading::Request => Ok(worker.verify(value, stamp, self.signer)?),
            Reading::Delivery(contract) => Ok(worker.verify_delivery(contract, value, stamp, self.signer)?),
            Reading::Output(contract) => {
                let name = output_name(batch, record)?;
                Ok(worker.verify_output(contract, value, |_| Ok(name), stamp, self.signer)?)
            }
        }
    }

    fn reading(&self, batch: &Batch, record: &Record) -> Result<Reading, Cause> {
        let named = text_header(batch, record, "contract-id")?;
        let version = text_header(batch, record, "contract-version")?;
        let (id, version) = match (named, &self.default_contract) {
            (Some(id), _) => (id, version),
            (None, Some((id, version))) => (id.as_str(), version.as_deref()),
            (None, None) if self.form == Form::Request => return Ok(Reading::Request),
            (None, None) => {
                let message =
                    "The record names no contract in the header contract-id, and its topic has no default.";
                return Err(Cause::new(code::UNKNOWN_CONTRACT, message));
            }
        };
        let Some(contract) = self.contracts.get(id, version) else {
            let message = "The contract that the record names is not known; add it, then replay this letter.";
            return Err(Cause::new(code::UNKNOWN_CONTRACT, message));
        };
        Ok(match self.form {
            Form::Request | Form::Delivery => Reading::Delivery(contract),
            Form::Output => Reading::Output(contract),
        })
    }
}

impl From<Problem> for Cause {
    fn from(problem: Problem) -> Cause {
        Cause::new(problem.code.name(), problem.message())
    }
}

fn value_of<'b>(batch: &'b Batch, record: &Record) -> Result<&'b [u8], Cause> {
    let value = batch.value(record).ok_or_else(|| {
        Cause::new(
            code::TOMBSTONE,
            "The record has no value; there is nothing to check.",
        )
    })?;
    if value.is_empty() {
        let message = "The record's value is empty; there is nothing to check.";
        return Err(Cause::new(code::EMPTY_VALUE, message));
    }
    if value.len() > MAX_REQUEST_BYTES {
        let problem = format!("is longer than {MAX_REQUEST_BYTES} bytes");
        let fix = "Split the output into several requests.";
        return Err(Problem::field(ProblemCode::BodyTooLarge, "request", problem, fix).into());
    }
    Ok(value)
}

/// A header as text; an absent one is none, one that is null or no UTF-8 is an error.
fn text_header<'b>(batch: &'b Batch, record: &'b Record, name: &str) -> Result<Option<&'b str>, Cause> {
    let Some(value) = batch.header(record, name) else {
        return Ok(None);
    };
    let text = value.and_then(|value| std::str::from_utf8(value).ok());
    text.map(Some).ok_or_else(|| {
        Cause::new(
            code::INVALID_HEADER,
            format!("The header {name} is not a text in UTF-8."),
        )
    })
}

/// Task and agent of a bare output: from the headers `task-id` and `agent-id`; without them the record's place names the
/// task, and its key the agent.
fn output_name(batch: &Batch, record: &Record) -> Result<OutputName, Cause> {
    let task_id = match text_header(batch, record, "task-id")? {
        Some(task) => task.to_owned(),
        None => format!("record-{}-{}", batch.span(record).partition.number, record.offset),
    };
    let agent_id = match text_header(batch, record, "agent-id")? {
        Some(agent) => Some(agent.to_owned()),
        None => match batch.key(record) {
            None | Some([]) => None,
            Some(key) => {
                let agent = std::str::from_utf8(key);
                let message = "The record's key, which names the agent, is not a text in UTF-8.";
                Some(
                    agent
                        .map_err(|_| Cause::new(code::INVALID_HEADER, message))?
                        .to_owned(),
                )
            }
        },
    };
    Ok(OutputName {
        task_id,
        agent_id,
        detail: Detail::Full,
    })
}

/// The answer of the pipeline that checks nothing.
fn copy(batch: &Batch, record: &Record, text: &mut Vec<u8>) -> Answer {
    let start = text.len();
    text.extend_from_slice(batch.value(record).unwrap_or_default());
    Answer::Receipt(Box::new(ReceiptRecord {
        text: start..text.len(),
        verification_id: uuid::Uuid::nil(),
        outcome: assay_engine::verdict::Outcome::Pass,
        schema_hash: [0; 32],
        request_hash: [0; 32],
        counted_on: super::identity::counted_on(record.timestamp, now()),
        checks: [0; 4],
    }))
}
