//! The branches of `anyOf` and `oneOf`, with what tells in a few instructions that one of them cannot hold.
//!
//! Published schemas list dozens of branches that differ in the type of the instance or in one member that names the
//! variant (`"kind": {"const": "circle"}`). A branch is passed over only when applying it would fail for certain, so
//! verdicts are the same; what it saves is nearly all applications of such a list.

use std::collections::HashMap;

use super::subschema::{Checks, Form, Id, Kinds, Subschema};
use crate::json::{Value, key_hash};

/// The branches in the schema's order.
#[derive(Debug)]
pub(crate) struct Branches {
    list: Vec<Branch>,
    tag: Option<Tag>,
}

#[derive(Debug)]
struct Branch {
    id: Id,
    /// The instances that it may hold for.
    kinds: Kinds,
    /// The states of the tag that it may hold for.
    states: TagStates,
}

/// The member of an object whose value tells the branches apart.
#[derive(Debug)]
struct Tag {
    hash: u32,
    name: Box<str>,
}

/// A set of states of a tag: absent, not a string, or a string, known by a few bits of its hash only. Two strings may
/// share a bit; the branch is then applied to no purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TagStates(u64);

impl TagStates {
    const ALL: TagStates = TagStates(u64::MAX);
    const ABSENT: TagStates = TagStates(1 << 63);
    const NO_STRING: TagStates = TagStates(1 << 62);

    fn of_string(text: &[u8]) -> TagStates {
        TagStates(1 << (key_hash(text) >> 26).min(61))
    }

    fn or(self, other: TagStates) -> TagStates {
        TagStates(self.0 | other.0)
    }
}

impl Branches {
    pub(crate) fn new(ids: Vec<Id>) -> Branches {
        let branch = |id| Branch {
            id,
            kinds: Kinds::ALL,
            states: TagStates::ALL,
        };
        Branches {
            list: ids.into_iter().map(branch).collect(),
            tag: None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> {
        self.list.iter().map(|branch| branch.id)
    }

    pub(crate) fn ids_mut(&mut self) -> impl Iterator<Item = &mut Id> {
        self.list.iter_mut().map(|branch| &mut branch.id)
    }

    /// How many steps it takes to pass over all of them.
    #[inline]
    pub(crate) fn steps(&self, instance: Value<'_>) -> u64 {
        let members = self.tag.as_ref().and_then(|_| instance.as_object());
        (self.list.len() + members.map_or(0, |members| members.len())) as u64 / 8
    }

    /// The branches that may hold, in their order.
    #[inline]
    pub(crate) fn candidates(&self, instance: Value<'_>) -> impl Iterator<Item = Id> {
        let kinds = Kinds::of_node(instance.node());
        let states = match &self.tag {
            Some(tag) if instance.as_object().is_some() => tag.states(instance),
            _ => TagStates::ALL,
        };
        let may_hold =
            move |branch: &&Branch| branch.kinds.has_any_of(kinds) && branch.states.0 & states.0 != 0;
        self.list.iter().filter(may_hold).map(|branch| branch.id)
    }

    /// Finds out what tells the branches apart. `kinds` has for each subschema what it may hold for.
    pub(crate) fn discern(&mut self, subschemas: &[Subschema], kinds: &[Kinds]) {
        for branch in &mut self.list {
            branch.kinds = kinds[branch.id as usize];
        }
        let Some(name) = self.telling_name(subschemas) else {
            return;
        };
        let hash = key_hash(name.as_bytes());
        for branch in &mut self.list {
            branch.states = tag_states(subschemas, branch.id, hash, &name);
        }
        self.tag = Some(Tag { hash, name });
    }

    /// The name whose values most branches restrict to some strings, if two do.
    fn telling_name(&self, subschemas: &[Subschema]) -> Option<Box<str>> {
        /// Names looked at in one branch; the one that names the variant mostly stands among the first.
        const MAX_NAMES: usize = 32;
        let mut uses: HashMap<&str, (usize, usize)> = HashMap::new();
        for id in self.ids() {
            let object = checks_of(subschemas, id).and_then(|checks| checks.object.as_ref());
            let Some(object) = object else { continue };
            for (name, property) in object.table.iter().take(MAX_NAMES) {
                if property
                    .schema
                    .is_some_and(|id| strings_of(subschemas, id).is_some())
                {
                    let order = uses.len();
                    uses.entry(name).or_insert((0, order)).0 += 1;
                }
            }
        }
        let best = uses
            .into_iter()
            .max_by_key(|(_, (count, order))| (*count, usize::MAX - order));
        best.filter(|(_, (count, _))| *count >= 2)
            .map(|(name, _)| name.into())
    }
}

impl Tag {
    fn states(&self, object: Value<'_>) -> TagStates {
        match object.get_hashed(self.hash, self.name.as_bytes()) {
            None => TagStates::ABSENT,
            Some(value) => value
                .as_string_bytes()
                .map_or(TagStates::NO_STRING, TagStates::of_string),
        }
    }
}

fn checks_of(subschemas: &[Subschema], id: Id) -> Option<&Checks> {
    match &subschemas[id as usize].form {
        Form::Checks(checks) => Some(checks),
        _ => None,
    }
}

/// The strings to which a schema restricts its instances, when they are few.
fn strings_of(subschemas: &[Subschema], id: Id) -> Option<&[Box<str>]> {
    /// With more of them, every bit of a set would be taken.
    const MAX_STRINGS: usize = 64;
    let checks = checks_of(subschemas, id)?;
    if let Some(text) = checks
        .constant
        .as_ref()
        .and_then(|constant| constant.text.as_ref())
    {
        return Some(std::slice::from_ref(text));
    }
    let enumeration = checks
        .enumeration
        .as_ref()
        .filter(|list| list.others.is_empty())?;
    Some(enumeration.strings.as_slice()).filter(|strings| strings.len() <= MAX_STRINGS)
}

/// The states of the tag with which a branch may hold for an object.
fn tag_states(subschemas: &[Subschema], id: Id, hash: u32, name: &str) -> TagStates {
    let object = checks_of(subschemas, id).and_then(|checks| checks.object.as_ref());
    let Some(property) = object.and_then(|object| object.table.find(hash, name.as_bytes())) else {
        return TagStates::ALL;
    };
    let absent = if property.required {
        TagStates(0)
    } else {
        TagStates::ABSENT
    };
    let present = match property.schema.and_then(|id| strings_of(subschemas, id)) {
        Some(strings) => strings.iter().fold(TagStates(0), |states, text| {
            states.or(TagStates::of_string(text.as_bytes()))
        }),
        None => TagStates(!TagStates::ABSENT.0),
    };
    absent.or(present)
}
