//! The tests of the whole, one module a behaviour; `tests/run` fetches what they need and runs them.
//!
//! - `vectors`: the published examples.
//! - `suite`: the official JSON-Schema-Test-Suite, against its own answers and against the crate `jsonschema`.

mod material;
mod suite;
mod vectors;
