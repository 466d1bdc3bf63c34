//! ClickHouse for tests: a database of its own for each, on the server that `CLICKHOUSE_URL` names.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use assay_engine::hex::hex;
use assay_ledger::clickhouse::{ClickHouse, ClickHouseSettings};

/// A database that is dropped when the test has ended.
pub(crate) struct Database {
    pub(crate) name: String,
    url: String,
}

/// The address of the server; a test that needs one fails without.
pub(crate) fn clickhouse_url() -> String {
    std::env::var("CLICKHOUSE_URL").expect(
        "CLICKHOUSE_URL is not set: run the tests by tests/run, which starts what they need, or start it with \
         tests/services.py and set the variable to the address that it prints",
    )
}

/// A name that no other test has.
pub(crate) fn random_name() -> String {
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes).unwrap();
    hex(&bytes)
}

impl Database {
    /// A database with the tables in it.
    pub(crate) fn migrated() -> Database {
        let database = Database::fresh();
        database.ledger().migrate().unwrap();
        database
    }

    /// The name of a database that is not there yet.
    pub(crate) fn fresh() -> Database {
        Database {
            name: format!("assay_test_{}", random_name()),
            url: clickhouse_url(),
        }
    }

    /// The settings that lead to it.
    pub(crate) fn settings(&self) -> ClickHouseSettings {
        ClickHouseSettings {
            url: self.url.clone(),
            database: self.name.clone(),
            compression: false,
            ..ClickHouseSettings::default()
        }
    }

    /// A ledger in it.
    pub(crate) fn ledger(&self) -> ClickHouse {
        ClickHouse::new(self.settings()).unwrap()
    }

    /// The environment by which the program finds it.
    pub(crate) fn environment(&self) -> [(&'static str, String); 3] {
        [
            ("ASSAY_CLICKHOUSE__URL", self.url.clone()),
            ("ASSAY_CLICKHOUSE__DATABASE", self.name.clone()),
            ("ASSAY_CLICKHOUSE__COMPRESSION", "false".to_owned()),
        ]
    }

    /// The answer to a statement, tabs between the columns.
    pub(crate) fn sql(&self, statement: &str) -> String {
        post(&self.url, &format!("/?database={}", self.name), statement).unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS `{}`", self.name);
        // A test may have taken the server away.
        let _gone = post(&self.url, "/?database=default", &drop).is_err();
    }
}

/// Posts to the server; what is not 200 is an error.
pub(crate) fn post(url: &str, path: &str, body: &str) -> Result<String, String> {
    let host = url.strip_prefix("http://").unwrap().trim_end_matches('/');
    let text = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(host).map_err(text)?;
    // HTTP/1.0 knows no chunks.
    let head = format!(
        "POST {path} HTTP/1.0\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).map_err(text)?;
    stream.write_all(body.as_bytes()).map_err(text)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(text)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    if head.split(' ').nth(1) == Some("200") {
        Ok(body.trim_end().to_owned())
    } else {
        Err(body.to_owned())
    }
}
