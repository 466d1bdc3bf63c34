//! What a marker of truncation says: the signs around it and the words in it.

use std::sync::LazyLock;

use super::phrases::{
    BREVITY, BREVITY_ENDS, CODE, CODE_FOREIGN, CONTINUED, COUNT_CUT, COUNT_LEADS, CUT, ELIDED, KEPT,
    KEPT_FOREIGN, LEFT_OUT, LEFT_OUT_FOREIGN, MORE, PARTS, REST, REST_FOREIGN, UNITS,
};
use crate::content::fold::{Folded, contains_phrase, ends_with_phrase, strip_phrase};
use crate::content::phrase_filter::{PhraseFilter, first_bytes};
/// Bytes of folded words; markers are shorter.
const MAX_WORDS_BYTES: usize = 128;

/// Layers of signs around the words.
const MAX_LAYERS: usize = 6;

/// Words of the longest remark in round brackets that says what was left out.
const MAX_REMARK_WORDS: usize = 8;

/// Words of the longest comment that says what was left out and why.
const MAX_REASON_WORDS: usize = 5;

/// Words of the longest phrase such as "97 more items truncated".
const MAX_COUNTED_WORDS: usize = 8;

/// Beginnings and ends of comments in the usual languages; a longer one stands before its prefix.
const COMMENTS: &[(&str, &str)] = &[
    ("{/*", "*/}"),
    ("<!--", "-->"),
    ("/*", "*/"),
    ("//", ""),
    ("--", ""),
    ("#", ""),
    (";", ""),
    ("%", ""),
];

/// Brackets, and whether they are round ones, in which ordinary remarks stand too.
const BRACKETS: &[(char, char, bool)] = &[
    ('[', ']', false),
    ('<', '>', false),
    ('【', '】', false),
    ('［', '］', false),
    ('(', ')', true),
    ('（', '）', true),
];

/// The first bytes of everything that a marker may begin with, numbers aside.
static OPENINGS: LazyLock<PhraseFilter> = LazyLock::new(|| {
    let lists = [CUT, CONTINUED, ELIDED, REST, REST_FOREIGN, COUNT_LEADS];
    PhraseFilter::new(lists.into_iter().flatten().copied(), first_bytes)
});

/// The first bytes of everything that may follow a number at the beginning of a marker.
static COUNTED: LazyLock<PhraseFilter> =
    LazyLock::new(|| PhraseFilter::new(UNITS.iter().chain(MORE).copied(), first_bytes));

/// Where the marker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Alone on a line.
    Line,
    /// In brackets at the end of the text.
    End,
}

/// The words of what may be a marker, and the signs around them.
pub(super) struct Marker {
    words: Folded<MAX_WORDS_BYTES>,
    comment: bool,
    /// In square, angle or lenticular brackets, or between rules.
    square: bool,
    round: bool,
    ellipsis: bool,
}

impl Marker {
    /// Reads a line or a bracketed group; `None` where its words cannot be those of a marker.
    pub(super) fn read(text: &str, has_ellipsis: bool) -> Option<Self> {
        if !may_say_so(text) {
            return None;
        }
        let mut inner = text.trim();
        let mut comment = false;
        let mut square = false;
        let mut round = false;
        let mut ellipsis = has_ellipsis;
        if let Some(ruled) = strip_rule(inner) {
            square = true;
            inner = ruled;
        } else if let Some(commented) = strip_comment(inner) {
            comment = true;
            inner = commented;
        }
        for _ in 0..MAX_LAYERS {
            let before = inner;
            inner = strip_dots(inner, &mut ellipsis);
            if let Some((within, is_round)) = strip_bracket(inner) {
                square |= !is_round;
                round |= is_round;
                inner = within;
            }
            inner = inner.trim_matches(['*', '_', ' ']);
            if inner.len() == before.len() {
                break;
            }
        }
        ellipsis |= inner.contains("..") || inner.contains('…');
        let words = Folded::words(inner);
        let length = words.as_str().len();
        // A full buffer has lost the end of the words, on which much depends.
        (length > 0 && length + 4 <= MAX_WORDS_BYTES).then_some(Self {
            words,
            comment,
            square,
            round,
            ellipsis,
        })
    }

    /// Whether the marker says that something is missing here.
    pub(super) fn breaks_off(&self, place: Place) -> bool {
        let words = self.words.as_str();
        let bracket = self.square || self.round;
        let counts = words
            .split(' ')
            .find(|word| !COUNT_LEADS.contains(word))
            .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        if counts {
            return self.counts_what_is_missing();
        }
        if CUT.contains(&words) {
            let is_phrase = words.contains(' ') || words.chars().any(is_cjk);
            return self.square || self.round && is_phrase || self.ellipsis;
        }
        if CONTINUED.contains(&words) {
            return self.ellipsis && (bracket || place == Place::Line);
        }
        if ELIDED.contains(&words) {
            return self.ellipsis && (bracket || self.comment);
        }
        if BREVITY.iter().any(|phrase| ends_with_phrase(words, phrase)) {
            // A comment may be the end of a sentence about something else.
            let is_short = words.split(' ').count() <= MAX_REASON_WORDS;
            return bracket || self.ellipsis || self.comment && is_short;
        }
        // What a program printed may be shortened inside a text that shows it.
        if place == Place::Line && contains_phrase(words, "output") {
            return false;
        }
        self.leaves_the_rest() || self.leaves_the_rest_in_another_language()
    }

