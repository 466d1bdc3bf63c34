//! What holds for all text checks together: hostile inputs, agreement with plain definitions, and the tables' helper.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{ContentCheck, TextFlags, scan_text};

/// Asserts that `check` flags every text of the first table, and that no check flags any text of the second.
pub(super) fn assert_table(check: ContentCheck, flagged: &[&str], clean: &[&str]) {
    assert!(flagged.len() >= 20 && clean.len() >= 20);
    let missed: Vec<_> = flagged
        .iter()
        .filter(|text| !scan_text(text).contains(check))
        .collect();
    let alarms: Vec<_> = clean
        .iter()
        .filter(|text| scan_text(text).contains(check))
        .collect();
    assert!(
        missed.is_empty() && alarms.is_empty(),
        "{check:?} missed {missed:#?}, false alarms {alarms:#?}"
    );
    let others: Vec<_> = clean
        .iter()
        .filter(|text| !text.trim().is_empty() && !scan_text(text).is_empty())
        .map(|text| (text, scan_text(text).iter().collect::<Vec<_>>()))
        .collect();
    assert!(others.is_empty(), "other checks flag {others:#?}");
}

fn flags_of(text: &str) -> Vec<ContentCheck> {
    scan_text(text).iter().collect()
}

#[test]
fn flags_are_told_in_the_order_of_reporting() {
    let text = "\u{0}I'm sorry, but I can't assist with that.\u{200B} [truncated]";
    assert_eq!(
        flags_of(text),
        [
            ContentCheck::ControlCharacters,
            ContentCheck::HiddenCharacters,
            ContentCheck::TruncatedText
        ]
    );
    assert!(ContentCheck::ALL.is_sorted());
    assert!(TextFlags::default().is_empty());
    assert!(!scan_text(text).contains(ContentCheck::RepeatedItems));
}

#[test]
fn names_and_texts_of_the_checks_differ() {
    for (at, check) in ContentCheck::ALL.into_iter().enumerate() {
        assert!(check.name().starts_with("content:"));
        for other in &ContentCheck::ALL[at + 1..] {
            assert_ne!(check.name(), other.name());
            assert_ne!(check.expected(), other.expected());
            assert_ne!(check.problem(), other.problem());
        }
    }
}

/// A megabyte of what costs most, and less of it with something around it, against a bound far above what linear time
/// needs.
#[test]
fn hostile_texts_take_linear_time() {
    const MEGABYTE: usize = 1 << 20;
    let units = [
        " ",
        "\n",
        "\t ",
        "\u{3000}",
        "a",
        "A ",
        "😀",
        "👨\u{200D}",
        "\u{200D}",
        "\u{200B}",
        "\u{FE0F}",
        "😀\u{FE0F}",
        "\u{200F}",
        "\u{200F}a",
        "\u{202E}",
        "\u{FEFF}",
        "🏴",
        "\u{E0067}",
        "🏴\u{E0067}",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E007F}",
        "\0",
        "\u{85}",
        "\u{FFFD}",
        ".",
        "...",
        "... ",
        "...\n",
        "…",
        "… ",
        "a..b",
        "[",
        "[\n",
        "\n[",
        "\n(",
        "]",
        "[]",
        "(",
        ")",
        "`",
        "```",
        "``` ",
        "```\n",
        "a``` ",
        "\n```a",
        " ```\n",
        "/ ",
        "// ",
        "// rest ",
        "\n// ... rest of the code",
        "# ",
        "\n# ",
        "psu",
        "ipsum",
        "lorem ipsum ",
        "x lorem ipsum y z ",
        "x",
        "xxx",
        "TODO ",
        "<",
        "<<",
        "{{",
        "\"",
        "'",
        "“",
        "-",
        "- ",
        "1. ",
        "> ",
        "i'm sorry, ",
        "sorry, but ",
        "as an ai ",
        "抱歉，",
        "죄송합니다",
        "می\u{200C}",
        "ខ\u{200B}",
        "@@ -",
        "\u{34F}",
        "\u{3164}",
        "ᄀ\u{1160}",
        "\u{180B}",
        "ᠮ\u{180B}",
    ];
    for unit in units {
        let text = unit.repeat(MEGABYTE / unit.len());
        let some = unit.repeat(MEGABYTE / 8 / unit.len());
        for text in [
            text,
            format!("[{some}"),
            format!("{some}]"),
            format!("\"{some}\""),
            format!("a\n{some}\nb"),
        ] {
            let begin = Instant::now();
            let flags = scan_text(&text);
            let elapsed = begin.elapsed();
            // Unoptimised and on a loaded machine this stays below a second; anything quadratic takes minutes.
            assert!(elapsed < Duration::from_secs(20), "{unit:?} took {elapsed:?}");
            assert!(!flags.contains(ContentCheck::RepeatedItems));
        }
    }
}

