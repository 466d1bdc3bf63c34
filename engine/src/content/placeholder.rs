//! `placeholder_text`: the whole string is a stand-in for content that nobody has written yet.

mod fields;
pub(super) mod lorem;
mod stand_ins;

use super::fold::{Folded, strip_phrase};
use fields::{asks_for_a_field, is_blank_remark, is_template_variable, names_a_field};

/// Bytes of the longest string that can be only a stand-in; filler text, which may be longer, is found by [`lorem`].
const LONGEST_STAND_IN: usize = 96;

/// Layers of brackets and quotes that are looked through.
const MAX_LAYERS: usize = 4;

/// What a stand-in is wrapped in. Brackets turn words into a blank to be filled in; quotes and emphasis do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrap {
    None,
    Round,
    Square,
    Lenticular,
    Angle,
    Brace,
    DoubleBrace,
}

/// Opening sign, closing sign, and the bracket they are, if they are one. A longer sign stands before its prefix.
const PAIRS: &[(&str, &str, Option<Wrap>)] = &[
    ("<!--", "-->", None),
    ("/*", "*/", None),
    ("{{", "}}", Some(Wrap::DoubleBrace)),
    ("**", "**", None),
    ("__", "__", None),
    ("*", "*", None),
    ("_", "_", None),
    ("`", "`", None),
    ("\"", "\"", None),
    ("'", "'", None),
    ("“", "”", None),
    ("‘", "’", None),
    ("„", "“", None),
    ("«", "»", None),
    ("「", "」", None),
    ("[", "]", Some(Wrap::Square)),
    ("［", "］", Some(Wrap::Square)),
    ("【", "】", Some(Wrap::Lenticular)),
    ("<", ">", Some(Wrap::Angle)),
    ("{", "}", Some(Wrap::Brace)),
    ("(", ")", Some(Wrap::Round)),
    ("（", "）", Some(Wrap::Round)),
];

/// Whether a text, white space at both ends already removed, is only a stand-in.
pub(super) fn is_stand_in(core: &str) -> bool {
    if core.is_empty() || core.len() > LONGEST_STAND_IN {
        return false;
    }
    if let [first, .., last] = core.as_bytes()
        && first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
    {
        return is_bare_stand_in(core);
    }
    let (wrap, inner) = peel(core);
    if inner.is_empty() {
        return is_dots(core);
    }
    if wrap == Wrap::None {
        is_bare_stand_in(inner)
    } else {
        is_bracketed_stand_in(wrap, inner)
    }
}

fn is_bare_stand_in(inner: &str) -> bool {
    stand_ins::FILTER.may_hold(inner)
        && stand_ins::is_listed(Folded::<LONGEST_STAND_IN>::text(inner).as_str())
        || asks_for_a_field(inner)
        || is_run_of_x(inner)
        || is_marker(Wrap::None, inner)
}

fn is_bracketed_stand_in(wrap: Wrap, inner: &str) -> bool {
    if is_run_of_x(inner) || is_marker(wrap, inner) {
        return true;
    }
    let folded = Folded::<LONGEST_STAND_IN>::text(inner);
    let folded = folded.as_str();
    if stand_ins::is_listed(folded) {
        // `[String]` is a type of GraphQL, and `{string}` one of JSDoc; `<string>` is what schemas are copied with.
        return folded != "string" || matches!(wrap, Wrap::Angle | Wrap::DoubleBrace);
    }
    match wrap {
        // What JavaScript makes of an object that was to be a text.
        Wrap::Square if folded == "object object" => true,
        Wrap::DoubleBrace => is_template_variable(folded),
        Wrap::Round => is_blank_remark(folded) || asks_for_a_field(inner),
        _ => names_a_field(folded, wrap == Wrap::Square, wrap == Wrap::Angle) || asks_for_a_field(inner),
    }
}

/// Removes final stops, and quotes and brackets around the whole, and tells the innermost bracket. Inside brackets
/// quotes are left alone: they make an expression of the content.
fn peel(core: &str) -> (Wrap, &str) {
    let mut wrap = Wrap::None;
    let mut inner = core;
    for _ in 0..MAX_LAYERS {
        if wrap != Wrap::DoubleBrace {
            inner = trim_final_stops(inner);
        }
        let Some((bracket, within)) =
            unwrap_pair(inner).filter(|(bracket, _)| wrap == Wrap::None || bracket.is_some())
        else {
            break;
        };
        wrap = bracket.unwrap_or(wrap);
        inner = within.trim();
    }
    (wrap, inner)
}

fn trim_final_stops(text: &str) -> &str {
    match text.as_bytes().last() {
        // The last byte of `…`.
        Some(b'.' | b'!' | 0xA6) => text.trim_end_matches(['.', '!', '…']).trim_end(),
        _ => text,
    }
}

