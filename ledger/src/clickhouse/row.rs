//! A receipt as a row: typed columns from which the signed bytes are written again.

use std::sync::Arc;

use assay_engine::receipt::Receipt;
use assay_engine::response::{Detail, Digest, Hashes, Response, ServiceIdentity};
use assay_engine::time::Timestamp;
use assay_engine::verdict::{CheckName, Outcome, Tally, Verdict, Violation, Violations};
use clickhouse::Row;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::error::ClickHouseError;

/// Where the request of a receipt came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
}

/// Where a receipt lies in the receipts topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
}

/// What stands for a place in a topic where there is none.
const NOWHERE: Place = Place {
    partition: -1,
    offset: -1,
};

const PASS: i8 = 1;
const FAIL: i8 = 2;
const FULL: i8 = 1;
const COMPACT: i8 = 2;

/// The lists of violations, as the column `violations.source` numbers them.
const SOURCES: [i8; 3] = [1, 2, 3];

/// A row of the table `receipts`; the fields are its columns, in their order.
#[derive(Clone, Debug, PartialEq, Row, Serialize, Deserialize)]
pub struct ReceiptRow {
    #[serde(with = "clickhouse::serde::uuid")]
    pub(super) verification_id: Uuid,
    pub(super) verified_at: i64,
    pub(super) counted_on: i32,
    task_id: String,
    pub(super) agent_id: Option<String>,
    result: i8,
    enforce_rules: bool,
    strict_content_check: bool,
    detail: i8,
    output_hash: Digest,
    schema_hash: Digest,
    rules_hash: Digest,
    request_hash: Digest,
    schema_passed: u64,
    schema_total: u64,
    integrity_passed: u64,
    integrity_total: u64,
    schema_violations: u64,
    content_violations: u64,
    rule_violations: u64,
    schema_checks: Vec<String>,
    content_checks: Vec<String>,
    rule_checks: Vec<String>,
    #[serde(rename = "violations.source")]
    sources: Vec<i8>,
    #[serde(rename = "violations.check")]
    checks: Vec<String>,
    #[serde(rename = "violations.field")]
    fields: Vec<String>,
    #[serde(rename = "violations.expected")]
    expected: Vec<String>,
    #[serde(rename = "violations.found")]
    found: Vec<String>,
    #[serde(rename = "violations.detail")]
    details: Vec<String>,
    public_key_url: String,
    service: String,
    mcp: String,
    verifier_version: String,
    key_version: String,
    #[serde(with = "signature_bytes")]
    pub(super) signature: [u8; 64],
    pub(super) source_topic: String,
    pub(super) source_partition: i32,
    pub(super) source_offset: i64,
    receipt_partition: i32,
    receipt_offset: i64,
}

impl ReceiptRow {
    /// The row of a receipt that counts on `day`, days since 1970-01-01.
    pub fn new(receipt: &Receipt, day: i32, origin: Option<&Origin>, place: Option<Place>) -> ReceiptRow {
        let Receipt { response, signature } = receipt;
        let Response {
            hashes,
            verdict,
            identity,
            ..
        } = response;
        let place = place.unwrap_or(NOWHERE);
        let lists = [
            &verdict.schema_violations,
            &verdict.content_violations,
            &verdict.rule_violations,
        ];
        ReceiptRow {
            verification_id: response.verification_id,
            verified_at: response.verified_at.micros(),
            counted_on: day,
            task_id: response.task_id.clone(),
            agent_id: response.agent_id.clone(),
            result: match response.outcome() {
                Outcome::Pass => PASS,
                Outcome::Fail => FAIL,
            },
            enforce_rules: response.enforce_rules,
            strict_content_check: response.strict_content_check,
            detail: match response.detail {
                Detail::Full => FULL,
                Detail::Compact => COMPACT,
            },
            output_hash: hashes.output,
            schema_hash: hashes.schema,
            rules_hash: hashes.rules,
            request_hash: hashes.request,
            schema_passed: verdict.schema.passed,
            schema_total: verdict.schema.total,
            integrity_passed: verdict.integrity.passed,
            integrity_total: verdict.integrity.total,
            schema_violations: verdict.schema_violations.total,
            content_violations: verdict.content_violations.total,
            rule_violations: verdict.rule_violations.total,
            schema_checks: names(&verdict.schema_violations),
            content_checks: names(&verdict.content_violations),
            rule_checks: names(&verdict.rule_violations),
            sources: sources(lists),
            checks: texts(lists, |violation| &violation.check),
            fields: texts(lists, |violation| &violation.field),
            expected: texts(lists, |violation| &violation.expected),
            found: texts(lists, |violation| &violation.found),
            details: texts(lists, |violation| &violation.detail),
            public_key_url: identity.public_key_url.clone(),
            service: identity.service.clone(),
            mcp: identity.mcp.clone(),
            verifier_version: identity.verifier_version.clone(),
            key_version: response.key_version.to_string(),
            signature: *signature,
            source_topic: origin.map_or(String::new(), |origin| origin.topic.to_string()),
            source_partition: origin.map_or(NOWHERE.partition, |origin| origin.partition),
            source_offset: origin.map_or(NOWHERE.offset, |origin| origin.offset),
            receipt_partition: place.partition,
            receipt_offset: place.offset,
        }
    }

