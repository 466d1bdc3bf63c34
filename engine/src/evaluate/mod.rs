//! One walk over the instance: the verdict, the exact counts, and every violation (protocol, section 3).
//!
//! The walker runs in two modes. Counting, it visits everything and counts each assertion. Testing, it only answers
//! whether an instance is valid and stops at the first failure; that is how it looks inside `anyOf`, `oneOf`, `not`,
//! `if` and `contains`, whose content is not counted.

mod array;
mod combined;
mod describe;
mod evaluated;
mod location;
mod object;
mod present;
mod scalar;

use evaluated::Evaluated;
use location::Location;

use crate::json::{Node, Value};
use crate::limits::MAX_EVALUATION_DEPTH;
use crate::meter::{LimitExceeded, Meter};
use crate::schema::{Checks, Form, Id, Schema, Subschema};
use crate::verdict::{Tally, Violation, Violations};

/// Whether `instance` is valid, stopping at the first failure.
pub(crate) fn is_valid(
    schema: &Schema,
    instance: Value<'_>,
    meter: &mut Meter,
) -> Result<bool, LimitExceeded> {
    let mut tally = Tally::default();
    let mut violations = Violations::default();
    let mut walker = Walker::new(schema, meter, &mut tally, &mut violations);
    walker.apply::<false>(schema.root, instance, &Location::Root, None)
}

/// Checks `instance`, counting every assertion and listing every violation.
pub(crate) fn check(
    schema: &Schema,
    instance: Value<'_>,
    meter: &mut Meter,
    tally: &mut Tally,
    violations: &mut Violations,
) -> Result<(), LimitExceeded> {
    let mut walker = Walker::new(schema, meter, tally, violations);
    walker.apply::<true>(schema.root, instance, &Location::Root, None)?;
    Ok(())
}

/// What a walk carries along.
struct Walker<'w> {
    schema: &'w Schema,
    meter: &'w mut Meter,
    tally: &'w mut Tally,
    violations: &'w mut Violations,
    depth: usize,
    /// The resources entered, outermost first; kept only for a schema with dynamic references.
    scope: Vec<u32>,
}

type Held = Result<bool, LimitExceeded>;

/// Bytes of two strings that are compared in about the time of one step.
const COMPARED_BYTES_PER_STEP: u64 = 256;

