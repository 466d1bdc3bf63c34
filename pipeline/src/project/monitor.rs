//! What can be seen of a projector from outside: its health, its numbers, and what it has to say.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use assay_ledger::clickhouse::FaultClass;

use super::record::Letter;
use crate::clock::now_millis;
use crate::lock::lock;

/// Something that an operator should hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Nothing is stored until an operator acts; nothing is lost meanwhile.
    Held {
        /// What has to be mended.
        reason: String,
    },
    /// The server is not well; the batch is tried again.
    Retrying {
        /// What it said.
        reason: String,
    },
    /// Storing works again.
    Recovered,
    /// Records went to the dead letters.
    DeadLetters {
        /// How many, in this batch.
        count: usize,
        /// The partition of the first in the receipts topic.
        partition: i32,
        /// Its offset.
        offset: i64,
        /// Why, for programs.
        code: &'static str,
        /// Why, for people.
        message: String,
    },
    /// The broker has something to say.
    Broker(String),
}

/// How a projector is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// No partition was assigned yet.
    Starting,
    /// There is nothing to do.
    Idle,
    /// Records are stored.
    Working,
    /// An operator has to act.
    Held(String),
    /// There is something to do and nothing was stored for so long.
    Stalled(Duration),
}

/// What is seen of a projector from outside. Shared by its threads and whoever watches.
pub struct Monitor {
    began: Instant,
    notify: Box<dyn Fn(Notice) + Send + Sync>,
    held: Mutex<Option<String>>,
    failing: Mutex<bool>,
    /// Milliseconds after `began` at which something was last stored.
    progress_at: AtomicU64,
    waiting: AtomicI64,
    partitions: AtomicU64,
    rows: AtomicU64,
    dead_letters: AtomicU64,
}

impl Monitor {
    /// Without progress for so long while there is something to do, a projector is stalled.
    pub const STALLED_AFTER: Duration = Duration::from_secs(60);

    /// A monitor whose notices go to `notify`, which is called from any thread and must not block.
    pub fn new(notify: impl Fn(Notice) + Send + Sync + 'static) -> Monitor {
        metrics::describe_counter!("assay_project_rows_total", "Receipts that were stored");
        metrics::describe_counter!("assay_project_inserts_total", "Inserts that were acknowledged");
        metrics::describe_counter!("assay_project_retries_total", "Inserts that failed, by class");
        metrics::describe_counter!(
            "assay_project_dead_letters_total",
            "Records that could not be stored, by code"
        );
        metrics::describe_histogram!("assay_project_batch_rows", "Receipts of one insert");
        metrics::describe_histogram!("assay_project_insert_seconds", "How long an insert took");
        metrics::describe_gauge!(
            "assay_project_delay_seconds",
            "Age of the newest stored record by its Kafka timestamp"
        );
        metrics::describe_gauge!(
            "assay_project_lag_records",
            "Offsets between what is stored and the end of the owned partitions"
        );
        metrics::describe_gauge!("assay_project_partitions", "Partitions that are owned");
        metrics::describe_gauge!("assay_project_queue_bytes", "Bytes of records in memory");
        metrics::describe_gauge!("assay_project_held", "1 while an operator has to act");
        Monitor {
            began: Instant::now(),
            notify: Box::new(notify),
            held: Mutex::default(),
            failing: Mutex::default(),
            progress_at: AtomicU64::new(0),
            waiting: AtomicI64::new(0),
            partitions: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            dead_letters: AtomicU64::new(0),
        }
    }

    /// How it is.
    pub fn state(&self) -> State {
        if let Some(reason) = &*lock(&self.held) {
            return State::Held(reason.clone());
        }
        if self.partitions.load(Ordering::Relaxed) == 0 {
            return State::Starting;
        }
        if self.waiting.load(Ordering::Relaxed) == 0 {
            return State::Idle;
        }
        let idle = self.without_progress();
        if idle > Monitor::STALLED_AFTER {
            State::Stalled(idle)
        } else {
            State::Working
        }
    }

