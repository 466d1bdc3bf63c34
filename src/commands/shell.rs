//! What shells and `man` want to know of the command line.

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::failure::{Failure, OK, SOFTWARE};
use crate::terminal;

/// The name of the program.
const NAME: &str = "assay";

pub(crate) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    terminal::print(&script)?;
    Ok(OK)
}

/// Prints the manual: the page of the program, then one for each command, in one roff text.
pub(crate) fn man() -> Result<u8, Failure> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    // In the order of the help: each command before those below it.
    let mut pending = vec![&root];
    while let Some(command) = pending.pop() {
        let page = Man::new(command.clone()).render(&mut pages);
        page.map_err(|error| Failure::caused(SOFTWARE, "the manual cannot be written", error))?;
        let mut below: Vec<&Command> = command.get_subcommands().collect();
        below.reverse();
        pending.extend(below);
    }
    terminal::print(&pages)?;
    Ok(OK)
}
