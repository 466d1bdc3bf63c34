//! Where schemas stand and what they are called: `$id`, anchors, and the resolution of references (Core, sections 8.2
//! and 9). Everything is found inside the documents at hand; nothing is ever fetched.

use std::collections::HashMap;
use std::sync::Arc;

use fluent_uri::{Iri, IriRef};

use super::SchemaError;
use super::dialect::{Dialect, Draft, Holds, Vocabularies, subschemas_of};
use super::metaschema;
use crate::json::{Document, Kind, Value, View, array_index, unescape_token};
use crate::limits::{MAX_IDENTIFIER_BYTES, MAX_IDENTIFIERS_BYTES};

/// The base URI of a schema that gives none.
const DEFAULT_BASE: &str = "assay-schema:///";

/// The name under which `$recursiveAnchor: true` is kept among the dynamic anchors. No anchor can be written so.
pub(super) const RECURSIVE_ANCHOR: &str = "";

/// A value in one of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) document: u32,
    pub(crate) position: u32,
}

/// A schema resource (Core, section 4.3.5): a schema with a URI of its own.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) uri: String,
    pub(super) root: Place,
    pub(super) dialect: Dialect,
}

/// A place with the resource that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) resource: u32,
}

#[derive(Default)]
pub(super) struct Resources {
    pub(super) documents: Vec<Arc<Document>>,
    pub(super) list: Vec<Resource>,
    by_uri: HashMap<String, u32>,
    by_root: HashMap<Place, u32>,
    anchors: HashMap<(u32, String), Target>,
    /// By their name, then by the resource that has them.
    dynamic_anchors: HashMap<String, HashMap<u32, Target>>,
    /// Bytes of the URIs of all resources.
    identifiers_bytes: usize,
    /// Documents that may be referred to, not yet read, by URI.
    available: HashMap<String, Arc<Document>>,
    /// The members of large objects and the elements of large arrays, for pointers that step through them.
    members: HashMap<Place, HashMap<String, u32>>,
    elements: HashMap<Place, Vec<u32>>,
}

impl Resources {
    pub(super) fn new(available: HashMap<String, Arc<Document>>) -> Resources {
        Resources {
            available,
            ..Resources::default()
        }
    }

