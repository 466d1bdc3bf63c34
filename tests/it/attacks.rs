//! What strangers send to use up time, memory or stack: every attack ends soon, in a verdict or an error, and honest
//! documents of any size pass.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use assay_engine::json::{Document, Parser, SyntaxErrorKind};
use assay_engine::meter::{LimitExceeded, Meter};
use assay_engine::problem::ProblemCode;
use assay_engine::schema::{CompileOptions, Schema};
use assay_engine::verdict::{Tally, Violations};

/// What an attack may take where it is small. The test leaves much to machines that are slower or busy: what grows
/// exponentially, or with the square of a large number, is past it all the same, and the printed figures tell the rest.
const LIMIT: Duration = Duration::from_millis(50);
const SLACK: u32 = 30;

/// What each byte of an attack may take beyond that.
const LIMIT_PER_BYTE: Duration = Duration::from_micros(1);

/// Every attack runs so often, and the quickest run counts.
const RUNS: usize = 3;

/// The stack of a thread that checks: the least that threads here have.
const STACK_BYTES: usize = 2 * 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Valid,
    Invalid,
    Limit(LimitExceeded),
    SchemaLimit,
    InvalidSchema,
    Unread(SyntaxErrorKind),
}

struct Attack {
    name: String,
    schema: String,
    output: String,
    expected: Expected,
}

#[derive(Clone, Copy, Debug)]
enum Expected {
    /// One ending is as good as the other.
    Any,
    /// Whichever limit is reached first.
    Limit,
    Exactly(Ending),
}

impl Expected {
    fn is_met_by(self, ending: Ending) -> bool {
        match self {
            Expected::Any => true,
            Expected::Limit => matches!(ending, Ending::Limit(_)),
            Expected::Exactly(expected) => ending == expected,
        }
    }
}

fn attack(name: impl Into<String>, schema: impl Into<String>, output: impl Into<String>) -> Attack {
    Attack {
        name: name.into(),
        schema: schema.into(),
        output: output.into(),
        expected: Expected::Any,
    }
}

impl Attack {
    fn ends(mut self, ending: Ending) -> Attack {
        self.expected = Expected::Exactly(ending);
        self
    }

    /// Reads both texts, compiles and checks.
    fn run(&self) -> Ending {
        let mut parser = Parser::default();
        let (mut schema, mut output) = (Document::new(), Document::new());
        let read = parser.parse(self.schema.as_bytes(), &mut schema);
        if let Err(error) = read.and_then(|()| parser.parse(self.output.as_bytes(), &mut output)) {
            return Ending::Unread(error.kind);
        }
        let compiled = match Schema::compile(schema.root(), &CompileOptions::default()) {
            Ok(compiled) => compiled,
            Err(error) if error.clone().into_problem("").code == ProblemCode::LimitExceeded => {
                return Ending::SchemaLimit;
            }
            Err(_) => return Ending::InvalidSchema,
        };
        let output = output.root();
        let mut meter = Meter::for_sizes(
            output.node_count(),
            output.text_bytes(),
            compiled.subschema_count(),
        );
        let (mut tally, mut violations) = (Tally::default(), Violations::default());
        match compiled.check(output, &mut meter, &mut tally, &mut violations) {
            Err(limit) => Ending::Limit(limit),
            Ok(()) if violations.is_empty() => Ending::Valid,
            Ok(()) => Ending::Invalid,
        }
    }

    /// The time of the quickest of some runs, and how they ended.
    fn measure(&self) -> (Duration, Ending) {
        let run = |_| {
            let started = Instant::now();
            let ending = self.run();
            (started.elapsed(), ending)
        };
        let runs: Vec<_> = (0..RUNS).map(run).collect();
        let is_met = |(_, ending): &(Duration, Ending)| self.expected.is_met_by(*ending);
        assert!(
            runs.iter().all(is_met),
            "{}: {runs:?}, expected {:?}",
            self.name,
            self.expected
        );
        runs.into_iter().min_by_key(|(time, _)| *time).unwrap()
    }
}

/// Runs attacks on a thread with a small stack and asserts how and when they end.
fn withstand(attacks: Vec<Attack>) {
    let all = move || {
        let mut faults = String::new();
        for attack in &attacks {
            let bytes = attack.schema.len() + attack.output.len();
            let (time, ending) = attack.measure();
            let allowed = SLACK * LIMIT + LIMIT_PER_BYTE * bytes as u32;
            let line = format!(
                "{:9.2} ms  {bytes:9} bytes  {}: {ending:?}",
                time.as_secs_f64() * 1e3,
                attack.name
            );
            eprintln!("{line}");
            if time > allowed {
                writeln!(faults, "{line}, allowed are {allowed:?}").unwrap();
            }
        }
        assert!(faults.is_empty(), "\n{faults}");
    };
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(all)
        .unwrap()
        .join()
        .unwrap();
}

/// A schema whose definition `a0` is `leaf` and whose every further one is made from a reference to the one before.
fn levels(count: usize, leaf: &str, level: impl Fn(&str) -> String) -> String {
    let mut schema = format!("{{\"$ref\":\"#/$defs/a{count}\",\"$defs\":{{\"a0\":{leaf}");
    for at in 1..=count {
        let below = format!("{{\"$ref\":\"#/$defs/a{}\"}}", at - 1);
        write!(schema, ",\"a{at}\":{}", level(&below)).unwrap();
    }
    schema + "}}"
}

/// So many of something, with commas between.
fn list(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(",")
}

fn nested(depth: usize, open: &str, middle: &str, close: &str) -> String {
    open.repeat(depth) + middle + &close.repeat(depth)
}

