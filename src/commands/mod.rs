//! One command a file.

mod input;
pub(crate) mod keys;
pub(crate) mod migrate;
pub(crate) mod project;
pub(crate) mod rebuild;
pub(crate) mod receipt;
pub(crate) mod reputation;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod shell;
pub(crate) mod verify;
