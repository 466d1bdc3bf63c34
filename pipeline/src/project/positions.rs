//! How far each partition is stored: the offset up to which every record has come to its end.
//!
//! Offsets have gaps (markers of transactions, records that were taken back), so a position is the offset after the last
//! record seen, never a count. Batches may be finished in any order; a position passes a batch only when all before it are
//! finished. What belongs to an earlier assignment of a partition is forgotten when the partition goes.

use std::collections::{BTreeMap, VecDeque};

/// The part of a batch that comes from one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) partition: i32,
    /// The assignment in which it was read.
    pub(super) epoch: u64,
    /// The offset after its last record.
    pub(super) next: i64,
}

#[derive(Debug)]
struct Partition {
    epoch: u64,
    /// Batches under way, in the order of their records, and whether each is finished.
    under_way: VecDeque<(u64, i64, bool)>,
    /// The offset up to which all is finished, once anything is.
    finished: Option<i64>,
    /// What was last committed.
    committed: Option<i64>,
}

/// The positions of all partitions that are assigned.
#[derive(Debug, Default)]
pub(super) struct Positions {
    partitions: BTreeMap<i32, Partition>,
    epochs: u64,
}

impl Positions {
    /// Begins with a partition and tells the number of its assignment.
    pub(super) fn assign(&mut self, partition: i32) -> u64 {
        self.epochs += 1;
        let fresh = Partition {
            epoch: self.epochs,
            under_way: VecDeque::new(),
            finished: None,
            committed: None,
        };
        self.partitions.insert(partition, fresh);
        self.epochs
    }

    /// Forgets a partition: what is under way for it is somebody else's now.
    pub(super) fn revoke(&mut self, partition: i32) {
        self.partitions.remove(&partition);
    }

    /// The number of a partition's assignment, while it is assigned.
    pub(super) fn epoch(&self, partition: i32) -> Option<u64> {
        Some(self.partitions.get(&partition)?.epoch)
    }

    /// How many partitions are assigned.
    pub(super) fn assigned(&self) -> usize {
        self.partitions.len()
    }

    /// Notes that a batch is on its way.
    pub(super) fn begin(&mut self, batch: u64, spans: &[Span]) {
        for span in spans {
            if let Some(partition) = self.current(span) {
                partition.under_way.push_back((batch, span.next, false));
            }
        }
    }

    /// Notes that every record of a batch has come to its end.
    pub(super) fn finish(&mut self, batch: u64, spans: &[Span]) {
        for span in spans {
            let Some(partition) = self.current(span) else {
                continue;
            };
            if let Some(entry) = partition.under_way.iter_mut().find(|entry| entry.0 == batch) {
                entry.2 = true;
            }
            while let Some((_, next, true)) = partition.under_way.front() {
                partition.finished = Some(*next);
                partition.under_way.pop_front();
            }
        }
    }

    /// Whether a span belongs to a partition as it is assigned now.
    pub(super) fn is_current(&self, span: &Span) -> bool {
        self.epoch(span.partition) == Some(span.epoch)
    }

    fn current(&mut self, span: &Span) -> Option<&mut Partition> {
        let partition = self.partitions.get_mut(&span.partition)?;
        (partition.epoch == span.epoch).then_some(partition)
    }

    /// The positions that are finished and not committed.
    pub(super) fn to_commit(&self) -> Vec<(i32, i64)> {
        self.partitions
            .iter()
            .filter(|(_, partition)| partition.finished != partition.committed)
            .filter_map(|(number, partition)| Some((*number, partition.finished?)))
            .collect()
    }

    /// Notes what was committed, as the group's coordinator has acknowledged it.
    pub(super) fn note_committed(&mut self, partition: i32, next: i64) {
        if let Some(partition) = self.partitions.get_mut(&partition)
            && partition.finished.is_some_and(|finished| finished >= next)
        {
            partition.committed = partition.committed.max(Some(next));
        }
    }

    /// The offset up to which a partition is finished, once anything is.
    pub(super) fn finished(&self, partition: i32) -> Option<i64> {
        self.partitions.get(&partition)?.finished
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_read_before_a_partition_went_commits_nothing_after() {
        let mut positions = Positions::default();
        let old = positions.assign(3);
        let span = Span {
            partition: 3,
            epoch: old,
            next: 10,
        };
        positions.begin(1, &[span]);
        positions.revoke(3);
        positions.finish(1, &[span]);
        assert_eq!(positions.to_commit(), []);
        positions.assign(3);
        positions.finish(1, &[span]);
        assert_eq!(positions.to_commit(), []);
        positions.note_committed(3, 10);
        assert_eq!(positions.finished(3), None);
    }

    proptest! {
        /// In whatever order batches finish, a position never passes one that is not finished.
        #[test]
        fn a_position_is_below_whatever_is_not_finished(
            nexts in prop::collection::vec((0..3i32, 1..50i64), 1..30),
            order in prop::collection::vec(any::<prop::sample::Index>(), 30),
        ) {
            let mut positions = Positions::default();
            let epochs: Vec<u64> = (0..3).map(|partition| positions.assign(partition)).collect();
            let mut ends = [0i64; 3];
            let mut under_way: Vec<(u64, Span)> = Vec::new();
            for (batch, (partition, step)) in nexts.into_iter().enumerate() {
                let end = &mut ends[partition as usize];
                *end += step;
                let span = Span { partition, epoch: epochs[partition as usize], next: *end };
                positions.begin(batch as u64, &[span]);
                under_way.push((batch as u64, span));
            }
            for pick in order {
                if under_way.is_empty() {
                    break;
                }
                let (batch, span) = under_way.remove(pick.index(under_way.len()));
                positions.finish(batch, &[span]);
                for (partition, finished) in positions.to_commit() {
                    let first_open = under_way.iter().filter(|(_, span)| span.partition == partition).map(|(_, span)| span.next).min();
                    prop_assert!(first_open.is_none_or(|open| finished < open));
                }
            }
            if under_way.is_empty() {
                for partition in 0..3 {
                    let end = ends[partition as usize];
                    prop_assert_eq!(positions.finished(partition), (end > 0).then_some(end));
                }
            }
        }
    }
}
