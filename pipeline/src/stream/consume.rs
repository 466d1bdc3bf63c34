//! The reading stage: polls the group's consumer on a thread of its own and cuts batches.
//!
//! Each partition has a queue of its own, so that reading can stop while polling goes on: the group sees a live member, and
//! librdkafka stops fetching when its queues are full. A pause would throw away what was fetched, so it is left for long
//! stalls. On revocation the thread waits, inside librdkafka's callback, until what was read of the partitions is
//! committed; the partitions are handed over only then.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, SendTimeoutError, Sender, TrySendError};
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::base_consumer::PartitionQueue;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::message::{BorrowedMessage, Message};
use rdkafka::statistics::Statistics;
use rdkafka::topic_partition_list::TopicPartitionList;

use super::batch::{Batch, Partition};
use super::budget::Budget;
use super::error::StreamError;
use super::health::Health;
use super::measures;
use super::ownership::Ownership;
use super::run::StopSignal;
use super::settings::StreamSettings;
use crate::kafka::{SESSION_TIMEOUT_MS, log_event};
use crate::lock::lock;

/// Records taken from one partition before the next has its turn.
const TURN_RECORDS: usize = 256;

/// How long the thread sleeps when nothing came; a record wakes it, a rebalance does not.
const SLEEP: Duration = Duration::from_millis(20);

/// How long reading may be stopped before the partitions are paused.
const LONG_STALL: Duration = Duration::from_secs(15);

/// When a batch is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    records: usize,
    bytes: usize,
    age: Duration,
}

impl Limits {
    pub(crate) fn of(settings: &StreamSettings) -> Limits {
        Limits {
            records: settings.batch_records.max(1),
            bytes: settings.batch_bytes.max(1),
            age: Duration::from_millis(settings.batch_age_ms),
        }
    }

    fn is_full(&self, batch: &Batch) -> bool {
        batch.records.len() >= self.records || batch.size() >= self.bytes
    }
}

#[derive(Debug)]
struct Building {
    batch: Batch,
    /// Gone when no more batches are to come.
    next_stage: Option<Sender<Batch>>,
}

/// What the reading thread and the callbacks that run on it share.
pub(crate) struct Intake {
    building: Mutex<Building>,
    ownership: Arc<Ownership>,
    health: Health,
    limits: Limits,
    drain: Duration,
    /// Partitions that came or went since the thread looked last.
    changes: Mutex<Vec<Change>>,
    budget: Budget,
    /// Whether, by the last statistics, every partition held is being fetched and is read to its end.
    is_read_out: AtomicBool,
}

#[derive(Debug)]
enum Change {
    Assigned(Vec<Partition>),
    Gone(Vec<Partition>),
}

impl Intake {
    pub(crate) fn new(
        settings: &StreamSettings,
        next_stage: Sender<Batch>,
        ownership: Arc<Ownership>,
        health: Health,
        budget: Budget,
    ) -> Intake {
        // Half of the session leaves the coordinator time to hear of it.
        let drain =
            Duration::from_secs(settings.drain_seconds).min(Duration::from_millis(SESSION_TIMEOUT_MS / 2));
        Intake {
            building: Mutex::new(Building {
                batch: Batch::new(),
                next_stage: Some(next_stage),
            }),
            ownership,
            health,
            limits: Limits::of(settings),
            drain,
            changes: Mutex::default(),
            budget,
            is_read_out: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Building> {
        lock(&self.building)
    }

    fn changes(&self) -> MutexGuard<'_, Vec<Change>> {
        lock(&self.changes)
    }

    /// Takes a message, unless its partition is not ours or it was taken before.
    fn take(&self, building: &mut Building, partition: &Partition, message: &BorrowedMessage<'_>) {
        if let Some(lease) = self.ownership.read(partition, message.offset()) {
            self.budget.take(building.batch.push(partition, lease, message));
        }
    }

    /// Hands the batch on when it is due and the next stage is free.
    fn hand_on(&self, is_due: impl Fn(&Batch) -> bool) {
        let mut building = self.lock();
        if building.batch.records.is_empty() || !is_due(&building.batch) {
            return;
        }
        let Some(next_stage) = &building.next_stage else {
            return;
        };
        if next_stage.is_full() {
            return;
        }
        let next_stage = next_stage.clone();
        let batch = std::mem::replace(&mut building.batch, Batch::new());
        note_handed_on(&batch);
        match next_stage.try_send(batch) {
            Ok(()) => {}
            // Only this thread sends, so the room seen above is still there; without a receiver the run is ending.
            Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) => building.batch = batch,
        }
    }

