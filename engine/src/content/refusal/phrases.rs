//! How models refuse and describe themselves, language by language. All phrases are folded: lower case, straight
//! apostrophes, single spaces.

/// The phrases of one language. A text refuses if, after apologies and links, it begins with a refusal or statement, a
/// stem and an act, a self-description and the first person, or an identity and a limit.
pub(super) struct Language {
    /// What may come first: "I'm sorry".
    pub(super) apologies: &'static [&'static str],
    /// Words that join an apology or an identity to what follows: "but".
    pub(super) links: &'static [&'static str],
    /// Whole refusals, where they are no stem and act.
    pub(super) refusals: &'static [&'static str],
    /// "I cannot".
    pub(super) stems: &'static [&'static str],
    /// What is refused, in words that only the giver of a task is answered with: "assist with that".
    pub(super) acts: &'static [&'static str],
    /// What is refused in words of everyday life too, which therefore need an apology first.
    pub(super) sorry_acts: &'static [&'static str],
    /// "As an AI language model".
    pub(super) selves: &'static [&'static str],
    /// "As an AI", which people write of too, and which therefore needs a limit after it.
    pub(super) bare_selves: &'static [&'static str],
    /// "developed", which may follow a self-description.
    pub(super) origins: &'static [&'static str],
    /// Beginnings of what a self-description goes on with, if it is one: "I".
    pub(super) firsts: &'static [&'static str],
    /// The same with a limit: "I cannot".
    pub(super) limited_firsts: &'static [&'static str],
    /// "I am a language model".
    pub(super) identities: &'static [&'static str],
    /// What such a model goes on to say of itself: "cannot", "trained by".
    pub(super) limits: &'static [&'static str],
    /// Sentences that only a model says of itself.
    pub(super) statements: &'static [&'static str],
}

#[rustfmt::skip]
pub(super) const LANGUAGES: &[Language] = &[
    ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH, POLISH, RUSSIAN, CHINESE, JAPANESE, KOREAN,
];

