//! `assay produce`: files in, a topic filled.

use assay_pipeline::input::Input;
use assay_pipeline::produce::{ProduceError, produce};

use crate::cli::stream::Produce;
use crate::commands::kafka;
use crate::failure::{Failure, IO, OK, UNCHECKED, USAGE};
use crate::terminal;

/// Runs the command.
pub(crate) fn run(arguments: &Produce) -> Result<u8, Failure> {
    if !arguments.key_from.starts_with('/') {
        let what = format!(
            "--key-from {} is not a JSON pointer: write it like /agent_id",
            arguments.key_from
        );
        return Err(Failure::new(USAGE, what));
    }
    let inputs = arguments
        .files
        .iter()
        .map(|file| Input::from_argument(file))
        .collect();
    let kafka = kafka::settings(&arguments.brokers);
    let summary =
        produce(&kafka, &arguments.topic, inputs, &arguments.key_from).map_err(|error| match error {
            ProduceError::Connect(error) => kafka::failure(error),
            error => Failure::caused(IO, "the records were not all produced", error),
        })?;
    terminal::note(&format!(
        "{} records produced to {}",
        summary.records, arguments.topic
    ));
    if summary.skipped > 0 {
        terminal::warn(&format!(
            "{} records were left out: too long, or outside their file's array",
            summary.skipped
        ));
        return Ok(UNCHECKED);
    }
    Ok(OK)
}
