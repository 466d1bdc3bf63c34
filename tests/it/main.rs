//! The tests of the whole, one module a behaviour; `tests/run` fetches what they need and runs them.
//!
//! - `vectors`: the published examples.
//! - `suite`: the official JSON-Schema-Test-Suite, against its own answers and against the crate `jsonschema`.
//! - `verify`: `assay verify` in all its forms, and the independent check of its receipts.
//! - `interruption`: kills and resumes.
//! - `cli`: the other commands, as a user would run them.

#![expect(
    clippy::unwrap_used,
    reason = "in a test and its helpers a failed unwrap is a failed test"
)]

mod cli;
mod command;
mod interruption;
mod material;
mod suite;
mod vectors;
mod verify;
