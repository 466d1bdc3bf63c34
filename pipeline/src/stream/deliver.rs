//! The last stage: writes receipts and dead letters and commits the offsets that they answer.
//!
//! Under `exactly-once` both are one transaction. When it has to be aborted, the same signed answers are written again from
//! memory, for those partitions that are still held; nothing is read or verified anew. The group's metadata is taken before
//! the leases are looked at: were a partition lost in between, the metadata would be of an older generation, and the
//! coordinator would refuse it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use assay_engine::hex::hex;
use crossbeam_channel::Receiver;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer, ProducerContext, ThreadedProducer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use sha2::{Digest, Sha256};

use super::answer::{Answer, Answered, ReceiptRecord};
use super::batch::{Batch, Record};
use super::budget::Budget;
use super::consume::GroupContext;
use super::error::StreamError;
use super::fault::Fault;
use super::health::Health;
use super::measures;
use super::ownership::Ownership;
use super::run::{StopSignal, StreamSummary};
use super::settings::Delivery;
use crate::clock::now_millis;
use crate::dead_letter::letter::{self, Cause, code};
use crate::lock::lock;

/// How long one call of the client may block, so that a stop is noticed.
const STEP_TIMEOUT: Duration = Duration::from_secs(2);

/// The wait before what failed is tried again, at first and at most.
const FIRST_BACKOFF: Duration = Duration::from_millis(50);
const LONGEST_BACKOFF: Duration = Duration::from_secs(5);

/// Bytes that a record takes in a topic beyond key, value and headers, generously.
const RECORD_FRAME_BYTES: usize = 256;

/// Times further ahead than this are refused by brokers, which allow an hour.
const FUTURE_MILLIS_MAX: i64 = 55 * 60 * 1_000;

/// What became of the records of one attempt.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    acknowledged: AtomicU64,
    failed: Mutex<Vec<(usize, RDKafkaErrorCode)>>,
}

/// Takes the reports of the producer.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportContext(Arc<Reports>);

impl ClientContext for ReportContext {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        crate::kafka::log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        crate::kafka::log_event(&error, reason);
    }
}

impl ProducerContext for ReportContext {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, record: usize) {
        match result {
            Ok(_) => {
                self.0.acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            Err((error, _)) => {
                let code = error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Fail);
                self.failed().push((record, code));
            }
        }
    }
}

impl ReportContext {
    fn failed(&self) -> MutexGuard<'_, Vec<(usize, RDKafkaErrorCode)>> {
        lock(&self.0.failed)
    }

    fn clear(&self) {
        self.0.acknowledged.store(0, Ordering::Relaxed);
        self.failed().clear();
    }
}

/// Where answers go, and how much these topics take.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    pub(crate) receipts: String,
    pub(crate) dead_letters: String,
    /// Bytes of one record; what the cluster does not tell counts as no limit.
    pub(crate) receipt_bytes: Option<usize>,
    pub(crate) letter_bytes: Option<usize>,
}

/// The writing thread.
pub(crate) struct Deliverer {
    pub(crate) producer: ThreadedProducer<ReportContext>,
    pub(crate) reports: ReportContext,
    pub(crate) consumer: Arc<BaseConsumer<GroupContext>>,
    pub(crate) ownership: Arc<Ownership>,
    pub(crate) health: Health,
    pub(crate) budget: Budget,
    pub(crate) outputs: Outputs,
    pub(crate) delivery: Delivery,
    pub(crate) instance: Option<String>,
    pub(crate) stop: StopSignal,
    /// How long may be tried after the stop.
    pub(crate) drain: Duration,
}

/// Why an attempt did not commit.
enum Setback {
    /// Begin anew after a wait.
    Again(String),
    /// End.
    End(StreamError),
}

impl Deliverer {
    /// Makes the producer known to the cluster, which ends what a dead one of its name left open.
    pub(crate) fn prepare(&self) -> Result<(), StreamError> {
        if self.delivery == Delivery::AtLeastOnce {
            return Ok(());
        }
        let step = self.step(|| self.producer.init_transactions(STEP_TIMEOUT));
        step.map_err(|setback| match setback {
            Setback::End(error) => error,
            Setback::Again(text) => StreamError::Fatal(text),
        })
    }

