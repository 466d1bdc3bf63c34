//! `refusal_text`: the text begins with a model's refusal of the task, or with its description of itself.

mod phrases;

use std::sync::LazyLock;

use super::fold::{Folded, contains_phrase, strip_phrase};
use super::phrase_filter::{PhraseFilter, first_bytes};
use phrases::{LANGUAGES, Language};

/// Bytes of the shortest refusal; names and identifiers are shorter.
const SHORTEST: usize = 15;

/// Bytes of folded text that are looked at: apologies, "as an AI … developed by …" and the refused act fit in.
const HEAD: usize = 256;

/// Apologies and small words between them that may stand before a refusal.
const MAX_OPENERS: usize = 8;

/// Bytes of ", trained by … ," after a self-description.
const LONGEST_ORIGIN: usize = 80;

/// Quotation marks that may hold a whole refusal.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('‘', '’'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
];

/// What a listed phrase is in its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Apology,
    Refusal,
    Stem,
    SelfDescription,
    BareSelfDescription,
    Identity,
}

/// A phrase with which a refusal, or what follows an apology, may begin.
struct Opening {
    key: u32,
    phrase: &'static str,
    kind: Kind,
    language: &'static Language,
}

/// All of them, findable by their first four bytes.
struct Openings {
    filter: PhraseFilter,
    /// In the order of their keys.
    sorted: Vec<Opening>,
}

static OPENINGS: LazyLock<Openings> = LazyLock::new(|| {
    let mut sorted = Vec::new();
    for language in LANGUAGES {
        let lists = [
            (language.apologies, Kind::Apology),
            (language.refusals, Kind::Refusal),
            (language.statements, Kind::Refusal),
            (language.stems, Kind::Stem),
            (language.selves, Kind::SelfDescription),
            (language.bare_selves, Kind::BareSelfDescription),
            (language.identities, Kind::Identity),
        ];
        for (phrases, kind) in lists {
            sorted.extend(phrases.iter().map(|phrase| Opening {
                key: first_bytes(phrase),
                phrase,
                kind,
                language,
            }));
        }
    }
    sorted.sort_by_key(|opening| opening.key);
    let filter = PhraseFilter::new(sorted.iter().map(|opening| opening.phrase), first_bytes);
    Openings { filter, sorted }
});

impl Openings {
    /// The phrases with which a folded text begins, and what follows each.
    fn of<'o, 't: 'o>(&'o self, text: &'t str) -> impl Iterator<Item = (&'o Opening, &'t str)> {
        let key = first_bytes(text);
        let begin = self.sorted.partition_point(|opening| opening.key < key);
        self.sorted[begin..]
            .iter()
            .take_while(move |opening| opening.key == key)
            .filter_map(move |opening| Some((opening, strip_phrase(text, opening.phrase)?)))
    }
}

/// Whether a text, white space at both ends already removed, begins with a refusal or a self-description.
pub(super) fn is_refusal(core: &str) -> bool {
    if core.len() < SHORTEST {
        return false;
    }
    let Some(body) = without_quotes(core) else {
        return false;
    };
    if !OPENINGS.filter.may_hold(first_bytes(body)) {
        return false;
    }
    let head = Folded::<HEAD>::text(body);
    let head = head.as_str();
    OPENINGS
        .of(head)
        .any(|(opening, _)| opening.language.refuses(head))
}

/// The text without emphasis, heading and quotation marks; `None` where a quotation begins the text and more follows.
fn without_quotes(core: &str) -> Option<&str> {
    if core.as_bytes().first()?.is_ascii_alphanumeric() {
        return Some(core);
    }
    let body = core.trim_start_matches(['*', '_', '#', '>', ' ']);
    let first = body.chars().next()?;
    let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == first) else {
        return Some(body);
    };
    let inner = body.strip_prefix(first)?;
    let inner = inner
        .trim_end_matches(['*', '_', '.', ' '])
        .strip_suffix(*close)?;
    // An apostrophe inside single quotes is no end of the quotation.
    let ends_before = !matches!(close, '\'' | '’') && inner.contains(*close);
    (!ends_before).then_some(inner)
}

