//! The words and phrases that, alone, stand in for content.

use std::sync::LazyLock;

use crate::content::phrase_filter::PhraseFilter;

/// Folded, by language. None of them is a usual answer, title or label by itself.
#[rustfmt::skip]
const STAND_INS: &[&str] = &[
    // What models copy from schemas and documentation.
    "string", "example", "example text", "example string", "example value", "example name", "example title",
    "example description", "sample text", "sample string", "sample value", "sample name", "some string", "some text",
    "some value", "text here", "some text here", "string here",
    // English.
    "placeholder", "placeholder text", "placeholder value", "placeholder content", "placeholder title",
    "placeholder description", "placeholder name", "placeholder image", "placeholder string", "placeholder data",
    "this is a placeholder", "dummy text", "dummy data", "dummy value", "dummy content", "filler text",
    "tbd", "t.b.d", "to be determined", "to be defined", "to be decided", "to be filled", "to be filled in",
    "to be filled in later", "to be filled out", "to be completed", "to be written", "to be added", "to be provided",
    "to be specified", "to be supplied", "fill in", "fill in later", "fill me in", "fill this in", "fill in here",
    "insert here", "changeme", "change me", "change_me", "change-me", "replaceme", "replace me", "replace_me",
    "replace-me", "replace this", "replace this text", "content goes here", "your content goes here",
    // Nonsense.
    "foo", "baz", "qux", "quux", "foobar", "foo bar", "foobarbaz", "foo bar baz", "foo_bar", "foo-bar", "asdf",
    "asdfasdf", "asdf asdf", "asdfgh", "asdfghjkl", "blah", "blah blah", "blah blah blah", "bla bla", "bla bla bla",
    "lorem", "lorem ipsum", "lorem ipsum text",
    // German.
    "platzhalter", "platzhaltertext", "beispieltext", "mustertext", "blindtext", "fülltext", "noch festzulegen",
    "noch zu definieren", "noch zu ergänzen", "noch auszufüllen", "wird noch ergänzt", "wird nachgereicht",
    "hier text einfügen", "text hier einfügen", "hier einfügen", "hier text eingeben", "text einfügen", "ihr text hier",
    "dein text hier", "ihr name hier", "bitte ausfüllen", "bitte ergänzen",
    // French.
    "espace réservé", "texte de remplacement", "texte d'exemple", "texte factice", "faux texte", "texte de remplissage",
    "à définir", "à compléter", "à déterminer", "à remplir", "à renseigner", "votre texte ici", "votre nom ici",
    "insérer le texte ici", "insérez votre texte ici", "insérer du texte ici",
    // Spanish.
    "marcador de posición", "texto de ejemplo", "texto de relleno", "texto de muestra", "texto de marcador de posición",
    "por definir", "por determinar", "por completar", "por rellenar", "a definir", "pendiente de definir",
    "tu texto aquí", "su texto aquí", "tu nombre aquí", "su nombre aquí", "inserte texto aquí", "insertar texto aquí",
    "inserte el texto aquí",
    // Portuguese.
    "texto de exemplo", "texto de preenchimento", "texto fictício", "espaço reservado", "marcador de posição",
    "a determinar", "a ser definido", "a ser determinado", "a preencher", "a ser preenchido", "seu texto aqui",
    "seu nome aqui", "insira o texto aqui", "insira seu texto aqui", "inserir texto aqui",
    // Italian.
    "segnaposto", "testo segnaposto", "testo di esempio", "testo di riempimento", "testo di prova", "da definire",
    "da completare", "da determinare", "da compilare", "da inserire", "il tuo testo qui", "il tuo nome qui",
    "inserisci testo qui", "inserisci il testo qui", "inserire testo qui", "inserire il testo qui",
    // Dutch.
    "tijdelijke aanduiding", "plaatshouder", "voorbeeldtekst", "opvultekst", "nader te bepalen", "nog te bepalen",
    "nog in te vullen", "nog aan te vullen", "n.t.b", "uw tekst hier", "jouw tekst hier", "uw naam hier",
    "voeg hier tekst in", "voer hier tekst in",
    // Polish.
    "tekst zastępczy", "symbol zastępczy", "przykładowy tekst", "do uzupełnienia", "do ustalenia", "do określenia",
    "do zdefiniowania", "do wypełnienia", "twój tekst tutaj", "tutaj wpisz tekst", "wpisz tekst tutaj",
    "wstaw tekst tutaj",
    // Russian.
    "заполнитель", "текст-заполнитель", "пример текста", "образец текста", "текст для примера", "рыба-текст",
    "подлежит уточнению", "будет определено", "будет определено позже", "будет дополнено", "будет добавлено позже",
    "требуется заполнить", "нужно заполнить", "ваш текст здесь", "ваше имя здесь", "вставьте текст",
    "вставьте текст здесь", "вставьте текст сюда", "введите текст здесь",
    // Chinese.
    "占位符", "占位文本", "占位文字", "占位内容", "佔位符", "佔位文字", "示例文本", "示例文字", "示例内容", "範例文字",
    "示例字符串", "待定", "待补充", "待補充", "待填写", "待填寫", "待完善", "待确定", "待確定", "此处填写", "此處填寫",
    "此处插入文本", "在此处插入文本", "在此插入文本", "在此输入文本", "在此处输入文本", "在此輸入文字", "你的文本",
    // Japanese.
    "プレースホルダー", "プレースホルダ", "プレースホルダーテキスト", "ダミーテキスト", "サンプルテキスト",
    "サンプル文章", "後で記入", "あとで記入", "要記入", "ここにテキスト", "ここにテキストを入力", "ここにテキストを挿入",
    "ここに入力", "ここに記入", "ここに文章を入力",
    // Korean.
    "자리 표시자", "자리표시자", "플레이스홀더", "예시 텍스트", "샘플 텍스트", "더미 텍스트", "추후 결정", "추후 작성",
    "추후 입력", "작성 예정", "여기에 텍스트 입력", "여기에 텍스트를 입력하세요", "여기에 내용을 입력하세요",
    "여기에 입력", "여기에 입력하세요", "여기에 작성",
];

