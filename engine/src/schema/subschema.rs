//! The compiled form of a schema: what the walker reads.
//!
//! Every subschema is one entry of a list and refers to others by their index, so references and recursion are plain
//! edges. Assertions are grouped by the type of instance that they apply to.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::branches::Branches;
use super::names::NameList;
use super::resources::Place;
use crate::format::Format;
use crate::json::{HashFilter, Kind, Node, Number, Value, key_hash};
use crate::pattern::Pattern;

/// The index of a subschema.
pub(crate) type Id = u32;

/// A set of JSON types; `integer` is a type of its own beside `number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Types = Types(0);
    pub(crate) const INTEGER: Types = Types(64);

    #[inline]
    pub(crate) fn from_kind(kind: Kind) -> Types {
        Types(match kind {
            Kind::Null => 1,
            Kind::Boolean => 2,
            Kind::Number => 4,
            Kind::String => 8,
            Kind::Array => 16,
            Kind::Object => 32,
        })
    }

    pub(crate) fn from_name(name: &str) -> Option<Types> {
        Some(match name {
            "null" => Types::from_kind(Kind::Null),
            "boolean" => Types::from_kind(Kind::Boolean),
            "number" => Types::from_kind(Kind::Number),
            "string" => Types::from_kind(Kind::String),
            "array" => Types::from_kind(Kind::Array),
            "object" => Types::from_kind(Kind::Object),
            "integer" => Types::INTEGER,
            _ => return None,
        })
    }

    pub(crate) fn with(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    /// Whether the two sets share a type.
    #[inline]
    pub(crate) fn has_any_of(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    /// The names of the types, for texts.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        [
            "null", "boolean", "integer", "number", "string", "array", "object",
        ]
        .into_iter()
        .filter(move |name| Types::from_name(name).is_some_and(|one| self.has_any_of(one)))
    }
}

/// One subschema.
#[derive(Debug)]
pub(crate) struct Subschema {
    /// The resource that it belongs to, for the dynamic scope.
    pub(crate) resource: u32,
    pub(crate) form: Form,
}

#[derive(Debug)]
pub(crate) enum Form {
    /// `true`, `{}`, or only keywords that assert nothing.
    True,
    /// `false`.
    False,
    /// Only `type`: the most frequent schema of all.
    Type(TypeCheck),
    Checks(Box<Checks>),
}

/// `type`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeCheck {
    /// The names, for texts.
    pub(crate) types: Types,
    pub(crate) kinds: Kinds,
}

/// A set of kinds of nodes: one bit for each variant, and one for the doubles that are whole. Finer than the types of
/// JSON Schema, so that most nodes are tested with one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u16);

impl Kinds {
    pub(crate) const ALL: Kinds = Kinds(u16::MAX);
    pub(crate) const NONE: Kinds = Kinds(0);
    pub(crate) const STRING: Kinds = Kinds(1 << 6);
    const WHOLE: Kinds = Kinds(1 << 9);

    /// The nodes that have one of the types. In draft-04 an integer is one that is written so.
    pub(crate) fn of_types(types: Types, integers_as_written: bool) -> Kinds {
        let integers = [
            Node::Integer(0),
            Node::Unsigned(0),
            Node::BigInteger { start: 0, len: 0 },
        ];
        let integers = integers
            .map(|node| Kinds::of_node(&node))
            .into_iter()
            .fold(Kinds::NONE, Kinds::or);
        let parts = [
            (Types::from_kind(Kind::Null), Kinds::of_node(&Node::Null)),
            (Types::from_kind(Kind::Boolean), Kinds::of_node(&Node::Bool(true))),
            (
                Types::from_kind(Kind::Number),
                integers.or(Kinds::of_node(&Node::Float(0.0))),
            ),
            (Types::from_kind(Kind::String), Kinds::STRING),
            (
                Types::from_kind(Kind::Array),
                Kinds::of_node(&Node::Array { len: 0, end: 0 }),
            ),
            (
                Types::from_kind(Kind::Object),
                Kinds::of_node(&Node::Object { len: 0, end: 0 }),
            ),
            (
                Types::INTEGER,
                if integers_as_written {
                    integers
                } else {
                    integers.or(Kinds::WHOLE)
                },
            ),
        ];
        let parts = parts.into_iter().filter(|(one, _)| types.has_any_of(*one));
        parts.fold(Kinds::NONE, |all, (_, kinds)| all.or(kinds))
    }

    /// The kind of a node; of a double both that it may be.
    #[inline]
    pub(crate) fn of_node(node: &Node) -> Kinds {
        let variant = Kinds(1 << node.variant());
        match node {
            Node::Float(_) => variant.or(Kinds::WHOLE),
            _ => variant,
        }
    }

