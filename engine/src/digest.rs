//! SHA-256 and SHA-512 (FIPS 180-4) by the assembly of the crate `ring`.
//!
//! Hashing is the largest part of a verification after the curve: on processors without SHA extensions `ring` takes about
//! half the time of the portable code for SHA-256, and two thirds for SHA-512.

use ring::digest::{Context, SHA256, SHA512};
use sha2::digest::common::OutputSizeUser;
use sha2::digest::consts::U64;
use sha2::digest::{FixedOutput, HashMarker, Output, Update};

/// A SHA-256 that is being computed. A copy goes on from the same state.
#[derive(Clone)]
pub(crate) struct Sha256(Context);

impl Sha256 {
    /// The state after `bytes`.
    pub(crate) fn of_prefix(bytes: &[u8]) -> Sha256 {
        let mut context = Context::new(&SHA256);
        context.update(bytes);
        Sha256(context)
    }

    /// The digest of what came before and of `bytes`.
    pub(crate) fn finish_with(mut self, bytes: &[u8]) -> [u8; 32] {
        self.0.update(bytes);
        let mut digest = [0; 32];
        digest.copy_from_slice(self.0.finish().as_ref());
        digest
    }
}

/// The SHA-256 of `bytes`.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    digest.copy_from_slice(ring::digest::digest(&SHA256, bytes).as_ref());
    digest
}

/// SHA-512 with the traits by which `ed25519-dalek` takes a hash.
#[derive(Clone)]
pub(crate) struct Sha512(Context);

impl Default for Sha512 {
    fn default() -> Sha512 {
        Sha512(Context::new(&SHA512))
    }
}

impl HashMarker for Sha512 {}

impl OutputSizeUser for Sha512 {
    type OutputSize = U64;
}

impl Update for Sha512 {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl FixedOutput for Sha512 {
    fn finalize_into(self, out: &mut Output<Self>) {
        out.copy_from_slice(self.0.finish().as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest as _;

    #[test]
    fn both_agree_with_the_portable_code() {
        let bytes: Vec<u8> = (0..=255u8).cycle().take(5_000).collect();
        for len in [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1_000, 5_000] {
            let (before, after) = bytes[..len].split_at(len / 3);
            let expected: [u8; 32] = sha2::Sha256::digest(&bytes[..len]).into();
            assert_eq!(sha256(&bytes[..len]), expected);
            assert_eq!(Sha256::of_prefix(before).clone().finish_with(after), expected);
            let wide = <Sha512 as sha2::Digest>::new()
                .chain_update(before)
                .chain_update(after)
                .finalize();
            assert_eq!(wide, sha2::Sha512::digest(&bytes[..len]));
        }
    }
}