static SORTED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut sorted = STAND_INS.to_vec();
    sorted.sort_unstable();
    sorted
});

/// Turns most strings away by their length and three of their bytes.
pub(super) struct StandInFilter(PhraseFilter);

pub(super) static FILTER: LazyLock<StandInFilter> =
    LazyLock::new(|| StandInFilter(PhraseFilter::new(STAND_INS.iter().copied(), key)));

impl StandInFilter {
    pub(super) fn may_hold(&self, text: &str) -> bool {
        self.0.may_hold(key(text))
    }
}

/// Length, first, middle and last byte; the case of ASCII letters ignored. White space inside is folded later, so a
/// phrase with unusual spaces is not found, which is of no account.
fn key(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let letter = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0) | 0x20);
    let ends = letter(0) << 8 | letter(bytes.len().saturating_sub(1));
    (bytes.len() as u32) << 24 | letter(bytes.len() / 2) << 16 | ends
}

/// Whether a folded text is one of the stand-ins.
pub(in crate::content) fn is_listed(folded: &str) -> bool {
    SORTED.binary_search(&folded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{FILTER, STAND_INS, is_listed};
    use crate::content::fold::Folded;
    use crate::content::{ContentCheck, scan_text};

    #[test]
    fn every_stand_in_is_found_in_every_spelling() {
        for stand_in in STAND_INS {
            let mut letters = stand_in.chars();
            let capitalised: String = letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect();
            for spelling in [(*stand_in).to_owned(), capitalised, stand_in.to_uppercase()] {
                assert!(FILTER.may_hold(&spelling), "{spelling}");
                assert!(is_listed(Folded::<96>::text(&spelling).as_str()), "{spelling}");
                for text in [
                    spelling.clone(),
                    format!(" {spelling}.\n"),
                    format!("\"{spelling}\""),
                ] {
                    assert!(
                        scan_text(&text).contains(ContentCheck::PlaceholderText),
                        "{text:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_stand_in_is_listed_twice() {
        let mut sorted = STAND_INS.to_vec();
        sorted.sort_unstable();
        let before = sorted.len();
        sorted.dedup();
        assert_eq!(sorted.len(), before);
    }
}
