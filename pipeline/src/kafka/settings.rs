//! The section `[kafka]` of the settings: where the cluster is, and how to be let in.

use std::collections::BTreeMap;
use std::path::PathBuf;

use assay_ledger::Secret;
use serde::{Deserialize, Serialize};

/// How to reach the cluster.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct KafkaSettings {
    /// Addresses to start from, `host:port`, separated by commas.
    pub brokers: String,
    /// Encryption and authentication.
    pub security: Security,
    /// The SASL mechanism: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.
    pub sasl_mechanism: Option<String>,
    /// The SASL user.
    pub sasl_user: Option<String>,
    /// A file that holds the SASL password; white space at its end is not part of it.
    pub sasl_password_file: Option<PathBuf>,
    /// The SASL password, from the environment: a settings file is read by too many to hold it.
    #[serde(skip)]
    pub sasl_password: Option<Secret>,
    /// Certificates of the authorities to trust, PEM.
    pub ca_file: Option<PathBuf>,
    /// The client's own certificate, PEM.
    pub certificate_file: Option<PathBuf>,
    /// The client's private key, PEM.
    pub key_file: Option<PathBuf>,
    /// Further settings of librdkafka, as its CONFIGURATION.md names them, except those that delivery rests on.
    pub client_settings: BTreeMap<String, SettingValue>,
}

impl Default for KafkaSettings {
    fn default() -> KafkaSettings {
        KafkaSettings {
            brokers: "localhost:9092".to_owned(),
            security: Security::Plaintext,
            sasl_mechanism: None,
            sasl_user: None,
            sasl_password_file: None,
            sasl_password: None,
            ca_file: None,
            certificate_file: None,
            key_file: None,
            client_settings: BTreeMap::new(),
        }
    }
}

/// The protocol to the brokers.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Security {
    /// Neither encrypted nor authenticated.
    #[default]
    Plaintext,
    /// TLS.
    Ssl,
    /// SASL without encryption.
    SaslPlaintext,
    /// SASL over TLS.
    SaslSsl,
}

impl Security {
    /// As librdkafka names it.
    pub(crate) fn protocol(self) -> &'static str {
        match self {
            Security::Plaintext => "plaintext",
            Security::Ssl => "ssl",
            Security::SaslPlaintext => "sasl_plaintext",
            Security::SaslSsl => "sasl_ssl",
        }
    }
}

/// A value of `client-settings`: TOML's numbers and flags are taken as their texts.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// A flag.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

impl std::fmt::Display for SettingValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SettingValue::Flag(flag) => flag.fmt(f),
            SettingValue::Number(number) => number.fmt(f),
            SettingValue::Text(text) => f.write_str(text),
        }
    }
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// A setting of librdkafka that assay keeps for itself.
    #[error("client-settings may not set {name}: {reason}")]
    Refused {
        /// The setting.
        name: String,
        /// Why.
        reason: &'static str,
    },
    /// A file named by a setting cannot be read.
    #[error("{setting} {path} cannot be read")]
    File {
        /// The setting.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

const OFFSETS: &str = "offsets are committed with the receipts, and never before them";
const ONCE: &str = "without it a record could be answered twice, out of order or not at all";
const MEMORY: &str = "memory is bounded by queue-bytes";
const OWN: &str = "it has a setting of its own";
const GROUP: &str = "revoked partitions are drained under cooperative-sticky and the classic protocol only";

/// The settings that `client-settings` may not hold, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("acks", ONCE),
    ("allow.auto.create.topics", "a mistyped name would make a topic"),
    ("auto.commit.enable", OFFSETS),
    ("auto.commit.interval.ms", OFFSETS),
    ("auto.offset.reset", "records would be skipped silently"),
    ("bootstrap.servers", OWN),
    ("check.crcs", "a damaged record would be taken for a sound one"),
    ("consume.callback.max.messages", OFFSETS),
    (
        "delivery.timeout.ms",
        "it has to be shorter than the transaction's",
    ),
    ("dr_cb", ONCE),
    ("dr_msg_cb", ONCE),
    ("delivery.report.only.error", ONCE),
    ("enable.auto.commit", OFFSETS),
    ("enable.auto.offset.store", OFFSETS),
    ("enable.idempotence", ONCE),
    ("enable.partition.eof", OFFSETS),
    ("enabled_events", ONCE),
    ("group.id", OWN),
    ("group.protocol", GROUP),
    ("group.remote.assignor", GROUP),
    (
        "isolation.level",
        "records of aborted transactions would be answered",
    ),
    ("max.in.flight", ONCE),
    ("max.in.flight.requests.per.connection", ONCE),
    ("message.send.max.retries", ONCE),
    (
        "message.timeout.ms",
        "it has to be shorter than the transaction's",
    ),
    ("metadata.broker.list", OWN),
    ("partition.assignment.strategy", GROUP),
    ("plugin.library.paths", "it would load foreign code"),
    ("queue.buffering.max.kbytes", MEMORY),
    ("queued.max.messages.kbytes", MEMORY),
    ("queuing.strategy", ONCE),
    ("request.required.acks", ONCE),
    ("retries", ONCE),
    ("sasl.mechanism", OWN),
    ("sasl.mechanisms", OWN),
    (
        "sasl.password",
        "secrets come from files or the environment: sasl-password-file",
    ),
    ("sasl.username", OWN),
    ("security.protocol", OWN),
    ("ssl.ca.location", OWN),
    ("ssl.certificate.location", OWN),
    ("ssl.key.location", OWN),
    ("ssl.key.password", "secrets come from files or the environment"),
    (
        "ssl.keystore.password",
        "secrets come from files or the environment",
    ),
    ("statistics.interval.ms", "the lag is read from the statistics"),
    (
        "transaction.timeout.ms",
        "it has to be longer than the messages' and short enough for the readers",
    ),
    ("transactional.id", OWN),
];

impl KafkaSettings {
    /// Whether each of `client-settings` may be set.
    ///
    /// # Errors
    /// The first that may not.
    pub fn check(&self) -> Result<(), SettingError> {
        for name in self.client_settings.keys() {
            let plain = name.trim().to_lowercase();
            if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == plain) {
                let name = name.clone();
                return Err(SettingError::Refused { name, reason });
            }
        }
        Ok(())
    }

    /// The SASL password, from wherever it is.
    pub(crate) fn password(&self) -> Result<Option<Secret>, SettingError> {
        let Some(path) = &self.sasl_password_file else {
            return Ok(self.sasl_password.clone());
        };
        let text = std::fs::read_to_string(path).map_err(|source| SettingError::File {
            setting: "sasl-password-file",
            path: path.clone(),
            source,
        })?;
        Ok(Some(Secret::new(text.trim_end().to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str) -> KafkaSettings {
        let mut settings = KafkaSettings::default();
        settings
            .client_settings
            .insert(name.to_owned(), SettingValue::Text("x".to_owned()));
        settings
    }

    #[test]
    fn what_delivery_rests_on_is_refused_by_name() {
        for (name, _) in REFUSED {
            let error = with(name).check().unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
            assert!(with(&name.to_uppercase()).check().is_err());
        }
        assert!(with("socket.keepalive.enable").check().is_ok());
        assert!(with("session.timeout.ms").check().is_ok());
    }

    #[test]
    fn a_secret_is_not_shown() {
        let settings = KafkaSettings {
            sasl_password: Some(Secret::new("hunter2".to_owned())),
            ..KafkaSettings::default()
        };
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
