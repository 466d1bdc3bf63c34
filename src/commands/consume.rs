//! `assay consume`: follows receipts, readably or as they are.

use std::io::{self, Write};
use std::time::Duration;

use assay_engine::json::{Document, Parser, Value};
use assay_pipeline::consume::{ConsumeError, FollowOptions, Followed, follow};

use crate::cli::stream::Consume;
use crate::commands::kafka;
use crate::failure::{Failure, IO, OK};
use crate::settings::Global;
use crate::signals;
use crate::terminal;

/// What the client may take to close.
const CLOSING: Duration = Duration::from_secs(10);

/// Runs the command.
pub(crate) fn run(global: &Global, arguments: &Consume) -> Result<u8, Failure> {
    let options = FollowOptions {
        topic: arguments
            .topic
            .clone()
            .unwrap_or_else(|| global.config.stream.receipts.clone()),
        from_start: arguments.from_start,
        until_idle: arguments.until_idle.map(Duration::from_secs),
    };
    let stop = signals::stop_flag(CLOSING)?;
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut reader = Reader::default();
    let result = follow(
        &kafka::settings(global, &arguments.brokers),
        &options,
        &stop,
        |followed| {
            if arguments.json {
                output.write_all(followed.value.unwrap_or(b"null"))?;
                output.write_all(b"\n")?;
            } else {
                writeln!(output, "{}", reader.line(&followed))?;
            }
            output.flush()
        },
    );
    match result {
        Ok(()) => Ok(OK),
        // A reader that has gone away (`| head`) is no failure.
        Err(ConsumeError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(OK),
        Err(ConsumeError::Connect(error)) => Err(kafka::failure(error)),
        Err(error) => Err(Failure::caused(IO, "following ended", error)),
    }
}

#[derive(Default)]
struct Reader {
    parser: Parser,
    document: Document,
}

impl Reader {
    fn line(&mut self, followed: &Followed<'_>) -> String {
        let place = format!("{}/{}", followed.partition, followed.offset);
        let Some(value) = followed.value else {
            return format!("{place} (no value)");
        };
        if self.parser.parse(value, &mut self.document).is_err() {
            return format!("{place} (no receipt)");
        }
        let root = self.document.root();
        let text = |name: &str| terminal::plain(root.get(name).and_then(Value::as_str).unwrap_or("-"));
        let checks = followed.checks.unwrap_or("-").replace(',', " ");
        format!(
            "{} {:4} {checks} {} {} {}",
            text("verified_at"),
            text("result"),
            text("agent_id"),
            text("task_id"),
            text("verification_id")
        )
    }
}