impl Language {
    /// Whether a folded text begins, after apologies, with a refusal or a self-description in this language.
    fn refuses(&self, head: &str) -> bool {
        let mut rest = head;
        let mut apologised = false;
        for _ in 0..MAX_OPENERS {
            rest = rest.trim_start_matches(is_mark);
            let mut after_apology: Option<&str> = None;
            for (opening, after) in OPENINGS.of(rest) {
                if !std::ptr::eq(opening.language, self) {
                    continue;
                }
                let refuses = match opening.kind {
                    Kind::Refusal => true,
                    Kind::Stem => self.refuses_an_act(after, apologised),
                    Kind::SelfDescription => self.describes_itself(after, self.firsts),
                    Kind::BareSelfDescription => self.describes_itself(after, self.limited_firsts),
                    Kind::Identity => self.names_itself(after, head),
                    Kind::Apology => {
                        let shortest = after_apology.map_or(after.len(), str::len).min(after.len());
                        after_apology = after.get(after.len() - shortest..);
                        false
                    }
                };
                if refuses {
                    return true;
                }
            }
            apologised |= after_apology.is_some();
            let after_link = longest_prefix(self.links, rest).filter(|_| apologised);
            match after_apology.or(after_link) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        false
    }

    /// After "I cannot": an act that only a task can ask for.
    fn refuses_an_act(&self, act: &str, apologised: bool) -> bool {
        let act = act.trim_start();
        let sorry_acts = if apologised { self.sorry_acts } else { &[] };
        self.acts
            .iter()
            .chain(sorry_acts)
            .any(|listed| strip_phrase(act, listed).is_some())
    }

    /// After "as an AI language model": the first person, or it is a sentence about language models.
    fn describes_itself(&self, after: &str, firsts: &[&str]) -> bool {
        let after = skip_origin(self.origins, after.trim_start_matches(is_mark));
        let after = after.trim_start_matches(is_mark);
        firsts.iter().any(|first| after.starts_with(first))
    }

    /// After "I am a language model": the end of the clause, or more of the same, and what models cannot do.
    fn names_itself(&self, after: &str, head: &str) -> bool {
        let after = after.trim_start();
        let clause_ends = !after.starts_with(char::is_alphanumeric);
        let goes_on = self
            .origins
            .iter()
            .chain(self.links)
            .any(|word| strip_phrase(after, word).is_some());
        (clause_ends || goes_on) && self.limits.iter().any(|limit| contains_phrase(head, limit))
    }
}

/// What follows "developed by …," where a self-description says it.
fn skip_origin<'t>(origins: &[&str], after: &'t str) -> &'t str {
    if !origins.iter().any(|origin| strip_phrase(after, origin).is_some()) {
        return after;
    }
    match after.find(',') {
        Some(comma) if comma <= LONGEST_ORIGIN => &after[comma..],
        _ => after,
    }
}

/// What follows the longest of the phrases that begins the text.
fn longest_prefix<'t>(phrases: &[&str], text: &'t str) -> Option<&'t str> {
    phrases
        .iter()
        .filter_map(|phrase| strip_phrase(text, phrase))
        .min_by_key(|rest| rest.len())
}

/// Punctuation between an apology and a refusal.
fn is_mark(character: char) -> bool {
    matches!(
        character,
        ' ' | ','
            | '.'
            | '!'
            | ';'
            | ':'
            | '-'
            | '–'
            | '—'
            | '…'
            | '，'
            | '。'
            | '、'
            | '！'
            | '；'
            | '：'
            | '*'
    )
}

#[cfg(test)]
mod tests {
    use super::phrases::LANGUAGES;
    use crate::content::tests::assert_table;
    use crate::content::{ContentCheck, scan_text};

