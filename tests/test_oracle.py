"""Tests of the fault test itself: its model against known figures, and that it finds what it is there to find."""

import tempfile
import unittest
from collections import defaultdict
from dataclasses import replace
from datetime import date
from pathlib import Path
from unittest import mock

from streaming import checks, model
from streaming.checks import Answers, Findings
from streaming.manifest import DAY_MILLIS, KINDS, POISONS, Entry, Manifest
from streaming.model import DayCount
from streaming.readers import Answer, Watch, Watcher

NOW_MILLIS = 1_796_000_000_000


def entry(agent: str | None, day: int, request: int, outcome: str) -> Entry:
    return Entry(0, None, [], day * DAY_MILLIS + 5, (0, 0), "right", outcome, agent, request)


class ModelTest(unittest.TestCase):
    def test_a_request_counts_once_a_day_and_as_failed_if_it_ever_failed(self) -> None:
        entries = [
            entry("a", 1, 1, "pass"), entry("a", 1, 1, "pass"), entry("a", 1, 2, "pass"), entry("a", 1, 2, "fail"),
            entry("a", 2, 1, "pass"), entry("a", 1, 3, "invalid_json"), entry("b", 1, 1, "fail"),
            entry("test-a", 1, 4, "pass"), entry(None, 1, 5, "pass"), entry("tester", 1, 6, "pass"),
        ]  # fmt: skip
        first, second = date(1970, 1, 2), date(1970, 1, 3)
        expected = {
            "a": {first: DayCount(1, 1), second: DayCount(1, 0)}, "b": {first: DayCount(0, 1)},
            "tester": {first: DayCount(1, 0)},
        }  # fmt: skip
        self.assertEqual(model.counts(entries), expected)

    def test_one_day_is_the_plain_wilson_interval(self) -> None:
        today = date(2026, 1, 1)
        found = model.estimate({today: DayCount(8, 2)}, today)
        self.assertAlmostEqual(found.share, 0.8)
        self.assertAlmostEqual(found.low, 0.490162, 6)
        self.assertAlmostEqual(found.high, 0.943318, 6)
        self.assertAlmostEqual(found.size, 10)

    def test_days_lose_half_their_weight_in_thirty_days(self) -> None:
        days = {date(2026, 1, 1): DayCount(0, 4), date(2026, 1, 31): DayCount(4, 0)}
        found = model.estimate(days, date(2026, 1, 31))
        self.assertAlmostEqual(found.share, 2 / 3)
        self.assertAlmostEqual(found.size, 7.2)
        idle = model.estimate(days, date(2026, 3, 2))
        self.assertAlmostEqual(idle.share, 2 / 3)
        self.assertAlmostEqual(idle.size, 3.6)


