//! The exact reader: the judge of what is JSON here, with the line and column of what is not.
//!
//! RFC 8259 without its latitude: no byte-order mark, no duplicate keys, no lone surrogates, no number that a double
//! cannot hold, nothing but white space after the value. Integers keep all their digits. It is written for clearness;
//! the speed is the fast reader's, which must never accept what this one refuses.

use super::parser::ParseLimits;
use super::tape::{Document, Node};
use crate::limits;

/// Why a text is not JSON as this project reads it, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at line {line} column {column}")]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Line in the text, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
}

/// What can be wrong with a JSON text. The texts never quote the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxErrorKind {
    /// The text is empty or white space.
    #[error("the text is empty")]
    Empty,
    /// It ends inside a value.
    #[error("the text ends before the value does")]
    UnexpectedEnd,
    /// U+FEFF at the start.
    #[error("a byte-order mark is not allowed")]
    ByteOrderMark,
    /// Not UTF-8 (RFC 3629).
    #[error("the text is not valid UTF-8")]
    InvalidUtf8,
    /// A character where a value should begin.
    #[error("a value was expected")]
    ExpectedValue,
    /// A character where a key should begin.
    #[error("a key in double quotes was expected")]
    ExpectedKey,
    /// No colon after a key.
    #[error("a colon was expected")]
    ExpectedColon,
    /// Neither comma nor closing bracket.
    #[error("a comma or the closing bracket was expected")]
    ExpectedCommaOrEnd,
    /// More than white space after the value.
    #[error("only white space may follow the value")]
    TrailingText,
    /// A control character in a string.
    #[error("a control character in a string must be escaped")]
    ControlCharacter,
    /// An escape that RFC 8259 does not know.
    #[error("the escape sequence is not valid")]
    InvalidEscape,
    /// Half of a surrogate pair.
    #[error("a lone surrogate has no meaning")]
    LoneSurrogate,
    /// A number that does not follow the grammar.
    #[error("the number is not written as JSON writes numbers")]
    InvalidNumber,
    /// Infinite as a double.
    #[error("the number is too large for a double")]
    NumberOverflow,
    /// Not zero, but zero as a double.
    #[error("the number is too close to zero for a double")]
    NumberUnderflow,
    /// Not whole, but of a size at which every double is.
    #[error("the number has a fraction that a double of its size cannot hold")]
    FractionLost,
    /// Two members with one key.
    #[error("the key stands twice in one object")]
    DuplicateKey,
    /// More nested containers than allowed.
    #[error("arrays and objects are nested too deeply")]
    TooDeep,
    /// More bytes than allowed.
    #[error("the text is too long")]
    TooLong,
    /// More digits than allowed.
    #[error("the integer has too many digits")]
    TooManyDigits,
}

impl SyntaxErrorKind {
    /// Whether the text may be JSON, but is over a limit.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            SyntaxErrorKind::TooDeep | SyntaxErrorKind::TooLong | SyntaxErrorKind::TooManyDigits
        )
    }
}

/// A fault with the byte at which it was noticed.
struct Fault {
    kind: SyntaxErrorKind,
    at: usize,
}

pub(super) fn read(input: &[u8], limits: &ParseLimits, document: &mut Document) -> Result<(), SyntaxError> {
    document.clear();
    let outcome = std::str::from_utf8(input)
        .map_err(|e| Fault {
            kind: SyntaxErrorKind::InvalidUtf8,
            at: e.valid_up_to(),
        })
        .and_then(|text| {
            Reader {
                text,
                at: 0,
                max_depth: limits.max_depth,
                document,
            }
            .read_text()
        });
    outcome.map_err(|fault| locate(input, fault))
}

fn locate(input: &[u8], fault: Fault) -> SyntaxError {
    let before = &input[..fault.at.min(input.len())];
    let line_start = before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |newline| newline + 1);
    SyntaxError {
        kind: fault.kind,
        line: before.iter().filter(|b| **b == b'\n').count() + 1,
        column: String::from_utf8_lossy(&before[line_start..]).chars().count() + 1,
    }
}

/// A container that is being read.
struct Open {
    /// Its node.
    at: usize,
    is_object: bool,
    len: u32,
}

struct Reader<'i, 'd> {
    text: &'i str,
    at: usize,
    max_depth: usize,
    document: &'d mut Document,
}

type Step<T> = Result<T, Fault>;

impl Reader<'_, '_> {
    fn read_text(mut self) -> Step<()> {
        if self.text.starts_with('\u{feff}') {
            return self.fail(SyntaxErrorKind::ByteOrderMark);
        }
        self.skip_white_space();
        if self.peek().is_none() {
            return self.fail(SyntaxErrorKind::Empty);
        }
        // The input places of all keys, in the order of their nodes.
        let mut keys: Vec<(usize, usize)> = Vec::new();
        self.read_value(&mut keys)?;
        self.skip_white_space();
        if self.peek().is_some() {
            return self.fail(SyntaxErrorKind::TrailingText);
        }
        if let Some(second) = self.document.index_keys() {
            let place = keys
                .iter()
                .find(|(node, _)| *node == second)
                .map_or(0, |(_, at)| *at);
            return Err(Fault {
                kind: SyntaxErrorKind::DuplicateKey,
                at: place,
            });
        }
        Ok(())
    }

