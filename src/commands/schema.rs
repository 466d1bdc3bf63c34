//! `assay schema check`: how a schema is read here, what it costs, and what about it may surprise.

use std::fmt::Write as _;
use std::path::Path;

use assay_engine::hex::hex;
use assay_engine::json::{Document, Parser, write_canonical_string};
use assay_engine::problem::Problem;
use assay_engine::schema::{CompileOptions, Schema};

use crate::cli::SchemaCommand;
use crate::commands::input;
use crate::failure::{DATA, FAILED, Failure, OK, SOFTWARE};
use crate::terminal;

/// The stack of the thread that compiles: a schema is checked against its metaschema, which nests as deep as the
/// engine's limits allow and takes about one megabyte.
const STACK_BYTES: usize = 8 * 1024 * 1024;

pub(crate) fn run(command: &SchemaCommand) -> Result<u8, Failure> {
    let SchemaCommand::Check { schema, json } = command;
    let text = input::read(schema)?;
    let mut document = Document::new();
    Parser::default()
        .parse(&text, &mut document)
        .map_err(|error| Failure::caused(DATA, format!("{} is not JSON", input::name(schema)), error))?;
    let compiled = std::thread::scope(|scope| -> std::io::Result<_> {
        let compile = || Schema::compile(document.root(), &CompileOptions::default());
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, compile)?;
        Ok(thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let compiled = compiled.map_err(|error| Failure::caused(SOFTWARE, "no thread can be started", error))?;
    match compiled {
        Ok(compiled) => {
            terminal::print(&if *json {
                usable_as_json(&compiled)
            } else {
                usable_in_words(schema, &compiled)
            })?;
            Ok(OK)
        }
        Err(error) => {
            // `$` is the schema itself in the paths of its faults.
            let problem = error.into_problem("$");
            terminal::print(&if *json {
                unusable_as_json(&problem)
            } else {
                unusable_in_words(schema, &problem)
            })?;
            Ok(FAILED)
        }
    }
}

/// What is remarkable about a schema, by its name in JSON and in words.
fn remarks(schema: &Schema) -> [(&'static str, &'static str, &[String]); 3] {
    let notes = schema.notes();
    [
        (
            "unknown_keywords",
            "unknown keywords, which assert nothing",
            &notes.unknown_keywords,
        ),
        (
            "unknown_formats",
            "unknown formats, which are not asserted",
            &notes.unknown_formats,
        ),
        (
            "slow_patterns",
            "patterns that may be slow, for a backreference",
            &notes.slow_patterns,
        ),
    ]
}

fn states_dialect(schema: &Schema) -> bool {
    schema.source().get("$schema").is_some()
}

fn usable_in_words(path: &Path, schema: &Schema) -> Vec<u8> {
    let assumed = if states_dialect(schema) {
        ""
    } else {
        ", since it has no $schema"
    };
    let mut words = format!(
        "{} can be used.\n  read as      {}{assumed}\n  subschemas   {}\n  schema_hash  {}\n",
        input::name(path),
        schema.draft().uri(),
        schema.subschema_count(),
        hex(schema.hash()),
    );
    for (_, what, list) in remarks(schema)
        .into_iter()
        .filter(|(_, _, list)| !list.is_empty())
    {
        // Writing to a string cannot fail. Quoted so that nothing in the schema reaches the terminal as it is.
        let _infallible = writeln!(words, "  {what}:").is_err();
        for entry in list {
            let _infallible = writeln!(words, "    {entry:?}").is_err();
        }
    }
    words.into_bytes()
}

fn usable_as_json(schema: &Schema) -> Vec<u8> {
    let mut out = b"{\"usable\":true,\"dialect\":".to_vec();
    write_canonical_string(schema.draft().uri(), &mut out);
    let numbers = format!(
        ",\"dialect_stated\":{},\"subschemas\":{},\"schema_hash\":\"{}\"",
        states_dialect(schema),
        schema.subschema_count(),
        hex(schema.hash()),
    );
    out.extend_from_slice(numbers.as_bytes());
    for (name, _, list) in remarks(schema) {
        out.extend_from_slice(format!(",\"{name}\":[").as_bytes());
        for (index, entry) in list.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_canonical_string(entry, &mut out);
        }
        out.push(b']');
    }
    out.extend_from_slice(b"}\n");
    out
}

fn unusable_in_words(path: &Path, problem: &Problem) -> Vec<u8> {
    let mut words = format!(
        "{} cannot be used ({}).\n",
        input::name(path),
        problem.code.name()
    );
    for fault in &problem.fields {
        let _infallible = writeln!(words, "  {:?} {}. {}", fault.field, fault.problem, fault.fix).is_err();
    }
    words.into_bytes()
}

fn unusable_as_json(problem: &Problem) -> Vec<u8> {
    let mut out = b"{\"usable\":false,\"code\":".to_vec();
    write_canonical_string(problem.code.name(), &mut out);
    out.extend_from_slice(b",\"faults\":[");
    for (index, fault) in problem.fields.iter().enumerate() {
        out.extend_from_slice(if index > 0 { b",{" } else { b"{" });
        let members = [
            ("path", &fault.field),
            ("problem", &fault.problem),
            ("fix", &fault.fix),
        ];
        for (place, (name, text)) in members.into_iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_canonical_string(name, &mut out);
            out.push(b':');
            write_canonical_string(text, &mut out);
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}\n");
    out
}
