//! What can go wrong with ClickHouse, by what is to be done about it.
//!
//! The server tells its errors as text with a number in it. Whatever is not known to need an operator or to be the fault
//! of a row is passing: to try again loses nothing, to give up might.

use clickhouse::error::Error as ClientError;

/// What is to be done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultClass {
    /// Try again: the server or the way to it is not well now.
    Transient,
    /// An operator must act: a table, a right or a setting is not as it has to be. No row is at fault.
    Configuration,
    /// A row of the batch is refused; the others would be taken.
    Data,
}

impl FaultClass {
    /// Its name in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            FaultClass::Transient => "transient",
            FaultClass::Configuration => "configuration",
            FaultClass::Data => "data",
        }
    }
}

/// Numbers of the server's errors that an operator must mend: no such column, function, identifier, type, table, database,
/// format or setting; statements that are not understood; users and rights.
const CONFIGURATION_CODES: [u32; 25] = [
    16, 20, 36, 46, 47, 48, 50, 60, 62, 73, 80, 81, 115, 164, 192, 193, 194, 195, 291, 344, 452, 492, 497,
    511, 516,
];

/// Numbers that mean a value: not to be parsed or read, of the wrong type, out of bounds, too large, against a constraint.
const DATA_CODES: [u32; 14] = [6, 26, 27, 33, 38, 41, 53, 69, 117, 131, 321, 469, 691, 349];

/// "Too many parts": either merging is behind, or the rows of one insert would go into too many partitions.
const TOO_MANY_PARTS: u32 = 252;

/// The words by which the second kind is told from the first.
const SINGLE_INSERT_BLOCK: &str = "single INSERT block";

/// Characters of the server's text that are shown. It may quote a statement at length.
const MAX_SHOWN_CHARS: usize = 600;

/// An operation on ClickHouse failed. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClickHouseError {
    /// The settings cannot be used.
    #[error("the ClickHouse settings cannot be used: {0}")]
    Settings(String),
    /// No runtime could be made.
    #[error("the system gives no thread for ClickHouse")]
    Runtime(#[source] std::io::Error),
    /// The server or the way to it.
    #[error("ClickHouse at {address} did not {operation}: {}", .fault.advice())]
    Server {
        /// Where it was looked for.
        address: String,
        /// What was asked of it.
        operation: &'static str,
        /// What came back.
        #[source]
        fault: ServerFault,
    },
    /// The database has no tables, or not all.
    #[error(
        "the database {database} has the schema of version {found}, and this program needs version {needed}: \
         run 'assay migrate' with the same settings"
    )]
    OldSchema {
        /// The database.
        database: String,
        /// The last migration that was applied; 0 when none was.
        found: u32,
        /// The last one that this program knows.
        needed: u32,
    },
    /// A newer program has been there.
    #[error(
        "the database {database} has the schema of version {found}, and this program knows versions up to {known}: \
         use the newer program, or another database"
    )]
    NewerSchema {
        /// The database.
        database: String,
        /// The last migration that was applied.
        found: u32,
        /// The last one that this program knows.
        known: u32,
    },
    /// A migration is not the one that was applied.
    #[error(
        "the migration {number} that was applied to the database {database} is not the one of this program: use the \
         program that applied it, or a new database filled with 'assay rebuild'"
    )]
    AlteredMigration {
        /// The database.
        database: String,
        /// The migration.
        number: u32,
    },
    /// A stored value that this program cannot have written.
    #[error("the row of the receipt {id} is damaged ({what}): fill a new database with 'assay rebuild'")]
    Damaged {
        /// The receipt's id.
        id: uuid::Uuid,
        /// What is wrong.
        what: &'static str,
    },
}

impl ClickHouseError {
    /// What is to be done about it.
    pub fn class(&self) -> FaultClass {
        match self {
            ClickHouseError::Server { fault, .. } => fault.class,
            ClickHouseError::Runtime(_) => FaultClass::Transient,
            _ => FaultClass::Configuration,
        }
    }

    /// Whether merging is so far behind that fewer and larger inserts are needed.
    pub fn is_too_many_parts(&self) -> bool {
        matches!(self, ClickHouseError::Server { fault, .. }
            if fault.code == Some(TOO_MANY_PARTS) && fault.class == FaultClass::Transient)
    }
}

