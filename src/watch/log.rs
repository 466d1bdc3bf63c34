//! Log lines of the long-running commands, on standard error: what happened, never what a record holds.

use std::io::IsTerminal as _;

use tracing::level_filters::LevelFilter;

use crate::config::LogForm;
use crate::failure::{Failure, SOFTWARE};

/// Begins to log, from `level` on.
///
/// # Errors
/// That the process logs already.
pub(crate) fn start(form: LogForm, level: LevelFilter) -> Result<(), Failure> {
    let is_text = match form {
        LogForm::Auto => std::io::stderr().is_terminal(),
        LogForm::Text => true,
        LogForm::Json => false,
    };
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr);
    let started = if is_text {
        tracing::subscriber::set_global_default(lines.with_target(false).compact().finish())
    } else {
        tracing::subscriber::set_global_default(
            lines.json().flatten_event(true).with_current_span(false).finish(),
        )
    };
    started.map_err(|error| Failure::caused(SOFTWARE, "the log cannot be started", error))
}
