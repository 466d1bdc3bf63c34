//! Settings from the environment: `ASSAY_STREAM__BATCH_RECORDS` is `batch-records` of `[stream]`.
//!
//! Only names with a section count, so that other variables of the same prefix (`ASSAY_DATA`, which is a flag's) are none
//! of its business.

use std::ffi::OsString;

use assay_ledger::Secret;
use figment::value::{Dict, Map, Value};
use figment::{Error, Metadata, Profile, Provider};

/// Begins every name.
const PREFIX: &str = "ASSAY_";

/// Stands between section and key.
const SEPARATOR: &str = "__";

/// The SASL password for Kafka.
pub(crate) const SASL_PASSWORD: &str = "ASSAY_KAFKA__SASL_PASSWORD";

/// The password for ClickHouse.
pub(crate) const CLICKHOUSE_PASSWORD: &str = "ASSAY_CLICKHOUSE__PASSWORD";

/// A secret, which is no setting, so that it stands in nothing that is printed.
pub(crate) fn secret(name: &str) -> Option<Secret> {
    let text = std::env::var(name).ok();
    text.filter(|text| !text.is_empty()).map(Secret::new)
}

/// What the environment says about sections.
pub(crate) struct Sections(Vec<(String, String, String)>);

impl Sections {
    /// Takes the variables that name a section and a key.
    pub(crate) fn of(variables: impl Iterator<Item = (OsString, OsString)>) -> Sections {
        let text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        let split = |(name, value): (String, String)| {
            if [SASL_PASSWORD, CLICKHOUSE_PASSWORD].contains(&name.as_str()) {
                return None;
            }
            let (section, key) = name.strip_prefix(PREFIX)?.split_once(SEPARATOR)?;
            let kebab = |part: &str| part.to_ascii_lowercase().replace('_', "-");
            Some((kebab(section), kebab(key), value))
        };
        Sections(variables.filter_map(text).filter_map(split).collect())
    }
}

impl Provider for Sections {
    fn metadata(&self) -> Metadata {
        Metadata::named("environment variable")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let mut sections = Dict::new();
        for (section, key, value) in &self.0 {
            let entry = sections
                .entry(section.clone())
                .or_insert_with(|| Value::from(Dict::new()));
            if let Value::Dict(_, keys) = entry {
                // Values are written like in the file; what is no number, list or bool there is a text without quotes.
                let value = value
                    .parse()
                    .unwrap_or_else(|never: std::convert::Infallible| match never {});
                keys.insert(key.clone(), value);
            }
        }
        Ok(Profile::Default.collect(sections))
    }
}