    const FLAGGED: &[&str] = &[
        // English refusals.
        "I'm sorry, but I can't assist with that.",
        "I’m sorry, but I can’t assist with that.",
        "I'm sorry, but I can't assist with that request.",
        "I'm sorry, I can't help with that.",
        "Sorry, but I can't help with that",
        "I am sorry, but I cannot fulfill your request.",
        "I apologize, but I cannot provide that information.",
        "I apologize for the confusion, but I cannot complete this task.",
        "Unfortunately, I am unable to assist with this request.",
        "Unfortunately, I'm not able to generate that content.",
        "I'm afraid I cannot answer that.",
        "I cannot assist with that.",
        "I can't help with creating malware.",
        "I cannot fulfil this request. It goes against my guidelines.",
        "I won't be able to help with that.",
        "I'm unable to comply with this request.",
        "I must decline to assist with this.",
        "I was unable to complete the task because the page did not load.",
        "I understand your request, but I can't help with that.",
        "**I'm sorry, but I can't assist with that.**",
        "\"I'm sorry, but I can't assist with that.\"",
        "“I’m sorry, but I can’t assist with that.”",
        "I'M SORRY, BUT I CAN'T ASSIST WITH THAT.",
        "  I'm sorry,\n but I can't\u{A0}assist with that.",
        // English self-descriptions.
        "As an AI language model, I don't have personal opinions.",
        "As an AI language model I cannot browse the internet.",
        "As a large language model, I am not able to feel.",
        "As an AI language model developed by OpenAI, I cannot predict the future.",
        "As an AI assistant, I can't access your files.",
        "As an AI, I do not have access to real-time data.",
        "As an AI language model, I…",
        "As a responsible and ethical AI assistant, I must inform you that I cannot give a list.",
        "I'm sorry — I can't assist with that.",
        "I’m unable to summarize this.",
        "I don't feel comfortable writing that.",
        "I cannot provide instructions on how to do this.",
        "I'm sorry, but as an AI language model, I cannot do that.",
        "Sorry, as an AI I can't have opinions on this.",
        "I am an AI language model and cannot sign contracts.",
        "I'm just an AI, so I can't give legal advice.",
        "I am a large language model, trained by Google.",
        "I don't have access to real-time information, but here is what I know.",
        "As of my last knowledge update in September 2021, the population was 8 million.",
        "My knowledge cutoff is 2023, so I cannot say.",
        // German.
        "Es tut mir leid, aber ich kann Ihnen dabei nicht helfen.",
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "Leider kann ich diese Anfrage nicht bearbeiten.",
        "Als KI-Sprachmodell kann ich keine persönlichen Meinungen haben.",
        "Ich bin ein Sprachmodell und kann keine Dateien öffnen.",
        // French.
        "Je suis désolé, mais je ne peux pas répondre à cette demande.",
        "Désolé, je ne peux pas vous aider avec cela.",
        "En tant que modèle de langage, je n’ai pas d’opinion.",
        "En tant qu'IA, je ne peux pas naviguer sur Internet.",
        // Spanish.
        "Lo siento, pero no puedo ayudarte con eso.",
        "Lo siento, no puedo cumplir con esa solicitud.",
        "Como modelo de lenguaje, no tengo opiniones personales.",
        // Portuguese.
        "Desculpe, mas não posso ajudar com isso.",
        "Sinto muito, mas não posso cumprir esse pedido.",
        "Como um modelo de linguagem, não tenho opiniões.",
        // Italian.
        "Mi dispiace, ma non posso aiutarti con questo.",
        "Mi dispiace, non posso soddisfare questa richiesta.",
        "Come modello linguistico, non ho opinioni personali.",
        "In quanto IA, non posso navigare in Internet.",
        // Dutch.
        "Het spijt me, maar ik kan je daar niet mee helpen.",
        "Sorry, maar daar kan ik niet mee helpen.",
        "Als AI-taalmodel heb ik geen persoonlijke mening.",
        // Polish.
        "Przykro mi, ale nie mogę w tym pomóc.",
        "Przepraszam, ale nie mogę spełnić tej prośby.",
        "Jako model językowy nie mam własnych opinii.",
        // Russian.
        "Извините, но я не могу помочь с этим.",
        "К сожалению, я не могу выполнить этот запрос.",
        "Как языковая модель, я не имею личного мнения.",
        "КАК ИИ, Я НЕ МОГУ ЭТОГО ЗНАТЬ.",
        // Chinese.
        "抱歉，我无法协助完成这个请求。",
        "很抱歉，我不能帮助您完成这项任务。",
        "对不起，我无法满足您的请求。",
        "作为一个人工智能语言模型，我没有个人观点。",
        "作为AI语言模型，我无法访问互联网。",
        "抱歉，我無法協助這項請求。",
        // Japanese.
        "申し訳ありませんが、そのリクエストにはお応えできません。",
        "申し訳ございませんが、お手伝いできません。",
        "AI言語モデルとして、私は個人的な意見を持っていません。",
        "私はAI言語モデルですので、お答えできません。",
        // Korean.
        "죄송하지만 해당 요청을 도와드릴 수 없습니다.",
        "죄송합니다. 그 요청은 도와드릴 수 없습니다.",
        "AI 언어 모델로서 저는 개인적인 의견이 없습니다.",
        "저는 AI 언어 모델이므로 파일을 열 수 없습니다.",
    ];

