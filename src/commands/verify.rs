//! `assay verify`: files of deliverables in, receipts out.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_engine::contract::Contract;
use assay_engine::response::Detail;
use assay_engine::verifier::Verifier;
use assay_ledger::{Ledger, Run};
use assay_pipeline::answer::{OutputForm, RecordForm};
use assay_pipeline::clock::now;
use assay_pipeline::input::Input;
use assay_pipeline::progress::Progress;
use assay_pipeline::resume;
use assay_pipeline::run::{Options, RunError, run as run_pipeline};
use assay_pipeline::run_id::RunId;
use assay_pipeline::summary::Summary;

use crate::cli::{DetailArgument, Verify};
use crate::failure::{CONFIG, DATA, FAILED, Failure, IO, NO_INPUT, OK, SOFTWARE, UNCHECKED, USAGE};
use crate::settings::Global;
use crate::{progress_bar, settings, summary_text, terminal};

/// Runs the command.
pub(crate) fn run(global: &Global, arguments: &Verify) -> Result<u8, Failure> {
    let verifier = Verifier::new(settings::identity(global)?);
    let inputs: Vec<Input> = arguments
        .files
        .iter()
        .map(|file| Input::from_argument(file))
        .collect();
    check_inputs(&inputs, arguments)?;
    let form = record_form(arguments, &verifier)?;
    let data = settings::open_data(global)?;
    let signer = settings::signer(global, &data)?;
    let mut ledger = if arguments.no_record {
        None
    } else {
        Some(settings::ledger(&data)?)
    };

    // The run is noted before its output is touched: a run killed in between leaves the output of the one before.
    let run = begin_run(arguments, &inputs, ledger.as_mut())?;
    let mut output = Output::open(arguments)?;
    let run_id = match &run {
        Some(run) => RunId(run.id),
        None => RunId(settings::random_bytes()?),
    };
    let options = Options {
        form,
        jobs: arguments.jobs.map_or_else(all_cores, usize::from),
        fail_fast: arguments.fail_fast,
        skip: output.answers(),
        run_id,
        inputs,
    };
    let progress = Progress::default();
    let bar = show_progress(arguments).then(|| progress_bar::show(&options.inputs, progress.clone()));
    let result = run_pipeline(
        &options,
        &verifier,
        &signer,
        ledger.as_mut(),
        output.writer(),
        &progress,
    );
    drop(bar);
    let summary = match result {
        Ok(summary) => summary,
        Err(RunError::Write(error))
            if arguments.output.is_none() && error.kind() == io::ErrorKind::BrokenPipe =>
        {
            return Ok(OK);
        }
        Err(error) => return Err(run_failure(arguments, error)),
    };
    output.finish()?;
    if let (Some(ledger), Some(run)) = (&mut ledger, &run) {
        let finished = ledger.finish_run(run, now());
        finished.map_err(|error| Failure::caused(CONFIG, "the run cannot be closed", error))?;
    }
    report(arguments, &summary)?;
    Ok(exit_code(&summary))
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn exit_code(summary: &Summary) -> u8 {
    match (summary.errors, summary.failed) {
        (0, 0) => OK,
        (0, _) => FAILED,
        _ => UNCHECKED,
    }
}

/// Whether each input can be opened, before anything is written.
fn check_inputs(inputs: &[Input], arguments: &Verify) -> Result<(), Failure> {
    let stdins = inputs.iter().filter(|input| **input == Input::Stdin).count();
    if stdins > 1 {
        return Err(Failure::new(USAGE, "standard input can be named only once"));
    }
    if stdins > 0 && arguments.resume {
        return Err(Failure::new(
            USAGE,
            "a run over standard input cannot be resumed: its input is gone",
        ));
    }
    for input in inputs {
        let Input::File(path) = input else { continue };
        let opened = File::open(path).and_then(|file| file.metadata());
        match opened {
            Err(error) => {
                return Err(Failure::caused(
                    NO_INPUT,
                    format!("{} cannot be opened", path.display()),
                    error,
                ));
            }
            Ok(meta) if meta.is_dir() => {
                return Err(Failure::new(
                    NO_INPUT,
                    format!("{} is a folder; name files", path.display()),
                ));
            }
            Ok(_) => {}
        }
        if let Some(output) = &arguments.output
            && is_same_file(path, output)
        {
            return Err(Failure::new(
                USAGE,
                "the output would overwrite an input; name another file with -o",
            ));
        }
    }
    Ok(())
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn record_form(arguments: &Verify, verifier: &Verifier) -> Result<RecordForm, Failure> {
    let Some(path) = &arguments.contract else {
        return Ok(RecordForm::Request);
    };
    let text = std::fs::read(path)
        .map_err(|error| Failure::caused(NO_INPUT, format!("{} cannot be opened", path.display()), error))?;
    let contract = Contract::parse(&text, verifier.schemas()).map_err(|problem| {
        let faults: Vec<String> = problem
            .fields
            .iter()
            .map(|f| format!("{} {}. {}", f.field, f.problem, f.fix))
            .collect();
        Failure::new(
            DATA,
            format!(
                "the contract {} cannot be used: {}",
                path.display(),
                faults.join(" ")
            ),
        )
    })?;
    let contract = Arc::new(contract);
    if !arguments.outputs {
        return Ok(RecordForm::Delivery(contract));
    }
    if let Some(pointer) = arguments
        .task_id
        .as_ref()
        .filter(|pointer| !pointer.starts_with('/'))
    {
        let fix = "write it like /id or /order/number";
        return Err(Failure::new(
            USAGE,
            format!("--task-id {pointer} is not a JSON pointer: {fix}"),
        ));
    }
    Ok(RecordForm::Output(OutputForm {
        contract,
        task_id_pointer: arguments.task_id.clone(),
        agent_id: arguments.agent_id.clone(),
        detail: match arguments.detail {
            DetailArgument::Full => Detail::Full,
            DetailArgument::Compact => Detail::Compact,
        },
    }))
}

/// Where the answers go.
enum Output {
    Stdout(BufWriter<io::Stdout>),
    File {
        path: PathBuf,
        writer: BufWriter<File>,
        answers: u64,
    },
}

/// Bytes of answers gathered for one write.
const WRITE_BUFFER_BYTES: usize = 1024 * 1024;

impl Output {
    fn open(arguments: &Verify) -> Result<Output, Failure> {
        let Some(path) = &arguments.output else {
            return Ok(Output::Stdout(BufWriter::with_capacity(
                WRITE_BUFFER_BYTES,
                io::stdout(),
            )));
        };
        let failure = |error| Failure::caused(IO, format!("{} cannot be written", path.display()), error);
        let (file, answers) = if arguments.resume {
            let resumed = resume::open_output(path).map_err(failure)?;
            (resumed.file, resumed.answers)
        } else {
            (File::create(path).map_err(failure)?, 0)
        };
        let writer = BufWriter::with_capacity(WRITE_BUFFER_BYTES, file);
        Ok(Output::File {
            path: path.clone(),
            writer,
            answers,
        })
    }

    /// Answers that it holds already.
    fn answers(&self) -> u64 {
        match self {
            Output::Stdout(_) => 0,
            Output::File { answers, .. } => *answers,
        }
    }

    fn writer(&mut self) -> &mut (dyn Write + Send) {
        match self {
            Output::Stdout(writer) => writer,
            Output::File { writer, .. } => writer,
        }
    }

    /// Makes sure that a file is on the disk.
    fn finish(self) -> Result<(), Failure> {
        let Output::File { path, writer, .. } = self else {
            return Ok(());
        };
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error);
        let synced = file.and_then(|file| match file.sync_data() {
            // A pipe or a device has nothing to synchronise.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other,
        });
        synced.map_err(|error| Failure::caused(IO, format!("{} cannot be written", path.display()), error))
    }
}

/// Notes in the ledger that a run into a file begins, or finds the interrupted one that is taken up.
fn begin_run(
    arguments: &Verify,
    inputs: &[Input],
    ledger: Option<&mut Ledger>,
) -> Result<Option<Run>, Failure> {
    let (Some(ledger), Some(output)) = (ledger, &arguments.output) else {
        return Ok(None);
    };
    let failure = |error| Failure::caused(CONFIG, "the run cannot be noted", error);
    let name = output_name(output)?;
    let fingerprint = fingerprint(arguments, inputs)?;
    if arguments.resume && output.exists() {
        let known = ledger.find_run(&name).map_err(failure)?;
        let Some(run) = known else {
            let what = format!(
                "{} was not written by a run that this data folder knows",
                output.display()
            );
            return Err(Failure::new(
                USAGE,
                format!("{what}; use its data folder, or begin anew without --resume"),
            ));
        };
        if run.inputs != fingerprint {
            let what = "the inputs or the options are not those of the interrupted run";
            return Err(Failure::new(
                USAGE,
                format!("{what}; run it without --resume to begin anew"),
            ));
        }
        return Ok(Some(run));
    }
    ledger
        .begin_run(&name, &fingerprint, now())
        .map(Some)
        .map_err(failure)
}

/// The output's name in the ledger: its place, however the command line writes it, and whether it is there or not.
fn output_name(path: &Path) -> Result<PathBuf, Failure> {
    let failure = |error| Failure::caused(IO, format!("{} cannot be written", path.display()), error);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let name = path
        .file_name()
        .ok_or_else(|| failure(io::Error::from(io::ErrorKind::InvalidInput)))?;
    Ok(folder.canonicalize().map_err(failure)?.join(name))
}

/// What must be the same when a run is taken up: the inputs by name, size and time of change, and what is asked.
fn fingerprint(arguments: &Verify, inputs: &[Input]) -> Result<String, Failure> {
    let mut text = String::new();
    let files = inputs.iter().filter_map(|input| match input {
        Input::File(path) => Some(path),
        Input::Stdin => None,
    });
    for path in files.chain(&arguments.contract) {
        let failure =
            |error| Failure::caused(NO_INPUT, format!("{} cannot be opened", path.display()), error);
        let path = path.canonicalize().map_err(failure)?;
        let meta = std::fs::metadata(&path).map_err(failure)?;
        let changed = meta
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let changed = changed.unwrap_or_default().as_nanos();
        text.push_str(&format!("{} {} bytes {changed}\n", path.display(), meta.len()));
    }
    let Verify {
        outputs,
        task_id,
        agent_id,
        detail,
        ..
    } = arguments;
    text.push_str(&format!("outputs {outputs} {task_id:?} {agent_id:?} {detail:?}"));
    Ok(text)
}

fn run_failure(arguments: &Verify, error: RunError) -> Failure {
    let code = match &error {
        RunError::Read(_) | RunError::Write(_) => IO,
        RunError::Ledger(_) => CONFIG,
        RunError::OutputAhead(_) => USAGE,
        RunError::Threads(_) => SOFTWARE,
    };
    let hint = match &arguments.output {
        Some(_) if code != USAGE => "the run stopped; what is written is whole, and --resume takes it up",
        _ => "the run stopped",
    };
    Failure::caused(code, hint, error)
}

fn show_progress(arguments: &Verify) -> bool {
    let into_terminal = arguments.output.is_none() && io::stdout().is_terminal();
    !arguments.quiet && !arguments.json && io::stderr().is_terminal() && !into_terminal
}

fn report(arguments: &Verify, summary: &Summary) -> Result<(), Failure> {
    if arguments.json {
        let mut text = summary_text::json(summary);
        text.push('\n');
        if arguments.output.is_some() {
            return terminal::print(text.as_bytes());
        }
        terminal::note(text.trim_end());
    } else if !arguments.quiet {
        terminal::note(&summary_text::words(summary));
    }
    Ok(())
}
