//! What was agreed: schema, rules, bounds and the two settings that let them block.
//!
//! A contract comes with each request, or stands once for a whole file or topic; the hashes are the same either way.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use crate::integrity::RuleSet;
use crate::json::{Document, Value};
use crate::problem::{FieldProblems, Problem, ProblemCode};
use crate::schema::{Schema, SchemaCache};

/// A compiled contract.
#[derive(Debug)]
pub struct Contract {
    pub(crate) schema: Arc<Schema>,
    pub(crate) rules: RuleSet,
    pub(crate) enforce_rules: bool,
    pub(crate) strict_content_check: bool,
    /// `rules` and `bounds` as they were written, null where they were left out.
    rules_source: Document,
    bounds_source: Document,
}

/// The parts of a contract in a parsed text, not yet compiled.
#[derive(Clone, Copy)]
pub(crate) struct ContractSource<'d> {
    pub(crate) schema: Value<'d>,
    pub(crate) rules: Option<Value<'d>>,
    pub(crate) bounds: Option<Value<'d>>,
    pub(crate) enforce_rules: bool,
    pub(crate) strict_content_check: bool,
}

impl<'d> ContractSource<'d> {
    /// Reads the fields of a contract; `None` when one was noted as a problem.
    pub(crate) fn read(object: Value<'d>, problems: &mut FieldProblems) -> Option<ContractSource<'d>> {
        let schema = object.get("expected_schema");
        if schema.is_none() {
            problems.add(
                "expected_schema",
                "is missing",
                "Add the JSON Schema that the output has to satisfy.",
            );
        }
        let enforce_rules = flag(object, "enforce_rules", problems);
        let strict_content_check = flag(object, "strict_content_check", problems);
        Some(ContractSource {
            schema: schema?,
            rules: object.get("rules"),
            bounds: object.get("bounds"),
            enforce_rules: enforce_rules?,
            strict_content_check: strict_content_check?,
        })
    }

    fn compile(self, schemas: &SchemaCache) -> Result<Contract, Problem> {
        let mut problems = FieldProblems::default();
        let rules = RuleSet::parse(self.rules, self.bounds, &mut problems);
        let Some(rules) = rules.filter(|_| problems.is_empty()) else {
            return Err(problems.into_problem(ProblemCode::InvalidRequest));
        };
        let schema = schemas
            .get(self.schema)
            .map_err(|error| error.into_problem("expected_schema"))?;
        let copy = |value: Option<Value<'_>>| value.map_or_else(Document::new, Value::to_document);
        Ok(Contract {
            schema,
            rules,
            enforce_rules: self.enforce_rules,
            strict_content_check: self.strict_content_check,
            rules_source: copy(self.rules),
            bounds_source: copy(self.bounds),
        })
    }
}

/// A setting that is false unless it is given.
pub(crate) fn flag(object: Value<'_>, field: &str, problems: &mut FieldProblems) -> Option<bool> {
    match object.get(field) {
        None => Some(false),
        Some(value) if value.is_null() => Some(false),
        Some(value) => {
            if value.as_bool().is_none() {
                problems.add(
                    field,
                    "is not true or false",
                    "Use true or false, or leave it out.",
                );
            }
            value.as_bool()
        }
    }
}

impl Contract {
    /// Reads a contract text: an object with `expected_schema` and, where wanted, `rules`, `bounds`, `enforce_rules`
    /// and `strict_content_check`, as in a request.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn parse(text: &[u8], schemas: &SchemaCache) -> Result<Contract, Problem> {
        let mut document = Document::new();
        crate::json::Parser::default()
            .parse(text, &mut document)
            .map_err(|error| Problem::syntax("contract", &error))?;
        let mut problems = FieldProblems::default();
        let root = document.root();
        let Some(members) = root.as_object() else {
            let fix = "Send an object with expected_schema and, where wanted, rules and bounds.";
            return Err(Problem::field(
                ProblemCode::InvalidRequest,
                "contract",
                "is not an object",
                fix,
            ));
        };
        const FIELDS: [&str; 5] = [
            "expected_schema",
            "rules",
            "bounds",
            "enforce_rules",
            "strict_content_check",
        ];
        for member in members.filter(|member| !FIELDS.contains(&member.key)) {
            crate::request::note_unknown(member.key, &FIELDS, &mut problems);
        }
        match ContractSource::read(root, &mut problems) {
            Some(source) if problems.is_empty() => source.compile(schemas),
            _ => Err(problems.into_problem(ProblemCode::InvalidRequest)),
        }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    fn is_from(&self, source: &ContractSource<'_>) -> bool {
        let same = |document: &Document, value: Option<Value<'_>>| match value {
            Some(value) => document.root().same_tokens(value),
            None => document.root().is_null(),
        };
        self.enforce_rules == source.enforce_rules
            && self.strict_content_check == source.strict_content_check
            && self.schema.source().same_tokens(source.schema)
            && same(&self.rules_source, source.rules)
            && same(&self.bounds_source, source.bounds)
    }
}

/// The contracts that one worker has met last. Compiled schemas are shared between workers by [`SchemaCache`].
pub(crate) struct RecentContracts {
    hash_key: RandomState,
    last: Option<Arc<Contract>>,
    by_hash: HashMap<u64, Arc<Contract>>,
}

impl RecentContracts {
    pub(crate) fn new() -> RecentContracts {
        RecentContracts {
            hash_key: RandomState::new(),
            last: None,
            by_hash: HashMap::new(),
        }
    }

    /// The compiled contract, from among the recent ones if it is there.
    pub(crate) fn get(
        &mut self,
        source: &ContractSource<'_>,
        schemas: &SchemaCache,
    ) -> Result<Arc<Contract>, Problem> {
        /// Contracts of one worker; a batch with more of them in turn compiles rules again.
        const MAX_RECENT: usize = 256;
        if let Some(last) = self.last.as_ref().filter(|last| last.is_from(source)) {
            return Ok(Arc::clone(last));
        }
        let hash = self.hash(source);
        let held = self
            .by_hash
            .get(&hash)
            .filter(|held| held.is_from(source))
            .cloned();
        let contract = match held {
            Some(contract) => contract,
            None => {
                let contract = Arc::new(source.compile(schemas)?);
                if self.by_hash.len() >= MAX_RECENT {
                    self.by_hash.clear();
                }
                self.by_hash.insert(hash, Arc::clone(&contract));
                contract
            }
        };
        self.last = Some(Arc::clone(&contract));
        Ok(contract)
    }

    fn hash(&self, source: &ContractSource<'_>) -> u64 {
        let mut hasher = self.hash_key.build_hasher();
        for value in [Some(source.schema), source.rules, source.bounds] {
            match value {
                Some(value) => value.hash_tokens(&mut |bytes| hasher.write(bytes)),
                None => hasher.write_u8(0),
            }
            hasher.write_u8(0xff);
        }
        hasher.write_u8(u8::from(source.enforce_rules) | u8::from(source.strict_content_check) << 1);
        hasher.finish()
    }
}