#[test]
fn references_that_double_at_every_level() {
    let steps = Ending::Limit(LimitExceeded::Steps);
    let both = |keyword: &'static str| move |below: &str| format!("{{\"{keyword}\":[{below},{below}]}}");
    let mut attacks = vec![
        attack("doubled in allOf", levels(25, "{\"type\":\"object\"}", both("allOf")), "{}").ends(steps),
        attack("doubled in anyOf, none holds", levels(25, "{\"minProperties\":1}", both("anyOf")), "{}").ends(steps),
        attack("doubled in oneOf", levels(25, "{\"minProperties\":1}", both("oneOf")), "{}").ends(steps),
        attack("doubled in oneOf of another type", levels(25, "{\"type\":\"array\"}", both("oneOf")), "{}"),
        attack(
            "doubled in not",
            levels(25, "true", |below| format!("{{\"not\":{{\"not\":{{\"allOf\":[{below},{below}]}}}}}}")),
            "{}",
        )
        .ends(steps),
        attack(
            "doubled in dependentSchemas",
            levels(25, "true", |below| format!("{{\"dependentSchemas\":{{\"x\":{below},\"y\":{below}}}}}")),
            "{\"x\":1,\"y\":1}",
        )
        .ends(steps),
        attack(
            "doubled in if and then",
            levels(25, "true", |below| format!("{{\"if\":{below},\"then\":{below},\"else\":{below}}}")),
            "{}",
        )
        .ends(steps),
        attack(
            "doubled in if and else",
            levels(25, "false", |below| format!("{{\"if\":{below},\"then\":{below},\"else\":{below}}}")),
            "{}",
        )
        .ends(steps),
        attack(
            "doubled in $ref beside allOf",
            levels(25, "true", |below| format!("{{{},\"allOf\":[{below}]}}", &below[1..below.len() - 1])),
            "{}",
        )
        .ends(steps),
        attack(
            "doubled in properties",
            levels(25, "true", |below| {
                format!("{{\"properties\":{{\"a\":{below}}},\"patternProperties\":{{\"a\":{below}}}}}")
            }),
            nested(25, "{\"a\":", "1", "}"),
        )
        .ends(steps),
        attack(
            "doubled in items and contains",
            levels(25, "true", |below| format!("{{\"items\":{below},\"contains\":{below}}}")),
            nested(25, "[", "1", "]"),
        )
        .ends(steps),
        attack(
            "doubled in propertyNames",
            levels(25, "true", |below| format!("{{\"allOf\":[{{\"propertyNames\":{below}}},{{\"propertyNames\":{below}}},{below},{below}]}}")),
            "{\"a\":1}",
        )
        .ends(steps),
        attack("doubled in a draft-07 schema", {
            let schema = levels(25, "true", both("allOf")).replace("$defs", "definitions");
            schema.replacen("\"$ref\"", "\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"allOf\":[{\"$ref\"", 1)
                .replacen("a25\"", "a25\"}]", 1)
        }, "{}")
        .ends(steps),
    ];
    for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
        let record = |below: &str| format!("{{\"allOf\":[{below},{below}],\"{keyword}\":{{}}}}");
        let output = if keyword == "unevaluatedItems" {
            format!("[{}]", list(5_000, |at| at.to_string()))
        } else {
            format!("{{{}}}", list(5_000, |at| format!("\"{at}\":1")))
        };
        attacks.push(attack(
            format!("doubled with {keyword} over 5,000"),
            levels(25, "true", record),
            output,
        ));
    }
    withstand(attacks);
}

/// A bomb of references whose every end does the same work again: no keyword may be cheaper for the meter than it is.
#[test]
fn references_that_double_down_to_an_expensive_keyword() {
    let long = |bytes: usize| "a".repeat(bytes);
    let digits = "7".repeat(1000);
    let text = |bytes: usize| format!("\"{}\"", long(bytes));
    let leaves: Vec<(&str, String, String)> = vec![
        ("minimum of 1,000 digits", format!("{{\"minimum\":-{digits}}}"), digits.clone()),
        ("maximum 1e308 of 1,000 digits", "{\"maximum\":1e308}".into(), digits.clone()),
        ("multipleOf 1,000 digits", format!("{{\"multipleOf\":{digits}}}"), digits.clone()),
        ("multipleOf 1e-300", "{\"multipleOf\":1e-300}".into(), digits.clone()),
        ("multipleOf 7e-300 of 1e300", "{\"multipleOf\":7e-300}".into(), "1.1e300".into()),
        ("const of 60 kB", format!("{{\"const\":{}}}", text(60_000)), text(60_000)),
        ("const of 1,000 digits", format!("{{\"const\":{digits}}}"), digits.clone()),
        ("const of a number", "{\"const\":1e308}".into(), digits.clone()),
        ("const of 5,000 elements", format!("{{\"const\":[{}]}}", list(5_000, |at| at.to_string())), format!("[{}]", list(5_000, |at| at.to_string()))),
        ("enum of strings, 60 kB", format!("{{\"enum\":[{}]}}", list(20, |at| format!("\"{at}\""))), text(60_000)),
        ("enum of few strings, 60 kB", format!("{{\"enum\":[{}]}}", list(12, |at| format!("\"{}{at}\"", long(5_000)))), text(5_001)),
        ("enum of arrays of texts", format!("{{\"enum\":[[{}, 1]]}}", text(60_000)), format!("[{}, 2]", text(60_000))),
        ("enum of numbers", format!("{{\"enum\":[{}]}}", list(1_000, |at| format!("{at}.5"))), digits.clone()),
        ("uniqueItems of texts", "{\"uniqueItems\":true}".into(), format!("[{}]", list(10, |at| format!("\"{at}{}\"", long(6_000))))),
        ("uniqueItems of two texts", "{\"uniqueItems\":true}".into(), format!("[\"{0}a\",\"{0}b\"]", long(30_000))),
        ("uniqueItems of digits", "{\"uniqueItems\":true}".into(), format!("[{}]", list(60, |at| format!("{digits}{at}")[at.to_string().len()..].to_owned()))),
        ("minLength", "{\"minLength\":59999}".into(), text(60_000)),
        ("maxLength of wide text", "{\"maxLength\":59999}".into(), format!("\"{}\"", "é".repeat(30_000))),
        ("pattern", "{\"pattern\":\"b$\"}".into(), text(60_000)),
        ("pattern of a short text", "{\"pattern\":\"^(a|b)+c\"}".into(), text(200)),
        ("pattern of a short text past ASCII", "{\"pattern\":\"(é+)+b\"}".into(), "\"ééééééé\"".into()),
        ("plain pattern of a short text", "{\"pattern\":\"^[é]+b\"}".into(), format!("\"{}\"", "é".repeat(50))),
        ("content", "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$id\":\"urn:c\",\"contentMediaType\":\"application/json\"}".into(), format!("\"[{}]\"", list(10_000, |at| at.to_string()))),
        ("content of base64", "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$id\":\"urn:c\",\"contentEncoding\":\"base64\"}".into(), text(60_000)),
        ("required", "{\"required\":[\"zz\"]}".into(), format!("{{{}}}", list(5_000, |at| format!("\"{at}\":1")))),
        ("dependentRequired", format!("{{\"dependentRequired\":{{{}}}}}", list(500, |at| format!("\"k{at}\":[\"a\"]"))), format!("{{{}}}", list(5_000, |at| format!("\"{at}\":1")))),
        ("dependentSchemas", format!("{{\"dependentSchemas\":{{{}}}}}", list(500, |at| format!("\"k{at}\":false"))), format!("{{{}}}", list(5_000, |at| format!("\"{at}\":1")))),
        ("properties", "{\"properties\":{\"a\":true,\"b\":true}}".into(), format!("{{{}}}", list(5_000, |at| format!("\"{at}\":1")))),
        ("patternProperties", "{\"patternProperties\":{\"^x\":true}}".into(), format!("{{{}}}", list(1_000, |at| format!("\"{at}\":1")))),
        (
            "patternProperties of 500 plain patterns",
            format!(
                "{{\"patternProperties\":{{{}}}}}",
                list(500, |at| format!("\"^n{at}\":true"))
            ),
            format!("{{{}}}", list(10, |at| format!("\"m{at}\":1"))),
        ),
        (
            "a plain pattern of 16 kB",
            format!("{{\"pattern\":\"^{}b\"}}", long(16_000)),
            text(16_000),
        ),
        ("patternProperties of long keys", "{\"patternProperties\":{\"^a+b\":true}}".into(), format!("{{{}}}", list(10, |at| format!("\"{}{at}\":1", long(6_000))))),
        ("additionalProperties", "{\"additionalProperties\":true}".into(), format!("{{{}}}", list(5_000, |at| format!("\"{at}\":1")))),
        ("contains", "{\"contains\":{\"type\":\"string\"}}".into(), format!("[{}]", list(5_000, |at| at.to_string()))),
        ("items", "{\"items\":{\"type\":\"number\"}}".into(), format!("[{}]", list(5_000, |at| at.to_string()))),
    ];
    let mut attacks: Vec<Attack> = Vec::new();
    for (name, leaf, output) in leaves {
        let schema = levels(25, &leaf, |below| format!("{{\"allOf\":[{below},{below}]}}"));
        let mut one = attack(name, schema, output);
        // Steps and time run out at about the same time.
        one.expected = if name.starts_with("pattern of") {
            Expected::Limit
        } else {
            Expected::Exactly(Ending::Limit(LimitExceeded::Steps))
        };
        attacks.push(one);
    }
    let formats = [
        (
            "date-time",
            "2024-02-29T00:00:00.".to_owned() + &"0".repeat(20_000) + "Z",
        ),
        ("duration", "P1Y".to_owned() + &"1".repeat(20_000)),
        ("email", "a.".repeat(10_000) + "a@example.com"),
        ("idn-email", "é.".repeat(10_000) + "a@example.com"),
        ("hostname", "a.".repeat(10_000) + "a"),
        ("idn-hostname", "é.".repeat(100) + "com"),
        ("idn-hostname", "é".repeat(20_000)),
        ("ipv6", "1:".repeat(10_000)),
        ("uri", "http://example.com/".to_owned() + &"a/%41".repeat(4_000)),
        ("iri", "http://example.com/".to_owned() + &"é/".repeat(8_000)),
        ("uri-template", "{a}".repeat(7_000)),
        ("json-pointer", "/~0a".repeat(5_000)),
        ("regex", "(a|b)*".repeat(3_000)),
        ("regex", "[a-z]".repeat(4_000)),
        ("regex", nested(900, "(", "a", ")")),
        ("regex", "\\\\p{L}".repeat(3_000)),
    ];
    for (format, text) in formats {
        let schema = levels(25, &format!("{{\"format\":\"{format}\"}}"), |below| {
            format!("{{\"allOf\":[{below},{below}]}}")
        });
        attacks.push(
            attack(
                format!("format {format} of {} bytes", text.len()),
                schema,
                format!("\"{text}\""),
            )
            .ends(Ending::Limit(LimitExceeded::Steps)),
        );
    }
    withstand(attacks);
}