    /// Runs until no more answers come.
    pub(crate) fn run(&self, answers: &Receiver<Answered>) -> Result<StreamSummary, StreamError> {
        let mut summary = StreamSummary::default();
        for mut answered in answers {
            self.deliver(&mut answered, &mut summary)?;
        }
        Ok(summary)
    }

    fn deliver(&self, answered: &mut Answered, summary: &mut StreamSummary) -> Result<(), StreamError> {
        let started = Instant::now();
        let mut backoff = FIRST_BACKOFF;
        loop {
            let result = match self.delivery {
                Delivery::ExactlyOnce => self.transaction(answered),
                Delivery::AtLeastOnce => self.group(answered),
            };
            match result {
                Ok(live) => {
                    self.note(answered, &live, summary);
                    measures::stage("deliver", started.elapsed());
                    self.budget.give_back(answered.size);
                    for span in &answered.batch.spans {
                        self.ownership.finish(span);
                    }
                    return Ok(());
                }
                Err(Setback::End(error)) => return Err(error),
                Err(Setback::Again(reason)) => {
                    tracing::warn!(
                        reason,
                        "what is under way could not be committed and is tried again"
                    );
                    summary.aborts += 1;
                    measures::aborted();
                    if self.stop.is_overdue(self.drain) {
                        return Err(StreamError::NotDrained);
                    }
                    self.mend(answered);
                    std::thread::sleep(backoff);
                    backoff = (backoff * 2).min(LONGEST_BACKOFF);
                }
            }
        }
    }

    /// One attempt at a transaction. Gives for each span whether it was written.
    fn transaction(&self, answered: &Answered) -> Result<Vec<bool>, Setback> {
        self.reports.clear();
        let live = self.live(&answered.batch);
        if !live.contains(&true) {
            return Ok(live);
        }
        self.step(|| self.producer.begin_transaction())?;
        match self.fill_and_commit(answered, &live) {
            Ok(()) => Ok(live),
            Err(Setback::Again(reason)) => {
                self.step(|| self.producer.abort_transaction(STEP_TIMEOUT))?;
                Err(Setback::Again(reason))
            }
            Err(end) => Err(end),
        }
    }

    fn fill_and_commit(&self, answered: &Answered, live: &[bool]) -> Result<(), Setback> {
        self.write(answered, live)?;
        let Some(metadata) = self.consumer.group_metadata() else {
            return Err(Setback::End(StreamError::Fatal(
                "the consumer is in no group".to_owned(),
            )));
        };
        if self.live(&answered.batch) != live {
            return Err(Setback::Again(
                "partitions were lost while their answers were written".to_owned(),
            ));
        }
        let offsets = offsets(&answered.batch, live);
        self.step(|| {
            self.producer
                .send_offsets_to_transaction(&offsets, &metadata, STEP_TIMEOUT)
        })?;
        self.wait_for_reports()?;
        let started = Instant::now();
        self.step(|| self.producer.commit_transaction(STEP_TIMEOUT))?;
        measures::stage("commit", started.elapsed());
        Ok(())
    }

    /// One attempt without a transaction: offsets are committed when every report is in and good.
    fn group(&self, answered: &Answered) -> Result<Vec<bool>, Setback> {
        self.reports.clear();
        let live = self.live(&answered.batch);
        if !live.contains(&true) {
            return Ok(live);
        }
        self.write(answered, &live)?;
        self.wait_for_reports()?;
        if let Some((_, code)) = self.reports.failed().first() {
            return Err(Setback::Again(format!("a record was not taken: {code}")));
        }
        let live = self.live(&answered.batch);
        let offsets = offsets(&answered.batch, &live);
        if offsets.count() > 0
            && let Err(error) = self.consumer.commit(&offsets, CommitMode::Sync)
        {
            return Err(Setback::Again(format!("the offsets were not committed: {error}")));
        }
        Ok(live)
    }

