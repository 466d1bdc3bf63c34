//! assay pipeline