    /// The id of the receipt.
    pub fn verification_id(&self) -> Uuid {
        self.verification_id
    }

    /// The receipt, to the byte.
    pub(super) fn into_receipt(self) -> Result<Receipt, ClickHouseError> {
        let id = self.verification_id;
        let damaged = |what| ClickHouseError::Damaged { id, what };
        let mut lists = [
            list(self.schema_violations, self.schema_checks),
            list(self.content_violations, self.content_checks),
            list(self.rule_violations, self.rule_checks),
        ];
        let count = self.sources.len();
        let mut columns = [self.fields, self.expected, self.found, self.details].map(Vec::into_iter);
        if self.checks.len() != count || columns.iter().any(|column| column.len() != count) {
            return Err(damaged("the lists of violations differ in length"));
        }
        for (source, check) in self.sources.into_iter().zip(self.checks) {
            let place = SOURCES.iter().position(|known| *known == source);
            let place = place.ok_or(damaged("a violation has no known source"))?;
            let [field, expected, found, detail] =
                columns.each_mut().map(|column| column.next().unwrap_or_default());
            lists[place].entries.push(Violation {
                check: CheckName::Owned(check),
                field,
                expected,
                found,
                detail,
            });
        }
        let [schema_violations, content_violations, rule_violations] = lists;
        let response = Response {
            verification_id: id,
            task_id: self.task_id,
            agent_id: self.agent_id,
            hashes: Hashes {
                output: self.output_hash,
                schema: self.schema_hash,
                rules: self.rules_hash,
                request: self.request_hash,
            },
            verified_at: Timestamp::from_micros(self.verified_at),
            enforce_rules: self.enforce_rules,
            strict_content_check: self.strict_content_check,
            detail: match self.detail {
                FULL => Detail::Full,
                COMPACT => Detail::Compact,
                _ => return Err(damaged("its detail is not known")),
            },
            verdict: Verdict {
                schema: Tally {
                    passed: self.schema_passed,
                    total: self.schema_total,
                },
                integrity: Tally {
                    passed: self.integrity_passed,
                    total: self.integrity_total,
                },
                schema_violations,
                content_violations,
                rule_violations,
            },
            identity: Arc::new(ServiceIdentity {
                public_key_url: self.public_key_url,
                service: self.service,
                mcp: self.mcp,
                verifier_version: self.verifier_version,
            }),
            key_version: self.key_version.into(),
        };
        Ok(Receipt {
            response,
            signature: self.signature,
        })
    }
}

fn names(list: &Violations) -> Vec<String> {
    list.checks.iter().map(|check| check.to_string()).collect()
}

fn sources(lists: [&Violations; 3]) -> Vec<i8> {
    let of_list = |(source, list): (i8, &Violations)| vec![source; list.entries.len()];
    SOURCES.into_iter().zip(lists).flat_map(of_list).collect()
}

/// One text of every violation that is listed.
fn texts(lists: [&Violations; 3], text: impl Fn(&Violation) -> &str) -> Vec<String> {
    let entries = lists.into_iter().flat_map(|list| &list.entries);
    entries.map(|violation| text(violation).to_owned()).collect()
}

fn list(total: u64, checks: Vec<String>) -> Violations {
    Violations {
        entries: Vec::new(),
        total,
        checks: checks.into_iter().map(CheckName::Owned).collect(),
    }
}

/// 64 bytes as a tuple, which serde itself does up to 32.
mod signature_bytes {
    use std::fmt;

    use serde::de::{Error, SeqAccess, Visitor};
    use serde::ser::SerializeTuple as _;
    use serde::{Deserializer, Serializer};

    const LEN: usize = 64;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8; LEN], serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(LEN)?;
        for byte in bytes {
            tuple.serialize_element(byte)?;
        }
        tuple.end()
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; LEN], D::Error> {
        struct Bytes;

        impl<'de> Visitor<'de> for Bytes {
            type Value = [u8; LEN];

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{LEN} bytes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<[u8; LEN], A::Error> {
                let mut bytes = [0; LEN];
                for (place, byte) in bytes.iter_mut().enumerate() {
                    let next = sequence.next_element()?;
                    *byte = next.ok_or_else(|| A::Error::invalid_length(place, &self))?;
                }
                Ok(bytes)
            }
        }

        deserializer.deserialize_tuple(LEN, Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of the table, as its file has them.
    fn columns() -> Vec<&'static str> {
        let file = include_str!("../../../schemas/clickhouse/0001-receipts.sql");
        let table = file.split("\nENGINE").next().unwrap_or_default();
        table
            .lines()
            .filter_map(|line| line.strip_prefix("    ")?.split(' ').next())
            .map(|name| name.trim_matches('`'))
            .collect()
    }

    #[test]
    fn the_row_has_the_columns_of_the_table() {
        assert_eq!(<ReceiptRow as Row>::COLUMN_NAMES, columns());
    }
}
