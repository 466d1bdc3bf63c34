//! Which members and elements of one instance location have been evaluated, for the `unevaluated…` keywords.

use smallvec::SmallVec;

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
struct Bits(SmallVec<[u64; 2]>);

impl Bits {
    fn insert(&mut self, index: usize) {
        let word = index / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (index % 64);
    }

    fn contains(&self, index: usize) -> bool {
        self.0
            .get(index / 64)
            .is_some_and(|word| word & (1 << (index % 64)) != 0)
    }

    fn merge(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, theirs) in self.0.iter_mut().zip(&other.0) {
            *word |= theirs;
        }
    }
}

/// Members by their place in the object, elements by their index.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluated {
    all: bool,
    /// Every element before this one.
    prefix: usize,
    single: Bits,
}

impl Evaluated {
    pub(super) fn mark_all(&mut self) {
        self.all = true;
    }

    pub(super) fn mark_prefix(&mut self, len: usize) {
        self.prefix = self.prefix.max(len);
    }

    pub(super) fn mark(&mut self, index: usize) {
        self.single.insert(index);
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.all || index < self.prefix || self.single.contains(index)
    }

    pub(super) fn merge(&mut self, other: &Evaluated) {
        self.all |= other.all;
        self.prefix = self.prefix.max(other.prefix);
        self.single.merge(&other.single);
    }

    /// How many steps a merge with it is.
    pub(super) fn size(&self) -> u64 {
        self.single.0.len() as u64
    }
}
