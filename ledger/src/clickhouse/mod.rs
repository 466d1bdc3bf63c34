//! The ledger of a cluster: receipts in ClickHouse, filled from the receipts topic and read by everybody.
//!
//! ClickHouse is a projection of that topic, so nothing here decides anything: whatever is stored again, in whatever
//! batches, is there once, and of the receipts with one id the one that was verified last stands. In the order of the
//! data: `settings` lead to a `connection`; `migrations` make the tables of `schemas/clickhouse`; a receipt becomes a
//! `row`; `insert` stores a batch, after `moves` has taken back what its receipts no longer count for; `reads`
//! answers, and `compare` tells whether two databases hold the same.

mod connection;
mod error;
mod settings;

mod migrations;

mod insert;
mod moves;
mod row;

mod compare;
mod reads;

use assay_engine::receipt::Receipt;
use assay_engine::score::{History, has_history};
use assay_engine::time::Timestamp;
use uuid::Uuid;

pub use compare::{Comparison, Difference};
pub use error::{ClickHouseError, FaultClass, ServerFault};
pub use insert::batch_token;
pub use migrations::MigrationReport;
pub use row::{Origin, Place, ReceiptRow};
pub use settings::ClickHouseSettings;

use connection::Connection;
use moves::Moves;

/// A ledger in ClickHouse. Its calls wait for the answer, within the time limits of the settings; they may come from
/// several threads at once, but not from an async task.
pub struct ClickHouse {
    connection: Connection,
    moves: Moves,
}

impl ClickHouse {
    /// Makes ready to connect; nothing is sent yet.
    ///
    /// # Errors
    /// [`ClickHouseError`], when the settings cannot be used.
    pub fn new(settings: ClickHouseSettings) -> Result<ClickHouse, ClickHouseError> {
        Ok(ClickHouse {
            connection: Connection::new(settings)?,
            moves: Moves::default(),
        })
    }

    /// Where the server is looked for, as it may be shown.
    pub fn address(&self) -> String {
        self.connection.address()
    }

    /// Asks the server whether it answers, and for its version.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn ping(&self) -> Result<String, ClickHouseError> {
        let versions: Vec<String> = self.connection.rows("answer", "SELECT version()")?;
        Ok(versions.into_iter().next().unwrap_or_default())
    }

    /// Brings the database to the schema of this program, and sets how long receipts are kept. Any number of programs may
    /// do so at once.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn migrate(&self) -> Result<MigrationReport, ClickHouseError> {
        migrations::migrate(&self.connection)
    }

    /// Checks that the database has the schema of this program.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn check_schema(&self) -> Result<(), ClickHouseError> {
        migrations::check(&self.connection)
    }

    /// Stores rows by one insert: when this returns they are all there, and what they replace counts no more. After an
    /// error it is not known whether they are; stored again under the same token ([`batch_token`]) they are there once.
    ///
    /// # Errors
    /// [`ClickHouseError`], whose class tells what to do.
    pub fn insert(&self, rows: &[ReceiptRow], token: &str) -> Result<(), ClickHouseError> {
        self.moves.withdraw(&self.connection, rows)?;
        insert::insert(&self.connection, "store a batch", "receipts", rows, token)?;
        self.moves.note(rows);
        Ok(())
    }

    /// The receipt with that id.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn receipt(&self, id: Uuid) -> Result<Option<Receipt>, ClickHouseError> {
        reads::receipt(&self.connection, id)
    }

    /// How many receipts there are.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn len(&self) -> Result<u64, ClickHouseError> {
        reads::len(&self.connection)
    }

    /// Whether there is no receipt.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn is_empty(&self) -> Result<bool, ClickHouseError> {
        Ok(self.len()? == 0)
    }

    /// What was counted for an agent up to a time, by the `verified_at` of the receipts.
    ///
    /// The time it takes grows with the receipts of this agent, some hundred nanoseconds each.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn history(&self, agent_id: &str, as_of: Timestamp) -> Result<History, ClickHouseError> {
        if !has_history(agent_id) {
            return Ok(History::default());
        }
        reads::history(&self.connection, agent_id, as_of)
    }

    /// Compares this ledger with another one, receipt by receipt and count by count.
    ///
    /// # Errors
    /// [`ClickHouseError`].
    pub fn compare(&self, other: &ClickHouse) -> Result<Comparison, ClickHouseError> {
        compare::compare(&self.connection, &other.connection)
    }
}
