//! `assay dlq`: the records of a stream that could not be checked.

use std::io::{self, Write};

use assay_engine::json::write_canonical_string;
use assay_pipeline::dead_letter::{DeadLetterError, ListedLetter, ReplayOptions, list, replay};

use crate::cli::stream::DlqCommand;
use crate::commands::kafka;
use crate::failure::{Failure, IO, OK};
use crate::settings::Global;
use crate::terminal;

/// Runs the command.
pub(crate) fn run(global: &Global, command: &DlqCommand) -> Result<u8, Failure> {
    match command {
        DlqCommand::List { brokers, topic, json } => {
            let mut output = io::BufWriter::new(io::stdout().lock());
            let result = list(
                &kafka::settings(global, brokers),
                dead_letters(global, topic),
                |letter| {
                    let line = if *json {
                        as_json(&letter)
                    } else {
                        as_words(&letter)
                    };
                    output.write_all(&line)?;
                    output.write_all(b"\n")
                },
            );
            let result = result.and_then(|()| output.flush().map_err(DeadLetterError::Write));
            match result {
                // A reader that has gone away (`| head`) is no failure.
                Err(DeadLetterError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(OK),
                other => other.map(|()| OK).map_err(failure),
            }
        }
        DlqCommand::Replay {
            brokers,
            topic,
            group,
            max_attempts,
            to,
            dry_run,
        } => {
            let options = ReplayOptions {
                topic: dead_letters(global, topic).to_owned(),
                group: group
                    .clone()
                    .unwrap_or_else(|| global.config.stream.group.clone()),
                max_attempts: *max_attempts,
                to: to.clone(),
                dry_run: *dry_run,
            };
            let summary = replay(&kafka::settings(global, brokers), &options).map_err(failure)?;
            let verb = if *dry_run { "would be sent" } else { "sent" };
            terminal::note(&format!(
                "{} letters {verb}, {} tried too often, {} without their record",
                summary.sent, summary.over_cap, summary.unusable
            ));
            Ok(OK)
        }
    }
}

fn dead_letters<'a>(global: &'a Global, flag: &'a Option<String>) -> &'a str {
    flag.as_ref().unwrap_or(&global.config.stream.dead_letters)
}

fn failure(error: DeadLetterError) -> Failure {
    match error {
        DeadLetterError::Connect(error) => kafka::failure(error),
        error => Failure::caused(IO, "the dead letters cannot be handled", error),
    }
}

fn as_words(letter: &ListedLetter) -> Vec<u8> {
    let size = letter
        .value_bytes
        .map_or("no value".to_owned(), |bytes| format!("{bytes} bytes"));
    let text = format!(
        "{}/{} from {} {}/{} attempt {} {size} {}: {}",
        letter.partition,
        letter.offset,
        letter.source_topic,
        letter.source_partition,
        letter.source_offset,
        letter.attempt,
        letter.code,
        letter.message
    );
    terminal::plain(&text).into_bytes()
}

fn as_json(letter: &ListedLetter) -> Vec<u8> {
    let mut text = b"{".to_vec();
    let texts = [
        ("code", &letter.code),
        ("message", &letter.message),
        ("source_topic", &letter.source_topic),
        ("source_partition", &letter.source_partition),
        ("source_offset", &letter.source_offset),
    ];
    for (name, value) in texts {
        write_canonical_string(name, &mut text);
        text.push(b':');
        write_canonical_string(value, &mut text);
        text.push(b',');
    }
    let bytes = letter
        .value_bytes
        .map_or("null".to_owned(), |bytes| bytes.to_string());
    text.extend_from_slice(
        format!(
            "\"partition\":{},\"offset\":{},\"attempt\":{},\"value_bytes\":{bytes}}}",
            letter.partition, letter.offset, letter.attempt
        )
        .as_bytes(),
    );
    text
}