impl<'w> Walker<'w> {
    fn new(
        schema: &'w Schema,
        meter: &'w mut Meter,
        tally: &'w mut Tally,
        violations: &'w mut Violations,
    ) -> Walker<'w> {
        Walker {
            schema,
            meter,
            tally,
            violations,
            depth: 0,
            scope: Vec::new(),
        }
    }

    /// Applies a subschema to an instance. `outer` learns which of the instance's members or elements it evaluates.
    #[inline]
    fn apply<const COUNT: bool>(
        &mut self,
        id: Id,
        instance: Value<'_>,
        at: &Location<'_>,
        outer: Option<&mut Evaluated>,
    ) -> Held {
        match self.begin::<COUNT>(id, instance)? {
            None => Ok(true),
            Some(subschema) => self.apply_whole::<COUNT>(subschema, instance, at, outer),
        }
    }

    /// Applies a subschema to a member or an element. Where it stands is put together only when that is needed.
    #[inline(always)]
    fn descend<'l, const COUNT: bool>(
        &mut self,
        id: Id,
        instance: Value<'_>,
        at: impl FnOnce() -> Location<'l>,
    ) -> Held {
        match self.begin::<COUNT>(id, instance)? {
            None => Ok(true),
            Some(subschema) => self.apply_whole::<COUNT>(subschema, instance, &at(), None),
        }
    }

    /// The start of an application, and all of it for most: nothing to check, or just a type, which is right.
    /// Done in place, that saves them the call.
    #[inline(always)]
    fn begin<const COUNT: bool>(
        &mut self,
        id: Id,
        instance: Value<'_>,
    ) -> Result<Option<&'w Subschema>, LimitExceeded> {
        self.meter.charge(1)?;
        let schema = self.schema;
        let subschema = &schema.subschemas[id as usize];
        match &subschema.form {
            Form::True => Ok(None),
            Form::Type(check) if check.kinds.has(instance.node()) => {
                if COUNT {
                    self.tally.count(true);
                }
                Ok(None)
            }
            _ => Ok(Some(subschema)),
        }
    }

    /// The rest of an application that [`Self::begin`] has not settled.
    #[inline(never)]
    fn apply_whole<const COUNT: bool>(
        &mut self,
        subschema: &Subschema,
        instance: Value<'_>,
        at: &Location<'_>,
        outer: Option<&mut Evaluated>,
    ) -> Held {
        let checks = match &subschema.form {
            Form::True => return Ok(true),
            Form::False => {
                return Ok(self.record::<COUNT>(false, "schema:false", move |_| {
                    describe::nothing_allowed(instance, at)
                }));
            }
            Form::Type(check) => {
                let held = check.kinds.has(instance.node());
                return Ok(self.record::<COUNT>(held, "schema:type", move |_| {
                    describe::wrong_type(check.types, instance, at)
                }));
            }
            Form::Checks(checks) => checks,
        };
        if self.depth == MAX_EVALUATION_DEPTH {
            return Err(LimitExceeded::Depth);
        }
        self.depth += 1;
        let enters = !self.schema.anchored.is_empty() && self.scope.last() != Some(&subschema.resource);
        if enters {
            self.scope.push(subschema.resource);
        }
        let held = self.apply_checks::<COUNT>(checks, instance, at, outer);
        if enters {
            self.scope.pop();
        }
        self.depth -= 1;
        held
    }

    #[inline]
    fn apply_checks<const COUNT: bool>(
        &mut self,
        checks: &Checks,
        instance: Value<'_>,
        at: &Location<'_>,
        outer: Option<&mut Evaluated>,
    ) -> Held {
        let node = instance.node();
        let held = self.general::<COUNT>(checks, instance, node, at)?;
        if !held && !COUNT {
            return Ok(false);
        }
        let closes = checks.unevaluated_items.is_some() || checks.unevaluated_properties.is_some();
        let rest = if closes || outer.is_some() {
            self.tracked::<COUNT>(checks, instance, at, outer)
        } else {
            self.typed::<COUNT>(checks, instance, node, at, None)
        };
        Ok(rest? && held)
    }

    /// As the end of [`Self::apply_checks`], with a record of what has been evaluated.
    #[inline(never)]
    fn tracked<const COUNT: bool>(
        &mut self,
        checks: &Checks,
        instance: Value<'_>,
        at: &Location<'_>,
        outer: Option<&mut Evaluated>,
    ) -> Held {
        let node = instance.node();
        let closes = match node {
            Node::Array { .. } => checks.unevaluated_items,
            Node::Object { .. } => checks.unevaluated_properties,
            _ => None,
        };
        if closes.is_none() && outer.is_none() {
            return self.typed::<COUNT>(checks, instance, node, at, None);
        }
        let mut evaluated = Evaluated::default();
        let mut held = self.typed::<COUNT>(checks, instance, node, at, Some(&mut evaluated))?;
        if !held && !COUNT {
            return Ok(false);
        }
        if let Some(closing) = closes {
            held &= self.unevaluated::<COUNT>(closing, instance, at, &evaluated)?;
            evaluated.mark_all();
        }
        if let Some(outer) = outer {
            self.meter.charge(evaluated.size())?;
            outer.merge(&evaluated);
        }
        Ok(held)
    }

    /// `type`, `enum` and `const`: the assertions for every type.
    #[inline]
    fn general<const COUNT: bool>(
        &mut self,
        checks: &Checks,
        instance: Value<'_>,
        node: &Node,
        at: &Location<'_>,
    ) -> Held {
        let mut held = true;
        if let Some(check) = checks.types {
            held = self.record::<COUNT>(check.kinds.has(node), "schema:type", move |_| {
                describe::wrong_type(check.types, instance, at)
            });
            if !held && !COUNT {
                return Ok(false);
            }
        }
        if let Some(enumeration) = &checks.enumeration {
            let found = self.is_among(enumeration, instance)?;
            held &= self.record::<COUNT>(found, "schema:enum", move |schema| {
                describe::not_among(schema.value(enumeration.place), instance, at)
            });
        }
        if let Some(constant) = &checks.constant {
            let is_equal = match &constant.text {
                Some(text) => {
                    self.meter.charge(text.len() as u64 / COMPARED_BYTES_PER_STEP)?;
                    instance.as_string_bytes() == Some(text.as_bytes())
                }
                None => {
                    let expected = self.schema.value(constant.place);
                    let is_alike = instance.kind() == expected.kind();
                    self.meter
                        .charge(if is_alike { expected.comparison_cost() } else { 0 })?;
                    is_alike && crate::json::equal(instance, expected)
                }
            };
            held &= self.record::<COUNT>(is_equal, "schema:const", move |schema| {
                describe::not_constant(schema.value(constant.place), instance, at)
            });
        }
        Ok(held)
    }

    /// The assertions for the instance's type, and the schemas applied in place.
    #[inline(always)]
    fn typed<const COUNT: bool>(
        &mut self,
        checks: &Checks,
        instance: Value<'_>,
        node: &Node,
        at: &Location<'_>,
        mut evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let mut held = true;
        match node {
            Node::Null | Node::Bool(_) => {}
            Node::Integer(_) | Node::Unsigned(_) | Node::BigInteger { .. } | Node::Float(_) => {
                if let Some(numbers) = &checks.number {
                    held = self.number::<COUNT>(numbers, instance, at)?;
                }
            }
            Node::String { .. } => {
                if let Some(strings) = &checks.string {
                    held = self.string::<COUNT>(strings, instance, at)?;
                }
            }
            Node::Array { .. } => {
                if let Some(arrays) = &checks.array {
                    // A list of plain values, the usual array, needs no call.
                    let is_plain_list = evaluated.is_none()
                        && match (arrays.items_only, instance.as_array()) {
                            (Some(id), Some(elements)) => self.all_have_type::<COUNT>(id, elements)?,
                            _ => false,
                        };
                    if !is_plain_list {
                        held = self.array::<COUNT>(arrays, instance, at, evaluated.as_deref_mut())?;
                    }
                }
            }
            Node::Object { .. } => {
                if let Some(objects) = &checks.object {
                    held = if objects.is_table_only && evaluated.is_none() {
                        self.table::<COUNT>(&objects.table, instance, at)?
                    } else {
                        self.object::<COUNT>(objects, instance, at, evaluated.as_deref_mut())?
                    };
                }
            }
        }
        if !held && !COUNT {
            return Ok(false);
        }
        if let Some(combined) = &checks.combined {
            held &= self.combined::<COUNT>(combined, instance, at, evaluated)?;
        }
        Ok(held)
    }

    /// Counts one check, in counting mode, and lists its violation.
    #[inline]
    fn record<const COUNT: bool>(
        &mut self,
        held: bool,
        check: &'static str,
        describe: impl FnOnce(&Schema) -> Described,
    ) -> bool {
        if COUNT {
            self.tally.count(held);
            if !held {
                self.list(check, describe);
            }
        }
        held
    }

    #[cold]
    #[inline(never)]
    fn list(&mut self, check: &'static str, describe: impl FnOnce(&Schema) -> Described) {
        let schema = self.schema;
        self.violations.add(check, || {
            let Described {
                field,
                expected,
                found,
                detail,
            } = describe(schema);
            Violation {
                check: check.into(),
                field,
                expected,
                found,
                detail,
            }
        });
    }
}

/// The texts of a violation.
struct Described {
    field: String,
    expected: String,
    found: String,
    detail: String,
}

#[cfg(test)]
mod tests;
