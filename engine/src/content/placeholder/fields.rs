//! Invitations to fill in a field: `<your name>`, `[insert date here]`, `your_api_key_here`, `{{name}}`.

use crate::content::fold::{Folded, contains_phrase, strip_phrase};

/// Words of the longest invitation.
const MAX_WORDS: usize = 8;

/// Words that name what a field holds, and the small words between them.
#[rustfmt::skip]
const FIELD_WORDS: &[&str] = &[
    "name", "first", "last", "full", "middle", "company", "business", "organization", "organisation", "client",
    "customer", "user", "username", "product", "project", "title", "job", "position", "role", "date", "time", "number",
    "phone", "email", "mail", "address", "street", "city", "country", "zip", "postal", "url", "link", "website",
    "domain", "text", "content", "description", "summary", "message", "value", "amount", "price", "id", "key", "api",
    "token", "secret", "password", "image", "logo", "photo", "subject", "topic", "location", "department", "signature",
    "recipient", "sender", "author", "details", "information", "info", "reason", "reference", "region", "account",
    "bucket", "filename", "string", "access", "tenant", "subscription", "database", "host", "server", "a",
    "an", "the", "of", "and", "or", "your", "my", "short", "brief", "relevant", "specific",
];

/// The last words of a blank that is nothing but a field's name in square or angle brackets: `[Company Name]`. Words
/// that also mark other things in square brackets, such as `[image]` and `[info]`, are left out.
const BLANK_ENDS: &[&str] = &[
    "name", "date", "address", "number", "title", "company", "email", "phone", "city", "amount", "position",
];

/// Of these, the names of HTML elements.
const ELEMENTS: &[&str] = &["address", "title"];

/// Blanks in other languages, alone in square or angle brackets.
#[rustfmt::skip]
const BLANKS: &[&str] = &[
    "datum", "firma", "vorname", "nachname", "adresse", "nom", "prénom", "nom de l'entreprise", "nombre", "apellido",
    "nombre completo", "nombre de la empresa", "fecha", "nome", "nome completo", "nome da empresa", "nome azienda",
    "sobrenome", "cognome", "naam", "bedrijfsnaam", "imię", "imię i nazwisko", "nazwa firmy", "имя", "фио", "дата",
    "название компании", "姓名", "名字", "日期", "公司名称", "公司名稱", "地址", "名前", "氏名", "会社名", "日付",
    "이름", "날짜", "회사명", "주소",
];

/// "Your", which begins a blank in brackets of more than one word. Where it is a name too (Su, Tu), a noun is with it.
#[rustfmt::skip]
const YOUR: &[&str] = &[
    "your", "ihr", "ihre", "dein", "deine", "votre", "tu nombre", "su nombre", "tu apellido", "su apellido", "tu empresa",
    "su empresa", "tu correo", "su correo", "tu dirección", "su dirección", "seu nome", "sua empresa", "seu email",
    "seu e mail", "seu endereço", "teu nome", "tua empresa", "il tuo", "la tua", "il suo nome", "la sua azienda", "uw",
    "jouw", "twój", "twoja", "twoje", "ваш", "ваша", "ваше", "ваши",
];

/// "Insert" in other languages, which makes a blank of bracketed words wherever it stands among them.
#[rustfmt::skip]
const INSERT: &[&str] = &[
    "einfügen", "eintragen", "einsetzen", "insérer", "insérez", "insertar", "inserte", "inserta", "inserir",
    "insira", "inserire", "inserisci", "invoegen", "invullen", "wstaw", "wpisz", "uzupełnij", "вставьте", "вставить",
    "впишите", "укажите", "введите",
];

/// The same where words are not spaced.
#[rustfmt::skip]
const INSERT_UNSPACED: &[&str] = &[
    "请填写", "請填寫", "在此填写", "此处填写", "请输入", "請輸入", "在此输入", "在此插入", "此处插入", "插入您的", "您的",
    "你的", "ここに", "を記入", "を入力", "を挿入", "あなたの", "여기에", "입력하세요", "귀하의", "당신의",
];

/// "Add" and its kin: commands of a user interface too, unless all the other words name a field.
const ADD: &[&str] = &[
    "add", "enter", "type", "write", "put", "provide", "specify", "choose", "select", "describe", "insert",
];

/// Words that begin a statement or a call between double braces, and no variable's name.
#[rustfmt::skip]
const TEMPLATE_KEYWORDS: &[&str] = &[
    "if", "else", "elif", "unless", "for", "each", "range", "with", "end", "endif", "endfor", "block", "endblock",
    "define", "template", "include", "extends", "import", "raw", "printf", "break", "continue", "this", "yield",
];

