//! The drafts and vocabularies: which keywords a schema object may use.

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Draft {
    /// draft-04
    Draft4,
    /// draft-06
    Draft6,
    /// draft-07
    Draft7,
    /// 2019-09
    Draft201909,
    /// 2020-12, and what a schema without `$schema` is read as
    Draft202012,
}

impl Draft {
    /// All drafts, oldest first.
    pub const ALL: [Draft; 5] = [
        Draft::Draft4,
        Draft::Draft6,
        Draft::Draft7,
        Draft::Draft201909,
        Draft::Draft202012,
    ];

    /// The URI by which `$schema` names the draft, without an empty fragment.
    pub fn uri(self) -> &'static str {
        match self {
            Draft::Draft4 => "http://json-schema.org/draft-04/schema",
            Draft::Draft6 => "http://json-schema.org/draft-06/schema",
            Draft::Draft7 => "http://json-schema.org/draft-07/schema",
            Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Draft::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The draft that a `$schema` names. `https` is taken for `http` and the reverse, and an empty fragment is ignored.
    pub(crate) fn from_uri(uri: &str) -> Option<Draft> {
        let rest = |uri: &'static str| uri.split_once("://").map_or(uri, |(_, rest)| rest);
        let (scheme, given) = uri.strip_suffix('#').unwrap_or(uri).split_once("://")?;
        if scheme != "http" && scheme != "https" {
            return None;
        }
        Draft::ALL.into_iter().find(|draft| rest(draft.uri()) == given)
    }

    /// The keyword that names a schema resource.
    pub(crate) fn id_keyword(self) -> &'static str {
        if self == Draft::Draft4 { "id" } else { "$id" }
    }

    /// Whether the other keywords beside a `$ref` are ignored.
    pub(crate) fn ref_hides_siblings(self) -> bool {
        self <= Draft::Draft7
    }
}

/// A set of vocabularies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vocabularies(u8);

impl Vocabularies {
    pub(crate) const NONE: Vocabularies = Vocabularies(0);
    pub(crate) const APPLICATOR: Vocabularies = Vocabularies(1);
    pub(crate) const VALIDATION: Vocabularies = Vocabularies(2);
    pub(crate) const UNEVALUATED: Vocabularies = Vocabularies(4);
    pub(crate) const FORMAT_ANNOTATION: Vocabularies = Vocabularies(8);
    pub(crate) const FORMAT_ASSERTION: Vocabularies = Vocabularies(16);
    /// What the standard metaschemas give.
    pub(crate) const STANDARD: Vocabularies = Vocabularies(1 | 2 | 4 | 8);

    pub(crate) fn with(self, other: Vocabularies) -> Vocabularies {
        Vocabularies(self.0 | other.0)
    }

    pub(crate) fn has(self, other: Vocabularies) -> bool {
        self.0 & other.0 != 0
    }

    /// What a vocabulary's URI stands for; `None` for one that is not known here. Vocabularies that assert nothing
    /// (core, meta-data, content) are the empty set.
    pub(crate) fn from_uri(uri: &str) -> Option<Vocabularies> {
        let (draft, name) = uri
            .strip_prefix("https://json-schema.org/draft/")?
            .split_once("/vocab/")?;
        match (draft, name) {
            // In 2019-09 the unevaluated keywords belong to the applicators.
            ("2019-09", "applicator") => Some(Vocabularies::APPLICATOR.with(Vocabularies::UNEVALUATED)),
            ("2019-09", "format") => Some(Vocabularies::FORMAT_ANNOTATION),
            ("2020-12", "applicator") => Some(Vocabularies::APPLICATOR),
            ("2020-12", "unevaluated") => Some(Vocabularies::UNEVALUATED),
            ("2020-12", "format-annotation") => Some(Vocabularies::FORMAT_ANNOTATION),
            ("2020-12", "format-assertion") => Some(Vocabularies::FORMAT_ASSERTION),
            ("2019-09" | "2020-12", "validation") => Some(Vocabularies::VALIDATION),
            ("2019-09" | "2020-12", "core" | "meta-data" | "content") => Some(Vocabularies::NONE),
            _ => None,
        }
    }
}

/// How the keywords of a schema resource are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) draft: Draft,
    pub(crate) vocabularies: Vocabularies,
}

impl Dialect {
    pub(crate) fn standard(draft: Draft) -> Dialect {
        Dialect {
            draft,
            vocabularies: Vocabularies::STANDARD,
        }
    }
}

/// Where in a schema object other schemas stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// The keyword's value is a schema.
    Schema,
    /// An array of schemas.
    Schemas,
    /// An object whose members are schemas.
    SchemaMembers,
    /// A schema or an array of schemas.
    SchemaOrSchemas,
    /// An object whose members are schemas or arrays of names.
    Dependencies,
}

/// What schemas a keyword holds. Definitions are found under both of their names in every draft.
pub(crate) fn subschemas_of(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::Schemas,
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::SchemaMembers
        }
        "items" => Holds::SchemaOrSchemas,
        "dependencies" => Holds::Dependencies,
        _ => return None,
    })
}
