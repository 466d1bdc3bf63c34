//! From a schema to its compiled form.
//!
//! Subschemas are compiled from a list of pending ones, so neither nesting nor chains of references use the call
//! stack. The schema has passed its metaschema before, so the types of keywords are known; what is not as it should be
//! (in a place that the metaschema does not reach) is an error all the same.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::SchemaError;
use super::branches::Branches;
use super::dialect::{Draft, Vocabularies};
use super::resources::{Place, RECURSIVE_ANCHOR, Resources, Target, split_fragment};
use super::subschema::{
    Anchored, ArrayChecks, Checks, Closing, Combined, Condition, Constant, Contains, DynamicReference,
    Enumeration, Form, Id, Kinds, Limit, NumberChecks, ObjectChecks, Property, PropertyTable, StringChecks,
    Strings, Subschema, TypeCheck, Types,
};
use crate::format::Format;
use crate::json::{Kind, Number, Value, structural_hash};
use crate::limits;
use crate::pattern::{Pattern, PatternError};

pub(super) struct Compiler {
    pub(super) resources: Resources,
    pub(super) assert_formats: bool,
    subschemas: Vec<Option<Subschema>>,
    ids: HashMap<Target, Id>,
    pending: Vec<(Id, Target)>,
    patterns: HashMap<String, Arc<Pattern>>,
    /// Steps that compiling patterns may still take.
    pattern_steps: u64,
    /// The dynamic anchors that are referred to, numbered in the order in which that was found.
    dynamic_anchors: HashMap<String, usize>,
    pub(super) notes: Notes,
}

/// Notes of one kind; a schema with more of them has more wrong with it than typing errors.
const MAX_NOTES: usize = 100;

/// What is worth telling somebody who checks a schema, though it is no error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Keywords that no draft knows, with the path of their schema object.
    pub unknown_keywords: Vec<String>,
    /// Names of formats that are not asserted.
    pub unknown_formats: Vec<String>,
    /// Patterns whose time may grow faster than the text.
    pub slow_patterns: Vec<String>,
}

/// What a compiler has made.
pub(super) struct Parts {
    pub(super) subschemas: Vec<Subschema>,
    pub(super) anchored: Vec<Anchored>,
    pub(super) resources: Resources,
    pub(super) notes: Notes,
}

/// A schema object that is being compiled.
struct Source<'v> {
    value: Value<'v>,
    target: Target,
    draft: Draft,
    vocabularies: Vocabularies,
}

impl Source<'_> {
    fn place(&self, value: Value<'_>) -> Place {
        Place {
            document: self.target.place.document,
            position: value.position(),
        }
    }

    fn wrong(&self, keyword: &str, problem: &str, fix: &str) -> SchemaError {
        SchemaError::at(keyword, problem, fix).in_place(self.target.place)
    }

    fn wrong_type(&self, keyword: &str, expected: &str) -> SchemaError {
        self.wrong(
            keyword,
            &format!("must be {expected}"),
            "Correct the keyword as its draft defines it.",
        )
    }
}

impl Compiler {
    pub(super) fn new(resources: Resources, assert_formats: bool) -> Compiler {
        Compiler {
            resources,
            assert_formats,
            subschemas: Vec::new(),
            ids: HashMap::new(),
            pending: Vec::new(),
            patterns: HashMap::new(),
            pattern_steps: 0,
            dynamic_anchors: HashMap::new(),
            notes: Notes::default(),
        }
    }

    /// Compiles everything that `root` leads to and gives its index.
    pub(super) fn compile(&mut self, root: Target) -> Result<Id, SchemaError> {
        let document = &self.resources.documents[root.place.document as usize];
        let bytes = document.root().text_bytes() as u64;
        self.pattern_steps = limits::PATTERN_STEPS + limits::PATTERN_STEPS_PER_SCHEMA_BYTE * bytes;
        let id = self.id_of(root)?;
        loop {
            self.compile_pending()?;
            // A document that was read last may have anchors to which an earlier reference can lead.
            let anchors = self.dynamic_anchors.keys();
            let targets: Vec<Target> = anchors
                .flat_map(|anchor| self.resources.with_dynamic_anchor(anchor))
                .collect();
            for target in targets {
                self.id_of(target)?;
            }
            if self.pending.is_empty() {
                return Ok(id);
            }
        }
    }

