//! The command line: parses arguments, wires the crates; no logic of its own.

mod cli;
mod commands;
mod config;
mod failure;
mod live_bar;
mod progress_bar;
mod settings;
mod signals;
mod summary_text;
mod terminal;
mod watch;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use cli::{Cli, Command};
use failure::Failure;
use settings::Global;

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
    let global = &Global::load(&cli.global)?;
    match &cli.command {
        Command::Verify(arguments) => commands::verify::run(global, arguments),
        Command::Stream(arguments) => commands::stream::run(global, arguments),
        Command::Produce(arguments) => commands::produce::run(global, arguments),
        Command::Consume(arguments) => commands::consume::run(global, arguments),
        Command::Dlq(command) => commands::dlq::run(global, command),
        Command::Receipt(command) => commands::receipt::run(global, command),
        Command::Reputation(agent) => commands::reputation::run(global, agent),
        Command::Score(arguments) => commands::score::run(global, arguments),
        Command::Project(arguments) => commands::project::run(global, arguments),
        Command::Migrate(arguments) => commands::migrate::run(global, arguments),
        Command::Rebuild(arguments) => commands::rebuild::run(global, arguments),
        Command::Config(command) => commands::config::run(global, command),
        Command::Schema(command) => commands::schema::run(command),
        Command::Keys(command) => commands::keys::run(global, command),
        Command::Completions { shell } => commands::shell::completions(*shell),
        Command::Man => commands::shell::man(),
    }
}
