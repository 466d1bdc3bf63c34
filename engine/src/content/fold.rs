//! Folds the beginning of a text for comparison with listed phrases, in a buffer on the stack.

/// At most `BYTES` bytes of folded text.
pub(super) struct Folded<const BYTES: usize> {
    bytes: [u8; BYTES],
    length: usize,
}

impl<const BYTES: usize> Folded<BYTES> {
    /// Lower case, straight apostrophes, one space for any white space, none at either end.
    pub(super) fn text(text: &str) -> Self {
        Self::fold(text, |character| match character {
            '’' | '‘' | 'ʼ' | '`' | '´' => Some('\''),
            other if other.is_whitespace() => None,
            other => Some(other),
        })
    }

    /// As [`Folded::text`], and everything that is no letter, digit or apostrophe becomes a space too.
    pub(super) fn words(text: &str) -> Self {
        Self::fold(text, |character| match character {
            '’' | '‘' | 'ʼ' | '`' | '´' | '\'' => Some('\''),
            other if other.is_alphanumeric() => Some(other),
            _ => None,
        })
    }

    /// Folds until the text or the buffer ends; `map` gives `None` for a separator.
    fn fold(text: &str, map: impl Fn(char) -> Option<char>) -> Self {
        let mut folded = Self {
            bytes: [0; BYTES],
            length: 0,
        };
        let mut separated = false;
        for character in text.chars() {
            let Some(character) = map(character) else {
                separated = folded.length > 0;
                continue;
            };
            if separated {
                if !folded.push(' ') {
                    break;
                }
                separated = false;
            }
            let pushed = if character.is_ascii() {
                folded.push(character.to_ascii_lowercase())
            } else {
                character.to_lowercase().all(|lower| folded.push(lower))
            };
            if !pushed {
                break;
            }
        }
        folded
    }

    fn push(&mut self, character: char) -> bool {
        let mut encoded = [0; 4];
        let encoded = character.encode_utf8(&mut encoded).as_bytes();
        let end = self.length + encoded.len();
        match self.bytes.get_mut(self.length..end) {
            Some(free) => {
                free.copy_from_slice(encoded);
                self.length = end;
                true
            }
            None => false,
        }
    }

    /// The folded text.
    pub(super) fn as_str(&self) -> &str {
        // Only whole characters are pushed, so this is always valid.
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

/// What follows a phrase at the beginning of a folded text, if the text begins with the phrase as whole words.
pub(super) fn strip_phrase<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(phrase)?;
    let inside_a_word = phrase.chars().next_back().is_some_and(is_spaced_letter)
        && rest.chars().next().is_some_and(is_spaced_letter);
    (!inside_a_word).then_some(rest)
}

/// Whether a folded text ends with a phrase as whole words.
pub(super) fn ends_with_phrase(text: &str, phrase: &str) -> bool {
    let Some(before) = text.strip_suffix(phrase) else {
        return false;
    };
    let inside_a_word = phrase.chars().next().is_some_and(is_spaced_letter)
        && before.chars().next_back().is_some_and(is_spaced_letter);
    !inside_a_word
}

/// Whether a folded text holds a phrase as whole words.
pub(super) fn contains_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let (before, from) = text.split_at(at);
        let begins_a_word = !before.chars().next_back().is_some_and(is_spaced_letter)
            || !phrase.chars().next().is_some_and(is_spaced_letter);
        begins_a_word && strip_phrase(from, phrase).is_some()
    })
}

/// Whether a character is a letter or digit of a script that puts spaces between words, among those with phrases here.
/// Chinese and Japanese write none, and Korean appends endings, so there a phrase may end anywhere.
fn is_spaced_letter(character: char) -> bool {
    character < '\u{530}' && character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::{Folded, contains_phrase, ends_with_phrase, strip_phrase};

    #[test]
    fn case_apostrophes_and_spaces_are_folded() {
        assert_eq!(
            Folded::<40>::text("  I’m\u{A0} SORRY,\n Ünal ").as_str(),
            "i'm sorry, ünal"
        );
        assert_eq!(
            Folded::<40>::words("[... Rest: of-the code ...]").as_str(),
            "rest of the code"
        );
    }

    #[test]
    fn a_full_buffer_ends_at_a_whole_character() {
        assert_eq!(Folded::<4>::text("aéé").as_str(), "aé");
        assert_eq!(Folded::<3>::text("ab c").as_str(), "ab ");
        assert_eq!(Folded::<1>::text("字").as_str(), "");
    }

    #[test]
    fn phrases_are_whole_words_where_words_are_spaced() {
        assert_eq!(strip_phrase("as an ai, i", "as an ai"), Some(", i"));
        assert_eq!(strip_phrase("as an aide", "as an ai"), None);
        assert_eq!(strip_phrase("抱歉我", "抱歉"), Some("我"));
        assert!(ends_with_phrase("code is unchanged", "unchanged"));
        assert!(!ends_with_phrase("uncut", "cut"));
        assert!(contains_phrase("prerest rest of", "rest"));
        assert!(!contains_phrase("restless forest", "rest"));
    }
}