#[test]
fn long_texts_of_one_kind_are_judged_as_short_ones() {
    assert_eq!(flags_of(&" ".repeat(1 << 20)), [ContentCheck::EmptyText]);
    assert_eq!(flags_of(&"😀".repeat(1 << 18)), []);
    assert_eq!(flags_of(&"❤\u{FE0F}".repeat(1 << 17)), []);
    assert_eq!(
        flags_of(&"\u{200D}".repeat(1 << 18)),
        [ContentCheck::HiddenCharacters]
    );
    assert_eq!(flags_of(&"x".repeat(1 << 20)), []);
    assert_eq!(flags_of(&"Ordinary words, in order. ".repeat(1 << 15)), []);
    assert_eq!(flags_of(&"Обычный текст без изъяна. ".repeat(1 << 14)), []);
    assert_eq!(flags_of(&"普通的文字，没有问题。".repeat(1 << 14)), []);
    assert_eq!(
        flags_of(&"Lorem ipsum dolor sit amet. ".repeat(1 << 15)),
        [ContentCheck::PlaceholderText]
    );
}

/// Texts pieced together from what the checks look for and what surrounds it.
fn pieced_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        " ",
        "\n",
        "word ",
        "... ",
        "…",
        "[",
        "]",
        "(",
        ")",
        "truncated",
        "rest of the code",
        "unchanged",
        "// ",
        "# ",
        "```",
        "`",
        "js\n",
        "lorem ipsum ",
        "dolor ",
        "I'm sorry, ",
        "but ",
        "I can't ",
        "assist with that",
        "As an AI ",
        "I ",
        "\"",
        "“",
        "”",
        "<",
        ">",
        "your name",
        "{{",
        "}}",
        "TODO",
        ":",
        "here",
        "xxx",
        "\u{200B}",
        "\u{200D}",
        "👨",
        "❤",
        "\u{FE0F}",
        "🏴",
        "\u{E0067}",
        "\u{E007F}",
        "\u{200F}",
        "ש",
        "می",
        "ខ្មែរ",
        "字",
        "\u{E0100}",
        "\u{FEFF}",
        "\0",
        "\u{85}",
        "\u{FFFD}",
        "\u{3164}",
        "é",
        "Я",
        "の",
        "한",
        "，",
        "。",
        "（",
        "）",
        "以下省略",
        "\u{180E}",
        "\u{34F}",
        "\u{61C}",
        "\u{2066}",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_judged_without_a_panic(text in any::<String>(), pieced in pieced_text()) {
        for text in [text, pieced] {
            let flags = scan_text(&text);
            prop_assert_eq!(flags.contains(ContentCheck::EmptyText), text.chars().all(char::is_whitespace));
            let has_control = text.chars().any(super::control::is_control);
            prop_assert_eq!(flags.contains(ContentCheck::ControlCharacters), has_control);
        }
    }

    /// Chunks are an accident of the scanner: what is found does not depend on where in the text it stands.
    #[test]
    fn characters_are_found_at_any_offset(pieced in pieced_text(), shift in 0_usize..140) {
        let near = scan_text(&format!("a{pieced}a"));
        let far = scan_text(&format!("{}{pieced}{}", "a".repeat(shift + 1), "a".repeat(140 - shift)));
        for check in [ContentCheck::ControlCharacters, ContentCheck::HiddenCharacters] {
            prop_assert_eq!(near.contains(check), far.contains(check));
        }
    }

    #[test]
    fn white_space_around_a_text_changes_nothing_but_the_byte_order_mark(pieced in pieced_text()) {
        let pieced = pieced.replace('\u{FEFF}', "");
        let bare = scan_text(pieced.trim());
        let padded = scan_text(&format!(" \n{}\n ", pieced.trim()));
        for check in [ContentCheck::PlaceholderText, ContentCheck::EmptyText, ContentCheck::RefusalText] {
            prop_assert_eq!(bare.contains(check), padded.contains(check));
        }
    }

    /// Lines of letters and spaces are content, unless they are one of the few phrases in such letters.
    #[test]
    fn plain_words_are_content(text in "[A-Za-z]{1,12}( [A-Za-z]{1,12}){0,20}(\n[A-Za-z ]{0,60}){0,6}") {
        let lower = text.to_ascii_lowercase();
        let listed = super::placeholder::is_listed(lower.trim())
            || lower.trim().bytes().all(|byte| byte == b'x')
            || ["your", "here", "lorem", "todo", "fixme", "i cannot", "as a", "sorry", "my knowledge"]
                .iter()
                .any(|phrase| lower.contains(phrase));
        prop_assume!(!listed);
        prop_assert_eq!(scan_text(&text), TextFlags::default());
    }
}