class DetectionTest(unittest.TestCase):
    """Answers that are right, and what is found when one of them is not."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.manifest = Manifest(1_500, 5, NOW_MILLIS, Path(folder.name))
        cls.addClassCleanup(cls.manifest.values.close)
        next_offset = defaultdict(int)
        for record in cls.manifest.entries:
            record.offset = next_offset[record.partition]
            next_offset[record.partition] += 1

        cls.receipts, cls.letters, cls.in_order = defaultdict(list), defaultdict(list), []
        for record in cls.manifest.entries:
            source = record.partition, record.offset
            if record.is_receipt:
                cls.receipts[source].append(receipt_of(record, cls.manifest))
            else:
                cls.letters[source].append(letter_of(record, cls.manifest))
            cls.in_order.append((("receipts", 0), source))

    def setUp(self) -> None:
        self.answers = Answers.__new__(Answers)
        self.answers.receipts, self.answers.letters = self.receipts.copy(), self.letters.copy()
        self.answers.foreign, self.answers.in_order = [], list(self.in_order)
        self.receipt = next(source for source, found in self.answers.receipts.items() if found[0].key)
        self.letter = next(source for source, found in self.answers.letters.items() if found[0].value is None and found[0].digest)

    def found(self, times: int = 1) -> list[str]:
        findings = Findings()
        checks.check_answers(self.answers, self.manifest, times, "deliverables", findings)
        checks.check_order(self.answers, findings)
        return sorted(findings.counts)

    def alter(self, source: tuple[int, int], **members: object) -> None:
        kind = self.answers.receipts if source in self.answers.receipts else self.answers.letters
        kind[source] = [replace(kind[source][0], **members)]

    def alter_header(self, source: tuple[int, int], name: str, value: bytes) -> None:
        kind = self.answers.receipts if source in self.answers.receipts else self.answers.letters
        headers = [(known, value if known == name else old) for known, old in kind[source][0].headers]
        self.alter(source, headers=headers)

    def test_right_answers_are_right(self) -> None:
        self.assertEqual(self.found(), [])

    def test_the_manifest_holds_every_kind_and_is_its_seeds(self) -> None:
        kinds = {record.kind for record in self.manifest.entries}
        self.assertEqual(kinds - {"again", "oversized request", "oversized poison"}, KINDS.keys() | POISONS.keys())
        with tempfile.TemporaryDirectory() as folder:
            same = Manifest(1_500, 5, NOW_MILLIS, Path(folder))
            self.addCleanup(same.values.close)
            self.assertEqual(same.path.read_bytes(), self.manifest.path.read_bytes())
            self.assertEqual([r.outcome for r in same.entries], [r.outcome for r in self.manifest.entries])

    def test_what_is_lost_is_found(self) -> None:
        del self.answers.receipts[self.receipt]
        self.assertEqual(self.found(), ["lost"])

    def test_what_is_answered_twice_is_found(self) -> None:
        self.answers.letters[self.letter] = self.answers.letters[self.letter] * 2
        self.assertEqual(self.found(), ["answered too often"])

    def test_a_replay_is_expected_to_answer_twice(self) -> None:
        for kind in (self.answers.receipts, self.answers.letters):
            for source in kind:
                kind[source] = kind[source] * 2
        self.answers.in_order *= 2
        self.assertEqual(self.found(2), [])

    def test_an_answer_to_nothing_is_found(self) -> None:
        self.answers.letters[0, 99_999] = self.answers.letters[self.letter]
        self.assertEqual(self.found(), ["an answer to nothing"])

    def test_answers_out_of_order_are_found(self) -> None:
        places = [index for index, (_, source) in enumerate(self.answers.in_order) if source[0] == 1]
        first, second = places[10], places[11]
        order = self.answers.in_order
        order[first], order[second] = order[second], order[first]
        self.assertEqual(self.found(), ["out of order"])

    def test_altered_answers_are_found(self) -> None:
        cases = [
            (self.receipt, "result", b"error", "a wrong result"),
            (self.receipt, "verification-id", b"26349f75-1202-8e86-aee0-18468a920155", "a wrong verification id"),
            (self.receipt, "counted-on", b"2026-01-01", "a wrong day"),
            (self.letter, "__connect.errors.exception.class.name", b"internal_error", "a wrong error code"),
            (self.letter, "assay-attempt", b"2", "a wrong attempt"),
        ]
        for source, name, value, kind in cases:
            self.setUp()
            self.alter_header(source, name, value)
            self.assertIn(kind, self.found())
        self.setUp()
        self.alter(self.receipt, key=b"other")
        self.alter(self.letter, digest=b"other")
        self.assertEqual(self.found(), ["a letter of another value", "a receipt of the wrong key"])

    def test_a_score_that_differs_is_found(self) -> None:
        today = date(2026, 1, 1)
        score = {"trust_score": 0.8, "confidence_interval_95": [0.490162, 0.943318], "effective_sample_size": 10.0, "reason": None}
        as_of = checks.utc_now().replace(year=2026, month=1, day=1)
        for changed, count in [({}, 0), ({"trust_score": 0.80001}, 1), ({"confidence_interval_95": [0.4902, 0.943318]}, 1)]:
            findings = Findings()
            checks.check_score({**score, **changed}, "a", {today: DayCount(8, 2)}, as_of, findings)
            self.assertEqual(sum(findings.counts.values()), count, changed)


class FakeMessage:
    """A receipt as the client gives it: the answer to a record of partition 0."""

    def __init__(self, offset: int) -> None:
        self.at = offset

    def topic(self) -> str:
        return "receipts"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self.at

    def headers(self) -> list[tuple[str, bytes]]:
        return [("source-topic", b"in"), ("source-partition", b"0"), ("source-offset", b"%d" % self.at)]


class WatcherTest(unittest.TestCase):
    """Offsets that are ahead of what is stored."""

    def found(self, stream_offset: int, project_offset: int, stored: int) -> list[str]:
        """What is found when four records are answered."""
        watcher = Watcher.__new__(Watcher)
        watcher.watch, watcher.receipts = Watch(), "receipts"
        watcher.stream, watcher.project = ("g", "in", 1), ("p", "receipts", 1)
        watcher.stream_probe, watcher.project_probe = {0: stream_offset}, {0: project_offset}
        watcher.answered, watcher.receipt_offsets = {0: set()}, {0: []}
        watcher.reader = mock.Mock(**{"read_to.return_value": map(FakeMessage, range(4))})
        watcher.stored = lambda offsets: {0: stored}
        with mock.patch("streaming.readers.committed", lambda probe, topic, partitions: probe):
            watcher.look()
        self.assertEqual((watcher.watch.rounds, watcher.watch.store_rounds), (1, 1))
        return watcher.watch.findings

    def test_offsets_up_to_what_is_stored_are_right(self) -> None:
        self.assertEqual(self.found(4, 4, 4), [])
        self.assertEqual(self.found(2, 3, 4), [])

    def test_a_stream_that_is_ahead_is_found(self) -> None:
        (told,) = self.found(6, 4, 4)
        self.assertIn("2 records before have no answer, the first 4", told)

    def test_a_projector_that_is_ahead_is_found(self) -> None:
        (told,) = self.found(4, 3, 2)
        self.assertIn("3 receipts, but 2 are stored", told)


def receipt_of(record: Entry, manifest: Manifest) -> Answer:
    identity = checks.verification_id("deliverables", record.partition, record.offset, manifest.value(record) or b"")
    agent = "null" if record.agent is None else checks.json.dumps(record.agent)
    value = (
        f'{{"result":"{record.outcome}","verification_id":"{identity}","schema_hash":"00","agent_id":{agent}}}'
    ).encode()
    headers = {
        "verification-id": identity, "result": record.outcome, "schema-hash": "00", "content-type": "application/json",
        "counted-on": record.day.isoformat(),
    }  # fmt: skip
    return answer("receipts", record, headers, value)


def letter_of(record: Entry, manifest: Manifest) -> Answer:
    headers = {
        "__connect.errors.exception.class.name": record.outcome, "__connect.errors.exception.message": "why",
        "assay-attempt": "1", "assay-timestamp": str(record.timestamp),
    }  # fmt: skip
    value = manifest.value(record)
    if value is not None and len(value) > checks.LETTER_BYTES_MAX - 4096:
        told = {"value_bytes": len(value), "sha256": checks.sha256(value).hex()}
        return answer("dead-letters", record, {**headers, "assay-stub": "true"}, checks.json.dumps(told).encode())
    made = answer("dead-letters", record, headers, value)
    made.headers += record.headers
    made.value = None
    return made


def answer(topic: str, record: Entry, headers: dict[str, str], value: bytes | None) -> Answer:
    encoded = [(name, text.encode()) for name, text in headers.items()]
    digest = None if value is None else checks.sha256(value)
    return Answer(topic, 0, 0, record.timestamp, record.key, encoded, digest, value)


if __name__ == "__main__":
    unittest.main()