    fn compile_pending(&mut self) -> Result<(), SchemaError> {
        while let Some((id, target)) = self.pending.pop() {
            let form = self
                .compile_one(target)
                .map_err(|error| error.in_place(target.place))?;
            self.subschemas[id as usize] = Some(Subschema {
                resource: target.resource,
                form,
            });
        }
        Ok(())
    }

    /// For each dynamic anchor that is referred to, the schemas that have it, by resource.
    fn anchored(&self) -> Vec<Anchored> {
        let mut anchors: Vec<(&String, &usize)> = self.dynamic_anchors.iter().collect();
        anchors.sort_unstable_by_key(|(_, number)| **number);
        let ids = |(anchor, _): (&String, _)| {
            let targets = self.resources.with_dynamic_anchor(anchor).into_iter();
            Anchored::new(
                targets
                    .filter_map(|target| Some((target.resource, *self.ids.get(&target)?)))
                    .collect(),
            )
        };
        anchors.into_iter().map(ids).collect()
    }

    pub(super) fn into_parts(self) -> Parts {
        Parts {
            anchored: self.anchored(),
            subschemas: self.subschemas.into_iter().flatten().collect(),
            resources: self.resources,
            notes: self.notes,
        }
    }

    fn id_of(&mut self, target: Target) -> Result<Id, SchemaError> {
        if let Some(id) = self.ids.get(&target) {
            return Ok(*id);
        }
        let id = self.subschemas.len() as Id;
        if self.subschemas.len() >= limits::MAX_SUBSCHEMAS {
            return Err(SchemaError::limit("has too many subschemas"));
        }
        self.subschemas.push(None);
        self.ids.insert(target, id);
        self.pending.push((id, target));
        Ok(id)
    }

    /// The index of a schema that stands inside the one of `source`.
    fn inner(&mut self, source: &Source<'_>, schema: Value<'_>) -> Result<Id, SchemaError> {
        let place = source.place(schema);
        let resource = self.resources.resource_at(place, source.target.resource);
        self.id_of(Target { place, resource })
    }

    fn compile_one(&mut self, target: Target) -> Result<Form, SchemaError> {
        let document = Arc::clone(&self.resources.documents[target.place.document as usize]);
        let value = Value::at(&document, target.place.position);
        let dialect = self.resources.resource(target.resource).dialect;
        let source = Source {
            value,
            target,
            draft: dialect.draft,
            vocabularies: dialect.vocabularies,
        };
        match value.kind() {
            Kind::Boolean => {
                return Ok(if value.as_bool() == Some(true) {
                    Form::True
                } else {
                    Form::False
                });
            }
            Kind::Object => {}
            _ => return Err(SchemaError::not_a_schema(target.place)),
        }
        let mut checks = Checks::default();
        let reference = value
            .get("$ref")
            .filter(|reference| reference.kind() == Kind::String);
        match reference {
            Some(reference) if source.draft.ref_hides_siblings() => {
                self.reference(&source, reference, &mut checks)?
            }
            _ => self.keywords(&source, &mut checks)?,
        }
        let only_types = checks.enumeration.is_none()
            && checks.constant.is_none()
            && checks.number.is_none()
            && checks.string.is_none()
            && checks.array.is_none()
            && checks.object.is_none()
            && checks.combined.is_none()
            && checks.unevaluated_items.is_none()
            && checks.unevaluated_properties.is_none();
        Ok(match checks.types {
            None if only_types => Form::True,
            Some(check) if only_types => Form::Type(check),
            _ => Form::Checks(Box::new(checks)),
        })
    }

