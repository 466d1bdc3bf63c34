//! `hidden_characters`: characters that show nothing, where no script or emoji needs them.

/// The longest run of tags that spells a flag: six letters and digits of a subdivision, and the cancelling tag.
const LONGEST_FLAG: usize = 7;

/// Zero-width characters between another one and the letter that needs it. A run twice as long carries data.
const MAX_IN_BETWEEN: usize = 2;

/// Whether a text holds right-to-left letters, found out when it first matters.
#[derive(Default)]
pub(super) struct RightToLeft(Option<bool>);

impl RightToLeft {
    fn is_in(&mut self, text: &str) -> bool {
        *self.0.get_or_insert_with(|| text.chars().any(is_right_to_left))
    }
}

/// Where to go on after a character that does no harm at this place, or `None` for one that hides.
pub(super) fn end_if_legitimate(
    text: &str,
    at: usize,
    character: char,
    right_to_left: &mut RightToLeft,
) -> Option<usize> {
    let end = at + character.len_utf8();
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(end..).and_then(|text| text.chars().next());
    let beside = |set: fn(char) -> bool| before.is_some_and(set) || after.is_some_and(set);
    let spells = |set: fn(char) -> bool| is_near(text, at, end, set);
    let legitimate = match character {
        '\u{200B}' => spells(writes_no_spaces),
        '\u{200C}' => spells(joins),
        '\u{200D}' => {
            spells(joins)
                || before.is_some_and(|before| is_emoji(before) || before == '\u{FE0F}')
                    && after.is_some_and(is_emoji)
        }
        '\u{200E}' | '\u{200F}' | '\u{61C}' => {
            let third_in_a_row =
                before.is_some_and(is_direction_mark) && after.is_some_and(is_direction_mark);
            !third_in_a_row && right_to_left.is_in(text)
        }
        // Embeddings and overrides; word joiner and invisible operators; isolates; deprecated format characters.
        '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => false,
        '\u{FEFF}' => at == 0 && after.is_some_and(|after| after != '\u{FEFF}'),
        '\u{180B}'..='\u{180F}' => before.is_some_and(is_mongolian),
        '\u{FE00}'..='\u{FE0F}' => before.is_some_and(takes_variation),
        '\u{E0100}'..='\u{E01EF}' => before.is_some_and(is_ideograph),
        '\u{E0000}'..='\u{E007F}' => return end_of_flag(text, at),
        '\u{E0080}'..='\u{E0FFF}' => false,
        '\u{34F}' => beside(combines),
        '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' => beside(is_jamo),
        // Interlinear annotation.
        '\u{FFF9}'..='\u{FFFB}' => false,
        _ => true,
    };
    legitimate.then_some(end)
}

/// Whether one of the characters beside this one is in the set, few zero-width characters in between left out: typists
/// of scripts that need them often put two or three.
fn is_near(text: &str, at: usize, end: usize, set: fn(char) -> bool) -> bool {
    let has_width = |character: &char| !matches!(character, '\u{200B}'..='\u{200D}');
    let (Some(before), Some(after)) = (text.get(..at), text.get(end..)) else {
        return false;
    };
    let before = before.chars().rev().take(MAX_IN_BETWEEN + 1).find(has_width);
    let after = after.chars().take(MAX_IN_BETWEEN + 1).find(has_width);
    before.is_some_and(set) || after.is_some_and(set)
}

/// The end of the tags that begin at `at`, if with the black flag before them they spell a subdivision's flag.
fn end_of_flag(text: &str, at: usize) -> Option<usize> {
    if text.get(..at)?.chars().next_back()? != '\u{1F3F4}' {
        return None;
    }
    let mut end = at;
    for (position, tag) in text.get(at..)?.chars().enumerate().take(LONGEST_FLAG) {
        end += tag.len_utf8();
        match tag {
            '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' => {}
            '\u{E007F}' if position >= 3 => return Some(end),
            _ => return None,
        }
    }
    None
}

fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200E}' | '\u{200F}' | '\u{61C}')
}

/// Hebrew, Arabic, Syriac, Thaana, N'Ko and the other right-to-left blocks.
fn is_right_to_left(character: char) -> bool {
    character != '\u{61C}'
        && matches!(
            character,
            '\u{590}'..='\u{8FF}'
                | '\u{FB1D}'..='\u{FDFF}'
                | '\u{FE70}'..='\u{FEFC}'
                | '\u{10800}'..='\u{10FFF}'
                | '\u{1E800}'..='\u{1EFFF}'
        )
}

