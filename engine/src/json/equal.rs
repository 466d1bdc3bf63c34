//! Equality of JSON values (JSON Schema Core, section 4.2.2): numbers by value, objects whatever the order of members.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

use super::tape::{Member, Members, RawMember, Value, View};

/// Whether two values are equal as JSON values.
pub fn equal(a: Value<'_>, b: Value<'_>) -> bool {
    match (a.view(), b.view()) {
        (View::Null, View::Null) => true,
        (View::Bool(x), View::Bool(y)) => x == y,
        (View::Number(x), View::Number(y)) => x.compare(y) == Ordering::Equal,
        (View::String(x), View::String(y)) => x == y,
        (View::Array(x), View::Array(y)) => x.len() == y.len() && x.zip(y).all(|(x, y)| equal(x, y)),
        (View::Object(x), View::Object(y)) => x.len() == y.len() && equal_members(x, y, b),
        _ => false,
    }
}

/// Compares objects with the same number of members; `b` is the object of the members `y`.
fn equal_members(x: Members<'_>, y: Members<'_>, b: Value<'_>) -> bool {
    /// Up to this many members, looking each one up costs less than sorting both sides.
    const LOOKED_UP_MEMBERS: usize = 16;
    if x.len() <= LOOKED_UP_MEMBERS {
        let has_equal = |member: RawMember<'_>| {
            let other = b.get_hashed(member.hash, member.key());
            other.is_some_and(|other| equal(member.value, other))
        };
        return x.raw().all(has_equal);
    }
    let same = |(x, y): (Member<'_>, Member<'_>)| x.key == y.key && equal(x.value, y.value);
    sorted_by_key(x).into_iter().zip(sorted_by_key(y)).all(same)
}

fn sorted_by_key<'d>(members: Members<'d>) -> Vec<Member<'d>> {
    let mut list: Vec<Member<'d>> = members.collect();
    list.sort_unstable_by_key(|member| member.key);
    list
}

/// A value as the key of a hash table: equal values have equal hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueKey<'d>(pub(crate) Value<'d>);

impl PartialEq for ValueKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(self.0, other.0)
    }
}

impl Eq for ValueKey<'_> {}

impl Hash for ValueKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(structural_hash(self.0));
    }
}

/// The values come from strangers, so their hash has a key that nobody knows: collisions cannot be prepared.
static HASH_KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A hash that depends neither on the order of members nor on how a number is written.
pub(crate) fn structural_hash(value: Value<'_>) -> u64 {
    let mut hasher = HASH_KEY.build_hasher();
    match value.view() {
        View::Null => hasher.write_u8(0),
        View::Bool(value) => hasher.write_u8(1 + u8::from(value)),
        View::Number(number) => {
            hasher.write_u8(3);
            number.hash_value(&mut hasher);
        }
        View::String(text) => {
            hasher.write_u8(4);
            hasher.write(text.as_bytes());
        }
        View::Array(elements) => {
            hasher.write_u8(5);
            for element in elements {
                hasher.write_u64(structural_hash(element));
            }
        }
        View::Object(members) => {
            hasher.write_u8(6);
            let sum = members.fold(0u64, |sum, member| {
                sum.wrapping_add(HASH_KEY.hash_one((member.key, structural_hash(member.value))))
            });
            hasher.write_u64(sum);
        }
    }
    hasher.finish()
}
