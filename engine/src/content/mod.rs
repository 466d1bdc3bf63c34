//! The content checks: whether a string of a deliverable is content at all, whatever the schema says of it.
//!
//! [`scan_text`] runs the six checks that look at one string; `repeated_items` looks at arrays and is not decided here.
//! A false alarm costs a seller a sale, so each check flags a string only when the whole of it, or the place where it
//! begins or ends, says so. Words alone never do: a text may discuss placeholders, truncation and refusals.
//!
//! # What counts, check by check
//!
//! **`placeholder_text`**: the whole string, white space, quotes, brackets and a final full stop aside, is a stand-in:
//! a listed word or phrase (`TBD`, `string`, `example`, `Platzhaltertext`, `待补充`), three or more `x`, three or more
//! dots, an invitation to fill in (`<your name>`, `[insert name here]`, `{{name}}`, `your_api_key_here`), or filler text.
//! - `TODO` and `FIXME` count in capitals or in brackets only: `todo` is a usual status, and Spanish for "all".
//! - Filler text begins with "lorem ipsum", or holds it and consists for the most part of its words. A sentence about
//!   lorem ipsum is a text.
//! - Not stand-ins, because they are answers: `N/A`, `none`, `null`, `unknown`, `-`, `?`, `test`, `TBA`, `pending`,
//!   `coming soon`. Nor formats such as `YYYY-MM-DD`, nor masks such as `XXX-XX-1234`, nor template expressions with
//!   more than a name in them (`{{ .Values.tag }}`, `${HOME}`).
//! - `string` counts even where it may be the name of a type, as that is what a model copies from a schema; the names
//!   of the other types do not. Of the words for "example" only the English one counts: the others are headings.
//!
//! **`empty_text`**: nothing but Unicode `White_Space`. A string of zero-width characters is `hidden_characters`.
//!
//! **`control_characters`**: exactly U+0000–0008, 000B, 000C, 000E–001F, 007F–009F and U+FFFD, anywhere.
//!
//! **`hidden_characters`**: characters that show nothing and may change what the rest says: zero-width characters,
//! bidirectional embeddings, overrides and isolates, tags, variation selectors that select nothing, blank fillers.
//! Legitimate, and so clean:
//! - ZWJ and ZWNJ beside a letter of a script that joins (Arabic, the Indic scripts, Khmer…), ZWSP beside Thai, Lao,
//!   Khmer, Myanmar and their kin, which write no spaces between words; short runs of these too, which typists leave;
//! - ZWJ between two emoji;
//! - up to two marks U+200E, 200F, 061C in a row in a text that holds right-to-left letters;
//! - one variation selector after an emoji, a symbol, a digit or an ideograph; Mongolian selectors and the vowel
//!   separator after a Mongolian letter; the tags of a flag after U+1F3F4;
//! - one U+FEFF at the very beginning, where it is the byte-order mark of a file's content;
//! - soft hyphens, which are hyphenation.
//!
//! **`truncated_text`**: a marker at the end of the text or alone on a line (`[truncated]`, `... (continued)`,
//! `// ... rest of the code unchanged`), or a code fence that is never closed.
//! - An ellipsis alone breaks nothing off; nor does `[...]`, the mark of an abridged quotation; nor "to be continued".
//! - `... remaining output omitted ...` inside a text is how manuals show what a program prints.
//! - `(continued)` without an ellipsis is a usual title of a second table, `(truncated)` a usual adjective.
//! - A fence is open only if every reading agrees: CommonMark's, one where fences nest, and one where a fence closes in
//!   careless ways too. A unified diff and a text that ends in a fence are left alone.
//! - `~~~` is no fence here: it underlines headings.
//!
//! **`refusal_text`**: the text begins with a refusal of the task ("I'm sorry, but I can't assist with that") or with a
//! model's description of itself in the first person ("As an AI language model, I …").
//! - What is refused must be the task ("that", "this request"), so a letter that cannot offer a refund is a letter.
//! - "As an AI, I" needs a limit after it ("I cannot"): stories and scripts of assistants begin so too.
//! - A text that begins with a quotation is a refusal only if the quotation is all of it; otherwise it is dialogue.
//!
//! Words are listed for English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese
//! and Korean, and compared without regard to case and to the form of apostrophes; accents must be composed.
//!
//! # Cost
//!
//! Linear in the text, and nothing is allocated for it. One pass clears chunks of bytes; only where a chunk holds a
//! candidate is it looked at byte by byte, and only there are letters folded.

