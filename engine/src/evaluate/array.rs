//! Assertions on arrays, and the schemas of their elements.

use std::collections::HashSet;

use super::evaluated::Evaluated;
use super::location::Location;
use super::{Held, Walker, describe};
use crate::json::{Elements, Value, ValueKey, View};
use crate::meter::LimitExceeded;
use crate::schema::{ArrayChecks, Closing, Contains, Form, Id};

impl Walker<'_> {
    pub(super) fn array<const COUNT: bool>(
        &mut self,
        checks: &ArrayChecks,
        instance: Value<'_>,
        at: &Location<'_>,
        mut evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let Some(elements) = instance.as_array() else {
            return Ok(true);
        };
        let len = elements.len();
        let mut held = true;
        if let Some(min) = checks.min_items {
            held &= self.record::<COUNT>(len as u64 >= min, "schema:minItems", |_| {
                describe::size("at least", min, "items", len, at)
            });
        }
        if let Some(max) = checks.max_items {
            held &= self.record::<COUNT>(len as u64 <= max, "schema:maxItems", |_| {
                describe::size("at most", max, "items", len, at)
            });
        }
        if !held && !COUNT {
            return Ok(false);
        }
        if checks.unique_items {
            let repeated = self.find_repeated(elements, instance)?;
            held &= self.record::<COUNT>(repeated.is_none(), "schema:uniqueItems", |_| {
                describe::not_unique(instance, repeated.unwrap_or_default(), at)
            });
        }
        if !checks.prefix.is_empty() || checks.rest.is_some() {
            held &= self.elements::<COUNT>(checks, elements, at, evaluated.as_deref_mut())?;
        }
        if !held && !COUNT {
            return Ok(false);
        }
        if let Some(contains) = &checks.contains {
            held &= self.contains::<COUNT>(contains, elements, at, evaluated)?;
        }
        Ok(held)
    }

    fn elements<const COUNT: bool>(
        &mut self,
        checks: &ArrayChecks,
        elements: Elements<'_>,
        at: &Location<'_>,
        evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let len = elements.len();
        let prefix = checks.prefix.len();
        let mut held = true;
        let rest = match checks.rest {
            Some(Closing::Schema(id)) if prefix == 0 && self.all_have_type::<COUNT>(id, elements)? => None,
            Some(Closing::Schema(id)) => Some(id),
            _ => None,
        };
        for (index, element) in elements.enumerate() {
            let id = match (checks.prefix.get(index), rest) {
                (Some(id), _) => *id,
                (None, Some(id)) => id,
                (None, None) => break,
            };
            held &= self.descend::<COUNT>(id, element, || Location::Element { parent: at, index })?;
            if !held && !COUNT {
                return Ok(false);
            }
        }
        if checks.rest == Some(Closing::Closed) {
            held &= self.record::<COUNT>(len <= prefix, "schema:additionalItems", |_| {
                describe::size("at most", prefix as u64, "items", len, at)
            });
        }
        if let Some(evaluated) = evaluated {
            match checks.rest {
                Some(_) => evaluated.mark_all(),
                None => evaluated.mark_prefix(prefix.min(len)),
            }
        }
        Ok(held)
    }

    /// Whether the schema asserts a type only and all elements have it; they are counted then. A list of plain values
    /// is the most frequent array, and this is a third of the work of applying the schema to each of them.
    #[inline(always)]
    pub(super) fn all_have_type<const COUNT: bool>(
        &mut self,
        id: Id,
        elements: Elements<'_>,
    ) -> Result<bool, LimitExceeded> {
        let Form::Type(check) = &self.schema.subschemas[id as usize].form else {
            return Ok(false);
        };
        let len = elements.len() as u64;
        self.meter.charge(len / 4)?;
        for element in elements {
            if !check.kinds.has(element.node()) {
                return Ok(false);
            }
        }
        if COUNT {
            self.tally.count_held(len);
        }
        Ok(true)
    }

    #[inline(never)]
    fn contains<const COUNT: bool>(
        &mut self,
        contains: &Contains,
        elements: Elements<'_>,
        at: &Location<'_>,
        mut evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let mut found: u64 = 0;
        for (index, element) in elements.enumerate() {
            let place = || Location::Element { parent: at, index };
            if self.descend::<false>(contains.schema, element, place)? {
                found += 1;
                if let Some(evaluated) = evaluated.as_deref_mut().filter(|_| contains.evaluates) {
                    evaluated.mark(index);
                }
            }
        }
        let is_contained = found > 0 || contains.min == Some(0);
        let mut held = self.record::<COUNT>(is_contained, "schema:contains", |_| {
            describe::contains_nothing(at)
        });
        if let Some(min) = contains.min {
            held &= self.record::<COUNT>(found >= min, "schema:minContains", |_| {
                describe::contains("at least", min, found, at)
            });
        }
        if let Some(max) = contains.max {
            held &= self.record::<COUNT>(found <= max, "schema:maxContains", |_| {
                describe::contains("at most", max, found, at)
            });
        }
        Ok(held)
    }

    /// Two equal elements, by their indexes.
    #[inline(never)]
    fn find_repeated(
        &mut self,
        elements: Elements<'_>,
        instance: Value<'_>,
    ) -> Result<Option<(usize, usize)>, LimitExceeded> {
        /// Up to this many, comparing all pairs is quicker than hashing: values that differ mostly differ early.
        const PAIRED: usize = 8;
        let len = elements.len();
        if len < 2 {
            return Ok(None);
        }
        let cost = instance.hash_cost();
        self.meter.charge(cost)?;
        if len <= PAIRED {
            // An element may be compared as often as there are others.
            self.meter.charge(cost.saturating_mul(len as u64) / 2)?;
            for (index, element) in elements.enumerate() {
                let mut before = elements.take(index).enumerate();
                if let Some((first, _)) = before.find(|(_, other)| crate::json::equal(element, *other)) {
                    return Ok(Some((first, index)));
                }
            }
            return Ok(None);
        }
        let mut seen = HashSet::with_capacity(elements.len());
        for (index, element) in elements.enumerate() {
            if !seen.insert(ValueKey(element)) {
                let first = elements
                    .enumerate()
                    .find(|(_, other)| crate::json::equal(element, *other));
                return Ok(Some((first.map_or(0, |(first, _)| first), index)));
            }
        }
        Ok(None)
    }

    /// `unevaluatedItems` and `unevaluatedProperties`.
    pub(super) fn unevaluated<const COUNT: bool>(
        &mut self,
        closing: Closing,
        instance: Value<'_>,
        at: &Location<'_>,
        evaluated: &Evaluated,
    ) -> Held {
        /// Members or elements looked at in about the time of one step.
        const LOOKED_AT_PER_STEP: usize = 8;
        let view = instance.view();
        let len = match view {
            View::Array(elements) => elements.len(),
            View::Object(members) => members.len(),
            _ => 0,
        };
        self.meter.charge((len / LOOKED_AT_PER_STEP) as u64)?;
        match (view, closing) {
            (View::Array(elements), Closing::Closed) => {
                let extra = (0..elements.len()).find(|index| !evaluated.contains(*index));
                Ok(
                    self.record::<COUNT>(extra.is_none(), "schema:unevaluatedItems", |_| {
                        describe::unexpected_element(instance, extra.unwrap_or_default(), at)
                    }),
                )
            }
            (View::Array(elements), Closing::Schema(id)) => {
                let mut held = true;
                for (index, element) in elements
                    .enumerate()
                    .filter(|(index, _)| !evaluated.contains(*index))
                {
                    held &= self.descend::<COUNT>(id, element, || Location::Element { parent: at, index })?;
                    if !held && !COUNT {
                        return Ok(false);
                    }
                }
                Ok(held)
            }
            (View::Object(members), Closing::Closed) => {
                let is_closed = members.enumerate().all(|(index, _)| evaluated.contains(index));
                Ok(
                    self.record::<COUNT>(is_closed, "schema:unevaluatedProperties", |_| {
                        let extra = members
                            .enumerate()
                            .filter(|(index, _)| !evaluated.contains(*index));
                        let count = extra.clone().count();
                        describe::unexpected_members(extra.map(|(_, member)| member.key), count, at)
                    }),
                )
            }
            (View::Object(members), Closing::Schema(id)) => {
                let mut held = true;
                for (_, member) in members
                    .raw()
                    .enumerate()
                    .filter(|(index, _)| !evaluated.contains(*index))
                {
                    let name = member.name;
                    held &=
                        self.descend::<COUNT>(id, member.value, || Location::Member { parent: at, name })?;
                    if !held && !COUNT {
                        return Ok(false);
                    }
                }
                Ok(held)
            }
            _ => Ok(true),
        }
    }
}
