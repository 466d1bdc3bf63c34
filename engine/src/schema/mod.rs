//! JSON Schema, compiled once to the form that the walker reads.
//!
//! A schema is checked against the metaschema of its draft, its references are resolved inside the documents at hand,
//! and what it asserts is laid out by type of instance. Nothing is fetched from a network or a disk.

mod branches;
mod cache;
mod compile;
mod dialect;
mod metaschema;
mod names;
mod resources;
mod shorten;
mod subschema;

use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use branches::Branches;
pub use cache::{CacheStatistics, SchemaCache};
pub use compile::Notes;
pub use dialect::Draft;
pub(crate) use resources::Place;
pub(crate) use subschema::{
    Anchored, ArrayChecks, Checks, Closing, Combined, Contains, DynamicReference, Enumeration, Form, Id,
    Limit, NameLists, NumberChecks, ObjectChecks, PropertyTable, StringChecks, Subschema, Types,
};

use crate::json::{Document, Node, Value, write_canonical};
use crate::meter::{LimitExceeded, Meter};
use crate::problem::{FieldProblems, Problem, ProblemCode};
use crate::response::Digest;
use crate::verdict::{Tally, Violations};

/// How a schema is compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Whether `format` is asserted where the draft itself leaves it an annotation. The protocol asserts it always.
    pub assert_formats: bool,
    /// Whether the schema is checked against the metaschema of its draft.
    pub check_metaschema: bool,
    /// Documents that the schema may refer to, by their URI, beside itself and the metaschemas.
    pub documents: HashMap<String, Arc<Document>>,
    /// The draft of a schema without `$schema`; 2020-12 when `None`.
    pub default_draft: Option<Draft>,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            assert_formats: true,
            check_metaschema: true,
            documents: HashMap::new(),
            default_draft: None,
        }
    }
}

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    pub(crate) documents: Vec<Arc<Document>>,
    pub(crate) subschemas: Vec<Subschema>,
    pub(crate) root: Id,
    /// For each anchor that a dynamic reference means, the schemas that have it. When there are any, the walker must
    /// know by which way it came.
    pub(crate) anchored: Vec<Anchored>,
    draft: Draft,
    notes: Notes,
    canonical: Vec<u8>,
    hash: Digest,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// What is wrong with the schema and where, or the limit that it goes over.
    pub fn compile(schema: Value<'_>, options: &CompileOptions) -> Result<Schema, SchemaError> {
        let document = Arc::new(schema.to_document());
        let mut resources = resources::Resources::new(options.documents.clone());
        let fallback = options.default_draft.map(dialect::Dialect::standard);
        let root = resources.add_root(Arc::clone(&document), fallback)?;
        let draft = resources.resource(root.resource).dialect.draft;
        if options.check_metaschema {
            check_metaschema(document.root(), draft)?;
        }
        let mut compiler = compile::Compiler::new(resources, options.assert_formats);
        let compiled = compiler.compile(root);
        let mut root = compiled.map_err(|error| error.with_path(&document))?;
        let compile::Parts {
            mut subschemas,
            mut anchored,
            resources,
            notes,
        } = compiler.into_parts();
        shorten::shorten(&mut subschemas, &mut anchored, &mut root);
        let mut canonical = Vec::new();
        write_canonical(document.root(), &mut canonical);
        let hash = crate::digest::sha256(&canonical);
        Ok(Schema {
            documents: resources.documents,
            subschemas,
            root,
            anchored,
            draft,
            notes,
            canonical,
            hash,
        })
    }

    /// The schema as it was written.
    pub fn source(&self) -> Value<'_> {
        self.documents[0].root()
    }

    /// Its canonical form (RFC 8785).
    pub fn canonical(&self) -> &[u8] {
        &self.canonical
    }

    /// The SHA-256 of its canonical form: `schema_hash`.
    pub fn hash(&self) -> &Digest {
        &self.hash
    }

    /// The draft that it is read by.
    pub fn draft(&self) -> Draft {
        self.draft
    }

    /// How many subschemas it has, those of the metaschemas it refers to included.
    pub fn subschema_count(&self) -> usize {
        self.subschemas.len()
    }

    /// What is worth a remark.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// About how many bytes of memory it holds, for a bounded cache.
    pub fn memory(&self) -> usize {
        /// A compiled subschema with its lists, as measured over real schemas, rounded up.
        const SUBSCHEMA_BYTES: usize = 400;
        self.canonical.len() * 3
            + self.source().node_count() * size_of::<Node>()
            + self.subschemas.len() * SUBSCHEMA_BYTES
    }

    /// Whether `instance` is valid, without counting.
    ///
    /// # Errors
    /// When the check goes over a limit.
    pub fn is_valid(&self, instance: Value<'_>) -> Result<bool, LimitExceeded> {
        let mut meter = Meter::for_sizes(
            instance.node_count(),
            instance.text_bytes(),
            self.subschemas.len(),
        );
        crate::evaluate::is_valid(self, instance, &mut meter)
    }

    /// Checks `instance`, counts every assertion and lists every violation (protocol, section 3).
    ///
    /// # Errors
    /// When the check goes over a limit.
    pub fn check(
        &self,
        instance: Value<'_>,
        meter: &mut Meter,
        tally: &mut Tally,
        violations: &mut Violations,
    ) -> Result<(), LimitExceeded> {
        crate::evaluate::check(self, instance, meter, tally, violations)
    }

    pub(crate) fn value(&self, place: Place) -> Value<'_> {
        Value::at(&self.documents[place.document as usize], place.position)
    }
}

