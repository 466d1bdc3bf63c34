//! A fixed list of names, and where in it a name stands.

use crate::json::{HashFilter, key_hash};

/// Names and the table by which they are found.
///
/// The hash has no secret key, so whoever writes a schema can choose names that collide. The table therefore has no
/// chain longer than [`PROBES`]: names that cannot be placed so are searched for in sorted order instead.
#[derive(Debug, Default)]
pub(crate) struct NameList {
    names: Vec<Box<str>>,
    /// By the high bits of the hash; a name stands at most [`PROBES`] places further on. Empty without names, or when
    /// too many collide.
    slots: Vec<Slot>,
    shift: u32,
    filter: HashFilter,
    /// The indexes of the names in the order of the names, only when there are no slots.
    sorted: Vec<u32>,
}

/// The hash and the index of a name. A hash is never zero, so a zero is an empty slot.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    index: u32,
}

/// Slots looked at for one name.
const PROBES: usize = 16;

impl NameList {
    pub(crate) fn new(names: Vec<Box<str>>) -> NameList {
        let mut list = NameList {
            names,
            ..NameList::default()
        };
        if list.names.is_empty() {
            return list;
        }
        let hashes: Vec<u32> = list.names.iter().map(|name| key_hash(name.as_bytes())).collect();
        hashes.iter().for_each(|hash| list.filter.add(*hash));
        // Honest names find their places at the first size; the further ones are for bad luck.
        let sizes = [2, 4, 8].map(|factor| (hashes.len() * factor).next_power_of_two());
        if !sizes.into_iter().any(|size| list.place(&hashes, size)) {
            list.slots = Vec::new();
            list.sorted = (0..list.names.len() as u32).collect();
            list.sorted.sort_by_key(|index| &list.names[*index as usize]);
        }
        list
    }

    /// Fills a table of that size, a power of two; false when a name finds no place.
    fn place(&mut self, hashes: &[u32], size: usize) -> bool {
        self.shift = u32::BITS - size.trailing_zeros();
        // Whoever starts at the last place finds as many slots as everybody else.
        self.slots = vec![Slot::default(); size + PROBES];
        for (index, hash) in hashes.iter().enumerate() {
            let start = (hash >> self.shift) as usize;
            let mut places = self.slots[start..start + PROBES].iter_mut();
            let Some(free) = places.find(|slot| slot.hash == 0) else {
                return false;
            };
            *free = Slot {
                hash: *hash,
                index: index as u32,
            };
        }
        true
    }

    pub(crate) fn names(&self) -> &[Box<str>] {
        &self.names
    }

    /// What most other names do not pass.
    #[inline]
    pub(crate) fn filter(&self) -> HashFilter {
        self.filter
    }

    /// The index of a name, given with its hash.
    #[inline]
    pub(crate) fn find(&self, hash: u32, name: &[u8]) -> Option<usize> {
        let start = (hash >> self.shift) as usize;
        let Some(slots) = self.slots.get(start..start + PROBES) else {
            return if self.sorted.is_empty() {
                None
            } else {
                self.find_sorted(name)
            };
        };
        for slot in slots {
            if slot.hash == hash && self.names[slot.index as usize].as_bytes() == name {
                return Some(slot.index as usize);
            }
            if slot.hash == 0 {
                return None;
            }
        }
        None
    }

    #[cold]
    fn find_sorted(&self, name: &[u8]) -> Option<usize> {
        let name_at = |index: &u32| self.names[*index as usize].as_bytes();
        let found = self.sorted.binary_search_by(|index| name_at(index).cmp(name));
        found.ok().map(|at| self.sorted[at] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: Vec<Box<str>>) -> NameList {
        let list = NameList::new(names);
        for (index, name) in list.names().iter().enumerate() {
            assert_eq!(list.find(key_hash(name.as_bytes()), name.as_bytes()), Some(index));
            let other = format!("{name}!");
            assert_eq!(list.find(key_hash(other.as_bytes()), other.as_bytes()), None);
        }
        list
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        check(Vec::new());
        check(vec!["".into()]);
        for count in [1, 2, 3, 10, 100, 5_000] {
            let list = check((0..count).map(|n| format!("name_{n}").into()).collect());
            assert!(list.sorted.is_empty(), "{count} honest names collide");
        }
    }

    #[test]
    fn names_that_collide_are_found_too() {
        // Names whose hashes share their high bits crowd into a few slots of any table.
        let crowd = (0..2_000_000u32)
            .map(|n| format!("k{n}"))
            .filter(|name| key_hash(name.as_bytes()) >> 20 == 0);
        let list = check(crowd.map(String::into_boxed_str).take(100).collect());
        assert!(!list.sorted.is_empty());
    }
}