/// What came back instead of an answer.
#[derive(Debug, thiserror::Error)]
#[error("{}", shown(.text))]
pub struct ServerFault {
    /// What is to be done about it.
    pub class: FaultClass,
    /// The server's number for it, if it told one.
    pub code: Option<u32>,
    /// What was said.
    pub text: String,
}

impl ServerFault {
    /// Nothing came back within that time.
    pub(super) fn timeout(limit: std::time::Duration) -> ServerFault {
        ServerFault {
            class: FaultClass::Transient,
            code: None,
            text: format!("no answer within {} seconds", limit.as_secs_f32()),
        }
    }

    fn advice(&self) -> &'static str {
        match self.class {
            FaultClass::Transient => {
                "check that it runs and can be reached; what is not stored yet is kept and tried again"
            }
            FaultClass::Configuration => {
                "check address, database, user and rights, and run 'assay migrate'; nothing is dropped meanwhile"
            }
            FaultClass::Data => "it refuses a row",
        }
    }
}

impl From<ClientError> for ServerFault {
    fn from(error: ClientError) -> ServerFault {
        let text = with_causes(&error);
        let (class, code) = match &error {
            ClientError::BadResponse(answer) => classify(answer),
            ClientError::InvalidParams(_)
            | ClientError::SchemaMismatch(_)
            | ClientError::Unsupported(_)
            | ClientError::InvalidColumnsHeader(_) => (FaultClass::Configuration, None),
            _ => (FaultClass::Transient, None),
        };
        ServerFault { class, code, text }
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        // The client quotes some of its causes itself.
        if !text.ends_with(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

fn classify(answer: &str) -> (FaultClass, Option<u32>) {
    let Some(code) = code_of(answer) else {
        // A proxy's answer begins with the status. What it refuses by itself no waiting will mend.
        let is_refused = ["400", "401", "403", "404", "405", "413"]
            .iter()
            .any(|status| answer.starts_with(status));
        let class = if is_refused {
            FaultClass::Configuration
        } else {
            FaultClass::Transient
        };
        return (class, None);
    };
    let class =
        if code == TOO_MANY_PARTS && answer.contains(SINGLE_INSERT_BLOCK) || DATA_CODES.contains(&code) {
            FaultClass::Data
        } else if CONFIGURATION_CODES.contains(&code) {
            FaultClass::Configuration
        } else {
            FaultClass::Transient
        };
    (class, Some(code))
}

/// The number after the first `Code: `.
fn code_of(answer: &str) -> Option<u32> {
    let (_, rest) = answer.split_once("Code: ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..digits)?.parse().ok()
}

/// The text in one line, cut.
fn shown(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_of(answer: &str) -> FaultClass {
        ServerFault::from(ClientError::BadResponse(answer.to_owned())).class
    }

    #[test]
    fn the_number_tells_what_to_do() {
        use FaultClass::{Configuration, Data, Transient};
        for (answer, class) in [
            (
                "Code: 60. DB::Exception: Table assay.receipts does not exist. (UNKNOWN_TABLE)",
                Configuration,
            ),
            (
                "Code: 516. DB::Exception: default: Authentication failed",
                Configuration,
            ),
            ("Code: 242. DB::Exception: Table is in readonly mode", Transient),
            ("Code: 241. DB::Exception: Memory limit exceeded", Transient),
            ("Code: 252. DB::Exception: Too many parts (300)", Transient),
            (
                "Code: 252. DB::Exception: Too many partitions for single INSERT block (more than 100)",
                Data,
            ),
            ("Code: 469. DB::Exception: Constraint `c` is violated", Data),
            ("Code: 395. DB::Exception: thrown by a view", Transient),
            ("Code: 999. Coordination::Exception", Transient),
            ("502 Bad Gateway", Transient),
            ("<html>502</html>", Transient),
            ("403 Forbidden", Configuration),
            ("", Transient),
            ("Code: ", Transient),
        ] {
            assert_eq!(class_of(answer), class, "{answer}");
        }
        assert_eq!(
            ServerFault::from(ClientError::SchemaMismatch("x".to_owned())).class,
            Configuration
        );
        assert_eq!(ServerFault::from(ClientError::TimedOut).class, Transient);
    }

    #[test]
    fn what_is_shown_is_one_line_of_bounded_length() {
        let fault = ServerFault::from(ClientError::BadResponse(format!(
            "Code: 1.\n{}",
            "ü ".repeat(5_000)
        )));
        let line = fault.to_string();
        assert!(line.chars().count() <= MAX_SHOWN_CHARS + 1 && !line.contains('\n'));
    }
}