#[test]
fn any_of_nested_with_unevaluated_properties() {
    let mut attacks = Vec::new();
    for depth in [20, 40, 60] {
        for (applicator, output) in [("anyOf", "{\"a\":1,\"z\":1}"), ("oneOf", "{\"a\":1,\"z\":1}")] {
            let open =
                format!("{{\"properties\":{{\"a\":true}},\"unevaluatedProperties\":false,\"{applicator}\":[");
            let schema = nested(depth, &open, "{\"properties\":{\"z\":true}}", "]}");
            attacks.push(attack(
                format!("{applicator} nested {depth} deep"),
                schema,
                output,
            ));
            let twice = format!(
                "{{\"unevaluatedProperties\":false,\"{applicator}\":[{{\"properties\":{{\"a\":true}}}},"
            );
            let schema = nested(depth, &twice, "{\"properties\":{\"z\":true}}", "]}");
            attacks.push(attack(
                format!("{applicator} of two nested {depth} deep"),
                schema,
                output,
            ));
        }
    }
    withstand(attacks);
}

#[test]
fn nesting_up_to_the_reader_s_limit_and_past_it() {
    let mut attacks = vec![
        attack("arrays past the limit", "true", nested(100_000, "[", "", "]"))
            .ends(Ending::Unread(SyntaxErrorKind::TooDeep)),
        attack(
            "objects past the limit",
            "true",
            nested(100_000, "{\"a\":", "1", "}"),
        )
        .ends(Ending::Unread(SyntaxErrorKind::TooDeep)),
        attack("arrays left open", "true", "[".repeat(1_000_000))
            .ends(Ending::Unread(SyntaxErrorKind::TooDeep)),
        attack(
            "a schema past the limit",
            nested(5_000, "{\"not\":", "true", "}"),
            "1",
        )
        .ends(Ending::Unread(SyntaxErrorKind::TooDeep)),
        attack(
            "equal deep values",
            format!("{{\"const\":{}}}", nested(126, "[", "", "]")),
            nested(126, "[", "", "]"),
        )
        .ends(Ending::Valid),
        attack(
            "unique deep values",
            "{\"uniqueItems\":true}",
            format!("[{0},{0}]", nested(126, "[", "", "]")),
        )
        .ends(Ending::Invalid),
    ];
    for keyword in [
        "not",
        "contains",
        "items",
        "additionalProperties",
        "propertyNames",
        "if",
        "unevaluatedItems",
        "unevaluatedProperties",
    ] {
        let schema = nested(127, &format!("{{\"{keyword}\":"), "{}", "}");
        attacks.push(attack(
            format!("a schema of {keyword} nested 127 deep, arrays"),
            schema.as_str(),
            nested(128, "[", "", "]"),
        ));
        attacks.push(attack(
            format!("a schema of {keyword} nested 127 deep, objects"),
            schema,
            nested(128, "{\"a\":", "1", "}"),
        ));
    }
    // Every level of the output goes through as many schemas as the depth of evaluation allows.
    let through = |count: usize, around: &str| {
        let keywords = "\"unevaluatedProperties\":{},\"unevaluatedItems\":{}";
        let inner = format!(
            "{{\"patternProperties\":{{\".\":{{\"$ref\":\"#\"}}}},\"prefixItems\":[{{\"$ref\":\"#\"}}],{keywords}}}"
        );
        let defs = levels(count, &inner, |below| around.replace("BELOW", below));
        defs.replacen("{\"$ref\"", &format!("{{{keywords},\"$ref\""), 1)
    };
    for (name, around) in [
        (
            "allOf",
            "{\"unevaluatedItems\":{},\"unevaluatedProperties\":{},\"allOf\":[BELOW]}",
        ),
        (
            "anyOf",
            "{\"unevaluatedItems\":{},\"unevaluatedProperties\":{},\"anyOf\":[BELOW]}",
        ),
        (
            "oneOf",
            "{\"unevaluatedItems\":{},\"unevaluatedProperties\":{},\"oneOf\":[BELOW]}",
        ),
        (
            "if",
            "{\"unevaluatedItems\":{},\"unevaluatedProperties\":{},\"if\":BELOW,\"then\":BELOW}",
        ),
        (
            "not",
            "{\"unevaluatedItems\":{},\"unevaluatedProperties\":{},\"not\":{\"not\":BELOW}}",
        ),
        (
            "dependentSchemas",
            "{\"unevaluatedItems\":{},\"unevaluatedProperties\":{},\"dependentSchemas\":{\"a\":BELOW}}",
        ),
    ] {
        for (form, output) in [
            ("arrays", nested(127, "[", "1", "]")),
            ("objects", nested(127, "{\"a\":", "1", "}")),
        ] {
            attacks.push(attack(
                format!("{form} nested 127 deep, each through four {name}"),
                through(4, around),
                output,
            ));
        }
    }
    withstand(attacks);
}

