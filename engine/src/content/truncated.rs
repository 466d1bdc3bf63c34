//! `truncated_text`: the text breaks off, and says so or leaves a code fence open.

pub(super) mod fence;
pub(super) mod line;
mod marker;
mod phrases;

use marker::{Marker, Place};

/// Bytes before the end of a text in which the bracket of a final marker must open.
const TAIL: usize = 160;

/// The brackets that a final marker may stand in.
const BRACKETS: &[(char, char)] = &[
    (']', '['),
    (')', '('),
    ('>', '<'),
    ('）', '（'),
    ('］', '［'),
    ('】', '【'),
];

/// Whether a text, white space at both ends already removed, ends in a bracketed marker: `… [truncated]`.
pub(super) fn ends_in_marker(core: &str) -> bool {
    let bytes = core.as_bytes();
    // The last bytes of closing brackets, of dots and of emphasis.
    if !matches!(
        bytes.last(),
        Some(b']' | b')' | b'>' | b'.' | b'*' | b'_' | 0x89 | 0xBD | 0x91 | 0xA6)
    ) {
        return false;
    }
    let group_end = core.trim_end_matches(['.', '…', '*', '_', ' ', '\n']);
    let Some((close, open)) = group_end
        .chars()
        .next_back()
        .and_then(|last| BRACKETS.iter().find(|(close, _)| *close == last))
    else {
        return false;
    };
    let mut from = group_end.len().saturating_sub(TAIL);
    while !group_end.is_char_boundary(from) {
        from += 1;
    }
    let tail = &group_end[from..];
    let Some(at) = tail.trim_end_matches(*close).rfind(*open) else {
        return false;
    };
    let before = group_end[..from + at].trim_end();
    let after = &core[group_end.len()..];
    let has_ellipsis = [before, after]
        .iter()
        .any(|side| side.ends_with("...") || side.ends_with('…'));
    Marker::read(&tail[at..], has_ellipsis).is_some_and(|marker| marker.breaks_off(Place::End))
}

#[cfg(test)]
mod tests {
    use crate::content::tests::assert_table;
    use crate::content::{ContentCheck, scan_text};

    const FLAGGED: &[&str] = &[
        // Cut.
        "[truncated]",
        "The first part of the report [truncated]",
        "The first part of the report [TRUNCATED].",
        "The first part of the report... [truncated]",
        "The first part of the report [truncated]...",
        "The first part of the report … (truncated)",
        "The first part of the report (output truncated)",
        "The first part of the report <truncated>",
        "First line\n[truncated]\nlast line",
        "First line\n--- truncated ---\n... and the rest",
        "First line\n... [truncated] ...\nlast line",
        "First line\n[... 1,234 lines truncated ...]\nlast line",
        "1\n2\n3\n[97 more items truncated]",
        "1, 2, 3 [... 97 more items]",
        "a | b\n# ... with 90 more rows",
        "text [content truncated due to length]",
        "text (truncated for brevity)",
        "text\n\n[Response truncated]",
        "text\n<snip>\n",
        "text\n[...snip...]\nmore text",
        // Continued.
        "The first part ... (continued)",
        "The first part… (continued)",
        "The first part (... continued)",
        "The first part [continued in next message]",
        "The first part\n\n... continued",
        "The first part ... (cont.)",
        // The rest.
        "[...rest omitted]",
        "Chapter 1 …\n[... rest of the story omitted ...]",
        "Chapter 1\n[Rest of chapter omitted for brevity]",
        "Chapter 1 (rest omitted)",
        "fn main() {\n    // ... rest of the code unchanged\n}",
        "fn main() {\n    // ... rest of the code ...\n}",
        "fn main() {\n    // rest of the code remains the same\n}",
        "fn main() {\n    // ... existing code ...\n}",
        "def f():\n    # ... rest of the function\n",
        "def f():\n    # rest of your code here\n",
        "def f():\n    # (remaining code unchanged)\n",
        "<div>\n<!-- ... rest of the page unchanged -->\n</div>",
        "a {}\n/* ... remaining styles ... */",
        "<p>\n{/* ... rest of the component remains the same */}\n</p>",
        "SELECT 1;\n-- ... rest of the script unchanged",
        "// ... imports omitted for brevity\nfn main() {}",
        "... rest of the code unchanged",
        "f();\n// ... [rest of handlers]\ng();",
        "# Title\n\n[Rest of original README...]",
        "f();\n# Rest of the code remains the same as in the previous version...\ng();",
        // Open fences.
        "Here it is:\n\n```python\nprint('hello",
        "```\nsome code",
        "```json\n{\"a\": 1,\n",
        "1. First\n   ```bash\n   ls\n   ```\n2. Second\n   ```bash\n   cat",
        "- ```js\n  let a = 1;",
        "````markdown\n```js\n```\nand on",
        "```rust",
        // German.
        "Der erste Teil [gekürzt]",
        "Der erste Teil [... Rest ausgelassen]",
        "Der erste Teil ... (Fortsetzung)",
        "fn main() {\n    // ... restlicher Code bleibt unverändert\n}",
        // French.
        "La première partie [tronqué]",
        "La première partie [... reste omis]",
        "fn main() {\n    // ... reste du code inchangé\n}",
        // Spanish.
        "La primera parte [truncado]",
        "La primera parte [... resto omitido]",
        "fn main() {\n    // ... resto del código sin cambios\n}",
        // Portuguese.
        "A primeira parte [texto truncado]",
        "fn main() {\n    // ... restante do código inalterado\n}",
        // Italian.
        "La prima parte [troncato]",
        "fn main() {\n    // ... resto del codice invariato\n}",
        // Dutch.
        "Het eerste deel [afgekapt]",
        "fn main() {\n    // ... rest van de code ongewijzigd\n}",
        // Polish.
        "Pierwsza część [ucięto]",
        "fn main() {\n    // ... reszta kodu bez zmian\n}",
        // Russian.
        "Первая часть [обрезано]",
        "Первая часть [остальное опущено]",
        "fn main() {\n    // ... остальной код без изменений\n}",
        // Chinese.
        "第一部分 [已截断]",
        "第一部分（以下省略）",
        "第一部分……（内容过长，已截断）",
        "fn main() {\n    // ... 其余代码保持不变\n}",
        "fn main() {\n    // 其余代码不变\n}",
        // Japanese.
        "第一部（以下省略）",
        "fn main() {\n    // ... 残りのコードは変更なし\n}",
        // Korean.
        "첫 번째 부분 (이하 생략)",
        "fn main() {\n    // ... 나머지 코드는 동일\n}",
    ];