    /// Which spans are still this process's to answer.
    fn live(&self, batch: &Batch) -> Vec<bool> {
        batch
            .spans
            .iter()
            .map(|span| self.ownership.holds(span))
            .collect()
    }

    fn write(&self, answered: &Answered, live: &[bool]) -> Result<(), Setback> {
        let started = Instant::now();
        let mut records = answered.batch.records.iter().enumerate();
        for chunk in &answered.chunks {
            // The chunk's answers stand first: a zip asks its left side first, and would swallow a record after the last.
            for (answer, (index, record)) in chunk.answers.iter().zip(&mut records) {
                if live[record.span as usize] {
                    self.write_answer(&answered.batch, record, index, answer, &chunk.text)?;
                }
            }
        }
        measures::stage("write", started.elapsed());
        Ok(())
    }

    fn write_answer(
        &self,
        batch: &Batch,
        record: &Record,
        index: usize,
        answer: &Answer,
        text: &[u8],
    ) -> Result<(), Setback> {
        let cause = match answer {
            Answer::Receipt(receipt) => {
                let value = &text[receipt.text.clone()];
                if fits(value.len(), batch.key(record), self.outputs.receipt_bytes) {
                    return self.send(
                        &self.outputs.receipts,
                        index,
                        batch.key(record),
                        Some(value),
                        timestamp(record),
                        &|| receipt_headers(batch, record, receipt),
                    );
                }
                &receipt_too_large()
            }
            Answer::Letter(cause) => cause,
        };
        let headers = batch
            .headers(record)
            .map(|(name, value)| name.len() + value.map_or(0, <[u8]>::len));
        let size = batch.value(record).map_or(0, <[u8]>::len) + headers.sum::<usize>() + cause.message.len();
        if fits(size, batch.key(record), self.outputs.letter_bytes) {
            let value = batch.value(record);
            return self.send(
                &self.outputs.dead_letters,
                index,
                batch.key(record),
                value,
                timestamp(record),
                &|| letter_headers(batch, record, cause, false),
            );
        }
        let stub = stub(batch, record);
        // A key that is too large itself is told of by the stub.
        let key = batch
            .key(record)
            .filter(|key| fits(stub.len(), Some(key), self.outputs.letter_bytes));
        self.send(
            &self.outputs.dead_letters,
            index,
            key,
            Some(&stub),
            timestamp(record),
            &|| letter_headers(batch, record, cause, true),
        )
    }

    fn send(
        &self,
        topic: &str,
        index: usize,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        timestamp: Option<i64>,
        headers: &dyn Fn() -> OwnedHeaders,
    ) -> Result<(), Setback> {
        let mut record = BaseRecord::<[u8], [u8], usize>::with_opaque_to(topic, index).headers(headers());
        record.key = key;
        record.payload = value;
        record.timestamp = timestamp;
        loop {
            let Err((error, unsent)) = self.producer.send(record) else {
                return Ok(());
            };
            record = unsent;
            match Fault::of(&error) {
                Fault::Retry(_) => {
                    if self.stop.is_overdue(self.drain) {
                        return Err(Setback::End(StreamError::NotDrained));
                    }
                    // The producer's own thread takes the reports and so makes room.
                    std::thread::sleep(Duration::from_millis(2));
                }
                fault => {
                    if let Some(code) = error.rdkafka_error_code() {
                        self.reports.failed().push((index, code));
                    }
                    return Err(self.setback(fault));
                }
            }
        }
    }

