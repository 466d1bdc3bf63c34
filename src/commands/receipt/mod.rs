//! `assay receipt`: check a receipt without trusting anybody, or show one from the ledger.

mod check;
mod documents;
mod show;

use crate::cli::ReceiptCommand;
use crate::failure::Failure;
use crate::settings::Global;

pub(crate) fn run(global: &Global, command: &ReceiptCommand) -> Result<u8, Failure> {
    match command {
        ReceiptCommand::Check(arguments) => check::run(global, arguments),
        ReceiptCommand::Show { id, ledger } => show::run(global, id, ledger),
    }
}