#[rustfmt::skip]
const ENGLISH: Language = Language {
    apologies: &[
        "i'm sorry", "i am sorry", "i'm very sorry", "i'm really sorry", "i'm so sorry", "i am very sorry", "sorry",
        "i apologize", "i apologise", "i do apologize", "my apologies", "apologies", "unfortunately", "regrettably",
        "i'm afraid", "i am afraid", "i understand your request", "i understand", "i appreciate your request",
        "i'd like to help", "i'd love to help", "i would like to help", "i would love to help", "i wish i could help",
        "i want to help", "i aim to be helpful", "thank you for your request", "thanks for your request", "thank you for your question",
    ],
    links: &[
        "but", "however", "that", "and", "for the inconvenience", "for any inconvenience", "for the confusion",
        "for any confusion", "to say", "to inform you", "so", "which",
    ],
    refusals: &[
        "i'm really sorry that you're feeling this way, but i'm unable to provide the help",
        "i'm sorry that you're feeling this way, but i'm unable to provide the help",
    ],
    stems: &[
        "i can't", "i cannot", "i can not", "i won't", "i will not", "i am unable to", "i'm unable to",
        "i am not able to", "i'm not able to", "i won't be able to", "i will not be able to", "i'm not allowed to",
        "i am not allowed to", "i'm not permitted to", "i am not permitted to", "i'm not programmed to",
        "i am not programmed to", "i'm not comfortable", "i don't feel comfortable", "i do not feel comfortable",
        "i must decline to", "i must respectfully decline to", "i have to decline to", "i was unable to",
        "i wasn't able to", "i was not able to", "i could not", "i couldn't",
    ],
    acts: &[
        "assist with", "assist you with", "assist in", "assist you in", "assisting with", "assisting you with",
        "help with that", "help with this", "help you with that", "help you with this", "help with your request",
        "help you with your request", "help with the request", "help with requests", "help with creating",
        "help with writing", "help with generating", "help with making", "help with producing", "helping with that",
        "helping with this", "comply with that request", "comply with this request", "comply with your request",
        "comply with the request", "comply with requests", "complying with this request",
        "fulfill that request", "fulfill this request", "fulfill your request", "fulfill the request",
        "fulfill requests", "fulfil that request", "fulfil this request", "fulfil your request", "fulfil the request",
        "fulfil requests", "fulfilling this request", "complete this request", "complete that request",
        "complete your request", "complete the request", "complete this task", "complete that task",
        "complete the task", "complete your task", "process this request", "process that request",
        "carry out this request", "carry out this task", "carry out the requested", "perform this task",
        "perform that task", "perform the requested", "provide the requested", "provide assistance with",
        "provide instructions on how", "provide information on how", "provide information about how",
        "provide guidance on how", "provide information or guidance", "provide instructions or guidance",
        "provide step-by-step", "provide you with instructions", "satisfy your request", "satisfy this request",
        "satisfy that request", "engage in creating", "summarize this", "summarise this", "translate this",
        "analyze this image", "analyse this image", "process this image", "process this file", "transcribe this",
        "identify people in", "identify individuals in", "writing that", "creating that", "generating that",
        "producing that", "providing that", "writing this", "creating this", "generating this", "engaging with",
        "engaging in", "continuing with this", "continuing this", "roleplaying",
        "provide content that", "provide that kind of", "provide this kind of", "generate the requested",
        "generate that content", "generate this content", "generate content", "generate such content",
        "generate explicit", "create the requested", "create that content", "create this content", "create content",
        "create such content", "create explicit", "produce the requested", "produce that content",
        "produce this content", "produce content", "write the requested", "write that kind of", "write content that",
        "engage in that kind of", "engage in this kind of", "engage with this request", "support this request",
        "respond to this request", "respond to that request", "answer that request", "continue with this request",
    ],
    sorry_acts: &[
        "comply", "provide that", "provide this", "provide you with that", "provide you with this",
        "provide instructions", "provide guidance on",
        "provide assistance", "generate that", "generate this", "generate images", "create that", "create this",
        "produce that", "produce this", "write that", "write this", "engage in", "engage with", "participate in this",
        "participate in that", "answer that", "answer this", "respond to that", "respond to this", "discuss that",
        "discuss this", "discuss topics", "continue with this", "continue this conversation", "process your request",
    ],
    selves: &[
        "as an ai language model", "as an ai model", "as an ai based language model", "as an ai-based language model",
        "as an ai text-based model", "as a text-based ai model", "as a language model", "as a large language model",
        "as a large ai language model", "as an artificial intelligence language model", "as a responsible ai language model",
        "as a responsible and ethical ai language model", "as an ethical ai language model",
        "being an ai language model", "being a language model",
    ],
    bare_selves: &[
        "as an ai", "as an ai assistant", "as an ai chatbot", "as an ai-powered assistant", "as a text-based ai",
        "as an artificial intelligence", "as an llm", "being an ai", "as a responsible ai", "as a responsible ai assistant",
        "as a responsible and ethical ai", "as a responsible and ethical ai assistant", "as an ethical ai",
        "as a helpful ai assistant", "as a helpful and harmless ai assistant", "as a virtual assistant",
    ],
    origins: &["developed", "created", "trained", "made", "built", "designed"],
    firsts: &["i ", "i'", "i…", "i.", "my "],
    limited_firsts: &[
        "i can't", "i cannot", "i can not", "i don't", "i do not", "i am not", "i'm not", "i am unable", "i'm unable",
        "i am only", "i'm only", "i am just", "i'm just", "i am designed", "i'm designed", "i am programmed",
        "i'm programmed", "i have no", "i have been trained", "i lack", "i must", "i won't", "i will not", "i was trained",
        "i was created", "i strive", "i couldn't", "i could not", "i would not", "my training", "my knowledge",
        "my responses", "my purpose", "my primary", "my capabilities", "my abilities",
    ],
    identities: &[
        "i am an ai language model", "i'm an ai language model", "i am just an ai language model",
        "i'm just an ai language model", "i am a language model", "i'm a language model", "i'm just a language model",
        "i am just a language model", "i am a large language model", "i'm a large language model", "i am an ai model",
        "i'm an ai model", "i am an ai assistant", "i'm an ai assistant", "i am an ai", "i'm an ai", "i am just an ai",
        "i'm just an ai", "i am only an ai", "i'm only an ai", "i am an artificial intelligence",
        "i'm an artificial intelligence", "i am chatgpt", "i'm chatgpt", "i am claude, an ai", "i'm claude, an ai",
    ],
    limits: &[
        "can't", "cannot", "can not", "don't", "do not", "unable to", "not able to", "trained by", "created by",
        "developed by", "made by", "built by", "trained on",
    ],
    statements: &[
        "i don't have real-time", "i do not have real-time", "i don't have access to real-time",
        "i do not have access to real-time", "i don't have the ability to browse", "i do not have the ability to browse",
        "i don't have browsing capabilities", "i do not have browsing capabilities", "i can't access real-time",
        "i cannot access real-time", "i don't have personal opinions", "i do not have personal opinions",
        "my knowledge cutoff", "my knowledge cut-off", "my knowledge is limited to", "my last knowledge update",
        "my training data only goes", "my training data goes up to", "as of my last knowledge update",
        "as of my knowledge cutoff", "as of my knowledge cut-off", "as of my last training",
        "i don't have access to external", "i do not have access to external", "i don't have the ability to access external",
        "i do not have the ability to access external", "i can't access external", "i cannot access external",
        "i'm unable to access external", "i am unable to access external",
    ],
};

