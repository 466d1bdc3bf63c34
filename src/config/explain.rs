//! What is wrong with the settings, in words that name the key and the fix.

use std::path::Path;

use figment::error::Kind;

/// How alike two keys must be for one to be taken for a slip of the other.
const LIKENESS: f64 = 0.75;

/// One line for each thing that is wrong.
pub(crate) fn explain(error: figment::Error, file: Option<&Path>) -> String {
    let lines: Vec<String> = error.into_iter().map(|error| line(&error, file)).collect();
    lines.join("\n       ")
}

fn line(error: &figment::Error, file: Option<&Path>) -> String {
    let is_environment = error
        .metadata
        .as_ref()
        .is_some_and(|metadata| metadata.name == "environment variable");
    let place = match (is_environment, file) {
        (false, Some(file)) => format!("the settings {}", file.display()),
        _ => "the environment".to_owned(),
    };
    let key = if is_environment {
        format!(
            "ASSAY_{}",
            error.path.join("__").to_ascii_uppercase().replace('-', "_")
        )
    } else {
        error.path.join(".")
    };
    match &error.kind {
        Kind::UnknownField(name, known) => {
            let advice = match nearest(name, known) {
                Some(nearest) => format!("did you mean '{nearest}'?"),
                None => format!("known are: {}", known.join(", ")),
            };
            let key = if key.is_empty() { name } else { &key };
            format!("{place}: nothing knows '{key}'; {advice}")
        }
        // The kinds quote the value only where it is a number, a bool or a variant's name, never a text.
        Kind::InvalidType(_, expected) | Kind::InvalidValue(_, expected) => {
            format!("{place}: '{key}' must be {expected}")
        }
        Kind::UnknownVariant(_, known) => format!("{place}: '{key}' must be one of: {}", known.join(", ")),
        _ if key.is_empty() => format!("{place}: {}", error.kind),
        _ => format!("{place}: '{key}': {}", error.kind),
    }
}

fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    known
        .iter()
        .map(|known| (strsim::jaro_winkler(name, known), *known))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_key_and_nonsense_finds_none() {
        let known = ["brokers", "group", "batch-records", "batch-bytes"];
        assert_eq!(nearest("broker", &known), Some("brokers"));
        assert_eq!(nearest("batch-record", &known), Some("batch-records"));
        assert_eq!(nearest("batch_bytes", &known), Some("batch-bytes"));
        assert_eq!(nearest("zzz", &known), None);
    }
}
