//! assay engine