#[rustfmt::skip]
const GERMAN: Language = Language {
    apologies: &[
        "es tut mir leid", "es tut mir sehr leid", "tut mir leid", "leider", "entschuldigung", "entschuldige",
        "entschuldigen sie", "ich bedaure", "bedauerlicherweise", "sorry",
    ],
    links: &["aber", "jedoch", "und"],
    refusals: &[
        "dabei kann ich nicht helfen", "dabei kann ich ihnen nicht helfen", "dabei kann ich dir nicht helfen",
        "damit kann ich nicht helfen", "damit kann ich ihnen nicht helfen", "damit kann ich dir nicht helfen",
        "bei dieser anfrage kann ich nicht", "diese anfrage kann ich nicht", "dieser anfrage kann ich nicht",
    ],
    stems: &["ich kann", "kann ich"],
    acts: &[
        "dabei nicht helfen", "ihnen dabei nicht helfen", "dir dabei nicht helfen", "damit nicht helfen",
        "ihnen damit nicht helfen", "dir damit nicht helfen", "hierbei nicht helfen", "ihnen hierbei nicht helfen",
        "dir hierbei nicht helfen", "dabei nicht behilflich sein", "ihnen dabei nicht behilflich sein",
        "dabei nicht weiterhelfen", "ihnen dabei nicht weiterhelfen", "dir dabei nicht weiterhelfen",
        "damit nicht weiterhelfen", "bei dieser anfrage nicht", "ihnen bei dieser anfrage nicht",
        "dir bei dieser anfrage nicht", "ihnen bei diesem anliegen nicht", "dir bei diesem anliegen nicht",
        "bei diesem anliegen nicht", "bei dieser bitte nicht", "diese anfrage nicht", "dieser anfrage nicht",
        "dieser bitte nicht", "diese bitte nicht", "diesen inhalt nicht erstellen", "diese inhalte nicht erstellen",
        "solche inhalte nicht", "keine solchen inhalte", "diese aufgabe nicht ausführen", "diese aufgabe nicht erfüllen",
    ],
    sorry_acts: &["diese frage nicht beantworten", "diese informationen nicht", "diese aufgabe nicht"],
    selves: &[
        "als ki-sprachmodell", "als sprachmodell", "als großes sprachmodell", "als ki-modell", "als ki-assistent",
        "als ki", "als künstliche intelligenz", "als ai-sprachmodell",
    ],
    bare_selves: &[],
    origins: &["entwickelt", "das von"],
    firsts: &[
        "kann ich", "habe ich", "bin ich", "darf ich", "verfüge ich", "werde ich", "besitze ich", "ich kann",
        "ich habe", "ich bin",
    ],
    limited_firsts: &[],
    identities: &[
        "ich bin ein sprachmodell", "ich bin nur ein sprachmodell", "ich bin ein ki-sprachmodell",
        "ich bin ein großes sprachmodell", "ich bin eine künstliche intelligenz", "ich bin eine ki",
        "ich bin nur eine ki", "ich bin ein ki-assistent", "ich bin ein ki-modell",
    ],
    limits: &["kann", "nicht", "keine", "keinen", "trainiert von", "entwickelt von", "trainiert wurde", "entwickelt wurde"],
    statements: &["mein wissensstand endet", "mein wissensstand reicht bis"],
};

#[rustfmt::skip]
const FRENCH: Language = Language {
    apologies: &[
        "désolé", "désolée", "je suis désolé", "je suis désolée", "je suis vraiment désolé", "malheureusement",
        "je regrette", "toutes mes excuses", "je m'excuse", "pardon", "navré", "je suis navré",
    ],
    links: &["mais", "toutefois", "cependant", "et"],
    refusals: &[],
    stems: &[
        "je ne peux pas", "je ne peux", "je ne suis pas en mesure de", "je ne suis pas en mesure d'",
        "je suis dans l'incapacité de", "il m'est impossible de", "je ne suis pas capable de", "je ne pourrai pas",
    ],
    acts: &[
        "vous aider avec cela", "vous aider avec ça", "t'aider avec cela", "t'aider avec ça", "aider avec cela",
        "aider avec ça", "vous aider avec cette demande", "vous aider dans cette demande", "aider avec cette demande",
        "t'aider avec cette demande", "répondre à cette demande", "répondre à cette requête", "répondre à ta demande",
        "satisfaire cette demande", "satisfaire à cette demande", "satisfaire votre demande", "accéder à cette demande",
        "vous aider sur ce sujet", "vous aider à ce sujet",
        "t'aider sur ce sujet", "vous assister", "t'assister", "générer ce contenu", "générer de contenu", "générer ce type de contenu",
        "créer ce contenu", "créer de contenu", "créer ce type de contenu", "fournir ce type", "accomplir cette tâche",
        "effectuer cette tâche", "exécuter cette tâche", "traiter cette requête",
    ],
    sorry_acts: &[
        "répondre à cette question", "fournir cette information", "fournir ces informations", "fournir ce",
        "traiter cette demande",
    ],
    selves: &[
        "en tant que modèle de langage", "en tant que modèle de langage ia", "en tant que modèle linguistique",
        "en tant que grand modèle de langage", "en tant qu'ia", "en tant qu'intelligence artificielle",
        "en tant qu'assistant ia", "en tant que modèle d'ia", "en tant qu'assistant virtuel",
    ],
    bare_selves: &[],
    origins: &["développé", "créé", "entraîné", "développée", "créée", "entraînée"],
    firsts: &["je ne", "je n'", "je suis", "je dois", "mes ", "mon ", "ma "],
    limited_firsts: &[],
    identities: &[
        "je suis un modèle de langage", "je suis un grand modèle de langage", "je suis une intelligence artificielle",
        "je suis une ia", "je ne suis qu'une ia", "je suis un assistant ia",
    ],
    limits: &["ne peux", "ne suis pas", "n'ai pas", "entraîné par", "développé par", "créé par", "développée par", "créée par"],
    statements: &["mes connaissances s'arrêtent"],
};

