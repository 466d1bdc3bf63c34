//! Every bound of the engine, with its unit and the reason for its value.

/// Bytes of one request, or of one deliverable: room for an honest 10 MB output with its schema.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// Nesting of arrays and objects: what serde_json and most other readers of the field accept.
pub const MAX_JSON_DEPTH: usize = 128;

/// Digits of one integer: far past any amount or identifier, and cheap to compute with.
pub const MAX_INTEGER_DIGITS: usize = 1_000;

/// Characters of `task_id` and of `agent_id` (protocol, section 2).
pub const MAX_ID_CHARS: usize = 200;

/// Characters of a value quoted in a text of the response (protocol, section 4).
pub const MAX_QUOTED_CHARS: usize = 200;

/// Entries of each list in a response (protocol, section 4).
pub const MAX_LIST_ENTRIES: usize = 100;

/// Offending fields named in one error answer; a request with more is hopeless, and the first ones say why.
pub const MAX_FIELD_PROBLEMS: usize = 20;

/// Subschemas that one schema may compile to. The largest published schemas (FHIR, Kubernetes) have some 50,000.
pub const MAX_SUBSCHEMAS: usize = 200_000;

/// Distinct patterns of one schema.
pub const MAX_PATTERNS: usize = 1_000;

/// Steps that compiling the patterns of one schema may take, and for each byte of its text: a thousand simple patterns
/// in a schema of their size.
pub const PATTERN_STEPS: u64 = 1_000_000;
/// See [`PATTERN_STEPS`].
pub const PATTERN_STEPS_PER_SCHEMA_BYTE: u64 = 50;

/// Bytes of one pattern.
pub const MAX_PATTERN_BYTES: usize = 16 * 1024;

/// Wall time of all patterns of one verification.
pub const MAX_PATTERN_TIME: std::time::Duration = std::time::Duration::from_millis(25);

/// Further wall time of patterns for each byte of text, so that honest big documents pass: what patterns take that must
/// look at every character of a text that is not ASCII.
pub const PATTERN_TIME_PER_BYTE: std::time::Duration = std::time::Duration::from_nanos(100);

/// Bytes of one identifier of a schema (`$id` and what it resolves to); longer than any URI that software accepts.
pub const MAX_IDENTIFIER_BYTES: usize = 4 * 1024;

/// Bytes of all resolved identifiers of one schema: some ten thousand embedded schemas.
pub const MAX_IDENTIFIERS_BYTES: usize = 1024 * 1024;

/// Nested schema applications in one evaluation. The depth of the output is bounded by [`MAX_JSON_DEPTH`]; this leaves
/// room for eight references or combinators at every level of it, and a cycle of references always reaches it.
pub const MAX_EVALUATION_DEPTH: usize = 1_024;

/// Steps that every evaluation may take, whatever its size.
pub const BASE_STEPS: u64 = 300_000;

/// Further steps for each node of the output, so that honest big documents pass.
pub const STEPS_PER_OUTPUT_NODE: u64 = 100;

/// Further steps for each byte of the output's text: each may be looked at by some keywords, a pattern among them.
pub const STEPS_PER_OUTPUT_BYTE: u64 = 2;

/// Further steps for each subschema.
pub const STEPS_PER_SUBSCHEMA: u64 = 16;

/// Rules of one request.
pub const MAX_RULES: usize = 1_000;

/// Bounds of one request.
pub const MAX_BOUNDS: usize = 1_000;

/// Characters of one path in a rule or bound.
pub const MAX_PATH_CHARS: usize = 1_000;
