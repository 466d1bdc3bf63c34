//! Internationalized host names, RFC 5890 to 5893 (IDNA 2008).

use std::sync::LazyLock;

use corvus_regex_ecma262::{Regex, RegexBuilder, UnicodeVersion};
use idna::punycode;
use idna::uts46::{AsciiDenyList, Hyphens, Uts46};

use super::host::{self, LABEL_OCTETS_MAX, LdhLabel, NAME_OCTETS_MAX};

/// The octets of the prefix `xn--` that an A-label has before its Punycode.
const PREFIX_OCTETS: usize = 4;

/// A label whose every character is PVALID, CONTEXTJ or CONTEXTO by the rules of RFC 5892 section 3, in the set
/// notation of ECMA-262's v flag: first what is admitted, in the categories A, E, F and H of section 2, then what is
/// taken away from it, F, C, D and I. Category B, Unstable, is seen by the whole name's mapping to itself instead.
const CODE_POINTS: &str = concat!(
    r"^[[",
    r"\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}",
    r"\-",
    r"\u00DF\u03C2\u06FD\u06FE\u0F0B\u3007\u00B7\u0375\u05F3\u05F4\u30FB",
    r"\p{Join_Control}",
    r"]--[",
    r"\u0640\u07FA\u302E\u302F\u3031-\u3035\u303B",
    r"[\p{Default_Ignorable_Code_Point}--\p{Join_Control}]\p{White_Space}\p{Noncharacter_Code_Point}",
    r"\u20D0-\u20FF\u{1D100}-\u{1D1FF}\u{1D200}-\u{1D24F}",
    r"\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7C6\uD7CB-\uD7FB",
    r"]]+$",
);

/// A CONTEXTO character outside its context, by RFC 5892 appendix A.3 to A.9 in order: MIDDLE DOT, GREEK KERAIA,
/// HEBREW GERESH and GERSHAYIM, KATAKANA MIDDLE DOT, and the two kinds of Arabic digits together.
const OUT_OF_CONTEXT: &str = concat!(
    r"(?<!l)\u00B7|\u00B7(?!l)",
    r"|\u0375(?!\p{Script=Greek})",
    r"|(?<!\p{Script=Hebrew})[\u05F3\u05F4]",
    r"|^(?!.*[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]).*\u30FB",
    r"|[\u0660-\u0669].*[\u06F0-\u06F9]|[\u06F0-\u06F9].*[\u0660-\u0669]",
);

/// The expressions above, compiled; they are constants that the tests of this file compile.
struct LabelRules {
    code_points: Regex,
    out_of_context: Regex,
}

static LABEL_RULES: LazyLock<Option<LabelRules>> = LazyLock::new(|| {
    // No limit of time: a label has at most 63 characters.
    let compile = |pattern: &str, flags: &str| {
        RegexBuilder::new(pattern)
            .flags(flags)
            .match_timeout(None)
            .unicode_version(UnicodeVersion::Latest)
            .build()
            .ok()
    };
    Some(LabelRules {
        code_points: compile(CODE_POINTS, "v")?,
        out_of_context: compile(OUT_OF_CONTEXT, "u")?,
    })
});

/// Whether `text` is a host name whose labels are those of RFC 1123, A-labels or U-labels.
///
/// The ideographic, fullwidth and halfwidth full stops separate labels too (RFC 3490 section 3.1). Nothing else is
/// mapped: a U-label is in lower case and in NFC, as RFC 5890 section 2.3.2.1 has it. Where a label holds
/// right-to-left characters, every label must keep the Bidi rule of RFC 5893.
pub(super) fn is_idn_hostname(text: &str) -> bool {
    if text.is_ascii() {
        host::is_hostname(text)
    } else {
        is_internationalized_name(text)
    }
}

