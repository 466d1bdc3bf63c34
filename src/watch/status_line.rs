//! A line on the terminal that tells how a long-running command goes on.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::live_bar::LiveBar;

/// How often it is written anew.
const INTERVAL: Duration = Duration::from_millis(250);

/// Shows what `says` returns, when standard error is a terminal and nobody asked for quiet.
pub(crate) fn show_status(is_quiet: bool, says: impl Fn() -> String + Send + 'static) -> Option<LiveBar> {
    if is_quiet || !std::io::stderr().is_terminal() {
        return None;
    }
    let line = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed_precise}") {
        line.set_style(style);
    }
    Some(LiveBar::start(line, INTERVAL, move |line| {
        line.set_message(says());
        line.tick();
    }))
}
