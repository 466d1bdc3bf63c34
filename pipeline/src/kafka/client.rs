//! From the settings to clients. Every setting that delivery rests on is set here, and nowhere else.

use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;

use super::{KafkaSettings, SettingError};

/// Milliseconds between librdkafka's statistics, from which the lag is read.
const STATISTICS_INTERVAL_MS: &str = "2000";

/// Bytes of one fetch from one partition. A larger record still comes, alone.
const FETCH_BYTES: &str = "524288";

/// Bytes of one fetch from one broker.
const FETCH_ALL_BYTES: &str = "8388608";

/// Milliseconds until librdkafka fetches again after its queue was full; its default of a second makes small queues run dry.
const FETCH_BACKOFF_MS: &str = "20";

/// The largest record that can be handled at all; the topics' limits are what counts.
const MESSAGE_BYTES_MAX: &str = "104857600";

/// Logs what librdkafka says. Its texts hold addresses and codes, never records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogContext;

impl ClientContext for LogContext {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        log_event(&error, reason);
    }
}

impl ConsumerContext for LogContext {}

/// Passes a line of librdkafka on.
pub(crate) fn log(level: RDKafkaLogLevel, facility: &str, message: &str) {
    use RDKafkaLogLevel::{Alert, Critical, Debug, Emerg, Error, Warning};
    match level {
        Emerg | Alert | Critical | Error => tracing::error!(facility, "librdkafka: {message}"),
        Warning => tracing::warn!(facility, "librdkafka: {message}"),
        Debug => tracing::debug!(facility, "librdkafka: {message}"),
        _ => tracing::info!(facility, "librdkafka: {message}"),
    }
}

/// An event of librdkafka: brokers that go away are news, as it reconnects by itself.
pub(crate) fn log_event(error: &KafkaError, reason: &str) {
    tracing::warn!(reason, "librdkafka: {error}");
}

/// What every client of the cluster has: where it is, and how to be let in.
///
/// # Errors
/// A setting that cannot be used.
pub fn client_config(settings: &KafkaSettings, client_id: &str) -> Result<ClientConfig, SettingError> {
    settings.check()?;
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", &settings.brokers)
        .set("client.id", client_id)
        .set("security.protocol", settings.security.protocol())
        .set("allow.auto.create.topics", "false")
        .set("receive.message.max.bytes", "115343360")
        .set("reconnect.backoff.max.ms", "2000")
        .set_log_level(RDKafkaLogLevel::Warning);
    let paths = [
        ("ssl.ca.location", &settings.ca_file),
        ("ssl.certificate.location", &settings.certificate_file),
        ("ssl.key.location", &settings.key_file),
    ];
    for (name, path) in paths {
        if let Some(path) = path {
            config.set(name, path.to_string_lossy());
        }
    }
    for (name, value) in [
        ("sasl.mechanism", &settings.sasl_mechanism),
        ("sasl.username", &settings.sasl_user),
    ] {
        if let Some(value) = value {
            config.set(name, value);
        }
    }
    if let Some(password) = settings.password()? {
        config.set("sasl.password", password.reveal());
    }
    Ok(config)
}

fn pass_through(settings: &KafkaSettings, config: &mut ClientConfig) {
    for (name, value) in &settings.client_settings {
        config.set(name.trim(), value.to_string());
    }
}

fn consumer(config: &mut ClientConfig) {
    config
        .set("enable.auto.commit", "false")
        .set("enable.auto.offset.store", "false")
        .set("enable.partition.eof", "false")
        .set("auto.offset.reset", "earliest")
        .set("isolation.level", "read_committed")
        .set("check.crcs", "true")
        .set("fetch.message.max.bytes", FETCH_BYTES)
        .set("fetch.max.bytes", FETCH_ALL_BYTES)
        .set("fetch.queue.backoff.ms", FETCH_BACKOFF_MS);
}

/// A consumer that joins a group. `prefetch_kbytes` is for each partition.
pub(crate) fn group_consumer_config(
    settings: &KafkaSettings,
    client_id: &str,
    group: &str,
    prefetch_kbytes: usize,
) -> Result<ClientConfig, SettingError> {
    let mut config = client_config(settings, client_id)?;
    consumer(&mut config);
    config
        .set("group.id", group)
        .set("group.protocol", "classic")
        .set("partition.assignment.strategy", "cooperative-sticky")
        .set("session.timeout.ms", SESSION_TIMEOUT_MS.to_string())
        .set("heartbeat.interval.ms", "2000")
        .set("max.poll.interval.ms", "300000")
        .set("statistics.interval.ms", STATISTICS_INTERVAL_MS)
        .set("queued.min.messages", "10000")
        .set("queued.max.messages.kbytes", prefetch_kbytes.to_string());
    pass_through(settings, &mut config);
    Ok(config)
}

/// Milliseconds without a heartbeat after which a member's partitions go to others.
pub(crate) const SESSION_TIMEOUT_MS: u64 = 30_000;

/// A consumer that reads the partitions it is told to, and is in no group. librdkafka wants a group's name all the same.
pub(crate) fn assigned_consumer_config(
    settings: &KafkaSettings,
    client_id: &str,
    group: &str,
) -> Result<ClientConfig, SettingError> {
    let mut config = client_config(settings, client_id)?;
    consumer(&mut config);
    config
        .set("group.id", group)
        .set("queued.min.messages", "10000")
        .set("queued.max.messages.kbytes", "8192");
    pass_through(settings, &mut config);
    Ok(config)
}

/// An idempotent producer, in transactions when `transactional_id` is given. `batch_bytes` bounds one request's batch.
pub(crate) fn producer_config(
    settings: &KafkaSettings,
    client_id: &str,
    transactional_id: Option<&str>,
    batch_bytes: usize,
) -> Result<ClientConfig, SettingError> {
    let mut config = client_config(settings, client_id)?;
    config
        .set("acks", "all")
        .set("message.max.bytes", MESSAGE_BYTES_MAX)
        .set("enable.idempotence", "true")
        .set("compression.codec", "lz4")
        .set("linger.ms", "5")
        .set("batch.size", batch_bytes.to_string())
        .set("batch.num.messages", "10000")
        .set("queue.buffering.max.kbytes", "65536")
        .set("partitioner", "murmur2_random")
        .set("message.timeout.ms", MESSAGE_TIMEOUT_MS.to_string());
    if let Some(id) = transactional_id {
        config
            .set("transactional.id", id)
            .set("transaction.timeout.ms", TRANSACTION_TIMEOUT_MS.to_string());
    }
    pass_through(settings, &mut config);
    Ok(config)
}

/// Milliseconds after which a message that no broker took fails, and its transaction is aborted and begun again.
const MESSAGE_TIMEOUT_MS: u64 = 15_000;

/// Milliseconds after which the broker aborts the transaction of a process that died: so long its readers wait.
const TRANSACTION_TIMEOUT_MS: u64 = 20_000;