    /// Hands the batch on whatever its size, and waits for the next stage to take it.
    fn force_on(&self, at_most: Duration) {
        let mut building = self.lock();
        if building.batch.records.is_empty() {
            return;
        }
        let Some(next_stage) = building.next_stage.clone() else {
            return;
        };
        let batch = std::mem::replace(&mut building.batch, Batch::new());
        note_handed_on(&batch);
        match next_stage.send_timeout(batch, at_most) {
            Ok(()) => {}
            Err(SendTimeoutError::Timeout(batch) | SendTimeoutError::Disconnected(batch)) => {
                building.batch = batch
            }
        }
    }

    /// No more batches come.
    fn close(&self) {
        self.lock().next_stage = None;
    }

    fn revoke(&self, partitions: Vec<Partition>, is_lost: bool) {
        if !is_lost && !partitions.is_empty() {
            let deadline = Instant::now() + self.drain;
            self.force_on(self.drain);
            let left = deadline.saturating_duration_since(Instant::now());
            if !self.ownership.wait_drained(&partitions, left) {
                tracing::warn!(
                    "revoked partitions were handed over before all that was read of them was committed"
                );
            }
        }
        self.ownership.remove(&partitions);
        for partition in &partitions {
            self.health.forget(&partition.topic, partition.number);
        }
        tracing::info!(count = partitions.len(), is_lost, "partitions were given up");
        self.changes().push(Change::Gone(partitions));
    }
}

fn note_handed_on(batch: &Batch) {
    measures::stage("read", batch.opened.elapsed());
    measures::batch(batch.records.len(), batch.size());
    measures::read(batch.records.len() as u64);
}

/// librdkafka's callbacks; all run on the reading thread, inside its polls.
#[derive(Clone)]
pub(crate) struct GroupContext(pub(crate) Arc<Intake>);

impl ClientContext for GroupContext {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        crate::kafka::log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        log_event(&error, reason);
    }

    fn stats(&self, statistics: Statistics) {
        let mut lags = BTreeMap::new();
        let is_busy = self.0.ownership.is_busy();
        let (mut fetched, mut read_out) = (0, 0);
        for topic in statistics.topics.values() {
            for partition in topic.partitions.values().filter(|partition| partition.desired) {
                // Only what is held: the statistics go on for a while about what was given up.
                let Some(committed) = self.0.ownership.committed(&topic.topic, partition.partition) else {
                    continue;
                };
                fetched += 1;
                // A reader of committed records sees none past the last stable offset.
                let end = if partition.ls_offset >= 0 {
                    partition.ls_offset
                } else {
                    partition.hi_offset
                };
                // The end may lie after markers of transactions, which are fetched and never given out; and a partition
                // whose offset is still being asked for has none.
                let is_active = partition.fetch_state == "active" && end >= 0;
                let has_all = is_active && partition.next_offset >= end && partition.fetchq_cnt == 0;
                if has_all && !is_busy {
                    read_out += 1;
                    lags.insert((topic.topic.clone(), partition.partition), 0);
                } else if end >= 0 {
                    let at = committed.unwrap_or(partition.committed_offset.max(partition.lo_offset));
                    lags.insert(
                        (topic.topic.clone(), partition.partition),
                        (end - at.max(0)).max(0),
                    );
                }
            }
        }
        let held = self.0.ownership.partitions().len();
        self.0
            .is_read_out
            .store(fetched == held && read_out == held, Ordering::Relaxed);
        measures::lag(lags.values().sum());
        measures::partitions(held);
        self.0.health.note_lags(lags);
    }
}