    fn keywords(&mut self, source: &Source<'_>, checks: &mut Checks) -> Result<(), SchemaError> {
        let Some(members) = source.value.as_object() else {
            return Ok(());
        };
        for member in members {
            let (keyword, value) = (member.key, member.value);
            if keyword == "$ref" {
                self.reference(source, value, checks)?;
                continue;
            }
            let handled = self.core(source, keyword, value, checks)?
                || (source.vocabularies.has(Vocabularies::VALIDATION)
                    && self.assertion(source, keyword, value, checks)?)
                || (source.vocabularies.has(Vocabularies::APPLICATOR)
                    && (self.combinator(source, keyword, value, checks)?
                        || self.array_applicator(source, keyword, value, checks)?
                        || self.object_applicator(source, keyword, value, checks)?))
                || (source.vocabularies.has(Vocabularies::UNEVALUATED)
                    && self.unevaluated(source, keyword, value, checks)?)
                || self.format_or_content(source, keyword, value, checks)?;
            if !handled && !is_annotation(keyword) {
                self.note_unknown_keyword(source, keyword);
            }
        }
        self.properties(source, checks)?;
        Ok(())
    }

    fn note_unknown_keyword(&mut self, source: &Source<'_>, keyword: &str) {
        if source.target.place.document == 0 && self.notes.unknown_keywords.len() < MAX_NOTES {
            self.notes
                .unknown_keywords
                .push(super::path_of(source.value, Some(keyword)));
        }
    }

    // References

    fn reference(
        &mut self,
        source: &Source<'_>,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<(), SchemaError> {
        let reference = value
            .as_str()
            .ok_or_else(|| source.wrong_type("$ref", "a string"))?;
        let target = self
            .resources
            .resolve(reference, source.target.resource)
            .map_err(|e| e.for_keyword("$ref"))?;
        let id = self.id_of(target)?;
        combined(checks).add_reference(id);
        Ok(())
    }