/// What is inside the pair of signs around the whole text. `[a] and [b]` is no such pair.
fn unwrap_pair(text: &str) -> Option<(Option<Wrap>, &str)> {
    let first = text.as_bytes().first()?;
    // No sign begins with a letter or digit, and most texts do.
    if first.is_ascii_alphanumeric() {
        return None;
    }
    PAIRS
        .iter()
        .filter(|(open, ..)| open.as_bytes().first() == Some(first))
        .find_map(|(open, close, wrap)| {
            let within = text.strip_prefix(open)?.strip_suffix(close)?;
            (!within.contains(open) && !within.contains(close)).then_some((*wrap, within))
        })
}

/// `...`, `…`, `[...]`: at least three dots, or the ellipsis, and nothing else but brackets.
fn is_dots(core: &str) -> bool {
    core.contains('…') || core.matches('.').count() >= 3
}

/// `xxx`, `XXXX`.
fn is_run_of_x(inner: &str) -> bool {
    inner.len() >= 3 && inner.bytes().all(|byte| byte | 0x20 == b'x')
}

/// `TODO` and `FIXME`, in capitals or in brackets, alone, as a comment, or followed by the name of what is missing.
fn is_marker(wrap: Wrap, inner: &str) -> bool {
    let Some(b't' | b'f' | b'T' | b'F' | b'/' | b'#' | b'-' | b'*' | b'@') = inner.as_bytes().first() else {
        return false;
    };
    let word = inner.trim_start_matches(['/', '#', '-', '*', '@', ' ']);
    let rest = if wrap == Wrap::None {
        word.strip_prefix("TODO").or_else(|| word.strip_prefix("FIXME"))
    } else {
        ["todo", "fixme"].into_iter().find_map(|marker| {
            let head = word.get(..marker.len())?;
            let rest = word.get(marker.len()..)?;
            head.eq_ignore_ascii_case(marker).then_some(rest)
        })
    };
    let Some(rest) = rest else {
        return false;
    };
    let note = rest.trim_start_matches([':', '-', '–', '—', ' ']);
    if note.is_empty() {
        return true;
    }
    let folded = Folded::<LONGEST_STAND_IN>::text(note);
    let separated = note.len() < rest.trim_start().len();
    separated
        && (stand_ins::is_listed(folded.as_str())
            || names_a_field(folded.as_str(), false, false)
            || strip_phrase(folded.as_str(), "fill in").is_some())
}

#[cfg(test)]
pub(super) use stand_ins::is_listed;

#[cfg(test)]
mod tests {
    use crate::content::ContentCheck;
    use crate::content::tests::assert_table;

    const FLAGGED: &[&str] = &[
        // Markers.
        "TODO",
        " TODO ",
        "TODO:",
        "TODO.",
        "[TODO]",
        "[todo]",
        "<todo>",
        "**TODO**",
        "\"TODO\"",
        "// TODO",
        "# TODO",
        "<!-- TODO -->",
        "TODO: add description",
        "TODO - fill in",
        "[TODO: insert company name]",
        "FIXME",
        "TBD",
        "tbd",
        "T.B.D.",
        "(TBD)",
        "To be determined",
        "to be filled in.",
        // Copied from schemas and examples.
        "string",
        "String",
        "\"string\"",
        "<string>",
        "example",
        "Example",
        "sample text",
        "placeholder",
        "[placeholder]",
        "Placeholder text",
        "foo",
        "foobar",
        "baz",
        "asdf",
        "dummy text",
        "blah blah blah",
        "change_me",
        "REPLACE_ME",
        "[object Object]",
        // Runs.
        "xxx",
        "XXXX",
        "xxxxxxxxxxxx",
        "...",
        "…",
        "......",
        "[...]",
        "<...>",
        // Blanks to fill in.
        "<your name>",
        "<YOUR_NAME>",
        "[Your Name]",
        "[your company]",
        "{your name}",
        "(your name)",
        "[insert name here]",
        "[Insert company logo]",
        "<insert date>",
        "[Company Name]",
        "[Name]",
        "[add description here]",
        "[enter date]",
        "{{name}}",
        "{{ first_name }}",
        "{{company-name}}",
        "your_api_key_here",
        "YOUR_API_KEY",
        "YOUR-TOKEN-HERE",
        "your-api-key-here",
        "Your name here",
        "Your text here.",
        "insert text here",
        "Description goes here",
        "title here",
        // Filler text.
        "lorem ipsum",
        "Lorem ipsum.",
        "Lorem ipsum dolor sit amet",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore.",
        "LOREM IPSUM DOLOR SIT AMET",
        "<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>",
        "About us\n\nLorem ipsum dolor sit amet, consectetur adipiscing elit. Donec vitae justo non urna finibus posuere.",
        // German.
        "Platzhalter",
        "Platzhaltertext",
        "Beispieltext",
        "Hier Text einfügen",
        "[Ihr Name]",
        "[Name einfügen]",
        "noch festzulegen",
        // French.
        "Texte de remplacement",
        "À définir",
        "à compléter",
        "[Votre nom]",
        "[insérer le nom ici]",
        // Spanish.
        "marcador de posición",
        "Texto de ejemplo",
        "por definir",
        "[Su nombre]",
        "[insertar nombre aquí]",
        // Portuguese.
        "texto de exemplo",
        "a preencher",
        "[Seu nome]",
        "[inserir nome aqui]",
        // Italian.
        "segnaposto",
        "Da definire",
        "[Il tuo nome]",
        "[inserire nome qui]",
        // Dutch.
        "tijdelijke aanduiding",
        "nader te bepalen",
        "[Uw naam]",
        "[naam invoegen]",
        // Polish.
        "tekst zastępczy",
        "Do uzupełnienia",
        "[Twoje imię]",
        "[wpisz nazwę firmy]",
        // Russian.
        "Заполнитель",
        "ПРИМЕР ТЕКСТА",
        "подлежит уточнению",
        "[Ваше имя]",
        "[вставьте название компании]",
        // Chinese.
        "占位符",
        "待补充",
        "待填寫",
        "示例文本",
        "[您的姓名]",
        "【请填写公司名称】",
        // Japanese.
        "プレースホルダー",
        "ダミーテキスト",
        "ここにテキストを入力",
        "【ここに会社名を記入】",
        "[あなたの名前]",
        // Korean.
        "플레이스홀더",
        "예시 텍스트",
        "여기에 텍스트 입력",
        "[이름을 입력하세요]",
        "[귀하의 이름]",
    ];

