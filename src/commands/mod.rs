//! One command a file.

pub(crate) mod consume;
pub(crate) mod dlq;
mod input;
mod kafka;
pub(crate) mod keys;
pub(crate) mod produce;
pub(crate) mod receipt;
pub(crate) mod reputation;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod shell;
pub(crate) mod stream;
pub(crate) mod verify;