impl ConsumerContext for GroupContext {
    fn pre_rebalance(&self, consumer: &BaseConsumer<GroupContext>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Assign(list) => {
                let partitions = partitions_of(list);
                tracing::info!(count = partitions.len(), "partitions were assigned");
                self.0.ownership.add(&partitions);
                self.0.is_read_out.store(false, Ordering::Relaxed);
                self.0.health.note_joined();
                self.0.changes().push(Change::Assigned(partitions));
            }
            Rebalance::Revoke(list) => self.0.revoke(partitions_of(list), consumer.assignment_lost()),
            Rebalance::Error(error) => tracing::error!("the group cannot be rebalanced: {error}"),
        }
    }
}

fn partitions_of(list: &TopicPartitionList) -> Vec<Partition> {
    let elements = list.elements();
    let partition = |topic: &str, number| Partition {
        topic: topic.into(),
        number,
    };
    elements
        .iter()
        .map(|element| partition(element.topic(), element.partition()))
        .collect()
}

/// The reading thread.
pub(crate) struct Reader {
    pub(crate) consumer: Arc<BaseConsumer<GroupContext>>,
    pub(crate) intake: Arc<Intake>,
    pub(crate) stop: StopSignal,
    pub(crate) until_idle: Option<Duration>,
    pub(crate) wake: (Sender<()>, Receiver<()>),
}

impl Reader {
    /// Reads until told to stop, until nothing has come for long enough, or until the client cannot go on.
    pub(crate) fn run(self) -> Result<(), StreamError> {
        let result = self.read();
        self.intake.health.note_stopping();
        self.intake.force_on(self.intake.drain);
        self.intake.close();
        result
    }

    fn read(&self) -> Result<(), StreamError> {
        let mut queues: HashMap<Partition, PartitionQueue<GroupContext>> = HashMap::new();
        let mut paused: HashSet<Partition> = HashSet::new();
        let mut active = Instant::now();
        let mut blocked_since: Option<Instant> = None;
        let mut measured = Instant::now();
        while !self.stop.is_set() {
            let mut taken = 0;
            // Before the partitions' queues: what came before they were split stands in this one, in order.
            match self.consumer.poll(Duration::ZERO) {
                Some(Ok(message)) => {
                    let partition = partition_of(&message);
                    self.intake.take(&mut self.intake.lock(), &partition, &message);
                    taken += 1;
                }
                Some(Err(error)) => self.examine(&error)?,
                None => {}
            }
            self.apply_changes(&mut queues, &mut paused, &mut active);

            if self.may_read() {
                blocked_since = None;
                for (partition, queue) in &queues {
                    taken += self.take_turn(partition, queue)?;
                }
            } else {
                blocked_since.get_or_insert_with(Instant::now);
            }
            self.pause_or_resume(blocked_since, &mut paused);

            let limits = self.intake.limits;
            self.intake
                .hand_on(|batch| limits.is_full(batch) || batch.opened.elapsed() >= limits.age);
            let is_busy = self.intake.ownership.is_busy();
            if taken > 0 || is_busy {
                active = Instant::now();
            }
            if measured.elapsed() >= Duration::from_secs(1) {
                measured = Instant::now();
                self.intake.health.note_under_way(is_busy);
                measures::stalled(self.intake.health.without_progress().as_secs_f64());
                measures::queue_bytes(self.intake.budget.used());
            }
            if self.is_idle(active) {
                return Ok(());
            }
            if taken == 0 {
                // A record, or the end of the sleep.
                let _woken = self.wake.1.recv_timeout(self.sleep()).is_ok();
            }
        }
        Ok(())
    }

    /// Short while a full batch waits for the next stage, which does not wake this thread.
    fn sleep(&self) -> Duration {
        if self.may_read() { SLEEP } else { SLEEP / 10 }
    }

    fn may_read(&self) -> bool {
        self.intake.budget.has_room() && !self.intake.limits.is_full(&self.intake.lock().batch)
    }