#[test]
fn references_in_a_circle() {
    let depth = Ending::Limit(LimitExceeded::Depth);
    let mut attacks = vec![
        attack("$ref to itself", "{\"$ref\":\"#\"}", "1").ends(depth),
        attack("empty $ref", "{\"$ref\":\"\"}", "1").ends(depth),
        attack("two $refs", levels(1, "{\"$ref\":\"#/$defs/a1\"}", |below| below.to_owned()), "1").ends(depth),
        attack("$dynamicRef to itself", "{\"$dynamicAnchor\":\"a\",\"$dynamicRef\":\"#a\"}", "1").ends(depth),
        attack(
            "$recursiveRef to itself",
            "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$recursiveAnchor\":true,\"$recursiveRef\":\"#\"}",
            "1",
        )
        .ends(depth),
        attack("draft-04 $ref to itself", "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"$ref\":\"#\"}", "1").ends(depth),
        attack("a metaschema as the schema", "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}", "{\"$ref\":\"#\"}").ends(Ending::Valid),
    ];
    let circles = [
        ("allOf", "\"allOf\":[{\"$ref\":\"#\"}]", "{\"a\":1}"),
        (
            "allOf, twice",
            "\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]",
            "{\"a\":1}",
        ),
        (
            "anyOf",
            "\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]",
            "{\"a\":1}",
        ),
        (
            "oneOf",
            "\"oneOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]",
            "{\"a\":1}",
        ),
        ("not", "\"not\":{\"$ref\":\"#\"}", "{\"a\":1}"),
        ("if", "\"if\":{\"$ref\":\"#\"}", "{\"a\":1}"),
        ("then", "\"if\":true,\"then\":{\"$ref\":\"#\"}", "{\"a\":1}"),
        ("else", "\"if\":false,\"else\":{\"$ref\":\"#\"}", "{\"a\":1}"),
        (
            "dependentSchemas",
            "\"dependentSchemas\":{\"a\":{\"$ref\":\"#\"}}",
            "{\"a\":1}",
        ),
        (
            "dependencies",
            "\"dependencies\":{\"a\":{\"$ref\":\"#\"}}",
            "{\"a\":1}",
        ),
        (
            "propertyNames",
            "\"propertyNames\":{\"allOf\":[{\"$ref\":\"#\"}]},\"anyOf\":[{\"type\":\"object\"},{\"$ref\":\"#\"}]",
            "{\"a\":1}",
        ),
    ];
    for (name, circle, output) in circles {
        for unevaluated in ["", ",\"unevaluatedProperties\":false"] {
            let schema = format!("{{{circle}{unevaluated}}}");
            attacks.push(attack(format!("a circle of {name}{unevaluated}"), schema, output).ends(depth));
        }
    }
    // These lead to the next level of the output, so they end where it ends.
    for (name, keyword) in [
        ("items", "items"),
        ("contains", "contains"),
        ("additionalProperties", "additionalProperties"),
        ("unevaluatedItems", "unevaluatedItems"),
    ] {
        let schema = format!("{{\"{keyword}\":{{\"$ref\":\"#\"}}}}");
        let expected = if name == "contains" {
            Ending::Invalid
        } else {
            Ending::Valid
        };
        attacks
            .push(attack(format!("recursion of {name}"), schema, nested(128, "[", "", "]")).ends(expected));
    }
    withstand(attacks);
}