    pub(super) fn value(&self, place: Place) -> Value<'_> {
        Value::at(&self.documents[place.document as usize], place.position)
    }

    pub(super) fn resource(&self, index: u32) -> &Resource {
        &self.list[index as usize]
    }

    /// The resource of a schema that stands inside one of `outer`.
    pub(super) fn resource_at(&self, place: Place, outer: u32) -> u32 {
        self.by_root.get(&place).copied().unwrap_or(outer)
    }

    /// Reads the schema's own document and gives its root.
    pub(super) fn add_root(
        &mut self,
        document: Arc<Document>,
        fallback: Option<Dialect>,
    ) -> Result<Target, SchemaError> {
        self.add_document(document, DEFAULT_BASE, fallback)
    }

    fn add_document(
        &mut self,
        document: Arc<Document>,
        uri: &str,
        fallback: Option<Dialect>,
    ) -> Result<Target, SchemaError> {
        let place = Place {
            document: self.documents.len() as u32,
            position: 0,
        };
        self.documents.push(document);
        let dialect = self
            .dialect_of(place)?
            .or(fallback)
            .unwrap_or(Dialect::standard(Draft::Draft202012));
        let resource = self.add_resource(uri.to_owned(), place, dialect)?;
        self.index(place, resource)?;
        // The root may have got a URI of its own.
        let resource = self.by_root.get(&place).copied().unwrap_or(resource);
        Ok(Target { place, resource })
    }

    fn add_resource(&mut self, uri: String, root: Place, dialect: Dialect) -> Result<u32, SchemaError> {
        self.identifiers_bytes += uri.len();
        if self.identifiers_bytes > MAX_IDENTIFIERS_BYTES {
            return Err(SchemaError::limit("has too many identifiers"));
        }
        let index = self.list.len() as u32;
        self.by_uri.entry(uri.clone()).or_insert(index);
        self.by_root.insert(root, index);
        self.list.push(Resource { uri, root, dialect });
        Ok(index)
    }

    /// The dialect that the `$schema` of a resource root names; `None` where it names none.
    fn dialect_of(&mut self, place: Place) -> Result<Option<Dialect>, SchemaError> {
        let Some(uri) = self.value(place).get("$schema").and_then(Value::as_str) else {
            return Ok(None);
        };
        if let Some(draft) = Draft::from_uri(uri) {
            return Ok(Some(Dialect::standard(draft)));
        }
        let uri = uri.strip_suffix('#').unwrap_or(uri).to_owned();
        let unknown = || SchemaError::at("$schema", "names a dialect that is not known", DIALECT_FIX);
        let metaschema = self
            .available
            .get(&uri)
            .cloned()
            .or_else(|| self.embedded(place, &uri))
            .ok_or_else(unknown)?;
        let draft = metaschema
            .root()
            .get("$schema")
            .and_then(Value::as_str)
            .and_then(Draft::from_uri);
        let draft = draft.ok_or_else(unknown)?;
        let Some(vocabularies) = metaschema.root().get("$vocabulary").and_then(Value::as_object) else {
            return Ok(Some(Dialect::standard(draft)));
        };
        let mut known = Vocabularies::NONE;
        for member in vocabularies {
            match Vocabularies::from_uri(member.key) {
                Some(vocabulary) => known = known.with(vocabulary),
                None if member.value.as_bool() == Some(true) => {
                    return Err(SchemaError::at(
                        "$schema",
                        "requires a vocabulary that is not known",
                        DIALECT_FIX,
                    ));
                }
                None => {}
            }
        }
        Ok(Some(Dialect {
            draft,
            vocabularies: known,
        }))
    }

    /// A metaschema that the schema brings along among its definitions.
    fn embedded(&self, place: Place, uri: &str) -> Option<Arc<Document>> {
        let root = self.value(place);
        let definitions = [root.get("$defs"), root.get("definitions")].into_iter().flatten();
        let mut members = definitions.filter_map(Value::as_object).flatten();
        let found = members.find(|member| member.value.get("$id").and_then(Value::as_str) == Some(uri))?;
        Some(Arc::new(found.value.to_document()))
    }

    /// Finds all identifiers at and below a schema that belongs to `resource`.
    fn index(&mut self, place: Place, resource: u32) -> Result<(), SchemaError> {
        let mut pending = vec![(place, resource)];
        while let Some((place, outer)) = pending.pop() {
            let document = Arc::clone(&self.documents[place.document as usize]);
            let schema = Value::at(&document, place.position);
            let Some(members) = schema.as_object() else {
                continue;
            };
            let resource = self.read_identifiers(schema, place, outer)?;
            let at = |value: Value<'_>| Place {
                document: place.document,
                position: value.position(),
            };
            for member in members {
                match (subschemas_of(member.key), member.value.view()) {
                    (Some(Holds::Schema | Holds::SchemaOrSchemas), View::Object(_)) => {
                        pending.push((at(member.value), resource));
                    }
                    (Some(Holds::Schemas | Holds::SchemaOrSchemas), View::Array(elements)) => {
                        pending.extend(elements.map(|element| (at(element), resource)));
                    }
                    (Some(Holds::SchemaMembers | Holds::Dependencies), View::Object(inner)) => {
                        pending.extend(inner.map(|member| (at(member.value), resource)));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Notes `$id` and the anchors of one schema object and gives the resource that its content belongs to.
    fn read_identifiers(&mut self, schema: Value<'_>, place: Place, outer: u32) -> Result<u32, SchemaError> {
        let outer_dialect = self.resource(outer).dialect;
        let is_root = self.resource(outer).root == place;
        let declared = if is_root {
            None
        } else {
            self.dialect_of_embedded(schema, place)?
        };
        let mut dialect = declared.unwrap_or(outer_dialect);
        let hidden = dialect.draft.ref_hides_siblings()
            && schema.get("$ref").is_some_and(|r| r.kind() == Kind::String);
        let mut resource = outer;
        let id = schema.get(dialect.draft.id_keyword()).and_then(Value::as_str);
        if let Some(id) = id.filter(|_| !hidden) {
            let (uri, fragment) = split_fragment(id);
            let uri = if uri.is_empty() && !fragment.is_empty() {
                None
            } else {
                Some(resolve(uri, &self.resource(outer).uri)?.ok_or_else(|| {
                    SchemaError::at(
                        dialect.draft.id_keyword(),
                        "is not a URI reference",
                        "Write it as RFC 3986 says.",
                    )
                })?)
            };
            if let Some(uri) = uri {
                if is_root {
                    self.by_uri.insert(uri.clone(), outer);
                    self.list[outer as usize].uri = uri;
                } else {
                    resource = self.add_resource(uri, place, dialect)?;
                }
            }
            if !fragment.is_empty() && dialect.draft <= Draft::Draft7 {
                self.anchors
                    .insert((resource, fragment.to_owned()), Target { place, resource });
            }
        } else {
            dialect = outer_dialect;
        }
        if dialect.draft >= Draft::Draft201909 {
            let target = Target { place, resource };
            if let Some(anchor) = schema.get("$anchor").and_then(Value::as_str) {
                self.anchors.insert((resource, anchor.to_owned()), target);
            }
            if let Some(anchor) = schema.get("$dynamicAnchor").and_then(Value::as_str) {
                self.anchors.insert((resource, anchor.to_owned()), target);
                self.add_dynamic_anchor(anchor, target);
            }
            if schema.get("$recursiveAnchor").and_then(Value::as_bool) == Some(true) {
                self.add_dynamic_anchor(RECURSIVE_ANCHOR, target);
            }
        }
        Ok(resource)
    }

    /// `$schema` counts only at the root of a resource.
    fn dialect_of_embedded(
        &mut self,
        schema: Value<'_>,
        place: Place,
    ) -> Result<Option<Dialect>, SchemaError> {
        let has_id = schema.get("$id").is_some() || schema.get("id").is_some();
        if has_id { self.dialect_of(place) } else { Ok(None) }
    }

    /// The schema that a reference of `resource` means.
    pub(super) fn resolve(&mut self, reference: &str, resource: u32) -> Result<Target, SchemaError> {
        let (uri, fragment) = split_fragment(reference);
        let target = if uri.is_empty() {
            resource
        } else {
            self.find_resource(uri, resource)?
        };
        let fragment = percent_decode(fragment).ok_or_else(SchemaError::dangling)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.resolve_pointer(&fragment, target);
        }
        self.anchors
            .get(&(target, fragment))
            .copied()
            .ok_or_else(SchemaError::dangling)
    }

    fn find_resource(&mut self, reference: &str, resource: u32) -> Result<u32, SchemaError> {
        let uri = resolve(reference, &self.resource(resource).uri)?.ok_or_else(SchemaError::dangling)?;
        if let Some(found) = self.by_uri.get(&uri) {
            return Ok(*found);
        }
        let document = self
            .available
            .get(&uri)
            .cloned()
            .or_else(|| metaschema::document(&uri))
            .ok_or_else(SchemaError::outside)?;
        let dialect = self.resource(resource).dialect;
        let fallback = Dialect::standard(dialect.draft);
        let target = self.add_document(document, &uri, Some(fallback))?;
        self.by_uri.insert(uri, target.resource);
        Ok(target.resource)
    }

    /// Follows a JSON pointer from the root of a resource; a schema with an identifier on the way changes the
    /// resource.
    fn resolve_pointer(&mut self, pointer: &str, resource: u32) -> Result<Target, SchemaError> {
        let mut target = Target {
            place: self.resource(resource).root,
            resource,
        };
        let Some(path) = pointer.strip_prefix('/') else {
            return Ok(target);
        };
        for token in path.split('/') {
            let token = unescape_token(token).ok_or_else(SchemaError::dangling)?;
            target.place.position = self
                .step(target.place, &token)
                .ok_or_else(SchemaError::dangling)?;
            if let Some(embedded) = self.by_root.get(&target.place) {
                target.resource = *embedded;
            }
        }
        Ok(target)
    }

    fn step(&mut self, place: Place, token: &str) -> Option<u32> {
        /// From this many members or elements on, an index pays.
        const INDEXED: usize = 32;
        let document = Arc::clone(&self.documents[place.document as usize]);
        let value = Value::at(&document, place.position);
        match value.view() {
            View::Array(mut elements) if elements.len() < INDEXED => {
                elements.nth(array_index(token)?).map(Value::position)
            }
            View::Array(elements) => {
                let positions = || elements.map(Value::position).collect();
                let index = self.elements.entry(place).or_insert_with(positions);
                index.get(array_index(token)?).copied()
            }
            View::Object(members) if members.len() < INDEXED => value.get(token).map(Value::position),
            View::Object(members) => {
                let index = self.members.entry(place).or_insert_with(|| {
                    members
                        .map(|member| (member.key.to_owned(), member.value.position()))
                        .collect()
                });
                index.get(token).copied()
            }
            _ => None,
        }
    }

    fn add_dynamic_anchor(&mut self, anchor: &str, target: Target) {
        let targets = self.dynamic_anchors.entry(anchor.to_owned()).or_default();
        targets.insert(target.resource, target);
    }

    /// The schema with that dynamic anchor in the resource.
    pub(super) fn dynamic_anchor(&self, resource: u32, anchor: &str) -> Option<Target> {
        self.dynamic_anchors.get(anchor)?.get(&resource).copied()
    }

    /// Every schema with that dynamic anchor.
    pub(super) fn with_dynamic_anchor(&self, anchor: &str) -> Vec<Target> {
        let targets = self.dynamic_anchors.get(anchor);
        targets.into_iter().flat_map(HashMap::values).copied().collect()
    }
}

const DIALECT_FIX: &str = "Use the URI of draft-04, 06, 07, 2019-09 or 2020-12, or leave $schema out.";

/// Splits a reference at its fragment; no fragment is the empty one.
pub(super) fn split_fragment(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// Resolves a reference without fragment against a base (RFC 3986, section 5.2); `None` when it is not well formed.
fn resolve(reference: &str, base: &str) -> Result<Option<String>, SchemaError> {
    // What is resolved is no longer than the two together.
    if reference.len() + base.len() > MAX_IDENTIFIER_BYTES {
        return Err(SchemaError::limit("has an identifier that is too long"));
    }
    let (Ok(reference), Ok(base)) = (IriRef::parse(reference), Iri::parse(base)) else {
        return Ok(None);
    };
    let resolved = reference.resolve_against(&base);
    Ok(resolved.ok().map(|uri| uri.normalize().into_string()))
}

/// Resolves the percent escapes of a fragment; `None` when they are not well formed or not UTF-8.
fn percent_decode(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = (rest.next()? as char).to_digit(16)?;
            let low = (rest.next()? as char).to_digit(16)?;
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