#[rustfmt::skip]
const SPANISH: Language = Language {
    apologies: &[
        "lo siento", "lo siento mucho", "lamentablemente", "desafortunadamente", "disculpa", "disculpe", "perdón",
        "mis disculpas", "lo lamento", "lamento",
    ],
    links: &["pero", "sin embargo", "que", "y"],
    refusals: &[],
    stems: &["no puedo", "no me es posible", "no soy capaz de", "no estoy en condiciones de", "no podré", "yo no puedo"],
    acts: &[
        "ayudarte con eso", "ayudarle con eso", "ayudar con eso", "ayudarte con esto", "ayudarle con esto",
        "ayudar con esto", "ayudarte en eso", "ayudarle en eso", "ayudarte con esa solicitud", "ayudarle con esa solicitud", "ayudar con esa solicitud",
        "ayudarte con esta solicitud", "ayudar con esta solicitud", "ayudarte con esa petición",
        "ayudar con esa petición", "ayudarte con tu solicitud", "asistirte con", "asistirle con", "asistir con",
        "cumplir con esa solicitud", "cumplir con esta solicitud", "cumplir con tu solicitud",
        "cumplir con esa petición", "cumplir con esta petición", "cumplir esa solicitud", "cumplir esta solicitud",
        "completar esta solicitud", "completar esa solicitud", "completar esta tarea", "completar esa tarea",
        "realizar esta tarea", "realizar esa tarea", "generar ese contenido", "generar este contenido",
        "generar contenido", "crear ese contenido", "crear contenido", "atender esa solicitud",
    ],
    sorry_acts: &[
        "proporcionar esa", "proporcionar ese", "proporcionar esta", "proporcionar este", "proporcionar información sobre cómo",
        "responder a esa pregunta", "responder a esta pregunta", "responder a eso", "procesar esta solicitud",
    ],
    selves: &[
        "como modelo de lenguaje", "como un modelo de lenguaje", "como modelo de lenguaje de ia",
        "como modelo de lenguaje de inteligencia artificial", "como modelo de inteligencia artificial",
        "como modelo de ia", "como inteligencia artificial", "como una inteligencia artificial", "como ia",
        "como una ia", "como asistente de ia", "como un asistente de ia",
    ],
    bare_selves: &[],
    origins: &["desarrollado", "creado", "entrenado", "desarrollada", "creada", "entrenada"],
    firsts: &["no puedo", "no tengo", "no soy", "no estoy", "no poseo", "no cuento", "yo no", "carezco", "mi ", "mis "],
    limited_firsts: &[],
    identities: &[
        "soy un modelo de lenguaje", "soy solo un modelo de lenguaje", "soy una inteligencia artificial",
        "soy un modelo de ia", "soy una ia", "soy un asistente de ia",
    ],
    limits: &["no puedo", "no tengo", "no soy", "entrenado por", "creado por", "desarrollado por", "creada por", "desarrollada por"],
    statements: &["mi conocimiento llega hasta", "mi fecha de corte de conocimiento"],
};

