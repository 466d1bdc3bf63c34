//! From files and topics to receipts: read → split → verify and sign in parallel → record → write, in order and in
//! bounded memory.
//!
//! One stage a file, in the order of the data. Between the stages travel a [`record::Batch`] of input and an
//! [`answer::Answers`] of output; both are bounded in bytes, and so is how many of them are under way.

pub mod answer;
pub mod clock;
pub mod consume;
pub mod dead_letter;
pub mod input;
pub mod kafka;
mod lock;
pub mod produce;
pub mod progress;
pub mod project;
pub mod record;
pub mod resume;
pub mod run;
pub mod run_id;
mod sink;
mod source;
pub mod stream;
pub mod summary;
