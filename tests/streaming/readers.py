"""Reading topics as a reader of committed records, and the check that offsets are never ahead of what is stored.

Uses the client of the package `confluent-kafka` and none of the project's code.
"""

import bisect
import hashlib
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import Callable, Iterator

from confluent_kafka import OFFSET_BEGINNING, OFFSET_INVALID, Consumer, KafkaError, KafkaException, Message, TopicPartition

# A broker that was killed, and a transaction that a killed process left open, hold a reader up for so long.
READ_TIMEOUT_SECONDS = 240
QUERY_TIMEOUT_SECONDS = 20


def consumer(brokers: str, group: str, **settings: object) -> Consumer:
    """A consumer that commits nothing by itself."""
    return Consumer({
        "bootstrap.servers": brokers, "group.id": group, "enable.auto.commit": False, "auto.offset.reset": "earliest",
        "isolation.level": "read_committed", "enable.partition.eof": True, "fetch.message.max.bytes": 8 * 1024 * 1024,
        # Brokers that go away are part of the test.
        "log_level": 2, **settings,
    })  # fmt: skip


class Reader:
    """Reads topics from their first offset on."""

    def __init__(self, brokers: str, topics: dict[str, int]) -> None:
        self.places = [(topic, number) for topic, partitions in topics.items() for number in range(partitions)]
        self.consumer = consumer(brokers, "oracle-reader")
        self.probe = consumer(brokers, "oracle-probe", **{"isolation.level": "read_uncommitted"})
        self.consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for topic, number in self.places])
        # The offset that is read next, transaction markers stepped over.
        self.next: dict[tuple[str, int], int] = dict.fromkeys(self.places, 0)

    def ends(self) -> dict[tuple[str, int], int]:
        """Where the partitions end now, open transactions included."""
        return {
            (topic, number): self.probe.get_watermark_offsets(TopicPartition(topic, number), timeout=QUERY_TIMEOUT_SECONDS)[1]
            for topic, number in self.places
        }

    def read_to(self, ends: dict[tuple[str, int], int], seconds: float = READ_TIMEOUT_SECONDS) -> Iterator[Message]:
        """The records up to these offsets; waits for open transactions to end."""
        deadline = time.monotonic() + seconds
        while any(self.next[place] < end for place, end in ends.items()):
            if time.monotonic() > deadline:
                behind = {place: (self.next[place], end) for place, end in ends.items() if self.next[place] < end}
                raise TimeoutError(f"not readable within {seconds:g} s (read to, end): {behind}")
            for message in self.consumer.consume(500, timeout=0.5):
                error = message.error()
                place = (message.topic(), message.partition())
                if error is None:
                    self.next[place] = message.offset() + 1
                    yield message
                elif error.code() == KafkaError._PARTITION_EOF:
                    self.next[place] = max(self.next[place], message.offset())

    def read_all(self) -> Iterator[Message]:
        """Everything up to where the partitions end now."""
        return self.read_to(self.ends())

    def close(self) -> None:
        self.consumer.close()
        self.probe.close()


def committed(probe: Consumer, topic: str, partitions: int) -> dict[int, int]:
    """The offsets that a group has committed; 0 where there is none yet."""
    asked = [TopicPartition(topic, number) for number in range(partitions)]
    found = probe.committed(asked, timeout=QUERY_TIMEOUT_SECONDS)
    if bad := [place.error for place in found if place.error]:
        raise KafkaException(bad[0])
    return {place.partition: 0 if place.offset == OFFSET_INVALID else place.offset for place in found}