#[rustfmt::skip]
const PORTUGUESE: Language = Language {
    apologies: &[
        "desculpe", "desculpa", "me desculpe", "sinto muito", "lamento", "infelizmente", "peço desculpas",
        "peço desculpa", "lamentavelmente",
    ],
    links: &["mas", "porém", "no entanto", "e"],
    refusals: &[],
    stems: &[
        "não posso", "eu não posso", "não consigo", "eu não consigo", "não sou capaz de", "não me é possível",
        "não poderei",
    ],
    acts: &[
        "ajudar com isso", "ajudá-lo com isso", "ajudá-la com isso", "te ajudar com isso", "ajudar nisso",
        "ajudar com essa solicitação", "ajudar com esta solicitação", "ajudar com esse pedido", "ajudar com este pedido",
        "auxiliar com", "auxiliar nisso", "atender a essa solicitação", "atender a esta solicitação",
        "atender a esse pedido", "atender essa solicitação", "atender esse pedido", "cumprir essa solicitação",
        "cumprir esta solicitação", "cumprir esse pedido", "cumprir este pedido", "cumprir com esse pedido",
        "gerar esse conteúdo", "gerar este conteúdo", "gerar conteúdo", "criar esse conteúdo", "criar conteúdo",
        "concluir esta tarefa", "concluir essa tarefa", "realizar esta tarefa", "realizar essa tarefa",
    ],
    sorry_acts: &[
        "fornecer essa informação", "fornecer essas informações", "fornecer esse", "fornecer este",
        "responder a essa pergunta", "responder a esta pergunta", "responder a isso",
    ],
    selves: &[
        "como modelo de linguagem", "como um modelo de linguagem", "como um modelo de linguagem de ia",
        "como modelo de linguagem de ia", "como uma ia", "como ia", "como inteligência artificial",
        "como uma inteligência artificial", "como assistente de ia", "como um assistente de ia",
    ],
    bare_selves: &[],
    origins: &["desenvolvido", "criado", "treinado", "desenvolvida", "criada", "treinada"],
    firsts: &["não posso", "não tenho", "não sou", "não consigo", "não possuo", "eu não", "eu sou", "meu ", "minha ", "minhas "],
    limited_firsts: &[],
    identities: &[
        "sou um modelo de linguagem", "eu sou um modelo de linguagem", "sou apenas um modelo de linguagem",
        "sou uma inteligência artificial", "sou uma ia", "sou um assistente de ia",
    ],
    limits: &["não posso", "não tenho", "não consigo", "treinado por", "treinado pelo", "treinado pela", "criado por", "criado pela", "desenvolvido por", "desenvolvido pela"],
    statements: &["meu conhecimento vai até"],
};

#[rustfmt::skip]
const ITALIAN: Language = Language {
    apologies: &[
        "mi dispiace", "mi spiace", "scusa", "scusami", "mi scuso", "purtroppo", "sono spiacente", "chiedo scusa",
        "sfortunatamente",
    ],
    links: &["ma", "però", "tuttavia", "e"],
    refusals: &[],
    stems: &["non posso", "non sono in grado di", "non mi è possibile", "non potrò"],
    acts: &[
        "aiutarti con questo", "aiutarla con questo", "aiutare con questo", "aiutarti in questo", "aiutarti con ciò",
        "aiutarti con questa richiesta", "aiutarla con questa richiesta", "aiutare con questa richiesta",
        "assisterti con", "assisterla con", "assistere con", "assisterti in questa", "soddisfare questa richiesta",
        "soddisfare la tua richiesta", "soddisfare la richiesta", "esaudire questa richiesta",
        "completare questa richiesta", "completare questo compito", "completare questa attività",
        "svolgere questo compito", "generare questo contenuto", "generare contenuti", "creare questo contenuto",
        "creare contenuti", "elaborare questa richiesta",
    ],
    sorry_acts: &[
        "fornire queste informazioni", "fornire questo", "fornire assistenza", "rispondere a questa domanda",
        "rispondere a questo",
    ],
    selves: &[
        "come modello linguistico", "come modello linguistico di ia", "come modello di linguaggio",
        "in quanto modello linguistico", "in quanto modello di linguaggio", "in quanto ia",
        "in quanto intelligenza artificiale", "come intelligenza artificiale", "come ia", "come assistente ia",
        "in qualità di modello linguistico", "essendo un modello linguistico", "essendo un'intelligenza artificiale",
    ],
    bare_selves: &[],
    origins: &["sviluppato", "creato", "addestrato", "sviluppata", "creata", "addestrata"],
    firsts: &["non posso", "non ho", "non sono in grado", "non possiedo", "io non", "sono stato", "il mio", "la mia", "le mie"],
    limited_firsts: &[],
    identities: &[
        "sono un modello linguistico", "sono solo un modello linguistico", "sono un modello di linguaggio",
        "sono un'intelligenza artificiale", "sono un'ia", "sono un assistente ia",
    ],
    limits: &["non posso", "non ho", "non sono in grado", "addestrato da", "creato da", "sviluppato da", "creata da", "sviluppata da"],
    statements: &["le mie conoscenze si fermano"],
};

