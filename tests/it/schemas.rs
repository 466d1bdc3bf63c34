//! Random schemas and instances over so small a vocabulary that they often meet.

use serde_json::{Map, Value, json};

use crate::choices::Choices;
use crate::naive;

const NAMES: [&str; 5] = ["a", "b", "c", "ab", "abc"];
const STRINGS: [&str; 13] = [
    "",
    "a",
    "b",
    "ab",
    "abc",
    "é",
    "12",
    "{}",
    "e30=",
    "bbbb",
    "2024-02-29",
    "127.0.0.1",
    "123e4567-e89b-12d3-a456-426614174000",
];
const PATTERNS: [&str; 6] = ["", "^a", "b$", "^.$", "[bc]", "^\\d+$"];
const DRAFTS: [(u32, &str); 5] = [
    (2020, "https://json-schema.org/draft/2020-12/schema"),
    (2019, "https://json-schema.org/draft/2019-09/schema"),
    (7, "http://json-schema.org/draft-07/schema#"),
    (6, "http://json-schema.org/draft-06/schema#"),
    (4, "http://json-schema.org/draft-04/schema#"),
];
const MAX_DEPTH: usize = 4;

/// A schema that names its draft.
pub(crate) fn schema(choices: &mut Choices<'_>) -> Value {
    // The newer half of the drafts has more to go wrong.
    let (year, uri) = DRAFTS[choices.pick(&[0, 0, 0, 1, 1, 2, 3, 4])];
    let definitions = choices.below(4);
    let mut writer = Writer {
        choices,
        year,
        definitions,
    };
    let mut root = writer.object(0, definitions);
    let named: Map<String, Value> = (0..definitions)
        .map(|at| (format!("d{at}"), writer.schema(1, at)))
        .collect();
    root.insert("$schema".to_owned(), uri.into());
    if !named.is_empty() {
        root.insert(writer.definitions_name().to_owned(), named.into());
    }
    Value::Object(root)
}

struct Writer<'w, 'c> {
    choices: &'w mut Choices<'c>,
    year: u32,
    /// How many definitions there are.
    definitions: usize,
}

