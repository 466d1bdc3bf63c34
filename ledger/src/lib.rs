//! Where receipts are kept and read, and where the signing keys live: one data folder with an embedded ledger, or ClickHouse.
//!
//! In the order of the data: a [`DataFolder`] holds the [`KeyStore`], whose key signs, and the [`Ledger`], which records
//! what was signed. A [`GroupCommit`] lets many callers record at once, each waiting for its own commit.
//!
//! What the ledger promises:
//!
//! - **A receipt is recorded when `record_batch` has returned**, and then survives the death of the process and of the
//!   machine. Before, none of the batch is there: a batch is one transaction.
//! - **What is read back is what was signed**, byte for byte.
//! - **A verification is recorded once.** A receipt with the id of an earlier one takes its place, in the reputation too.
//! - **Reputation is exact.** It is a function of the receipts that are there and of nothing else: the same request of an
//!   agent counts once a day, failed if it ever failed that day, whatever the order and number of the replays.

pub mod clickhouse;
mod data;
mod error;
mod group_commit;
pub mod keys;
mod secret;
mod sqlite;
mod store;

pub use data::{DataError, DataFolder};
pub use error::LedgerError;
pub use group_commit::{GroupCommit, RecordError};
pub use keys::KeyStore;
pub use secret::Secret;
pub use sqlite::{Entry, Ledger, Run};
pub use store::{Store, StoreError};
