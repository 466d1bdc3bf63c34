//! A second counter of checks, written for plainness straight from section 3 of the protocol: no compilation, no
//! sharing with the engine, every keyword looked at by itself. It knows the numbers, patterns and formats that the
//! random schemas use, and no others.

use std::collections::BTreeSet;

use serde_json::Value;

/// One check that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// `schema:` and the keyword.
    pub(crate) name: String,
    /// Where in the instance, as the receipts write it.
    pub(crate) field: String,
    pub(crate) held: bool,
}

/// What one schema says of one instance: its checks, and which members and elements it has spoken of.
#[derive(Debug, Default)]
struct Outcome {
    checks: Vec<Check>,
    seen: Seen,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    members: BTreeSet<String>,
    elements: BTreeSet<usize>,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.members.extend(other.members);
        self.elements.extend(other.elements);
    }

    fn add_all_of(&mut self, instance: &Value) {
        self.members.extend(
            instance
                .as_object()
                .into_iter()
                .flat_map(|object| object.keys().cloned()),
        );
        self.elements.extend(0..instance.as_array().map_or(0, Vec::len));
    }
}

impl Outcome {
    fn is_valid(&self) -> bool {
        self.checks.iter().all(|check| check.held)
    }

    fn check(&mut self, keyword: &str, path: &str, held: bool) {
        let field = if path.is_empty() { "$" } else { path };
        self.checks.push(Check {
            name: format!("schema:{keyword}"),
            field: field.to_owned(),
            held,
        });
    }

    /// A schema for another place of the instance: its checks count here, what it has seen does not.
    fn apply_inside(&mut self, inner: Outcome) {
        self.checks.extend(inner.checks);
    }

    /// A schema for the same place whose checks count: what it has seen counts when it holds.
    fn apply_here(&mut self, inner: Outcome) {
        if inner.is_valid() {
            self.seen.add(inner.seen);
        }
        self.checks.extend(inner.checks);
    }
}

/// All checks of `schema` on `instance`. The schema names its draft in `$schema`.
pub(crate) fn checks(schema: &Value, instance: &Value) -> Vec<Check> {
    let naive = Naive {
        root: schema,
        year: year(schema),
    };
    naive.apply(schema, instance, "").checks
}

/// The draft: 4, 6 and 7, then by the year.
fn year(schema: &Value) -> u32 {
    match schema.get("$schema").and_then(Value::as_str) {
        Some("http://json-schema.org/draft-04/schema#") => 4,
        Some("http://json-schema.org/draft-06/schema#") => 6,
        Some("http://json-schema.org/draft-07/schema#") => 7,
        Some("https://json-schema.org/draft/2019-09/schema") => 2019,
        Some("https://json-schema.org/draft/2020-12/schema") | None => 2020,
        Some(other) => panic!("{other} is no draft"),
    }
}

struct Naive<'s> {
    root: &'s Value,
    year: u32,
}