#[test]
fn dynamic_references() {
    let resources = |count: usize, one: &dyn Fn(usize) -> String| {
        format!(
            "{{\"$id\":\"urn:r:0\",\"$ref\":\"urn:r:1\",\"$defs\":{{{}}}}}",
            list(count, |at| format!("\"{}\":{}", at + 1, one(at + 1)))
        )
    };
    let attacks = vec![
        attack(
            "$dynamicRef doubled at 25 levels",
            {
                let level = |at: usize| {
                    let below = if at < 25 { format!("{{\"$dynamicRef\":\"urn:r:{}#a\"}}", at + 1) } else { "true".to_owned() };
                    format!("{{\"$id\":\"urn:r:{at}\",\"$defs\":{{\"b\":{{\"$anchor\":\"b\"}}}},\"$anchor\":\"a\",\"allOf\":[{below},{below}]}}")
                };
                resources(25, &level)
            },
            "1",
        )
        .ends(Ending::Limit(LimitExceeded::Steps)),
        attack(
            "one anchor in 3,000 resources, each referring to it",
            resources(3_000, &|at| {
                format!("{{\"$id\":\"urn:r:{at}\",\"$dynamicAnchor\":\"a\",\"properties\":{{\"a\":{{\"$dynamicRef\":\"#a\"}}}}}}")
            }),
            nested(100, "{\"a\":", "1", "}"),
        ),
        attack(
            "a long way through resources without the anchor, then a doubled $dynamicRef",
            resources(400, &|at| match at {
                400 => "{\"$id\":\"urn:r:400\",\"allOf\":[{\"$ref\":\"urn:b#/$defs/a25\"}],\"$defs\":{\"x\":{\"$dynamicAnchor\":\"a\"}}}".to_owned(),
                300..400 => format!("{{\"$id\":\"urn:r:{at}\",\"$ref\":\"urn:r:{}\",\"$defs\":{{\"x\":{{\"$dynamicAnchor\":\"a\"}}}}}}", at + 1),
                _ => format!("{{\"$id\":\"urn:r:{at}\",\"$ref\":\"urn:r:{}\"}}", at + 1),
            })
            .replacen("\"$defs\":{", &format!("\"$defs\":{{\"bomb\":{},", {
                let bomb = levels(25, "{\"$dynamicRef\":\"#a\"}", |below| format!("{{\"allOf\":[{below},{below}]}}"));
                bomb.replacen("{\"$ref\":\"#/$defs/a25\",", "{\"$id\":\"urn:b\",", 1).replacen("\"$defs\":{", "\"$defs\":{\"x\":{\"$dynamicAnchor\":\"a\"},", 1)
            }), 1),
            "1",
        ),
        attack(
            "$recursiveRef doubled",
            "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$recursiveAnchor\":true,\"anyOf\":[{\"type\":\"string\"},{\"items\":{\"$recursiveRef\":\"#\"},\"contains\":{\"$recursiveRef\":\"#\"}}]}".to_string(),
            nested(100, "[", "1", "]"),
        ),
    ];
    withstand(attacks);
}

#[test]
fn large_schemas() {
    let chain = |count: usize| levels(count, "{\"type\":\"number\"}", |below| below.to_owned());
    let names = |count: usize| list(count, |at| format!("\"n{at}\""));
    let attacks = vec![
        attack("1,000 definitions in a chain of $refs", chain(1_000), "1").ends(Ending::Valid),
        attack("10,000 definitions in a chain of $refs", chain(10_000), "1")
            .ends(Ending::Limit(LimitExceeded::Depth)),
        attack(
            "oneOf of 1,000",
            format!(
                "{{\"oneOf\":[{}]}}",
                list(1_000, |at| format!("{{\"const\":{at}}}"))
            ),
            "999",
        )
        .ends(Ending::Valid),
        attack(
            "oneOf of 1,000 for each of 1,000 elements",
            format!(
                "{{\"items\":{{\"oneOf\":[{}]}}}}",
                list(1_000, |at| format!("{{\"const\":{at}}}"))
            ),
            format!("[{}]", list(1_000, |at| at.to_string())),
        ),
        attack(
            "3,000 references into a long array",
            format!(
                "{{\"$defs\":{{\"l\":{{\"anyOf\":[{}]}}}},\"allOf\":[{}]}}",
                list(20_000, |_| "true".into()),
                list(3_000, |at| format!(
                    "{{\"$ref\":\"#/$defs/l/anyOf/{}\"}}",
                    19_999 - at
                ))
            ),
            "1",
        )
        .ends(Ending::Valid),
        attack(
            "20,000 unknown formats",
            format!(
                "{{\"allOf\":[{}]}}",
                list(20_000, |at| format!("{{\"format\":\"f{at:06}\"}}"))
            ),
            "1",
        )
        .ends(Ending::Valid),
        attack(
            "20,000 unknown keywords",
            format!("{{{}}}", list(20_000, |at| format!("\"x{at}\":1"))),
            "1",
        )
        .ends(Ending::Valid),
        attack(
            "10,000 identifiers below a long one",
            format!(
                "{{\"$id\":\"http://example.com/{}/\",\"$defs\":{{{}}}}}",
                "a".repeat(50_000),
                list(10_000, |at| format!("\"{at}\":{{\"$id\":\"{at}\"}}"))
            ),
            "1",
        ),
        attack(
            "10,000 references below a long identifier",
            format!(
                "{{\"$id\":\"http://example.com/{}/\",\"$defs\":{{\"x\":{{\"$id\":\"x\"}}}},\"allOf\":[{}]}}",
                "a".repeat(50_000),
                list(10_000, |_| "{\"$ref\":\"x\"}".into())
            ),
            "1",
        ),
        attack(
            "20,000 anchors",
            format!(
                "{{\"$defs\":{{{}}}}}",
                list(20_000, |at| format!("\"{at}\":{{\"$anchor\":\"a{at}\"}}"))
            ),
            "1",
        )
        .ends(Ending::Valid),
        attack(
            "many subschemas",
            format!("{{\"allOf\":[{}]}}", list(250_000, |_| "{}".into())),
            "1",
        )
        .ends(Ending::SchemaLimit),
        attack(
            "required of 20,000 names",
            format!("{{\"required\":[{}]}}", names(20_000)),
            format!("{{{}}}", list(20_000, |at| format!("\"m{at}\":1"))),
        )
        .ends(Ending::Invalid),
        attack(
            "100 objects without most of 2,000 names",
            format!("{{\"items\":{{\"required\":[{}]}}}}", names(2_000)),
            format!(
                "[{}]",
                list(100, |_| format!("{{{}}}", list(300, |at| format!("\"m{at}\":1"))))
            ),
        )
        .ends(Ending::Invalid),
        attack(
            "100 closed objects of other names than 2,000",
            format!(
                "{{\"items\":{{\"properties\":{{{}}},\"additionalProperties\":false}}}}",
                list(2_000, |at| format!("\"n{at}\":{{}}"))
            ),
            format!(
                "[{}]",
                list(100, |_| format!("{{{}}}", list(300, |at| format!("\"m{at}\":1"))))
            ),
        )
        .ends(Ending::Invalid),
        attack(
            "dependentSchemas of 3,000 names over 3,000 members",
            format!(
                "{{\"items\":{{\"dependentSchemas\":{{{}}}}}}}",
                list(3_000, |at| format!("\"n{at}\":false"))
            ),
            format!(
                "[{}]",
                list(10, |_| format!("{{{}}}", list(300, |at| format!("\"m{at}\":1"))))
            ),
        ),
        attack(
            "dependentRequired of 3,000 names over 3,000 members",
            format!(
                "{{\"dependentRequired\":{{{}}}}}",
                list(3_000, |at| format!("\"n{at}\":[\"x\"]"))
            ),
            format!("{{{}}}", list(3_000, |at| format!("\"m{at}\":1"))),
        ),
        attack(
            "patternProperties of 500 over 2,000 members",
            format!(
                "{{\"patternProperties\":{{{}}}}}",
                list(500, |at| format!("\"^n{at}$\":false"))
            ),
            format!("{{{}}}", list(2_000, |at| format!("\"m{at}\":1"))),
        ),
        attack(
            "patternProperties of 1,000 closed over 1,000 members of 100 objects",
            format!(
                "{{\"items\":{{\"patternProperties\":{{{}}},\"additionalProperties\":false}}}}",
                list(1_000, |at| format!("\"^n{at}$\":false"))
            ),
            format!(
                "[{}]",
                list(100, |_| format!("{{{}}}", list(100, |at| format!("\"m{at}\":1"))))
            ),
        ),
    ];
    withstand(attacks);
}

