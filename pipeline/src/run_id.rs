//! The name of a run, and from it the names of its verifications.

use std::hash::Hasher;

use siphasher::sip::SipHasher24;
use uuid::Uuid;

/// Tells runs apart: 16 random bytes, which stay in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunId(pub [u8; 16]);

impl RunId {
    /// The verification id of a record by its number in the run, the same whenever the run is resumed: a UUIDv8
    /// (RFC 9562, section 5.8).
    ///
    /// Its bits, left to right, less the six that are fixed: 48 that name the run, 40 of `number`, 34 of a keyed hash. The
    /// ids of a run therefore ascend with its records, which makes them cheap to record; and who has some of them cannot
    /// tell another one, since the hashes (SipHash-2-4) have the run's random bytes for their key.
    pub fn verification_id(self, number: u64) -> Uuid {
        /// The bits of a number that an id has room for; 10^12 records are more than a run can have.
        const NUMBER_MASK: u64 = (1 << 40) - 1;
        const TAG_BITS: u32 = 34;
        // No record has this number.
        let name = self.keyed_hash(u64::MAX) >> 16;
        let tag = self.keyed_hash(number) >> (u64::BITS - TAG_BITS);
        let number = number & NUMBER_MASK;
        let first_bits = name << 16 | number >> 28;
        let last_bits = number << TAG_BITS | tag;
        // The builder puts version and variant over bits that are left for them: 4 before the first 12 of the number, and
        // 2 before the rest of it, which has lost its first 12 to the left.
        uuid::Builder::from_custom_bytes((u128::from(first_bits) << 64 | u128::from(last_bits)).to_be_bytes())
            .into_uuid()
    }

    fn keyed_hash(self, number: u64) -> u64 {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        hasher.write(&number.to_be_bytes());
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bits of an id that name its run.
    fn name(id: Uuid) -> u128 {
        id.as_u128() >> 80
    }

    proptest! {
        #[test]
        fn ids_of_a_run_ascend_with_its_records(run in any::<[u8; 16]>(), a in 0..1u64 << 40, b in 0..1u64 << 40) {
            let run = RunId(run);
            prop_assert_eq!(run.verification_id(a).cmp(&run.verification_id(b)), a.cmp(&b));
            prop_assert_eq!(run.verification_id(a).get_version_num(), 8);
            prop_assert_eq!(run.verification_id(a).get_variant(), uuid::Variant::RFC4122);
            prop_assert_eq!(name(run.verification_id(a)), name(run.verification_id(b)));
        }
    }

    #[test]
    fn neither_the_next_record_nor_another_run_can_be_told_from_an_id() {
        let tag = |run, number| RunId(run).verification_id(number).as_u128() & ((1 << 34) - 1);
        assert_ne!(
            name(RunId([1; 16]).verification_id(0)),
            name(RunId([2; 16]).verification_id(0))
        );
        assert_ne!(tag([1; 16], 0), tag([1; 16], 1));
        assert_ne!(tag([1; 16], 0), tag([2; 16], 0));
    }
}
