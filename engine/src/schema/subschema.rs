//! The compiled form of a schema: what the walker reads.
//!
//! Every subschema is one entry of a list and refers to others by their index, so references and recursion are plain
//! edges. Assertions are grouped by the type of instance that they apply to.

use std::collections::HashSet;
use std::sync::Arc;

use super::resources::Place;
use crate::format::Format;
use crate::json::{Kind, Node, Value};
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
    pub(crate) types: Types,
    /// draft-04: an integer is a number written without fraction and exponent.
    pub(crate) integers_as_written: bool,
}

impl TypeCheck {
    /// Whether an instance has one of the types; a whole number is an integer too.
    #[inline]
    pub(crate) fn holds(self, instance: Value<'_>) -> bool {
        let kind = Types::from_kind(instance.kind());
        self.types.has_any_of(kind)
            || (self.types.has_any_of(Types::INTEGER)
                && match instance.node() {
                    Node::Integer(_) | Node::Unsigned(_) | Node::BigInteger { .. } => true,
                    Node::Float(value) => !self.integers_as_written && value.fract() == 0.0,
                    _ => false,
                })
    }
}

/// The keywords of a schema object.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    pub(crate) types: Option<TypeCheck>,
    pub(crate) enumeration: Option<Box<Enumeration>>,
    pub(crate) constant: Option<Place>,
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

/// The values of `enum`. Strings are looked up; the rest is compared one by one.
#[derive(Debug)]
pub(crate) struct Enumeration {
    /// The array as it stands in the schema.
    pub(crate) place: Place,
    pub(crate) strings: Strings,
    pub(crate) others: Vec<Place>,
    /// Nodes of all others: what a comparison with them costs.
    pub(crate) other_nodes: u64,
}

/// A set of strings.
#[derive(Debug)]
pub(crate) enum Strings {
    Few(Vec<Box<str>>),
    Many(HashSet<Box<str>>),
}

impl Strings {
    pub(crate) fn new(strings: Vec<Box<str>>) -> Strings {
        /// Up to this many, comparing one by one is quicker than hashing.
        const FEW: usize = 12;
        if strings.len() <= FEW {
            Strings::Few(strings)
        } else {
            Strings::Many(strings.into_iter().collect())
        }
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        match self {
            Strings::Few(list) => list.iter().any(|one| **one == *text),
            Strings::Many(set) => set.contains(text),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct NumberChecks {
    pub(crate) minimum: Option<Place>,
    pub(crate) exclusive_minimum: Option<Place>,
    pub(crate) maximum: Option<Place>,
    pub(crate) exclusive_maximum: Option<Place>,
    /// draft-04: `exclusiveMinimum: true` is no assertion, but changes what `minimum` asserts; likewise for the maximum.
    pub(crate) exclusive_by_modifier: bool,
    pub(crate) multiple_of: Option<Place>,
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

#[derive(Debug, Default)]
pub(crate) struct ObjectChecks {
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    /// Names of `properties` and `required`.
    pub(crate) table: PropertyTable,
    /// Whether `required` stands there; how many distinct names it has is in the table.
    pub(crate) has_required: bool,
    pub(crate) patterns: Vec<(Arc<Pattern>, Id)>,
    pub(crate) additional: Option<Closing>,
    pub(crate) names: Option<Id>,
    pub(crate) dependent_required: Option<Vec<(Box<str>, Vec<Box<str>>)>>,
    /// The arrays of the older `dependencies`.
    pub(crate) dependencies: Option<Vec<(Box<str>, Vec<Box<str>>)>>,
}

/// One name that a schema object knows.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) hash: u32,
    pub(crate) name: Box<str>,
    pub(crate) schema: Option<Id>,
    pub(crate) required: bool,
}

/// The names of a schema object, found by the hash that the reader has put beside each key.
#[derive(Debug, Default)]
pub(crate) struct PropertyTable {
    pub(crate) properties: Vec<Property>,
    pub(crate) required: usize,
    /// Open addressing over the low bits of the hash: the index of a property plus one, or zero.
    slots: Vec<u32>,
}

impl PropertyTable {
    pub(crate) fn new(properties: Vec<Property>) -> PropertyTable {
        let required = properties.iter().filter(|property| property.required).count();
        let mut slots = vec![0u32; (properties.len() * 2).next_power_of_two()];
        let mask = slots.len() - 1;
        for (index, property) in properties.iter().enumerate() {
            let mut slot = property.hash as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = index as u32 + 1;
        }
        PropertyTable {
            properties,
            required,
            slots,
        }
    }

    /// Finds a key. `expected` is where the last key's successor stands: members mostly come in the schema's order.
    #[inline]
    pub(crate) fn find(&self, hash: u32, name: Value<'_>, expected: &mut usize) -> Option<&Property> {
        if let Some(property) = self.properties.get(*expected) {
            if property.hash == hash && property.name.as_bytes() == name.string_bytes() {
                *expected += 1;
                return Some(property);
            }
        }
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let index = self.slots[slot].checked_sub(1)? as usize;
            let property = &self.properties[index];
            if property.hash == hash && property.name.as_bytes() == name.string_bytes() {
                *expected = index + 1;
                return Some(property);
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// The keywords that apply other schemas to the same instance.
#[derive(Debug, Default)]
pub(crate) struct Combined {
    pub(crate) references: Vec<Id>,
    pub(crate) dynamic_references: Vec<DynamicReference>,
    pub(crate) all_of: Vec<Id>,
    pub(crate) any_of: Option<Vec<Id>>,
    pub(crate) one_of: Option<Vec<Id>>,
    pub(crate) not: Option<Id>,
    pub(crate) condition: Option<Condition>,
    pub(crate) dependent_schemas: Vec<(Box<str>, Id)>,
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
    /// The schemas with the anchor, by resource.
    pub(crate) by_resource: Vec<(u32, Id)>,
}
