//! What a streamed record's verification is called, and the day on which it counts.

use assay_engine::time::Timestamp;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The verification id of a record: a UUIDv8 (RFC 9562, section 5.8) of the SHA-256 over the topic's name with its length,
/// partition and offset, all numbers big-endian, and the SHA-256 of the value. A record that is read again gets the same.
pub(crate) fn verification_id(topic: &str, partition: i32, offset: i64, value: &[u8]) -> Uuid {
    let mut hasher = Sha256::new();
    hasher.update((topic.len() as u32).to_be_bytes());
    hasher.update(topic.as_bytes());
    hasher.update(partition.to_be_bytes());
    hasher.update(offset.to_be_bytes());
    hasher.update(Sha256::digest(value));
    let digest: [u8; 32] = hasher.finalize().into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The UTC day on which a record counts: that of its Kafka time, so that running a topic again counts nothing anew; the day
/// of the check when the record has no time.
pub(crate) fn counted_on(record_millis: Option<i64>, verified_at: Timestamp) -> String {
    let at = record_millis
        .filter(|millis| *millis >= 0)
        .map(|millis| Timestamp::from_micros(millis.saturating_mul(1_000)));
    // RFC 3339 begins with the date.
    at.unwrap_or(verified_at).to_string().chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_of_the_coordinates_and_the_value() {
        let id = verification_id("deliverables", 3, 17, b"{}");
        // Computed with Python's hashlib from the documented layout.
        assert_eq!(id.to_string(), "26349f75-1202-8e86-aee0-18468a920155");
        assert_ne!(id, verification_id("deliverables", 3, 18, b"{}"));
        assert_ne!(id, verification_id("deliverables", 4, 17, b"{}"));
        assert_ne!(id, verification_id("deliverable", 3, 17, b"{}"));
        assert_ne!(id, verification_id("deliverables", 3, 17, b"{ }"));
    }

    #[test]
    fn the_day_is_the_records_own() {
        let now = Timestamp::from_micros(1_790_816_469_606_993);
        assert_eq!(counted_on(Some(86_399_999), now), "1970-01-01");
        assert_eq!(counted_on(Some(86_400_000), now), "1970-01-02");
        assert_eq!(counted_on(Some(-1), now), "2026-10-01");
        assert_eq!(counted_on(None, now), "2026-10-01");
        assert_eq!(counted_on(Some(i64::MAX), now).len(), 10);
    }
}
