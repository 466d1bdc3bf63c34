//! The clock: what the engine is given as an argument, since it has none.

use std::time::{SystemTime, UNIX_EPOCH};

use assay_engine::time::Timestamp;

/// The time now.
pub fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
}

/// The time now as Kafka writes it: milliseconds since 1970.
pub(crate) fn now_millis() -> i64 {
    now().micros() / 1_000
}