    const CLEAN: &[&str] = &[
        // Texts that hold such words.
        "TODO list app",
        "TODO comments in the code base",
        "TODO: call the bank on Monday",
        "The TODO is done",
        "a string of pearls",
        "string theory",
        "String quartet",
        "for example",
        "An example of good practice",
        "Example: Berlin",
        "The placeholder attribute of an input",
        "A placeholder stands for content.",
        "foo fighters",
        "Food",
        "Bar",
        "bazaar",
        "Your name and address are kept for a year.",
        "Your order is here",
        "your-first-guide-to-rust",
        "your_orders",
        "Come here",
        "I was here",
        "Insert the card into the reader and wait here.",
        "Lorem ipsum is dummy text that has been used by printers since the 1500s.",
        "Why do designers use lorem ipsum?",
        "What is lorem ipsum?",
        "Lorem ipsum generator",
        "The phrase lorem ipsum comes from a text by Cicero and is now used as filler by typesetters everywhere.",
        "Neque porro quisquam est qui dolorem ipsum quia dolor sit amet",
        // Answers.
        "N/A",
        "n/a",
        "None",
        "null",
        "unknown",
        "-",
        "—",
        "?",
        "test",
        "TBA",
        "pending",
        "Coming soon",
        "number",
        "YYYY-MM-DD",
        "XXX-XX-1234",
        "xx",
        "XL",
        "todo",
        "Todo",
        "To Do",
        "..",
        ".",
        // Code, markup, paths, names in brackets.
        "[String]",
        "[]",
        "{}",
        "<br>",
        "<title>",
        "<div></div>",
        "[a] and [b]",
        "[1]",
        "[INFO]",
        "[laughs]",
        "(see below)",
        "{id}",
        "${HOME}",
        "{{ .Values.image.tag }}",
        "{{- end -}}",
        "{{if .}}",
        "{{ if ready }}",
        "{{/* a comment */}}",
        "{{printf 3}}",
        "['a']",
        "object",
        "{{ user.name | upper }}",
        "Hello {{name}}, welcome back",
        "../src/foo.rs",
        "foo()",
        "#example",
        "@example",
        "user@example.com",
        "https://example.com/",
        "__init__",
        "Enter",
        "[Enter]",
        "<Enter>",
        "[Add to cart]",
        // Other languages.
        "Beispiel",
        "Platzhalter werden beim Versand ersetzt.",
        "Ihr Name",
        "[Berlin]",
        "Exemple",
        "Votre nom figure sur la liste.",
        "Todo",
        "Todos los ejemplos de texto",
        "Por definir el presupuesto faltan dos días",
        "Per esempio",
        "Da definire con il cliente entro lunedì",
        "Do widzenia",
        "Пример решения задачи",
        "Ваше имя внесено в список.",
        "示例代码见附录",
        "未定",
        "例えば",
        "【概要】",
        "【住所】",
        "예시",
        "여기에 있습니다",
    ];

    #[test]
    fn only_what_stands_in_for_content_is_a_placeholder() {
        assert_table(ContentCheck::PlaceholderText, FLAGGED, CLEAN);
    }
}
