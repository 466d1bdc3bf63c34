//! `unique`: no two values at a path are equal.

use super::path::Path;
use super::run::{Presence, Run, Texts};
use super::value_set::{Repeat, ValueSet};
use super::walk::{Walk, What};
use crate::json::Value;
use crate::limits::MAX_LIST_ENTRIES;
use crate::meter::LimitExceeded;
use crate::text::quote;

/// The rule.
#[derive(Clone, Debug)]
pub(super) struct Unique {
    pub(super) field: Path,
    pub(super) if_present: bool,
}

impl Unique {
    /// Every value that is equal to one before it is a violation.
    pub(super) fn check(&self, run: &mut Run<'_, '_>) -> Result<(), LimitExceeded> {
        let mut set = ValueSet::default();
        let mut walk = Walk::new(self.field.steps(), run.output);
        while let Some(reached) = walk.next(run.meter)? {
            let expected = || self.describe();
            if let Presence::Value(value) = run.presence(&walk, reached, self.if_present, expected) {
                set.push(value, run.meter)?;
            }
        }
        let document = run.output.document();
        let repeats = set.sorted().repeats(document, run.meter)?;
        if repeats.is_empty() {
            return Ok(());
        }
        let room = MAX_LIST_ENTRIES.saturating_sub(run.violations.entries.len());
        let places = self.places(&repeats[..room.min(repeats.len())], run)?;
        let place = |at: u32| match places.binary_search_by_key(&at, |(known, _)| *known) {
            Ok(index) => places[index].1.clone(),
            Err(_) => self.field.text().to_owned(),
        };
        for repeat in repeats {
            run.violate(|| {
                let value = quote(Value::at(document, repeat.place));
                let first = place(repeat.first);
                Texts {
                    field: place(repeat.place),
                    expected: self.describe(),
                    detail: format!(
                        "value {value} repeats {first}, expected every value of {} to be unique",
                        self.field.text()
                    ),
                    found: format!("{value}, the same as {first}"),
                }
            });
        }
        Ok(())
    }

    fn describe(&self) -> String {
        format!("a value that stands only once at {}", self.field.text())
    }

    /// The concrete paths of the values that the violations name, by their place on the tape. They are found by a
    /// second walk, so that an output without repeats keeps no paths.
    fn places(&self, repeats: &[Repeat], run: &mut Run<'_, '_>) -> Result<Vec<(u32, String)>, LimitExceeded> {
        let mut wanted: Vec<u32> = repeats
            .iter()
            .flat_map(|repeat| [repeat.place, repeat.first])
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut places = Vec::with_capacity(wanted.len());
        let mut walk = Walk::new(self.field.steps(), run.output);
        while places.len() < wanted.len() {
            let Some(reached) = walk.next(run.meter)? else {
                break;
            };
            if let What::Value(value) = reached.what {
                // The walk is in the order of the tape.
                if value.position() == wanted[places.len()] {
                    places.push((value.position(), walk.place(reached)));
                }
            }
        }
        Ok(places)
    }
}
