//! `assay keys`: the list of keys, its published form, and a new key. Private keys are never printed.

use std::sync::Arc;

use assay_ledger::KeyStore;
use assay_pipeline::clock::now;

use crate::cli::KeysCommand;
use crate::failure::{Failure, OK, USAGE};
use crate::settings::{self, Global};
use crate::terminal;

pub(crate) fn run(global: &Global, command: &KeysCommand) -> Result<u8, Failure> {
    match command {
        KeysCommand::List => list(global)?,
        KeysCommand::Export => export(global)?,
        KeysCommand::Rotate => rotate(global)?,
    }
    Ok(OK)
}

fn list(global: &Global) -> Result<(), Failure> {
    let (store, active) = keys_in_use(global)?;
    let keys = store.list().map_err(settings::key_failure)?;
    let head = ["key version", "created"];
    let width = keys
        .iter()
        .map(|key| key.version.len())
        .fold(head[0].len(), usize::max);
    let mut table = format!("{:<width$}  {}\n", head[0], head[1]);
    for key in &keys {
        let mark = if active.as_deref() == Some(&*key.version) {
            "  active"
        } else {
            ""
        };
        table.push_str(&format!("{:<width$}  {}{mark}\n", key.version, key.created_at));
    }
    terminal::print(table.as_bytes())
}

fn export(global: &Global) -> Result<(), Failure> {
    let (store, _) = keys_in_use(global)?;
    let mut line = store.export_json().map_err(settings::key_failure)?;
    line.push('\n');
    terminal::print(line.as_bytes())
}

/// The store, and the version of the key that signs now.
fn keys_in_use(global: &Global) -> Result<(KeyStore, Option<Arc<str>>), Failure> {
    if global.key_file.is_some() {
        // The key of a file is listed from its first use on, and asking for it is a use.
        let folder = settings::open_data(global)?;
        let signer = settings::signer(global, &folder)?;
        return Ok((
            folder.keys().map_err(settings::key_failure)?,
            Some(signer.key_version()),
        ));
    }
    let store = settings::existing_keys(global, "make the first one with 'assay keys rotate'")?;
    // Without a private key none signs now; asking for the signer would make one.
    let active = if store.private_key_path().exists() {
        let active = store.signer(now()).map_err(settings::key_failure)?;
        Some(active.signer.key_version())
    } else {
        None
    };
    Ok((store, active))
}

fn rotate(global: &Global) -> Result<(), Failure> {
    if global.key_file.is_some() {
        let advice = "put another key into the file, or leave --key-file and ASSAY_KEY_FILE out";
        return Err(Failure::new(
            USAGE,
            format!("the key of a file cannot be rotated here: {advice}"),
        ));
    }
    let store = settings::open_data(global)?
        .keys()
        .map_err(settings::key_failure)?;
    let rotation = store.rotate(now()).map_err(settings::key_failure)?;
    let version = rotation.signer.key_version();
    let previous = match &rotation.previous {
        Some(previous) => {
            format!(" The key {previous} signs no more; it stays listed, and its receipts still check.")
        }
        None => String::new(),
    };
    let path = store.private_key_path();
    let backup = format!(
        "Back up {}: without it nobody can sign under that version again.",
        path.display()
    );
    terminal::print(format!("The key {version} signs from now on.{previous}\n{backup}\n").as_bytes())
}
