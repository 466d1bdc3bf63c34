//! A line on the terminal that tells how a long-running command goes on.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How often it is written anew.
const INTERVAL: Duration = Duration::from_millis(250);

/// The line, from a thread of its own until it is dropped.
pub(crate) struct StatusLine {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StatusLine {
    /// Shows what `says` returns, when standard error is a terminal.
    pub(crate) fn start(says: impl Fn() -> String + Send + 'static) -> StatusLine {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let thread = std::io::stderr().is_terminal().then(|| {
            std::thread::spawn(move || {
                let line = ProgressBar::no_length();
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed_precise}") {
                    line.set_style(style);
                }
                while !seen.load(Ordering::Acquire) {
                    line.set_message(says());
                    line.tick();
                    std::thread::park_timeout(INTERVAL);
                }
                line.finish_and_clear();
            })
        });
        StatusLine { is_over, thread }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does nothing that can fail; if it did, the command's result stands all the same.
            let _panicked = thread.join().is_err();
        }
    }
}