fn check_metaschema(schema: Value<'_>, draft: Draft) -> Result<(), SchemaError> {
    let metaschema = metaschema::compiled(draft);
    let limit = |_| SchemaError::limit("is too large to be checked against its metaschema");
    if metaschema.is_valid(schema).map_err(limit)? {
        return Ok(());
    }
    let mut violations = Violations::default();
    let mut meter = Meter::for_sizes(
        schema.node_count(),
        schema.text_bytes(),
        metaschema.subschemas.len(),
    );
    metaschema
        .check(schema, &mut meter, &mut Tally::default(), &mut violations)
        .map_err(limit)?;
    let faults = violations.entries.iter().map(|violation| Fault {
        path: if violation.field == "$" {
            String::new()
        } else {
            violation.field.clone()
        },
        problem: format!("is not valid in {}: expected {}", draft.uri(), violation.expected),
        fix: "Correct the keyword as its draft defines it.".to_owned(),
    });
    Err(SchemaError {
        is_limit: false,
        faults: faults.collect(),
        place: None,
        keyword: String::new(),
    })
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    is_limit: bool,
    faults: Vec<Fault>,
    /// Where the fault was noticed, until its path is known.
    place: Option<Place>,
    keyword: String,
}

/// One fault of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    /// Empty for the schema as a whole.
    path: String,
    problem: String,
    fix: String,
}

impl SchemaError {
    fn new(keyword: &str, problem: &str, fix: &str, is_limit: bool) -> SchemaError {
        let fault = Fault {
            path: keyword.to_owned(),
            problem: problem.to_owned(),
            fix: fix.to_owned(),
        };
        SchemaError {
            is_limit,
            faults: vec![fault],
            place: None,
            keyword: keyword.to_owned(),
        }
    }

    fn at(keyword: &str, problem: &str, fix: &str) -> SchemaError {
        SchemaError::new(keyword, problem, fix, false)
    }

    fn limit(problem: &str) -> SchemaError {
        SchemaError::new("", problem, "Send a smaller schema.", true)
    }

    fn dangling() -> SchemaError {
        SchemaError::at(
            "$ref",
            "refers to nothing in the schema",
            "Refer to a schema that stands in expected_schema.",
        )
    }

    fn outside() -> SchemaError {
        SchemaError::at(
            "$ref",
            "refers to a schema outside, and nothing is ever fetched",
            "Put the schema under $defs of expected_schema, with its $id.",
        )
    }

    fn not_a_schema(place: Place) -> SchemaError {
        SchemaError::at("", "is not a schema", "Write an object or a boolean there.").in_place(place)
    }

    fn for_keyword(mut self, keyword: &str) -> SchemaError {
        keyword.clone_into(&mut self.keyword);
        self
    }

    fn in_place(mut self, place: Place) -> SchemaError {
        self.place.get_or_insert(place);
        self
    }

    /// Turns the place into a path, when it is in the schema's own document.
    fn with_path(mut self, document: &Document) -> SchemaError {
        if let (Some(place), [fault]) = (self.place, self.faults.as_mut_slice())
            && place.document == 0
            && !self.is_limit
        {
            let keyword = Some(self.keyword.as_str()).filter(|keyword| !keyword.is_empty());
            fault.path = path_of(Value::at(document, place.position), keyword);
        }
        self
    }

    /// The error answer of the protocol; `field` is the name under which the schema was sent.
    pub fn into_problem(self, field: &str) -> Problem {
        let code = if self.is_limit {
            ProblemCode::LimitExceeded
        } else {
            ProblemCode::InvalidSchema
        };
        let mut problems = FieldProblems::default();
        for fault in self.faults {
            let dot = if fault.path.is_empty() || fault.path.starts_with('[') {
                ""
            } else {
                "."
            };
            problems.add(format!("{field}{dot}{}", fault.path), fault.problem, fault.fix);
        }
        problems.into_problem(code)
    }
}

impl std::fmt::Display for SchemaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let separator = if index > 0 { "; " } else { "" };
            let path = if fault.path.is_empty() {
                "the schema"
            } else {
                &fault.path
            };
            write!(f, "{separator}{path} {}", fault.problem)?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaError {}

/// The path from the root of its document to a value, and to a keyword in it.
fn path_of(value: Value<'_>, keyword: Option<&str>) -> String {
    let mut path = crate::text::path_between(value.document().root(), value);
    if let Some(keyword) = keyword {
        crate::text::push_member(&mut path, keyword);
    }
    path
}
