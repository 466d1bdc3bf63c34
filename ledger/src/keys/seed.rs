//! The forms in which a private key stands in a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use assay_engine::json::{Document, Parser, Value};
use assay_engine::receipt::Signer;
use assay_engine::time::Timestamp;

use super::ListedKey;
use super::list::is_version;

/// An Ed25519 seed (RFC 8032, section 5.1.5).
type Seed = [u8; 32];

/// A private key with its version.
pub(super) struct PrivateKey {
    pub(super) seed: Seed,
    pub(super) version: String,
    /// When it was made, if its file tells.
    pub(super) created_at: Option<Timestamp>,
}

impl PrivateKey {
    pub(super) fn signer(&self) -> Signer {
        Signer::new(&self.seed, &*self.version)
    }

    /// Its public half; `now` is when it is first used, for a file that does not tell when the key was made.
    pub(super) fn listed(&self, now: Timestamp) -> ListedKey {
        ListedKey {
            version: self.version.clone(),
            public_key: self.signer().public_key(),
            created_at: self.created_at.unwrap_or(now),
        }
    }

    /// The content of the private file. Version and texts need no escapes.
    pub(super) fn to_json(&self, now: Timestamp) -> String {
        format!(
            "{{\"keyVersion\":\"{}\",\"algorithm\":\"Ed25519\",\"seed\":\"{}\",\
             \"seedEncoding\":\"base64 of the 32-byte Ed25519 seed\",\"createdAt\":\"{}\"}}\n",
            self.version,
            STANDARD.encode(self.seed),
            self.created_at.unwrap_or(now),
        )
    }
}

/// What a file of a private key holds.
pub(super) struct ParsedKey {
    seed: Seed,
    version: Option<String>,
    created_at: Option<Timestamp>,
}

impl ParsedKey {
    /// The key under the version of the file, or else under the one that `name` gives to its public half.
    pub(super) fn named(self, name: impl FnOnce(&[u8; 32]) -> String) -> PrivateKey {
        let ParsedKey {
            seed,
            version,
            created_at,
        } = self;
        let version = version.unwrap_or_else(|| name(&Signer::new(&seed, "").public_key()));
        PrivateKey {
            seed,
            version,
            created_at,
        }
    }

    /// The key under the version of the file.
    pub(super) fn into_named(self) -> Option<PrivateKey> {
        let ParsedKey {
            seed,
            version,
            created_at,
        } = self;
        Some(PrivateKey {
            seed,
            version: version?,
            created_at,
        })
    }
}

/// Reads 32 raw bytes, 64 hexadecimal digits, base64 of 32 bytes, or a JSON object with a `seed` in one of the last two.
///
/// The forms cannot be taken for one another: 32 bytes are too few for the two texts, and no base64 of 32 bytes has 64
/// characters.
pub(super) fn parse(bytes: &[u8]) -> Result<ParsedKey, &'static str> {
    if let Ok(seed) = bytes.try_into() {
        return Ok(ParsedKey {
            seed,
            version: None,
            created_at: None,
        });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| "it is neither 32 bytes nor text")?
        .trim();
    if !text.starts_with('{') {
        return Ok(ParsedKey {
            seed: parse_text(text)?,
            version: None,
            created_at: None,
        });
    }
    let mut document = Document::new();
    Parser::default()
        .parse(text.as_bytes(), &mut document)
        .map_err(|_| "it is not JSON")?;
    let member = |name: &str| document.root().get(name).filter(|value| !value.is_null());
    let seed = parse_text(member("seed").and_then(Value::as_str).ok_or("it has no seed")?)?;
    if member("algorithm").is_some_and(|value| value.as_str() != Some("Ed25519")) {
        return Err("its algorithm is not Ed25519");
    }
    let version = match member("keyVersion").map(Value::as_str) {
        None => None,
        Some(Some(version)) if is_version(version) => Some(version.to_owned()),
        Some(_) => {
            return Err("its keyVersion is not 1 to 64 letters, digits, dots, hyphens and underscores");
        }
    };
    let created_at = match member("createdAt").map(Value::as_str) {
        None => None,
        Some(Some(time)) => Some(Timestamp::parse(time).ok_or("its createdAt is no time")?),
        Some(None) => return Err("its createdAt is no time"),
    };
    Ok(ParsedKey {
        seed,
        version,
        created_at,
    })
}

fn parse_text(text: &str) -> Result<Seed, &'static str> {
    const HEX_DIGITS: usize = 64;
    if text.len() == HEX_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let mut seed = Seed::default();
        for (place, pair) in seed.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default() as u8;
            *place = digit(pair[0]) << 4 | digit(pair[1]);
        }
        return Ok(seed);
    }
    let decoded = STANDARD
        .decode(text)
        .map_err(|_| "it holds neither base64 nor hexadecimal digits")?;
    decoded.try_into().map_err(|_| "its seed has not 32 bytes")
}
