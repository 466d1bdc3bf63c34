//! The tests of the whole, one module a behaviour; `tests/run` fetches what they need and runs them.
//!
//! - `cli`: the program as a user drives it: exit codes, what it says, and what it leaves on the disk.
//! - `vectors`: the published examples.
//! - `suite`: the official JSON-Schema-Test-Suite, against its own answers and against the crate `jsonschema`.

mod cli;
mod material;
mod suite;
mod vectors;
