//! Values found again by their hash: for `exists_in` and `unique`.

use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use super::scalar::DIGITS_PER_STEP;
use crate::json::{Document, Node, Value, ValueKey, equal};
use crate::meter::{LimitExceeded, Meter};

/// Bytes of text that hash in about as long as one step of the meter takes.
const BYTES_PER_STEP: usize = 128;

/// Values of one document.
///
/// Each is eight bytes: half of its hash, which has a secret key, and its place on the tape. Sorted, equal values stand
/// side by side in document order.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueSet {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    hash: u32,
    place: u32,
}

/// A value that is equal to one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repeat {
    /// Its place on the tape.
    pub(super) place: u32,
    /// The place of the first of its equals.
    pub(super) first: u32,
}

impl ValueSet {
    /// Makes the set.
    pub(super) fn from_values<'d>(values: impl Iterator<Item = Value<'d>>) -> ValueSet {
        let entries = values.map(entry).collect();
        ValueSet { entries }.sorted()
    }

    /// Adds a value to a set that is still to be sorted.
    pub(super) fn push(&mut self, value: Value<'_>, meter: &mut Meter) -> Result<(), LimitExceeded> {
        meter.charge(hashing_steps(value))?;
        self.entries.push(entry(value));
        Ok(())
    }

    /// The set, ready to be searched.
    pub(super) fn sorted(mut self) -> ValueSet {
        self.entries.sort_unstable();
        self
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a value equal to `value` is in the sorted set, whose values stand in `document`.
    pub(super) fn contains(
        &self,
        document: &Document,
        value: Value<'_>,
        meter: &mut Meter,
    ) -> Result<bool, LimitExceeded> {
        meter.charge(2 * hashing_steps(value))?;
        let hash = entry(value).hash;
        let first = self.entries.partition_point(|entry| entry.hash < hash);
        let candidates = self.entries[first..].iter();
        Ok(candidates
            .take_while(|entry| entry.hash == hash)
            .any(|entry| equal(Value::at(document, entry.place), value)))
    }

    /// Every value of the sorted set that is equal to one before it, in document order.
    pub(super) fn repeats(
        &self,
        document: &Document,
        meter: &mut Meter,
    ) -> Result<Vec<Repeat>, LimitExceeded> {
        let mut repeats = Vec::new();
        for run in self.entries.chunk_by(|a, b| a.hash == b.hash) {
            if run.len() == 1 {
                continue;
            }
            // Equal hashes nearly always belong to equal values, so this list has one entry.
            let mut firsts: SmallVec<[u32; 2]> = SmallVec::new();
            for Entry { place, .. } in run {
                let value = Value::at(document, *place);
                meter.charge(firsts.len() as u64 * hashing_steps(value))?;
                let known = firsts
                    .iter()
                    .find(|first| equal(Value::at(document, **first), value));
                match known {
                    Some(first) => repeats.push(Repeat {
                        place: *place,
                        first: *first,
                    }),
                    None => firsts.push(*place),
                }
            }
        }
        repeats.sort_unstable();
        Ok(repeats)
    }
}

fn entry(value: Value<'_>) -> Entry {
    let mut captured = Captured(0);
    ValueKey(value).hash(&mut captured);
    Entry {
        hash: (captured.finish() >> 32) as u32,
        place: value.position(),
    }
}

/// What hashing a value, or comparing it with its equal, takes of the meter: its nodes and its texts.
fn hashing_steps(value: Value<'_>) -> u64 {
    let first = value.position();
    let nodes = value.node_count();
    let texts = (first..first + nodes as u32).map(|at| match Value::at(value.document(), at).node() {
        Node::String { len, .. } => *len as usize / BYTES_PER_STEP,
        Node::BigInteger { len, .. } => *len as usize / DIGITS_PER_STEP,
        _ => 0,
    });
    (nodes + texts.sum::<usize>()) as u64
}

/// Takes the finished hash that a [`ValueKey`] gives.
struct Captured(u64);

impl Hasher for Captured {
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Parser;

    fn parse(text: &str) -> Document {
        let mut document = Document::new();
        Parser::default().parse(text.as_bytes(), &mut document).unwrap();
        document
    }

    fn meter() -> Meter {
        Meter::for_sizes(0, 0, 0)
    }

    #[test]
    fn finds_equal_values_of_another_document() {
        let set_document = parse(r#"[1, "a", {"x": 1, "y": [2]}, null, 100000000000000000000]"#);
        let set = ValueSet::from_values(set_document.root().as_array().unwrap());
        let inside = parse(r#"[1.0, "a", {"y": [2.0], "x": 1e0}, null, 1e20]"#);
        let outside = parse(r#"["1", "A", {"x": 1}, false, 100000000000000000001, [], {}]"#);
        for (document, expected) in [(&inside, true), (&outside, false)] {
            for value in document.root().as_array().unwrap() {
                let found = set.contains(&set_document, value, &mut meter()).unwrap();
                assert_eq!(found, expected, "{value:?}");
            }
        }
    }

    #[test]
    fn finds_repeats_in_document_order() {
        let document = parse(r#"["b", 1, "a", 1.0, "b", true, 10e-1, "a", 2]"#);
        let values: Vec<Value<'_>> = document.root().as_array().unwrap().collect();
        let set = ValueSet::from_values(values.iter().copied());
        assert_eq!(set.len(), 9);
        let index = |place: u32| {
            let found = values.iter().position(|value| value.position() == place);
            found.unwrap()
        };
        let repeats = set.repeats(&document, &mut meter()).unwrap();
        let repeats: Vec<(usize, usize)> = repeats
            .iter()
            .map(|repeat| (index(repeat.place), index(repeat.first)))
            .collect();
        assert_eq!(repeats, [(3, 1), (4, 0), (6, 1), (7, 2)]);
    }
}