/// Whether unbracketed text invites to fill in a field: `your_api_key_here`, `YOUR_NAME`, `insert text here`.
pub(super) fn asks_for_a_field(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins_with_your = bytes
        .get(..4)
        .is_some_and(|head| head.eq_ignore_ascii_case(b"your"));
    let ends_with_here = bytes
        .get(bytes.len().saturating_sub(4)..)
        .is_some_and(|tail| tail.eq_ignore_ascii_case(b"here"));
    if !begins_with_your && !ends_with_here {
        return false;
    }
    if !text.chars().all(is_word_character) {
        return false;
    }
    let folded = Folded::<96>::words(text);
    let Some((words, count)) = split(folded.as_str()) else {
        return false;
    };
    let words = &words[..count];
    match words {
        ["your", field @ .., "here"] if !text.contains(' ') => !field.is_empty(),
        [field @ .., "goes", "here"] => !field.is_empty() && are_field_words(field),
        // "Enter your name here" is what a form says to its user.
        ["insert" | "add" | "put", field @ .., "here"] => are_field_words(field),
        [field @ .., "here"] => !field.is_empty() && are_field_words(field),
        // `YOUR_API_KEY`, `your_name`, but not `your_orders` or `your-guide`.
        ["your", field @ ..] if text.contains('_') || text.contains('-') => {
            let capitals = !text.bytes().any(|byte| byte.is_ascii_lowercase());
            !text.contains(' ')
                && !field.is_empty()
                && (capitals || text.contains('_') && are_field_words(field))
        }
        _ => false,
    }
}

/// Whether folded text from inside round brackets, where remarks stand, is a blank: `(your name)`, `(insert date)`.
pub(super) fn is_blank_remark(folded: &str) -> bool {
    let spaced = Folded::<96>::words(folded);
    match split(spaced.as_str()) {
        Some((words, count)) => match &words[..count] {
            ["your" | "insert", field @ ..] => !field.is_empty() && are_field_words(field),
            _ => false,
        },
        None => false,
    }
}

/// Whether folded text from inside other brackets invites to fill in a field. In square or angle brackets a field's
/// name is enough, unless it is an element's name in angle brackets.
pub(super) fn names_a_field(folded: &str, in_square: bool, in_angle: bool) -> bool {
    if !folded.chars().all(is_word_character) {
        return false;
    }
    if INSERT_UNSPACED.iter().any(|phrase| folded.contains(phrase)) {
        return true;
    }
    if (in_square || in_angle) && BLANKS.contains(&folded) {
        return true;
    }
    let spaced = Folded::<96>::words(folded);
    let Some((words, count)) = split(spaced.as_str()) else {
        return false;
    };
    let words = &words[..count];
    if let [only] = words {
        let is_element = in_angle && ELEMENTS.contains(only);
        return (in_square || in_angle) && BLANK_ENDS.contains(only) && !is_element;
    }
    let spaced = spaced.as_str();
    YOUR.iter().any(|your| strip_phrase(spaced, your).is_some())
        || INSERT.iter().any(|insert| contains_phrase(spaced, insert))
        || ["insert", "fill in"]
            .iter()
            .any(|verb| strip_phrase(spaced, verb).is_some())
        || match words {
            [verb, field @ .., "here"] | [verb, field @ ..] if ADD.contains(verb) => are_field_words(field),
            [field @ .., "here"] => are_field_words(field),
            [.., end] => (in_square || in_angle) && BLANK_ENDS.contains(end) && are_field_words(words),
            [] => false,
        }
}

/// Whether folded text from inside double braces is the name of a variable and no expression.
pub(super) fn is_template_variable(folded: &str) -> bool {
    let begins_as_name = folded.starts_with(char::is_alphabetic);
    let is_name = folded
        .chars()
        .all(|character| character.is_alphanumeric() || matches!(character, ' ' | '_' | '-'));
    let mut words = folded.split(' ');
    let is_statement = words
        .next()
        .is_some_and(|first| TEMPLATE_KEYWORDS.contains(&first))
        || words.any(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    begins_as_name && is_name && !folded.ends_with('-') && !is_statement
}

fn are_field_words(words: &[&str]) -> bool {
    words.iter().all(|word| FIELD_WORDS.contains(word))
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, ' ' | '_' | '-' | '\'' | '’' | '/')
}

/// The words of folded text, unless there are none or too many.
fn split(text: &str) -> Option<([&str; MAX_WORDS], usize)> {
    let mut words = [""; MAX_WORDS];
    let mut count = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        *words.get_mut(count)? = word;
        count += 1;
    }
    (count > 0).then_some((words, count))
}

#[cfg(test)]
mod tests {
    use super::{asks_for_a_field, is_template_variable, names_a_field};

    #[test]
    fn a_field_is_asked_for_by_your_or_here() {
        for text in [
            "your_api_key_here",
            "YOUR_ANYTHING_AT_ALL",
            "Your Title Goes Here",
            "name here",
            "add text here",
        ] {
            assert!(asks_for_a_field(text), "{text}");
        }
        for text in [
            "your",
            "here",
            "Your turn",
            "your_orders",
            "your-guide",
            "Enter text here",
            "we were here",
            "Your party is here",
        ] {
            assert!(!asks_for_a_field(text), "{text}");
        }
    }

    #[test]
    fn bracketed_words_are_blanks_if_they_name_a_field_or_ask_for_it() {
        for text in [
            "insert anything",
            "your anything",
            "company name",
            "date",
            "select date",
            "datum einfügen",
            "日期",
        ] {
            assert!(names_a_field(text, true, false), "{text}");
        }
        for text in [
            "insert",
            "your",
            "select all",
            "image",
            "info",
            "note",
            "1",
            "a.b",
            "x = 1",
        ] {
            assert!(!names_a_field(text, true, false), "{text}");
        }
        assert!(!names_a_field("title", false, true));
        assert!(!names_a_field("company name", false, false));
    }

    #[test]
    fn a_template_variable_is_a_name() {
        assert!(is_template_variable("first_name"));
        assert!(!is_template_variable("user.name"));
        assert!(!is_template_variable("else"));
        assert!(!is_template_variable("1"));
    }
}
