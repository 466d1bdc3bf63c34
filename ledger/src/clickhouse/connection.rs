//! The connection: an HTTP client with time limits, and the async client behind plain calls.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use assay_engine::hex::hex;
use clickhouse::error::Error as ClientError;
use clickhouse::{Client, Compression, Row, RowOwned, RowRead};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::Runtime;

use super::error::{ClickHouseError, ServerFault};
use super::settings::ClickHouseSettings;

/// How long an idle connection is kept. Servers close theirs after three seconds or more.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(2);

/// How often an idle connection is probed by the system.
const TCP_KEEPALIVE: Duration = Duration::from_secs(60);

/// How long a statement that changes the schema may take. Some rewrite what is stored.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(3_600);

/// A connection to one database.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) settings: ClickHouseSettings,
    /// Settings of every insert, once the server was asked which it knows.
    pub(super) insert_settings: OnceLock<Vec<(&'static str, &'static str)>>,
    runtime: Runtime,
}

impl Connection {
    /// Makes ready to connect; nothing is sent yet.
    pub(super) fn new(settings: ClickHouseSettings) -> Result<Connection, ClickHouseError> {
        let is_https = settings.url.starts_with("https://");
        if !is_https && !settings.url.starts_with("http://") {
            return Err(ClickHouseError::Settings(format!(
                "the url {:?} is neither http:// nor https://",
                settings.url
            )));
        }
        if settings.database.is_empty() {
            return Err(ClickHouseError::Settings("the database has no name".to_owned()));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            // Connections must be served between two calls as well, so not the thread of the caller.
            .worker_threads(1)
            .thread_name("clickhouse")
            .enable_io()
            .enable_time()
            .build()
            .map_err(ClickHouseError::Runtime)?;
        let roots = if is_https {
            roots(&settings)?
        } else {
            RootCertStore::empty()
        };
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_connect_timeout(Some(settings.connect_timeout));
        http.set_keepalive(Some(TCP_KEEPALIVE));
        http.set_nodelay(true);
        let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| ClickHouseError::Settings(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let http = HttpClient::builder(TokioExecutor::new())
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .build(connector);
        let compression = if settings.compression {
            Compression::Lz4
        } else {
            Compression::None
        };
        let mut client = Client::with_http_client(http)
            .with_url(&settings.url)
            .with_database(&settings.database)
            .with_user(&settings.user)
            .with_compression(compression)
            .with_product_info("assay", env!("CARGO_PKG_VERSION"));
        if let Some(password) = &settings.password {
            client = client.with_password(password.reveal());
        }
        Ok(Connection {
            client,
            settings,
            insert_settings: OnceLock::new(),
            runtime,
        })
    }

    /// Where the server is looked for, as it may be shown.
    pub(super) fn address(&self) -> String {
        // An address may carry a password before an @.
        let (scheme, rest) = self.settings.url.split_once("://").unwrap_or(("http", ""));
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let host = host.split(['/', '?']).next().unwrap_or_default();
        format!("{scheme}://{host}/{}", self.settings.database)
    }

    /// Waits for what is to come, no longer than `limit`; `operation` follows "did not" in a sentence.
    pub(super) fn wait<T>(
        &self,
        operation: &'static str,
        limit: Duration,
        work: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClickHouseError> {
        let result = self
            .runtime
            .block_on(async { tokio::time::timeout(limit, work).await });
        let fault = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => ServerFault::from(error),
            Err(_) => ServerFault::timeout(limit),
        };
        Err(ClickHouseError::Server {
            address: self.address(),
            operation,
            fault,
        })
    }

    /// Runs a statement that answers nothing.
    pub(super) fn execute(&self, operation: &'static str, sql: &str) -> Result<(), ClickHouseError> {
        self.execute_in(&self.client, operation, sql)
    }

    /// As [`Connection::execute`], by another client of the same server.
    pub(super) fn execute_in(
        &self,
        client: &Client,
        operation: &'static str,
        sql: &str,
    ) -> Result<(), ClickHouseError> {
        self.wait(operation, STATEMENT_TIMEOUT, client.query_raw(sql).execute())
    }

    /// Runs a query and takes all its rows.
    pub(super) fn rows<T>(&self, operation: &'static str, sql: &str) -> Result<Vec<T>, ClickHouseError>
    where
        T: Row + RowOwned + RowRead,
    {
        self.wait(
            operation,
            self.settings.query_timeout,
            self.client.query_raw(sql).fetch_all::<T>(),
        )
    }
}

fn roots(settings: &ClickHouseSettings) -> Result<RootCertStore, ClickHouseError> {
    let mut roots = RootCertStore::empty();
    match &settings.ca_file {
        Some(path) => {
            let unusable = |error: &dyn std::fmt::Display| {
                ClickHouseError::Settings(format!(
                    "the file {} has no certificates: {error}",
                    path.display()
                ))
            };
            let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unusable(&error))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| unusable(&error))?;
                roots.add(certificate).map_err(|error| unusable(&error))?;
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
    }
    if roots.is_empty() {
        let what = "no certificate to trust was found: name a file with ca-file";
        return Err(ClickHouseError::Settings(what.to_owned()));
    }
    Ok(roots)
}

/// A text as a constant of a statement, whatever is in it.
pub(super) fn text_constant(text: &str) -> String {
    format!("unhex('{}')", hex(text.as_bytes()))
}
