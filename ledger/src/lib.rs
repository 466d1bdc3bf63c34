//! assay ledger