#[rustfmt::skip]
const DUTCH: Language = Language {
    apologies: &["het spijt me", "het spijt mij", "sorry", "helaas", "mijn excuses", "excuses", "excuseer"],
    links: &["maar", "echter", "en"],
    refusals: &[
        "daar kan ik niet mee helpen", "daar kan ik je niet mee helpen", "daar kan ik u niet mee helpen",
        "daar kan ik niet bij helpen", "daar kan ik je niet bij helpen", "daar kan ik u niet bij helpen",
        "daarmee kan ik niet helpen", "hier kan ik niet mee helpen", "hier kan ik je niet mee helpen",
        "hier kan ik u niet mee helpen", "dit verzoek kan ik niet", "dat verzoek kan ik niet",
        "aan dit verzoek kan ik niet voldoen", "aan dat verzoek kan ik niet voldoen",
    ],
    stems: &["ik kan", "kan ik"],
    acts: &[
        "daar niet mee helpen", "je daar niet mee helpen", "u daar niet mee helpen", "daarmee niet helpen",
        "je daarmee niet helpen", "u daarmee niet helpen", "daar niet bij helpen", "je daar niet bij helpen",
        "u daar niet bij helpen", "hier niet mee helpen", "je hier niet mee helpen", "u hier niet mee helpen",
        "hier niet bij helpen", "je hier niet bij helpen", "u hier niet bij helpen", "niet helpen met dit verzoek",
        "je niet helpen met dit verzoek", "u niet helpen met dit verzoek", "niet helpen met dat verzoek", "je niet helpen met dat verzoek",
        "u niet helpen met dat verzoek", "dit verzoek niet", "dat verzoek niet",
        "niet voldoen aan dit verzoek", "niet voldoen aan je verzoek", "niet aan dit verzoek voldoen",
        "niet aan dat verzoek voldoen", "deze taak niet uitvoeren", "die inhoud niet", "deze inhoud niet genereren",
    ],
    sorry_acts: &["die informatie niet", "deze vraag niet beantwoorden", "die vraag niet beantwoorden"],
    selves: &[
        "als ai-taalmodel", "als ai taalmodel", "als taalmodel", "als groot taalmodel", "als ai-model", "als ai",
        "als ai-assistent", "als kunstmatige intelligentie",
    ],
    bare_selves: &[],
    origins: &["ontwikkeld", "getraind", "gemaakt"],
    firsts: &["kan ik", "heb ik", "ben ik", "mag ik", "beschik ik", "ik kan", "ik heb", "ik ben"],
    limited_firsts: &[],
    identities: &[
        "ik ben een taalmodel", "ik ben een ai-taalmodel", "ik ben maar een taalmodel", "ik ben een groot taalmodel",
        "ik ben een ai-assistent", "ik ben een ai", "ik ben een kunstmatige intelligentie",
    ],
    limits: &["kan", "niet", "geen", "getraind door", "ontwikkeld door", "gemaakt door"],
    statements: &["mijn kennis reikt tot"],
};

#[rustfmt::skip]
const POLISH: Language = Language {
    apologies: &[
        "przepraszam", "przykro mi", "bardzo mi przykro", "niestety", "bardzo przepraszam", "z przykrością informuję",
    ],
    links: &["ale", "jednak", "że", "i"],
    refusals: &[],
    stems: &["nie mogę", "nie jestem w stanie", "nie będę w stanie", "ja nie mogę"],
    acts: &[
        "w tym pomóc", "ci w tym pomóc", "pomóc w tym", "pomóc ci w tym", "pomóc z tym", "pomóc z tą prośbą",
        "pomóc w realizacji tej prośby", "pomóc w tym zadaniu", "spełnić tej prośby", "spełnić twojej prośby",
        "zrealizować tej prośby", "zrealizować tego żądania", "zrealizować twojej prośby", "wykonać tego zadania",
        "wykonać tego polecenia", "przetworzyć tego żądania", "wygenerować tej treści", "wygenerować takiej treści",
        "wygenerować treści", "tworzyć takich treści", "stworzyć takiej treści",
    ],
    sorry_acts: &["udzielić odpowiedzi na to pytanie", "odpowiedzieć na to pytanie", "udzielić tej informacji", "udzielić tych informacji"],
    selves: &[
        "jako model językowy", "jako duży model językowy", "jako model językowy ai", "jako sztuczna inteligencja",
        "jako ai", "jako asystent ai", "jako model ai", "będąc modelem językowym",
    ],
    bare_selves: &[],
    origins: &["stworzony", "opracowany", "wytrenowany", "stworzona", "opracowana"],
    firsts: &["nie mogę", "nie mam", "nie jestem", "nie posiadam", "jestem ", "ja nie", "moje ", "moja "],
    limited_firsts: &[],
    identities: &[
        "jestem modelem językowym", "jestem tylko modelem językowym", "jestem dużym modelem językowym",
        "jestem sztuczną inteligencją", "jestem asystentem ai", "jestem modelem ai",
    ],
    limits: &["nie mogę", "nie mam", "nie jestem", "nie posiadam", "stworzonym przez", "wytrenowanym przez", "opracowanym przez", "stworzoną przez"],
    statements: &["moja wiedza kończy się"],
};

