//! The names of what is measured, through the `metrics` facade, batch by batch.

use std::time::Duration;

use metrics::{counter, gauge, histogram};

/// Records answered, by `result`: pass, fail, dead-letter.
pub(crate) fn answered(result: &'static str, count: u64) {
    if count > 0 {
        counter!("assay_stream_records_total", "result" => result).increment(count);
    }
}

/// Dead letters, by `code`.
pub(crate) fn dead_letter(code: &str) {
    counter!("assay_stream_dead_letters_total", "code" => code.to_owned()).increment(1);
}

/// Records read.
pub(crate) fn read(count: u64) {
    counter!("assay_stream_read_total").increment(count);
}

/// Answers dropped because their partition was lost.
pub(crate) fn dropped(count: u64) {
    counter!("assay_stream_dropped_total").increment(count);
}

/// Transactions aborted and begun again.
pub(crate) fn aborted() {
    counter!("assay_stream_transaction_aborts_total").increment(1);
}

/// Transactions, or under at-least-once groups of receipts, committed.
pub(crate) fn committed() {
    counter!("assay_stream_commits_total").increment(1);
}

/// Seconds of one stage for one batch: read, verify, write, commit.
pub(crate) fn stage(stage: &'static str, took: Duration) {
    histogram!("assay_stream_stage_seconds", "stage" => stage).record(took.as_secs_f64());
}

/// Records and bytes of a batch.
pub(crate) fn batch(records: usize, bytes: usize) {
    histogram!("assay_stream_batch_records").record(records as f64);
    histogram!("assay_stream_batch_bytes").record(bytes as f64);
}

/// Bytes under way.
pub(crate) fn queue_bytes(bytes: usize) {
    gauge!("assay_stream_queue_bytes").set(bytes as f64);
}

/// Records that wait in the partitions held.
pub(crate) fn lag(records: i64) {
    gauge!("assay_stream_lag_records").set(records as f64);
}

/// Seconds since the last commit while there was something to do, else 0.
pub(crate) fn stalled(seconds: f64) {
    gauge!("assay_stream_stalled_seconds").set(seconds);
}

/// The partitions held.
pub(crate) fn partitions(count: usize) {
    gauge!("assay_stream_partitions").set(count as f64);
}

/// How the cache of compiled schemas did since the start.
pub(crate) fn schema_cache(hits: u64, misses: u64) {
    counter!("assay_stream_schema_cache_total", "outcome" => "hit").absolute(hits);
    counter!("assay_stream_schema_cache_total", "outcome" => "miss").absolute(misses);
}
