//! The last stage: puts the answers into order, tells the ledger, then writes them.
//!
//! The ledger comes first, so that no receipt is ever out that the ledger does not know. Whatever is ready is recorded
//! in one transaction and written in one go.

use std::collections::BTreeMap;
use std::io::Write;

use assay_ledger::Ledger;
use crossbeam_channel::{Receiver, Sender};

use crate::answer::{Answer, Answers};
use crate::progress::Progress;
use crate::run::RunError;
use crate::summary::Summary;

/// Receipts after which a group is recorded though more are ready.
const GROUP_RECEIPTS: usize = 4_096;

pub(crate) struct Sink<'r> {
    pub(crate) answers: Receiver<Answers>,
    /// One token for each batch that may be under way; given back when its answers are written.
    pub(crate) tokens: Sender<()>,
    pub(crate) ledger: Option<&'r mut Ledger>,
    pub(crate) output: &'r mut (dyn Write + Send),
    pub(crate) progress: &'r Progress,
    pub(crate) fail_fast: bool,
}

impl Sink<'_> {
    /// Runs until all answers are written, or until one that ends the run.
    pub(crate) fn run(mut self) -> Result<Summary, RunError> {
        let mut summary = Summary::default();
        let mut early: BTreeMap<u64, Answers> = BTreeMap::new();
        let mut next = 0;
        while let Ok(first) = self.answers.recv() {
            early.insert(first.sequence, first);
            early.extend(self.answers.try_iter().map(|answers| (answers.sequence, answers)));
            let mut group = Vec::new();
            let mut receipts = 0;
            let mut ends_run = false;
            while let Some(mut answers) = early.remove(&next) {
                next += 1;
                ends_run = self.fail_fast && cut_after_failure(&mut answers);
                receipts += answers.receipts.len();
                group.push(answers);
                if ends_run {
                    break;
                }
                if receipts >= GROUP_RECEIPTS {
                    self.write(&mut group, &mut summary)?;
                    receipts = 0;
                }
            }
            self.write(&mut group, &mut summary)?;
            if ends_run {
                break;
            }
        }
        self.output.flush().map_err(RunError::write)?;
        Ok(summary)
    }

    fn write(&mut self, group: &mut Vec<Answers>, summary: &mut Summary) -> Result<(), RunError> {
        if group.is_empty() {
            return Ok(());
        }
        if let Some(ledger) = &mut self.ledger {
            let receipts = group.iter().flat_map(|answers| &answers.receipts);
            ledger.record_batch(receipts).map_err(RunError::Ledger)?;
        }
        for answers in group.drain(..) {
            self.output.write_all(&answers.text).map_err(RunError::write)?;
            summary.add(&answers);
            use std::sync::atomic::Ordering::Relaxed;
            self.progress
                .answers
                .fetch_add(answers.answers.len() as u64, Relaxed);
            self.progress.bytes_done.store(answers.bytes_read, Relaxed);
            // The source has ended when nobody takes the token.
            let _ended = self.tokens.try_send(()).is_err();
        }
        self.output.flush().map_err(RunError::write)
    }
}

/// Drops what follows the first answer that is no pass; false when there is none.
fn cut_after_failure(answers: &mut Answers) -> bool {
    let Some(at) = answers
        .answers
        .iter()
        .position(|(answer, _)| *answer != Answer::Pass)
    else {
        return false;
    };
    let (_, end) = answers.answers[at];
    answers.answers.truncate(at + 1);
    answers.text.truncate(end);
    let receipts = answers
        .answers
        .iter()
        .filter(|(answer, _)| *answer != Answer::Error)
        .count();
    answers.receipts.truncate(receipts);
    true
}
