//! What is read from a ledger, wherever it is kept: a receipt by its id, a history, a reputation.

use assay_engine::receipt::Receipt;
use assay_engine::score::{History, Reputation};
use assay_engine::time::Timestamp;
use uuid::Uuid;

use crate::clickhouse::{ClickHouse, ClickHouseError};
use crate::{Ledger, LedgerError};

/// A ledger to read from. Both kinds answer the same for the same receipts, to the last digit.
pub enum Store {
    /// The embedded ledger of a data folder.
    Embedded(Box<Ledger>),
    /// The ledger of a cluster.
    ClickHouse(Box<ClickHouse>),
}

/// Why a ledger could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The embedded ledger.
    #[error(transparent)]
    Embedded(LedgerError),
    /// The ledger of a cluster.
    #[error(transparent)]
    ClickHouse(ClickHouseError),
}

impl Store {
    /// The receipt with that id.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn receipt(&self, id: Uuid) -> Result<Option<Receipt>, StoreError> {
        match self {
            Store::Embedded(ledger) => ledger.receipt(id).map_err(StoreError::Embedded),
            Store::ClickHouse(ledger) => ledger.receipt(id).map_err(StoreError::ClickHouse),
        }
    }

    /// What was counted for an agent up to a time, by the `verified_at` of the receipts.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn history(&self, agent_id: &str, as_of: Timestamp) -> Result<History, StoreError> {
        match self {
            Store::Embedded(ledger) => ledger.history(agent_id, as_of).map_err(StoreError::Embedded),
            Store::ClickHouse(ledger) => ledger.history(agent_id, as_of).map_err(StoreError::ClickHouse),
        }
    }

    /// The reputation of an agent at a time (protocol, section 6).
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn reputation(&self, agent_id: &str, as_of: Timestamp) -> Result<Reputation, StoreError> {
        let history = self.history(agent_id, as_of)?;
        Ok(Reputation::compute(agent_id, &history, as_of))
    }
}
