//! Shorter ways through a compiled schema, found when all of it is known. They change no verdict and no count.

use super::subschema::{Anchored, Checks, Closing, Form, Id, Kinds, Subschema};

/// Puts every edge past the schemas that only pass on, and finds out what tells branches apart.
pub(super) fn shorten(subschemas: &mut [Subschema], anchored: &mut [Anchored], root: &mut Id) {
    // A dynamic reference is there when an anchor is referred to.
    let has_dynamic_references = !anchored.is_empty();
    let targets: Vec<Id> = (0..subschemas.len() as Id)
        .map(|id| target(subschemas, id, has_dynamic_references))
        .collect();
    let redirect = |id: &mut Id| *id = targets[*id as usize];
    redirect(root);
    anchored.iter_mut().flat_map(Anchored::ids_mut).for_each(redirect);
    for checks in subschemas.iter_mut().filter_map(checks_mut) {
        for_each_edge(checks, redirect);
        checks.array.iter_mut().for_each(|array| array.finish());
        checks.object.iter_mut().for_each(|object| object.finish());
    }
    let kinds = kinds(subschemas);
    for at in 0..subschemas.len() {
        // The lists are taken out while the schemas that they lead to are looked at.
        let Some((mut any_of, mut one_of)) = combined_lists(&mut subschemas[at]) else {
            continue;
        };
        for list in any_of.iter_mut().chain(&mut one_of) {
            list.discern(subschemas, &kinds);
        }
        if let Some(combined) = checks_mut(&mut subschemas[at]).and_then(|checks| checks.combined.as_mut()) {
            combined.any_of = any_of;
            combined.one_of = one_of;
        }
    }
}

type Lists = (
    Option<super::branches::Branches>,
    Option<super::branches::Branches>,
);

fn combined_lists(subschema: &mut Subschema) -> Option<Lists> {
    let combined = checks_mut(subschema)?.combined.as_mut()?;
    Some((combined.any_of.take(), combined.one_of.take()))
}

fn checks_mut(subschema: &mut Subschema) -> Option<&mut Checks> {
    match &mut subschema.form {
        Form::Checks(checks) => Some(checks),
        _ => None,
    }
}

/// Where an application of the schema comes to assert something: a `$ref` or an `allOf` of one schema, alone in its
/// object, asserts nothing itself, and most references of published schemas are such.
fn target(subschemas: &[Subschema], id: Id, has_dynamic_references: bool) -> Id {
    /// Chains are rarely longer, and a circle must end somewhere: evaluating it then goes over the limit of depth.
    const MAX_HOPS: usize = 8;
    let mut at = &subschemas[id as usize];
    let mut target = id;
    for _ in 0..MAX_HOPS {
        let Some(next) = passes_on_to(at) else { break };
        let to = &subschemas[next as usize];
        // The dynamic scope must see every resource on the way.
        if has_dynamic_references && to.resource != at.resource {
            break;
        }
        (at, target) = (to, next);
    }
    target
}

/// The schema that another one is no more than a way to.
fn passes_on_to(subschema: &Subschema) -> Option<Id> {
    let Form::Checks(checks) = &subschema.form else {
        return None;
    };
    let combined = checks.combined.as_ref()?;
    let [next] = *combined.every else { return None };
    let asserts = checks.types.is_some()
        || checks.enumeration.is_some()
        || checks.constant.is_some()
        || checks.number.is_some()
        || checks.string.is_some()
        || checks.array.is_some()
        || checks.object.is_some()
        || checks.unevaluated_items.is_some()
        || checks.unevaluated_properties.is_some()
        || !combined.dynamic_references.is_empty()
        || combined.any_of.is_some()
        || combined.one_of.is_some()
        || combined.not.is_some()
        || combined.condition.is_some()
        || !combined.dependent_schemas.is_empty();
    (!asserts).then_some(next)
}

fn for_each_edge(checks: &mut Checks, mut edge: impl FnMut(&mut Id)) {
    let mut closing = |closing: &mut Option<Closing>| {
        if let Some(Closing::Schema(id)) = closing {
            edge(id);
        }
    };
    closing(&mut checks.unevaluated_items);
    closing(&mut checks.unevaluated_properties);
    if let Some(array) = &mut checks.array {
        closing(&mut array.rest);
        array.prefix.iter_mut().for_each(&mut edge);
        array
            .contains
            .iter_mut()
            .for_each(|contains| edge(&mut contains.schema));
    }
    if let Some(object) = &mut checks.object {
        if let Some(Closing::Schema(id)) = &mut object.additional {
            edge(id);
        }
        let properties = object.table.properties.iter_mut();
        properties
            .filter_map(|property| property.schema.as_mut())
            .for_each(&mut edge);
        object.patterns.iter_mut().for_each(|(_, id)| edge(id));
        object.names.iter_mut().for_each(&mut edge);
    }
    if let Some(combined) = &mut checks.combined {
        combined.every.iter_mut().for_each(&mut edge);
        for reference in &mut combined.dynamic_references {
            edge(&mut reference.initial);
        }
        let lists = combined.any_of.iter_mut().chain(&mut combined.one_of);
        lists.flat_map(|list| list.ids_mut()).for_each(&mut edge);
        combined.not.iter_mut().for_each(&mut edge);
        if let Some(condition) = &mut combined.condition {
            edge(&mut condition.test);
            condition
                .then
                .iter_mut()
                .chain(&mut condition.otherwise)
                .for_each(&mut edge);
        }
        combined.dependent_schemas.iter_mut().for_each(|(_, id)| edge(id));
    }
}

/// For every subschema the instances that it may hold for.
fn kinds(subschemas: &[Subschema]) -> Vec<Kinds> {
    /// How many references and lists within one another are seen through. Any number gives a true answer.
    const ROUNDS: usize = 3;
    let mut kinds = vec![Kinds::ALL; subschemas.len()];
    for _ in 0..ROUNDS {
        for (at, subschema) in subschemas.iter().enumerate() {
            kinds[at] = kinds_of(&subschema.form, &kinds);
        }
    }
    kinds
}

fn kinds_of(form: &Form, kinds: &[Kinds]) -> Kinds {
    let checks = match form {
        Form::True => return Kinds::ALL,
        Form::False => return Kinds::NONE,
        Form::Type(check) => return check.kinds,
        Form::Checks(checks) => checks,
    };
    let mut all = checks.types.map_or(Kinds::ALL, |check| check.kinds);
    if checks
        .constant
        .as_ref()
        .is_some_and(|constant| constant.text.is_some())
        || checks
            .enumeration
            .as_ref()
            .is_some_and(|list| list.others.is_empty())
    {
        all = all.and(Kinds::STRING);
    }
    let Some(combined) = &checks.combined else {
        return all;
    };
    for id in &combined.every {
        all = all.and(kinds[*id as usize]);
    }
    for list in combined.any_of.iter().chain(&combined.one_of) {
        all = all.and(list.ids().fold(Kinds::NONE, |any, id| any.or(kinds[id as usize])));
    }
    all
}
