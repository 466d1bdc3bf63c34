//! The words of markers of truncation, folded to letters and single spaces.

/// The text was cut. A single word needs square brackets or an ellipsis; it is an adjective elsewhere.
#[rustfmt::skip]
pub(super) const CUT: &[&str] = &[
    "truncated", "text truncated", "output truncated", "content truncated", "response truncated", "message truncated",
    "file truncated", "data truncated", "result truncated", "results truncated", "list truncated", "table truncated",
    "log truncated", "document truncated", "code truncated", "truncated text", "truncated output", "truncated content",
    "truncated response", "truncated for brevity", "truncated for length", "truncated due to length",
    "content truncated due to length", "output truncated due to length", "response truncated due to length",
    "truncated here", "rest truncated", "cut off", "cut off here", "text cut off", "snip", "snipped", "rest omitted",
    "remainder omitted", "content omitted", "code omitted", "text omitted", "token limit reached",
    "output limit reached", "character limit reached", "max tokens reached", "maximum length reached",
    "continued in next message", "continued in the next message", "continued in next response",
    "continued in the next response", "to be continued in the next message", "to be continued in next message",
    "to be continued in the next response",
    // German.
    "gekürzt", "abgeschnitten", "text gekürzt", "text abgeschnitten", "ausgabe gekürzt", "ausgabe abgeschnitten",
    "inhalt gekürzt", "antwort gekürzt", "aus platzgründen gekürzt", "der kürze halber weggelassen",
    "fortsetzung in der nächsten nachricht",
    // French.
    "tronqué", "texte tronqué", "contenu tronqué", "sortie tronquée", "réponse tronquée", "suite omise",
    "suite tronquée", "suite dans le prochain message",
    // Spanish.
    "truncado", "texto truncado", "contenido truncado", "salida truncada", "respuesta truncada", "recortado",
    "texto recortado", "continúa en el siguiente mensaje",
    // Portuguese.
    "conteúdo truncado", "saída truncada", "resposta truncada", "texto cortado", "continua na próxima mensagem",
    // Italian.
    "troncato", "testo troncato", "contenuto troncato", "output troncato", "risposta troncata",
    "continua nel prossimo messaggio",
    // Dutch.
    "afgekapt", "ingekort", "tekst afgekapt", "tekst ingekort", "uitvoer afgekapt", "wordt vervolgd in het volgende bericht",
    // Polish.
    "ucięto", "obcięto", "skrócono", "tekst obcięty", "tekst ucięty", "treść obcięta", "ciąg dalszy w następnej wiadomości",
    // Russian.
    "обрезано", "усечено", "сокращено", "текст обрезан", "текст сокращён", "текст сокращен", "вывод обрезан",
    "ответ обрезан", "продолжение в следующем сообщении",
    // Chinese.
    "已截断", "截断", "内容已截断", "文本已截断", "输出已截断", "回复已截断", "内容过长 已截断", "内容过长已截断", "已省略",
    "被截断", "已截斷", "內容已截斷", "此处截断",
    // Japanese.
    "切り捨て", "途中省略", "出力が切り捨てられました", "以降は省略", "途中で切れています",
    // Korean.
    "잘림", "내용 잘림", "출력 잘림", "내용 생략", "중략됨",
];

/// The text goes on elsewhere. Without an ellipsis these are titles of second parts.
pub(super) const CONTINUED: &[&str] = &[
    "continued",
    "cont",
    "cont'd",
    "contd",
    "fortsetzung",
    "suite",
    "continuación",
    "continuação",
    "continuazione",
    "vervolg",
    "ciąg dalszy",
    "продолжение",
    "续",
    "續",
    "続き",
    "계속",
];

/// What stands for code that was left away, where an ellipsis is with it.
#[rustfmt::skip]
pub(super) const ELIDED: &[&str] = &[
    "existing code", "existing code here", "your existing code", "your existing code here", "previous code",
    "previous code here", "other code", "other code here", "more code", "more code here", "same as before",
    "same code as before", "same as above", "unchanged", "unchanged code", "code unchanged", "code continues",
    "existing imports", "existing methods", "other methods", "other methods unchanged", "other imports",
    "existing content", "existing implementation", "existing logic", "omitted", "bestehender code", "code existant",
    "código existente", "codice esistente", "bestaande code", "istniejący kod", "существующий код", "现有代码", "原有代码",
    "既存のコード", "기존 코드",
];

/// Ends of remarks that say what was left away and why.
#[rustfmt::skip]
pub(super) const BREVITY: &[&str] = &[
    "omitted for brevity", "omitted for clarity", "omitted for length", "omitted for space", "truncated for brevity",
    "truncated for length", "truncated due to length", "shortened for brevity", "removed for brevity",
    "elided for brevity", "left out for brevity", "cut for brevity", "cut for length",
];

/// The last words of [`BREVITY`].
pub(super) const BREVITY_ENDS: &[&str] = &["brevity", "clarity", "length", "space"];

/// Words before a number of missing things.
pub(super) const COUNT_LEADS: &[&str] = &["and", "with", "plus", "another", "about"];

/// Words beside a number that say there is more than what is shown.
pub(super) const MORE: &[&str] = &["more", "additional", "other", "remaining"];