impl Naive<'_> {
    fn apply(&self, schema: &Value, instance: &Value, path: &str) -> Outcome {
        let mut outcome = Outcome::default();
        let keywords = match schema {
            Value::Bool(true) => return outcome,
            Value::Bool(false) => {
                outcome.check("false", path, false);
                return outcome;
            }
            Value::Object(keywords) => keywords,
            _ => panic!("{schema} is no schema"),
        };
        if let Some(reference) = keywords.get("$ref").filter(|_| self.year <= 7) {
            outcome.apply_here(self.apply(self.find(reference), instance, path));
            return outcome;
        }
        for (keyword, value) in keywords {
            self.assertion(keyword, value, keywords, instance, path, &mut outcome);
            self.in_place(keyword, value, keywords, instance, path, &mut outcome);
            match instance {
                Value::Array(elements) => {
                    self.elements(keyword, value, keywords, elements, path, &mut outcome)
                }
                Value::Object(members) => self.members(keyword, value, keywords, members, path, &mut outcome),
                _ => {}
            }
        }
        // Last, because they speak of what all others have left.
        for (keyword, value) in keywords {
            self.unevaluated(keyword, value, instance, path, &mut outcome);
        }
        outcome
    }

    fn holds(&self, schema: &Value, instance: &Value) -> bool {
        self.apply(schema, instance, "").is_valid()
    }

    fn find(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        self.root.pointer(pointer).unwrap()
    }

    fn assertion(
        &self,
        keyword: &str,
        value: &Value,
        keywords: &serde_json::Map<String, Value>,
        instance: &Value,
        path: &str,
        outcome: &mut Outcome,
    ) {
        let held = match (keyword, instance) {
            ("type", _) => {
                let names = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
                names
                    .iter()
                    .any(|name| self.has_type(instance, name.as_str().unwrap()))
            }
            ("enum", _) => value.as_array().unwrap().iter().any(|one| equal(one, instance)),
            ("const", _) if self.year >= 6 => equal(value, instance),
            ("multipleOf", Value::Number(_)) => thousandths(instance) % thousandths(value) == 0,
            // draft-04: the other keyword changes what this one asserts, and asserts nothing itself.
            ("minimum", Value::Number(_)) if is_true(keywords.get("exclusiveMinimum")) => {
                thousandths(instance) > thousandths(value)
            }
            ("maximum", Value::Number(_)) if is_true(keywords.get("exclusiveMaximum")) => {
                thousandths(instance) < thousandths(value)
            }
            ("minimum", Value::Number(_)) => thousandths(instance) >= thousandths(value),
            ("maximum", Value::Number(_)) => thousandths(instance) <= thousandths(value),
            ("exclusiveMinimum", Value::Number(_)) if value.is_number() => {
                thousandths(instance) > thousandths(value)
            }
            ("exclusiveMaximum", Value::Number(_)) if value.is_number() => {
                thousandths(instance) < thousandths(value)
            }
            ("minLength", Value::String(text)) => text.chars().count() >= size(value),
            ("maxLength", Value::String(text)) => text.chars().count() <= size(value),
            ("pattern", Value::String(text)) => matches(value.as_str().unwrap(), text),
            ("format", Value::String(text)) => match has_format(value.as_str().unwrap(), text) {
                Some(held) => held,
                None => return,
            },
            ("contentEncoding", Value::String(text)) if self.year == 7 => base64(text).is_some(),
            ("contentMediaType", Value::String(text)) if self.year == 7 => {
                let content = match keywords.get("contentEncoding") {
                    Some(_) => base64(text),
                    None => Some(text.as_bytes().to_vec()),
                };
                content.is_some_and(|content| serde_json::from_slice::<Value>(&content).is_ok())
            }
            ("minItems", Value::Array(elements)) => elements.len() >= size(value),
            ("maxItems", Value::Array(elements)) => elements.len() <= size(value),
            ("uniqueItems", Value::Array(elements)) if value == &Value::Bool(true) => {
                let is_new = |at: usize| elements[..at].iter().all(|before| !equal(before, &elements[at]));
                (0..elements.len()).all(is_new)
            }
            ("minProperties", Value::Object(members)) => members.len() >= size(value),
            ("maxProperties", Value::Object(members)) => members.len() <= size(value),
            ("required", Value::Object(members)) => has_all(members, value),
            ("dependentRequired", Value::Object(members)) if self.year >= 2019 => {
                let mut lists = value.as_object().unwrap().iter();
                lists.all(|(name, names)| !members.contains_key(name) || has_all(members, names))
            }
            ("dependencies", Value::Object(members)) => {
                let lists: Vec<_> = value
                    .as_object()
                    .unwrap()
                    .iter()
                    .filter(|(_, one)| one.is_array())
                    .collect();
                if lists.is_empty() {
                    return;
                }
                lists
                    .iter()
                    .all(|(name, names)| !members.contains_key(*name) || has_all(members, names))
            }
            _ => return,
        };
        outcome.check(keyword, path, held);
    }

    fn has_type(&self, instance: &Value, name: &str) -> bool {
        match (instance, name) {
            (Value::Null, "null") | (Value::Bool(_), "boolean") | (Value::String(_), "string") => true,
            (Value::Number(_), "number") | (Value::Array(_), "array") | (Value::Object(_), "object") => true,
            (Value::Number(number), "integer") if self.year == 4 => !number.to_string().contains('.'),
            (Value::Number(_), "integer") => thousandths(instance) % 1000 == 0,
            _ => false,
        }
    }

    fn in_place(
        &self,
        keyword: &str,
        value: &Value,
        keywords: &serde_json::Map<String, Value>,
        instance: &Value,
        path: &str,
        outcome: &mut Outcome,
    ) {
        let apply = |schema: &Value| self.apply(schema, instance, path);
        match keyword {
            "$ref" => outcome.apply_here(apply(self.find(value))),
            "allOf" => value
                .as_array()
                .unwrap()
                .iter()
                .for_each(|schema| outcome.apply_here(apply(schema))),
            "anyOf" | "oneOf" => {
                let branches = value.as_array().unwrap().iter().map(apply);
                let holding: Vec<Outcome> = branches.filter(Outcome::is_valid).collect();
                let held = if keyword == "anyOf" {
                    !holding.is_empty()
                } else {
                    holding.len() == 1
                };
                outcome.check(keyword, path, held);
                if held {
                    holding
                        .into_iter()
                        .for_each(|branch| outcome.seen.add(branch.seen));
                }
            }
            "not" => outcome.check(keyword, path, !self.holds(value, instance)),
            "if" if self.year >= 7 => {
                let test = apply(value);
                let branch = if test.is_valid() { "then" } else { "else" };
                if test.is_valid() {
                    outcome.seen.add(test.seen);
                }
                if let Some(schema) = keywords.get(branch) {
                    outcome.apply_here(apply(schema));
                }
            }
            "dependentSchemas" | "dependencies" if keyword == "dependencies" || self.year >= 2019 => {
                for (name, schema) in value.as_object().unwrap() {
                    if instance.get(name).is_some() && !schema.is_array() {
                        outcome.apply_here(apply(schema));
                    }
                }
            }
            _ => {}
        }
    }

    fn elements(
        &self,
        keyword: &str,
        value: &Value,
        keywords: &serde_json::Map<String, Value>,
        elements: &[Value],
        path: &str,
        outcome: &mut Outcome,
    ) {
        let apply = |schema: &Value, at: usize| self.apply(schema, &elements[at], &format!("{path}[{at}]"));
        match (keyword, value) {
            ("prefixItems", Value::Array(schemas)) if self.year >= 2020 => {
                for (at, schema) in schemas.iter().enumerate().take(elements.len()) {
                    outcome.apply_inside(apply(schema, at));
                    outcome.seen.elements.insert(at);
                }
            }
            ("items", Value::Array(schemas)) => {
                let additional = keywords.get("additionalItems");
                for at in 0..elements.len() {
                    match (schemas.get(at), additional) {
                        (Some(schema), _) => outcome.apply_inside(apply(schema, at)),
                        (None, Some(schema)) if schema != &Value::Bool(false) => {
                            outcome.apply_inside(apply(schema, at));
                        }
                        _ => {}
                    }
                    if at < schemas.len() || additional.is_some() {
                        outcome.seen.elements.insert(at);
                    }
                }
                if additional == Some(&Value::Bool(false)) {
                    outcome.check("additionalItems", path, elements.len() <= schemas.len());
                }
            }
            ("items", schema) => {
                let prefix = keywords.get("prefixItems").filter(|_| self.year >= 2020);
                let prefix = prefix.map_or(0, |schemas| schemas.as_array().unwrap().len());
                for at in prefix..elements.len() {
                    outcome.apply_inside(apply(schema, at));
                    outcome.seen.elements.insert(at);
                }
            }
            ("contains", schema) if self.year >= 6 => {
                let found: Vec<usize> = (0..elements.len())
                    .filter(|at| self.holds(schema, &elements[*at]))
                    .collect();
                let limit = |name: &str| keywords.get(name).filter(|_| self.year >= 2019).map(size);
                let may_be_none = limit("minContains") == Some(0);
                outcome.check("contains", path, !found.is_empty() || may_be_none);
                if let Some(min) = limit("minContains") {
                    outcome.check("minContains", path, found.len() >= min);
                }
                if let Some(max) = limit("maxContains") {
                    outcome.check("maxContains", path, found.len() <= max);
                }
                if self.year >= 2020 {
                    outcome.seen.elements.extend(found);
                }
            }
            _ => {}
        }
    }

    fn members(
        &self,
        keyword: &str,
        value: &Value,
        keywords: &serde_json::Map<String, Value>,
        members: &serde_json::Map<String, Value>,
        path: &str,
        outcome: &mut Outcome,
    ) {
        let place = |name: &str| {
            if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            }
        };
        match keyword {
            "properties" => {
                for (name, schema) in value.as_object().unwrap() {
                    if let Some(member) = members.get(name) {
                        outcome.apply_inside(self.apply(schema, member, &place(name)));
                        outcome.seen.members.insert(name.clone());
                    }
                }
            }
            "patternProperties" => {
                for (pattern, schema) in value.as_object().unwrap() {
                    for (name, member) in members.iter().filter(|(name, _)| matches(pattern, name)) {
                        outcome.apply_inside(self.apply(schema, member, &place(name)));
                        outcome.seen.members.insert(name.clone());
                    }
                }
            }
            "additionalProperties" => {
                let named = |keyword: &str| {
                    keywords
                        .get(keyword)
                        .and_then(Value::as_object)
                        .into_iter()
                        .flatten()
                };
                let is_additional = |name: &str| {
                    named("properties").all(|(known, _)| known != name)
                        && named("patternProperties").all(|(pattern, _)| !matches(pattern, name))
                };
                let additional = members.iter().filter(|(name, _)| is_additional(name));
                if value == &Value::Bool(false) {
                    outcome.check(keyword, path, additional.count() == 0);
                    outcome.seen.members.extend(members.keys().cloned());
                    return;
                }
                for (name, member) in additional {
                    outcome.apply_inside(self.apply(value, member, &place(name)));
                    outcome.seen.members.insert(name.clone());
                }
            }
            "propertyNames" if self.year >= 6 => {
                for name in members.keys() {
                    outcome.apply_inside(self.apply(value, &Value::String(name.clone()), &place(name)));
                }
            }
            _ => {}
        }
    }

    fn unevaluated(&self, keyword: &str, value: &Value, instance: &Value, path: &str, outcome: &mut Outcome) {
        if self.year < 2019 {
            return;
        }
        let left: Vec<(String, &Value)> = match (keyword, instance) {
            ("unevaluatedItems", Value::Array(elements)) => {
                let unseen = elements
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| !outcome.seen.elements.contains(at));
                unseen
                    .map(|(at, element)| (format!("{path}[{at}]"), element))
                    .collect()
            }
            ("unevaluatedProperties", Value::Object(members)) => {
                let dot = if path.is_empty() { "" } else { "." };
                let unseen = members
                    .iter()
                    .filter(|(name, _)| !outcome.seen.members.contains(*name));
                unseen
                    .map(|(name, member)| (format!("{path}{dot}{name}"), member))
                    .collect()
            }
            _ => return,
        };
        if value == &Value::Bool(false) {
            outcome.check(keyword, path, left.is_empty());
        } else {
            left.iter()
                .for_each(|(place, one)| outcome.apply_inside(self.apply(value, one, place)));
        }
        outcome.seen.add_all_of(instance);
    }
}

