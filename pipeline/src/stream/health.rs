//! Whether the stream does its work, for whoever watches it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::lock::lock;

/// How the stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not joined its group yet.
    Starting,
    /// Nothing waits.
    Idle,
    /// It commits.
    Ready,
    /// Something waits, and nothing was committed for longer than [`STALLED_AFTER`].
    Stalled,
    /// It finishes what is under way, and ends.
    Stopping,
}

/// How long nothing may be committed while something waits.
pub const STALLED_AFTER: Duration = Duration::from_secs(60);

/// What the stages note and the listener reads; clones share it.
#[derive(Clone, Debug)]
pub struct Health {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    started: Instant,
    joined: AtomicBool,
    stopping: AtomicBool,
    under_way: AtomicBool,
    lag: AtomicI64,
    /// Milliseconds after `started` of the last commit, or of the moment since which something waits.
    progress_millis: AtomicU64,
    committed: AtomicU64,
    lags: Mutex<BTreeMap<(String, i32), i64>>,
}

impl Default for Health {
    fn default() -> Health {
        Health {
            inner: Arc::new(Inner {
                started: Instant::now(),
                joined: AtomicBool::new(false),
                stopping: AtomicBool::new(false),
                under_way: AtomicBool::new(false),
                lag: AtomicI64::new(0),
                progress_millis: AtomicU64::new(0),
                committed: AtomicU64::new(0),
                lags: Mutex::default(),
            }),
        }
    }
}

impl Health {
    /// How it is now.
    pub fn state(&self) -> State {
        let inner = &self.inner;
        if inner.stopping.load(Ordering::Relaxed) {
            State::Stopping
        } else if !inner.joined.load(Ordering::Relaxed) {
            State::Starting
        } else if !self.waits() {
            State::Idle
        } else if self.without_progress() > STALLED_AFTER {
            State::Stalled
        } else {
            State::Ready
        }
    }

    /// Whether it can do its work: neither starting, stalled nor stopping.
    pub fn is_ready(&self) -> bool {
        matches!(self.state(), State::Ready | State::Idle)
    }

    /// How long nothing was committed while something waited; zero when nothing waits.
    pub fn without_progress(&self) -> Duration {
        if !self.waits() {
            return Duration::ZERO;
        }
        let last = Duration::from_millis(self.inner.progress_millis.load(Ordering::Relaxed));
        self.inner.started.elapsed().saturating_sub(last)
    }

    /// Records that wait in the partitions held.
    pub fn lag(&self) -> i64 {
        self.inner.lag.load(Ordering::Relaxed)
    }

    /// Records that wait in each partition held, by topic and partition. One that is given up is gone from it.
    pub fn lags(&self) -> BTreeMap<(String, i32), i64> {
        self.lock().clone()
    }

    /// Records committed since the start.
    pub fn committed(&self) -> u64 {
        self.inner.committed.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, i32), i64>> {
        lock(&self.inner.lags)
    }

    fn waits(&self) -> bool {
        self.lag() > 0 || self.inner.under_way.load(Ordering::Relaxed)
    }

    pub(crate) fn note_joined(&self) {
        self.inner.joined.store(true, Ordering::Relaxed);
    }

    pub(crate) fn note_stopping(&self) {
        self.inner.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn note_committed(&self, records: u64) {
        self.inner.committed.fetch_add(records, Ordering::Relaxed);
        self.mark();
    }

    pub(crate) fn note_under_way(&self, is_busy: bool) {
        if !self.waits() {
            self.mark();
        }
        self.inner.under_way.store(is_busy, Ordering::Relaxed);
    }

    pub(crate) fn note_lags(&self, lags: BTreeMap<(String, i32), i64>) {
        if !self.waits() {
            self.mark();
        }
        self.inner.lag.store(lags.values().sum(), Ordering::Relaxed);
        *self.lock() = lags;
    }

    pub(crate) fn forget(&self, topic: &str, partition: i32) {
        let mut lags = self.lock();
        lags.remove(&(topic.to_owned(), partition));
        self.inner.lag.store(lags.values().sum(), Ordering::Relaxed);
    }

    fn mark(&self) {
        let now = u64::try_from(self.inner.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.inner.progress_millis.store(now, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_begins_with_the_first_lag_and_a_lost_partition_has_none() {
        let health = Health::default();
        assert_eq!(health.state(), State::Starting);
        health.note_joined();
        assert_eq!(health.state(), State::Idle);
        assert_eq!(health.without_progress(), Duration::ZERO);
        health.note_lags(BTreeMap::from([
            (("t".to_owned(), 0), 5),
            (("t".to_owned(), 1), 7),
        ]));
        assert_eq!((health.state(), health.lag()), (State::Ready, 12));
        health.forget("t", 1);
        assert_eq!(health.lag(), 5);
        assert!(!health.lags().contains_key(&("t".to_owned(), 1)));
        health.forget("t", 0);
        assert!(health.is_ready());
        health.note_stopping();
        assert!(!health.is_ready());
    }
}
