//! The regular expressions of `pattern` and `patternProperties`: ECMA-262, 11th edition, with the `u` flag, or without
//! it where the pattern is valid only so. Not anchored; bounded in size, steps and time.

mod shape;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use corvus_regex_ecma262::{Edition, Error, Flags, Regex, RegexBuilder, UnicodeVersion};

use crate::limits::MAX_PATTERN_BYTES;
use crate::meter::{LimitExceeded, Meter};
use shape::Shape;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    source: Box<str>,
    plain: Option<Plain>,
    regex: Regex,
    shape: Shape,
    bound: Bound,
    /// Whether the automata have been built.
    automata: OnceLock<()>,
}

/// How the work of a match is bounded.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// It is at most so many states for each byte of the text.
    StatesPerByte(u64),
    /// Only the clock tells.
    Clock,
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

/// From so many states on, an automaton costs more to build than it can save.
const MANY_STATES: u64 = 128;

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When it is not valid, or too large to be read in bounded time.
    pub fn compile(source: &str) -> Result<Pattern, PatternError> {
        if source.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLarge);
        }
        let shape = Shape::of(source);
        let regex = match build(source, true, &shape) {
            Err(Error::Invalid(_)) => build(source, false, &shape),
            other => other,
        };
        let regex = regex.map_err(|error| match error {
            Error::TooLarge(_) => PatternError::TooLarge,
            _ => PatternError::Invalid,
        })?;
        Ok(Pattern {
            bound: Bound::of(source, &shape),
            plain: Plain::of(source),
            source: source.into(),
            regex,
            shape,
            automata: OnceLock::new(),
        })
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether its time may grow faster than the length of the text: a group that is read back, or a repetition inside
    /// a repetition.
    pub fn may_be_slow(&self) -> bool {
        self.shape.has_backreference || self.shape.repeats_repetition
    }

    /// The steps that compiling a pattern takes, its automata included, as measured.
    pub(crate) fn compile_steps(source: &str) -> u64 {
        /// For any pattern at all.
        const BASE: u64 = 2_000;
        /// For each byte that is read.
        const PER_BYTE: u64 = 20;
        /// For each state of an automaton past those that any pattern has; past a thousand none is built.
        const PER_STATE: u64 = 120;
        const FEW_STATES: u64 = 16;
        const MAX_AUTOMATON_STATES: u64 = 1_024;
        /// For each table of a Unicode property; they are kept while one pattern is read.
        const PER_PROPERTY: u64 = 4_000;
        const MAX_PROPERTIES: u64 = 64;
        let shape = Shape::of(source);
        BASE + PER_BYTE * source.len() as u64
            + PER_STATE * shape.states.min(MAX_AUTOMATON_STATES).saturating_sub(FEW_STATES)
            + PER_PROPERTY * shape.properties.min(MAX_PROPERTIES)
    }

    /// Whether the pattern occurs in `text`.
    ///
    /// # Errors
    /// When the meter allows no more steps or time.
    pub(crate) fn is_match(&self, text: &str, meter: &mut Meter) -> Result<bool, LimitExceeded> {
        /// What any match takes.
        const MATCH_STEPS: u64 = 3;
        /// States tried in about the time of one step.
        const STATES_PER_STEP: u64 = 16;
        if let Some(plain) = &self.plain {
            // Comparing strings goes through some hundred bytes in the time of one step.
            meter.charge(1 + self.source.len() as u64 / 256)?;
            return Ok(plain.is_match(text));
        }
        self.automata.get_or_init(|| self.build_automata());
        let len = text.len() as u64;
        let quick = match self.bound {
            Bound::StatesPerByte(states) => {
                meter.charge(MATCH_STEPS + len.saturating_mul(states) / STATES_PER_STEP)?;
                self.regex.is_match_within(text, QUICK)
            }
            Bound::Clock => {
                meter.charge(MATCH_STEPS)?;
                if meter.pattern_time().is_zero() {
                    return Err(LimitExceeded::PatternTime);
                }
                let started = Instant::now();
                let quick = self.regex.is_match_within(text, QUICK);
                // When the match was quick but the clock says otherwise, another program had the processor.
                meter.charge_pattern_time(started.elapsed().min(MAX_QUICK_TIME));
                quick
            }
        };
        match quick {
            Ok(matches) => Ok(matches),
            Err(_) => self.is_match_slowly(text, meter),
        }
    }

    /// The first match builds the automata, outside any limit. Their cost is a part of [`Pattern::compile_steps`], so
    /// that whether a request goes over a limit does not depend on whether it was the first with its schema.
    #[cold]
    fn build_automata(&self) {
        // Of all texts of this length, one past ASCII needs every automaton.
        let sample = "é".repeat(self.shape.states.min(MANY_STATES) as usize / 2 + 1);
        let _answer = self.regex.is_match_within(&sample, QUICK).is_ok();
    }

    #[cold]
    fn is_match_slowly(&self, text: &str, meter: &mut Meter) -> Result<bool, LimitExceeded> {
        let limit = meter.pattern_time();
        if limit.is_zero() {
            return Err(LimitExceeded::PatternTime);
        }
        let started = Instant::now();
        let result = self.regex.is_match_within(text, limit);
        meter.charge_pattern_time(started.elapsed());
        result.map_err(|_| LimitExceeded::PatternTime)
    }
}

