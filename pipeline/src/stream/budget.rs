//! The bytes of everything under way, and the point from which nothing more is taken in.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts bytes against a limit. A single record may pass the limit, since it has to be answered all the same.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    used: Arc<AtomicUsize>,
    limit: usize,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Budget {
        Budget {
            used: Arc::default(),
            limit,
        }
    }

    pub(crate) fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    pub(crate) fn has_room(&self) -> bool {
        self.used() < self.limit
    }

    /// Whether so much has gone out that what was paused may go on: half the limit, so that it does not flutter.
    pub(crate) fn has_recovered(&self) -> bool {
        self.used() < self.limit / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_until_the_limit_and_recovery_at_half_of_it() {
        let budget = Budget::new(100);
        budget.take(60);
        assert!(budget.has_room() && !budget.has_recovered());
        budget.take(60);
        assert!(!budget.has_room());
        budget.give_back(71);
        assert!(budget.has_room() && budget.has_recovered());
    }
}
