//! How ClickHouse is reached and what is asked of it.

use std::path::PathBuf;
use std::time::Duration;

use crate::Secret;

/// How ClickHouse is reached and what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClickHouseSettings {
    /// The address of its HTTP interface, http or https.
    pub url: String,
    /// The database; [`super::ClickHouse::migrate`] makes it when it is not there.
    pub database: String,
    /// The user.
    pub user: String,
    /// The user's password; none for a user who needs none.
    pub password: Option<Secret>,
    /// A PEM file with the certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Whether rows are compressed (LZ4) on their way.
    pub compression: bool,
    /// Days after its verification that a receipt is kept; 0 keeps it for good. Reputation is kept for good in any case.
    pub retention_days: u32,
    /// How long a connection may take to come about.
    pub connect_timeout: Duration,
    /// How long a query may take.
    pub query_timeout: Duration,
    /// How long a piece of rows may take to be sent.
    pub send_timeout: Duration,
    /// How long the server may take to store what was sent. Far more than it ever needs, and no matter of batching: an
    /// insert that is given up on is sent again.
    pub insert_timeout: Duration,
}

impl Default for ClickHouseSettings {
    fn default() -> ClickHouseSettings {
        ClickHouseSettings {
            url: "http://localhost:8123".to_owned(),
            database: "assay".to_owned(),
            user: "default".to_owned(),
            password: None,
            ca_file: None,
            compression: true,
            retention_days: 0,
            connect_timeout: Duration::from_secs(5),
            query_timeout: Duration::from_secs(30),
            send_timeout: Duration::from_secs(30),
            insert_timeout: Duration::from_secs(120),
        }
    }
}