    #[inline]
    pub(crate) fn has_any_of(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a node is of one of the kinds.
    #[inline]
    pub(crate) fn has(self, node: &Node) -> bool {
        self.0 & (1 << node.variant()) != 0 || (self.has_any_of(Kinds::WHOLE) && is_whole_double(node))
    }

    #[inline]
    pub(crate) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    #[inline]
    pub(crate) fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

#[inline(never)]
fn is_whole_double(node: &Node) -> bool {
    matches!(node, Node::Float(value) if value.fract() == 0.0)
}

/// The keywords of a schema object.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    pub(crate) types: Option<TypeCheck>,
    pub(crate) enumeration: Option<Box<Enumeration>>,
    pub(crate) constant: Option<Constant>,
    pub(crate) number: Option<Box<NumberChecks>>,
    pub(crate) string: Option<Box<StringChecks>>,
    pub(crate) array: Option<Box<ArrayChecks>>,
    pub(crate) object: Option<Box<ObjectChecks>>,
    pub(crate) combined: Option<Box<Combined>>,
    pub(crate) unevaluated_items: Option<Closing>,
    pub(crate) unevaluated_properties: Option<Closing>,
}

/// What a keyword says of the members or elements that nothing else has spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// `false`: there may be none. One check, made where the keyword stands.
    Closed,
    /// A schema for each of them.
    Schema(Id),
}

/// The value of `const`.
#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) place: Place,
    /// The value when it is a string, the usual one: compared without a way to the schema's document.
    pub(crate) text: Option<Box<str>>,
}

/// The values of `enum`. Strings are looked up, and so is the rest when it is not a few values.
#[derive(Debug)]
pub(crate) struct Enumeration {
    /// The array as it stands in the schema.
    pub(crate) place: Place,
    pub(crate) strings: Strings,
    pub(crate) others: Vec<Place>,
    /// Steps that a comparison with all others takes.
    pub(crate) other_cost: u64,
    /// The others by their structural hash, when they are more than [`Enumeration::FEW`].
    pub(crate) by_hash: Option<HashMap<u64, SmallVec<[Place; 1]>>>,
}

impl Enumeration {
    /// Up to this many values, comparing one by one is quicker than hashing.
    pub(crate) const FEW: usize = 8;
}

/// A set of strings.
#[derive(Debug)]
pub(crate) enum Strings {
    Few(Vec<Box<str>>),
    Many(NameList),
}

impl Strings {
    pub(crate) fn new(strings: Vec<Box<str>>) -> Strings {
        /// Up to this many, comparing one by one is quicker than hashing.
        const FEW: usize = 8;
        if strings.len() <= FEW {
            Strings::Few(strings)
        } else {
            Strings::Many(NameList::new(strings))
        }
    }

    pub(crate) fn as_slice(&self) -> &[Box<str>] {
        match self {
            Strings::Few(list) => list,
            Strings::Many(list) => list.names(),
        }
    }

    #[inline]
    pub(crate) fn contains(&self, text: &[u8]) -> bool {
        match self {
            Strings::Few(list) => list.iter().any(|one| one.as_bytes() == text),
            Strings::Many(list) => list.find(key_hash(text), text).is_some(),
        }
    }
}

/// A number that a keyword gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) place: Place,
    /// The number, unless its digits stand in the schema's document.
    pub(crate) number: Option<Number<'static>>,
}

#[derive(Debug, Default)]
pub(crate) struct NumberChecks {
    pub(crate) minimum: Option<Limit>,
    pub(crate) exclusive_minimum: Option<Limit>,
    pub(crate) maximum: Option<Limit>,
    pub(crate) exclusive_maximum: Option<Limit>,
    /// draft-04: `exclusiveMinimum: true` is no assertion, but changes what `minimum` asserts; likewise for the maximum.
    pub(crate) exclusive_by_modifier: bool,
    pub(crate) multiple_of: Option<Limit>,
}

#[derive(Debug, Default)]
pub(crate) struct StringChecks {
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<Arc<Pattern>>,
    pub(crate) format: Option<Format>,
    /// `contentEncoding: base64` (draft-07).
    pub(crate) is_base64: bool,
    /// `contentMediaType: application/json` (draft-07).
    pub(crate) is_json: bool,
}

#[derive(Debug, Default)]
pub(crate) struct ArrayChecks {
    /// The schema of all elements, when `items` is all that it says.
    pub(crate) items_only: Option<Id>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique_items: bool,
    pub(crate) prefix: Vec<Id>,
    /// The schema of the elements past the prefix.
    pub(crate) rest: Option<Closing>,
    pub(crate) contains: Option<Contains>,
}

#[derive(Debug)]
pub(crate) struct Contains {
    pub(crate) schema: Id,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    /// From 2020-12 on the elements found count as evaluated.
    pub(crate) evaluates: bool,
}

/// For each name, the names that must stand beside it.
pub(crate) type NameLists = Vec<(Box<str>, Vec<Box<str>>)>;

#[derive(Debug, Default)]
pub(crate) struct ObjectChecks {
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    /// Names of `properties` and `required`.
    pub(crate) table: PropertyTable,
    /// Whether the table is all that it says.
    pub(crate) is_table_only: bool,
    pub(crate) patterns: Vec<(Arc<Pattern>, Id)>,
    pub(crate) additional: Option<Closing>,
    pub(crate) names: Option<Id>,
    pub(crate) dependent_required: Option<NameLists>,
    /// The arrays of the older `dependencies`.
    pub(crate) dependencies: Option<NameLists>,
}

