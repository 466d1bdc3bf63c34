//! `control_characters`: C0 controls other than tab, line feed and carriage return, DEL, C1 controls, and U+FFFD.

/// Whether a character is one that no text of a deliverable needs. U+FFFD stands where a decoder lost a character.
pub(super) fn is_control(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{FFFD}'
    )
}

#[cfg(test)]
mod tests {
    use super::is_control;
    use crate::content::tests::assert_table;
    use crate::content::{ContentCheck, scan_text};

    const FLAGGED: &[&str] = &[
        "\0",
        "a\0b",
        "\u{1}",
        "bell\u{7}",
        "back\u{8}space",
        "vertical\u{B}tab",
        "page\u{C}break",
        "shift\u{E}out",
        "\u{1B}[31mred\u{1B}[0m",
        "unit\u{1F}separator",
        "record\u{1E}separator",
        "delete\u{7F}",
        "\u{80}",
        "next\u{85}line",
        "smart quote of Windows-1252 \u{93}read as Latin-1\u{94}",
        "\u{9F}",
        "lost \u{FFFD} character",
        "\u{FFFD}",
        "Gr\u{FFFD}\u{FFFD}e aus M\u{FFFD}nchen",
        "Привет\u{FFFD}",
        "東京\u{FFFD}",
        "a long line of ordinary words that goes on well past one chunk of the scanner and has, near its end, a \u{3}",
    ];

    const CLEAN: &[&str] = &[
        "a\tb",
        "a\nb",
        "a\r\nb",
        "plain",
        "~",
        " ",
        "\u{A0}",
        "¡Hola!",
        "Grüße aus München",
        "ÿ",
        "Привет",
        "東京",
        "한국어",
        "שלום",
        "مرحبا",
        "😀",
        "\u{FFFC}",
        "ﾏｲｸ",
        "２０２６",
        "\u{2028}",
        "naïve café, “quoted” — and so on…",
        "a long line of ordinary words that goes on well past one chunk of the scanner and has nothing wrong\nat its end",
    ];

    #[test]
    fn control_characters_are_found_anywhere() {
        assert_table(ContentCheck::ControlCharacters, FLAGGED, CLEAN);
    }

    #[test]
    fn exactly_the_listed_characters_count() {
        for character in (0..=0x10FFFF).filter_map(char::from_u32) {
            let code = u32::from(character);
            let listed = matches!(code, 0..=8 | 0xB | 0xC | 0xE..=0x1F | 0x7F..=0x9F | 0xFFFD);
            assert_eq!(is_control(character), listed, "U+{code:04X}");
            let found = scan_text(&format!("a{character}b")).contains(ContentCheck::ControlCharacters);
            assert_eq!(found, listed, "U+{code:04X} in a text");
        }
    }
}
