//! The tests of the whole, one module a behaviour; `tests/run` fetches what they need and runs them.
//!
//! - `vectors`: the published examples.
//! - `verify`: `assay verify` in all its forms, and the independent check of its receipts.
//! - `interruption`: kills and resumes.
//! - `suite`: the official JSON-Schema-Test-Suite, against its own answers and against the crate `jsonschema`.

mod command;
mod interruption;
mod material;
mod suite;
mod vectors;
mod verify;
