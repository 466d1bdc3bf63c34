//! `assay receipt check`: tells in words what of a receipt holds, what doesn't, and what that means.

use std::fmt::Write as _;
use std::path::Path;

use assay_engine::audit::{AuditError, Auditor, Conclusion, PublicKeys, Report, Standing};
use assay_engine::json::write_canonical_string;

use super::documents::{Documents, Text};
use crate::cli::ReceiptCheck;
use crate::commands::input;
use crate::failure::{CONFIG, DATA, FAILED, Failure, OK, SOFTWARE, UNCHECKED, USAGE};
use crate::settings::{self, Global};
use crate::terminal;

/// The stack of the thread that checks: checking a request again nests as deep as the engine's limits allow, which takes
/// about one megabyte, and the main thread has less than that on some systems.
const STACK_BYTES: usize = 8 * 1024 * 1024;

pub(super) fn run(global: &Global, arguments: &ReceiptCheck) -> Result<u8, Failure> {
    let request = arguments.request.as_deref();
    let stdin_uses = [Some(&*arguments.receipt), request, arguments.keys.as_deref()];
    if stdin_uses
        .into_iter()
        .flatten()
        .filter(|path| input::is_stdin(path))
        .count()
        > 1
    {
        return Err(Failure::new(
            USAGE,
            "standard input can be only one of receipt, request and keys",
        ));
    }
    let keys = read_keys(global, arguments.keys.as_deref())?;
    let receipts = Documents::open(&arguments.receipt)?;
    let requests = request.map(Documents::open).transpose()?;
    let check = Check {
        is_single: !receipts.are_lines(),
        is_json: arguments.json,
        receipts,
        requests,
        auditor: Auditor::new(keys),
        counts: Counts::default(),
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || check.run());
    let thread = thread.map_err(|error| Failure::caused(SOFTWARE, "no thread can be started", error))?;
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn read_keys(global: &Global, path: Option<&Path>) -> Result<PublicKeys, Failure> {
    match path {
        Some(path) => PublicKeys::parse(&input::read(path)?)
            .map_err(|error| Failure::caused(DATA, format!("{} cannot be used", input::name(path)), error)),
        None => {
            let advice = "give the keys of whoever signed with --keys";
            let exported = settings::existing_keys(global, advice)?
                .export_json()
                .map_err(settings::key_failure)?;
            PublicKeys::parse(exported.as_bytes()).map_err(|error| {
                let what = format!("the keys in {} cannot be used; {advice}", global.data.display());
                Failure::caused(CONFIG, what, error)
            })
        }
    }
}

/// One run over receipts, and requests beside them.
struct Check {
    is_single: bool,
    is_json: bool,
    receipts: Documents,
    requests: Option<Documents>,
    auditor: Auditor,
    counts: Counts,
}

/// How the receipts came out.
#[derive(Default)]
struct Counts {
    holding: u64,
    broken: u64,
    undecided: u64,
    unreadable: u64,
    error_answers: u64,
    requests_left: u64,
}

/// Why a receipt was not checked.
enum Unchecked {
    TooLong(&'static str),
    Audit(AuditError),
}

impl Check {
    fn run(mut self) -> Result<u8, Failure> {
        while let Some(receipt) = self.receipts.next_text()? {
            let request = self.next_request(&receipt)?;
            let found = self.audit(&receipt, request.as_ref());
            self.tell(receipt.line, found)?;
        }
        if let Some(requests) = &mut self.requests {
            while requests.next_text()?.is_some() {
                self.counts.requests_left += 1;
            }
        }
        self.conclude()
    }

    fn next_request(&mut self, receipt: &Text) -> Result<Option<Text>, Failure> {
        let Some(requests) = &mut self.requests else {
            return Ok(None);
        };
        match requests.next_text()? {
            Some(request) => Ok(Some(request)),
            None => {
                let (receipts, requests) = (self.receipts.name(), requests.name());
                let place = place(receipt.line);
                let what = format!(
                    "{requests} has fewer requests than {receipts} has receipts: there is none for {place}"
                );
                Err(Failure::new(DATA, what))
            }
        }
    }

    fn audit(&mut self, receipt: &Text, request: Option<&Text>) -> Result<Report, Unchecked> {
        let receipt = receipt.bytes.as_deref().ok_or(Unchecked::TooLong("receipt"))?;
        let request = match request {
            Some(request) => Some(request.bytes.as_deref().ok_or(Unchecked::TooLong("request"))?),
            None => None,
        };
        self.auditor.audit(receipt, request).map_err(Unchecked::Audit)
    }

    fn tell(&mut self, line: Option<u64>, found: Result<Report, Unchecked>) -> Result<(), Failure> {
        match &found {
            Ok(report) => match report.conclusion() {
                Conclusion::Holds => self.counts.holding += 1,
                Conclusion::Broken => self.counts.broken += 1,
                Conclusion::Undecided => self.counts.undecided += 1,
            },
            Err(Unchecked::Audit(AuditError::ErrorAnswer)) if !self.is_single => {
                self.counts.error_answers += 1
            }
            Err(_) => self.counts.unreadable += 1,
        }
        if self.is_json {
            return terminal::print(&json_line(line, &found));
        }
        match found {
            Ok(report) if self.is_single => terminal::print(in_words(&report, line, |_| true).as_bytes()),
            Ok(report) if report.holds() => Ok(()),
            Ok(report) => {
                let is_told = |standing| matches!(standing, Standing::Broken | Standing::Undecided);
                terminal::print(in_words(&report, line, is_told).as_bytes())
            }
            Err(unchecked) if self.is_single => Err(Failure::new(
                DATA,
                format!("{}: {}", self.receipts.name(), unchecked.message()),
            )),
            Err(unchecked) => {
                terminal::print(format!("{}: {}\n", place(line), unchecked.message()).as_bytes())
            }
        }
    }

    /// The last words and the exit code.
    fn conclude(self) -> Result<u8, Failure> {
        let counts = &self.counts;
        let checked = counts.holding + counts.broken + counts.undecided;
        if checked + counts.unreadable + counts.error_answers == 0 {
            return Err(Failure::new(
                DATA,
                format!("{} holds no receipt", self.receipts.name()),
            ));
        }
        if !self.is_json && !self.is_single {
            terminal::print(counts.in_words().as_bytes())?;
        }
        if counts.requests_left > 0 {
            let name = self.requests.as_ref().map(Documents::name).unwrap_or_default();
            let left = counts.requests_left;
            terminal::warn(&format!(
                "{name} has more requests than there are receipts: {left} left over"
            ));
        }
        Ok(counts.exit_code())
    }
}

impl Counts {
    fn exit_code(&self) -> u8 {
        if self.broken > 0 {
            FAILED
        } else if self.unreadable > 0 {
            DATA
        } else if self.undecided > 0 || self.error_answers > 0 || self.requests_left > 0 {
            UNCHECKED
        } else {
            OK
        }
    }

    fn in_words(&self) -> String {
        let all = [
            (self.holding, "hold"),
            (self.broken, "do not hold"),
            (self.undecided, "could not be decided"),
            (self.unreadable, "cannot be read"),
            (self.error_answers, "are error answers, which nobody signs"),
        ];
        let told = all
            .into_iter()
            .filter(|(count, what)| *count > 0 || *what == "hold");
        let parts: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
        format!("Of the receipts, {}.\n", parts.join(", "))
    }
}

impl Unchecked {
    fn message(&self) -> String {
        match self {
            Unchecked::TooLong(what) => format!("the {what} is longer than any may be"),
            Unchecked::Audit(error @ (AuditError::Receipt(cause) | AuditError::Request(cause))) => {
                format!("{error}: {cause}")
            }
            Unchecked::Audit(error) => error.to_string(),
        }
    }

    fn conclusion(&self) -> &'static str {
        match self {
            Unchecked::Audit(AuditError::ErrorAnswer) => "error_answer",
            _ => "unreadable",
        }
    }
}

fn place(line: Option<u64>) -> String {
    line.map_or_else(|| "the receipt".to_owned(), |line| format!("line {line}"))
}

/// The findings of the standings that are told, a line each, between what was checked and what it comes to.
fn in_words(report: &Report, line: Option<u64>, is_told: impl Fn(Standing) -> bool) -> String {
    let name = report.subject.name();
    let mut words = String::new();
    let mut push = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _infallible = words.write_fmt(text).is_err();
    };
    if let Some(line) = line {
        push(format_args!("line {line}: "));
    }
    match &report.id {
        // Quoted so that nothing in it reaches the terminal as it is.
        Some(id) => push(format_args!("{name} {id:?}\n")),
        None => push(format_args!("{name}\n")),
    }
    for finding in report.findings.iter().filter(|finding| is_told(finding.standing)) {
        let standing = match finding.standing {
            Standing::Broken => "BROKEN",
            other => other.name(),
        };
        push(format_args!(
            "  {standing:<9}  {:<20}  {}\n",
            finding.name, finding.words
        ));
    }
    match report.conclusion() {
        Conclusion::Holds => push(format_args!("The {name} holds.\n")),
        Conclusion::Broken => push(format_args!("The {name} does not hold.\n")),
        Conclusion::Undecided => {
            push(format_args!(
                "Nothing contradicts the {name}, but not all of it could be checked.\n"
            ));
        }
    }
    words
}

fn json_line(line: Option<u64>, found: &Result<Report, Unchecked>) -> Vec<u8> {
    let mut out = match line {
        Some(line) => format!("{{\"line\":{line},").into_bytes(),
        None => b"{\"line\":null,".to_vec(),
    };
    match found {
        Ok(report) => report.write_members(&mut out),
        Err(unchecked) => {
            out.extend_from_slice(b"\"subject\":null,\"id\":null,\"holds\":false,\"conclusion\":");
            write_canonical_string(unchecked.conclusion(), &mut out);
            out.extend_from_slice(b",\"findings\":[],\"error\":");
            write_canonical_string(&unchecked.message(), &mut out);
        }
    }
    out.extend_from_slice(b"}\n");
    out
}
