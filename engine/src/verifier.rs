//! The way of one request: bytes → request → compiled contract → verdict → response → signature.
//!
//! A [`Verifier`] is what all workers share; a [`Worker`] has the buffers of one thread and uses them again.

use std::sync::Arc;

use uuid::Uuid;

use crate::content_walk::check_content;
use crate::contract::{Contract, RecentContracts};
use crate::digest::{Sha256, sha256};
use crate::json::{Document, Parser, write_canonical, write_canonical_string};
use crate::meter::Meter;
use crate::problem::{Problem, ProblemCode};
use crate::receipt::{Receipt, Signer};
use crate::request::{Delivery, check_id, read_delivery_only, read_request};
use crate::response::{Detail, Hashes, Response, ServiceIdentity};
use crate::schema::{CacheStatistics, CompileOptions, SchemaCache};
use crate::time::Timestamp;
use crate::verdict::Verdict;

/// Compiled schemas that a verifier holds.
const MAX_CACHED_SCHEMAS: usize = 4_096;

/// What every verification has in common.
pub struct Verifier {
    identity: Arc<ServiceIdentity>,
    schemas: SchemaCache,
}

/// What tells one verification from another: given from outside, so that the same input gives the same bytes.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Names the verification.
    pub verification_id: Uuid,
    /// When it is made.
    pub verified_at: Timestamp,
}

impl Verifier {
    /// A verifier that answers under the given identity.
    pub fn new(identity: ServiceIdentity) -> Verifier {
        let schemas = SchemaCache::new(MAX_CACHED_SCHEMAS, CompileOptions::default());
        Verifier {
            identity: Arc::new(identity),
            schemas,
        }
    }

    /// The compiled schemas, for contracts that stand once.
    pub fn schemas(&self) -> &SchemaCache {
        &self.schemas
    }

    /// How the schema cache has done.
    pub fn cache_statistics(&self) -> CacheStatistics {
        self.schemas.statistics()
    }

    /// A worker for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            verifier: self,
            parser: Parser::default(),
            document: Document::new(),
            contracts: RecentContracts::new(),
            hasher: RequestHasher::default(),
            signed: Vec::new(),
        }
    }
}

/// The buffers of one thread.
pub struct Worker<'v> {
    verifier: &'v Verifier,
    parser: Parser,
    document: Document,
    contracts: RecentContracts,
    hasher: RequestHasher,
    signed: Vec<u8>,
}

impl Worker<'_> {
    /// Verifies a whole request.
    ///
    /// # Errors
    /// Why it was not checked. A failed check is a receipt.
    pub fn verify(&mut self, request: &[u8], stamp: Stamp, signer: &Signer) -> Result<Receipt, Problem> {
        self.parse(request, "request")?;
        let document = std::mem::take(&mut self.document);
        let result = read_request(&document).and_then(|(delivery, source)| {
            let contract = self.contracts.get(&source, &self.verifier.schemas)?;
            self.check(&contract, &delivery, stamp, signer)
        });
        self.document = document;
        result
    }

    /// Verifies `{task_id, agent_id?, submitted_output}` under a contract that stands elsewhere; the hashes are those of
    /// the request that would hold both.
    ///
    /// # Errors
    /// As [`Worker::verify`].
    pub fn verify_delivery(
        &mut self,
        contract: &Arc<Contract>,
        delivery: &[u8],
        stamp: Stamp,
        signer: &Signer,
    ) -> Result<Receipt, Problem> {
        self.parse(delivery, "request")?;
        let document = std::mem::take(&mut self.document);
        let result =
            read_delivery_only(&document).and_then(|delivery| self.check(contract, &delivery, stamp, signer));
        self.document = document;
        result
    }

    /// Verifies a bare output under a contract; `name` gives the task and the agent, for which it may look at the
    /// output.
    ///
    /// # Errors
    /// As [`Worker::verify`].
    pub fn verify_output(
        &mut self,
        contract: &Arc<Contract>,
        output: &[u8],
        name: impl FnOnce(crate::json::Value<'_>) -> Result<OutputName, Problem>,
        stamp: Stamp,
        signer: &Signer,
    ) -> Result<Receipt, Problem> {
        self.parse(output, "submitted_output")?;
        let document = std::mem::take(&mut self.document);
        let result = name(document.root()).and_then(|name| {
            let fields = [
                ("task_id", Some(&name.task_id)),
                ("agent_id", name.agent_id.as_ref()),
            ];
            for (field, id) in fields {
                if let Some(problem) = id.and_then(|id| check_id(id).err()) {
                    let fix = "Use a string of 1 to 200 characters.";
                    return Err(Problem::field(ProblemCode::InvalidRequest, field, problem, fix));
                }
            }
            let delivery = Delivery {
                task_id: &name.task_id,
                agent_id: name.agent_id.as_deref(),
                output: document.root(),
                detail: name.detail,
            };
            self.check(contract, &delivery, stamp, signer)
        });
        self.document = document;
        result
    }

    fn parse(&mut self, text: &[u8], field: &str) -> Result<(), Problem> {
        self.parser
            .parse(text, &mut self.document)
            .map_err(|error| Problem::syntax(field, &error))
    }

    fn check(
        &mut self,
        contract: &Arc<Contract>,
        delivery: &Delivery<'_>,
        stamp: Stamp,
        signer: &Signer,
    ) -> Result<Receipt, Problem> {
        let verdict = judge(contract, delivery).map_err(Problem::limit)?;
        let response = Response {
            verification_id: stamp.verification_id,
            task_id: delivery.task_id.to_owned(),
            agent_id: delivery.agent_id.map(str::to_owned),
            hashes: self.hasher.hash(contract, delivery),
            verified_at: stamp.verified_at,
            enforce_rules: contract.enforce_rules,
            strict_content_check: contract.strict_content_check,
            detail: delivery.detail,
            verdict,
            identity: Arc::clone(&self.verifier.identity),
            key_version: signer.key_version(),
        };
        Ok(signer.sign_response(response, &mut self.signed))
    }
}

