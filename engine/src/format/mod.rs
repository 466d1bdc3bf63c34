//! The values of the `format` keyword: which strings each of them admits.
//!
//! Every format that a draft from draft-04 to 2020-12 defines is here, and each has one meaning whatever the draft:
//! the newest definition where drafts differ. The checks read the bytes of the string once or a fixed number of
//! times, and allocate only for a name that is internationalized and for a regular expression that nests deeply.

mod chars;
mod date_time;
mod duration;
mod email;
mod host;
mod idn;
mod ip;
mod pointer;
mod regex;
mod uri;
mod uri_template;
mod uuid;

/// A format that a draft of JSON Schema defines, for strings only: any other value conforms to every format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `date-time` of RFC 3339 section 5.6.
    DateTime,
    /// `full-date` of RFC 3339 section 5.6.
    Date,
    /// `full-time` of RFC 3339 section 5.6.
    Time,
    /// `duration` of RFC 3339 appendix A.
    Duration,
    /// `Mailbox` of RFC 5321 section 4.1.2.
    Email,
    /// `Mailbox` of RFC 5321 as RFC 6531 section 3.3 extends it beyond ASCII.
    IdnEmail,
    /// A host name of RFC 1123 section 2.1, whose `xn--` labels are A-labels of RFC 5890.
    Hostname,
    /// A host name whose labels may also be U-labels of RFC 5890.
    IdnHostname,
    /// `IPv4address` of RFC 3986: dotted decimal, without leading zeros.
    Ipv4,
    /// The text form of RFC 4291 section 2.2, without a zone or a prefix length.
    Ipv6,
    /// `URI` of RFC 3986.
    Uri,
    /// `URI-reference` of RFC 3986.
    UriReference,
    /// `IRI` of RFC 3987.
    Iri,
    /// `IRI-reference` of RFC 3987.
    IriReference,
    /// The text form of RFC 9562 section 4, of any version and variant.
    Uuid,
    /// `URI-Template` of RFC 6570.
    UriTemplate,
    /// `json-pointer` of RFC 6901.
    JsonPointer,
    /// `relative-json-pointer` of draft-bhutton-relative-json-pointer-00.
    RelativeJsonPointer,
    /// `Pattern` of ECMA-262.
    Regex,
}

impl Format {
    /// The format that the keyword's value names. None where no draft defines the name, in exactly this spelling:
    /// such a format asserts nothing.
    pub fn from_name(name: &str) -> Option<Format> {
        let format = match name {
            "date-time" => Format::DateTime,
            "date" => Format::Date,
            "time" => Format::Time,
            "duration" => Format::Duration,
            "email" => Format::Email,
            "idn-email" => Format::IdnEmail,
            "hostname" => Format::Hostname,
            "idn-hostname" => Format::IdnHostname,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            "uri" => Format::Uri,
            "uri-reference" => Format::UriReference,
            "iri" => Format::Iri,
            "iri-reference" => Format::IriReference,
            "uuid" => Format::Uuid,
            "uri-template" => Format::UriTemplate,
            "json-pointer" => Format::JsonPointer,
            "relative-json-pointer" => Format::RelativeJsonPointer,
            "regex" => Format::Regex,
            _ => return None,
        };
        Some(format)
    }

    /// The name of the format in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Format::DateTime => "date-time",
            Format::Date => "date",
            Format::Time => "time",
            Format::Duration => "duration",
            Format::Email => "email",
            Format::IdnEmail => "idn-email",
            Format::Hostname => "hostname",
            Format::IdnHostname => "idn-hostname",
            Format::Ipv4 => "ipv4",
            Format::Ipv6 => "ipv6",
            Format::Uri => "uri",
            Format::UriReference => "uri-reference",
            Format::Iri => "iri",
            Format::IriReference => "iri-reference",
            Format::Uuid => "uuid",
            Format::UriTemplate => "uri-template",
            Format::JsonPointer => "json-pointer",
            Format::RelativeJsonPointer => "relative-json-pointer",
            Format::Regex => "regex",
        }
    }

    /// The steps that [`Format::is_valid`] takes, as measured, rounded up.
    pub(crate) fn steps(self, text: &str) -> u64 {
        let len = text.len() as u64;
        match self {
            Format::IdnEmail | Format::IdnHostname => len * 4,
            Format::Regex => len,
            _ => len / 8,
        }
    }

    /// Whether the whole of `text` is of this format, in time linear in its length.
    pub fn is_valid(self, text: &str) -> bool {
        match self {
            Format::DateTime => date_time::is_date_time(text),
            Format::Date => date_time::is_date(text),
            Format::Time => date_time::is_time(text),
            Format::Duration => duration::is_duration(text),
            Format::Email => email::is_email(text),
            Format::IdnEmail => email::is_idn_email(text),
            Format::Hostname => host::is_hostname(text),
            Format::IdnHostname => idn::is_idn_hostname(text),
            Format::Ipv4 => ip::is_ipv4(text.as_bytes()),
            Format::Ipv6 => ip::is_ipv6(text.as_bytes()),
            Format::Uri => uri::is_uri(text),
            Format::UriReference => uri::is_uri_reference(text),
            Format::Iri => uri::is_iri(text),
            Format::IriReference => uri::is_iri_reference(text),
            Format::Uuid => uuid::is_uuid(text),
            Format::UriTemplate => uri_template::is_uri_template(text),
            Format::JsonPointer => pointer::is_json_pointer(text),
            Format::RelativeJsonPointer => pointer::is_relative_json_pointer(text),
            Format::Regex => regex::is_regex(text),
        }
    }
}

#[cfg(test)]
mod tests;
