//! The verifying stage: a batch of records in, their answers out.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use assay_engine::contract::Contract;
use assay_engine::json::Value;
use assay_engine::limits::MAX_REQUEST_BYTES;
use assay_engine::problem::{Problem, ProblemCode};
use assay_engine::receipt::{Receipt, Signer};
use assay_engine::response::Detail;
use assay_engine::verdict::Outcome;
use assay_engine::verifier::{OutputName, Stamp, Verifier, Worker};

use crate::clock::now;
use crate::record::{Batch, Record, RecordText};
use crate::run_id::RunId;

/// What a record holds.
#[derive(Clone, Debug)]
pub enum RecordForm {
    /// A whole request.
    Request,
    /// `{task_id, agent_id?, submitted_output}` under a contract.
    Delivery(Arc<Contract>),
    /// The bare output under a contract.
    Output(OutputForm),
}

/// How bare outputs are verified.
#[derive(Clone, Debug)]
pub struct OutputForm {
    /// The contract.
    pub contract: Arc<Contract>,
    /// A JSON pointer (RFC 6901) to the task's name in the output; the line's number names it when there is none.
    pub task_id_pointer: Option<String>,
    /// The agent of all outputs.
    pub agent_id: Option<String>,
    /// How much is answered.
    pub detail: Detail,
}

/// How one record came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A receipt that says pass.
    Pass,
    /// A receipt that says fail.
    Fail,
    /// An error in place of a receipt.
    Error,
}

/// The answers to a batch.
#[derive(Debug, Default)]
pub struct Answers {
    /// The batch's place among the batches.
    pub sequence: u64,
    /// The answers, one a line.
    pub text: Vec<u8>,
    /// For each record how it came out and where its line ends in the text.
    pub answers: Vec<(Answer, usize)>,
    /// The receipts among the answers, in order.
    pub receipts: Vec<Receipt>,
    /// How often each check blocked and each error occurred.
    pub causes: HashMap<String, u64>,
    /// How far the run's inputs had been read.
    pub bytes_read: u64,
}

/// What all workers of a run share.
pub(crate) struct Stage<'r> {
    pub(crate) verifier: &'r Verifier,
    pub(crate) signer: &'r Signer,
    pub(crate) form: &'r RecordForm,
    pub(crate) run_id: RunId,
    pub(crate) keep_receipts: bool,
}

impl<'r> Stage<'r> {
    pub(crate) fn answer(&self, worker: &mut Worker<'r>, batch: &Batch) -> Answers {
        let mut answers = Answers {
            sequence: batch.sequence,
            bytes_read: batch.bytes_read,
            ..Answers::default()
        };
        answers.answers.reserve(batch.records.len());
        for record in &batch.records {
            // A fault of the verifier on one record is answered as such; the others are not its victims.
            let result = catch_unwind(AssertUnwindSafe(|| self.verify(worker, batch, record)));
            let result = result.unwrap_or_else(|_| {
                *worker = self.verifier.worker();
                Err(Problem::internal())
            });
            let answer = match result {
                Ok(receipt) => answers.add_receipt(receipt, self.keep_receipts),
                Err(problem) => answers.add_problem(Problem {
                    line: Some(record.line),
                    ..problem
                }),
            };
            answers.text.push(b'\n');
            answers.answers.push((answer, answers.text.len()));
        }
        answers
    }

    fn verify(&self, worker: &mut Worker<'r>, batch: &Batch, record: &Record) -> Result<Receipt, Problem> {
        if let Some(problem) = fault_of(record) {
            return Err(problem);
        }
        let stamp = Stamp {
            verification_id: self.run_id.verification_id(record.number),
            verified_at: now(),
        };
        let bytes = batch.bytes(record);
        match self.form {
            RecordForm::Request => worker.verify(bytes, stamp, self.signer),
            RecordForm::Delivery(contract) => worker.verify_delivery(contract, bytes, stamp, self.signer),
            RecordForm::Output(form) => {
                let name = |output: Value<'_>| form.name(output, record.line);
                worker.verify_output(&form.contract, bytes, name, stamp, self.signer)
            }
        }
    }
}

impl OutputForm {
    fn name(&self, output: Value<'_>, line: u64) -> Result<OutputName, Problem> {
        let task_id = match &self.task_id_pointer {
            None => format!("line-{line}"),
            Some(pointer) => {
                let value = output.pointer(pointer);
                let text = value.and_then(Value::as_str).map(str::to_owned);
                let number = || value.and_then(Value::as_number).map(|number| number.to_string());
                text.or_else(number).ok_or_else(|| {
                    let problem = "is not found in the output at the pointer given, as a string or a number";
                    let fix = "Give each output its task's name there, or leave the pointer out.";
                    Problem::field(ProblemCode::InvalidRequest, "task_id", problem, fix)
                })?
            }
        };
        Ok(OutputName {
            task_id,
            agent_id: self.agent_id.clone(),
            detail: self.detail,
        })
    }
}

impl Answers {
    fn add_receipt(&mut self, receipt: Receipt, keep: bool) -> Answer {
        receipt.write_wire(&mut self.text);
        let outcome = receipt.response.outcome();
        for check in receipt.response.blocking_checks() {
            self.count(check);
        }
        if keep {
            self.receipts.push(receipt);
        }
        match outcome {
            Outcome::Pass => Answer::Pass,
            Outcome::Fail => Answer::Fail,
        }
    }

    fn add_problem(&mut self, problem: Problem) -> Answer {
        problem.write_wire(&mut self.text);
        self.count(problem.code.name());
        Answer::Error
    }

    fn count(&mut self, cause: &str) {
        match self.causes.get_mut(cause) {
            Some(count) => *count += 1,
            None => {
                self.causes.insert(cause.to_owned(), 1);
            }
        }
    }
}

/// What is wrong with a record that never became a text.
fn fault_of(record: &Record) -> Option<Problem> {
    let (code, problem, fix) = match record.text {
        RecordText::Range(..) => return None,
        RecordText::TooLong => (
            ProblemCode::LimitExceeded,
            format!("is longer than {MAX_REQUEST_BYTES} bytes"),
            "Split the output into several requests.",
        ),
        RecordText::UnclosedArray => (
            ProblemCode::InvalidJson,
            "stands in an array that the file does not close".to_owned(),
            "Check that the file is whole.",
        ),
        RecordText::AfterArray => (
            ProblemCode::InvalidJson,
            "stands after the end of the file's array".to_owned(),
            "Put all requests into one array, or one request on each line of an .ndjson file.",
        ),
    };
    Some(Problem::field(code, "request", problem, fix))
}
