//! Schemas applied in place: references, `allOf`, `anyOf`, `oneOf`, `not`, `if`, `dependentSchemas`.
//!
//! What a failing schema has evaluated does not count (Core, section 7.7.1.2), so every one records on its own and is
//! merged only when it holds.

use super::evaluated::Evaluated;
use super::location::Location;
use super::present::Present;
use super::{Held, Walker, describe};
use crate::json::Value;
use crate::meter::LimitExceeded;
use crate::schema::{Branches, Combined, DynamicReference, Id};

impl Walker<'_> {
    pub(super) fn combined<const COUNT: bool>(
        &mut self,
        combined: &Combined,
        instance: Value<'_>,
        at: &Location<'_>,
        mut evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let mut held = true;
        for id in &combined.every {
            held &= self.in_place::<COUNT>(*id, instance, at, evaluated.as_deref_mut())?;
            if !held && !COUNT {
                return Ok(false);
            }
        }
        for reference in &combined.dynamic_references {
            let id = self.resolve(reference)?;
            held &= self.in_place::<COUNT>(id, instance, at, evaluated.as_deref_mut())?;
        }
        if !combined.dependent_schemas.is_empty() {
            let present = Present::of(instance, combined.dependent_schemas.len(), self.meter)?;
            for (name, id) in &combined.dependent_schemas {
                if present.has(name) {
                    held &= self.in_place::<COUNT>(*id, instance, at, evaluated.as_deref_mut())?;
                }
            }
        }
        if !held && !COUNT {
            return Ok(false);
        }
        if let Some(branches) = &combined.any_of {
            self.meter.charge(branches.steps(instance))?;
            let mut holds = false;
            for id in branches.candidates(instance) {
                holds |= self.in_place::<false>(id, instance, at, evaluated.as_deref_mut())?;
                // With a record to keep, every branch that holds adds to it.
                if holds && evaluated.is_none() {
                    break;
                }
            }
            held &= self.record::<COUNT>(holds, "schema:anyOf", |_| {
                describe::no_branch(branches.len(), instance, at)
            });
        }
        if let Some(branches) = &combined.one_of {
            held &= self.one_of::<COUNT>(branches, instance, at, evaluated.as_deref_mut())?;
        }
        if let Some(id) = combined.not {
            let holds = !self.in_place::<false>(id, instance, at, None)?;
            held &= self.record::<COUNT>(holds, "schema:not", |_| describe::forbidden(instance, at));
        }
        if !held && !COUNT {
            return Ok(false);
        }
        if let Some(condition) = &combined.condition {
            let branch = if self.in_place::<false>(condition.test, instance, at, evaluated.as_deref_mut())? {
                condition.then
            } else {
                condition.otherwise
            };
            if let Some(id) = branch {
                held &= self.in_place::<COUNT>(id, instance, at, evaluated)?;
            }
        }
        Ok(held)
    }

    fn one_of<const COUNT: bool>(
        &mut self,
        branches: &Branches,
        instance: Value<'_>,
        at: &Location<'_>,
        evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let mut holding = 0;
        let mut record = evaluated.is_some().then(Evaluated::default);
        self.meter.charge(branches.steps(instance))?;
        for id in branches.candidates(instance) {
            holding += usize::from(self.in_place::<false>(id, instance, at, record.as_mut())?);
            if !COUNT && holding > 1 {
                return Ok(false);
            }
        }
        if let (1, Some(evaluated), Some(record)) = (holding, evaluated, &record) {
            evaluated.merge(record);
        }
        Ok(self.record::<COUNT>(holding == 1, "schema:oneOf", |_| {
            describe::not_one_branch(holding, branches.len(), instance, at)
        }))
    }

    /// Applies a schema to the same instance; what it evaluates counts when it holds.
    #[inline(always)]
    fn in_place<const COUNT: bool>(
        &mut self,
        id: Id,
        instance: Value<'_>,
        at: &Location<'_>,
        evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let Some(evaluated) = evaluated else {
            return self.apply::<COUNT>(id, instance, at, None);
        };
        self.recorded::<COUNT>(id, instance, at, evaluated)
    }

    #[inline(never)]
    fn recorded<const COUNT: bool>(
        &mut self,
        id: Id,
        instance: Value<'_>,
        at: &Location<'_>,
        evaluated: &mut Evaluated,
    ) -> Held {
        let mut record = Evaluated::default();
        let held = self.apply::<COUNT>(id, instance, at, Some(&mut record))?;
        if held {
            evaluated.merge(&record);
        }
        Ok(held)
    }

    /// The schema with the anchor in the outermost resource on the way here that has it.
    fn resolve(&mut self, reference: &DynamicReference) -> Result<Id, LimitExceeded> {
        self.meter.charge(self.scope.len() as u64)?;
        let anchored = self.schema.anchored.get(reference.anchor);
        let with_anchor = |entered: &u32| anchored?.in_resource(*entered);
        Ok(self
            .scope
            .iter()
            .find_map(with_anchor)
            .unwrap_or(reference.initial))
    }
}