/// [`is_idn_hostname`] for a name that has a U-label or an A-label.
pub(super) fn is_internationalized_name(text: &str) -> bool {
    // A character is at most four bytes here and at least one octet of the name in ASCII.
    if text.len() > 4 * NAME_OCTETS_MAX {
        return false;
    }
    let mut unicode_name = String::with_capacity(text.len());
    let mut ascii_octets = 0;
    for label in text.split(['.', '\u{3002}', '\u{FF0E}', '\u{FF61}']) {
        if ascii_octets > 0 {
            unicode_name.push('.');
            ascii_octets += 1;
        }
        match push_unicode_label(label, &mut unicode_name) {
            Some(octets) => ascii_octets += octets,
            None => return false,
        }
    }
    ascii_octets <= NAME_OCTETS_MAX && is_stable(&unicode_name)
}

/// Whether `text` maps to a name that [`is_idn_hostname`] admits, by the mapping of UTS 46: that of a name that a
/// person typed, in capital letters or not in NFC.
pub(super) fn maps_to_idn_hostname(text: &str) -> bool {
    if text.is_ascii() {
        return host::is_hostname(text);
    }
    if text.len() > 4 * NAME_OCTETS_MAX {
        return false;
    }
    let (mapped, result) = Uts46::new().to_unicode(text.as_bytes(), AsciiDenyList::STD3, Hyphens::Allow);
    result.is_ok() && is_idn_hostname(&mapped)
}

/// Adds a label to `name` in Unicode and in lower case, and gives the octets that it takes in ASCII. None where it is
/// no label; what was added then means nothing.
fn push_unicode_label(label: &str, name: &mut String) -> Option<usize> {
    if !label.is_ascii() {
        if !is_u_label(label) {
            return None;
        }
        let octets = PREFIX_OCTETS + punycode::encode_str(label)?.len();
        name.push_str(label);
        return (octets <= LABEL_OCTETS_MAX).then_some(octets);
    }
    let kind = LdhLabel::read(label.as_bytes())?;
    let lower_case = label.to_ascii_lowercase();
    if kind == LdhLabel::Plain {
        name.push_str(&lower_case);
        return Some(label.len());
    }
    let encoded = lower_case.get(PREFIX_OCTETS..)?;
    let decoded = punycode::decode_to_string(encoded)?;
    // Several strings may decode to one label, of which only the one that it encodes to is its A-label.
    if decoded.is_ascii() || punycode::encode_str(&decoded)? != encoded || !is_u_label(&decoded) {
        return None;
    }
    name.push_str(&decoded);
    Some(label.len())
}

/// Whether `label`, which is not ASCII, keeps the rules of RFC 5891 section 4.2.3 on hyphens, on characters and on
/// the contexts of those of category CONTEXTO. The rest needs the whole name: see [`is_stable`].
fn is_u_label(label: &str) -> bool {
    if label.starts_with('-') || label.ends_with('-') || label.chars().skip(2).take(2).eq("--".chars()) {
        return false;
    }
    if label.chars().count() > LABEL_OCTETS_MAX {
        return false;
    }
    match &*LABEL_RULES {
        Some(rules) => {
            rules.code_points.is_match(label) == Ok(true) && rules.out_of_context.is_match(label) == Ok(false)
        }
        None => false,
    }
}

/// Whether UTS 46 maps a name in Unicode to itself and finds it valid: no character is unstable under normalization
/// or folding, no label begins with a combining mark, the joiners are in their contexts (RFC 5892 appendix A.1 and
/// A.2), and the Bidi rule holds.
fn is_stable(name: &str) -> bool {
    let (mapped, result) = Uts46::new().to_unicode(name.as_bytes(), AsciiDenyList::STD3, Hyphens::Allow);
    result.is_ok() && mapped == name
}

#[cfg(test)]
mod tests {
    use super::LABEL_RULES;
    use crate::format::Format;
    use crate::format::tests::check;

    #[test]
    fn the_rules_of_labels_compile() {
        assert!(LABEL_RULES.is_some());
    }