    /// "97 more items", "1,234 lines truncated": the number, and at once what it counts or that it is more.
    fn counts_what_is_missing(&self) -> bool {
        let mut words = self
            .words
            .as_str()
            .split(' ')
            .skip_while(|word| COUNT_LEADS.contains(word))
            .skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(first) = words.next() else {
            return false;
        };
        let mut is_more = MORE.contains(&first);
        let mut has_unit = UNITS.contains(&first);
        let mut is_cut = false;
        if !is_more && !has_unit {
            return false;
        }
        for (position, word) in words.enumerate() {
            if position == MAX_COUNTED_WORDS {
                return false;
            }
            is_more |= MORE.contains(&word);
            has_unit |= UNITS.contains(&word);
            is_cut |= COUNT_CUT.contains(&word);
        }
        let bracket = self.square || self.round;
        has_unit
            && (is_cut && (bracket || self.ellipsis) || is_more && self.ellipsis && (bracket || self.comment))
    }

    /// "rest of the code unchanged".
    fn leaves_the_rest(&self) -> bool {
        let words = self.words.as_str();
        if !REST.iter().any(|rest| strip_phrase(words, rest).is_some()) {
            return false;
        }
        let contains = |list: &[&str]| list.iter().any(|phrase| contains_phrase(words, phrase));
        let ends = |list: &[&str]| list.iter().any(|phrase| ends_with_phrase(words, phrase));
        let code = contains(CODE);
        let part = code || contains(PARTS);
        let bracket = self.square || self.round;
        let is_short = words.split(' ').count() <= MAX_REMARK_WORDS;
        let says_left_out = (self.square || self.round && is_short) && contains(LEFT_OUT)
            || self.ellipsis && ends(LEFT_OUT)
            || self.comment && code && ends(LEFT_OUT);
        let says_kept =
            ends(KEPT) && (code && (self.comment || self.ellipsis || self.round) || part && self.square);
        let is_elision = self.ellipsis && (part && (self.comment || bracket) || self.square);
        says_left_out || says_kept || is_elision
    }

    fn leaves_the_rest_in_another_language(&self) -> bool {
        let words = self.words.as_str();
        if !REST_FOREIGN
            .iter()
            .any(|rest| strip_phrase(words, rest).is_some())
        {
            return false;
        }
        let contains = |list: &[&str]| list.iter().any(|phrase| contains_phrase(words, phrase));
        let code = contains(CODE_FOREIGN);
        let bracket = self.square || self.round;
        let says_left_out = contains(LEFT_OUT_FOREIGN)
            && (bracket || self.ellipsis && (self.comment || code) || self.comment && code);
        let says_kept = code && contains(KEPT_FOREIGN) && (bracket || self.comment || self.ellipsis);
        let is_elision = code && self.ellipsis && (self.comment || bracket);
        says_left_out || says_kept || is_elision
    }
}

/// Whether the first word may be the first of a marker, or the last the last of a reason; most lines end here.
fn may_say_so(text: &str) -> bool {
    let words = text.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let after_number =
        words.trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, ',' | '.' | ' '));
    if after_number.len() < words.len() {
        return COUNTED.may_hold(first_bytes(after_number));
    }
    OPENINGS.may_hold(first_bytes(words)) || {
        let words = words.trim_end_matches(|sign: char| !sign.is_alphanumeric());
        BREVITY_ENDS.iter().any(|end| ends_with_ignoring_case(words, end))
    }
}

/// What stands between two rules: `--- truncated ---`.
fn strip_rule(text: &str) -> Option<&str> {
    ["---", "===", "***"].into_iter().find_map(|rule| {
        let sign = rule.chars().next()?;
        let ruled = text.strip_prefix(rule)?.strip_suffix(rule)?;
        Some(ruled.trim_matches(sign).trim())
    })
}

fn ends_with_ignoring_case(text: &str, end: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .get(bytes.len().saturating_sub(end.len())..)
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

fn strip_comment(text: &str) -> Option<&str> {
    COMMENTS.iter().find_map(|(open, close)| {
        let body = text.strip_prefix(open)?;
        let body = body.strip_suffix(close).unwrap_or(body);
        Some(body.trim_start_matches(['/', '#', '-', '!', ' ']).trim())
    })
}

/// Removes dots and ellipses at both ends, and tells whether they were more than a full stop.
fn strip_dots<'t>(text: &'t str, ellipsis: &mut bool) -> &'t str {
    let is_dot = |character: char| matches!(character, '.' | '…' | ' ');
    let after = text.trim_start_matches(is_dot);
    let inner = after.trim_end_matches(is_dot);
    let (lead, tail) = (&text[..text.len() - after.len()], &after[inner.len()..]);
    *ellipsis |= [lead, tail]
        .iter()
        .any(|dots| dots.contains("..") || dots.contains('…'));
    // A single dot in front is part of a name: `.gitignore`.
    if lead.trim() == "." { text.trim() } else { inner }
}

fn strip_bracket(text: &str) -> Option<(&str, bool)> {
    BRACKETS.iter().find_map(|(open, close, is_round)| {
        let within = text.strip_prefix(*open)?.strip_suffix(*close)?;
        Some((within.trim(), *is_round))
    })
}

/// Han, kana and Hangul, where a phrase may have no spaces.
fn is_cjk(character: char) -> bool {
    matches!(character, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}
