//! What a failed step of a transaction asks for.

use rdkafka::error::{KafkaError, RDKafkaErrorCode};

/// What to do about an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The same step again.
    Retry(String),
    /// Abort the transaction and begin it again.
    Abort(String),
    /// Another process has taken this one's place.
    Fenced,
    /// Only a new process can go on.
    Fatal(String),
}

impl Fault {
    /// Sorts an error of a transaction's step. What librdkafka does not call retriable or abortable leaves the client in a
    /// state that nobody knows.
    pub(crate) fn of(error: &KafkaError) -> Fault {
        use RDKafkaErrorCode as Code;
        let text = error.to_string();
        match error {
            KafkaError::Transaction(inner) => match inner.code() {
                code if inner.is_fatal() => Fault::of_fatal(code, text),
                _ if inner.txn_requires_abort() => Fault::Abort(text),
                _ if inner.is_retriable() => Fault::Retry(text),
                _ => Fault::Fatal(text),
            },
            KafkaError::Flush(Code::OperationTimedOut) => Fault::Retry(text),
            KafkaError::Flush(_) => Fault::Abort(text),
            KafkaError::MessageProduction(Code::QueueFull) => Fault::Retry(text),
            KafkaError::MessageProduction(Code::Fatal) => Fault::Fatal(text),
            KafkaError::MessageProduction(_) => Fault::Abort(text),
            _ => Fault::Fatal(text),
        }
    }

    /// Sorts the error of which a client died.
    pub(crate) fn of_fatal(code: RDKafkaErrorCode, text: String) -> Fault {
        use RDKafkaErrorCode as Code;
        match code {
            Code::Fenced | Code::InvalidProducerEpoch | Code::ProducerFenced => Fault::Fenced,
            _ => Fault::Fatal(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_is_waited_for_and_a_dead_client_is_given_up() {
        use RDKafkaErrorCode as Code;
        assert!(matches!(
            Fault::of(&KafkaError::MessageProduction(Code::QueueFull)),
            Fault::Retry(_)
        ));
        assert!(matches!(
            Fault::of(&KafkaError::MessageProduction(Code::UnknownTopic)),
            Fault::Abort(_)
        ));
        assert!(matches!(
            Fault::of(&KafkaError::MessageProduction(Code::Fatal)),
            Fault::Fatal(_)
        ));
        assert!(matches!(
            Fault::of(&KafkaError::Flush(Code::OperationTimedOut)),
            Fault::Retry(_)
        ));
        assert!(matches!(Fault::of(&KafkaError::Canceled), Fault::Fatal(_)));
    }
}
