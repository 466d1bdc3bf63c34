//! What holds of every format: their names, and what no string may do to them.

use proptest::prelude::*;

use super::Format;

const ALL: [Format; 19] = [
    Format::DateTime,
    Format::Date,
    Format::Time,
    Format::Duration,
    Format::Email,
    Format::IdnEmail,
    Format::Hostname,
    Format::IdnHostname,
    Format::Ipv4,
    Format::Ipv6,
    Format::Uri,
    Format::UriReference,
    Format::Iri,
    Format::IriReference,
    Format::Uuid,
    Format::UriTemplate,
    Format::JsonPointer,
    Format::RelativeJsonPointer,
    Format::Regex,
];

/// Bytes of the long strings.
const LONG_BYTES: usize = 1 << 20;

/// Asserts that `format` admits each of `valid` and none of `invalid`, nor one of `valid` with something around it.
pub(super) fn check(format: Format, valid: &[&str], invalid: &[&str]) {
    for text in valid {
        assert!(format.is_valid(text), "{} must admit {text:?}", format.name());
        // Any character may stand in a pointer or a pattern, so these have only their tables.
        if matches!(
            format,
            Format::JsonPointer | Format::RelativeJsonPointer | Format::Regex
        ) {
            continue;
        }
        for (before, after) in [
            ("", "\n"),
            ("", "\r\n"),
            ("", " "),
            ("", "\0"),
            (" ", ""),
            ("\n", ""),
            ("\0", ""),
        ] {
            let padded = format!("{before}{text}{after}");
            assert!(
                !format.is_valid(&padded),
                "{} must refuse {padded:?}",
                format.name()
            );
        }
    }
    for text in invalid {
        assert!(!format.is_valid(text), "{} must refuse {text:?}", format.name());
    }
}

#[test]
fn every_format_has_its_name() {
    for format in ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
    for name in [
        "",
        "Date",
        "date ",
        "datetime",
        "color",
        "style",
        "phone",
        "utc-millisec",
        "ip-address",
        "host-name",
    ] {
        assert_eq!(Format::from_name(name), None, "{name:?}");
    }
}

/// The long strings that a format admits, each made of a part repeated between a head and a tail. A check that is
/// not linear does not come to the end of these.
#[test]
fn long_strings_that_are_valid() {
    let cases: [(Format, &str, &str, &str); 22] = [
        (Format::DateTime, "2024-01-01T00:00:00.", "0", "Z"),
        (Format::Time, "00:00:00.", "9", "+00:00"),
        (Format::Duration, "P", "0", "D"),
        (Format::Uri, "a:", "%41", ""),
        (Format::Uri, "a:", "/", ""),
        (Format::Uri, "a://", "b:", "@c"),
        (Format::Uri, "a://[v1.", ":", "]"),
        (Format::Uri, "a", "a", ":"),
        (Format::UriReference, "//", "a", ":1"),
        (Format::UriReference, "?", "?", "#"),
        (Format::Iri, "a:?", "\u{10fffd}", ""),
        (Format::IriReference, "", "\u{e9}", ""),
        (Format::UriTemplate, "", "{a}", ""),
        (Format::UriTemplate, "{", "a.", "a}"),
        (Format::UriTemplate, "{", "%41,", "a}"),
        (Format::JsonPointer, "/", "~0", ""),
        (Format::JsonPointer, "", "/", ""),
        (Format::RelativeJsonPointer, "1", "0", "#"),
        (Format::Regex, "", "(a|b)", ""),
        (Format::Regex, "", "\\-", ""),
        (Format::Regex, "", "[\\w-.]", ""),
        (Format::Regex, "[", "a-z", "]"),
    ];
    for (format, head, part, tail) in cases {
        let text = format!("{head}{}{tail}", part.repeat(LONG_BYTES / part.len()));
        assert!(format.is_valid(&text), "{} of many {part:?}", format.name());
    }
}

#[test]
fn long_strings_that_are_not() {
    let cases: [(Format, &str, &str, &str); 26] = [
        (Format::DateTime, "2024-01-01T00:00:00.", "0", "x"),
        (Format::Date, "", "2024-01-01", ""),
        (Format::Duration, "P", "1D", ""),
        (Format::Duration, "P", "1", "x"),
        (Format::Email, "", "a.", "@b"),
        (Format::Email, "\"", "\\a", "\"@b"),
        (Format::Email, "a@", "b.", "b"),
        (Format::IdnEmail, "", "\u{e9}", "@b"),
        (Format::IdnEmail, "a@", "\u{e9}", ""),
        (Format::IdnEmail, "a@", "e\u{301}.", "a"),
        (Format::Hostname, "", "a.", "a"),
        (Format::Hostname, "xn--", "a", ""),
        (Format::IdnHostname, "", "\u{e9}", ""),
        (Format::IdnHostname, "", "\u{3002}a", ""),
        (Format::IdnHostname, "", "xn--mnchen-3ya.", "a"),
        (Format::Ipv4, "", "1.", "1"),
        (Format::Ipv6, "::", "1:", "1"),
        (Format::Uri, "a://[", "1:", "]"),
        (Format::Uri, "a://", "b@", "c"),
        (Format::Uri, "", "a+", ""),
        (Format::Iri, "a:", "\u{e000}", ""),
        (Format::Uuid, "", "0", ""),
        (Format::UriTemplate, "", "{a", ""),
        (Format::JsonPointer, "/", "~0", "~"),
        (Format::Regex, "", "(", ""),
        (Format::Regex, "", "(a", ")"),
    ];
    for (format, head, part, tail) in cases {
        let text = format!("{head}{}{tail}", part.repeat(LONG_BYTES / part.len()));
        assert!(!format.is_valid(&text), "{} of many {part:?}", format.name());
    }
}

proptest! {
    #[test]
    fn any_string_gets_an_answer(text in any::<String>()) {
        for format in ALL {
            format.is_valid(&text);
        }
    }

    #[test]
    fn a_reference_admits_what_it_refers_to(text in "([a-z]{1,3}:)?[a-zA-Z0-9:/?#@%.\\[\\]\u{e9}\u{e000}-]{0,16}") {
        let [uri, uri_reference, iri, iri_reference] =
            [Format::Uri, Format::UriReference, Format::Iri, Format::IriReference].map(|format| format.is_valid(&text));
        prop_assert!(!uri || (uri_reference && iri));
        prop_assert!(!uri_reference || iri_reference);
        prop_assert!(!iri || iri_reference);
        if text.is_ascii() {
            prop_assert_eq!((uri, uri_reference), (iri, iri_reference));
        }
    }

    #[test]
    fn what_is_not_internationalized_is_valid_either_way(text in "[a-zA-Z0-9.@\"\\\\ -]{0,6}@?[xnXN0-9a.-]{0,8}") {
        prop_assert!(!Format::Email.is_valid(&text) || Format::IdnEmail.is_valid(&text));
        prop_assert_eq!(Format::Hostname.is_valid(&text), Format::IdnHostname.is_valid(&text));
    }

    #[test]
    fn a_date_time_is_its_date_and_its_time(
        date in "[0-9]{4}-[01][0-9]-[0-3][0-9]",
        time in "[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,2})?(Z|z|[+-][0-2][0-9]:[0-6][0-9])",
    ) {
        prop_assert_eq!(
            Format::DateTime.is_valid(&format!("{date}T{time}")),
            Format::Date.is_valid(&date) && Format::Time.is_valid(&time)
        );
    }
}
