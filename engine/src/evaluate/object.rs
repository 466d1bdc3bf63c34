//! Assertions on objects, and the schemas of their members: one pass over the members for all keywords.

use smallvec::SmallVec;

use super::evaluated::Evaluated;
use super::location::Location;
use super::present::Present;
use super::{Held, Walker, describe};
use crate::json::{Members, Value};
use crate::schema::{Closing, NameLists, ObjectChecks, PropertyTable};

/// The members that a closed object may not have: how many, and the first ones, for the text.
#[derive(Default)]
struct Extra<'d> {
    count: usize,
    first: SmallVec<[Value<'d>; 2]>,
}

impl<'d> Extra<'d> {
    #[inline]
    fn add<const COUNT: bool>(&mut self, name: Value<'d>) {
        if COUNT && self.count < describe::MAX_LISTED {
            self.first.push(name);
        }
        self.count += 1;
    }
}

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
        self.meter.charge(members.len() as u64 / 2)?;
        let mut held = true;
        let mut required = 0;
        let filter = checks.table.filter();
        let mut extra = Extra::default();
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
                    Some(Closing::Closed) => extra.add::<COUNT>(name),
                    Some(Closing::Schema(id)) => {
                        is_known = true;
                        held &= self.descend::<COUNT>(id, value, inner)?;
                    }
                }
            }
            if let Some(id) = checks.names {
                held &= self.descend::<COUNT>(id, name, inner)?;
            }
            if !COUNT && (!held || extra.count > 0) {
                return Ok(false);
            }
            if let Some(evaluated) = evaluated.as_deref_mut().filter(|_| is_known) {
                evaluated.mark(index);
            }
        }
        held &= self.required::<COUNT>(&checks.table, required, instance, at);
        if checks.additional == Some(Closing::Closed) {
            held &= self.record::<COUNT>(extra.count == 0, "schema:additionalProperties", |_| {
                let names = extra.first.iter().filter_map(|name| name.as_str());
                describe::unexpected_members(names, extra.count, at)
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
        self.record::<COUNT>(found == table.required, "schema:required", |_| {
            describe::missing(&table.missing(instance), at)
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
        let present = Present::of(instance, names, self.meter)?;
        let mut broken = lists.iter().filter(|(name, _)| present.has(name));
        let broken = broken.find(|(_, names)| names.iter().any(|name| !present.has(name)));
        Ok(self.record::<COUNT>(broken.is_none(), check, |_| {
            let (name, names) = broken.map_or(("", &[] as &[Box<str>]), |(name, names)| (name, names));
            describe::missing_beside(
                name,
                names.iter().map(|name| &**name).filter(|name| !present.has(name)),
                at,
            )
        }))
    }
}
