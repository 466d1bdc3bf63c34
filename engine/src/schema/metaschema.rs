//! The metaschemas of the drafts, as published, built in.

use std::sync::{Arc, LazyLock};

use super::dialect::Draft;
use super::{CompileOptions, Schema};
use crate::json::{Document, ParseLimits, parse_exact};

macro_rules! metaschemas {
    ($($uri:literal: $file:literal,)*) => {
        &[$(($uri, include_str!(concat!("../../../schemas/metaschemas/", $file))),)*]
    };
}

/// URI and text of every published metaschema.
const TEXTS: &[(&str, &str)] = metaschemas! {
    "http://json-schema.org/draft-04/schema": "draft-04.json",
    "http://json-schema.org/draft-06/schema": "draft-06.json",
    "http://json-schema.org/draft-07/schema": "draft-07.json",
    "https://json-schema.org/draft/2019-09/schema": "2019-09/schema.json",
    "https://json-schema.org/draft/2019-09/meta/applicator": "2019-09/meta/applicator.json",
    "https://json-schema.org/draft/2019-09/meta/content": "2019-09/meta/content.json",
    "https://json-schema.org/draft/2019-09/meta/core": "2019-09/meta/core.json",
    "https://json-schema.org/draft/2019-09/meta/format": "2019-09/meta/format.json",
    "https://json-schema.org/draft/2019-09/meta/meta-data": "2019-09/meta/meta-data.json",
    "https://json-schema.org/draft/2019-09/meta/validation": "2019-09/meta/validation.json",
    "https://json-schema.org/draft/2020-12/schema": "2020-12/schema.json",
    "https://json-schema.org/draft/2020-12/meta/applicator": "2020-12/meta/applicator.json",
    "https://json-schema.org/draft/2020-12/meta/content": "2020-12/meta/content.json",
    "https://json-schema.org/draft/2020-12/meta/core": "2020-12/meta/core.json",
    "https://json-schema.org/draft/2020-12/meta/format-annotation": "2020-12/meta/format-annotation.json",
    "https://json-schema.org/draft/2020-12/meta/format-assertion": "2020-12/meta/format-assertion.json",
    "https://json-schema.org/draft/2020-12/meta/meta-data": "2020-12/meta/meta-data.json",
    "https://json-schema.org/draft/2020-12/meta/unevaluated": "2020-12/meta/unevaluated.json",
    "https://json-schema.org/draft/2020-12/meta/validation": "2020-12/meta/validation.json",
};

/// The parsed metaschemas, in the order of [`TEXTS`].
static DOCUMENTS: LazyLock<Vec<Arc<Document>>> = LazyLock::new(|| {
    let parse = |text: &str| {
        let mut document = Document::new();
        // They are part of the program and a test reads each of them.
        parse_exact(text.as_bytes(), &ParseLimits::default(), &mut document).expect("a metaschema is JSON");
        Arc::new(document)
    };
    TEXTS.iter().map(|(_, text)| parse(text)).collect()
});

/// The compiled metaschemas, in the order of [`Draft::ALL`].
static COMPILED: LazyLock<Vec<Schema>> = LazyLock::new(|| {
    let options = CompileOptions {
        assert_formats: false,
        check_metaschema: false,
        ..CompileOptions::default()
    };
    let compile = |draft: Draft| {
        let document = document(draft.uri()).expect("every draft has a metaschema");
        Schema::compile(document.root(), &options).expect("a metaschema compiles")
    };
    Draft::ALL.into_iter().map(compile).collect()
});

/// The published metaschema or vocabulary with that URI, which has no fragment.
pub(super) fn document(uri: &str) -> Option<Arc<Document>> {
    let at = TEXTS.iter().position(|(known, _)| *known == uri)?;
    Some(Arc::clone(&DOCUMENTS[at]))
}

/// The compiled metaschema of a draft.
pub(super) fn compiled(draft: Draft) -> &'static Schema {
    &COMPILED[draft as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metaschema_is_read_and_valid_under_itself() {
        assert_eq!(DOCUMENTS.len(), TEXTS.len());
        for draft in Draft::ALL {
            let document = document(draft.uri()).unwrap();
            assert!(compiled(draft).is_valid(document.root()).unwrap(), "{draft:?}");
        }
    }
}
