//! The receipt: a response with the signature over its canonical bytes (protocol, section 5).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};

use crate::digest::Sha512;
use crate::response::Response;
use crate::time::write_timestamp;

/// What a verification's signature is for; other documents of the same key have another context.
pub const VERIFICATION_CONTEXT: &str = "json-schema-verifier/verify-schema-attestation/v1";

/// What a score's signature is for.
pub const SCORE_CONTEXT: &str = "json-schema-verifier/trust-score-attestation/v1";

/// A private key with the version under which its public half is listed.
pub struct Signer {
    /// Expanded once, not for each signature.
    secret: ExpandedSecretKey,
    /// Always the public half of `secret`: to sign under another one would give the secret away.
    public: VerifyingKey,
    key_version: Arc<str>,
}

impl Signer {
    /// A signer from the 32 bytes of an Ed25519 seed (RFC 8032, section 5.1.5).
    pub fn new(seed: &[u8; 32], key_version: impl Into<Arc<str>>) -> Signer {
        let secret = ExpandedSecretKey::from(seed);
        let public = VerifyingKey::from(&secret);
        Signer {
            secret,
            public,
            key_version: key_version.into(),
        }
    }

    /// The version of the key.
    pub fn key_version(&self) -> Arc<str> {
        Arc::clone(&self.key_version)
    }

    /// The raw public key.
    pub fn public_key(&self) -> [u8; 32] {
        self.public.to_bytes()
    }

    /// Signs bytes as they are.
    pub fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        raw_sign::<Sha512>(&self.secret, bytes, &self.public).to_bytes()
    }

    /// Signs a response, whose `key_version` must be this signer's; `scratch` is overwritten.
    pub fn sign_response(&self, response: Response, scratch: &mut Vec<u8>) -> Receipt {
        scratch.clear();
        write_signed_bytes(&response, scratch);
        let signature = self.sign(scratch);
        Receipt { response, signature }
    }
}

/// A signed response.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// What is signed.
    pub response: Response,
    /// The Ed25519 signature.
    pub signature: [u8; 64],
}

impl Receipt {
    /// Appends the receipt as it goes over the wire, in one line.
    pub fn write_wire(&self, out: &mut Vec<u8>) {
        self.response.write_wire_open(out);
        out.extend_from_slice(b",\"attestation\":{\"algorithm\":\"Ed25519\",\"key_version\":");
        crate::json::write_canonical_string(&self.response.key_version, out);
        out.extend_from_slice(b",\"timestamp\":\"");
        write_timestamp(self.response.verified_at, out);
        out.extend_from_slice(b"\",\"signature\":\"");
        let mut text = [0u8; 88];
        // A buffer of this length always holds the 88 characters of 64 bytes.
        let written = STANDARD.encode_slice(self.signature, &mut text).unwrap_or(0);
        out.extend_from_slice(&text[..written]);
        out.extend_from_slice(b"\"}}");
    }
}

/// Appends the bytes that are signed for `response`.
pub fn write_signed_bytes(response: &Response, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"algorithm\":\"Ed25519\",\"attested_at\":\"");
    write_timestamp(response.verified_at, out);
    out.extend_from_slice(b"\",\"context\":\"");
    out.extend_from_slice(VERIFICATION_CONTEXT.as_bytes());
    out.extend_from_slice(b"\",\"key_version\":");
    crate::json::write_canonical_string(&response.key_version, out);
    out.extend_from_slice(b",\"response\":");
    response.write_canonical(out);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use ed25519_dalek::{Signer as _, SigningKey};

    #[test]
    fn signatures_are_those_of_rfc_8032() {
        // Section 7.1, test 2.
        let seed = [
            0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3, 0x46, 0xec, 0x11, 0x4e, 0x0f,
            0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab, 0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb,
        ];
        let signer = Signer::new(&seed, "v");
        assert_eq!(
            crate::hex::hex(&signer.sign(&[0x72])),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
             085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        );
        let plain = SigningKey::from_bytes(&seed);
        assert_eq!(signer.public_key(), plain.verifying_key().to_bytes());
        let message: Vec<u8> = (0..=255u8).cycle().take(5_000).collect();
        for len in [0, 1, 127, 128, 129, 5_000] {
            assert_eq!(
                signer.sign(&message[..len]),
                plain.sign(&message[..len]).to_bytes()
            );
        }
    }
}
