//! A line on the terminal that is written anew from a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::ProgressBar;

/// The line; it goes when this is dropped.
pub(crate) struct LiveBar {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LiveBar {
    /// Calls `update` every `interval`.
    pub(crate) fn start(
        bar: ProgressBar,
        interval: Duration,
        update: impl Fn(&ProgressBar) + Send + 'static,
    ) -> LiveBar {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !seen.load(Ordering::Acquire) {
                update(&bar);
                std::thread::park_timeout(interval);
            }
            bar.finish_and_clear();
        });
        LiveBar {
            is_over,
            thread: Some(thread),
        }
    }
}

impl Drop for LiveBar {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does nothing that can fail; if it did, the command's result stands all the same.
            let _panicked = thread.join().is_err();
        }
    }
}
