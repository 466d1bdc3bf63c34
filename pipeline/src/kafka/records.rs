//! What all who read or write single records do in the same way.

use std::time::Duration;

use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Headers, Message, ToBytes};
use rdkafka::producer::{BaseRecord, ProducerContext, ThreadedProducer};

/// How long a full queue is left to empty itself.
const QUEUE_WAIT: Duration = Duration::from_millis(5);

/// The last header of that name, which counts when there are several; none when it is null.
pub(crate) fn last_header<'m>(message: &'m BorrowedMessage<'_>, name: &str) -> Option<&'m [u8]> {
    let headers = message.headers()?;
    headers.iter().filter(|header| header.key == name).last()?.value
}

/// Queues a record, waiting while the queue is full: the producer's own thread empties it.
pub(crate) fn send<C, K, V>(
    producer: &ThreadedProducer<C>,
    mut record: BaseRecord<'_, K, V, C::DeliveryOpaque>,
) -> Result<(), KafkaError>
where
    C: ProducerContext + 'static,
    K: ToBytes + ?Sized,
    V: ToBytes + ?Sized,
{
    loop {
        match producer.send(record) {
            Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), unsent)) => {
                record = unsent;
                std::thread::sleep(QUEUE_WAIT);
            }
            other => return other.map_err(|(error, _)| error),
        }
    }
}
