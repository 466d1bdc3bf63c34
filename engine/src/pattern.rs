//! The regular expressions of `pattern` and `patternProperties`: ECMA-262 with the `u` flag, or without it where the
//! pattern is valid only so. Not anchored; bounded in size, steps and time.

use std::time::Instant;

use corvus_regex_ecma262::Regex;

use crate::limits::MAX_PATTERN_BYTES;
use crate::meter::{LimitExceeded, Meter};

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    plain: Option<Plain>,
    has_backreference: bool,
}

/// What a pattern comes to that needs no regular expression: a tenth of the time of a match.
#[derive(Debug)]
enum Plain {
    /// `.*` and the like, which occurs in every text.
    Anything,
    /// `^x-`
    Prefix(Box<str>),
    /// `^on$`
    Exact(Box<str>),
}

impl Plain {
    fn of(source: &str) -> Option<Plain> {
        if matches!(source, "" | ".*" | "(.*)" | "^.*" | "^") {
            return Some(Plain::Anything);
        }
        let rest = source.strip_prefix('^')?;
        let (text, is_exact) = match rest.strip_suffix('$') {
            Some(text) => (text, true),
            None => (rest, false),
        };
        let is_literal = |byte: u8| byte.is_ascii_alphanumeric() || b" _-:/@#%&=~!\"'<>,;".contains(&byte);
        if !text.bytes().all(is_literal) {
            return None;
        }
        Some(if is_exact {
            Plain::Exact(text.into())
        } else {
            Plain::Prefix(text.into())
        })
    }

    fn is_match(&self, text: &str) -> bool {
        match self {
            Plain::Anything => true,
            Plain::Prefix(prefix) => text.starts_with(&**prefix),
            Plain::Exact(whole) => text == &**whole,
        }
    }
}

/// Why a pattern cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Not valid with or without the `u` flag.
    #[error("is not a regular expression of ECMA-262")]
    Invalid,
    /// Over a limit of size.
    #[error("is too large a regular expression")]
    TooLarge,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When it is not valid, or too large to be read in bounded time.
    pub fn compile(source: &str) -> Result<Pattern, PatternError> {
        if source.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLarge);
        }
        let regex = match Regex::new(source, "u") {
            Err(corvus_regex_ecma262::Error::Invalid(_)) => Regex::new(source, ""),
            other => other,
        };
        match regex {
            Ok(regex) => Ok(Pattern {
                regex,
                plain: Plain::of(source),
                has_backreference: has_backreference(source),
            }),
            Err(corvus_regex_ecma262::Error::TooLarge(_)) => Err(PatternError::TooLarge),
            Err(_) => Err(PatternError::Invalid),
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Whether its time may grow faster than the length of the text: only a group read back inside a repetition can.
    pub fn may_be_slow(&self) -> bool {
        self.has_backreference
    }

    /// Whether the pattern occurs in `text`.
    ///
    /// # Errors
    /// When the meter allows no more steps or time.
    pub(crate) fn is_match(&self, text: &str, meter: &mut Meter) -> Result<bool, LimitExceeded> {
        /// Up to this product of lengths a pattern without a backreference takes some hundred microseconds at the
        /// most, and reading the clock would cost more than it saves.
        const UNTIMED_PRODUCT: usize = 64 * 1024;
        /// How much of the product of lengths is one step.
        const PRODUCT_PER_STEP: usize = 256;
        let product = text.len().saturating_mul(self.regex.as_str().len());
        meter.charge((product / PRODUCT_PER_STEP) as u64)?;
        if let Some(plain) = &self.plain {
            return Ok(plain.is_match(text));
        }
        let is_timed = self.has_backreference || product > UNTIMED_PRODUCT;
        let started = is_timed.then(Instant::now);
        let limit = meter.pattern_time();
        if limit.is_zero() {
            return Err(LimitExceeded::PatternTime);
        }
        let result = self.regex.is_match_within(text, limit);
        if let Some(started) = started {
            meter.charge_pattern_time(started.elapsed());
        }
        result.map_err(|_| LimitExceeded::PatternTime)
    }
}

/// Whether the source may hold a backreference (`\1`, `\k<name>`); a doubtful one counts.
fn has_backreference(source: &str) -> bool {
    let mut escaped = false;
    source.bytes().any(|byte| {
        if escaped {
            escaped = false;
            return matches!(byte, b'1'..=b'9' | b'k');
        }
        escaped = byte == b'\\';
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_match_as_their_regular_expressions_do() {
        let sources = [
            "",
            "^",
            "^.*",
            ".*",
            "(.*)",
            "^x-",
            "^on$",
            "^$",
            "^a b$",
            "^#",
            "^<='\"/@%&=~!>,;:",
        ];
        let texts = [
            "",
            "x",
            "x-",
            "x-y",
            "ax-",
            "on",
            "on\n",
            "one",
            " on",
            "a b",
            "#",
            "\n",
            "é",
            "<='\"/@%&=~!>,;:",
        ];
        for source in sources {
            let pattern = Pattern::compile(source).unwrap();
            let plain = pattern.plain.as_ref().unwrap();
            for text in texts {
                assert_eq!(
                    plain.is_match(text),
                    pattern.regex.is_match(text).unwrap(),
                    "{source:?} on {text:?}"
                );
            }
        }
        for source in ["x-", "^x.y", "^a|b", "^a\\$", "^é", "^(a)$", "^a{2}", "^.*$"] {
            assert!(Pattern::compile(source).unwrap().plain.is_none(), "{source:?}");
        }
    }
}
