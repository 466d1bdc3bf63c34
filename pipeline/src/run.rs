//! A run over files: wires the stages together.
//!
//! The calling thread reads and cuts; an own rayon pool verifies and signs; one thread records and writes. Tokens bound
//! how many batches are under way, so memory does not grow with the input.

use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use assay_engine::limits::MAX_REQUEST_BYTES;
use assay_engine::receipt::Signer;
use assay_engine::verifier::Verifier;
use assay_ledger::{Ledger, LedgerError};

use crate::answer::{RecordForm, Stage};
use crate::input::Input;
use crate::lock::lock;
use crate::progress::Progress;
use crate::run_id::RunId;
use crate::sink::Sink;
pub use crate::source::ReadError;
use crate::source::Source;
use crate::summary::Summary;

/// What a run does.
#[derive(Debug)]
pub struct Options {
    /// Where the records come from, in this order.
    pub inputs: Vec<Input>,
    /// What the records hold.
    pub form: RecordForm,
    /// Threads that verify and sign.
    pub jobs: usize,
    /// Whether the first record that does not pass ends the run.
    pub fail_fast: bool,
    /// Records that were answered before.
    pub skip: u64,
    /// Tells this run's verifications from those of any other.
    pub run_id: RunId,
}

/// Why a run ended before its inputs did. What was written until then is whole.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written.
    #[error("the answers cannot be written")]
    Write(#[source] io::Error),
    /// The ledger cannot record.
    #[error("the receipts cannot be recorded")]
    Ledger(#[source] LedgerError),
    /// The output holds more answers than the inputs have records.
    #[error("the output holds {0} answers more than the inputs have records: it belongs to other inputs")]
    OutputAhead(u64),
    /// The threads cannot be started.
    #[error("the worker threads cannot be started")]
    Threads(#[source] rayon::ThreadPoolBuildError),
}

impl RunError {
    pub(crate) fn write(error: io::Error) -> RunError {
        RunError::Write(error)
    }
}

/// Verifies all records of the inputs and writes one answer a line, in their order.
///
/// # Errors
/// Why it ended early.
pub fn run(
    options: &Options,
    verifier: &Verifier,
    signer: &Signer,
    ledger: Option<&mut Ledger>,
    output: &mut (dyn Write + Send),
    progress: &Progress,
) -> Result<Summary, RunError> {
    let started = Instant::now();
    let jobs = options.jobs.max(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .thread_name(|index| format!("verify-{index}"))
        .stack_size(WORKER_STACK_BYTES)
        .build()
        .map_err(RunError::Threads)?;
    let stage = Stage {
        verifier,
        signer,
        form: &options.form,
        run_id: options.run_id,
        keep_receipts: ledger.is_some(),
    };
    let workers: Vec<_> = (0..jobs).map(|_| Mutex::new(verifier.worker())).collect();
    let under_way = jobs * BATCHES_PER_JOB + BATCHES_AHEAD;
    let (token_sender, tokens) = crossbeam_channel::bounded(under_way);
    for _ in 0..under_way {
        // The channel has room for all of them.
        let _full = token_sender.try_send(()).is_err();
    }
    let (answer_sender, answers) = crossbeam_channel::bounded(under_way);
    let sink = Sink {
        answers,
        tokens: token_sender,
        ledger,
        output,
        progress,
        fail_fast: options.fail_fast,
    };
    let mut source = Source::new(
        options.inputs.clone(),
        MAX_REQUEST_BYTES,
        options.skip,
        progress.bytes_read.clone(),
    );
    let sink_has_ended = AtomicBool::new(false);

    let (read, written) = std::thread::scope(|threads| {
        let sink_has_ended = &sink_has_ended;
        let writing = threads.spawn(move || {
            let written = sink.run();
            sink_has_ended.store(true, Ordering::Release);
            written
        });
        let read = pool.in_place_scope(|scope| {
            // The sink drops its end of the tokens when it ends, which ends the reading too.
            while tokens.recv().is_ok() && !sink_has_ended.load(Ordering::Acquire) {
                let Some(batch) = source.next_batch()? else { break };
                let (sender, stage, workers) = (answer_sender.clone(), &stage, &workers);
                scope.spawn(move |_| {
                    let index = rayon::current_thread_index().unwrap_or_default();
                    // A worker is used by its own thread only; a panic inside it has been caught.
                    let mut worker = lock(&workers[index]);
                    let answers = stage.answer(&mut worker, &batch);
                    // The sink takes no more when it has ended; then nobody waits for these answers.
                    let _ended = sender.send(answers).is_err();
                });
            }
            Ok::<(), ReadError>(())
        });
        drop(answer_sender);
        (read, writing.join())
    });
    let mut summary = written.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    read?;
    if source.unmet_skip() > 0 {
        return Err(RunError::OutputAhead(source.unmet_skip()));
    }
    summary.resumed = options.skip;
    summary.elapsed = started.elapsed();
    summary.cache = verifier.cache_statistics();
    Ok(summary)
}

/// The stack of a thread that verifies: the walk of [`assay_engine::limits::MAX_EVALUATION_DEPTH`] nested schemas takes
/// about one megabyte.
pub(crate) const WORKER_STACK_BYTES: usize = 8 * 1024 * 1024;

/// Batches under way for each thread: one in work, one ready.
const BATCHES_PER_JOB: usize = 2;

/// Further batches, read ahead or waiting for the ledger.
const BATCHES_AHEAD: usize = 4;