    const CLEAN: &[&str] = &[
        // Ellipses.
        "And then he left...",
        "And then he left…",
        "Well... I don't know. Maybe… later.",
        "... and so it began",
        "...\nfn main() {}\n...",
        "def stub(): ...",
        "\"The law [...] applies to all [...]\"",
        "Contents ........ 3\nIndex ........... 9",
        "To be continued...",
        "Wait...\n\n... what?",
        "The rest of the day was quiet...",
        "... the rest of the day stayed the same.",
        "# ... and then there were none",
        "1, 2, 3, ..., n",
        "let all = { ...rest };",
        "fn f(...) {}",
        // Texts about truncation and the rest.
        "Long lines are marked with [truncated] by the viewer.",
        "The file was truncated after 4096 bytes.",
        "Use `truncate` to shorten a text (optional).",
        "Pyramid (truncated)",
        "Results (continued)",
        "Chapter 3 [continued]",
        "Table 2 (cont.)",
        "The rest of the code is unchanged.",
        "The remaining fields are omitted when they are empty.",
        "// The rest of the arguments are optional.",
        "// the remaining items are skipped if the list is empty",
        "# Rest of the day\n\nFree time.",
        "# The rest is history",
        "## Other methods",
        "// Truncate the message to fit.",
        "# truncated",
        "(see the rest of this document)",
        "[Remainder of page intentionally left blank]",
        "Smith v. Jones, 12 F.3d 4 (citations omitted)",
        "He said \"yes\" (emphasis added).",
        "All tests passed (2 skipped)",
        "Three of them (and 12 more rows of seats)",
        "Rest in peace (1950–2020)",
        "Anna, Bob and 15 more",
        "Error 413 (message too long)",
        "[redacted]",
        "[end]",
        "a [link](https://example.com/)",
        "see // for comments",
        "https://example.com/a/b",
        "    # Only what follows the final newline was\n    # changed, and comments are omitted for brevity.",
        "{\n  \"a\": 1,\n  (...remaining output omitted...)\n}\n",
        // Fences that close.
        "```python\nprint('hello')\n```",
        "Text\n\n```\ncode\n```\n\nText",
        "````markdown\n```js\nlet a;\n```\n````",
        "```markdown\n# Title\n```js\nlet a;\n```\n```\n\nText",
        "```json\n{\"a\": 1}```",
        "```json\n{\"a\": 1}```\nThis is the configuration.",
        "1. First\n    ```bash\n    ls\n    ```\n2. Second",
        "- ```js\n  let a;\n  ```\n- next",
        "> ```js\n> let a;\n> ```",
        "Write ```code``` inline.",
        "```code``` begins this line.",
        "Three backticks (```) open a fence.",
        "diff --git a/a.md b/a.md\n@@ -1,3 +1,4 @@\n ```\n-old\n+new\n text",
        "Heading\n~~~~~~~\n\nText",
        "`a` and ``b``",
        // Other languages.
        "Der Kegel (gestumpft)",
        "Fortsetzung folgt ...",
        "Der Rest der Gruppe blieb zu Hause.",
        "Le reste du groupe est inchangé.",
        "Le tronc est coupé (voir plus bas).",
        "El resto del equipo se quedó igual.",
        "Resto de la lista (véase abajo)",
        "Il resto del gruppo (invariato nel tempo)",
        "Остальные участники приехали позже...",
        "他说：“等等……”",
        "未完待续……",
        "以下是结果（见下表）",
        "甲という（以下同じ。）",
        "続く……",
        "나머지는 다음과 같다…",
    ];

    #[test]
    fn only_texts_that_break_off_are_truncated() {
        assert_table(ContentCheck::TruncatedText, FLAGGED, CLEAN);
    }

    #[test]
    fn a_marker_is_found_at_any_place_of_a_long_text() {
        for shift in 0..200 {
            let padding = "a".repeat(shift);
            let text = format!("{padding}\n    // ... rest of the code unchanged\n}}\n{padding}");
            assert!(
                scan_text(&text).contains(ContentCheck::TruncatedText),
                "shifted by {shift}"
            );
            let text = format!("{padding}\n[truncated]\n{padding}");
            assert!(
                scan_text(&text).contains(ContentCheck::TruncatedText),
                "shifted by {shift}"
            );
            let text = format!("{padding}\n```\n{padding}");
            assert_eq!(
                scan_text(&text).contains(ContentCheck::TruncatedText),
                shift > 0,
                "shifted by {shift}"
            );
        }
    }
}