/// A limit that lets a match go until the clock is looked at for the second time, which is after a fixed number of
/// some thousand states: whether a match is quick does not depend on the machine.
const QUICK: Duration = Duration::from_nanos(1);

/// What a quick match may take at the most.
const MAX_QUICK_TIME: Duration = Duration::from_micros(500);

fn build(source: &str, unicode: bool, shape: &Shape) -> Result<Regex, Error> {
    let flags = Flags {
        unicode,
        ..Flags::default()
    };
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .with_flags(flags)
            .edition(Edition::Es2020)
            .build()
    };
    let is_anchored = source.starts_with('^') && !shape.is_branched;
    let is_valid = || Regex::is_valid_with(source, flags, Edition::Es2020, UnicodeVersion::Default);
    if shape.states < MANY_STATES || is_anchored || !is_valid() {
        return build(source);
    }
    // The search for a match of many states would build an automaton for many milliseconds, which no limit ends. An
    // empty lookahead, true everywhere, makes the pattern one that has no automaton.
    build(&format!("(?=)(?:{source})"))
}

impl Bound {
    fn of(source: &str, shape: &Shape) -> Bound {
        let is_simple = !shape.is_branched
            && !shape.looks_around
            && !shape.has_backreference
            && !shape.repeats_repetition
            && shape.states < MANY_STATES;
        match (is_simple, source.starts_with('^'), shape.open_repetitions) {
            // It fails or holds after its own length.
            (true, true, 0) => Bound::StatesPerByte(0),
            // One repetition can give back what it took, or one start be tried after the other; not both.
            (true, true, 1) | (true, false, 0) => Bound::StatesPerByte(shape.states),
            _ => Bound::Clock,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(source: &str, text: &str) -> bool {
        let pattern = Pattern::compile(source).unwrap();
        pattern
            .is_match(text, &mut Meter::for_sizes(1, text.len(), 1))
            .unwrap()
    }

    #[test]
    fn patterns_of_many_states_match_as_others_do() {
        for count in [3, 127, 128, 129, 1_000] {
            let exact = format!("a{{{count}}}");
            for source in [
                exact.clone(),
                format!("^{exact}$"),
                format!("x|{exact}"),
                format!("({exact})"),
            ] {
                assert!(matches(&source, &"a".repeat(count)), "{source}");
                assert!(!matches(&source, &"a".repeat(count - 1)), "{source}");
                assert_eq!(Pattern::compile(&source).unwrap().as_str(), source);
            }
        }
        assert_eq!(Pattern::compile("a{1000})(b").err(), Some(PatternError::Invalid));
    }

    #[test]
    fn the_grammar_is_that_of_the_11th_edition() {
        for source in ["(?i:abc)", "(?:(?<a>x)|(?<a>y))", "(?P<y>a)", "(?i)a", "a++"] {
            assert_eq!(
                Pattern::compile(source).err(),
                Some(PatternError::Invalid),
                "{source}"
            );
        }
        for source in ["(?<a>x)\\k<a>", "(?<=a)b", "\\p{Script=Greek}", "[\\w-.]"] {
            assert!(Pattern::compile(source).is_ok(), "{source}");
        }
    }

    #[test]
    fn time_that_a_pattern_takes_is_used_up() {
        let slow = Pattern::compile("^(?:(a+)\\1*)+$").unwrap();
        let mut meter = Meter::for_sizes(1, 1, 1);
        let text = "a".repeat(60) + "!";
        assert_eq!(slow.is_match(&text, &mut meter), Err(LimitExceeded::PatternTime));
        assert_eq!(slow.is_match("a", &mut meter), Err(LimitExceeded::PatternTime));
        // A pattern that cannot be slow needs no time.
        assert_eq!(
            Pattern::compile("^a").unwrap().is_match("a", &mut meter),
            Ok(true)
        );
    }

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
