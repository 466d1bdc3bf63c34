//! The projector: reads, collects, hands over to be stored, commits.
//!
//! One thread does all this and nothing that waits for the store, so the group is always served. An offset is committed
//! when every record before it is stored or a dead letter, never earlier.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use assay_ledger::clickhouse::ClickHouse;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use rdkafka::ClientConfig;
use rdkafka::consumer::CommitMode;
use rdkafka::error::KafkaError;

use super::batch::{Batch, Collector};
use super::dead_letter::DeadLetters;
use super::monitor::{Monitor, Notice};
use super::positions::{Positions, Span};
use super::record::TopicRecord;
use super::settings::{BATCHES_IN_MEMORY, ProjectSettings, STORERS};
use super::source::{Event, Source};
use super::storer::{Outcome, Pace, Storer};

/// How often positions are committed and numbers published.
const TICK: Duration = Duration::from_millis(500);

/// How long the group is waited for when there is nothing to read.
const IDLE_WAIT: Duration = Duration::from_millis(20);

/// Records of one partition that are read before it is another one's turn.
const RECORDS_A_TURN: usize = 1_000;

/// Why a projector cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The settings of the broker's client cannot be used.
    #[error("the settings for the broker cannot be used")]
    Settings(#[source] KafkaError),
    /// A thread ended that must not.
    #[error("a thread that stores batches has ended; this is a fault of the program")]
    Storer,
}

/// When a projector ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It does not.
    Never,
    /// When there was nothing to do for so long.
    Idle(Duration),
    /// When every partition was read to its end.
    OfTopic,
}

/// A batch that came to its end.
struct Finished {
    number: u64,
    outcome: Outcome,
    /// The greatest time of its records.
    newest: Option<i64>,
}

/// A batch that is on its way.
struct UnderWay {
    spans: Vec<Span>,
    bytes: usize,
    is_void: std::sync::Arc<AtomicBool>,
}

/// Stores the receipts of a topic until `stop` is set or the settings end it.
///
/// # Errors
/// [`ProjectError`]. Whatever the server of the receipts says is no error: it is waited for.
pub fn project(
    ledger: &ClickHouse,
    kafka: &ClientConfig,
    settings: &ProjectSettings,
    monitor: &Monitor,
    stop: &AtomicBool,
) -> Result<(), ProjectError> {
    let end = settings.until_idle.map_or(End::Never, End::Idle);
    run(ledger, kafka, settings, monitor, stop, end)
}

pub(super) fn run(
    ledger: &ClickHouse,
    kafka: &ClientConfig,
    settings: &ProjectSettings,
    monitor: &Monitor,
    stop: &AtomicBool,
    end: End,
) -> Result<(), ProjectError> {
    let dead_letters = DeadLetters::new(kafka, &settings.dead_letters, &settings.receipts)
        .map_err(ProjectError::Settings)?;
    let source = Source::join(kafka, &settings.group, &settings.receipts).map_err(ProjectError::Settings)?;
    let pace = Pace::default();
    let abandon = AtomicBool::new(false);
    let (work, batches) = bounded(1);
    let (done, finished) = unbounded();
    std::thread::scope(|scope| {
        for _ in 0..STORERS {
            let (batches, done): (Receiver<Batch>, Sender<Finished>) = (batches.clone(), done.clone());
            let mut storer = Storer {
                sink: ledger,
                rejections: &dead_letters,
                monitor,
                pace: &pace,
                abandon: &abandon,
                is_checked: false,
                refused_in_a_row: 0,
            };
            scope.spawn(move || {
                for batch in batches {
                    let finished = Finished {
                        number: batch.number,
                        outcome: storer.store(&batch),
                        newest: batch.records.iter().filter_map(|record| record.timestamp).max(),
                    };
                    if done.send(finished).is_err() {
                        break;
                    }
                }
            });
        }
        drop((batches, done));
        let projector = Projector {
            source,
            settings,
            monitor,
            pace: &pace,
            work,
            finished,
            positions: Positions::default(),
            collector: Collector::new(settings.batch_rows, settings.batch_bytes),
            under_way: BTreeMap::new(),
            ended: BTreeSet::new(),
            last_trouble: None,
            last_activity: Instant::now(),
        };
        let result = projector.run(stop, end);
        // What is still under way has had its time.
        abandon.store(true, Ordering::Relaxed);
        result
    })
}

struct Projector<'p> {
    source: Source,
    settings: &'p ProjectSettings,
    monitor: &'p Monitor,
    pace: &'p Pace,
    work: Sender<Batch>,
    finished: Receiver<Finished>,
    positions: Positions,
    collector: Collector,
    under_way: BTreeMap<u64, UnderWay>,
    /// Partitions whose end was seen since they were assigned.
    ended: BTreeSet<i32>,
    last_trouble: Option<(String, Instant)>,
    last_activity: Instant,
}