    #[test]
    fn idn_hostnames() {
        // The A-label of n times U+00FC takes n + 6 octets.
        let longest_label = "\u{fc}".repeat(57);
        let longest_ascii_label = "a".repeat(63);
        let longest_name = format!("{0}.{0}.{0}.{1}", longest_ascii_label, "\u{fc}".repeat(55));
        check(
            Format::IdnHostname,
            &[
                "example.com",
                "EXAMPLE.com",
                "ab--cd.example",
                "m\u{fc}nchen.example",
                "stra\u{df}e.example",
                "xn--mnchen-3ya.MAX",
                "\u{4f8b}\u{3048}.\u{30c6}\u{30b9}\u{30c8}",
                "a\u{3002}b\u{ff0e}c\u{ff61}d",
                "\u{3b2}\u{3cc}\u{3bb}\u{3bf}\u{3c2}.gr",
                "\u{645}\u{62b}\u{627}\u{644}.\u{625}\u{62e}\u{62a}\u{628}\u{627}\u{631}",
                "\u{5d0}\u{5f4}\u{5d1}",
                "l\u{b7}l",
                // A Cherokee capital letter, which case folding keeps.
                "\u{13a0}",
                "\u{915}\u{94d}\u{200d}\u{937}",
                "\u{646}\u{627}\u{645}\u{647}\u{200c}\u{627}\u{6cc}",
                &longest_label,
                &longest_name,
            ],
            &[
                "",
                ".",
                "\u{3002}",
                "a.",
                "a\u{3002}",
                ".\u{fc}",
                "\u{fc}..a",
                "-\u{fc}",
                "\u{fc}-",
                "\u{fc}\u{fc}--a",
                "a\u{fc}_b",
                "a \u{fc}",
                "a\u{fc}/b",
                // Not in lower case, and not in NFC.
                "\u{dc}nchen",
                "M\u{fc}nchen",
                "mu\u{308}nchen",
                "\u{ff41}",
                "\u{fb01}",
                // Symbols, marks, and characters that are not seen.
                "\u{2603}",
                "i\u{2665}ny",
                "\u{1f600}",
                "\u{300}a",
                "a\u{20e3}",
                "a\u{200b}b",
                "a\u{ad}b",
                "a\u{2060}b",
                "a\u{feff}b",
                "\u{202e}abc",
                "a\u{3000}b",
                "\u{fffd}",
                "\u{e000}",
                "\u{378}",
                "\u{fdd0}",
                "\u{1100}\u{1161}",
                "\u{640}",
                // Out of context.
                "l\u{b7}",
                "a\u{b7}b",
                "l\u{b7}l\u{b7}a",
                "\u{375}a",
                "a\u{5f3}",
                "a\u{30fb}b",
                "a\u{200d}b",
                "a\u{200c}b",
                "\u{627}\u{660}\u{6f0}",
                // Against the Bidi rule.
                "a\u{5d0}",
                "\u{5d0}a",
                "1.\u{5d0}",
                "\u{5d0}1\u{661}",
                "xn--n3h",
                "xn--Mnchen-psa",
                "xn--\u{fc}",
                &format!("{longest_label}\u{fc}"),
                &format!("{longest_ascii_label}a.\u{fc}"),
                &format!("{longest_name}\u{fc}"),
                &format!("{longest_name}.a"),
            ],
        );
    }

    #[test]
    fn an_a_label_is_as_valid_as_its_u_label() {
        for code in 0x80..0x3_0000 {
            let Some(c) = char::from_u32(code) else {
                continue;
            };
            let label = format!("a{c}b");
            let encoded = idna::punycode::encode_str(&label).map(|encoded| format!("xn--{encoded}"));
            // The full stops that separate labels have no A-label.
            if matches!(c, '\u{3002}' | '\u{ff0e}' | '\u{ff61}') {
                continue;
            }
            let encoded = encoded.expect("three characters encode");
            assert_eq!(
                Format::IdnHostname.is_valid(&label),
                Format::Hostname.is_valid(&encoded),
                "{label:?} and {encoded}"
            );
        }
    }
}