    const CLEAN: &[&str] = &[
        // Customers and services.
        "I'm sorry, but I can't find my order. Could you tell me where it is?",
        "I'm sorry, but I can't make it to the meeting on Friday.",
        "I’m sorry to hear that your parcel has not arrived.",
        "Sorry, we are closed on Sundays.",
        "Unfortunately, we cannot offer a refund after thirty days.",
        "Unfortunately, I cannot provide a refund for this booking.",
        "I apologize for the delay in replying to your message.",
        "I cannot access the internet since yesterday evening.",
        "I can't open attachments in Outlook.",
        "I can't help but wonder what comes next.",
        "I cannot recommend this hotel enough.",
        "I must decline your kind invitation.",
        "I am unable to walk without a stick since the accident.",
        "I don't have access to the production database yet.",
        "I understand your concern and have issued a refund.",
        "Thank you for your question. The shop opens at nine.",
        "I'm sorry, Dave. I'm afraid I can't do that.",
        // Quotations, translations, texts about refusals.
        "\"I'm sorry, but I can't assist with that,\" the clerk said, and closed the window.",
        "“As an AI language model, I cannot” is a phrase that has spread through the web.",
        "The bot said: I'm sorry, but I can't assist with that.",
        "Translate into French: I'm sorry, but I can't assist with that.",
        "Models often refuse with \"I'm sorry, but I can't assist with that.\"",
        "Dear team,\n\nplease replace the reply \"I'm sorry, but I can't assist with that\" with a better one.",
        // About language models.
        "As an AI language model is trained on more text, its answers improve.",
        "As AI language models grow, so does their appetite for power.",
        "As an AI researcher, I have studied alignment for ten years.",
        "As an AI company, we cannot ignore the law.",
        "As an AI, I dreamed of electric sheep.",
        "As an AI assistant, I help the customers of a bank with their questions.",
        "As an aide to the minister, I cannot comment.",
        "As a language teacher, I can assist with that.",
        "Language models cannot browse the internet by themselves.",
        "I am an AI engineer who can't stop reading papers.",
        "I am a large man with a small dog.",
        "My knowledge of Italian is poor.",
        "Claude Monet painted water lilies.",
        "AI assistant",
        "I can assist with that.",
        // Other languages.
        "Es tut mir leid, dass Ihr Paket noch nicht angekommen ist.",
        "Leider können wir den Betrag nicht erstatten.",
        "Ich kann Ihnen dabei helfen.",
        "Als Sprachmodell dient ein neuronales Netz.",
        "Als Kind konnte ich nicht schwimmen.",
        "Ich bin eine Künstlerin aus Köln und kann nicht klagen.",
        "Je suis désolé, mais je ne peux pas venir demain.",
        "En tant que directeur, je ne peux pas accepter.",
        "Lo siento, pero no puedo encontrar mi pedido.",
        "Como modelo de negocio, no es nuevo.",
        "Desculpe, mas não posso ir à festa.",
        "Mi dispiace, ma non posso venire domani.",
        "Come modello per il restauro non ha rivali.",
        "Het spijt me, maar ik kan morgen niet komen.",
        "Przepraszam, ale nie mogę znaleźć zamówienia.",
        "Jako model zastępczy nie sprawdził się.",
        "Извините, но я не могу найти свой заказ.",
        "Как языковая модель работает, объясняет статья.",
        "抱歉，我们今天不营业。",
        "作为一个人工智能研究者，我关注安全。",
        "申し訳ありませんが、本日は休業です。",
        "AIとしての可能性を論じる。",
        "죄송하지만 오늘은 휴무입니다.",
        "AI 언어 모델로서 GPT는 널리 쓰인다.",
    ];

    #[test]
    fn only_refusals_of_the_task_are_refusals() {
        assert_table(ContentCheck::RefusalText, FLAGGED, CLEAN);
    }

    #[test]
    fn every_phrase_is_found_in_every_language() {
        for language in LANGUAGES {
            for refusal in language.refusals.iter().chain(language.statements) {
                let text = format!("{refusal} ~~~~~~~~~~~~");
                assert!(scan_text(&text).contains(ContentCheck::RefusalText), "{text}");
            }
            for stem in language.stems {
                for act in language.acts {
                    let space = if stem.ends_with('\'') { "" } else { " " };
                    let text = format!("{stem}{space}{act}.");
                    assert!(scan_text(&text).contains(ContentCheck::RefusalText), "{text}");
                    for apology in language.apologies {
                        let text = format!("{apology}, {text}");
                        assert!(scan_text(&text).contains(ContentCheck::RefusalText), "{text}");
                    }
                }
            }
            let selves = [
                (language.selves, language.firsts),
                (language.bare_selves, language.limited_firsts),
            ];
            for (phrases, firsts) in selves {
                for (phrase, first) in phrases
                    .iter()
                    .flat_map(|phrase| firsts.iter().map(move |first| (phrase, first)))
                {
                    let text = format!("{phrase}, {first} ~~~~");
                    assert!(scan_text(&text).contains(ContentCheck::RefusalText), "{text}");
                }
            }
            for phrase in language.identities {
                for limit in language.limits {
                    let text = format!("{phrase}, {limit} ~~~~");
                    assert!(scan_text(&text).contains(ContentCheck::RefusalText), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_refusal_far_inside_a_long_text_is_a_quotation() {
        let page = "The service answers within a day and keeps a record of each case. ".repeat(40);
        let text = format!("{page}I'm sorry, but I can't assist with that. {page}");
        assert!(scan_text(&text).is_empty());
        let text = format!("I'm sorry, but I can't assist with that. {page}");
        assert!(scan_text(&text).contains(ContentCheck::RefusalText));
    }
}
