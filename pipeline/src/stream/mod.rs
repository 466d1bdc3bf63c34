//! From a topic of deliverables to a topic of receipts, each answered exactly once.
//!
//! The contract: every record of the input that this process commits has one receipt in the receipts topic or one letter in
//! the dead-letter topic, in the order of its partition; under `exactly-once` in the same transaction as its offset, under
//! `at-least-once` before it, with an id that a repetition shares. What cannot be written holds the offset: nothing is ever
//! passed over.
//!
//! One stage a file, in the order of the data: `consume` polls and cuts batches, `verify` answers them in parallel,
//! `deliver` writes and commits. While a batch is committed the next is verified and the one after is read. Between the
//! stages travel `batch::Batch` and `answer::Answered`; a `budget::Budget` of bytes bounds all of them together.
//! Whose partition it is, `ownership` knows: what was answered for a lost one is dropped, not written.

mod answer;
mod batch;
mod budget;
mod consume;
pub mod contracts;
mod deliver;
mod error;
mod fault;
pub mod health;
mod identity;
mod measures;
mod ownership;
mod run;
mod settings;
mod verify;

pub use error::StreamError;
pub use run::{Mode, Setup, StopSignal, StreamSummary, run};
pub use settings::{Delivery, Form, StreamSettings};
