//! The progress of a run on a terminal: rate and remaining time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use assay_pipeline::input::Input;
use assay_pipeline::progress::Progress;
use indicatif::{ProgressBar as Bar, ProgressStyle};

/// How often the terminal is told.
const INTERVAL: Duration = Duration::from_millis(100);

/// A bar that follows a run from a thread of its own.
pub(crate) struct ProgressBar {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl ProgressBar {
    /// Shows the progress of a run over `inputs`.
    pub(crate) fn start(inputs: &[Input], progress: Progress) -> ProgressBar {
        let sizes: Option<u64> = inputs.iter().map(Input::size).sum();
        let (bar, template) = match sizes {
            Some(size) => (
                Bar::new(size),
                "{bar:32} {percent:>3} %  {msg}  {elapsed_precise}, {eta_precise} left",
            ),
            None => (Bar::no_length(), "{spinner} {msg}  {elapsed_precise}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !seen.load(Ordering::Acquire) {
                let rate = progress.answers() as f64 / bar.elapsed().as_secs_f64().max(f64::EPSILON);
                bar.set_message(format!("{} answers, {rate:.0}/s", progress.answers()));
                bar.set_position(progress.bytes_done());
                std::thread::park_timeout(INTERVAL);
            }
            bar.finish_and_clear();
        });
        ProgressBar { is_over, thread }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        self.is_over.store(true, Ordering::Release);
        self.thread.thread().unpark();
        // The thread does nothing that can fail; if it did, the run's result stands all the same.
        let _panicked = self.thread.join().is_err();
    }
}