    /// Reads one value with all that it holds; containers are kept on an own stack, so depth costs no call stack.
    fn read_value(&mut self, keys: &mut Vec<(usize, usize)>) -> Step<()> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.skip_white_space();
            let begins = match self.peek() {
                Some(b'{') => Some(true),
                Some(b'[') => Some(false),
                _ => None,
            };
            if let Some(is_object) = begins {
                if open.len() == self.max_depth {
                    return self.fail(SyntaxErrorKind::TooDeep);
                }
                self.at += 1;
                let at = self.document.nodes.len();
                self.document.nodes.push(Node::Null);
                open.push(Open {
                    at,
                    is_object,
                    len: 0,
                });
                self.skip_white_space();
                if self.peek() != Some(if is_object { b'}' } else { b']' }) {
                    if is_object {
                        self.read_key(keys)?;
                    }
                    continue;
                }
                self.at += 1;
                self.close(&mut open);
            } else {
                self.read_scalar()?;
            }
            // A value has ended: go on in the container around it, or close containers as long as they end here.
            loop {
                let Some(container) = open.last_mut() else {
                    return Ok(());
                };
                container.len += 1;
                let is_object = container.is_object;
                self.skip_white_space();
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if is_object {
                            self.skip_white_space();
                            self.read_key(keys)?;
                        }
                        break;
                    }
                    Some(b'}') if is_object => self.at += 1,
                    Some(b']') if !is_object => self.at += 1,
                    Some(_) => return self.fail(SyntaxErrorKind::ExpectedCommaOrEnd),
                    None => return self.fail(SyntaxErrorKind::UnexpectedEnd),
                }
                self.close(&mut open);
            }
        }
    }

    fn close(&mut self, open: &mut Vec<Open>) {
        if let Some(Open { at, is_object, len }) = open.pop() {
            let end = self.document.nodes.len() as u32;
            self.document.nodes[at] = if is_object {
                Node::Object { len, end }
            } else {
                Node::Array { len, end }
            };
        }
    }

    fn read_key(&mut self, keys: &mut Vec<(usize, usize)>) -> Step<()> {
        match self.peek() {
            Some(b'"') => {}
            Some(_) => return self.fail(SyntaxErrorKind::ExpectedKey),
            None => return self.fail(SyntaxErrorKind::UnexpectedEnd),
        }
        keys.push((self.document.nodes.len(), self.at));
        self.read_string()?;
        self.skip_white_space();
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return self.fail(SyntaxErrorKind::ExpectedColon),
            None => return self.fail(SyntaxErrorKind::UnexpectedEnd),
        }
        Ok(())
    }

    fn read_scalar(&mut self) -> Step<()> {
        match self.peek() {
            Some(b'"') => self.read_string(),
            Some(b'-' | b'0'..=b'9') => self.read_number(),
            Some(b'n') => self.read_word("null", Node::Null),
            Some(b't') => self.read_word("true", Node::Bool(true)),
            Some(b'f') => self.read_word("false", Node::Bool(false)),
            Some(_) => self.fail(SyntaxErrorKind::ExpectedValue),
            None => self.fail(SyntaxErrorKind::UnexpectedEnd),
        }
    }

    fn read_word(&mut self, word: &str, node: Node) -> Step<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return self.fail(SyntaxErrorKind::ExpectedValue);
        }
        self.at += word.len();
        self.document.nodes.push(node);
        Ok(())
    }

    fn read_string(&mut self) -> Step<()> {
        self.at += 1;
        let start = self.document.text.len();
        loop {
            let run = self.text.as_bytes()[self.at..]
                .iter()
                .position(|b| matches!(b, b'"' | b'\\' | 0x00..=0x1f))
                .unwrap_or(self.text.len() - self.at);
            self.document.text.push_str(&self.text[self.at..self.at + run]);
            self.at += run;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.read_escape()?,
                Some(_) => return self.fail(SyntaxErrorKind::ControlCharacter),
                None => return self.fail(SyntaxErrorKind::UnexpectedEnd),
            }
        }
        self.at += 1;
        let (start, len) = (start as u32, (self.document.text.len() - start) as u32);
        self.document.nodes.push(Node::String { hash: 0, start, len });
        Ok(())
    }

    fn read_escape(&mut self) -> Step<()> {
        let escape_at = self.at;
        self.at += 1;
        let Some(escape) = self.peek() else {
            return self.fail(SyntaxErrorKind::UnexpectedEnd);
        };
        self.at += 1;
        let character = match escape {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.read_code_unit(escape_at)?;
                let code_point = match unit {
                    0xd800..=0xdbff => {
                        if !self.text.as_bytes()[self.at..].starts_with(b"\\u") {
                            return Err(Fault {
                                kind: SyntaxErrorKind::LoneSurrogate,
                                at: escape_at,
                            });
                        }
                        self.at += 2;
                        let low = self.read_code_unit(escape_at)?;
                        if !(0xdc00..=0xdfff).contains(&low) {
                            return Err(Fault {
                                kind: SyntaxErrorKind::LoneSurrogate,
                                at: escape_at,
                            });
                        }
                        0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
                    }
                    other => other,
                };
                match char::from_u32(code_point) {
                    Some(character) => character,
                    None => {
                        return Err(Fault {
                            kind: SyntaxErrorKind::LoneSurrogate,
                            at: escape_at,
                        });
                    }
                }
            }
            _ => {
                return Err(Fault {
                    kind: SyntaxErrorKind::InvalidEscape,
                    at: escape_at,
                });
            }
        };
        self.document.text.push(character);
        Ok(())
    }

    /// The four hexadecimal digits of a `\u` escape.
    fn read_code_unit(&mut self, escape_at: usize) -> Step<u32> {
        let Some(digits) = self.text.as_bytes().get(self.at..self.at + 4) else {
            return Err(Fault {
                kind: SyntaxErrorKind::InvalidEscape,
                at: escape_at,
            });
        };
        let mut unit = 0;
        for digit in digits {
            let Some(value) = (*digit as char).to_digit(16) else {
                return Err(Fault {
                    kind: SyntaxErrorKind::InvalidEscape,
                    at: escape_at,
                });
            };
            unit = unit * 16 + value;
        }
        self.at += 4;
        Ok(unit)
    }

    fn read_number(&mut self) -> Step<()> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut at = start + usize::from(bytes[start] == b'-');
        let whole = digits(at);
        if whole == 0 || (whole > 1 && bytes[at] == b'0') {
            return self.fail(SyntaxErrorKind::InvalidNumber);
        }
        at += whole;
        let mut is_integer = true;
        if bytes.get(at) == Some(&b'.') {
            is_integer = false;
            let fraction = digits(at + 1);
            if fraction == 0 {
                return self.fail(SyntaxErrorKind::InvalidNumber);
            }
            at += 1 + fraction;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            is_integer = false;
            at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at);
            if exponent == 0 {
                return self.fail(SyntaxErrorKind::InvalidNumber);
            }
            at += exponent;
        }
        let literal = &self.text[start..at];
        let node = if is_integer {
            if whole > limits::MAX_INTEGER_DIGITS {
                return self.fail(SyntaxErrorKind::TooManyDigits);
            }
            if let Ok(value) = literal.parse::<i64>() {
                Node::Integer(value)
            } else if let Ok(value) = literal.parse::<u64>() {
                Node::Unsigned(value)
            } else {
                let (start, len) = self.document.push_text(literal);
                Node::BigInteger { start, len }
            }
        } else {
            let value: f64 = match literal.parse() {
                Ok(value) => value,
                Err(_) => return self.fail(SyntaxErrorKind::InvalidNumber),
            };
            if value.is_infinite() {
                return self.fail(SyntaxErrorKind::NumberOverflow);
            }
            let mantissa = literal.split(['e', 'E']).next().unwrap_or_default();
            if value == 0.0 && mantissa.bytes().any(|b| matches!(b, b'1'..=b'9')) {
                return self.fail(SyntaxErrorKind::NumberUnderflow);
            }
            if value.abs() >= WHOLE_FROM && has_fraction(literal) {
                return self.fail(SyntaxErrorKind::FractionLost);
            }
            Node::Float(value)
        };
        self.at = at;
        self.document.nodes.push(node);
        Ok(())
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fail<T>(&self, kind: SyntaxErrorKind) -> Step<T> {
        Err(Fault { kind, at: self.at })
    }
}

/// From here on a double has no place for a fraction (IEEE 754: 52 bits after the leading one).
pub(super) const WHOLE_FROM: f64 = (1u64 << 52) as f64;

/// Whether the value of a literal, which follows the grammar, is not whole.
fn has_fraction(literal: &str) -> bool {
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // An exponent past 64 bits makes infinity or zero of every mantissa, which have been told before.
    let exponent: i64 = exponent.parse().unwrap_or_default();
    let places = (fraction.len() as i64).saturating_sub(exponent);
    let from_the_right = fraction.bytes().rev().chain(whole.bytes().rev());
    from_the_right
        .take(usize::try_from(places).unwrap_or_default())
        .any(|digit| matches!(digit, b'1'..=b'9'))
}
