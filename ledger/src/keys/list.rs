//! The list of public keys: its file, its published form, and the versions it gives out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use assay_engine::json::{Document, Parser, Value, write_canonical_string};
use assay_engine::time::Timestamp;

use super::KeyError;

/// What `publicKeyEncoding` says.
const ENCODING: &str = "base64 of the raw 32-byte Ed25519 public key";

/// Characters of a key version.
const MAX_VERSION_CHARS: usize = 64;

/// A key that has been used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKey {
    /// The version that receipts name.
    pub version: String,
    /// The raw Ed25519 public key.
    pub public_key: [u8; 32],
    /// When it was made; for a key that came from a file, when it was first used here.
    pub created_at: Timestamp,
}

/// Every key ever used, in the order in which they were.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyList {
    pub(super) keys: Vec<ListedKey>,
}

impl KeyList {
    /// Reads the file.
    pub(super) fn parse(bytes: &[u8]) -> Result<KeyList, &'static str> {
        let mut document = Document::new();
        Parser::default()
            .parse(bytes, &mut document)
            .map_err(|_| "it is not JSON")?;
        let keys = document
            .root()
            .get("publicKeys")
            .and_then(Value::as_array)
            .ok_or("it has no publicKeys")?;
        let keys: Option<Vec<ListedKey>> = keys.map(parse_key).collect();
        Ok(KeyList {
            keys: keys.ok_or("a key in it cannot be read")?,
        })
    }

    /// The content of the file: the published form, and when each key was made.
    pub(super) fn to_json(&self) -> String {
        self.write(true)
    }

    /// The form that is published.
    pub(super) fn to_published_json(&self) -> String {
        self.write(false)
    }

    fn write(&self, with_times: bool) -> String {
        let mut out = Vec::from(b"{\"publicKeys\":[");
        for (index, key) in self.keys.iter().enumerate() {
            out.extend_from_slice(if index > 0 { b",{" } else { b"{" });
            let public_key = STANDARD.encode(key.public_key);
            let created_at = key.created_at.to_string();
            let members = [
                ("keyVersion", &*key.version),
                ("algorithm", "Ed25519"),
                ("publicKey", &public_key),
                ("publicKeyEncoding", ENCODING),
                ("createdAt", &created_at),
            ];
            for (place, (name, text)) in members.iter().take(if with_times { 5 } else { 4 }).enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_canonical_string(name, &mut out);
                out.push(b':');
                write_canonical_string(text, &mut out);
            }
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Whether the key is listed under its version.
    pub(super) fn contains(&self, key: &ListedKey) -> bool {
        self.keys
            .iter()
            .any(|listed| listed.version == key.version && listed.public_key == key.public_key)
    }

    /// Adds a key; false when it is there.
    pub(super) fn add(&mut self, key: ListedKey) -> Result<bool, KeyError> {
        if self.contains(&key) {
            return Ok(false);
        }
        if self.keys.iter().any(|listed| listed.version == key.version) {
            return Err(KeyError::VersionTaken { version: key.version });
        }
        self.keys.push(key);
        Ok(true)
    }

    /// The version under which a key is listed, the latest when there are several.
    pub(super) fn version_of(&self, public_key: &[u8; 32]) -> Option<&str> {
        let key = self
            .keys
            .iter()
            .rev()
            .find(|listed| listed.public_key == *public_key)?;
        Some(&key.version)
    }

    /// The version of the next key: `v{n}-{year}-{month}`, n being one more than the greatest listed.
    pub(super) fn next_version(&self, now: Timestamp) -> String {
        /// The characters of `2026-11` at the start of a time.
        const YEAR_AND_MONTH: std::ops::Range<usize> = 0..7;
        let greatest = self
            .keys
            .iter()
            .filter_map(|key| number_of(&key.version))
            .max()
            .unwrap_or(0);
        let date = now.to_string();
        format!(
            "v{}-{}",
            greatest.saturating_add(1),
            date.get(YEAR_AND_MONTH).unwrap_or_default()
        )
    }
}

/// The number of a version that begins with `v{n}-`.
fn number_of(version: &str) -> Option<u64> {
    version.strip_prefix('v')?.split_once('-')?.0.parse().ok()
}

/// Whether a version can stand in a receipt, a file name and a header alike.
pub(super) fn is_version(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    (1..=MAX_VERSION_CHARS).contains(&text.len()) && text.bytes().all(is_allowed)
}

fn parse_key(value: Value<'_>) -> Option<ListedKey> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let version = text("keyVersion").filter(|version| is_version(version))?;
    if text("algorithm") != Some("Ed25519") {
        return None;
    }
    let public_key = STANDARD.decode(text("publicKey")?).ok()?;
    Some(ListedKey {
        version: version.to_owned(),
        public_key: public_key.try_into().ok()?,
        created_at: Timestamp::parse(text("createdAt")?)?,
    })
}