@dataclass(slots=True)
class Answer:
    """A receipt or dead letter as it was read."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    headers: list[tuple[str, bytes | None]]
    digest: bytes | None
    value: bytes | None

    @staticmethod
    def of(message: Message) -> "Answer":
        value = message.value()
        return Answer(
            message.topic(), message.partition(), message.offset(), message.timestamp()[1], message.key(),
            message.headers() or [], None if value is None else hashlib.sha256(value).digest(), value,
        )

    def header(self, name: str) -> str | None:
        """The last header of that name."""
        for known, value in reversed(self.headers):
            if known == name and value is not None:
                return value.decode("utf-8", "replace")
        return None


RECEIPT_SOURCE = ("source-topic", "source-partition", "source-offset")
LETTER_SOURCE = ("__connect.errors.topic", "__connect.errors.partition", "__connect.errors.offset")


def source_of(message: Message, names: tuple[str, str, str]) -> tuple[str, int, int]:
    """Topic, partition and offset of the record that is answered."""
    found = {name: value for name, value in message.headers() or [] if name in names}
    topic, partition, offset = (found[name].decode() for name in names)
    return topic, int(partition), int(offset)


@dataclass
class Watch:
    """What the watcher has seen and found."""

    rounds: int = 0
    store_rounds: int = 0
    findings: list[str] = field(default_factory=list)


class Watcher(threading.Thread):
    """While everything runs and fails: committed offsets must never be ahead of what is stored.

    Offsets are asked for first and what they stand for is read afterwards, so what is missing then was missing.
    """

    def __init__(
        self, brokers: str, stream: tuple[str, str, int], project: tuple[str, str, int], letters: tuple[str, int],
        stored: Callable[[dict[int, int]], dict[int, int]],
    ) -> None:
        """`stream` and `project` are group, topic and partitions; `stored` counts the stored receipts below offsets."""
        super().__init__(daemon=True)
        self.watch = Watch()
        self.is_over = threading.Event()
        self.stream, self.project, self.stored = stream, project, stored
        receipts, receipt_partitions = project[1], project[2]
        self.receipts = receipts
        self.reader = Reader(brokers, {receipts: receipt_partitions, letters[0]: letters[1]})
        self.stream_probe = consumer(brokers, stream[0])
        self.project_probe = consumer(brokers, project[0])
        self.answered: dict[int, set[int]] = {number: set() for number in range(stream[2])}
        self.receipt_offsets: dict[int, list[int]] = {number: [] for number in range(receipt_partitions)}

    def run(self) -> None:
        while not self.is_over.wait(1):
            try:
                self.look()
            except (KafkaException, TimeoutError) as error:
                # A cluster without its majority for a moment; the next round asks again.
                if isinstance(error, TimeoutError):
                    self.watch.findings.append(f"watcher: {error}")
            except Exception:
                self.watch.findings.append(f"watcher: {traceback.format_exc()}")
                return
        self.reader.close()
        self.stream_probe.close()
        self.project_probe.close()

    def look(self) -> None:
        """One round."""
        stream = committed(self.stream_probe, self.stream[1], self.stream[2])
        project = committed(self.project_probe, self.project[1], self.project[2])
        for message in self.reader.read_to(self.reader.ends()):
            self.take(message)
        self.watch.rounds += 1
        for partition, offset in stream.items():
            missing = set(range(offset)) - self.answered[partition]
            if missing:
                self.watch.findings.append(
                    f"the stream has committed {offset} of partition {partition}, but {len(missing)} records before have no "
                    f"answer, the first {min(missing)}"
                )
        stored = self.stored(project)
        if not stored and any(project.values()):
            return
        self.watch.store_rounds += 1
        for partition, offset in project.items():
            expected = bisect.bisect_left(self.receipt_offsets[partition], offset)
            if stored.get(partition, 0) < expected:
                self.watch.findings.append(
                    f"the projector has committed {offset} of partition {partition}, {expected} receipts, but "
                    f"{stored.get(partition, 0)} are stored"
                )

    def take(self, message: Message) -> None:
        is_receipt = message.topic() == self.receipts
        topic, partition, offset = source_of(message, RECEIPT_SOURCE if is_receipt else LETTER_SOURCE)
        if is_receipt:
            self.receipt_offsets[message.partition()].append(message.offset())
        # The projector's own dead letters come from the receipts topic; the last check tells of them.
        if topic == self.stream[1]:
            self.answered[partition].add(offset)

    def end(self) -> Watch:
        """Ends it after its round."""
        self.is_over.set()
        self.join(READ_TIMEOUT_SECONDS + QUERY_TIMEOUT_SECONDS * 4)
        return self.watch