/// Scripts whose letters change shape with their neighbours, so that ZWJ and ZWNJ are spelling.
fn joins(character: char) -> bool {
    matches!(
        character,
        // Arabic, Syriac, Thaana, N'Ko, Mandaic; the direction mark and the digits' signs among them do no harm.
        '\u{620}'..='\u{8FF}'
            // Devanagari to Sinhala; Tibetan and Myanmar.
            | '\u{900}'..='\u{DFF}'
            | '\u{F00}'..='\u{109F}'
            // Khmer, Mongolian.
            | '\u{1780}'..='\u{180A}'
            | '\u{1810}'..='\u{18AF}'
            // Balinese to Vedic extensions.
            | '\u{1B00}'..='\u{1CFF}'
            | '\u{A840}'..='\u{A87F}'
            | '\u{A8E0}'..='\u{A8FF}'
            | '\u{A980}'..='\u{A9FF}'
            | '\u{AA60}'..='\u{AA7F}'
            | '\u{AAE0}'..='\u{AAFF}'
            | '\u{ABC0}'..='\u{ABFF}'
            // Arabic presentation forms.
            | '\u{FB50}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFC}'
            // Old joining scripts, Brahmi and its kin, Adlam.
            | '\u{10AC0}'..='\u{10FFF}'
            | '\u{11000}'..='\u{11FFF}'
            | '\u{1E900}'..='\u{1E95F}'
    )
}

/// Scripts that mark where a line may break with ZWSP, having no spaces between words.
fn writes_no_spaces(character: char) -> bool {
    matches!(
        character,
        // Thai, Lao; Myanmar; Khmer; Tai Le, New Tai Lue, Khmer symbols; Tai Tham; Balinese.
        '\u{E00}'..='\u{EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{1950}'..='\u{19FF}'
            | '\u{1A20}'..='\u{1AAF}'
            | '\u{1B00}'..='\u{1B7F}'
            // Javanese, Myanmar extensions, Tai Viet.
            | '\u{A980}'..='\u{A9FF}'
            | '\u{AA60}'..='\u{AADF}'
    )
}

/// Mongolian letters and digits, the script's own controls excepted.
fn is_mongolian(character: char) -> bool {
    matches!(character, '\u{1800}'..='\u{180A}' | '\u{1810}'..='\u{18AF}')
}

/// Emoji, and the symbols that are shown as emoji.
fn is_emoji(character: char) -> bool {
    matches!(
        character,
        '\u{1F000}'..='\u{1FAFF}'
            | '\u{2190}'..='\u{21FF}'
            | '\u{2300}'..='\u{23FF}'
            | '\u{25A0}'..='\u{27BF}'
            | '\u{2900}'..='\u{297F}'
            | '\u{2B00}'..='\u{2BFF}'
    )
}

/// Whether a variation selector may choose a form of this character: digits and signs of keycaps, and whatever shows
/// beyond the Latin letters. A selector after a selector, a space or a letter chooses nothing.
fn takes_variation(character: char) -> bool {
    match character {
        '0'..='9' | '#' | '*' | '©' | '®' => true,
        '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E0FFF}' => false,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' => false,
        other => other >= '\u{250}' && !other.is_whitespace(),
    }
}

fn is_ideograph(character: char) -> bool {
    matches!(
        character,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'
    )
}

/// Marks whose order the grapheme joiner keeps: the common combining marks, and Hebrew with its points.
fn combines(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{34E}' | '\u{350}'..='\u{36F}' | '\u{591}'..='\u{5F4}' | '\u{1AB0}'..='\u{1AFF}' | '\u{20D0}'..='\u{20FF}'
    )
}

/// Hangul letters, the fillers excepted, which stand in for a missing one of them.
fn is_jamo(character: char) -> bool {
    matches!(
        character,
        '\u{1100}'..='\u{115E}'
            | '\u{1161}'..='\u{11FF}'
            | '\u{3131}'..='\u{3163}'
            | '\u{3165}'..='\u{318E}'
            | '\u{A960}'..='\u{A97F}'
            | '\u{D7B0}'..='\u{D7FF}'
            | '\u{FFA1}'..='\u{FFDC}'
    )
}

#[cfg(test)]
mod tests {
    use crate::content::tests::assert_table;
    use crate::content::{ContentCheck, scan_text};

