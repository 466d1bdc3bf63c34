//! A small Bloom filter that turns away the texts which no listed phrase can match, before anything is folded.

/// Bits of the filter; 2 KiB, so that a few hundred phrases let one unlisted text in a thousand through.
const BITS: usize = 1 << 14;

/// A set of keys with false positives and no false negatives.
pub(super) struct PhraseFilter {
    bits: [u64; BITS / 64],
}

impl PhraseFilter {
    /// A filter of the keys that `key` gives for every spelling of the phrases: lower case, a capital first, all
    /// capitals, straight or typographic apostrophes. `key` must ignore the case of ASCII letters.
    pub(super) fn new<'p>(phrases: impl Iterator<Item = &'p str>, key: impl Fn(&str) -> u32) -> Self {
        let mut filter = Self { bits: [0; BITS / 64] };
        for phrase in phrases {
            let mut letters = phrase.chars();
            let capitalised: String = letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect();
            for spelling in [phrase.to_owned(), capitalised, phrase.to_uppercase()] {
                for apostrophe in ["'", "’", "‘", "ʼ", "`", "´"] {
                    for slot in slots(key(&spelling.replace('\'', apostrophe))) {
                        filter.bits[slot / 64] |= 1 << (slot % 64);
                    }
                }
            }
        }
        filter
    }

    /// Whether a phrase with this key may have been listed.
    pub(super) fn may_hold(&self, key: u32) -> bool {
        slots(key)
            .into_iter()
            .all(|slot| self.bits[slot / 64] & (1 << (slot % 64)) != 0)
    }
}

/// Two multiplicative hashes: the high bits of a product with an odd constant depend on all bits of the key.
fn slots(key: u32) -> [usize; 2] {
    let slot = |factor: u32| (key.wrapping_mul(factor) >> (32 - BITS.trailing_zeros())) as usize;
    [slot(0x9E37_79B1), slot(0x85EB_CA77)]
}

/// The first four bytes of a text as a key, the case of ASCII letters ignored; a shorter text is padded with spaces.
pub(super) fn first_bytes(text: &str) -> u32 {
    let first = match text.as_bytes().first_chunk::<4>() {
        Some(first) => *first,
        None => {
            let mut padded = [b' '; 4];
            padded[..text.len()].copy_from_slice(text.as_bytes());
            padded
        }
    };
    u32::from_le_bytes(first) | 0x2020_2020
}