    /// Waits until every record is reported on. The client's own flush looks only ten times a second.
    fn wait_for_reports(&self) -> Result<(), Setback> {
        while self.producer.in_flight_count() > 0 {
            if self.stop.is_overdue(self.drain) {
                return Err(Setback::End(StreamError::NotDrained));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Repeats a call until it succeeds or asks for more than repeating.
    fn step(&self, mut call: impl FnMut() -> KafkaResult<()>) -> Result<(), Setback> {
        loop {
            let Err(error) = call() else { return Ok(()) };
            match Fault::of(&error) {
                Fault::Retry(reason) => {
                    tracing::debug!(reason, "a step is repeated");
                    if self.stop.is_overdue(self.drain) {
                        return Err(Setback::End(StreamError::NotDrained));
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
                fault => return Err(self.setback(fault)),
            }
        }
    }

    fn setback(&self, fault: Fault) -> Setback {
        // The call that meets a dead client only says that it is dead; the client knows of what.
        let fault = match (fault, self.producer.client().fatal_error()) {
            (Fault::Fatal(_), Some((code, text))) => Fault::of_fatal(code, text),
            (fault, _) => fault,
        };
        match fault {
            Fault::Retry(reason) | Fault::Abort(reason) => Setback::Again(reason),
            Fault::Fatal(reason) => Setback::End(StreamError::Fatal(reason)),
            Fault::Fenced => Setback::End(match &self.instance {
                Some(instance) => StreamError::Fenced(instance.clone()),
                None => StreamError::Fatal(
                    "its transaction ran out of time while this process stood still, and was aborted"
                        .to_owned(),
                ),
            }),
        }
    }

    /// Turns answers that their topic will never take into ones that it does.
    fn mend(&self, answered: &mut Answered) {
        let failed = std::mem::take(&mut *self.reports.failed());
        let suspects: HashSet<usize> = failed
            .iter()
            .filter(|(_, code)| *code == RDKafkaErrorCode::MessageSizeTooLarge)
            .map(|(index, _)| *index)
            .collect();
        // A broker refuses a whole request, in which the records beside the large one are innocent: the largest of them
        // has to go, and the next attempt tells whether that was enough.
        let size = |answer: &Answer| match answer {
            Answer::Receipt(receipt) => receipt.text.len(),
            Answer::Letter(_) => 0,
        };
        let answers = answered.chunks.iter_mut().flat_map(|chunk| &mut chunk.answers);
        let largest = answers
            .enumerate()
            .filter(|(index, _)| suspects.contains(index))
            .max_by_key(|(_, answer)| size(answer));
        if let Some((_, answer)) = largest
            && matches!(answer, Answer::Receipt(_))
        {
            *answer = Answer::Letter(receipt_too_large());
        }
    }

    fn note(&self, answered: &Answered, live: &[bool], summary: &mut StreamSummary) {
        let (mut passed, mut failed, mut letters, mut dropped) = (0, 0, 0, 0);
        let answers = answered.chunks.iter().flat_map(|chunk| &chunk.answers);
        for (record, answer) in answered.batch.records.iter().zip(answers) {
            if !live[record.span as usize] {
                dropped += 1;
                continue;
            }
            match answer {
                Answer::Receipt(receipt) => match receipt.outcome {
                    assay_engine::verdict::Outcome::Pass => passed += 1,
                    assay_engine::verdict::Outcome::Fail => failed += 1,
                },
                Answer::Letter(cause) => {
                    letters += 1;
                    measures::dead_letter(cause.code);
                }
            }
        }
        measures::answered("pass", passed);
        measures::answered("fail", failed);
        measures::answered("dead-letter", letters);
        if dropped > 0 {
            measures::dropped(dropped);
        }
        measures::committed();
        self.health.note_committed(passed + failed + letters);
        summary.passed += passed;
        summary.failed += failed;
        summary.dead_letters += letters;
        summary.dropped += dropped;
    }
}

fn receipt_too_large() -> Cause {
    let message = "The receipt is larger than its topic takes; ask for a compact one, or raise the topic's max.message.bytes.";
    Cause::new(code::RECEIPT_TOO_LARGE, message)
}

fn offsets(batch: &Batch, live: &[bool]) -> TopicPartitionList {
    let mut list = TopicPartitionList::new();
    for (span, _) in batch.spans.iter().zip(live).filter(|(_, live)| **live) {
        // The list refuses only offsets that are none.
        let offset = Offset::Offset(span.next_offset);
        let _refused = list
            .add_partition_offset(&span.partition.topic, span.partition.number, offset)
            .is_err();
    }
    list
}

fn fits(bytes: usize, key: Option<&[u8]>, limit: Option<usize>) -> bool {
    let size = bytes + key.map_or(0, <[u8]>::len) + RECORD_FRAME_BYTES + 512;
    limit.is_none_or(|limit| size <= limit)
}

/// The time of the answer is that of the record; one that a broker would refuse is left to the client.
fn timestamp(record: &Record) -> Option<i64> {
    let latest = now_millis().saturating_add(FUTURE_MILLIS_MAX);
    record.timestamp.filter(|at| *at > 0 && *at < latest)
}

fn insert(headers: OwnedHeaders, key: &str, value: &str) -> OwnedHeaders {
    let value = Some(value);
    headers.insert(Header { key, value })
}

fn receipt_headers(batch: &Batch, record: &Record, receipt: &ReceiptRecord) -> OwnedHeaders {
    let partition = &batch.span(record).partition;
    let [schema_passed, schema_total, passed, total] = receipt.checks;
    let mut id = [0; uuid::fmt::Hyphenated::LENGTH];
    let fields: [(&str, &str); 10] = [
        (
            "verification-id",
            receipt.verification_id.hyphenated().encode_lower(&mut id),
        ),
        ("result", receipt.outcome.name()),
        ("schema-hash", &hex(&receipt.schema_hash)),
        ("content-type", "application/json"),
        ("request-hash", &hex(&receipt.request_hash)),
        ("counted-on", &receipt.counted_on),
        (
            "checks",
            &format!("{schema_passed}/{schema_total},{passed}/{total}"),
        ),
        ("source-topic", &partition.topic),
        ("source-partition", &partition.number.to_string()),
        ("source-offset", &record.offset.to_string()),
    ];
    let headers = OwnedHeaders::new_with_capacity(fields.len());
    fields
        .into_iter()
        .fold(headers, |headers, (name, value)| insert(headers, name, value))
}

fn letter_headers(batch: &Batch, record: &Record, cause: &Cause, is_stub: bool) -> OwnedHeaders {
    let partition = &batch.span(record).partition;
    let attempt = letter::attempts(batch.header(record, letter::ATTEMPT).flatten()).saturating_add(1);
    let mut headers = OwnedHeaders::new_with_capacity(12);
    if is_stub {
        headers = insert(headers, letter::STUB, "true");
    } else {
        let own = |name: &str| letter::is_about_the_letter(name) || name == letter::ATTEMPT;
        for (key, value) in batch.headers(record).filter(|(name, _)| !own(name)) {
            headers = headers.insert(Header { key, value });
        }
    }
    let fields = [
        (letter::TOPIC, partition.topic.to_string()),
        (letter::PARTITION, partition.number.to_string()),
        (letter::OFFSET, record.offset.to_string()),
        (letter::CODE, cause.code.to_owned()),
        (letter::MESSAGE, cause.message.clone()),
        (letter::ATTEMPT, attempt.to_string()),
    ];
    for (name, value) in &fields {
        headers = insert(headers, name, value);
    }
    match record.timestamp {
        Some(at) => insert(headers, letter::TIMESTAMP, &at.to_string()),
        None => headers,
    }
}

/// What stands for a record that the dead-letter topic does not take: enough to find it, and to know it again.
fn stub(batch: &Batch, record: &Record) -> Vec<u8> {
    let value = batch.value(record).unwrap_or_default();
    let key = batch.key(record).map_or(0, <[u8]>::len);
    let partition = &batch.span(record).partition;
    let mut text = b"{\"key_bytes\":".to_vec();
    text.extend_from_slice(
        format!(
            "{key},\"offset\":{},\"partition\":{}",
            record.offset, partition.number
        )
        .as_bytes(),
    );
    text.extend_from_slice(format!(",\"sha256\":\"{}\"", hex(&Sha256::digest(value))).as_bytes());
    text.extend_from_slice(b",\"topic\":");
    assay_engine::json::write_canonical_string(&partition.topic, &mut text);
    text.extend_from_slice(format!(",\"value_bytes\":{}}}", value.len()).as_bytes());
    text
}