    const FLAGGED: &[&str] = &[
        // Zero-width characters between letters that need none.
        "pass\u{200B}word",
        "\u{200B}",
        "zero\u{200C}width",
        "zero\u{200D}width",
        "\u{200D}",
        "trailing joiner 👨\u{200D}",
        "word\u{2060}joiner",
        "a\u{2062}b",
        "old\u{206A}format",
        "in the\u{FEFF}middle",
        "\u{FEFF}",
        "\u{FEFF}\u{FEFF}two marks",
        "Latin\u{180E}vowel separator",
        "grapheme\u{34F}joiner",
        // Directions.
        "invoice\u{202E}fdp.exe",
        "\u{202A}+972 50 000 0000\u{202C}",
        "if (isAdmin\u{2066} // check\u{2069})",
        "שלום \u{202E}abc\u{202C}",
        "mark\u{200E} in a Latin text",
        "21\u{200F}.03.2026",
        "שלום\u{200E}\u{200E}\u{200E}\u{200F}",
        // Tags and smuggling.
        "hello\u{E0041}\u{E0042}",
        "\u{E0001}en",
        "🏴\u{E0067}\u{E0062}",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E0067}\u{E0062}\u{E0065}\u{E007F}",
        "😀\u{FE0F}\u{FE01}\u{FE02}\u{FE0A}",
        "😀\u{E0150}\u{E0151}\u{E0152}",
        "A\u{FE01}B\u{FE02}C\u{FE03}",
        "字\u{E0100}\u{E0101}",
        "space \u{FE0F}",
        // Joiners that follow each other between Persian letters carry data, not spelling.
        "می\u{200C}\u{200D}\u{200C}\u{200C}\u{200D}\u{200D}\u{200C}\u{200C}خواهم",
        // Fillers.
        "\u{3164}",
        "name\u{3164}",
        "\u{115F}",
        "\u{FFA0}",
        "annotation\u{FFF9}base\u{FFFA}text\u{FFFB}",
        "a long line of ordinary words that goes on well past one chunk of the scanner and has, at its end, one\u{200B}",
    ];

    const CLEAN: &[&str] = &[
        "plain text",
        "naïve café – “quoted”, it’s… done",
        // Scripts that need joiners.
        "می\u{200C}خواهم",
        "کتاب\u{200C}ها",
        "PDF\u{200C}ها",
        "۱۴۰۳ ه\u{200D}",
        "क्\u{200D}ष",
        "क्\u{200C}ष",
        "ന്\u{200D}",
        "ශ්\u{200D}රී ලංකා",
        "র\u{200D}্যাব",
        // Emoji.
        "👨\u{200D}👩\u{200D}👧\u{200D}👦",
        "🏳\u{FE0F}\u{200D}🌈",
        "🏴\u{200D}☠\u{FE0F}",
        "👩🏽\u{200D}🚀",
        "🙂\u{200D}↔\u{FE0F}",
        "❤\u{FE0F}\u{200D}🔥",
        "❤\u{FE0F} love",
        "1\u{FE0F}\u{20E3}",
        "☎\u{FE0E}",
        "© 2026, ®\u{FE0F}",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} v 🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
        "🏴\u{E0075}\u{E0073}\u{E0063}\u{E0061}\u{E007F}",
        // Directions.
        "שלום\u{200F}!",
        "\u{200F}שלום (abc\u{200E})",
        "السعر 10\u{200E}%",
        "\u{61C}العربية 1-2",
        // Line breaking.
        "ភាសា\u{200B}ខ្មែរ",
        "ภาษา\u{200B}ไทย",
        "ទេ\u{200B}\u{200B}\u{200B} បាន",
        "നിരത്തല്\u{200D}\u{200C} രീതി",
        // Variation sequences.
        "葛\u{E0100}飾区",
        "辻\u{FE00}",
        "ᠮᠣᠩᠭᠣᠯ\u{180B}",
        "ᠬᠠᠷ\u{180E}ᠠ",
        // Others.
        "\u{FEFF}id,name\n1,Ada",
        "Donau\u{AD}dampf\u{AD}schiff",
        "בָּרְ\u{34F}כוּ",
        "ᄀ\u{1160}",
        "ﻻ ﷺ",
        "ﾏｲｸ \u{3000} 全角",
        "한국어",
        "日本語のテキスト",
        "Русский текст",
    ];

    #[test]
    fn hidden_characters_are_found_where_nothing_needs_them() {
        assert_table(ContentCheck::HiddenCharacters, FLAGGED, CLEAN);
    }

    #[test]
    fn a_place_in_a_long_text_changes_nothing() {
        for shift in 0..200 {
            let padding = "a".repeat(shift);
            let dirty = format!("{padding} pass\u{200B}word {padding}");
            let clean = format!("{padding} 👨\u{200D}👩\u{200D}👧 {padding}");
            assert!(
                scan_text(&dirty).contains(ContentCheck::HiddenCharacters),
                "shifted by {shift}"
            );
            assert!(scan_text(&clean).is_empty(), "shifted by {shift}");
        }
    }
}
