//! From the settings as they are written to what the crates take.

use std::path::PathBuf;

use assay_engine::receipt::Signer;
use assay_engine::response::ServiceIdentity;
use assay_ledger::keys::KeyError;
use assay_ledger::{DataFolder, KeyStore, Ledger, LedgerError, StoreError};
use assay_pipeline::clock::now;

use crate::cli::GlobalFlags;
use crate::config::{self, Config};
use crate::failure::{CONFIG, Failure, SOFTWARE, USAGE};
use crate::terminal;

/// What every command works with.
#[derive(Debug)]
pub(crate) struct Global {
    /// The data folder: ledger and keys.
    pub(crate) data: PathBuf,
    /// A file with the private key to sign with, instead of the data folder's.
    pub(crate) key_file: Option<PathBuf>,
    /// The address under which the service is reached.
    pub(crate) public_url: String,
    /// All settings, over which the flags of a command count.
    pub(crate) config: Config,
}

impl Global {
    /// Reads the settings and lays the flags over them.
    ///
    /// # Errors
    /// What is wrong with the settings.
    pub(crate) fn load(flags: &GlobalFlags) -> Result<Global, Failure> {
        let config = config::load(flags.config.as_deref())?;
        let data = flags.data.clone().or_else(|| config.data.clone());
        let public_url = flags.public_url.clone().or_else(|| config.public_url.clone());
        Ok(Global {
            data: data.unwrap_or_else(|| PathBuf::from("assay-data")),
            key_file: flags.key_file.clone().or_else(|| config.key_file.clone()),
            public_url: public_url.unwrap_or_else(|| "http://localhost:8080".to_owned()),
            config,
        })
    }
}

/// The service's name in receipts.
const SERVICE: &str = "Agent Output Verifier";

/// Who answers, as it stands in every receipt.
pub(crate) fn identity(global: &Global) -> Result<ServiceIdentity, Failure> {
    let url = global.public_url.trim_end_matches('/');
    let is_http = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let is_plain = |rest: &str| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && rest
                .bytes()
                .all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}?#".contains(&b))
    };
    if !is_http.is_some_and(is_plain) {
        let example = "write it like https://verify.example.com, without query and fragment";
        return Err(Failure::new(
            USAGE,
            format!("--public-url is not an http or https address: {example}"),
        ));
    }
    Ok(ServiceIdentity {
        public_key_url: format!("{url}/.well-known/agent-card.json"),
        service: SERVICE.to_owned(),
        mcp: format!("{url}/mcp"),
        verifier_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Opens the data folder, which is made when it is not there.
pub(crate) fn open_data(global: &Global) -> Result<DataFolder, Failure> {
    DataFolder::open(&global.data)
        .map_err(|error| Failure::caused(CONFIG, "the data folder cannot be used", error))
}

/// The key to sign with. Making one is worth a warning: without a copy it is lost with the folder.
pub(crate) fn signer(global: &Global, data: &DataFolder) -> Result<Signer, Failure> {
    let failure = |error| Failure::caused(CONFIG, "the signing key cannot be used", error);
    let keys = data.keys().map_err(failure)?;
    if let Some(file) = &global.key_file {
        return keys.signer_from_file(file, now()).map_err(failure);
    }
    let active = keys.signer(now()).map_err(failure)?;
    if active.created {
        terminal::warn(&format!(
            "a signing key was made: {}. Keep a copy of it in a safe place, and show it to nobody",
            keys.private_key_path().display()
        ));
    }
    Ok(active.signer)
}

/// Opens the ledger of the data folder.
pub(crate) fn ledger(data: &DataFolder) -> Result<Ledger, Failure> {
    data.ledger().map_err(ledger_failure)
}

/// The ledger, for a command that only reads: nothing is made for it.
pub(crate) fn existing_ledger(global: &Global) -> Result<Ledger, Failure> {
    const ADVICE: &str =
        "name the right one with --data or ASSAY_DATA; 'assay verify' makes one and records into it";
    let folder = global.data.display();
    if !global.data.exists() {
        return Err(Failure::new(
            CONFIG,
            format!("there is no data folder {folder}: {ADVICE}"),
        ));
    }
    let data = open_data(global)?;
    if !data.ledger_path().exists() {
        return Err(Failure::new(
            CONFIG,
            format!("nothing was ever recorded in the data folder {folder}: {ADVICE}"),
        ));
    }
    ledger(&data)
}

/// The keys, for a command that only reads: nothing is made for it. `advice` tells what else the user can do.
pub(crate) fn existing_keys(global: &Global, advice: &str) -> Result<KeyStore, Failure> {
    if global.data.exists() {
        let data = open_data(global)?;
        if data.keys_path().exists() {
            let keys = data.keys().map_err(key_failure)?;
            if !keys.list().map_err(key_failure)?.is_empty() {
                return Ok(keys);
            }
        }
    }
    let what = format!("there are no keys in the data folder {}", global.data.display());
    Err(Failure::new(
        CONFIG,
        format!("{what}: name the right one with --data or ASSAY_DATA, or {advice}"),
    ))
}

/// A ledger that cannot be used.
pub(crate) fn ledger_failure(error: LedgerError) -> Failure {
    Failure::caused(CONFIG, "the ledger cannot be used", error)
}

/// A ledger of either kind that cannot be read.
pub(crate) fn store_failure(error: StoreError) -> Failure {
    match error {
        StoreError::Embedded(error) => ledger_failure(error),
        StoreError::ClickHouse(error) => crate::commands::clickhouse::failure(error),
    }
}

/// Keys that cannot be used.
pub(crate) fn key_failure(error: KeyError) -> Failure {
    Failure::caused(CONFIG, "the keys cannot be used", error)
}

/// Bytes that nobody can foresee.
pub(crate) fn random_bytes() -> Result<[u8; 16], Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::caused(SOFTWARE, "the system gives no random numbers", error))?;
    Ok(bytes)
}
