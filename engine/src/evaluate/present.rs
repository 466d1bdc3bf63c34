//! The names that an object has, for keywords that ask for many of them.

use std::collections::HashSet;

use crate::json::Value;
use crate::meter::{LimitExceeded, Meter};

/// What is asked for names.
pub(super) enum Present<'d> {
    /// Few questions, or few members: each question goes through the members.
    InOrder(Value<'d>),
    Set(HashSet<&'d str>),
}

impl<'d> Present<'d> {
    /// The names of an object that so many questions will be asked about.
    ///
    /// # Errors
    /// When the meter does not allow the questions.
    pub(super) fn of(
        object: Value<'d>,
        questions: usize,
        meter: &mut Meter,
    ) -> Result<Present<'d>, LimitExceeded> {
        /// Up to this product of questions and members, going through the members is quicker than hashing them.
        const FEW: usize = 256;
        /// Members looked at in about the time of one step.
        const MEMBERS_PER_STEP: usize = 8;
        /// Bytes hashed in about the time of one step.
        const BYTES_PER_STEP: usize = 32;
        let Some(members) = object.as_object() else {
            return Ok(Present::InOrder(object));
        };
        let product = questions.saturating_mul(members.len());
        if product <= FEW {
            meter.charge((product / MEMBERS_PER_STEP) as u64)?;
            return Ok(Present::InOrder(object));
        }
        let bytes: usize = members.map(|member| member.key.len()).sum();
        meter.charge((questions + 2 * members.len() + bytes / BYTES_PER_STEP) as u64)?;
        Ok(Present::Set(members.map(|member| member.key).collect()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Present::InOrder(object) => object.get(name).is_some(),
            Present::Set(names) => names.contains(name),
        }
    }
}
