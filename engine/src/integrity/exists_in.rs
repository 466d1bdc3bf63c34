//! `exists_in`: the values at a path are among others.

use super::path::Path;
use super::run::{Presence, Run};
use super::value_set::ValueSet;
use super::walk::Walk;
use crate::json::{Document, Value};
use crate::meter::LimitExceeded;
use crate::text::quote;

/// The rule.
#[derive(Clone, Debug)]
pub(super) struct ExistsIn {
    pub(super) field: Path,
    pub(super) among: Among,
    pub(super) if_present: bool,
}

/// Where the allowed values are.
#[derive(Clone, Debug)]
pub(super) enum Among {
    /// In an array at that place of the rules.
    Values { at: u32, set: ValueSet },
    /// At a path of the output: all that it reaches, wherever the checked value stands.
    Field(Path),
}

impl ExistsIn {
    pub(super) fn check<'d>(&'d self, run: &mut Run<'_, 'd>) -> Result<(), LimitExceeded> {
        match &self.among {
            Among::Values { at, set } => {
                let list = Value::at(run.constants, *at);
                self.check_values(set, run.constants, run, || describe_list(list))
            }
            Among::Field(path) => {
                let Some(set) = self.collect(path, run)? else {
                    return Ok(());
                };
                let expected = || format!("one of the {} values at {}", set.len(), path.text());
                self.check_values(&set, run.output.document(), run, expected)
            }
        }
    }

    /// The values at a path; `None` when they violate the rule or are missing where they may be.
    fn collect(&self, path: &Path, run: &mut Run<'_, '_>) -> Result<Option<ValueSet>, LimitExceeded> {
        let mut set = ValueSet::default();
        let mut is_violated = false;
        let mut walk = Walk::new(path.steps(), run.output);
        while let Some(reached) = walk.next(run.meter)? {
            let expected = || format!("a value that {} may have", self.field.text());
            match run.presence(&walk, reached, self.if_present, expected) {
                Presence::Value(value) => set.push(value, run.meter)?,
                Presence::Skipped { is_whole_path: true } => return Ok(None),
                Presence::Skipped { is_whole_path: false } => {}
                // With one of the allowed values unknown, none of the others can be called wrong.
                Presence::Violated => is_violated = true,
            }
        }
        Ok((!is_violated).then(|| set.sorted()))
    }

    fn check_values<'d>(
        &self,
        set: &ValueSet,
        set_document: &Document,
        run: &mut Run<'_, 'd>,
        expected: impl Fn() -> String,
    ) -> Result<(), LimitExceeded> {
        let mut walk = Walk::new(self.field.steps(), run.output);
        while let Some(reached) = walk.next(run.meter)? {
            let Presence::Value(value) = run.presence(&walk, reached, self.if_present, &expected) else {
                continue;
            };
            if !set.contains(set_document, value, run.meter)? {
                run.violate_value(value, || walk.place(reached), &expected);
            }
        }
        Ok(())
    }
}

/// A list of allowed values, or how long it is.
fn describe_list(list: Value<'_>) -> String {
    /// A longer list would be cut, and a cut list helps less than its length.
    const MAX_LISTED_NODES: usize = 33;
    let count = list.as_array().map_or(0, |elements| elements.len());
    if list.node_count() <= MAX_LISTED_NODES {
        format!("one of {}", quote(list))
    } else {
        format!("one of the {count} values that the rule lists")
    }
}