/// Words after a number and a unit that say these are missing.
pub(super) const COUNT_CUT: &[&str] = &["truncated", "omitted", "elided", "snipped"];

/// Beginnings that speak of what is not there.
#[rustfmt::skip]
pub(super) const REST: &[&str] = &[
    "rest", "the rest", "remainder", "the remainder", "remaining", "the remaining", "and the rest", "and rest",
    "keep the rest", "add the rest", "include the rest", "insert the rest", "continue with the rest",
];

/// Nouns for code, which hardly any prose speaks of "the rest" of.
#[rustfmt::skip]
pub(super) const CODE: &[&str] = &[
    "code", "file", "function", "class", "component", "implementation", "script", "logic", "program", "module", "html",
    "css", "markup", "template", "method",
];

/// Nouns for parts of deliverables of any kind.
#[rustfmt::skip]
pub(super) const PARTS: &[&str] = &[
    "methods", "functions", "components", "imports", "routes", "styles", "tests", "configuration", "config", "properties",
    "props", "content", "contents", "document", "page", "pages", "text", "section", "sections", "list", "table", "rows",
    "items", "entries", "records", "data", "output", "response", "json", "array", "chapter", "chapters", "article",
    "report", "story", "essay", "translation", "questions", "answers", "fields", "cases", "lines",
];

/// Words that say a part was left out.
pub(super) const LEFT_OUT: &[&str] = &[
    "omitted",
    "truncated",
    "not shown",
    "left out",
    "elided",
    "cut off",
    "snipped",
];

/// Ends of remarks that say a part is as it was.
#[rustfmt::skip]
pub(super) const KEPT: &[&str] = &[
    "unchanged", "the same", "same", "same as before", "the same as before", "as before", "as is", "as above", "here",
    "untouched", "unmodified",
];

/// What "97 more …" and "97 … truncated" count.
#[rustfmt::skip]
pub(super) const UNITS: &[&str] = &[
    "line", "lines", "character", "characters", "chars", "byte", "bytes", "kb", "mb", "word", "words", "token", "tokens",
    "item", "items", "row", "rows", "entry", "entries", "record", "records", "page", "pages", "paragraph", "paragraphs",
    "section", "sections", "message", "messages", "element", "elements", "result", "results", "file", "files", "chapter",
    "chapters", "columns", "variables",
];

/// [`REST`] in the other languages.
#[rustfmt::skip]
pub(super) const REST_FOREIGN: &[&str] = &[
    // German, Dutch.
    "rest", "der rest", "restlicher", "restliche", "restlichen", "restliches", "übriger", "übrige", "der übrige", "de rest",
    "overige", "resterende",
    // French, Spanish, Portuguese, Italian.
    "reste", "le reste", "la suite", "suite", "resto", "el resto", "restante", "o restante", "o resto", "il resto", "demais",
    // Polish, Russian.
    "reszta", "pozostały", "pozostała", "pozostałe", "остальной", "остальная", "остальное", "остальные", "остаток",
    "оставшийся", "оставшаяся",
    // Chinese, Japanese, Korean.
    "其余", "剩余", "其他", "其它", "以下", "后续", "后面", "此处", "中间", "其餘", "剩餘", "後續", "此處", "残り", "以降",
    "その他", "나머지", "이하", "이후",
];

/// [`CODE`] in the other languages.
#[rustfmt::skip]
pub(super) const CODE_FOREIGN: &[&str] = &[
    "code", "codes", "datei", "funktion", "klasse", "fichier", "fonction", "classe", "código", "archivo", "función",
    "arquivo", "ficheiro", "função", "codice", "funzione", "bestand", "functie", "kod", "kodu", "pliku", "funkcji", "код",
    "кода", "файла", "функции", "代码", "代碼", "程式碼", "文件", "函数", "コード", "ファイル", "関数", "코드", "파일", "함수",
];

/// [`LEFT_OUT`] in the other languages.
#[rustfmt::skip]
pub(super) const LEFT_OUT_FOREIGN: &[&str] = &[
    "ausgelassen", "weggelassen", "gekürzt", "abgeschnitten", "weggelaten", "ingekort", "afgekapt", "omis", "omise",
    "omises", "tronqué", "tronquée", "omitido", "omitida", "omitidos", "omitidas", "truncado", "truncada", "omesso",
    "omessa", "troncato", "troncata", "pominięta", "pominięto", "pominięty", "pominięte", "obcięta", "obcięto", "опущено",
    "опущен", "опущена", "опущены", "сокращено", "обрезано", "省略", "略去", "截断", "截斷", "略", "생략",
];

/// [`KEPT`] in the other languages.
#[rustfmt::skip]
pub(super) const KEPT_FOREIGN: &[&str] = &[
    "unverändert", "bleibt gleich", "wie zuvor", "wie oben", "wie bisher", "ongewijzigd", "hetzelfde", "blijft gelijk",
    "inchangé", "inchangée", "identique", "sin cambios", "sin modificar", "igual", "inalterado", "inalterada",
    "sem alterações", "permanece", "invariato", "invariata", "uguale", "bez zmian", "без изменений", "не изменился",
    "не изменилась", "прежним", "不变", "不變", "相同", "同上", "保持原样", "変更なし", "同じ", "そのまま", "동일",
    "변경 없음", "그대로", "변경되지",
];
