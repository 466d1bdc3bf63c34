//! The tests of the whole, one module a behaviour; `tests/run` fetches what they need and runs them.
//!
//! - `json_reading`: what the two readers of JSON accept and refuse, and that they agree.
//! - `canonical`: the canonical form, by RFC 8785's vectors, a million numbers, and properties of every value.
//! - `vectors`: the published examples.
//! - `suite`: the official JSON-Schema-Test-Suite, against its own answers and against the crate `jsonschema`.
//! - `counts`: the number of checks and the violations, against a naive counter and the crate `jsonschema`.
//! - `cases`: inputs of public bug reports with their right answers, and published contracts, kept and broken.
//! - `attacks`: what strangers send to use up time, memory or stack ends soon, and honest documents of any size pass.
//! - `verify`: `assay verify` in all its forms, and the independent check of its receipts.
//! - `interruption`: kills and resumes.
//! - `stream`: topics of deliverables on a real cluster, which `KAFKA_BROKERS` names.
//! - `cli`: the other commands, as a user would run them.
//! - `clickhouse`: the ledger in ClickHouse, beside the embedded one.
//! - `project`: from the receipts topic into ClickHouse, whatever fails.
//! - `wire`: receipts read back from their wire form.
//!
//! The rest is what they share: `choices`, `texts` and `schemas` make random material, `receipts` makes receipts, `naive` is
//! the naive counter, `material` finds what lies in files, `command` runs the program, `database`, `topics` and `broker`
//! reach the services, and `faulty_way` breaks the way to them.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "in a test and its helpers a failed unwrap is a failed test, and what is printed shows only then"
)]

mod attacks;
mod broker;
mod canonical;
mod cases;
mod choices;
mod cli;
mod clickhouse;
mod command;
mod counts;
mod database;
mod faulty_way;
mod interruption;
mod json_reading;
mod material;
mod naive;
mod project;
mod receipts;
mod schemas;
mod stream;
mod suite;
mod texts;
mod topics;
mod vectors;
mod verify;
mod wire;
