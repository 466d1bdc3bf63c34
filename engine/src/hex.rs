//! Lower-case hexadecimal, the form in which hashes are shown.

/// Appends the digits of `bytes`.
pub(crate) fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(HEX[(byte >> 4) as usize]);
        out.push(HEX[(byte & 0xf) as usize]);
    }
}

/// The digits of `bytes` as a text.
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = Vec::with_capacity(2 * bytes.len());
    write_hex(bytes, &mut digits);
    String::from_utf8_lossy(&digits).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_two_digits() {
        assert_eq!(hex(&[]), "");
        assert_eq!(hex(&[0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
    }
}
