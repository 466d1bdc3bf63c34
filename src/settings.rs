//! From the settings as they are written to what the crates take.

use std::time::{SystemTime, UNIX_EPOCH};

use assay_engine::response::ServiceIdentity;
use assay_engine::time::Timestamp;

use crate::cli::Global;
use crate::failure::{Failure, USAGE};

/// The service's name in receipts.
const SERVICE: &str = "Agent Output Verifier";

/// Who answers, as it stands in every receipt.
pub(crate) fn identity(global: &Global) -> Result<ServiceIdentity, Failure> {
    let url = global.public_url.trim_end_matches('/');
    let is_http = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = |rest: &str| {
        !rest.is_empty() && !rest.starts_with('/') && rest.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}?#".contains(&b))
    };
    if !is_http.is_some_and(is_plain) {
        let example = "write it like https://verify.example.com, without query and fragment";
        return Err(Failure::new(USAGE, format!("--public-url is not an http or https address: {example}")));
    }
    Ok(ServiceIdentity {
        public_key_url: format!("{url}/.well-known/agent-card.json"),
        service: SERVICE.to_owned(),
        mcp: format!("{url}/mcp"),
        verifier_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// The time now.
pub(crate) fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
}
