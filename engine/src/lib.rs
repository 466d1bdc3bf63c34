//! assay engine

pub mod format;
