//! UUIDs, RFC 9562 section 4.

/// The bytes of the text form.
const UUID_BYTES: usize = 36;

/// Where its hyphens are.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// Whether `text` is 32 hexadecimal digits of either case in groups of 8, 4, 4, 4 and 12. The version and the
/// variant are not judged: the grammar admits any, and new ones are assigned.
pub(super) fn is_uuid(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == UUID_BYTES
        && HYPHENS.iter().all(|&at| bytes.get(at) == Some(&b'-'))
        && bytes.iter().filter(|byte| byte.is_ascii_hexdigit()).count() == UUID_BYTES - HYPHENS.len()
}

#[cfg(test)]
mod tests {
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn uuids() {
        check(
            Format::Uuid,
            &[
                "00000000-0000-0000-0000-000000000000",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
                "F81D4FAE-7dec-11D0-a765-00A0C91E6BF6",
                "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
                "320c3d4d-cc00-875b-0ec9-32d5f69181c0",
            ],
            &[
                "",
                "f81d4fae7dec11d0a76500a0c91e6bf6",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf66",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
                "f81d4fae-7dec-11d0-a76500a0c91e-6bf6",
                "f81d4fae_7dec_11d0_a765_00a0c91e6bf6",
                "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
                "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "f81d4fae-7dec-11d0-a765-00a0c91e6b\u{e9}",
                "------------------------------------",
            ],
        );
    }
}