#[test]
fn slow_patterns() {
    let pattern = |pattern: &str| format!("{{\"pattern\":{}}}", serde_json::Value::from(pattern));
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let spoiled = |count: usize| text(&("a".repeat(count) + "!"));
    let mut attacks = Vec::new();
    for slow in [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(a*)*b",
        "^(.*a){20}$",
        "^(?=(a+)+$)a",
        "(?<=(a+)+)b",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(x+x+)+y",
    ] {
        attacks.push(attack(format!("{slow} on 50"), pattern(slow), spoiled(50)).ends(Ending::Invalid));
        attacks.push(attack(
            format!("{slow} on 10,000"),
            pattern(slow),
            spoiled(10_000),
        ));
        attacks.push(attack(
            format!("{slow} on 1,000,000"),
            pattern(slow),
            spoiled(1_000_000),
        ));
    }
    for bomb in [
        "^(a*)*\\1b",
        "^(a+)+\\1$",
        "(a*)(a*)(a*)(a*)(a*)(a*)\\6\\5\\4\\3\\2\\1b",
        "^(?:(a+)\\1*)+$",
        "^(?<x>a*)*\\k<x>b",
    ] {
        attacks.push(attack(format!("{bomb} on 50"), pattern(bomb), spoiled(50)));
        attacks.push(attack(
            format!("{bomb} on 10,000"),
            pattern(bomb),
            spoiled(10_000),
        ));
        attacks.push(attack(
            format!("{bomb} on 1,000 strings of 50"),
            format!("{{\"items\":{}}}", pattern(bomb)),
            format!(
                "[{}]",
                list(1_000, |at| text(&format!("{}!{at}", "a".repeat(50))))
            ),
        ));
        attacks.push(attack(
            format!("1,000 of {bomb} on 50"),
            format!(
                "{{\"allOf\":[{}]}}",
                list(1_000, |at| pattern(&format!("{bomb}{at}")))
            ),
            spoiled(50),
        ));
    }
    let large = [
        "(\\p{L}{100}){100}",
        "(\\p{L}{1000}){1000}",
        "a{1000000}",
        "((a{100}){100}){100}",
        "(?=a{1000}){1000}",
        "[\\u{0}-\\u{10ffff}]{1000}",
        "(\\p{L}\\p{M}*){1000}",
        "(\\w+\\s){500}",
        "(a?){1000}a{1000}",
        "(.{1,100}){1,100}x",
    ];
    for huge in large {
        attacks.push(attack(format!("{huge}, one"), pattern(huge), spoiled(50)));
        attacks.push(attack(
            format!("{huge}, one, on 100,000"),
            pattern(huge),
            spoiled(100_000),
        ));
        attacks.push(attack(
            format!("{huge}, 1,000 of it"),
            format!(
                "{{\"allOf\":[{}]}}",
                list(1_000, |at| pattern(&format!("{huge}{at}")))
            ),
            spoiled(50),
        ));
    }
    // Without a backreference, but only ASCII texts are quick; nor does any of these take long for one text.
    for slow in [
        "(é+)+b",
        "(.*)*b",
        "^(.+)+(.+)+x$",
        "(\\p{L}+\\p{L}+)+1",
        "((é+)é)+z",
        "(?=.*\\d)(?=.*[a-z]).{8,}",
    ] {
        for (texts, len) in [(10_000, 10), (2_000, 50), (200, 500), (1, 100_000)] {
            let one = format!("\"{}\"", "é".repeat(len));
            let name = format!("{slow} on {texts} texts of {len}");
            attacks.push(attack(
                name,
                format!("{{\"items\":{}}}", pattern(slow)),
                format!("[{}]", list(texts, |_| one.clone())),
            ));
        }
        let keys = format!(
            "{{{}}}",
            list(2_000, |at| format!("\"{}{at}\":1", "é".repeat(20)))
        );
        attacks.push(attack(
            format!("{slow} on 2,000 names"),
            format!(
                "{{\"patternProperties\":{{{}:true}}}}",
                serde_json::Value::from(slow)
            ),
            keys,
        ));
    }
    for large in [
        "a{1000}",
        "[^b]{1000}",
        "(?:ab?){500}",
        "x|.{800}",
        "[\\u{0}-\\u{10ffff}]{1000}",
        "[é-\\u{10ffff}]{120}",
    ] {
        for text in ["a".repeat(1_100), "é".repeat(1_100)] {
            let many = format!(
                "{{\"allOf\":[{}]}}",
                list(100, |at| pattern(&format!("{large}{at}")))
            );
            attacks.push(attack(
                format!("100 of {large} on a text of {}", text.len()),
                many,
                format!("\"{text}\""),
            ));
        }
    }
    attacks.push(attack(
        "a pattern of 16 kB",
        pattern(&"(a|b)?".repeat(2_700)),
        spoiled(10_000),
    ));
    attacks.push(attack(
        "a pattern of 16 kB of classes",
        pattern(&"\\p{L}?".repeat(2_700)),
        spoiled(10_000),
    ));
    attacks.push(
        attack("a pattern of 17 kB", pattern(&"a".repeat(17_000)), spoiled(10)).ends(Ending::SchemaLimit),
    );
    attacks.push(attack(
        "a pattern nested 5,000 deep",
        pattern(&nested(5_000, "(", "a", ")")),
        spoiled(10),
    ));
    attacks.push(
        attack(
            "1,001 patterns",
            format!("{{\"allOf\":[{}]}}", list(1_001, |at| pattern(&at.to_string()))),
            spoiled(10),
        )
        .ends(Ending::SchemaLimit),
    );
    attacks.push(
        attack(
            "a plain pattern on 1 MB",
            pattern("^[a-z]+b$"),
            spoiled(1_000_000),
        )
        .ends(Ending::Invalid),
    );
    attacks.push(attack(
        "an unanchored pattern on 1 MB",
        pattern("a+b"),
        spoiled(1_000_000),
    ));
    attacks.push(
        attack(
            "a pattern on 100,000 strings",
            format!("{{\"items\":{}}}", pattern("^[a-z]+[0-9]+$")),
            format!("[{}]", list(100_000, |at| format!("\"ab{at}\""))),
        )
        .ends(Ending::Valid),
    );
    withstand(attacks);
}