fn is_true(value: Option<&Value>) -> bool {
    value == Some(&Value::Bool(true))
}

fn has_all(members: &serde_json::Map<String, Value>, names: &Value) -> bool {
    names
        .as_array()
        .unwrap()
        .iter()
        .all(|name| members.contains_key(name.as_str().unwrap()))
}

fn size(value: &Value) -> usize {
    usize::try_from(thousandths(value) / 1000).unwrap()
}

/// A number in thousandths: no number of these tests has a fourth decimal.
fn thousandths(number: &Value) -> i64 {
    let text = number.as_number().unwrap().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{fraction:0<3}").parse().unwrap()
}

/// Equality of JSON values, numbers by their value.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => thousandths(a) == thousandths(b),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| equal(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| equal(x, y)))
        }
        (a, b) => a == b,
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern {
        "" => true,
        "^a" => text.starts_with('a'),
        "b$" => text.ends_with('b'),
        "^.$" => text.chars().count() == 1 && text != "\n",
        "[bc]" => text.contains(['b', 'c']),
        "^INV-[0-9]{4}$" => {
            text.len() == 8 && text.starts_with("INV-") && text[4..].bytes().all(|b| b.is_ascii_digit())
        }
        "^\\d+$" => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
        other => panic!("the pattern {other} is not known here"),
    }
}

/// Whether one of the strings of these tests has a format; `None` for a format that no draft defines.
fn has_format(name: &str, text: &str) -> Option<bool> {
    Some(match name {
        "date" => text == "2024-02-29",
        "ipv4" => text == "127.0.0.1",
        "uuid" => text == "123e4567-e89b-12d3-a456-426614174000",
        "color" => return None,
        other => panic!("the format {other} is not known here"),
    })
}

/// The content of one of the strings of these tests in base64.
fn base64(text: &str) -> Option<Vec<u8>> {
    match text {
        "" => Some(Vec::new()),
        "e30=" => Some(b"{}".to_vec()),
        "bbbb" => Some(vec![0x6d, 0xb6, 0xdb]),
        other if other.len() % 4 != 0 => None,
        other if other.contains(|character: char| !character.is_ascii_alphanumeric()) => None,
        other => panic!("the content of {other} is not known here"),
    }
}
