//! A run over topics: makes the clients, wires the stages, and ends them in order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assay_engine::receipt::Signer;
use assay_engine::verifier::Verifier;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::producer::ThreadedProducer;

use super::budget::Budget;
use super::consume::{GroupContext, Intake, Reader, leave};
use super::contracts::{ContractError, ContractTopic, Contracts};
use super::deliver::{Deliverer, Outputs, ReportContext};
use super::error::StreamError;
use super::health::Health;
use super::ownership::Ownership;
use super::settings::{Delivery, StreamSettings};
use super::verify::Stage;
use crate::kafka::{
    ConnectError, KafkaSettings, TopicLimit, group_consumer_config, partitions, producer_config,
};
use crate::lock::lock;

/// Tells a run to end; clones share it.
#[derive(Clone, Debug, Default)]
pub struct StopSignal {
    flag: Arc<AtomicBool>,
    since: Arc<Mutex<Option<Instant>>>,
}

impl StopSignal {
    /// A signal that is also given by setting the flag, as a signal handler does.
    pub fn on(flag: Arc<AtomicBool>) -> StopSignal {
        StopSignal {
            flag,
            since: Arc::default(),
        }
    }

    /// Ends the run: what is under way is committed, nothing more is read.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the run is to end.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether the run was to end longer ago than that.
    pub(crate) fn is_overdue(&self, at_most: Duration) -> bool {
        if !self.is_set() {
            return false;
        }
        let mut since = lock(&self.since);
        since.get_or_insert_with(Instant::now).elapsed() > at_most
    }
}

/// How a run is to go.
#[derive(Clone, Debug, Default)]
pub struct Mode {
    /// Ends the run when there was nothing to do for so long.
    pub until_idle: Option<Duration>,
    /// Answers with the records themselves: what everything but the checking costs.
    pub is_copy: bool,
}

/// What a run works with.
pub struct Setup<'r> {
    /// The cluster.
    pub kafka: &'r KafkaSettings,
    /// The stream.
    pub settings: &'r StreamSettings,
    /// How it is to go.
    pub mode: &'r Mode,
    /// Checks.
    pub verifier: &'r Verifier,
    /// Signs.
    pub signer: &'r Signer,
    /// Tells this process from every other, if it has no instance name.
    pub process_id: &'r str,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamSummary {
    /// Receipts that say pass.
    pub passed: u64,
    /// Receipts that say fail.
    pub failed: u64,
    /// Records that could not be checked.
    pub dead_letters: u64,
    /// Answers that were dropped because their partition was lost; its new owner answers the records.
    pub dropped: u64,
    /// Transactions that were aborted and made again.
    pub aborts: u64,
    /// How long it took.
    pub elapsed: Duration,
}

/// The largest batch of one request to a broker.
const REQUEST_BYTES_MAX: usize = 1_000_000;

/// The share of the budget that librdkafka may fill by fetching ahead.
const PREFETCH_SHARE: usize = 4;

