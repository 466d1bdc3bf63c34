//! `empty_text`: nothing but white space.

/// Whether a text is empty, white space at both ends (Unicode `White_Space`, as [`str::trim`] has it) already removed.
pub(super) fn is_empty(core: &str) -> bool {
    core.is_empty()
}

#[cfg(test)]
mod tests {
    use crate::content::tests::assert_table;
    use crate::content::{ContentCheck, scan_text};

    const FLAGGED: &[&str] = &[
        "",
        " ",
        "   ",
        "\t",
        "\n",
        "\r\n",
        "\n\n\n",
        " \t \r\n ",
        "\u{A0}",
        "\u{A0}\u{A0} ",
        "\u{1680}",
        "\u{2000}",
        "\u{2002}\u{2003}",
        "\u{2007}",
        "\u{2009}\n",
        "\u{200A}",
        "\u{2028}",
        "\u{2029}",
        "\u{202F}",
        "\u{205F}",
        "\u{3000}",
        "\u{3000}\u{3000}\n",
    ];

    const CLEAN: &[&str] = &[
        "a",
        " a ",
        "0",
        "-",
        "_",
        ".",
        "—",
        "\na\n",
        "é",
        "ß",
        "д",
        "字",
        "あ",
        "한",
        "א",
        "ع",
        "ไ",
        "😀",
        "0.0",
        "no",
        "\u{3000}字\u{3000}",
        "null",
    ];

    #[test]
    fn only_white_space_is_empty() {
        assert_table(ContentCheck::EmptyText, FLAGGED, CLEAN);
    }

    #[test]
    fn white_space_that_is_a_control_character_is_both() {
        for text in ["\u{B}", "\u{C}", "\u{85}", " \u{85}\n"] {
            let flags = scan_text(text);
            assert!(flags.contains(ContentCheck::EmptyText), "{text:?}");
            assert!(flags.contains(ContentCheck::ControlCharacters), "{text:?}");
        }
    }

    #[test]
    fn zero_width_characters_are_hidden_rather_than_empty() {
        let flags = scan_text("\u{200B}");
        assert!(!flags.contains(ContentCheck::EmptyText));
        assert!(flags.contains(ContentCheck::HiddenCharacters));
    }
}
