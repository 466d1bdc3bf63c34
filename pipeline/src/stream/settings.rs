//! The section `[stream]` of the settings.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

/// What `assay stream` reads, writes, and how much it holds.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct StreamSettings {
    /// The consumer group.
    pub group: String,
    /// The topics of deliverables: a list, or one text with commas between.
    #[serde(deserialize_with = "topics")]
    pub input: Vec<String>,
    /// The topic of receipts.
    pub receipts: String,
    /// The topic of records that could not be checked.
    pub dead_letters: String,
    /// How often a record may be answered.
    pub delivery: Delivery,
    /// This process among those of the group, stable over restarts. Its successor under the same name fences it, which ends
    /// a transaction that it left open at once; two processes with one name at a time throw each other out.
    pub instance: Option<String>,
    /// Threads that verify and sign; all cores when left out.
    pub jobs: Option<usize>,
    /// Records after which a batch is closed.
    pub batch_records: usize,
    /// Bytes of records after which a batch is closed.
    pub batch_bytes: usize,
    /// Milliseconds after which a batch is closed.
    pub batch_age_ms: u64,
    /// Bytes of everything under way: records read, receipts made, and what librdkafka has fetched ahead.
    pub queue_bytes: usize,
    /// Seconds in which a process that was told to stop, or that loses partitions, finishes what it has begun.
    pub drain_seconds: u64,
    /// What a record under a contract holds.
    pub form: Form,
    /// A folder of contracts: `ID.json`, `ID@VERSION.json`.
    pub contracts: Option<PathBuf>,
    /// A compacted topic of contracts, by the key `ID` or `ID@VERSION`.
    pub contract_topic: Option<String>,
    /// The contract of records that name none: `ID` or `ID@VERSION`.
    pub default_contract: Option<String>,
}

impl Default for StreamSettings {
    fn default() -> StreamSettings {
        StreamSettings {
            group: "assay".to_owned(),
            input: vec!["deliverables".to_owned()],
            receipts: "receipts".to_owned(),
            dead_letters: "dead-letters".to_owned(),
            delivery: Delivery::ExactlyOnce,
            instance: None,
            jobs: None,
            batch_records: 8_192,
            batch_bytes: 8 * 1024 * 1024,
            batch_age_ms: 200,
            queue_bytes: 96 * 1024 * 1024,
            drain_seconds: 20,
            form: Form::Request,
            contracts: None,
            contract_topic: None,
            default_contract: None,
        }
    }
}

/// Topics as a list, or as one text, which is how the environment gives them.
fn topics<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Topics {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Topics::deserialize(deserializer)? {
        Topics::List(topics) => topics,
        Topics::Text(text) => text.split(',').map(|topic| topic.trim().to_owned()).collect(),
    })
}

/// How often a record may be answered.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// Once: receipts and offsets in one transaction.
    #[default]
    ExactlyOnce,
    /// Once or, after a failure, again under the same id: offsets after receipts.
    AtLeastOnce,
}

/// What a record holds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A whole request, unless it names a contract: then `{task_id, agent_id?, submitted_output}`.
    #[default]
    Request,
    /// `{task_id, agent_id?, submitted_output}` under a contract.
    Delivery,
    /// The bare output under a contract; task and agent come from headers and key.
    Output,
}
