//! `assay receipt show`: a receipt from the ledger, byte for byte as it was answered.

use crate::cli::cluster::LedgerArguments;
use crate::commands::clickhouse;
use crate::failure::{FAILED, Failure, OK, USAGE};
use crate::settings::{self, Global};
use crate::terminal;

pub(super) fn run(global: &Global, id: &str, arguments: &LedgerArguments) -> Result<u8, Failure> {
    let Ok(id) = id.parse() else {
        let example = "write it like 28afb453-7c39-4993-a9c4-fcade1b7924f";
        return Err(Failure::new(
            USAGE,
            format!("{id:?} is not a verification_id: {example}"),
        ));
    };
    let ledger = clickhouse::open_store(global, arguments)?;
    match ledger.receipt(id).map_err(settings::store_failure)? {
        Some(receipt) => {
            let mut line = Vec::new();
            receipt.write_wire(&mut line);
            line.push(b'\n');
            terminal::print(&line)?;
            Ok(OK)
        }
        None => {
            let ledger = clickhouse::store_name(global, arguments);
            Err(Failure::new(
                FAILED,
                format!("{ledger} has no receipt with the verification_id {id}"),
            ))
        }
    }
}
