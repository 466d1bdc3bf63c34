//! The tests of the ledger, one module a behaviour.
//!
//! - `round_trip`: what is read is what was recorded, to the byte.
//! - `replacing`: ids in any order, among and over those that are there.
//! - `opening`: files of another version, another program, another state, and in other hands.
//! - `group_commit`: many callers, a queue that is full, a ledger that fails.
//! - `killing`: a process that is killed while it records.
//! - `keys`: making, rotating, naming and protecting keys.
//! - `runs`: what a resumed run finds.

#![expect(
    clippy::unwrap_used,
    reason = "a failed unwrap is a failed test, in the helpers as well"
)]

mod group_commit;
mod keys;
mod killing;
mod opening;
mod replacing;
mod round_trip;
mod runs;
mod sample;
