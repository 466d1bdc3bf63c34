//! The command line: parses arguments, wires the crates; no logic of its own.

mod cli;
mod commands;
mod failure;
mod progress_bar;
mod settings;
mod summary_text;
mod terminal;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use cli::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            // Nothing can be told when neither stream takes it.
            let _unwritable = error.print().is_err();
            return ExitCode::from(if is_answer { failure::OK } else { failure::USAGE });
        }
    };
    match run(&cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            terminal::error(&failure.message());
            ExitCode::from(failure.code())
        }
    }
}

fn run(cli: &Cli) -> Result<u8, Failure> {
    let global = &cli.global;
    match &cli.command {
        Command::Verify(arguments) => commands::verify::run(global, arguments),
        Command::Stream(arguments) => commands::stream::run(global, arguments),
        Command::Produce(arguments) => commands::produce::run(arguments),
        Command::Consume(arguments) => commands::consume::run(arguments),
        Command::Dlq(command) => commands::dlq::run(command),
        Command::Receipt(command) => commands::receipt::run(global, command),
        Command::Reputation(agent) => commands::reputation::run(global, agent),
        Command::Score(arguments) => commands::score::run(global, arguments),
        Command::Schema(command) => commands::schema::run(command),
        Command::Keys(command) => commands::keys::run(global, command),
        Command::Completions { shell } => commands::shell::completions(*shell),
        Command::Man => commands::shell::man(),
    }
}
