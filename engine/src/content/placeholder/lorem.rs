//! Filler text: "lorem ipsum" and the invented Latin that follows it.

/// Bytes of markup or bullets that may stand before filler text which begins a text.
const MAX_LEAD: usize = 16;

/// Words after "lorem ipsum" that decide whether filler text follows it or a sentence about it.
const PROBE_WORDS: usize = 8;

/// The vocabulary of the usual generators, sorted, without the words that are usual in living languages. Genuine Latin
/// has these words too, but never "lorem".
#[rustfmt::skip]
const VOCABULARY: &[&str] = &[
    "accumsan", "adipiscing", "adipisicing", "aenean", "aliqua", "aliquam", "aliquet", "aliquip", "amet", "anim",
    "ante", "aptent", "arcu", "auctor", "augue", "aute", "bibendum", "blandit", "cillum", "commodo", "condimentum",
    "congue", "consectetur", "consequat", "conubia", "convallis", "cras", "cubilia", "cupidatat", "curabitur",
    "curae", "cursus", "dapibus", "deserunt", "diam", "dictum", "dictumst", "dignissim", "dis", "dolor", "dolore",
    "donec", "dui", "duis", "ea", "efficitur", "egestas", "eget", "eiusmod", "eleifend", "elementum", "elit",
    "enim", "erat", "eros", "etiam", "euismod", "excepteur", "exercitation", "facilisi", "facilisis", "fames",
    "faucibus", "felis", "fermentum", "feugiat", "finibus", "fringilla", "fugiat", "fusce", "gravida", "habitant",
    "habitasse", "hac", "hendrerit", "himenaeos", "iaculis", "imperdiet", "inceptos", "incididunt", "interdum",
    "irure", "justo", "labore", "laboris", "laborum", "lacinia", "lacus", "laoreet", "lectus", "leo", "libero",
    "ligula", "litora", "lobortis", "luctus", "maecenas", "magna", "magnis", "malesuada", "mattis", "mauris",
    "maximus", "metus", "minim", "molestie", "mollis", "mollit", "montes", "morbi", "nascetur", "natoque", "nec",
    "neque", "netus", "nibh", "nisi", "nisl", "nostrud", "nulla", "nullam", "nunc", "occaecat", "odio", "officia",
    "orci", "ornare", "pariatur", "parturient", "pellentesque", "penatibus", "pharetra", "phasellus", "placerat",
    "platea", "porta", "porttitor", "posuere", "potenti", "praesent", "pretium", "primis", "proident", "proin",
    "pulvinar", "purus", "quam", "quis", "quisque", "reprehenderit", "rhoncus", "ridiculus", "risus", "rutrum",
    "sagittis", "sapien", "scelerisque", "sed", "sem", "semper", "senectus", "sint", "sit", "sociis", "sociosqu",
    "sodales", "sollicitudin", "sunt", "suscipit", "suspendisse", "taciti", "tellus", "tempor", "tempus",
    "tincidunt", "torquent", "tortor", "tristique", "turpis", "ullamco", "ullamcorper", "ultrices", "ultricies",
    "urna", "ut", "varius", "vehicula", "vel", "velit", "venenatis", "veniam", "vestibulum", "vitae", "vivamus",
    "viverra", "voluptate", "volutpat", "vulputate",
];

/// Words of the vocabulary that filler text in the middle of a text has at least, "lorem ipsum" aside.
const MIN_KNOWN_WORDS: usize = 3;

/// What is known so far about one text; its words are counted once at most.
#[derive(Default)]
pub(in crate::content) struct Lorem {
    counted: bool,
}

impl Lorem {
    /// Whether a text begins with filler text or consists for the most part of it, given the place of a "psu".
    pub(in crate::content) fn is_filler(&mut self, text: &str, at: usize) -> bool {
        let Some((begin, end)) = phrase_around(text.as_bytes(), at) else {
            return false;
        };
        let (Some(lead), Some(rest)) = (text.get(..begin), text.get(end..)) else {
            return false;
        };
        if is_lead(lead) {
            let words = count(rest, PROBE_WORDS);
            if words.are_filler() {
                return true;
            }
        }
        if self.counted {
            return false;
        }
        self.counted = true;
        let words = count(text, usize::MAX);
        words.known >= MIN_KNOWN_WORDS && words.are_filler()
    }
}

/// Where "lorem ipsum" begins and ends, if the "psu" at `at` is in it.
fn phrase_around(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let ipsum = at.checked_sub(1)?;
    let end = at + 4;
    if !bytes.get(ipsum..end)?.eq_ignore_ascii_case(b"ipsum") {
        return None;
    }
    let separators = bytes
        .get(..ipsum)?
        .iter()
        .rev()
        .take(3)
        .take_while(|byte| !byte.is_ascii_alphabetic())
        .count();
    let lorem_end = ipsum - separators;
    let begin = lorem_end.checked_sub(5)?;
    let is_lorem = separators > 0 && bytes.get(begin..lorem_end)?.eq_ignore_ascii_case(b"lorem");
    is_lorem.then_some((begin, end))
}

/// Whether what stands before filler text is no text itself: nothing, a bullet, a tag.
fn is_lead(lead: &str) -> bool {
    lead.len() <= MAX_LEAD
        && (!lead.contains(char::is_alphanumeric)
            || lead.trim().starts_with('<') && lead.trim().ends_with('>'))
}

/// How many words were counted, and how many of them are in the vocabulary.
struct WordCount {
    known: usize,
    all: usize,
}

impl WordCount {
    fn are_filler(&self) -> bool {
        self.known * 2 >= self.all
    }
}

/// Counts the first `limit` words; "lorem" and "ipsum" themselves, which every candidate has, do not count.
fn count(text: &str, limit: usize) -> WordCount {
    let mut count = WordCount { known: 0, all: 0 };
    let words = text
        .split(|character: char| !character.is_alphabetic())
        .filter(|word| {
            !word.is_empty() && !word.eq_ignore_ascii_case("lorem") && !word.eq_ignore_ascii_case("ipsum")
        });
    for word in words.take(limit) {
        count.all += 1;
        count.known += usize::from(is_known(word));
    }
    count
}

fn is_known(word: &str) -> bool {
    // Longer than the longest word of the vocabulary.
    let mut lower = [0; 16];
    let Some(lower) = lower.get_mut(..word.len()) else {
        return false;
    };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    VOCABULARY
        .binary_search_by(|known| known.as_bytes().cmp(lower))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::{VOCABULARY, is_known};
    use crate::content::{ContentCheck, scan_text};

    #[test]
    fn the_vocabulary_is_sorted() {
        assert!(VOCABULARY.is_sorted());
        assert!(VOCABULARY.iter().all(|word| is_known(word)));
    }

    #[test]
    fn a_short_mention_in_a_long_text_is_no_filler() {
        let article = "Designers set pages with invented words so that nobody reads them. ".repeat(30);
        let text = format!("{article}The best known, lorem ipsum dolor sit amet, is from Cicero. {article}");
        assert!(scan_text(&text).is_empty());
        let text = format!(
            "Introduction\n\n{}",
            "Lorem ipsum dolor sit amet, consectetur elit. ".repeat(30)
        );
        assert!(scan_text(&text).contains(ContentCheck::PlaceholderText));
    }
}