/// What a schema object says of one name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Property {
    pub(crate) schema: Option<Id>,
    pub(crate) required: bool,
}

/// The names of a schema object, found by the hash that the reader has put beside each key.
#[derive(Debug, Default)]
pub(crate) struct PropertyTable {
    names: NameList,
    /// In the order of the names.
    pub(crate) properties: Vec<Property>,
    /// Whether `required` stands there.
    pub(crate) has_required: bool,
    /// How many of the names are required.
    pub(crate) required: usize,
}

impl PropertyTable {
    pub(crate) fn new(names: Vec<Box<str>>, properties: Vec<Property>, has_required: bool) -> PropertyTable {
        PropertyTable {
            has_required,
            names: NameList::new(names),
            required: properties.iter().filter(|property| property.required).count(),
            properties,
        }
    }

    /// What most names that it does not have do not pass.
    #[inline]
    pub(crate) fn filter(&self) -> HashFilter {
        self.names.filter()
    }

    /// Not inlined, so that a loop over members keeps its state in registers.
    #[inline(never)]
    pub(crate) fn find(&self, hash: u32, name: &[u8]) -> Option<&Property> {
        let index = self.names.find(hash, name)?;
        self.properties.get(index)
    }

    /// The required names that an object has not.
    pub(crate) fn missing(&self, object: Value<'_>) -> Vec<&str> {
        let mut is_there = vec![false; self.properties.len()];
        for member in object.as_object().into_iter().flat_map(|members| members.raw()) {
            if let Some(index) = self.names.find(member.hash, member.key()) {
                is_there[index] = true;
            }
        }
        let names = self.iter().zip(is_there);
        let missing = names.filter(|((_, property), is_there)| property.required && !is_there);
        missing.map(|((name, _), _)| name).collect()
    }

    /// The names with what is said of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Property)> {
        let names = self.names.names().iter().map(|name| &**name);
        names.zip(self.properties.iter().copied())
    }
}

/// The keywords that apply other schemas to the same instance.
#[derive(Debug, Default)]
pub(crate) struct Combined {
    /// The targets of references, then the schemas of `allOf`: all of them must hold.
    pub(crate) every: Vec<Id>,
    /// How many of them are targets of references.
    pub(crate) references: usize,
    pub(crate) dynamic_references: Vec<DynamicReference>,
    pub(crate) any_of: Option<Branches>,
    pub(crate) one_of: Option<Branches>,
    pub(crate) not: Option<Id>,
    pub(crate) condition: Option<Condition>,
    pub(crate) dependent_schemas: Vec<(Box<str>, Id)>,
}

impl ObjectChecks {
    /// Notes what the walker takes a shorter way for.
    pub(crate) fn finish(&mut self) {
        self.is_table_only = self.min_properties.is_none()
            && self.max_properties.is_none()
            && self.patterns.is_empty()
            && self.additional.is_none()
            && self.names.is_none()
            && self.dependent_required.is_none()
            && self.dependencies.is_none();
    }
}

impl ArrayChecks {
    /// Notes what the walker takes a shorter way for.
    pub(crate) fn finish(&mut self) {
        self.items_only = match self.rest {
            Some(Closing::Schema(id))
                if self.min_items.is_none()
                    && self.max_items.is_none()
                    && !self.unique_items
                    && self.prefix.is_empty()
                    && self.contains.is_none() =>
            {
                Some(id)
            }
            _ => None,
        };
    }
}

impl Combined {
    pub(crate) fn add_reference(&mut self, id: Id) {
        self.every.insert(self.references, id);
        self.references += 1;
    }
}

#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) test: Id,
    pub(crate) then: Option<Id>,
    pub(crate) otherwise: Option<Id>,
}

/// A reference whose target depends on the path by which it was reached (Core 2020-12, section 8.2.3.2).
#[derive(Debug)]
pub(crate) struct DynamicReference {
    /// Where it leads when no resource on the path has the anchor.
    pub(crate) initial: Id,
    /// Which of the schema's [`Anchored`] it means.
    pub(crate) anchor: usize,
}

/// The schemas that have one dynamic anchor, by resource.
#[derive(Debug)]
pub(crate) struct Anchored(Vec<(u32, Id)>);

impl Anchored {
    pub(crate) fn new(mut by_resource: Vec<(u32, Id)>) -> Anchored {
        by_resource.sort_unstable();
        Anchored(by_resource)
    }

    /// The schema with the anchor in a resource.
    pub(crate) fn in_resource(&self, resource: u32) -> Option<Id> {
        let at = self.0.binary_search_by_key(&resource, |(known, _)| *known).ok()?;
        Some(self.0[at].1)
    }

    pub(crate) fn ids_mut(&mut self) -> impl Iterator<Item = &mut Id> {
        self.0.iter_mut().map(|(_, id)| id)
    }
}