impl Writer<'_, '_> {
    fn definitions_name(&self) -> &'static str {
        if self.year >= 2019 { "$defs" } else { "definitions" }
    }

    /// A schema that may refer to the definitions below `refers_below`, so that no circle of references stays at one
    /// place of the instance.
    fn schema(&mut self, depth: usize, refers_below: usize) -> Value {
        if self.year >= 6 && self.choices.once_in(8) {
            return self.choices.pick(&[true, false, true]).into();
        }
        Value::Object(self.object(depth, refers_below))
    }

    /// A schema for a part of the instance: it may refer to everything, the whole schema included.
    fn inner(&mut self, depth: usize) -> Value {
        if self.choices.once_in(16) {
            return json!({ "$ref": "#" });
        }
        self.schema(depth + 1, self.definitions)
    }

    fn object(&mut self, depth: usize, refers_below: usize) -> Map<String, Value> {
        let mut keywords = Map::new();
        let count = if depth == 0 {
            2 + self.choices.below(6)
        } else {
            self.choices.below(5)
        };
        for _ in 0..count {
            if depth < MAX_DEPTH && self.choices.once_in(2) {
                self.applicator(depth, refers_below, &mut keywords);
            } else {
                self.assertion(&mut keywords);
            }
        }
        keywords
    }

    fn assertion(&mut self, keywords: &mut Map<String, Value>) {
        let year = self.year;
        let small = |writer: &mut Self| Value::from(writer.choices.below(4));
        let (keyword, value) = match self.choices.below(22) {
            0..=2 => ("type", self.types()),
            3 => ("enum", self.distinct_values()),
            4 if year >= 6 => ("const", value(self.choices, 1)),
            5 => (
                "multipleOf",
                self.choices
                    .pick(&[json!(1), json!(2), json!(0.5), json!(0.1), json!(1.5)].each_ref())
                    .clone(),
            ),
            6 | 7 if year == 4 => {
                let (limit, exclusive) = self
                    .choices
                    .pick(&[("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")]);
                let is_exclusive: bool = self.choices.pick(&[false, true]);
                keywords.insert(limit.to_owned(), number(self.choices));
                keywords.insert(exclusive.to_owned(), is_exclusive.into());
                return;
            }
            6 => (self.choices.pick(&["minimum", "maximum"]), number(self.choices)),
            7 => (
                self.choices.pick(&["exclusiveMinimum", "exclusiveMaximum"]),
                number(self.choices),
            ),
            8 => ("minLength", small(self)),
            9 => ("maxLength", small(self)),
            10 => ("pattern", self.choices.pick(&PATTERNS).into()),
            // Those that the draft itself defines; the others are no format to the crate that the verdicts are held
            // against.
            11 if year >= 2019 => (
                "format",
                self.choices.pick(&["date", "ipv4", "uuid", "color"]).into(),
            ),
            11 => ("format", self.choices.pick(&["ipv4", "color"]).into()),
            12 if year == 7 => self
                .choices
                .pick(
                    &[
                        ("contentEncoding", "base64".into()),
                        ("contentMediaType", "application/json".into()),
                    ]
                    .each_ref(),
                )
                .clone(),
            13 => ("minItems", small(self)),
            14 => ("maxItems", small(self)),
            15 => ("uniqueItems", self.choices.pick(&[true, true, false]).into()),
            16 => ("minProperties", small(self)),
            17 => ("maxProperties", small(self)),
            18 | 19 => ("required", self.names()),
            20 if year >= 2019 => ("dependentRequired", self.named(|writer| writer.names())),
            21 if year >= 2019 => (self.choices.pick(&["minContains", "maxContains"]), small(self)),
            _ => ("title", "asserts nothing".into()),
        };
        keywords.insert(keyword.to_owned(), value);
    }

    /// One value or more that all differ, as the older drafts want the values of `enum`.
    fn distinct_values(&mut self) -> Value {
        let mut values = vec![value(self.choices, 1)];
        for _ in 0..self.choices.below(4) {
            let next = value(self.choices, 1);
            if !values.iter().any(|one| naive::equal(one, &next)) {
                values.push(next);
            }
        }
        Value::Array(values)
    }

    fn applicator(&mut self, depth: usize, refers_below: usize, keywords: &mut Map<String, Value>) {
        let year = self.year;
        let (keyword, value) = match self.choices.below(26) {
            0..=3 => ("properties", self.named(|writer| writer.inner(depth))),
            4 => {
                let patterns =
                    (0..1 + self.choices.below(2)).map(|_| self.choices.pick(&PATTERNS).to_owned());
                let patterns: Vec<String> = patterns.collect();
                let schemas = patterns.into_iter().map(|pattern| (pattern, self.inner(depth)));
                ("patternProperties", Value::Object(schemas.collect()))
            }
            5 => ("additionalProperties", self.closing(depth)),
            6 if year >= 6 => ("propertyNames", self.inner(depth)),
            7 | 8 if year >= 2020 => ("prefixItems", self.list(|writer| writer.inner(depth))),
            7 | 8 => {
                if self.choices.once_in(2) {
                    keywords.insert("additionalItems".to_owned(), self.closing(depth));
                }
                ("items", self.list(|writer| writer.inner(depth)))
            }
            9 | 10 => ("items", self.inner(depth)),
            11 if year >= 6 => ("contains", self.inner(depth)),
            12 => (
                "allOf",
                self.list(|writer| writer.schema(depth + 1, refers_below)),
            ),
            13 => (
                "anyOf",
                self.list(|writer| writer.schema(depth + 1, refers_below)),
            ),
            14 => (
                "oneOf",
                self.list(|writer| writer.schema(depth + 1, refers_below)),
            ),
            15 => ("not", self.schema(depth + 1, refers_below)),
            16 | 17 if year >= 7 => {
                for branch in ["then", "else"] {
                    if !self.choices.once_in(4) {
                        keywords.insert(branch.to_owned(), self.schema(depth + 1, refers_below));
                    }
                }
                ("if", self.schema(depth + 1, refers_below))
            }
            18 if year >= 2019 => (
                "dependentSchemas",
                self.named(|writer| writer.schema(depth + 1, refers_below)),
            ),
            19 => {
                let dependency = |writer: &mut Self| match writer.choices.below(2) {
                    0 => writer.names(),
                    _ => writer.schema(depth + 1, refers_below),
                };
                ("dependencies", self.named(dependency))
            }
            20 | 21 if year >= 2019 => ("unevaluatedProperties", self.closing(depth)),
            22 if year >= 2019 => ("unevaluatedItems", self.closing(depth)),
            _ if refers_below > 0 => {
                let target = self.choices.below(refers_below);
                ("$ref", format!("#/{}/d{target}", self.definitions_name()).into())
            }
            _ => return,
        };
        keywords.insert(keyword.to_owned(), value);
    }

    fn closing(&mut self, depth: usize) -> Value {
        if self.choices.once_in(3) {
            self.inner(depth)
        } else {
            Value::Bool(false)
        }
    }

    fn types(&mut self) -> Value {
        const TYPES: [&str; 9] = [
            "object", "array", "object", "array", "string", "number", "integer", "boolean", "null",
        ];
        let first = self.choices.pick(&TYPES);
        let second = self.choices.pick(&TYPES);
        if first != second && self.choices.once_in(3) {
            json!([first, second])
        } else {
            first.into()
        }
    }

    fn names(&mut self) -> Value {
        let first = self.choices.pick(&NAMES);
        let second = self.choices.pick(&NAMES);
        if first == second {
            json!([first])
        } else {
            json!([first, second])
        }
    }

    fn named(&mut self, mut one: impl FnMut(&mut Self) -> Value) -> Value {
        let names: Vec<&str> = (0..1 + self.choices.below(3))
            .map(|_| self.choices.pick(&NAMES))
            .collect();
        Value::Object(
            names
                .into_iter()
                .map(|name| (name.to_owned(), one(self)))
                .collect(),
        )
    }

    fn list(&mut self, mut one: impl FnMut(&mut Self) -> Value) -> Value {
        Value::Array((0..1 + self.choices.below(3)).map(|_| one(self)).collect())
    }
}

