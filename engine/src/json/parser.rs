//! The fast reader: simd-json over buffers that are used again, with the exact reader behind it.
//!
//! simd-json finds the structure and unescapes; this file turns its tape into ours. Whatever simd-json refuses or may
//! have lost goes to the exact reader, whose answer counts: an integer past 64 bits, a zero that may be an underflow, a
//! large number that may have had a fraction, and every error, which needs its line and column.

use simd_json::{Buffers, INPUT_PADDING, StaticNode, Tape};

use super::exact::{self, SyntaxError, SyntaxErrorKind};
use super::tape::{Document, Node};
use crate::limits;

/// How large a text may be.
#[derive(Clone, Copy, Debug)]
pub struct ParseLimits {
    /// Bytes of the whole text.
    pub max_bytes: usize,
    /// Nested arrays and objects.
    pub max_depth: usize,
}

impl Default for ParseLimits {
    fn default() -> ParseLimits {
        ParseLimits {
            max_bytes: limits::MAX_REQUEST_BYTES,
            max_depth: limits::MAX_JSON_DEPTH,
        }
    }
}

/// Reads JSON texts one after the other, using its buffers again.
pub struct Parser {
    limits: ParseLimits,
    input: Vec<u8>,
    buffers: Buffers,
    tape: Tape<'static>,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::with_limits(ParseLimits::default())
    }
}

impl Parser {
    /// A parser with the given limits.
    pub fn with_limits(limits: ParseLimits) -> Parser {
        Parser {
            limits,
            input: Vec::new(),
            buffers: Buffers::with_max_depth(4096, limits.max_depth),
            tape: Tape(Vec::new()),
        }
    }

    /// Reads one text into `document`, whose old content is dropped.
    ///
    /// # Errors
    /// What is wrong with the text, and where; `document` is then in no useful state.
    pub fn parse(&mut self, text: &[u8], document: &mut Document) -> Result<(), SyntaxError> {
        if text.len() > self.limits.max_bytes {
            return Err(SyntaxError {
                kind: SyntaxErrorKind::TooLong,
                line: 1,
                column: 1,
            });
        }
        if self.parse_fast(text, document) {
            return Ok(());
        }
        exact::read(text, &self.limits, document)
    }

    /// Whether simd-json read the text and nothing about it is in doubt.
    fn parse_fast(&mut self, text: &[u8], document: &mut Document) -> bool {
        document.clear();
        self.input.clear();
        self.input.reserve(text.len() + INPUT_PADDING);
        self.input.extend_from_slice(text);
        self.input.resize(text.len() + INPUT_PADDING, 0);
        let mut tape = std::mem::replace(&mut self.tape, Tape(Vec::new())).reset();
        let read = simd_json::fill_tape_padded(&mut self.input, text.len(), &mut self.buffers, &mut tape);
        let certain = read.is_ok() && copy_tape(&tape, document) && document.index_keys().is_none();
        self.tape = tape.reset();
        certain
    }
}

/// Turns simd-json's tape into ours. The two have the same nodes in the same order; false when one is in doubt.
fn copy_tape(tape: &Tape<'_>, document: &mut Document) -> bool {
    document.nodes.reserve(tape.0.len());
    for (at, node) in tape.0.iter().enumerate() {
        let node = match *node {
            simd_json::Node::String(text) => {
                let (start, len) = document.push_text(text);
                Node::String { hash: 0, start, len }
            }
            simd_json::Node::Object { len, count } => Node::Object {
                len: len as u32,
                end: (at + 1 + count) as u32,
            },
            simd_json::Node::Array { len, count } => Node::Array {
                len: len as u32,
                end: (at + 1 + count) as u32,
            },
            simd_json::Node::Static(StaticNode::Null) => Node::Null,
            simd_json::Node::Static(StaticNode::Bool(value)) => Node::Bool(value),
            simd_json::Node::Static(StaticNode::I64(value)) => Node::Integer(value),
            simd_json::Node::Static(StaticNode::U64(value)) => {
                i64::try_from(value).map_or(Node::Unsigned(value), Node::Integer)
            }
            // A zero may be an underflow, and a large number may have had a fraction: only the text tells.
            simd_json::Node::Static(StaticNode::F64(value))
                if value == 0.0 || value.abs() >= exact::WHOLE_FROM =>
            {
                return false;
            }
            simd_json::Node::Static(StaticNode::F64(value)) => Node::Float(value),
        };
        document.nodes.push(node);
    }
    true
}

/// Reads a text with the exact reader alone: slower, and the reference for the fast one.
///
/// # Errors
/// As [`Parser::parse`].
pub fn parse_exact(text: &[u8], limits: &ParseLimits, document: &mut Document) -> Result<(), SyntaxError> {
    if text.len() > limits.max_bytes {
        return Err(SyntaxError {
            kind: SyntaxErrorKind::TooLong,
            line: 1,
            column: 1,
        });
    }
    exact::read(text, limits, document)
}
