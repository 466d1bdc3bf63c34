//! The progress of a run on a terminal: rate and remaining time.

use std::time::Duration;

use assay_pipeline::input::Input;
use assay_pipeline::progress::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::live_bar::LiveBar;

/// How often the terminal is told.
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows the progress of a run over `inputs`.
pub(crate) fn show(inputs: &[Input], progress: Progress) -> LiveBar {
    let sizes: Option<u64> = inputs.iter().map(Input::size).sum();
    let (bar, template) = match sizes {
        Some(size) => (
            ProgressBar::new(size),
            "{bar:32} {percent:>3} %  {msg}  {elapsed_precise}, {eta_precise} left",
        ),
        None => (ProgressBar::no_length(), "{spinner} {msg}  {elapsed_precise}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    LiveBar::start(bar, INTERVAL, move |bar| {
        let rate = progress.answers() as f64 / bar.elapsed().as_secs_f64().max(f64::EPSILON);
        bar.set_message(format!("{} answers, {rate:.0}/s", progress.answers()));
        bar.set_position(progress.bytes_done());
    })
}