/// The names under which a bare output is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputName {
    /// The task.
    pub task_id: String,
    /// The agent, if known.
    pub agent_id: Option<String>,
    /// How much is answered.
    pub detail: Detail,
}

fn judge(contract: &Contract, delivery: &Delivery<'_>) -> Result<Verdict, crate::meter::LimitExceeded> {
    let output = delivery.output;
    let mut meter = Meter::for_sizes(
        output.node_count(),
        output.text_bytes(),
        contract.schema.subschema_count(),
    );
    let mut verdict = Verdict::default();
    contract.schema.check(
        output,
        &mut meter,
        &mut verdict.schema,
        &mut verdict.schema_violations,
    )?;
    check_content(
        output,
        &mut meter,
        &mut verdict.integrity,
        &mut verdict.content_violations,
    )?;
    contract.rules.check(
        output,
        &mut meter,
        &mut verdict.integrity,
        &mut verdict.rule_violations,
    )?;
    Ok(verdict)
}

/// Computes the hashes of requests (protocol, section 5).
///
/// The canonical request begins with the agent and the contract, which are mostly those of the request before: the
/// state of SHA-256 after them is kept.
#[derive(Default)]
struct RequestHasher {
    /// The contract and agent of `prefix`.
    contract: Option<Arc<Contract>>,
    agent_id: Option<String>,
    /// The state before the value of `submitted_output`.
    prefix: Option<Sha256>,
    bytes: Vec<u8>,
}

impl RequestHasher {
    fn hash(&mut self, contract: &Arc<Contract>, delivery: &Delivery<'_>) -> Hashes {
        let is_same = self
            .contract
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, contract))
            && self.agent_id.as_deref() == delivery.agent_id;
        let known = self.prefix.clone().filter(|_| is_same);
        let prefix = known.unwrap_or_else(|| self.set_prefix(contract, delivery.agent_id));
        self.bytes.clear();
        write_canonical(delivery.output, &mut self.bytes);
        let output = sha256(&self.bytes);
        self.bytes.extend_from_slice(b",\"task_id\":");
        write_canonical_string(delivery.task_id, &mut self.bytes);
        self.bytes.push(b'}');
        let request = prefix.finish_with(&self.bytes);
        Hashes {
            output,
            schema: *contract.schema.hash(),
            rules: contract.rules.rules_hash(),
            request,
        }
    }

    fn set_prefix(&mut self, contract: &Arc<Contract>, agent_id: Option<&str>) -> Sha256 {
        let text = &mut self.bytes;
        text.clear();
        text.extend_from_slice(b"{\"agent_id\":");
        match agent_id {
            Some(agent) => write_canonical_string(agent, text),
            None => text.extend_from_slice(b"null"),
        }
        text.extend_from_slice(b",\"bounds\":");
        text.extend_from_slice(contract.rules.canonical_bounds());
        text.extend_from_slice(b",\"enforce_rules\":");
        text.extend_from_slice(if contract.enforce_rules { b"true" } else { b"false" });
        text.extend_from_slice(b",\"expected_schema\":");
        text.extend_from_slice(contract.schema.canonical());
        text.extend_from_slice(b",\"rules\":");
        text.extend_from_slice(contract.rules.canonical_rules());
        text.extend_from_slice(b",\"strict_content_check\":");
        text.extend_from_slice(if contract.strict_content_check {
            b"true"
        } else {
            b"false"
        });
        text.extend_from_slice(b",\"submitted_output\":");
        let prefix = Sha256::of_prefix(text);
        self.prefix = Some(prefix.clone());
        self.contract = Some(Arc::clone(contract));
        self.agent_id = agent_id.map(str::to_owned);
        prefix
    }
}