impl Projector<'_> {
    fn run(mut self, stop: &AtomicBool, end: End) -> Result<(), ProjectError> {
        let mut records = Vec::new();
        let mut next_tick = Instant::now();
        let mut wait = Duration::ZERO;
        let mut deadline = None;
        loop {
            let events = self.source.serve(wait, &mut records);
            for event in events {
                self.take_event(event);
            }
            self.take_finished();
            let is_stopping = stop.load(Ordering::Relaxed);
            if !is_stopping {
                self.read(&mut records);
            }
            let is_busy = !records.is_empty();
            self.collect(&mut records, is_stopping);
            // At the end of the topic nothing more comes that a batch could wait for.
            self.hand_over(is_stopping || end == End::OfTopic && self.is_at_end())?;
            let now = Instant::now();
            if now >= next_tick {
                self.tick();
                next_tick = now + TICK;
            }
            let is_done = self.collector.is_empty() && self.under_way.is_empty();
            if is_stopping {
                let deadline = *deadline.get_or_insert(now + self.settings.drain);
                if is_done || now >= deadline {
                    break;
                }
            } else if is_done && self.is_at(end, now) {
                break;
            }
            wait = if is_busy { Duration::ZERO } else { IDLE_WAIT };
        }
        self.commit_last();
        Ok(())
    }

    fn take_event(&mut self, event: Event) {
        match event {
            Event::Assigned(partition) => {
                self.positions.assign(partition);
                self.ended.remove(&partition);
                self.last_activity = Instant::now();
            }
            Event::Revoked(partition) => {
                self.positions.revoke(partition);
                self.collector.drop_partition(partition);
                self.ended.remove(&partition);
                self.void_what_nobody_waits_for();
            }
            Event::Committed(partition, next) => self.positions.note_committed(partition, next),
            Event::End(partition) => {
                self.ended.insert(partition);
            }
            Event::Trouble(words) => self.tell(words),
        }
    }

    /// Tells the broker's words once, and again when they come again after a while.
    fn tell(&mut self, words: String) {
        const REPEAT_AFTER: Duration = Duration::from_secs(60);
        let is_known = |(known, at): &(String, Instant)| *known == words && at.elapsed() < REPEAT_AFTER;
        if self.last_trouble.as_ref().is_some_and(is_known) {
            return;
        }
        self.last_trouble = Some((words.clone(), Instant::now()));
        self.monitor.notify(Notice::Broker(words));
    }

    /// Calls off batches all of whose partitions have gone.
    fn void_what_nobody_waits_for(&mut self) {
        for batch in self.under_way.values() {
            if !batch.spans.iter().any(|span| self.positions.is_current(span)) {
                batch.is_void.store(true, Ordering::Relaxed);
            }
        }
    }

    fn take_finished(&mut self) {
        while let Ok(finished) = self.finished.try_recv() {
            let Some(batch) = self.under_way.remove(&finished.number) else {
                continue;
            };
            if finished.outcome == Outcome::Done {
                self.positions.finish(finished.number, &batch.spans);
                if let Some(newest) = finished.newest {
                    self.monitor.note_delay(newest);
                }
            }
            self.last_activity = Instant::now();
        }
    }

    fn bytes_in_memory(&self) -> usize {
        self.collector.bytes() + self.under_way.values().map(|batch| batch.bytes).sum::<usize>()
    }

    /// Reads while there is room.
    fn read(&mut self, records: &mut Vec<TopicRecord>) {
        let budget = self.settings.batch_bytes.saturating_mul(BATCHES_IN_MEMORY);
        for _ in 0..self.source.partitions() {
            let read: usize = records.iter().map(TopicRecord::size).sum();
            if self.collector.is_full() || self.bytes_in_memory() + read >= budget {
                return;
            }
            self.source.read(RECORDS_A_TURN, records);
        }
    }

    fn collect(&mut self, records: &mut Vec<TopicRecord>, is_stopping: bool) {
        let now = Instant::now();
        for record in records.drain(..) {
            // What is read while it stops is left to the next run, and so is what belongs to nobody here.
            if let Some(epoch) = self.positions.epoch(record.partition).filter(|_| !is_stopping) {
                self.ended.remove(&record.partition);
                self.collector.push(record, epoch, now);
                self.last_activity = now;
            }
        }
    }

    /// Hands the batch over when it is due and somebody is free.
    fn hand_over(&mut self, at_once: bool) -> Result<(), ProjectError> {
        let max_age = self.settings.batch_age * self.pace.factor();
        let is_due = self.collector.is_due(Instant::now(), max_age) || at_once;
        if self.collector.is_empty() || !is_due || self.under_way.len() >= STORERS {
            return Ok(());
        }
        let batch = self.collector.take();
        self.positions.begin(batch.number, &batch.spans);
        let under_way = UnderWay {
            spans: batch.spans.clone(),
            bytes: batch.bytes,
            is_void: std::sync::Arc::clone(&batch.is_void),
        };
        self.under_way.insert(batch.number, under_way);
        // There are never more batches than storers, so this waits for nobody.
        self.work.send(batch).map_err(|_| ProjectError::Storer)
    }

    fn tick(&mut self) {
        let positions = self.positions.to_commit();
        if !positions.is_empty()
            && let Err(error) = self.source.commit(&positions, CommitMode::Async)
        {
            self.tell(format!("a commit failed and is repeated: {error}"));
        }
        let lag: i64 = self
            .source
            .ends()
            .into_iter()
            .filter_map(|(partition, end)| Some(end - self.positions.finished(partition)?))
            .map(|lag| lag.max(0))
            .sum();
        self.monitor
            .note_queue(self.positions.assigned(), lag, self.bytes_in_memory());
    }

    /// Whether every partition was read to its end.
    fn is_at_end(&self) -> bool {
        self.positions.assigned() > 0 && self.ended.len() == self.positions.assigned()
    }

    fn is_at(&self, end: End, now: Instant) -> bool {
        match end {
            End::Never => false,
            End::Idle(limit) => now.saturating_duration_since(self.last_activity) >= limit,
            End::OfTopic => self.is_at_end(),
        }
    }

    /// Commits what is stored and waits for it.
    fn commit_last(&mut self) {
        self.take_finished();
        let positions = self.positions.to_commit();
        if !positions.is_empty()
            && let Err(error) = self.source.commit(&positions, CommitMode::Sync)
        {
            self.tell(format!(
                "the last commit failed; the records are stored again, which changes nothing: {error}"
            ));
        }
    }
}
