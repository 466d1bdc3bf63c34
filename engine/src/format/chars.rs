//! Sets of characters, and those that the grammars of URIs, IRIs and URI templates share.

/// A set of ASCII characters that is asked in one read of a table.
pub(super) struct AsciiSet([bool; 256]);

impl AsciiSet {
    /// The ASCII letters and digits, and the characters of `others`.
    pub(super) const fn alphanumeric_and(others: &[u8]) -> AsciiSet {
        let mut members = [false; 256];
        let mut byte = 0u8;
        while byte < 128 {
            members[byte as usize] = byte.is_ascii_alphanumeric();
            byte += 1;
        }
        let mut at = 0;
        while at < others.len() {
            members[others[at] as usize] = true;
            at += 1;
        }
        AsciiSet(members)
    }

    /// Whether `byte` is of the set.
    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

/// Whether `bytes` has a `pct-encoded` of RFC 3986 section 2.1 at `at`: a percent sign and two hexadecimal digits.
pub(super) fn is_pct_encoded(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..) {
        Some([b'%', high, low, ..]) => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Whether `c` is a `ucschar` of RFC 3987 section 2.2.
pub(super) fn is_ucschar(c: char) -> bool {
    match u32::from(c) {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF | 0xE1000..=0xEFFFD => true,
        // Of the planes between, all but the two noncharacters at the end of each.
        code @ 0x10000..=0xDFFFF => code & 0xFFFF < 0xFFFE,
        _ => false,
    }
}

/// Whether `c` is an `iprivate` of RFC 3987 section 2.2.
pub(super) fn is_iprivate(c: char) -> bool {
    matches!(u32::from(c), 0xE000..=0xF8FF | 0xF0000..=0xFFFFD | 0x10_0000..=0x10_FFFD)
}
