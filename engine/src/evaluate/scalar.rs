//! Assertions on numbers and strings, and membership in `enum`.

use std::cmp::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::location::Location;
use super::{COMPARED_BYTES_PER_STEP, Held, Walker, describe};
use crate::json::{Document, Number, ParseLimits, Value, parse_exact, structural_hash};
use crate::meter::LimitExceeded;
use crate::schema::{Enumeration, Limit, NumberChecks, StringChecks};

impl Walker<'_> {
    pub(super) fn is_among(&mut self, enumeration: &Enumeration, instance: Value<'_>) -> Held {
        if let Some(text) = instance.as_string_bytes() {
            self.meter.charge(text.len() as u64 / COMPARED_BYTES_PER_STEP)?;
            return Ok(enumeration.strings.contains(text));
        }
        if enumeration.others.is_empty() {
            return Ok(false);
        }
        let candidates = match &enumeration.by_hash {
            None => {
                self.meter.charge(enumeration.other_cost)?;
                enumeration.others.as_slice()
            }
            Some(by_hash) => {
                self.meter.charge(instance.hash_cost())?;
                let Some(candidates) = by_hash.get(&structural_hash(instance)) else {
                    return Ok(false);
                };
                candidates.as_slice()
            }
        };
        Ok(candidates
            .iter()
            .any(|place| crate::json::equal(instance, self.schema.value(*place))))
    }

    pub(super) fn number<const COUNT: bool>(
        &mut self,
        checks: &NumberChecks,
        instance: Value<'_>,
        at: &Location<'_>,
    ) -> Held {
        let schema = self.schema;
        /// What comparing an integer past 64 bits takes.
        const BIG_STEPS: u64 = 4;
        let number = instance.as_number().unwrap_or(Number::Integer(0));
        if matches!(number, Number::Big(_)) {
            self.meter.charge(BIG_STEPS)?;
        }
        let number_of = |limit: Limit| {
            let written = || schema.value(limit.place).as_number();
            limit.number.or_else(written).unwrap_or(Number::Integer(1))
        };
        let exclusive = if checks.exclusive_by_modifier {
            ["schema:minimum", "schema:maximum"]
        } else {
            ["schema:exclusiveMinimum", "schema:exclusiveMaximum"]
        };
        let mut held = true;
        let mut limit =
            |walker: &mut Self, limit: Option<Limit>, check, words, holds: fn(Ordering) -> bool| {
                let Some(limit) = limit else { return };
                let order = number.compare(number_of(limit));
                held &= walker.record::<COUNT>(holds(order), check, |schema| {
                    describe::number_limit(words, schema.value(limit.place), instance, at)
                });
            };
        limit(
            self,
            checks.minimum,
            "schema:minimum",
            "at least",
            Ordering::is_ge,
        );
        limit(
            self,
            checks.exclusive_minimum,
            exclusive[0],
            "greater than",
            Ordering::is_gt,
        );
        limit(self, checks.maximum, "schema:maximum", "at most", Ordering::is_le);
        limit(
            self,
            checks.exclusive_maximum,
            exclusive[1],
            "less than",
            Ordering::is_lt,
        );
        if let Some(limit) = checks.multiple_of {
            let divisor = number_of(limit);
            self.meter.charge(number.multiple_cost(divisor))?;
            let is_multiple = number.is_multiple_of(divisor);
            held &= self.record::<COUNT>(is_multiple, "schema:multipleOf", |schema| {
                describe::number_limit("a multiple of", schema.value(limit.place), instance, at)
            });
        }
        Ok(held)
    }

    pub(super) fn string<const COUNT: bool>(
        &mut self,
        checks: &StringChecks,
        instance: Value<'_>,
        at: &Location<'_>,
    ) -> Held {
        let text = instance.as_str().unwrap_or_default();
        /// Bytes of text that are read in about the time of one step.
        const BYTES_PER_STEP: usize = 64;
        self.meter.charge((text.len() / BYTES_PER_STEP) as u64)?;
        let mut held = true;
        if let Some(min) = checks.min_length {
            held &= self.record::<COUNT>(has_min_chars(text, min), "schema:minLength", |_| {
                describe::length("at least", min, text, at)
            });
        }
        if let Some(max) = checks.max_length {
            let is_short = text.len() as u64 <= max || text.chars().count() as u64 <= max;
            held &= self.record::<COUNT>(is_short, "schema:maxLength", |_| {
                describe::length("at most", max, text, at)
            });
        }
        if !held && !COUNT {
            return Ok(false);
        }
        if let Some(pattern) = &checks.pattern {
            let matches = pattern.is_match(text, self.meter)?;
            held &= self.record::<COUNT>(matches, "schema:pattern", |_| {
                describe::no_match(pattern.as_str(), instance, at)
            });
        }
        if let Some(format) = checks.format {
            self.meter.charge(format.steps(text))?;
            held &= self.record::<COUNT>(format.is_valid(text), "schema:format", |_| {
                describe::wrong_format(format.name(), instance, at)
            });
        }
        if checks.is_base64 || checks.is_json {
            held &= self.content::<COUNT>(checks, text, instance, at)?;
        }
        Ok(held)
    }

    /// `contentEncoding` and `contentMediaType` of draft-07 (Validation, section 8).
    fn content<const COUNT: bool>(
        &mut self,
        checks: &StringChecks,
        text: &str,
        instance: Value<'_>,
        at: &Location<'_>,
    ) -> Result<bool, LimitExceeded> {
        let mut held = true;
        let mut content = Some(text.as_bytes().to_vec());
        if checks.is_base64 {
            content = STANDARD.decode(text).ok();
            held &= self.record::<COUNT>(content.is_some(), "schema:contentEncoding", |_| {
                describe::wrong_content("base64", instance, at)
            });
        }
        if checks.is_json {
            /// Bytes of JSON that are read in about the time of one step.
            const READ_BYTES_PER_STEP: usize = 4;
            self.meter.charge((text.len() / READ_BYTES_PER_STEP) as u64)?;
            let is_json = content.is_some_and(|bytes| {
                parse_exact(&bytes, &ParseLimits::default(), &mut Document::new()).is_ok()
            });
            held &= self.record::<COUNT>(is_json, "schema:contentMediaType", |_| {
                describe::wrong_content("application/json", instance, at)
            });
        }
        Ok(held)
    }
}

/// Whether the text has at least `min` characters, counted only where the bytes do not tell.
fn has_min_chars(text: &str, min: u64) -> bool {
    /// Bytes of the longest character in UTF-8.
    const MAX_CHAR_BYTES: u64 = 4;
    let bytes = text.len() as u64;
    if bytes < min {
        return false;
    }
    bytes / MAX_CHAR_BYTES >= min || text.chars().count() as u64 >= min
}
