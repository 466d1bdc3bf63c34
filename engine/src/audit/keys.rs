//! The public keys by which receipts are checked, from every form in which they are published.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;

use crate::json::{Document, Parser, SyntaxError, Value, View};

/// The extension of an agent card that lists the keys begins so (protocol, section 5).
const EXTENSION_PREFIX: &str = "urn:json-schema-verifier:extension:attestation:";

/// Public keys by their version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKeys {
    keys: BTreeMap<String, VerifyingKey>,
}

/// Why a list of keys cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyListError {
    /// The text is not JSON.
    #[error("the keys cannot be read")]
    Syntax(#[source] SyntaxError),
    /// None of the known forms.
    #[error(
        "this is no list of keys: give what 'assay keys export' prints, one key of it, an array of keys, or the agent card"
    )]
    UnknownForm,
    /// An agent card that lists no keys.
    #[error("the agent card has no extension that begins with {EXTENSION_PREFIX} and lists publicKeys")]
    NoExtension,
    /// One entry of the list is wrong.
    #[error("key {place} of the list {problem}")]
    Entry {
        /// Which one, from 1.
        place: usize,
        /// What is wrong with it, to follow its place in a sentence.
        problem: &'static str,
    },
    /// Two different keys under one version.
    #[error(
        "key {place} of the list has the version of another key: it would not be known which of the two counts"
    )]
    Conflict {
        /// Which one, from 1.
        place: usize,
    },
    /// The list is empty.
    #[error("the list has no Ed25519 key")]
    Empty,
}

impl PublicKeys {
    /// Reads `{"publicKeys": […]}`, an array of keys, one key, or an agent card. Keys of other algorithms are passed
    /// over.
    ///
    /// # Errors
    /// Why the list cannot be used as a whole.
    pub fn parse(text: &[u8]) -> Result<PublicKeys, KeyListError> {
        let mut document = Document::new();
        Parser::default()
            .parse(text, &mut document)
            .map_err(KeyListError::Syntax)?;
        let mut keys = BTreeMap::new();
        for (index, entry) in entries(document.root())?.into_iter().enumerate() {
            let place = index + 1;
            let found = read_key(entry).map_err(|problem| KeyListError::Entry { place, problem })?;
            let Some((version, key)) = found else { continue };
            // The same key twice says nothing new.
            if keys
                .insert(version.to_owned(), key)
                .is_some_and(|known| known != key)
            {
                return Err(KeyListError::Conflict { place });
            }
        }
        if keys.is_empty() {
            return Err(KeyListError::Empty);
        }
        Ok(PublicKeys { keys })
    }

    /// The versions of the keys, sorted.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    pub(super) fn get(&self, version: &str) -> Option<&VerifyingKey> {
        self.keys.get(version)
    }
}

/// The key objects of a document, whatever its form.
fn entries(root: Value<'_>) -> Result<Vec<Value<'_>>, KeyListError> {
    match root.view() {
        View::Array(elements) => Ok(elements.collect()),
        View::Object(_) => match (root.get("capabilities"), root.get("publicKeys")) {
            (Some(capabilities), _) => card_entries(capabilities),
            (None, Some(keys)) => Ok(keys.as_array().ok_or(KeyListError::UnknownForm)?.collect()),
            (None, None) if root.get("keyVersion").is_some() => Ok(vec![root]),
            (None, None) => Err(KeyListError::UnknownForm),
        },
        _ => Err(KeyListError::UnknownForm),
    }
}

fn card_entries(capabilities: Value<'_>) -> Result<Vec<Value<'_>>, KeyListError> {
    let extensions = capabilities
        .get("extensions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let attestations = extensions.filter(|extension| {
        let uri = extension.get("uri").and_then(Value::as_str);
        uri.is_some_and(|uri| uri.starts_with(EXTENSION_PREFIX))
    });
    let lists = attestations.filter_map(|extension| extension.get("params")?.get("publicKeys")?.as_array());
    let keys: Vec<Value<'_>> = lists.flatten().collect();
    if keys.is_empty() {
        Err(KeyListError::NoExtension)
    } else {
        Ok(keys)
    }
}

/// The version and the key of an entry; `None` for one of another algorithm.
fn read_key(entry: Value<'_>) -> Result<Option<(&str, VerifyingKey)>, &'static str> {
    if entry.as_object().is_none() {
        return Err("is not an object");
    }
    let text = |member: &str| entry.get(member).and_then(Value::as_str);
    let version = text("keyVersion").ok_or("has no keyVersion")?;
    let algorithm = text("algorithm").ok_or("has no algorithm")?;
    if algorithm != "Ed25519" {
        return Ok(None);
    }
    let encoded = text("publicKey").ok_or("has no publicKey")?;
    let raw = decode_base64(encoded).ok_or("has a publicKey that is not the base64 of 32 bytes")?;
    let key =
        VerifyingKey::from_bytes(&raw).map_err(|_| "has a publicKey that is no point of Ed25519's curve")?;
    if key.is_weak() {
        return Err("has a publicKey of small order, under which signatures prove nothing");
    }
    Ok(Some((version, key)))
}

/// Standard base64 of exactly `N` bytes in its one spelling: with padding, and with no bits left over that could be
/// changed unnoticed.
pub(super) fn decode_base64<const N: usize>(text: &str) -> Option<[u8; N]> {
    STANDARD.decode(text).ok()?.try_into().ok()
}

/// The base64 of a public key, as lists carry it.
pub(super) fn encode_base64(key: &VerifyingKey) -> String {
    STANDARD.encode(key.as_bytes())
}