#[rustfmt::skip]
const RUSSIAN: Language = Language {
    apologies: &[
        "извините", "простите", "к сожалению", "мне жаль", "мне очень жаль", "прошу прощения", "приношу извинения",
        "приношу свои извинения", "сожалею",
    ],
    links: &["но", "однако", "что", "и"],
    refusals: &[],
    stems: &["я не могу", "не могу", "я не в состоянии", "я не имею возможности", "я не смогу", "у меня нет возможности"],
    acts: &[
        "помочь с этим", "вам помочь с этим", "помочь вам с этим", "помочь тебе с этим", "с этим помочь", "помочь в этом",
        "помочь вам в этом", "вам в этом помочь", "помочь с этой просьбой", "помочь с этим запросом",
        "помочь вам с этим запросом", "выполнить этот запрос", "выполнить ваш запрос", "выполнить твой запрос",
        "выполнить данный запрос", "выполнить эту просьбу", "выполнить вашу просьбу", "выполнить эту задачу",
        "выполнить это задание", "удовлетворить этот запрос", "удовлетворить ваш запрос", "обработать этот запрос",
        "ответить на этот запрос", "создать такой контент", "генерировать такой контент", "сгенерировать этот контент",
    ],
    sorry_acts: &[
        "предоставить эту информацию", "предоставить такую информацию", "ответить на этот вопрос", "обсуждать это",
        "обсуждать эту тему", "продолжить этот разговор",
    ],
    selves: &[
        "как языковая модель", "как большая языковая модель", "как языковая модель ии", "как языковая ии-модель",
        "как ии-модель", "как модель ии", "как искусственный интеллект", "как ии", "как ии-ассистент",
        "как ии-помощник", "будучи языковой моделью", "являясь языковой моделью", "будучи искусственным интеллектом",
        "как нейросеть",
    ],
    bare_selves: &[],
    origins: &["разработанная", "созданная", "обученная", "разработанный", "созданный"],
    firsts: &["я не", "я могу", "я являюсь", "я был", "у меня", "мне не", "мои ", "моя "],
    limited_firsts: &[],
    identities: &[
        "я языковая модель", "я — языковая модель", "я - языковая модель", "я – языковая модель",
        "я всего лишь языковая модель", "я большая языковая модель", "я — большая языковая модель",
        "я являюсь языковой моделью", "я искусственный интеллект", "я — искусственный интеллект", "я ии",
        "я — ии", "я ии-ассистент",
    ],
    limits: &["не могу", "не имею", "нет", "не умею", "не способен", "обученная", "созданная", "разработанная", "созданный", "разработанный"],
    statements: &["мои знания ограничены"],
};

#[rustfmt::skip]
const CHINESE: Language = Language {
    apologies: &["抱歉", "很抱歉", "非常抱歉", "对不起", "對不起", "不好意思", "遗憾的是", "很遗憾", "十分抱歉"],
    links: &["但是", "但", "不过", "不過", "然而"],
    refusals: &["无法协助", "無法協助", "无法满足您的请求", "无法满足你的请求", "这个问题我暂时无法回答", "你好，这个问题我暂时无法回答"],
    stems: &["我无法", "我不能", "我無法", "我没办法", "我没有办法"],
    acts: &[
        "协助", "協助", "帮助您完成", "帮助你完成", "帮助完成", "帮您完成这", "帮你完成这", "满足您的请求", "满足你的请求", "满足您的要求",
        "满足你的要求",
        "满足这", "满足该", "滿足您的請求", "滿足這", "完成这个请求", "完成这项任务", "完成这个任务", "完成此任务",
        "完成该任务", "完成此请求", "完成您的请求", "完成這", "处理这个请求", "处理此请求", "处理该请求", "執行此",
        "执行此", "执行该", "执行这", "生成这", "生成此", "生成该", "生成相关", "生成此类", "提供此类", "提供这类",
        "提供该类", "提供您要求的", "提供你要求的", "提供此類", "回应这个请求", "回應這個請求",
    ],
    sorry_acts: &[
        "回答这", "回答此", "回答该", "回答您的问题", "回答你的问题", "回答這", "提供这", "提供此", "提供该", "提供相关",
        "提供有关", "提供這", "讨论这", "讨论此", "讨论该", "继续这",
    ],
    selves: &[
        "作为一个人工智能语言模型", "作为人工智能语言模型", "作为一个ai语言模型", "作为ai语言模型", "作为一个语言模型",
        "作为语言模型", "作为一个大型语言模型", "作为大型语言模型", "作为大语言模型", "作为一个人工智能", "作为人工智能",
        "作为一个ai", "作为ai", "作为一名ai助手", "作为一个ai助手", "作为ai助手", "作为人工智能助手",
        "作为一个人工智能助手", "作為一個人工智慧語言模型", "作為一個ai語言模型", "作為ai語言模型", "作為一個語言模型",
        "作為人工智慧", "作為一個ai", "作為ai",
    ],
    bare_selves: &[],
    origins: &[],
    firsts: &["我"],
    limited_firsts: &[],
    identities: &[
        "我是一个人工智能语言模型", "我是一个人工智能", "我是人工智能", "我是一个ai语言模型", "我是ai语言模型",
        "我是一个ai", "我是一个语言模型", "我是一个大型语言模型", "我只是一个ai", "我只是一个人工智能",
        "我只是一个语言模型", "我是一個ai語言模型", "我是一個語言模型",
    ],
    limits: &["无法", "不能", "没有", "无权", "開發", "开发", "训练", "無法", "沒有"],
    statements: &["我的知识截止", "截至我的知识更新", "截至我上次知识更新", "截至我的训练数据"],
};