    /// How long nothing was stored.
    pub fn without_progress(&self) -> Duration {
        let at = Duration::from_millis(self.progress_at.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(at)
    }

    /// Records that wait in the partitions owned.
    pub fn waiting(&self) -> u64 {
        u64::try_from(self.waiting.load(Ordering::Relaxed)).unwrap_or_default()
    }

    /// Receipts that were stored.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Records that went to the dead letters.
    pub fn dead_letters(&self) -> u64 {
        self.dead_letters.load(Ordering::Relaxed)
    }

    /// Says something to the operator.
    pub(super) fn notify(&self, notice: Notice) {
        (self.notify)(notice);
    }

    pub(super) fn note_stored(&self, rows: usize, took: Duration) {
        metrics::counter!("assay_project_rows_total").increment(rows as u64);
        metrics::counter!("assay_project_inserts_total").increment(1);
        metrics::histogram!("assay_project_batch_rows").record(rows as f64);
        metrics::histogram!("assay_project_insert_seconds").record(took.as_secs_f64());
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
        self.note_progress();
        let was_held = lock(&self.held).take().is_some();
        let was_failing = std::mem::take(&mut *lock(&self.failing));
        metrics::gauge!("assay_project_held").set(0.0);
        if was_held || was_failing {
            self.notify(Notice::Recovered);
        }
    }

    pub(super) fn note_progress(&self) {
        let at = self.began.elapsed().as_millis() as u64;
        self.progress_at.store(at, Ordering::Relaxed);
    }

    pub(super) fn note_failure(&self, class: FaultClass, reason: &str) {
        metrics::counter!("assay_project_retries_total", "class" => class.name()).increment(1);
        if class == FaultClass::Transient {
            let was_failing = std::mem::replace(&mut *lock(&self.failing), true);
            if !was_failing {
                self.notify(Notice::Retrying {
                    reason: reason.to_owned(),
                });
            }
        }
    }

    /// Notes that nothing goes on before an operator acts.
    pub(super) fn hold(&self, reason: &str) {
        metrics::gauge!("assay_project_held").set(1.0);
        let before = lock(&self.held).replace(reason.to_owned());
        if before.as_deref() != Some(reason) {
            self.notify(Notice::Held {
                reason: reason.to_owned(),
            });
        }
    }

    /// Notes dead letters that are safe; an operator hears of the first of them.
    pub(super) fn note_dead_letters(&self, letters: &[Letter<'_>]) {
        let Some((record, refusal)) = letters.first() else {
            return;
        };
        for (_, refusal) in letters {
            metrics::counter!("assay_project_dead_letters_total", "code" => refusal.code).increment(1);
        }
        self.dead_letters
            .fetch_add(letters.len() as u64, Ordering::Relaxed);
        self.note_progress();
        self.notify(Notice::DeadLetters {
            count: letters.len(),
            partition: record.partition,
            offset: record.offset,
            code: refusal.code,
            message: refusal.message.clone(),
        });
    }

    /// Notes what is waiting: records up to the end of the owned partitions, and bytes in memory.
    pub(super) fn note_queue(&self, partitions: usize, lag: i64, bytes: usize) {
        let is_waiting = lag > 0 || bytes > 0;
        if !is_waiting {
            self.note_progress();
        }
        self.partitions.store(partitions as u64, Ordering::Relaxed);
        self.waiting.store(i64::from(is_waiting), Ordering::Relaxed);
        metrics::gauge!("assay_project_partitions").set(partitions as f64);
        metrics::gauge!("assay_project_lag_records").set(lag as f64);
        metrics::gauge!("assay_project_queue_bytes").set(bytes as f64);
    }

    pub(super) fn note_delay(&self, newest_millis: i64) {
        let delay = now_millis().saturating_sub(newest_millis);
        metrics::gauge!("assay_project_delay_seconds").set(delay as f64 / 1_000.0);
    }
}
