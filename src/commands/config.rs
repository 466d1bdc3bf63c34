//! `assay config check`: the settings that are in effect, and whether what they name can be reached.

use std::collections::BTreeSet;

use assay_pipeline::kafka::probe;

use super::{clickhouse, kafka};
use crate::cli::ConfigCommand;
use crate::failure::{Failure, IO, OK, SOFTWARE};
use crate::settings::Global;
use crate::terminal;

/// Runs the command.
pub(crate) fn run(global: &Global, command: &ConfigCommand) -> Result<u8, Failure> {
    let ConfigCommand::Check { offline } = command;
    let text = toml::to_string(&global.config)
        .map_err(|error| Failure::caused(SOFTWARE, "the settings cannot be printed", error))?;
    terminal::print(text.as_bytes())?;
    if *offline {
        return Ok(OK);
    }
    let found = [
        ("kafka", try_kafka(global)),
        ("clickhouse", try_clickhouse(global)),
    ];
    let mut code = OK;
    terminal::print(b"\n")?;
    for (name, found) in found {
        let words = found.unwrap_or_else(|failure| {
            code = IO;
            failure.message()
        });
        terminal::print(format!("# {name}: {words}\n").as_bytes())?;
    }
    Ok(code)
}

fn try_kafka(global: &Global) -> Result<String, Failure> {
    let stream = &global.config.stream;
    let topics: BTreeSet<&str> = stream
        .input
        .iter()
        .chain([&stream.receipts, &stream.dead_letters])
        .chain(&stream.contract_topic)
        .map(String::as_str)
        .collect();
    let mut words = vec!["reached".to_owned()];
    for topic in topics {
        let partitions = probe(&global.config.kafka, topic).map_err(kafka::failure)?;
        words.push(match partitions {
            Some(partitions) => format!("{topic} has {partitions} partitions"),
            None => format!("{topic} is NOT THERE"),
        });
    }
    Ok(words.join("; "))
}

fn try_clickhouse(global: &Global) -> Result<String, Failure> {
    let ledger = clickhouse::open(&global.config.clickhouse)?;
    ledger.ping().map_err(clickhouse::failure)?;
    Ok(match ledger.check_schema() {
        Ok(()) => "reached; the schema is this program's".to_owned(),
        Err(error) => format!("reached; {error}"),
    })
}