#[rustfmt::skip]
const JAPANESE: Language = Language {
    apologies: &[
        "申し訳ありませんが", "申し訳ありません", "申し訳ございませんが", "申し訳ございません", "すみませんが",
        "すみません", "ごめんなさい", "恐れ入りますが", "残念ながら", "残念ですが", "申し訳ないのですが",
    ],
    links: &["しかし", "が", "ので", "から"],
    refusals: &[
        "そのリクエストには", "このリクエストには", "そのリクエストに", "このリクエストに", "ご要望のコンテンツ",
        "その要求には", "この要求には", "そのようなリクエスト", "そのようなコンテンツ", "その要求に応じることはできません", "そのご要望にはお応えできません", "お手伝いできません",
        "お手伝いすることはできません", "お手伝いすることができません", "それについてはお手伝い", "それはお手伝いできません",
        "その件についてはお手伝い", "その件はお手伝いできません", "そのお手伝いはできません", "この依頼にはお応えできません",
        "その依頼にはお応えできません", "このタスクを完了できません", "このタスクを完了することができません",
        "このタスクは実行できません",
    ],
    stems: &[],
    acts: &[],
    sorry_acts: &[],
    selves: &[
        "ai言語モデルとして", "aiの言語モデルとして", "言語モデルとして", "大規模言語モデルとして", "aiアシスタントとして",
        "aiとして", "人工知能として", "私はaiとして", "私は言語モデルとして",
    ],
    bare_selves: &[],
    origins: &[],
    firsts: &["私は", "私には", "私の", "個人的な", "お答え", "できません", "は個人的"],
    limited_firsts: &[],
    identities: &[
        "私はai言語モデルです", "私はai言語モデルなので", "私は言語モデルです", "私は大規模言語モデルです", "私はaiです",
        "私はaiなので", "私は人工知能です", "私はaiアシスタントです", "私は単なるaiです",
    ],
    limits: &["できません", "できない", "ありません", "持っていません", "開発された", "訓練された", "お答えし"],
    statements: &["私の知識は"],
};

#[rustfmt::skip]
const KOREAN: Language = Language {
    apologies: &["죄송합니다만", "죄송합니다", "죄송하지만", "미안하지만", "미안합니다", "안타깝게도", "유감스럽지만", "유감스럽게도"],
    links: &["하지만", "그러나", "만", "이므로", "이기 때문에", "이라서", "입니다"],
    refusals: &["도와드릴 수 없습니다", "도와 드릴 수 없습니다", "도움을 드릴 수 없습니다", "도움을 드릴 수 없는 요청"],
    stems: &[
        "그 요청은", "그 요청을", "그 요청에는", "그 요청에", "해당 요청은", "해당 요청을", "해당 요청에는", "해당 요청에",
        "이 요청은", "이 요청을", "이 요청에는", "요청하신 내용은", "요청하신 내용을", "요청하신 작업을", "이 작업을",
        "저는 그 요청을", "저는 이 요청을", "저는 해당 요청을", "그것은", "그 부분은", "그 부분에 대해서는", "그와 관련된 내용은", "이 내용은", "저는",
    ],
    acts: &[
        "도와드릴 수 없", "도와 드릴 수 없", "도움을 드릴 수 없", "처리할 수 없", "처리해 드릴 수 없", "응할 수 없",
        "들어드릴 수 없", "수행할 수 없", "완료할 수 없", "생성할 수 없",
    ],
    sorry_acts: &["제공할 수 없", "제공해 드릴 수 없", "답변할 수 없", "답변드릴 수 없"],
    selves: &[
        "ai 언어 모델로서", "ai 언어모델로서", "인공지능 언어 모델로서", "인공지능 언어모델로서", "언어 모델로서",
        "대규모 언어 모델로서", "ai로서", "인공지능으로서", "ai 어시스턴트로서", "ai 비서로서", "ai 모델로서",
    ],
    bare_selves: &[],
    origins: &[],
    firsts: &["저는", "제가", "저의", "제 ", "나는", "개인적인"],
    limited_firsts: &[],
    identities: &[
        "저는 ai 언어 모델", "저는 ai 언어모델", "저는 인공지능 언어 모델", "저는 언어 모델", "저는 대규모 언어 모델",
        "저는 ai", "저는 인공지능",
    ],
    limits: &["없습니다", "없어요", "못합니다", "않습니다", "개발한", "훈련된", "학습된", "개발된"],
    statements: &["제 지식은"],
};