#[test]
fn large_outputs() {
    let numbers = |count: usize| list(count, |at| at.to_string());
    let texts = |count: usize| list(count, |at| format!("\"t{at}\""));
    let attacks = vec![
        attack(
            "enum of 100,000 texts for 10,000 elements",
            format!("{{\"items\":{{\"enum\":[{}]}}}}", texts(100_000)),
            format!("[{}]", texts(10_000)),
        )
        .ends(Ending::Valid),
        attack(
            "enum of 100,000 numbers for 10,000 elements",
            format!("{{\"items\":{{\"enum\":[{}]}}}}", numbers(100_000)),
            format!("[{}]", list(10_000, |at| (at + 90_000).to_string())),
        ),
        attack(
            "enum of 100,000 texts without any of 10,000",
            format!("{{\"items\":{{\"enum\":[{}]}}}}", texts(100_000)),
            format!("[{}]", list(10_000, |at| format!("\"u{at}\""))),
        )
        .ends(Ending::Invalid),
        attack(
            "uniqueItems of 100,000 numbers",
            "{\"uniqueItems\":true}",
            format!("[{}]", numbers(100_000)),
        )
        .ends(Ending::Valid),
        attack(
            "uniqueItems of 100,000 objects",
            "{\"uniqueItems\":true}",
            format!("[{}]", list(100_000, |at| format!("{{\"a\":{at}}}"))),
        )
        .ends(Ending::Valid),
        attack(
            "uniqueItems of 100,000 texts, the last repeated",
            "{\"uniqueItems\":true}",
            format!("[{},\"t99999\"]", texts(100_000)),
        )
        .ends(Ending::Invalid),
        attack(
            "uniqueItems of 10,000 doubles that nearly are equal",
            "{\"uniqueItems\":true}",
            format!("[{}]", list(10_000, |at| format!("1.{at:05}e300"))),
        )
        .ends(Ending::Valid),
        attack(
            "multipleOf on 20,000 far exponents",
            "{\"items\":{\"multipleOf\":7e-300}}",
            format!("[{}]", list(20_000, |at| format!("1.{at}e300"))),
        ),
        attack(
            "minimum on 2,000 integers of 1,000 digits",
            format!("{{\"items\":{{\"minimum\":{}}}}}", "1".repeat(1_000)),
            format!("[{}]", list(2_000, |at| format!("{}{:04}", "2".repeat(996), at))),
        )
        .ends(Ending::Valid),
        attack(
            "contains in contains in contains",
            "{\"contains\":{\"contains\":{\"contains\":{\"const\":1}}}}",
            format!(
                "[{}]",
                list(30, |_| format!(
                    "[{}]",
                    list(30, |_| format!("[{}]", list(30, |_| "0".into())))
                ))
            ),
        )
        .ends(Ending::Invalid),
        attack(
            "ten contains over 10,000",
            format!(
                "{{\"allOf\":[{}]}}",
                list(10, |at| format!(
                    "{{\"contains\":{{\"const\":{}}}}}",
                    at + 100_000
                ))
            ),
            format!("[{}]", numbers(10_000)),
        ),
        attack(
            "100 violations that quote a long text in an array",
            format!(
                "{{\"allOf\":[{}]}}",
                list(100, |_| "{\"type\":\"string\"}".into())
            ),
            format!("[\"{}\"]", "a".repeat(200_000)),
        )
        .ends(Ending::Invalid),
        attack(
            "100 violations that quote a long text",
            format!(
                "{{\"allOf\":[{}]}}",
                list(100, |_| "{\"minLength\":1000000}".into())
            ),
            format!("\"{}\"", "é".repeat(100_000)),
        )
        .ends(Ending::Invalid),
        attack(
            "100 violations of an enum of long arrays",
            format!(
                "{{\"items\":{{\"enum\":[{}]}}}}",
                list(10, |at| format!("[\"{}{at}\"]", "a".repeat(20_000)))
            ),
            format!("[{}]", numbers(100)),
        )
        .ends(Ending::Invalid),
        attack(
            "100,000 violations",
            "{\"items\":{\"type\":\"string\"}}",
            format!("[{}]", numbers(100_000)),
        )
        .ends(Ending::Invalid),
        attack(
            "keys of 100 kB that violate",
            "{\"additionalProperties\":{\"type\":\"string\"}}",
            format!(
                "{{{}}}",
                list(100, |at| format!("\"{}{at}\":1", "k".repeat(10_000)))
            ),
        )
        .ends(Ending::Invalid),
        attack(
            "100,000 members",
            "{\"additionalProperties\":{\"type\":\"number\"}}",
            format!("{{{}}}", list(100_000, |at| format!("\"m{at}\":1"))),
        )
        .ends(Ending::Valid),
        attack(
            "100,000 members with one key twice",
            "true",
            format!("{{{},\"m7\":1}}", list(100_000, |at| format!("\"m{at}\":1"))),
        )
        .ends(Ending::Unread(SyntaxErrorKind::DuplicateKey)),
        attack("an integer of 1 MB", "true", "7".repeat(1_000_000))
            .ends(Ending::Unread(SyntaxErrorKind::TooManyDigits)),
        attack(
            "a fraction of 1 MB",
            "{\"multipleOf\":0.1}",
            format!("0.{}", "7".repeat(1_000_000)),
        ),
        attack(
            "an exponent of 1 MB",
            "true",
            format!("1e-{}", "7".repeat(1_000_000)),
        )
        .ends(Ending::Unread(SyntaxErrorKind::NumberUnderflow)),
        attack(
            "escapes, 1 MB",
            "{\"minLength\":1}",
            format!("\"{}\"", "\\u0041".repeat(180_000)),
        )
        .ends(Ending::Valid),
    ];
    withstand(attacks);
}

