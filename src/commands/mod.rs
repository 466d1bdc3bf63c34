//! One command a file.

pub(crate) mod clickhouse;
pub(crate) mod config;
pub(crate) mod consume;
pub(crate) mod dlq;
mod input;
mod kafka;
pub(crate) mod keys;
pub(crate) mod migrate;
pub(crate) mod produce;
pub(crate) mod project;
pub(crate) mod rebuild;
pub(crate) mod receipt;
pub(crate) mod reputation;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod shell;
pub(crate) mod stream;
pub(crate) mod verify;
