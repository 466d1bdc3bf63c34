//! Which partitions are this process's, since when, and what of them is still under way.
//!
//! Each assignment has a number of its own, the lease. A batch carries the leases under which its records were read; when
//! it is written, a lease that is no longer held means that another process answers those records.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::batch::{Partition, Span};
use crate::lock::lock;

/// One assignment of one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lease(u64);

#[derive(Debug)]
struct Owned {
    lease: Lease,
    /// Records read and not yet committed.
    under_way: usize,
    /// The least offset that is still new: what is below was read under this lease.
    next_read: i64,
    /// The offset that was committed last under this lease.
    committed: Option<i64>,
}

#[derive(Debug, Default)]
struct Table {
    owned: HashMap<Partition, Owned>,
    leases: u64,
}

/// The table of partitions.
#[derive(Debug, Default)]
pub(crate) struct Ownership {
    table: Mutex<Table>,
    drained: Condvar,
}

impl Ownership {
    fn lock(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }

    /// Partitions were assigned.
    pub(crate) fn add(&self, partitions: &[Partition]) {
        let mut table = self.lock();
        for partition in partitions {
            table.leases += 1;
            let owned = Owned {
                lease: Lease(table.leases),
                under_way: 0,
                next_read: i64::MIN,
                committed: None,
            };
            table.owned.insert(partition.clone(), owned);
        }
    }

    /// Partitions were revoked or lost: from here on nothing of them is written.
    pub(crate) fn remove(&self, partitions: &[Partition]) {
        let mut table = self.lock();
        for partition in partitions {
            table.owned.remove(partition);
        }
    }

    /// Nothing can be written any more: whoever waits for records under way need not.
    pub(crate) fn abandon(&self) {
        self.lock().owned.clear();
        self.drained.notify_all();
    }

    /// A record was read. `None` when it must not be taken: its partition is not ours, or it was read already.
    pub(crate) fn read(&self, partition: &Partition, offset: i64) -> Option<Lease> {
        let mut table = self.lock();
        let owned = table.owned.get_mut(partition)?;
        if offset < owned.next_read {
            return None;
        }
        owned.next_read = offset + 1;
        owned.under_way += 1;
        Some(owned.lease)
    }

    /// Whether the span's lease still holds.
    pub(crate) fn holds(&self, span: &Span) -> bool {
        let table = self.lock();
        let owned = table.owned.get(&span.partition);
        owned.is_some_and(|owned| owned.lease == span.lease)
    }

    /// The records of a span are committed, or dropped because the lease is gone.
    pub(crate) fn finish(&self, span: &Span) {
        let mut table = self.lock();
        if let Some(owned) = table.owned.get_mut(&span.partition)
            && owned.lease == span.lease
        {
            owned.under_way -= span.records.min(owned.under_way);
            owned.committed = Some(span.next_offset);
        }
        drop(table);
        self.drained.notify_all();
    }

    /// Waits until nothing of these partitions is under way; false when the time was too short.
    pub(crate) fn wait_drained(&self, partitions: &[Partition], at_most: Duration) -> bool {
        let deadline = Instant::now() + at_most;
        let mut table = self.lock();
        loop {
            let busy = |partition| {
                table
                    .owned
                    .get(partition)
                    .is_some_and(|owned| owned.under_way > 0)
            };
            if !partitions.iter().any(busy) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.drained.wait_timeout(table, left);
            table = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }

    /// The partitions held now.
    pub(crate) fn partitions(&self) -> Vec<Partition> {
        self.lock().owned.keys().cloned().collect()
    }

    /// The offset that was committed last, if the partition is held and one was.
    pub(crate) fn committed(&self, topic: &str, number: i32) -> Option<Option<i64>> {
        let table = self.lock();
        let mut held = table.owned.iter();
        let found = held.find(|(partition, _)| &*partition.topic == topic && partition.number == number);
        found.map(|(_, owned)| owned.committed)
    }

    /// Whether anything is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().owned.values().any(|owned| owned.under_way > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition() -> Partition {
        Partition {
            topic: "t".into(),
            number: 3,
        }
    }

    fn span(lease: Lease) -> Span {
        Span {
            partition: partition(),
            lease,
            next_offset: 8,
            records: 1,
        }
    }

    #[test]
    fn a_lease_ends_with_its_assignment_even_when_the_partition_comes_back() {
        let ownership = Ownership::default();
        ownership.add(&[partition()]);
        let first = span(ownership.read(&partition(), 7).unwrap());
        assert!(ownership.holds(&first));
        ownership.remove(&[partition()]);
        assert!(!ownership.holds(&first));
        ownership.add(&[partition()]);
        assert!(!ownership.holds(&first));
        let second = span(ownership.read(&partition(), 7).unwrap());
        ownership.finish(&first);
        assert!(ownership.is_busy(), "a late result counts for nothing");
        ownership.finish(&second);
        assert!(!ownership.is_busy());
        assert_eq!(ownership.committed("t", 3), Some(Some(8)));
        assert_eq!(ownership.committed("t", 4), None);
    }

    #[test]
    fn an_offset_is_read_once_under_a_lease_and_gaps_are_no_matter() {
        let ownership = Ownership::default();
        assert_eq!(ownership.read(&partition(), 0), None);
        ownership.add(&[partition()]);
        assert!(ownership.read(&partition(), 5).is_some());
        assert!(ownership.read(&partition(), 900).is_some());
        assert_eq!(ownership.read(&partition(), 900), None);
        assert_eq!(ownership.read(&partition(), 6), None);
    }

    #[test]
    fn nobody_waits_for_what_was_abandoned() {
        let ownership = Ownership::default();
        ownership.add(&[partition()]);
        let lease = ownership.read(&partition(), 7).unwrap();
        ownership.abandon();
        assert!(ownership.wait_drained(&[partition()], Duration::ZERO));
        assert!(!ownership.holds(&span(lease)));
        assert_eq!(ownership.read(&partition(), 8), None);
    }

    #[test]
    fn draining_ends_when_the_records_are_committed_or_the_time_is_over() {
        let ownership = Ownership::default();
        ownership.add(&[partition()]);
        let span = span(ownership.read(&partition(), 7).unwrap());
        assert!(!ownership.wait_drained(&[partition()], Duration::from_millis(10)));
        std::thread::scope(|threads| {
            threads.spawn(|| ownership.finish(&span));
            assert!(ownership.wait_drained(&[partition()], Duration::from_secs(60)));
        });
    }
}
