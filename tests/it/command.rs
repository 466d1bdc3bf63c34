//! The binary as a user runs it, in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use assay_engine::json::{Document, Value};
use tempfile::TempDir;

use crate::material::{parse, repository};

/// A folder with an own data folder.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The command with the sandbox as its working folder and the data folder in it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        for setting in ["ASSAY_KEY_FILE", "ASSAY_PUBLIC_URL"] {
            command.env_remove(setting);
        }
        command.env("ASSAY_DATA", self.path("data"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the command, which must end with that code, and gives its standard output.
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The Python that has the packages of tests/requirements.txt.
pub(crate) fn python() -> Command {
    let mut command = Command::new(std::env::var_os("ASSAY_TEST_PYTHON").unwrap_or_else(|| "python3".into()));
    command.current_dir(repository());
    command
}

/// The answers in an output, parsed.
pub(crate) fn answers(text: &str) -> Vec<Document> {
    text.lines().map(|line| parse(line.as_bytes())).collect()
}

/// A string member of an answer.
pub(crate) fn string<'d>(document: &'d Document, member: &str) -> &'d str {
    document
        .root()
        .get(member)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// An invoice request in one line, whose total is right or wrong.
pub(crate) fn invoice(task: &str, agent: &str, total: &str) -> String {
    let request = std::fs::read(repository().join("schemas/vectors/invoice-draft.request.json")).unwrap();
    let request = parse(&request);
    let canonical = |member: &str| {
        let mut text = Vec::new();
        assay_engine::json::write_canonical(request.root().get(member).unwrap(), &mut text);
        String::from_utf8(text).unwrap()
    };
    let (schema, rules) = (canonical("expected_schema"), canonical("rules"));
    format!(
        r#"{{"task_id":"{task}","agent_id":"{agent}","expected_schema":{schema},"submitted_output":{{"invoice_id":"INV-7731","currency":"USD","line_items":[{{"sku":"CRWL-100","qty":3,"line_total":87.0}},{{"sku":"CRWL-200","qty":1,"line_total":42.5}}],"total":{total}}},"rules":{rules},"enforce_rules":true}}"#
    )
}