    /// The keywords of the core vocabulary that lead somewhere.
    fn core(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<bool, SchemaError> {
        match keyword {
            "$dynamicRef" if source.draft >= Draft::Draft202012 => {
                let reference = value
                    .as_str()
                    .ok_or_else(|| source.wrong_type("$dynamicRef", "a string"))?;
                let (_, fragment) = split_fragment(reference);
                self.dynamic_reference(source, keyword, reference, fragment, checks)?;
            }
            "$recursiveRef" if source.draft == Draft::Draft201909 => {
                let reference = value
                    .as_str()
                    .ok_or_else(|| source.wrong_type("$recursiveRef", "a string"))?;
                self.dynamic_reference(source, keyword, reference, RECURSIVE_ANCHOR, checks)?;
            }
            "$defs" | "definitions" => {
                // Definitions that nothing refers to are compiled too, so that a fault in them is found.
                for member in value.as_object().into_iter().flatten() {
                    if matches!(member.value.kind(), Kind::Object | Kind::Boolean) {
                        self.inner(source, member.value)?;
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn dynamic_reference(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        reference: &str,
        anchor: &str,
        checks: &mut Checks,
    ) -> Result<(), SchemaError> {
        let target = self
            .resources
            .resolve(reference, source.target.resource)
            .map_err(|e| e.for_keyword(keyword))?;
        let initial = self.id_of(target)?;
        let is_dynamic = self.resources.dynamic_anchor(target.resource, anchor) == Some(target);
        if !is_dynamic {
            combined(checks).add_reference(initial);
            return Ok(());
        }
        let next = self.dynamic_anchors.len();
        let anchor = *self.dynamic_anchors.entry(anchor.to_owned()).or_insert(next);
        combined(checks)
            .dynamic_references
            .push(DynamicReference { initial, anchor });
        Ok(())
    }

    // Assertions

    fn assertion(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<bool, SchemaError> {
        match keyword {
            "type" => {
                let types = types(source, value)?;
                let kinds = Kinds::of_types(types, source.draft == Draft::Draft4);
                checks.types = Some(TypeCheck { types, kinds });
            }
            "enum" => checks.enumeration = Some(Box::new(enumeration(source, value)?)),
            "const" if source.draft >= Draft::Draft6 => {
                checks.constant = Some(Constant {
                    place: source.place(value),
                    text: value.as_str().map(Box::from),
                });
            }
            "multipleOf" => {
                let limit = limit(source, keyword, value)?;
                if value
                    .as_number()
                    .is_some_and(|number| number.compare(Number::Integer(0)).is_le())
                {
                    return Err(source.wrong_type(keyword, "greater than 0"));
                }
                number_checks(checks).multiple_of = Some(limit);
            }
            "minimum" | "maximum" => {
                let limit = Some(limit(source, keyword, value)?);
                let exclusive = if keyword == "minimum" {
                    "exclusiveMinimum"
                } else {
                    "exclusiveMaximum"
                };
                let is_exclusive = source.draft == Draft::Draft4
                    && source.value.get(exclusive).and_then(Value::as_bool) == Some(true);
                let numbers = number_checks(checks);
                numbers.exclusive_by_modifier |= is_exclusive;
                match (keyword, is_exclusive) {
                    ("minimum", false) => numbers.minimum = limit,
                    ("minimum", true) => numbers.exclusive_minimum = limit,
                    (_, false) => numbers.maximum = limit,
                    (_, true) => numbers.exclusive_maximum = limit,
                }
            }
            "exclusiveMinimum" | "exclusiveMaximum" if source.draft >= Draft::Draft6 => {
                let limit = Some(limit(source, keyword, value)?);
                let numbers = number_checks(checks);
                if keyword == "exclusiveMinimum" {
                    numbers.exclusive_minimum = limit;
                } else {
                    numbers.exclusive_maximum = limit;
                }
            }
            // Read together with minimum and maximum.
            "exclusiveMinimum" | "exclusiveMaximum" => {}
            "minLength" => string_checks(checks).min_length = Some(size(source, keyword, value)?),
            "maxLength" => string_checks(checks).max_length = Some(size(source, keyword, value)?),
            "pattern" => {
                let pattern = self.pattern(source, keyword, value.as_str())?;
                string_checks(checks).pattern = Some(pattern);
            }
            "minItems" => array_checks(checks).min_items = Some(size(source, keyword, value)?),
            "maxItems" => array_checks(checks).max_items = Some(size(source, keyword, value)?),
            "uniqueItems" => {
                let unique = value
                    .as_bool()
                    .ok_or_else(|| source.wrong_type(keyword, "true or false"))?;
                if unique {
                    array_checks(checks).unique_items = true;
                }
            }
            "minProperties" => object_checks(checks).min_properties = Some(size(source, keyword, value)?),
            "maxProperties" => object_checks(checks).max_properties = Some(size(source, keyword, value)?),
            "required" => {
                names(source, keyword, value)?;
                object_checks(checks).table.has_required = true;
            }
            "dependentRequired" if source.draft >= Draft::Draft201909 => {
                let mut list = Vec::new();
                for member in value
                    .as_object()
                    .ok_or_else(|| source.wrong_type(keyword, "an object"))?
                {
                    list.push((member.key.into(), names(source, keyword, member.value)?));
                }
                object_checks(checks).dependent_required = Some(list);
            }
            // Read together with `contains`.
            "minContains" | "maxContains" if source.draft >= Draft::Draft201909 => {
                size(source, keyword, value)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn format_or_content(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<bool, SchemaError> {
        match (keyword, value.as_str()) {
            ("format", Some(name)) => {
                let asserts = source.vocabularies.has(Vocabularies::FORMAT_ASSERTION)
                    || (self.assert_formats && source.vocabularies.has(Vocabularies::FORMAT_ANNOTATION));
                match Format::from_name(name) {
                    Some(format) if asserts => string_checks(checks).format = Some(format),
                    Some(_) => {}
                    None => {
                        let name = crate::text::cut(name);
                        let has_room = self.notes.unknown_formats.len() < MAX_NOTES;
                        let is_new = has_room && !self.notes.unknown_formats.contains(&name);
                        if is_new && source.target.place.document == 0 {
                            self.notes.unknown_formats.push(name);
                        }
                    }
                }
            }
            ("contentEncoding", Some(name)) if source.draft == Draft::Draft7 => {
                if name.eq_ignore_ascii_case("base64") {
                    string_checks(checks).is_base64 = true;
                }
            }
            ("contentMediaType", Some(name)) if source.draft == Draft::Draft7 => {
                if name.eq_ignore_ascii_case("application/json") {
                    string_checks(checks).is_json = true;
                }
            }
            ("format" | "contentEncoding" | "contentMediaType", _) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn pattern(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        text: Option<&str>,
    ) -> Result<Arc<Pattern>, SchemaError> {
        let text = text.ok_or_else(|| source.wrong_type(keyword, "a string"))?;
        if let Some(pattern) = self.patterns.get(text) {
            return Ok(Arc::clone(pattern));
        }
        if self.patterns.len() >= limits::MAX_PATTERNS {
            return Err(SchemaError::limit("has too many different patterns"));
        }
        let steps = Pattern::compile_steps(text);
        self.pattern_steps = self
            .pattern_steps
            .checked_sub(steps)
            .ok_or_else(|| SchemaError::limit("has too many large patterns"))?;
        let pattern = Pattern::compile(text).map_err(|error| match error {
            PatternError::Invalid => source.wrong(
                keyword,
                "is not a regular expression of ECMA-262",
                "Write the pattern as JavaScript's RegExp reads it.",
            ),
            PatternError::TooLarge => SchemaError::limit("has a pattern that is too large"),
        })?;
        let has_room = self.notes.slow_patterns.len() < MAX_NOTES;
        if pattern.may_be_slow() && has_room && source.target.place.document == 0 {
            self.notes
                .slow_patterns
                .push(super::path_of(source.value, Some(keyword)));
        }
        let pattern = Arc::new(pattern);
        self.patterns.insert(text.to_owned(), Arc::clone(&pattern));
        Ok(pattern)
    }

    // Applicators

    fn combinator(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<bool, SchemaError> {
        match keyword {
            "allOf" => {
                let ids = self.list(source, keyword, value)?;
                combined(checks).every.extend(ids);
            }
            "anyOf" => {
                let ids = self.list(source, keyword, value)?;
                combined(checks).any_of = Some(Branches::new(ids));
            }
            "oneOf" => {
                let ids = self.list(source, keyword, value)?;
                combined(checks).one_of = Some(Branches::new(ids));
            }
            "not" => {
                let id = self.inner(source, value)?;
                combined(checks).not = Some(id);
            }
            "if" if source.draft >= Draft::Draft7 => {
                let test = self.inner(source, value)?;
                let then = source
                    .value
                    .get("then")
                    .map(|schema| self.inner(source, schema))
                    .transpose()?;
                let otherwise = source
                    .value
                    .get("else")
                    .map(|schema| self.inner(source, schema))
                    .transpose()?;
                combined(checks).condition = Some(Condition {
                    test,
                    then,
                    otherwise,
                });
            }
            "then" | "else" if source.draft >= Draft::Draft7 => {
                // Without `if` they say nothing, but must be schemas.
                self.inner(source, value)?;
            }
            "dependentSchemas" if source.draft >= Draft::Draft201909 => {
                for member in value
                    .as_object()
                    .ok_or_else(|| source.wrong_type(keyword, "an object"))?
                {
                    let id = self.inner(source, member.value)?;
                    combined(checks).dependent_schemas.push((member.key.into(), id));
                }
            }
            "dependencies" => {
                let mut lists = Vec::new();
                for member in value
                    .as_object()
                    .ok_or_else(|| source.wrong_type(keyword, "an object"))?
                {
                    if member.value.kind() == Kind::Array {
                        lists.push((member.key.into(), names(source, keyword, member.value)?));
                    } else {
                        let id = self.inner(source, member.value)?;
                        combined(checks).dependent_schemas.push((member.key.into(), id));
                    }
                }
                if !lists.is_empty() {
                    object_checks(checks).dependencies = Some(lists);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn array_applicator(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<bool, SchemaError> {
        let has_prefix_items = source.draft >= Draft::Draft202012;
        match keyword {
            "prefixItems" if has_prefix_items => {
                let ids = self.list(source, keyword, value)?;
                array_checks(checks).prefix = ids;
            }
            "items" if has_prefix_items || value.kind() != Kind::Array => {
                // `false` here is a schema like any other: it is applied to each element past the prefix.
                let id = self.inner(source, value)?;
                array_checks(checks).rest = Some(Closing::Schema(id));
            }
            "items" => {
                let ids = self.list(source, keyword, value)?;
                let additional = source.value.get("additionalItems");
                let rest = additional
                    .map(|schema| self.closing(source, schema))
                    .transpose()?;
                let array = array_checks(checks);
                array.prefix = ids;
                array.rest = rest;
            }
            // Read together with `items`.
            "additionalItems" if !has_prefix_items => {
                self.inner(source, value)?;
            }
            "contains" if source.draft >= Draft::Draft6 => {
                let schema = self.inner(source, value)?;
                let counts =
                    source.draft >= Draft::Draft201909 && source.vocabularies.has(Vocabularies::VALIDATION);
                let limit = |keyword: &str| {
                    let value = source.value.get(keyword).filter(|_| counts);
                    value.map(|value| size(source, keyword, value)).transpose()
                };
                let (min, max) = (limit("minContains")?, limit("maxContains")?);
                let evaluates = source.draft >= Draft::Draft202012;
                array_checks(checks).contains = Some(Contains {
                    schema,
                    min,
                    max,
                    evaluates,
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn object_applicator(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<bool, SchemaError> {
        match keyword {
            "properties" => {
                // The table is built when all keywords are known; here its schemas get their indexes.
                value
                    .as_object()
                    .ok_or_else(|| source.wrong_type(keyword, "an object"))?;
                object_checks(checks);
            }
            "patternProperties" => {
                for member in value
                    .as_object()
                    .ok_or_else(|| source.wrong_type(keyword, "an object"))?
                {
                    let pattern = self.pattern(source, keyword, Some(member.key))?;
                    let id = self.inner(source, member.value)?;
                    object_checks(checks).patterns.push((pattern, id));
                }
            }
            "additionalProperties" => {
                let closing = self.closing(source, value)?;
                object_checks(checks).additional = Some(closing);
            }
            "propertyNames" if source.draft >= Draft::Draft6 => {
                let id = self.inner(source, value)?;
                object_checks(checks).names = Some(id);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unevaluated(
        &mut self,
        source: &Source<'_>,
        keyword: &str,
        value: Value<'_>,
        checks: &mut Checks,
    ) -> Result<bool, SchemaError> {
        match keyword {
            "unevaluatedItems" if source.draft >= Draft::Draft201909 => {
                checks.unevaluated_items = Some(self.closing(source, value)?);
            }
            "unevaluatedProperties" if source.draft >= Draft::Draft201909 => {
                checks.unevaluated_properties = Some(self.closing(source, value)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Builds the table of the names in `properties` and `required`.
    fn properties(&mut self, source: &Source<'_>, checks: &mut Checks) -> Result<(), SchemaError> {
        let Some(object) = &checks.object else {
            return Ok(());
        };
        let has_required = object.table.has_required;
        let mut names: Vec<Box<str>> = Vec::new();
        let mut list: Vec<Property> = Vec::new();
        let mut index: HashMap<Box<str>, usize> = HashMap::new();
        let properties = source
            .value
            .get("properties")
            .filter(|_| source.vocabularies.has(Vocabularies::APPLICATOR));
        for member in properties.and_then(Value::as_object).into_iter().flatten() {
            let schema = Some(self.inner(source, member.value)?);
            index.insert(member.key.into(), list.len());
            names.push(member.key.into());
            list.push(Property {
                schema,
                required: false,
            });
        }
        if has_required {
            let required = source
                .value
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            for name in required.filter_map(Value::as_str) {
                match index.get(name) {
                    Some(at) => list[*at].required = true,
                    None => {
                        index.insert(name.into(), list.len());
                        names.push(name.into());
                        list.push(Property {
                            schema: None,
                            required: true,
                        });
                    }
                }
            }
        }
        object_checks(checks).table = PropertyTable::new(names, list, has_required);
        Ok(())
    }

    fn list(&mut self, source: &Source<'_>, keyword: &str, value: Value<'_>) -> Result<Vec<Id>, SchemaError> {
        let elements = value
            .as_array()
            .ok_or_else(|| source.wrong_type(keyword, "an array of schemas"))?;
        elements.map(|schema| self.inner(source, schema)).collect()
    }

    fn closing(&mut self, source: &Source<'_>, schema: Value<'_>) -> Result<Closing, SchemaError> {
        if schema.as_bool() == Some(false) {
            return Ok(Closing::Closed);
        }
        Ok(Closing::Schema(self.inner(source, schema)?))
    }
}

fn combined(checks: &mut Checks) -> &mut Combined {
    checks.combined.get_or_insert_default()
}

fn number_checks(checks: &mut Checks) -> &mut NumberChecks {
    checks.number.get_or_insert_default()
}

fn string_checks(checks: &mut Checks) -> &mut StringChecks {
    checks.string.get_or_insert_default()
}

fn array_checks(checks: &mut Checks) -> &mut ArrayChecks {
    checks.array.get_or_insert_default()
}

fn object_checks(checks: &mut Checks) -> &mut ObjectChecks {
    checks.object.get_or_insert_default()
}

fn limit(source: &Source<'_>, keyword: &str, value: Value<'_>) -> Result<Limit, SchemaError> {
    let number = value
        .as_number()
        .ok_or_else(|| source.wrong_type(keyword, "a number"))?;
    let number = match number {
        Number::Integer(value) => Some(Number::Integer(value)),
        Number::Unsigned(value) => Some(Number::Unsigned(value)),
        Number::Float(value) => Some(Number::Float(value)),
        Number::Big(_) => None,
    };
    Ok(Limit {
        place: source.place(value),
        number,
    })
}

fn types(source: &Source<'_>, value: Value<'_>) -> Result<Types, SchemaError> {
    let wrong = || source.wrong_type("type", "the name of a JSON type or an array of such names");
    if let Some(name) = value.as_str() {
        return Types::from_name(name).ok_or_else(wrong);
    }
    let mut types = Types::NONE;
    for element in value.as_array().ok_or_else(wrong)? {
        types = types.with(element.as_str().and_then(Types::from_name).ok_or_else(wrong)?);
    }
    Ok(types)
}

fn enumeration(source: &Source<'_>, value: Value<'_>) -> Result<Enumeration, SchemaError> {
    let mut strings = Vec::new();
    let mut others = Vec::new();
    let mut other_cost = 0;
    let mut by_hash: HashMap<u64, SmallVec<[Place; 1]>> = HashMap::new();
    for element in value
        .as_array()
        .ok_or_else(|| source.wrong_type("enum", "an array"))?
    {
        match element.as_str() {
            Some(text) => strings.push(text.into()),
            None => {
                let place = source.place(element);
                others.push(place);
                other_cost += element.comparison_cost();
                by_hash.entry(structural_hash(element)).or_default().push(place);
            }
        }
    }
    Ok(Enumeration {
        place: source.place(value),
        strings: Strings::new(strings),
        by_hash: (others.len() > Enumeration::FEW).then_some(by_hash),
        others,
        other_cost,
    })
}

/// A non-negative whole number; one past 64 bits is as good as the largest.
fn size(source: &Source<'_>, keyword: &str, value: Value<'_>) -> Result<u64, SchemaError> {
    let wrong = || source.wrong_type(keyword, "a whole number of at least 0");
    let number = value
        .as_number()
        .filter(|number| number.is_whole())
        .ok_or_else(wrong)?;
    if number.compare(Number::Integer(0)).is_lt() {
        return Err(wrong());
    }
    Ok(match number {
        Number::Integer(value) => value.unsigned_abs(),
        Number::Unsigned(value) => value,
        Number::Big(_) => u64::MAX,
        // Casting a double saturates.
        Number::Float(value) => value as u64,
    })
}

fn names(source: &Source<'_>, keyword: &str, value: Value<'_>) -> Result<Vec<Box<str>>, SchemaError> {
    let wrong = || source.wrong_type(keyword, "an array of names");
    value
        .as_array()
        .ok_or_else(wrong)?
        .map(|name| name.as_str().map(Box::from).ok_or_else(wrong))
        .collect()
}

/// Keywords of the drafts that assert nothing.
fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "$schema"
            | "$id"
            | "id"
            | "$anchor"
            | "$dynamicAnchor"
            | "$recursiveAnchor"
            | "$vocabulary"
            | "$comment"
            | "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "contentSchema"
            | "$defs"
            | "definitions"
    )
}