/// Runs until told to stop.
///
/// # Errors
/// Why it ended otherwise. What is committed then is whole.
pub fn run(setup: &Setup<'_>, health: &Health, stop: &StopSignal) -> Result<StreamSummary, StreamError> {
    let Setup {
        kafka,
        settings,
        mode,
        verifier,
        signer,
        process_id,
    } = *setup;
    let started = Instant::now();
    let name = settings.instance.as_deref().unwrap_or(process_id);
    let client_id = format!("assay-{name}");
    let contracts = Contracts::default();
    if let Some(folder) = &settings.contracts {
        contracts.read_folder(folder, verifier.schemas())?;
    }
    let contract_topic = match &settings.contract_topic {
        None => None,
        Some(topic) => {
            let opened = ContractTopic::open(kafka, topic, &settings.group)?;
            opened.read_to_end(&contracts, verifier.schemas())?;
            Some(opened)
        }
    };
    let default_contract = default_contract(settings, &contracts)?;

    let budget = Budget::new(settings.queue_bytes - settings.queue_bytes / PREFETCH_SHARE);
    let ownership = Arc::new(Ownership::default());
    let (batch_sender, batches) = crossbeam_channel::bounded(1);
    let (answer_sender, answers) = crossbeam_channel::bounded(1);
    let intake = Arc::new(Intake::new(
        settings,
        batch_sender,
        Arc::clone(&ownership),
        health.clone(),
        budget.clone(),
    ));
    let (prefetch_kbytes, outputs) = look_at_topics(kafka, settings, &client_id)?;
    let setting = ConnectError::Setting;
    let config =
        group_consumer_config(kafka, &client_id, &settings.group, prefetch_kbytes).map_err(setting)?;
    let consumer: BaseConsumer<GroupContext> = config
        .create_with_context(GroupContext(Arc::clone(&intake)))
        .map_err(ConnectError::Client)?;
    let consumer = Arc::new(consumer);

    let transactional_id = format!("assay-{}-{name}", settings.group);
    let is_transactional = settings.delivery == Delivery::ExactlyOnce;
    let known_limits = [outputs.receipt_bytes, outputs.letter_bytes]
        .into_iter()
        .flatten();
    let batch_bytes = known_limits.fold(REQUEST_BYTES_MAX, usize::min).max(1_024);
    let config = producer_config(
        kafka,
        &client_id,
        is_transactional.then_some(transactional_id.as_str()),
        batch_bytes,
    )
    .map_err(setting)?;
    let reports = ReportContext::default();
    let producer: ThreadedProducer<ReportContext> = config
        .create_with_context(reports.clone())
        .map_err(ConnectError::Client)?;
    let deliverer = Deliverer {
        producer,
        reports,
        consumer: Arc::clone(&consumer),
        ownership,
        health: health.clone(),
        budget: budget.clone(),
        outputs,
        delivery: settings.delivery,
        instance: settings.instance.clone(),
        stop: stop.clone(),
        drain: Duration::from_secs(settings.drain_seconds),
    };
    deliverer.prepare()?;

    let jobs = settings
        .jobs
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
        .max(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .thread_name(|index| format!("verify-{index}"))
        .stack_size(crate::run::WORKER_STACK_BYTES)
        .build()
        .map_err(StreamError::Threads)?;
    let stage = Stage {
        verifier,
        signer,
        contracts: &contracts,
        default_contract,
        form: settings.form,
        pool: &pool,
        workers: (0..jobs).map(|_| Mutex::new(verifier.worker())).collect(),
        is_copy: mode.is_copy,
    };
    let topics: Vec<&str> = settings.input.iter().map(String::as_str).collect();
    consumer.subscribe(&topics).map_err(ConnectError::Client)?;
    let reader = Reader {
        consumer: Arc::clone(&consumer),
        intake,
        stop: stop.clone(),
        until_idle: mode.until_idle,
        wake: crossbeam_channel::bounded(1),
    };
    let is_done = AtomicBool::new(false);
    let (read, delivered) = std::thread::scope(|threads| {
        if let Some(topic) = &contract_topic {
            threads.spawn(|| topic.follow(&contracts, verifier.schemas(), &is_done));
        }
        let reading = threads.spawn(|| reader.run());
        let (stage, work_budget) = (&stage, &budget);
        // The thread owns its ends of the channels, so that its end is seen on both sides.
        threads.spawn(move || stage.run(&batches, &answer_sender, work_budget));
        let delivered = deliverer.run(&answers);
        // A writer that cannot go on ends the others: the reader by the flag, the workers by the end of the channel.
        if delivered.is_err() {
            stop.set();
            deliverer.ownership.abandon();
        }
        drop(answers);
        let read = reading.join();
        is_done.store(true, Ordering::Relaxed);
        (read, delivered)
    });
    let read = read.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    if let Err(error) = leave(&consumer) {
        tracing::warn!("the group could not be left in order: {error}");
    }
    let mut summary = delivered?;
    read?;
    summary.elapsed = started.elapsed();
    Ok(summary)
}

fn default_contract(
    settings: &StreamSettings,
    contracts: &Contracts,
) -> Result<Option<(String, Option<String>)>, ContractError> {
    let Some(name) = &settings.default_contract else {
        return Ok(None);
    };
    let (id, version) = match name.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (name.as_str(), None),
    };
    if contracts.get(id, version).is_none() {
        return Err(ContractError::NoDefault(name.clone()));
    }
    Ok(Some((id.to_owned(), version.map(str::to_owned))))
}

/// Makes sure that every topic is there, and learns what the clients' settings depend on.
fn look_at_topics(
    kafka: &KafkaSettings,
    settings: &StreamSettings,
    client_id: &str,
) -> Result<(usize, Outputs), StreamError> {
    let config = producer_config(kafka, client_id, None, REQUEST_BYTES_MAX).map_err(ConnectError::Setting)?;
    let probe_config = crate::kafka::assigned_consumer_config(kafka, client_id, &settings.group)
        .map_err(ConnectError::Setting)?;
    let probe: BaseConsumer<crate::kafka::LogContext> = probe_config
        .create_with_context(crate::kafka::LogContext)
        .map_err(ConnectError::Client)?;
    let mut inputs = 0;
    for topic in &settings.input {
        inputs += partitions(kafka, &probe, topic)?.len();
    }
    for topic in [&settings.receipts, &settings.dead_letters] {
        partitions(kafka, &probe, topic)?;
    }
    let outputs = Outputs {
        receipts: settings.receipts.clone(),
        dead_letters: settings.dead_letters.clone(),
        receipt_bytes: TopicLimit::ask(&config, &settings.receipts).bytes,
        letter_bytes: TopicLimit::ask(&config, &settings.dead_letters).bytes,
    };
    // The bound holds for each partition; one process may come to hold them all.
    let prefetch = settings.queue_bytes / PREFETCH_SHARE / inputs.max(1) / 1_024;
    Ok((prefetch.clamp(64, 65_536), outputs))
}
