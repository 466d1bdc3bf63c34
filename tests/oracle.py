#!/usr/bin/env python3
"""The fault test of the streaming road: exactly one answer for each record, whatever fails on the way.

    oracle.py [--assay FILE] [--records N] [--faults N] [--seed N] [--short] [--replay] [--rebuild] [--artefacts DIR]

Makes records of every kind with what must come of each, puts them into a topic of a cluster of three brokers, and runs
`assay stream` and `assay project` on it while it kills, holds and replaces processes, brokers and the store at random.
When all is consumed, everything is compared with what was expected: receipts and dead letters, their order, the rows
of the store, counts, reputations and scores, signatures. Meanwhile a watcher compares committed offsets with what is
stored.

--replay answers the whole topic again by another group, with other batches and another number of instances: no count
and no score may change. The day of the run is none of the records' days but one in either case; a shifted clock cannot be
had, since the waits of librdkafka do not go through `libfaketime`. --rebuild fills a second database from the topic.

Exit code 0 when everything is as expected, 1 when anything is not; then all logs, the manifest and the report are kept.
Needs what `services.py` needs, and the packages in tests/requirements.txt.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Callable

import services
from services import ClickHouseFront, KafkaCluster, ServiceError, Told

try:
    from confluent_kafka import Consumer, KafkaException, Message, Producer
    from streaming import checks, model
except ImportError as error:
    sys.exit(f"oracle.py needs the packages in tests/requirements.txt ({error}): python3 -m pip install -r tests/requirements.txt")

from streaming.actors import Actor, Program
from streaming.checks import Answers, Findings
from streaming.faults import Injector
from streaming.manifest import LETTER_BYTES_MAX, PARTITIONS, RECEIPT_BYTES_MAX, REQUEST_BYTES_MAX, Manifest
from streaming.readers import Reader, Watcher, committed, consumer

ROOT = Path(__file__).resolve().parent.parent

INPUT, RECEIPTS, LETTERS = "deliverables", "receipts", "dead-letters"
RECEIPT_PARTITIONS, LETTER_PARTITIONS = 4, 2
GROUP, PROJECT_GROUP, DATABASE = "oracle", "oracle-projector", "oracle"

# Without progress for so long, the run has failed. Sessions, transactions and back-offs are all shorter.
STALL_SECONDS = 180
SESSION_SECONDS = 8

SHORT_RECORDS, SHORT_FAULTS = 20_000, 8
# What a short run does, so that little time covers most.
SHORT_KINDS = [
    "stream: kill -9", "broker: kill -9", "ClickHouse: answers dropped", "stream: SIGSTOP past the session",
    "ClickHouse: kill -9", "stream: SIGTERM", "stream: instance added and removed", "project: SIGTERM",
]  # fmt: skip


class Stalled(Exception):
    """Nothing goes on any more."""


class Oracle:
    """One run."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.arguments, self.folder = arguments, folder
        self.rng = random.Random(arguments.seed)
        self.findings = Findings()
        self.report: list[str] = []
        self.instances = 0
        # The records from this one on are not to be produced yet.
        self.released = 0
        self.produced = 0
        self.produce_error: str | None = None
        self.probes: dict[str, Consumer] = {}
        # The scores that were asked for, and for which time.
        self.scores: list[tuple[datetime, dict[str, dict[str, Any]]]] = []
        # What was last known of the offsets of each group.
        self.known: dict[str, int] = {}
        self.injector: Injector | None = None
        self.began = time.monotonic()

    def say(self, text: str) -> None:
        line = f"{time.monotonic() - self.began:7.1f} s  {text}"
        self.report.append(line)
        print(line, flush=True)

    # ---- the parts ----

    def run(self) -> None:
        arguments = self.arguments
        self.manifest = Manifest(arguments.records, arguments.seed, int(time.time() * 1000), self.folder)
        self.say(f"{arguments.records} records made, seed {arguments.seed}")
        self.front = ClickHouseFront(self.folder / "clickhouse")
        self.cluster = KafkaCluster(3, self.folder / "kafka")
        try:
            self.start_services()
            self.program = self.make_program()
            self.work()
        finally:
            self.stop_actors()
            self.cluster.stop()
            self.front.stop()
            self.manifest.write(self.folder / "manifest.ndjson")

    def start_services(self) -> None:
        self.front.launch()
        self.cluster.launch()
        self.front.wait_ready()
        self.cluster.wait_ready()
        # Times of the records lie years apart: no retention, no segment of its own for each.
        lasting = {"retention.ms": "-1", "segment.ms": "9223372036854775807"}
        any_time = {"message.timestamp.after.max.ms": "9223372036854775807"}
        self.cluster.create_topics({
            INPUT: (PARTITIONS, {**lasting, **any_time, "max.message.bytes": str(2 * REQUEST_BYTES_MAX)}),
            RECEIPTS: (RECEIPT_PARTITIONS, {**lasting, "max.message.bytes": str(RECEIPT_BYTES_MAX)}),
            LETTERS: (LETTER_PARTITIONS, {**lasting, "max.message.bytes": str(LETTER_BYTES_MAX)}),
        })  # fmt: skip
        self.say("three brokers and the store run")

    def make_program(self) -> Program:
        path = Path(self.arguments.assay).resolve()
        if not path.exists():
            raise ServiceError(f"{path} is not there: build it by cargo build --release, or name another with --assay")
        config = self.folder / "assay.toml"
        config.write_text(f'[kafka.client-settings]\n"session.timeout.ms" = {SESSION_SECONDS * 1000}\n', encoding="utf-8")
        program = Program(path, {
            "ASSAY_CONFIG": str(config), "ASSAY_DATA": str(self.folder / "data"),
            "ASSAY_KAFKA__BROKERS": self.cluster.brokers,
            "ASSAY_CLICKHOUSE__URL": self.front.url, "ASSAY_CLICKHOUSE__DATABASE": DATABASE,
            "ASSAY_CLICKHOUSE__COMPRESSION": "false",
        })  # fmt: skip
        # The first use of the data folder makes the key, which the instances share.
        self.must(program, "keys", "rotate")
        exported = self.must(program, "keys", "export")
        (self.folder / "keys.json").write_bytes(exported)
        self.must(program, "migrate")
        return program

    def must(self, program: Program, *arguments: str) -> bytes:
        done = program.run(*arguments)
        if done.returncode != 0:
            raise ServiceError(f"assay {' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode()[-1000:]}")
        return done.stdout

    def stream(self, name: str | None, group: str = GROUP, batch: int | None = None) -> Actor:
        """A further instance of the stream, not started."""
        self.instances += 1
        arguments = [
            "stream", "--group", group, "--input", INPUT, "--receipts", RECEIPTS, "--dead-letters", LETTERS,
            "--batch-records", str(batch or self.rng.choice([200, 500, 1_500])), "--drain-seconds", "10",
        ]  # fmt: skip
        if name:
            arguments += ["--instance", name]
        return Actor(f"stream-{self.instances}", self.program, arguments, self.folder)

    def project(self) -> Actor:
        """A further projector, not started."""
        self.instances += 1
        arguments = [
            "project", "--group", PROJECT_GROUP, "--receipts", RECEIPTS, "--dead-letters", LETTERS,
            "--batch-rows", str(self.rng.choice([500, 1_000, 3_000])), "--batch-age-ms", "300",
        ]  # fmt: skip
        return Actor(f"project-{self.instances}", self.program, arguments, self.folder)

    def work(self) -> None:
        self.injector = Injector(
            self.rng, self.cluster, self.front, SESSION_SECONDS, lambda name: self.stream(name), self.project
        )
        self.injector.actors = [self.stream("one"), self.stream("two"), self.project()]
        if not self.arguments.short:
            self.injector.actors.append(self.project())
        watcher = Watcher(
            self.cluster.brokers, (GROUP, INPUT, PARTITIONS), (PROJECT_GROUP, RECEIPTS, RECEIPT_PARTITIONS),
            (LETTERS, LETTER_PARTITIONS), self.stored_below,
        )  # fmt: skip
        producing = threading.Thread(target=self.produce, daemon=True)
        producing.start()
        watcher.start()
        began = time.monotonic()
        self.inject()
        self.released = self.arguments.records
        self.injector.settle()
        producing.join(STALL_SECONDS)
        if self.produce_error or producing.is_alive():
            raise ServiceError(f"the records were not produced: {self.produce_error or 'not in time'}")
        self.say("all faults are over, all records produced")
        self.wait_consumed(GROUP)
        self.say(f"all is answered, {self.arguments.records / (time.monotonic() - began):.0f} records a second over all faults")
        watch = watcher.end()
        self.wait_stored()
        self.say("all is stored")
        for text in [*self.injector.findings, *watch.findings]:
            self.findings.add("while it ran", text)
        self.say(f"offsets were compared with what is stored {watch.rounds} and {watch.store_rounds} times")
        for kind, seconds in self.injector.slowest_stop.items():
            self.say(f"{kind}: the slowest end after SIGTERM took {seconds:.1f} s")
        if watch.rounds == 0 or watch.store_rounds == 0:
            self.findings.add("while it ran", "the watcher could not compare anything")
        self.compare(1)
        if self.arguments.replay:
            self.replay()
        self.stop_actors()
        if self.arguments.rebuild:
            self.rebuild()

    # ---- input and faults ----

    def produce(self) -> None:
        """Puts the records into the topic as they are released. A broker that dies is the client's affair."""
        try:
            producer = Producer({
                "bootstrap.servers": self.cluster.brokers, "enable.idempotence": True, "acks": "all", "linger.ms": 5,
                "message.max.bytes": 2 * REQUEST_BYTES_MAX, "compression.codec": "lz4", "log_level": 2,
                "delivery.timeout.ms": 300_000, "queue.buffering.max.messages": 200_000,
            })  # fmt: skip
            for index, entry in enumerate(self.manifest.entries):
                while index >= self.released:
                    producer.poll(0.05)

                def report(problem: object, message: Message, entry: object = entry) -> None:
                    if problem is not None:
                        self.produce_error = str(problem)
                        return
                    entry.offset = message.offset()
                    self.produced += 1

                while True:
                    try:
                        producer.produce(
                            INPUT, self.manifest.value(entry), entry.key, entry.partition, on_delivery=report,
                            timestamp=entry.timestamp, headers=entry.headers,
                        )  # fmt: skip
                        break
                    except BufferError:
                        producer.poll(0.1)
                if index % 200 == 0:
                    producer.poll(0)
            left = producer.flush(300)
            if left:
                self.produce_error = f"{left} records were not taken"
        except Exception as error:  # the main thread tells it
            self.produce_error = f"{type(error).__name__}: {error}"

    def inject(self) -> None:
        """Makes the faults, each when a further part of the records comes in."""
        plan = self.plan()
        slice_size = self.arguments.records // (len(plan) + 1)
        self.released = slice_size
        injector = self.injector
        # The first records flow before anything fails.
        self.wait_until(lambda: self.consumed(GROUP)[0] > 0, "nothing is answered at the start")
        for number, name in enumerate(plan, 1):
            self.released = max(self.released, slice_size * (number + 1))
            self.wait_until(injector.has_room, "faults do not come to their end")
            self.wait_until(lambda: injector.inject(name), f"no occasion for the fault {name!r}")
            pause = time.monotonic() + self.rng.uniform(0.5, 3.0)
            while time.monotonic() < pause:
                injector.tick()
        self.say(f"{sum(injector.done.values())} faults made, of {len(injector.done)} kinds")

    def plan(self) -> list[str]:
        """The faults in their order: every kind before any comes again."""
        kinds = SHORT_KINDS if self.arguments.short else list(self.injector.kinds)
        plan: list[str] = []
        while len(plan) < self.arguments.faults:
            self.rng.shuffle(kinds)
            plan += kinds
        return plan[: self.arguments.faults]

    # ---- waiting ----

    def wait_until(self, is_met: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + STALL_SECONDS
        while not is_met():
            if time.monotonic() > deadline:
                raise Stalled(f"{what}: not within {STALL_SECONDS} s")
            self.injector.tick()

    def consumed(self, group: str) -> tuple[int, int]:
        """How many input records a group has committed, and how many there are to commit."""
        try:
            self.known[group] = sum(committed(self.probe(group), INPUT, PARTITIONS).values())
        except KafkaException:
            # A cluster without its coordinator for a moment; what was known before is no progress.
            pass
        return self.known.get(group, 0), self.arguments.records

    def probe(self, group: str) -> Consumer:
        """A client that asks for the group's offsets."""
        if group not in self.probes:
            self.probes[group] = consumer(self.cluster.brokers, group)
        return self.probes[group]

    def wait_consumed(self, group: str) -> None:
        self.wait_progress(lambda: self.consumed(group), f"the group {group} stands still")

    def wait_stored(self) -> None:
        expected = sum(entry.is_receipt for entry in self.manifest.entries)
        count = f"SELECT uniqExact(verification_id) FROM {DATABASE}.receipts"
        self.wait_progress(lambda: (int(self.front.sql(count, seconds=STALL_SECONDS)), expected), "the projector stands still")

    def wait_projected(self) -> None:
        """Until the projector has committed the whole topic, receipts that replace others included."""
        last = dict.fromkeys(range(RECEIPT_PARTITIONS), 0)
        reader = Reader(self.cluster.brokers, {RECEIPTS: RECEIPT_PARTITIONS})
        for message in reader.read_all():
            last[message.partition()] = message.offset()
        reader.close()

        def done() -> tuple[int, int]:
            found = committed(self.probe(PROJECT_GROUP), RECEIPTS, RECEIPT_PARTITIONS)
            # What follows the last receipt are ends of transactions, which a group need not commit.
            return sum(found[number] > offset for number, offset in last.items()), len(last)

        self.wait_progress(done, "the projector does not come to the end")

    def wait_progress(self, ask: Callable[[], tuple[int, int]], what: str) -> None:
        last, since = -1, time.monotonic()
        while True:
            found, wanted = ask()
            if found >= wanted:
                return
            if found != last:
                last, since = found, time.monotonic()
            if time.monotonic() - since > STALL_SECONDS:
                raise Stalled(f"{what} at {found} of {wanted} for {STALL_SECONDS} s")
            for _ in range(5):
                self.injector.tick()

    def stored_below(self, offsets: dict[int, int]) -> dict[int, int]:
        """How many receipts of each partition of the topic are stored, below offsets; none when the store is away."""
        where = " OR ".join(f"(receipt_partition = {p} AND receipt_offset < {o})" for p, o in offsets.items())
        select = f"SELECT receipt_partition, uniqExact(verification_id) FROM {DATABASE}.receipts WHERE {where} GROUP BY 1"
        try:
            return {int(p): int(n) for p, n in (line.split("\t") for line in self.front.sql(select).splitlines())}
        except OSError:
            return {}

    # ---- the end ----

    def compare(self, times: int) -> None:
        """Everything that must hold, when every record was answered so many times."""
        findings = self.findings
        topics = {RECEIPTS: RECEIPT_PARTITIONS, LETTERS: LETTER_PARTITIONS}
        answers = Answers(self.cluster.brokers, topics, RECEIPTS, INPUT)
        letters = sum(map(len, answers.letters.values()))
        self.say(f"{answers.rows()} receipts and {letters} dead letters are read")
        checks.check_answers(answers, self.manifest, times, INPUT, findings)
        checks.check_order(answers, findings)
        checks.check_store(self.front, DATABASE, answers, self.manifest, findings)
        expected = model.counts(self.manifest.entries)
        checks.check_counts(self.front, DATABASE, expected, findings)
        agents = sorted(expected) + ["test-seller", "nobody"]
        if self.arguments.short:
            agents = self.rng.sample(agents[:-2], 8) + agents[-2:]
        as_of = checks.utc_now()
        scores = checks.check_agents(self.program, agents, expected, answers, as_of, findings)
        self.scores.append((as_of, scores))
        checks.check_rebuilt_receipts(self.program, answers, self.rng, 10 if self.arguments.short else 100, findings)
        self.say(f"answers, order, store, counts, and {len(agents)} reputations and scores are compared")
        at_most = 4_000 if self.arguments.short else 20_000
        checked = checks.check_signatures(
            self.cluster, RECEIPTS, answers.rows(), at_most, self.folder / "keys.json", self.manifest, findings
        )
        self.say(f"{checked} receipts of the console consumer pass the independent check")

    def replay(self) -> None:
        """The whole topic once more, by another group."""
        for actor in self.injector.actors:
            if actor.kind == "stream":
                actor.leave(self.injector.findings)
        self.injector.actors = [actor for actor in self.injector.actors if actor.kind == "project"]
        self.injector.actors += [self.stream(None, "oracle-replay", 3_000) for _ in range(3)]
        self.wait_consumed("oracle-replay")
        self.say("all is answered again")
        self.wait_projected()
        self.compare(2)
        as_of, scores = self.scores[0]
        checks.check_same_scores(self.program, scores, as_of, self.findings)
        self.say(f"{len(scores)} scores for the time before the replay are compared")

    def rebuild(self) -> None:
        """A second database from the first offset on."""
        arguments = ["--receipts", RECEIPTS, "--dead-letters", LETTERS, "--into", "rebuilt"]
        done = self.program.run("rebuild", *arguments, seconds=1_800)
        told = done.stdout.decode().strip()
        self.say(f"rebuild: {told}")
        if done.returncode != 0 or "equal to" not in told:
            self.findings.add("a rebuild is not equal", f"code {done.returncode}: {told} {done.stderr.decode()[-500:]}")
        answers = Answers(self.cluster.brokers, {RECEIPTS: RECEIPT_PARTITIONS}, RECEIPTS, INPUT)
        checks.check_store(self.front, "rebuilt", answers, self.manifest, self.findings)
        checks.check_counts(self.front, "rebuilt", model.counts(self.manifest.entries), self.findings)

    def stop_actors(self) -> None:
        injector = self.injector
        if injector is None:
            return
        told = len(injector.findings)
        for actor in injector.actors:
            actor.leave(injector.findings)
        for text in injector.findings[told:]:
            self.findings.add("at the end", text)
        injector.actors = []


def main() -> int:
    parser = argparse.ArgumentParser(description="The fault test of the streaming road.")
    parser.add_argument("--assay", default=str(ROOT / "target" / "release" / "assay"), metavar="FILE")
    parser.add_argument("--records", type=int)
    parser.add_argument("--faults", type=int)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--short", action="store_true", help="20,000 records and 8 faults, for CI")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--rebuild", action="store_true")
    parser.add_argument("--artefacts", type=Path, metavar="DIR", help="where files and logs go, kept in any case")
    arguments = parser.parse_args()
    arguments.records = arguments.records or (SHORT_RECORDS if arguments.short else 200_000)
    arguments.faults = arguments.faults or (SHORT_FAULTS if arguments.short else 25)
    services.end_on_signals()
    if arguments.artefacts:
        arguments.artefacts.mkdir(parents=True, exist_ok=True)
    folder = arguments.artefacts or Path(tempfile.mkdtemp(prefix="assay-oracle-"))
    oracle = Oracle(arguments, folder.resolve())
    try:
        oracle.run()
    except (ServiceError, Stalled) as error:
        oracle.findings.add("the run did not come to its end", str(error))
    except Told as told:
        return 128 + told.number
    return tell(oracle)


def tell(oracle: Oracle) -> int:
    """The report; 1 when anything is not as expected."""
    injector = oracle.injector
    lines = list(oracle.report)
    if injector:
        lines += ["", "Faults:", *injector.timeline, "", "Notes:", *injector.notes]
    problems = oracle.findings.lines()
    lines += ["", "Differences:", *(problems or ["none"])]
    (oracle.folder / "report.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for line in problems:
        print(line)
    if not problems:
        print(f"everything is as expected, {oracle.arguments.records} records, {oracle.arguments.faults} faults, seed {oracle.arguments.seed}")
        if not oracle.arguments.artefacts:
            shutil.rmtree(oracle.folder, ignore_errors=True)
        return 0
    print(f"not as expected: run again with --seed {oracle.arguments.seed}; logs, manifest and report: {oracle.folder}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