/// An invoice-like document with so many lines, and the schema that it is to meet.
fn honest(lines: usize) -> (String, String) {
    let schema = r##"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            "money": {"type": "number", "minimum": 0, "multipleOf": 0.01},
            "line": {
                "type": "object",
                "required": ["sku", "qty", "price", "ordered", "tags"],
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{6}$"},
                    "name": {"type": "string", "minLength": 1, "maxLength": 200},
                    "qty": {"type": "integer", "minimum": 1},
                    "price": {"$ref": "#/$defs/money"},
                    "ordered": {"type": "string", "format": "date-time"},
                    "tags": {"type": "array", "items": {"enum": ["new", "used", "sale"]}, "uniqueItems": true},
                    "contact": {"anyOf": [{"type": "null"}, {"type": "string", "format": "email"}]}
                },
                "additionalProperties": false
            }
        },
        "type": "object",
        "required": ["lines"],
        "properties": {"lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/line"}}},
        "unevaluatedProperties": false
    }"##;
    let line = |at: usize| {
        format!(
            "{{\"sku\":\"ABC-{:06}\",\"name\":\"Item number {at}\",\"qty\":{},\"price\":{}.{:02},\"ordered\":\"2024-02-29T{:02}:30:00Z\",\"tags\":[\"new\",\"sale\"],\"contact\":\"a{at}@example.com\"}}",
            at % 1_000_000,
            at % 9 + 1,
            at % 500,
            at % 100,
            at % 24,
        )
    };
    (
        schema.to_owned(),
        format!("{{\"lines\":[{}]}}", list(lines, line)),
    )
}

/// Texts, schemas and patterns that are large and honest: all of them pass.
#[test]
fn large_honest_texts_and_schemas_pass() {
    let base64 = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0".repeat(150_000);
    let words = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(5_000);
    let many_patterns = list(700, |at| {
        format!("\"p{at}\":{{\"type\":\"string\",\"pattern\":\"^[A-Z]{{3}}-{at}-[0-9]+$\"}}")
    });
    let many_values = list(700, |at| format!("\"p{at}\":\"ABC-{at}-123\""));
    let honest = vec![
        attack(
            "base64 of 5 MB",
            "{\"type\":\"string\",\"minLength\":1,\"maxLength\":16000000,\"pattern\":\"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$\"}",
            format!("\"{base64}\""),
        ),
        attack(
            "a text of 500 kB past ASCII",
            "{\"minLength\":1,\"allOf\":[{\"pattern\":\"^[\\\\p{L}\\\\p{P} ]+$\"},{\"maxLength\":1000000},{\"pattern\":\"булок\"}]}",
            format!("\"{words}\""),
        ),
        attack(
            "a text of 500 kB that is to be of some words",
            "{\"pattern\":\"^(\\\\S+\\\\s+)*\\\\S*$\"}",
            format!("\"{words}\""),
        ),
        attack(
            "700 patterns, all in use",
            format!("{{\"properties\":{{{many_patterns}}}}}"),
            format!("{{{many_values}}}"),
        ),
        attack(
            "20,000 passwords",
            "{\"items\":{\"pattern\":\"^(?=.*[a-z])(?=.*[A-Z])(?=.*\\\\d)[A-Za-z\\\\d]{8,}$\"}}",
            format!("[{}]", list(20_000, |at| format!("\"passWord{at}\""))),
        ),
        attack(
            "20,000 mail addresses",
            "{\"items\":{\"format\":\"email\",\"pattern\":\"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\\\.[a-zA-Z]{2,}$\"}}",
            format!(
                "[{}]",
                list(20_000, |at| format!("\"some.body.{at}@mail.example.com\""))
            ),
        ),
        attack(
            "5,000 internationalized hosts",
            "{\"items\":{\"format\":\"idn-hostname\"}}",
            format!("[{}]", list(5_000, |at| format!("\"bücher{at}.example\""))),
        ),
        attack(
            "oneOf of 50 for 5,000 elements",
            format!(
                "{{\"items\":{{\"oneOf\":[{}]}}}}",
                list(50, |at| format!(
                    "{{\"required\":[\"k{at}\"],\"maxProperties\":1}}"
                ))
            ),
            format!("[{}]", list(5_000, |at| format!("{{\"k{}\":1}}", at % 50))),
        ),
        attack(
            "uniqueItems of 20,000 texts of 200",
            "{\"uniqueItems\":true}",
            format!("[{}]", list(20_000, |at| format!("\"{at:0200}\""))),
        ),
        attack(
            "multipleOf 0.01 for 50,000 amounts",
            "{\"items\":{\"multipleOf\":0.01,\"minimum\":0}}",
            format!("[{}]", list(50_000, |at| format!("{}.{:02}", at * 37, at % 100))),
        ),
    ];
    withstand(honest.into_iter().map(|one| one.ends(Ending::Valid)).collect());
}

/// Reads and checks a document, with a part of the steps and the time for patterns that it has.
fn check_honest(schema: &Schema, parser: &mut Parser, document: &mut Document, output: &str, divisor: usize) {
    parser.parse(output.as_bytes(), document).unwrap();
    let root = document.root();
    let mut meter = Meter::for_sizes(
        root.node_count() / divisor,
        root.text_bytes() / divisor,
        schema.subschema_count(),
    );
    let (mut tally, mut violations) = (Tally::default(), Violations::default());
    schema
        .check(root, &mut meter, &mut tally, &mut violations)
        .unwrap();
    assert!(
        violations.is_empty() && tally.total as usize > root.node_count() / 4,
        "{tally:?}"
    );
}

#[test]
fn honest_documents_use_a_small_part_of_what_they_may() {
    for lines in [10, 1_000, 30_000] {
        let (schema, output) = honest(lines);
        let schema = Schema::compile(
            crate::material::parse(schema.as_bytes()).root(),
            &CompileOptions::default(),
        )
        .unwrap();
        check_honest(&schema, &mut Parser::default(), &mut Document::new(), &output, 10);
    }
}

#[test]
fn a_document_of_10_mb_costs_in_proportion_to_one_of_1_mb() {
    /// The target is a fifth; noise of a busy machine may add to it.
    const MAX_RATIO: f64 = 1.6;
    const RUNS: usize = 7;
    let (schema, small) = honest(6_600);
    let (_, large) = honest(66_000);
    assert!(
        small.len() > 1_000_000 && large.len() > 10_000_000,
        "{} and {} bytes",
        small.len(),
        large.len()
    );
    let schema = Schema::compile(
        crate::material::parse(schema.as_bytes()).root(),
        &CompileOptions::default(),
    )
    .unwrap();
    let mut parser = Parser::default();
    let mut document = Document::new();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..RUNS {
        for (best, output) in best.iter_mut().zip([&small, &large]) {
            let started = Instant::now();
            check_honest(&schema, &mut parser, &mut document, output, 1);
            *best = best.min(started.elapsed().as_secs_f64() * 1e9 / output.len() as f64);
        }
    }
    let ratio = best[1] / best[0];
    eprintln!(
        "{:.2} ns a byte at 1 MB, {:.2} at 10 MB: {ratio:.2}",
        best[0], best[1]
    );
    assert!(ratio < MAX_RATIO, "{ratio}");
}
