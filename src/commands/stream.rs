//! `assay stream`: topics of deliverables in, a topic of receipts out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_engine::hex::hex;
use assay_engine::verifier::Verifier;
use assay_pipeline::stream::health::{Health, State};
use assay_pipeline::stream::{
    Delivery, Form, Mode, Setup, StopSignal, StreamError, StreamSettings, StreamSummary, run as run_stream,
};

use crate::cli::stream::{DeliveryArgument, FormArgument, Stream};
use crate::commands::kafka;
use crate::failure::{CONFIG, DATA, Failure, OK, RESTART, SOFTWARE, USAGE};
use crate::settings::Global;
use crate::watch::{self, Standing, Stands, Status, show_status, watch_settings};
use crate::{settings, signals, terminal};

/// Runs the command.
pub(crate) fn run(global: &Global, arguments: &Stream) -> Result<u8, Failure> {
    let kafka_settings = kafka::settings(global, &arguments.brokers);
    let stream_settings = stream_settings(global, arguments);
    check(&stream_settings)?;
    let verifier = Verifier::new(settings::identity(global)?);
    let data = settings::open_data(global)?;
    let signer = settings::signer(global, &data)?;
    let stop_flag = signals::stop_flag(Duration::from_secs(stream_settings.drain_seconds) + GRACE)?;
    let health = Health::default();
    watch::start(
        &watch_settings(global, arguments.watch),
        arguments.quiet,
        stands(&health),
    )?;
    let line = show_status(arguments.quiet, status(&health));
    let mode = Mode {
        until_idle: arguments.until_idle.map(Duration::from_secs),
        is_copy: arguments.copy,
    };
    let process_id = hex(&settings::random_bytes()?);
    let setup = Setup {
        kafka: &kafka_settings,
        settings: &stream_settings,
        mode: &mode,
        verifier: &verifier,
        signer: &signer,
        process_id: &process_id,
    };
    let result = run_stream(&setup, &health, &StopSignal::on(stop_flag));
    drop(line);
    let summary = result.map_err(failure)?;
    if !arguments.quiet {
        terminal::note(&words(&summary));
    }
    Ok(OK)
}

/// What the client library is given beyond the time for draining, before the process ends without it.
const GRACE: Duration = Duration::from_secs(15);

fn stream_settings(global: &Global, arguments: &Stream) -> StreamSettings {
    let mut settings = global.config.stream.clone();
    let set = |to: &mut String, from: &Option<String>| {
        if let Some(from) = from {
            to.clone_from(from);
        }
    };
    set(&mut settings.group, &arguments.group);
    set(&mut settings.receipts, &arguments.receipts);
    set(&mut settings.dead_letters, &arguments.dead_letters);
    if !arguments.input.is_empty() {
        settings.input.clone_from(&arguments.input);
    }
    if let Some(delivery) = arguments.delivery {
        settings.delivery = match delivery {
            DeliveryArgument::ExactlyOnce => Delivery::ExactlyOnce,
            DeliveryArgument::AtLeastOnce => Delivery::AtLeastOnce,
        };
    }
    if let Some(form) = arguments.form {
        settings.form = match form {
            FormArgument::Request => Form::Request,
            FormArgument::Delivery => Form::Delivery,
            FormArgument::Output => Form::Output,
        };
    }
    if arguments.instance.is_some() {
        settings.instance.clone_from(&arguments.instance);
    }
    if let Some(jobs) = arguments.jobs {
        settings.jobs = Some(usize::from(jobs));
    }
    if arguments.contracts.is_some() {
        settings.contracts.clone_from(&arguments.contracts);
    }
    if arguments.contract_topic.is_some() {
        settings.contract_topic.clone_from(&arguments.contract_topic);
    }
    if arguments.default_contract.is_some() {
        settings.default_contract.clone_from(&arguments.default_contract);
    }
    if let Some(records) = arguments.batch_records {
        settings.batch_records = records as usize;
    }
    if let Some(seconds) = arguments.drain_seconds {
        settings.drain_seconds = seconds;
    }
    settings
}

/// What would make the stream feed itself, or mix its answers.
fn check(settings: &StreamSettings) -> Result<(), Failure> {
    let outputs = [&settings.receipts, &settings.dead_letters];
    if let Some(topic) = settings.input.iter().find(|topic| outputs.contains(topic)) {
        let what =
            format!("{topic} is both read and written; give receipts and dead letters topics of their own");
        return Err(Failure::new(USAGE, what));
    }
    if settings.receipts == settings.dead_letters {
        return Err(Failure::new(USAGE, "receipts and dead letters need two topics"));
    }
    Ok(())
}

fn failure(error: StreamError) -> Failure {
    match error {
        StreamError::Connect(error) => kafka::failure(error),
        StreamError::Contract(_) => Failure::caused(DATA, "the contracts cannot be used", error),
        StreamError::Threads(_) => Failure::caused(SOFTWARE, "the stream cannot start", error),
        StreamError::Fenced(_) => Failure::caused(CONFIG, "the stream ended", error),
        StreamError::Fatal(_) | StreamError::NotDrained => {
            Failure::caused(RESTART, "the stream ended", error)
        }
    }
}

fn words(summary: &StreamSummary) -> String {
    let records = summary.passed + summary.failed + summary.dead_letters;
    let seconds = summary.elapsed.as_secs_f64();
    let mut text = format!(
        "{records} records in {seconds:.1} s: {} passed, {} failed, {} dead letters",
        summary.passed, summary.failed, summary.dead_letters
    );
    if summary.aborts > 0 {
        text.push_str(&format!("; {} transactions made again", summary.aborts));
    }
    if summary.dropped > 0 {
        text.push_str(&format!("; {} answers left to other processes", summary.dropped));
    }
    text
}

/// How the stream stands, for the listener.
fn stands(health: &Health) -> Stands {
    let health = health.clone();
    Arc::new(move || {
        let status = match health.state() {
            State::Starting => Status::Starting,
            State::Idle => Status::Idle,
            State::Ready => Status::Working,
            State::Stalled => Status::Stalled,
            State::Stopping => Status::Ending,
        };
        Standing {
            status,
            reason: (status == Status::Stalled).then(|| "records wait, and nothing is committed".to_owned()),
            seconds_without_progress: health.without_progress().as_secs(),
            lag: u64::try_from(health.lag()).unwrap_or_default(),
        }
    })
}

/// What the line on the terminal says.
fn status(health: &Health) -> impl Fn() -> String + Send + 'static {
    let (health, started) = (health.clone(), Instant::now());
    move || {
        let rate = health.committed() as f64 / started.elapsed().as_secs_f64().max(f64::EPSILON);
        format!(
            "{} records, {rate:.0}/s, {} waiting",
            health.committed(),
            health.lag()
        )
    }
}
