//! Assertions on objects, and the schemas of their members: one pass over the members for all keywords.

use super::evaluated::Evaluated;
use super::location::Location;
use super::{Held, Walker, describe};
use crate::json::{Members, Value, key_hash};
use crate::schema::{Closing, NameLists, ObjectChecks, PropertyTable};

impl Walker<'_> {
    pub(super) fn object<const COUNT: bool>(
        &mut self,
        checks: &ObjectChecks,
        instance: Value<'_>,
        at: &Location<'_>,
        evaluated: Option<&mut Evaluated>,
    ) -> Held {
        let Some(members) = instance.as_object() else {
            return Ok(true);
        };
        let len = members.len();
        let mut held = true;
        if let Some(min) = checks.min_properties {
            held &= self.record::<COUNT>(len as u64 >= min, "schema:minProperties", move |_| {
                describe::size("at least", min, "members", len, at)
            });
        }
        if let Some(max) = checks.max_properties {
            held &= self.record::<COUNT>(len as u64 <= max, "schema:maxProperties", move |_| {
                describe::size("at most", max, "members", len, at)
            });
        }
        if !held && !COUNT {
            return Ok(false);
        }
        // A short cut that changes no count: too few members cannot hold all required names.
        if !COUNT && len < checks.table.required {
            return Ok(false);
        }
        held &= self.members::<COUNT>(checks, members, instance, at, evaluated)?;
        if !held && !COUNT {
            return Ok(false);
        }
        if let Some(lists) = &checks.dependent_required {
            held &= self.dependent_names::<COUNT>("schema:dependentRequired", lists, instance, at)?;
        }
        if let Some(lists) = &checks.dependencies {
            held &= self.dependent_names::<COUNT>("schema:dependencies", lists, instance, at)?;
        }
        Ok(held)
    }

    /// As [`Self::object`], for `properties` and `required` alone, which most schemas are: members without a name in
    /// the table are passed over in a loop of some ten instructions each.
    pub(super) fn table<const COUNT: bool>(
        &mut self,
        table: &PropertyTable,
        instance: Value<'_>,
        at: &Location<'_>,
    ) -> Held {
        let Some(members) = instance.as_object() else {
            return Ok(true);
        };
        self.meter.charge(members.len() as u64 / 4)?;
        let mut held = true;
        let mut required = 0;
        let mut members = members.raw();
        while let Some(member) = members.next_in(table.filter()) {
            let Some(property) = table.find(member.hash, member.key()) else {
                continue;
            };
            required += usize::from(property.required);
            let Some(id) = property.schema else { continue };
            let name = member.name;
            held &= self.descend::<COUNT>(id, member.value, || Location::Member { parent: at, name })?;
            if !COUNT && !held {
                return Ok(false);
            }
        }
        held &= self.required::<COUNT>(table, required, instance, at);
        Ok(held)
    }

    /// `properties`, `patternProperties`, `additionalProperties`, `propertyNames` and `required`.
    #[inline]
    fn members<const COUNT: bool>(
        &mut self,
        checks: &ObjectChecks,
        members: Members<'_>,
        instance: Value<'_>,
        at: &Location<'_>,
        mut evaluated: Option<&mut Evaluated>,
    ) -> Held {
        self.meter.charge(members.len() as u64 / 4)?;
        let mut held = true;
        let mut required = 0;
        let filter = checks.table.filter();
        let mut has_extra = false;
        for (index, member) in members.raw().enumerate() {
            let (name, value) = (member.name, member.value);
            let inner = || Location::Member { parent: at, name };
            let mut is_known = false;
            let property = Some(member).filter(|member| filter.may_have(member.hash));
            if let Some(property) = property.and_then(|member| checks.table.find(member.hash, member.key())) {
                required += usize::from(property.required);
                if let Some(id) = property.schema {
                    is_known = true;
                    held &= self.descend::<COUNT>(id, value, inner)?;
                }
            }
            for (pattern, id) in &checks.patterns {
                if pattern.is_match(name.as_str().unwrap_or_default(), self.meter)? {
                    is_known = true;
                    held &= self.descend::<COUNT>(*id, value, inner)?;
                }
            }
            if !is_known {
                match checks.additional {
                    None => {}
                    Some(Closing::Closed) => has_extra = true,
                    Some(Closing::Schema(id)) => {
                        is_known = true;
                        held &= self.descend::<COUNT>(id, value, inner)?;
                    }
                }
            }
            if let Some(id) = checks.names {
                held &= self.descend::<COUNT>(id, name, inner)?;
            }
            if !COUNT && (!held || has_extra) {
                return Ok(false);
            }
            if let Some(evaluated) = evaluated.as_deref_mut().filter(|_| is_known) {
                evaluated.mark(index);
            }
        }
        held &= self.required::<COUNT>(&checks.table, required, instance, at);
        if checks.additional == Some(Closing::Closed) {
            held &= self.record::<COUNT>(!has_extra, "schema:additionalProperties", move |_| {
                let is_extra = |key: &&str| {
                    let hash = key_hash(key.as_bytes());
                    let property = checks.table.find(hash, key.as_bytes());
                    let known = property.is_some_and(|property| property.schema.is_some());
                    // The patterns have been tried on every key before, so the limit cannot be reached anew.
                    let mut meter = crate::meter::Meter::for_sizes(members.len(), key.len(), 0);
                    let mut patterns = checks.patterns.iter();
                    !known && !patterns.any(|(pattern, _)| pattern.is_match(key, &mut meter).unwrap_or(false))
                };
                describe::unexpected_members(members.map(|member| member.key).filter(is_extra), at)
            });
            if let Some(evaluated) = evaluated {
                evaluated.mark_all();
            }
        }
        Ok(held)
    }

    /// `required`, of whose names `found` have been found.
    #[inline]
    fn required<const COUNT: bool>(
        &mut self,
        table: &PropertyTable,
        found: usize,
        instance: Value<'_>,
        at: &Location<'_>,
    ) -> bool {
        if !table.has_required {
            return true;
        }
        self.record::<COUNT>(found == table.required, "schema:required", move |_| {
            let required = table.iter().filter(|(_, property)| property.required);
            describe::missing(required.map(|(name, _)| name), instance, at)
        })
    }

    #[inline(never)]
    fn dependent_names<const COUNT: bool>(
        &mut self,
        check: &'static str,
        lists: &NameLists,
        instance: Value<'_>,
        at: &Location<'_>,
    ) -> Held {
        let names: usize = lists.iter().map(|(_, names)| names.len() + 1).sum();
        let len = instance.as_object().map_or(0, |members| members.len());
        self.meter.charge((names * len / 16) as u64)?;
        let mut broken = lists.iter().filter(|(name, _)| instance.get(name).is_some());
        let broken = broken.find(|(_, names)| names.iter().any(|name| instance.get(name).is_none()));
        Ok(self.record::<COUNT>(broken.is_none(), check, move |_| {
            let (name, names) = broken.map_or(("", &[] as &[Box<str>]), |(name, names)| (name, names));
            describe::missing_beside(name, names.iter().map(|name| &**name), instance, at)
        }))
    }
}