mod control;
mod empty;
mod fold;
mod hidden;
mod phrase_filter;
mod placeholder;
mod refusal;
mod scanner;
#[cfg(test)]
mod tests;
mod truncated;

/// The seven content checks in the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContentCheck {
    /// A string that is only a stand-in for content.
    PlaceholderText,
    /// A string that is empty or only white space.
    EmptyText,
    /// A string that holds control characters or U+FFFD.
    ControlCharacters,
    /// A string that holds characters which show nothing.
    HiddenCharacters,
    /// A string that breaks off.
    TruncatedText,
    /// A string that is a model's refusal or its description of itself.
    RefusalText,
    /// An array of three or more objects that are all equal.
    RepeatedItems,
}

impl ContentCheck {
    /// All seven, in the order in which they are reported.
    pub const ALL: [ContentCheck; 7] = [
        ContentCheck::PlaceholderText,
        ContentCheck::EmptyText,
        ContentCheck::ControlCharacters,
        ContentCheck::HiddenCharacters,
        ContentCheck::TruncatedText,
        ContentCheck::RefusalText,
        ContentCheck::RepeatedItems,
    ];

    /// The check's full name, `content:NAME`.
    pub fn name(self) -> &'static str {
        match self {
            ContentCheck::PlaceholderText => "content:placeholder_text",
            ContentCheck::EmptyText => "content:empty_text",
            ContentCheck::ControlCharacters => "content:control_characters",
            ContentCheck::HiddenCharacters => "content:hidden_characters",
            ContentCheck::TruncatedText => "content:truncated_text",
            ContentCheck::RefusalText => "content:refusal_text",
            ContentCheck::RepeatedItems => "content:repeated_items",
        }
    }

    /// What a good value looks like, for a hint.
    pub fn expected(self) -> &'static str {
        match self {
            ContentCheck::PlaceholderText => "real content, not a stand-in",
            ContentCheck::EmptyText => "a text with visible characters",
            ContentCheck::ControlCharacters => "text without control characters and without U+FFFD",
            ContentCheck::HiddenCharacters => {
                "text without zero-width, bidirectional-control or tag characters"
            }
            ContentCheck::TruncatedText => "the whole text, to its end",
            ContentCheck::RefusalText => "the deliverable itself, not a refusal of it",
            ContentCheck::RepeatedItems => "items that differ from each other",
        }
    }

    /// What is wrong, to follow the name of a field: `'title': is only a stand-in`.
    pub fn problem(self) -> &'static str {
        match self {
            ContentCheck::PlaceholderText => "is only a stand-in",
            ContentCheck::EmptyText => "is empty or only white space",
            ContentCheck::ControlCharacters => "holds control characters or U+FFFD",
            ContentCheck::HiddenCharacters => "holds characters that do not show",
            ContentCheck::TruncatedText => "breaks off",
            ContentCheck::RefusalText => "is a model's refusal or self-description, not the deliverable",
            ContentCheck::RepeatedItems => "holds the same object again and again",
        }
    }

    /// The check's bit in [`TextFlags`].
    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Which of the text checks flag a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextFlags(u8);

impl TextFlags {
    /// Whether this check flags the string.
    pub fn contains(self, check: ContentCheck) -> bool {
        self.0 & check.bit() != 0
    }

    /// Whether no check flags the string.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The checks that flag the string, in the order in which they are reported.
    pub fn iter(self) -> impl Iterator<Item = ContentCheck> {
        ContentCheck::ALL
            .into_iter()
            .filter(move |check| self.contains(*check))
    }

    fn insert(&mut self, check: ContentCheck) {
        self.0 |= check.bit();
    }
}

/// Runs the six text checks over one string. Linear in its length; never allocates for the string.
pub fn scan_text(text: &str) -> TextFlags {
    let mut flags = scanner::scan(text);
    let core = trim(text);
    if empty::is_empty(core) {
        flags.insert(ContentCheck::EmptyText);
        return flags;
    }
    if placeholder::is_stand_in(core) {
        flags.insert(ContentCheck::PlaceholderText);
    }
    if truncated::ends_in_marker(core) {
        flags.insert(ContentCheck::TruncatedText);
    }
    if refusal::is_refusal(core) {
        flags.insert(ContentCheck::RefusalText);
    }
    flags
}

/// [`str::trim`], quicker for the many texts that begin and end with a visible ASCII character.
fn trim(text: &str) -> &str {
    match text.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => text,
        _ => text.trim(),
    }
}
