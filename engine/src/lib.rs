//! The check itself: one request in, one verdict and one signed response out.
//!
//! Pure and synchronous: no clock, no I/O, no async. Time and keys come in as arguments, so the same input gives the
//! same bytes. The modules stand in the order of the data.

pub mod json;
pub mod limits;

pub mod contract;
mod request;

pub mod format;
pub mod meter;
pub mod pattern;
pub mod schema;

pub mod content;
mod content_walk;
mod digest;
mod evaluate;
pub mod hex;
pub mod integrity;
mod text;
pub mod verdict;

pub mod problem;
pub mod receipt;
pub mod response;
pub mod score;
pub mod time;
pub mod wire;

pub mod verifier;

pub mod audit;