/// An instance that often is what the schema asks for.
pub(crate) fn instance(choices: &mut Choices<'_>, schema: &Value) -> Value {
    meeting(choices, schema, schema, 0)
}

fn meeting(choices: &mut Choices<'_>, root: &Value, schema: &Value, depth: usize) -> Value {
    let Some(keywords) = schema.as_object() else {
        return value(choices, depth);
    };
    if depth > MAX_DEPTH + 2 || choices.once_in(8) {
        return value(choices, depth);
    }
    if let Some(constant) = keywords.get("const") {
        return constant.clone();
    }
    if let Some(list) = keywords.get("enum").and_then(Value::as_array) {
        return list[choices.below(list.len())].clone();
    }
    let mut inner: Vec<&Value> = ["allOf", "anyOf", "oneOf"]
        .iter()
        .filter_map(|keyword| keywords.get(*keyword)?.as_array())
        .flatten()
        .chain(
            ["if", "then", "else"]
                .iter()
                .filter_map(|keyword| keywords.get(*keyword)),
        )
        .collect();
    let reference = keywords
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|text| root.pointer(&text[1..]));
    inner.extend(reference);
    if !inner.is_empty() && choices.once_in(3) {
        let chosen = inner[choices.below(inner.len())];
        return meeting(choices, root, chosen, depth + 1);
    }
    let asked = match keywords.get("type") {
        Some(Value::Array(names)) => names[choices.below(names.len())].as_str(),
        Some(name) => name.as_str(),
        None if keywords.contains_key("properties") || keywords.contains_key("required") => Some("object"),
        None if keywords.contains_key("items") || keywords.contains_key("prefixItems") => Some("array"),
        None => None,
    };
    match asked {
        Some("object") => {
            let mut members = Map::new();
            for (name, schema) in keywords
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                if !choices.once_in(4) {
                    members.insert(name.clone(), meeting(choices, root, schema, depth + 1));
                }
            }
            for name in keywords
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let name = name.as_str().unwrap().to_owned();
                members.entry(name).or_insert_with(|| value(choices, depth + 1));
            }
            if choices.once_in(3) {
                members.insert(choices.pick(&NAMES).to_owned(), value(choices, depth + 1));
            }
            Value::Object(members)
        }
        Some("array") => {
            let prefix = keywords
                .get("prefixItems")
                .or_else(|| keywords.get("items").filter(|items| items.is_array()));
            let prefix = prefix.and_then(Value::as_array);
            let rest = keywords
                .get("items")
                .filter(|items| !items.is_array())
                .unwrap_or(&Value::Bool(true));
            let schema_at = |at: usize| prefix.and_then(|schemas| schemas.get(at)).unwrap_or(rest);
            Value::Array(
                (0..choices.below(4))
                    .map(|at| meeting(choices, root, schema_at(at), depth + 1))
                    .collect(),
            )
        }
        Some("string") => choices.pick(&STRINGS).into(),
        Some("number" | "integer") => number(choices),
        Some("boolean") => choices.pick(&[true, false]).into(),
        Some("null") => Value::Null,
        _ => value(choices, depth),
    }
}

/// Any value, of not much depth.
fn value(choices: &mut Choices<'_>, depth: usize) -> Value {
    let kinds = if depth < MAX_DEPTH { 8 } else { 5 };
    match choices.below(kinds) {
        0 => Value::Null,
        1 => choices.pick(&[true, false]).into(),
        2 => number(choices),
        3 | 4 => choices.pick(&STRINGS).into(),
        5 | 6 => {
            let names: Vec<&str> = (0..choices.below(4)).map(|_| choices.pick(&NAMES)).collect();
            Value::Object(
                names
                    .into_iter()
                    .map(|name| (name.to_owned(), value(choices, depth + 1)))
                    .collect(),
            )
        }
        _ => Value::Array((0..choices.below(4)).map(|_| value(choices, depth + 1)).collect()),
    }
}

fn number(choices: &mut Choices<'_>) -> Value {
    match choices.below(4) {
        0..=2 => (choices.below(6) as i64 - 1).into(),
        _ => choices.pick(&[0.5, 1.0, 1.5, -0.5, 2.0, 0.3]).into(),
    }
}

/// The text of a value, the members of each object in an order that the choices decide.
pub(crate) fn shuffled(choices: &mut Choices<'_>, value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<String> = elements
                .iter()
                .map(|element| shuffled(choices, element))
                .collect();
            format!("[{}]", elements.join(","))
        }
        Value::Object(members) => {
            let mut left: Vec<(&String, &Value)> = members.iter().collect();
            let mut written = Vec::new();
            while !left.is_empty() {
                // From the end where there is no choice, which is not the order of the plain text.
                let at = left.len() - 1 - choices.below(left.len());
                let (name, member) = left.remove(at);
                written.push(format!(
                    "{}:{}",
                    Value::from(name.as_str()),
                    shuffled(choices, member)
                ));
            }
            format!("{{{}}}", written.join(","))
        }
        other => other.to_string(),
    }
}
