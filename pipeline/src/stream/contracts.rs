//! Contracts by reference: from a folder, read once, and from a compacted topic, followed for as long as the stream runs.
//!
//! A contract goes by `ID` or `ID@VERSION`, and always by `sha256:` with the hash of its text, which names one content for
//! ever. The receipt hashes what the contract says as if it had stood in the request, so a name that comes to mean another
//! content cannot pass unseen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use assay_engine::contract::Contract;
use assay_engine::hex::hex;
use assay_engine::schema::SchemaCache;
use rdkafka::message::Message;
use sha2::{Digest, Sha256};

use crate::kafka::{ConnectError, KafkaSettings, Start, TopicReader};

/// A contract that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    /// The folder or a file in it cannot be read.
    #[error("{path} cannot be read")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is no contract.
    #[error("the contract {name} cannot be used: {faults}")]
    Invalid {
        /// The contract.
        name: String,
        /// What is wrong with it.
        faults: String,
    },
    /// The default contract is not among them.
    #[error("there is no contract {0}, which is to be the default")]
    NoDefault(String),
    /// The topic of contracts cannot be read to its end.
    #[error("the contract topic {0} could not be read to its end in time")]
    TopicTimeout(String),
}

/// How long reading the topic of contracts may take at the start.
const FIRST_READ_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
struct Names {
    by_name: HashMap<String, Arc<Contract>>,
    /// Which content a name has now, by hash.
    hash_of: HashMap<String, [u8; 32]>,
}

/// The contracts known now.
#[derive(Debug, Default)]
pub(crate) struct Contracts {
    names: RwLock<Names>,
}

impl Contracts {
    /// Reads a folder of contracts.
    pub(crate) fn read_folder(&self, folder: &Path, schemas: &SchemaCache) -> Result<(), ContractError> {
        let failure = |path: &Path, source| ContractError::Read {
            path: path.to_owned(),
            source,
        };
        let entries = std::fs::read_dir(folder).map_err(|error| failure(folder, error))?;
        for entry in entries {
            let path = entry.map_err(|error| failure(folder, error))?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            let text = std::fs::read(&path).map_err(|error| failure(&path, error))?;
            self.put(name, &text, schemas)?;
        }
        Ok(())
    }

    /// The contract of that name.
    pub(crate) fn get(&self, id: &str, version: Option<&str>) -> Option<Arc<Contract>> {
        let names = self.names.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        match version {
            None => names.by_name.get(id).cloned(),
            Some(version) => names.by_name.get(&format!("{id}@{version}")).cloned(),
        }
    }

    /// Adds a contract, or gives a name another content.
    fn put(&self, name: &str, text: &[u8], schemas: &SchemaCache) -> Result<(), ContractError> {
        let hash: [u8; 32] = Sha256::digest(text).into();
        let known = |names: &Names| names.hash_of.get(name) == Some(&hash);
        if known(&self.names.read().unwrap_or_else(|poisoned| poisoned.into_inner())) {
            return Ok(());
        }
        let contract = Contract::parse(text, schemas).map_err(|problem| {
            let faults: Vec<String> = problem
                .fields
                .iter()
                .map(|f| format!("{} {}. {}", f.field, f.problem, f.fix))
                .collect();
            ContractError::Invalid {
                name: name.to_owned(),
                faults: faults.join(" "),
            }
        })?;
        let contract = Arc::new(contract);
        let mut names = self
            .names
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if names.hash_of.insert(name.to_owned(), hash).is_some() {
            tracing::warn!(contract = name, "a contract's content has changed under its name");
        }
        names
            .by_name
            .insert(format!("sha256:{}", hex(&hash)), Arc::clone(&contract));
        names.by_name.insert(name.to_owned(), contract);
        Ok(())
    }

    fn remove(&self, name: &str) {
        let mut names = self
            .names
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        names.by_name.remove(name);
        names.hash_of.remove(name);
    }
}

/// The topic of contracts.
pub(crate) struct ContractTopic {
    topic: String,
    reader: TopicReader,
}

impl ContractTopic {
    pub(crate) fn open(
        kafka: &KafkaSettings,
        topic: &str,
        group: &str,
    ) -> Result<ContractTopic, ConnectError> {
        Ok(ContractTopic {
            topic: topic.to_owned(),
            reader: TopicReader::open(kafka, "assay-contracts", group, topic, Start::First)?,
        })
    }

    /// Reads to where the topic ended when it was opened, so that no record meets a contract that is not there yet.
    pub(crate) fn read_to_end(
        &self,
        contracts: &Contracts,
        schemas: &SchemaCache,
    ) -> Result<(), ContractError> {
        let deadline = Instant::now() + FIRST_READ_TIMEOUT;
        while !self.reader.is_at_end() {
            if Instant::now() > deadline {
                return Err(ContractError::TopicTimeout(self.topic.clone()));
            }
            self.poll(contracts, schemas);
        }
        Ok(())
    }

    /// Follows the topic until told to stop. A contract that cannot be used leaves the one before it in place.
    pub(crate) fn follow(&self, contracts: &Contracts, schemas: &SchemaCache, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            self.poll(contracts, schemas);
        }
    }

    fn poll(&self, contracts: &Contracts, schemas: &SchemaCache) {
        let message = match self.reader.poll(Duration::from_millis(200)) {
            None => return,
            Some(Err(error)) => {
                tracing::warn!("the contract topic cannot be read now: {error}");
                return;
            }
            Some(Ok(message)) => message,
        };
        let Some(name) = message.key().and_then(|key| std::str::from_utf8(key).ok()) else {
            tracing::warn!(offset = message.offset(), "a contract has no name for its key");
            return;
        };
        match message.payload() {
            None => contracts.remove(name),
            Some(text) => {
                if let Err(error) = contracts.put(name, text, schemas) {
                    tracing::error!("{error}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_engine::schema::CompileOptions;

    #[test]
    fn a_contract_goes_by_its_name_its_version_and_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let text = br#"{"expected_schema":{"type":"object"}}"#;
        std::fs::write(folder.path().join("invoice.json"), text).unwrap();
        std::fs::write(
            folder.path().join("invoice@2.json"),
            br#"{"expected_schema":true}"#,
        )
        .unwrap();
        std::fs::write(folder.path().join("notes.txt"), b"no contract").unwrap();
        let schemas = SchemaCache::new(8, CompileOptions::default());
        let contracts = Contracts::default();
        contracts.read_folder(folder.path(), &schemas).unwrap();
        let first = contracts.get("invoice", None).unwrap();
        let second = contracts.get("invoice", Some("2")).unwrap();
        assert!(!Arc::ptr_eq(&first, &second));
        let hash = format!("sha256:{}", hex(&Sha256::digest(text)));
        assert!(Arc::ptr_eq(&first, &contracts.get(&hash, None).unwrap()));
        assert!(contracts.get("invoice", Some("3")).is_none());
        contracts.remove("invoice");
        assert!(contracts.get("invoice", None).is_none());
        assert!(contracts.get("invoice", Some("2")).is_some());
    }

    #[test]
    fn a_broken_contract_is_an_error_that_names_it() {
        let schemas = SchemaCache::new(8, CompileOptions::default());
        let error = Contracts::default().put("invoice", br#"{"expected_schema":7}"#, &schemas);
        assert!(error.unwrap_err().to_string().contains("invoice"));
    }
}