    fn take_turn(
        &self,
        partition: &Partition,
        queue: &PartitionQueue<GroupContext>,
    ) -> Result<usize, StreamError> {
        let mut building = self.intake.lock();
        for taken in 0..TURN_RECORDS {
            if self.intake.limits.is_full(&building.batch) || !self.intake.budget.has_room() {
                return Ok(taken);
            }
            match queue.poll(Duration::ZERO) {
                Some(Ok(message)) => self.intake.take(&mut building, partition, &message),
                Some(Err(error)) => self.examine(&error)?,
                None => return Ok(taken),
            }
        }
        Ok(TURN_RECORDS)
    }

    fn apply_changes(
        &self,
        queues: &mut HashMap<Partition, PartitionQueue<GroupContext>>,
        paused: &mut HashSet<Partition>,
        active: &mut Instant,
    ) {
        let changes = std::mem::take(&mut *self.intake.changes());
        for change in changes {
            *active = Instant::now();
            match change {
                Change::Assigned(partitions) => {
                    for partition in partitions {
                        let queue = self
                            .consumer
                            .split_partition_queue(&partition.topic, partition.number);
                        // Without a queue of its own its records come with the events.
                        let Some(mut queue) = queue else { continue };
                        let wake = self.wake.0.clone();
                        queue.set_nonempty_callback(move || {
                            // A wake-up that is pending already serves.
                            let _pending = wake.try_send(()).is_err();
                        });
                        queues.insert(partition, queue);
                    }
                }
                Change::Gone(partitions) => {
                    for partition in partitions {
                        queues.remove(&partition);
                        paused.remove(&partition);
                    }
                }
            }
        }
    }

    fn pause_or_resume(&self, blocked_since: Option<Instant>, paused: &mut HashSet<Partition>) {
        let is_stalled = blocked_since.is_some_and(|since| since.elapsed() >= LONG_STALL);
        let result = if is_stalled {
            let held = self.intake.ownership.partitions();
            let new: Vec<Partition> = held.into_iter().filter(|held| !paused.contains(held)).collect();
            if new.is_empty() {
                return;
            }
            tracing::warn!("nothing can be written for long: the partitions are paused");
            let result = self.consumer.pause(&list_of(&new));
            paused.extend(new);
            result
        } else if !paused.is_empty() && self.intake.budget.has_recovered() {
            // Only what was paused here: the others go on by themselves.
            let resumed: Vec<Partition> = paused.drain().collect();
            self.consumer.resume(&list_of(&resumed))
        } else {
            return;
        };
        if let Err(error) = result {
            tracing::warn!("the partitions cannot be paused or resumed: {error}");
        }
    }

    /// Quiet alone is not idleness: a member waits for the dead ones' session, and a partition for the end of the
    /// transaction that its dead owner left open.
    fn is_idle(&self, active: Instant) -> bool {
        let Some(until_idle) = self.until_idle else {
            return false;
        };
        active.elapsed() >= until_idle
            && self.intake.health.state() != super::health::State::Starting
            && self.intake.is_read_out.load(Ordering::Relaxed)
    }

    /// Most errors are news that librdkafka deals with.
    fn examine(&self, error: &KafkaError) -> Result<(), StreamError> {
        if let KafkaError::MessageConsumptionFatal(_) = error {
            return Err(StreamError::Fatal(error.to_string()));
        }
        tracing::warn!("reading: {error}");
        Ok(())
    }
}

fn partition_of(message: &BorrowedMessage<'_>) -> Partition {
    Partition {
        topic: message.topic().into(),
        number: message.partition(),
    }
}

fn list_of(partitions: &[Partition]) -> TopicPartitionList {
    let mut list = TopicPartitionList::new();
    for partition in partitions {
        list.add_partition(&partition.topic, partition.number);
    }
    list
}

/// Leaves the group: the partitions go to the others at once, and the callbacks are served to the end.
pub(crate) fn leave(consumer: &BaseConsumer<GroupContext>) -> KafkaResult<()> {
    const LEAVE_TIMEOUT: Duration = Duration::from_secs(5);
    consumer.unsubscribe();
    let deadline = Instant::now() + LEAVE_TIMEOUT;
    while Instant::now() < deadline && consumer.assignment()?.count() > 0 {
        // What still comes was not taken, and is the next owner's.
        let _unread = consumer.poll(Duration::from_millis(50)).is_some();
    }
    Ok(())
}
