"""The checks at the end: what a reader of committed records and a reader of the store find, against the manifest."""

import hashlib
import json
import random
import uuid
from collections import Counter, defaultdict
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, Iterable

import check_receipts
from services import ClickHouseFront, KafkaCluster

from .actors import Program
from .manifest import LETTER_BYTES_MAX, ODD_CLOCK_AGENT, Entry, Manifest
from .model import Counts, estimate
from .readers import LETTER_SOURCE, RECEIPT_SOURCE, Answer, Reader, source_of

Source = tuple[int, int]
# Estimates are rounded to six decimals, and other arithmetic may fall on the other side of a half.
ESTIMATE_TOLERANCE = 1.5e-6


class Findings:
    """What is not as it must be. Of one kind the first are told and the rest is counted."""

    SHOWN = 5

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.shown: dict[str, list[str]] = defaultdict(list)

    def add(self, kind: str, text: str) -> None:
        self.counts[kind] += 1
        if len(self.shown[kind]) < self.SHOWN:
            self.shown[kind].append(text)

    def expect(self, kind: str, found: Any, expected: Any, where: str) -> None:
        if found != expected:
            self.add(kind, f"{where}: {found!r}, expected {expected!r}")

    def lines(self) -> list[str]:
        told = []
        for kind, count in self.counts.items():
            told.append(f"{count} × {kind}")
            told += [f"    {text}" for text in self.shown[kind]]
        return told


class Answers:
    """All receipts and dead letters, by what they answer."""

    def __init__(self, brokers: str, topics: dict[str, int], receipts: str, input_topic: str) -> None:
        self.receipts: dict[Source, list[Answer]] = defaultdict(list)
        self.letters: dict[Source, list[Answer]] = defaultdict(list)
        self.foreign: list[Answer] = []
        self.in_order: list[tuple[tuple[str, int], Source]] = []
        reader = Reader(brokers, topics)
        for message in reader.read_all():
            is_receipt = message.topic() == receipts
            answer = Answer.of(message)
            if not is_receipt:
                # Letters can be large; the digest is enough.
                answer.value = answer.value if answer.header("assay-stub") else None
            topic, partition, offset = source_of(message, RECEIPT_SOURCE if is_receipt else LETTER_SOURCE)
            if topic != input_topic:
                self.foreign.append(answer)
                continue
            (self.receipts if is_receipt else self.letters)[partition, offset].append(answer)
            self.in_order.append(((message.topic(), message.partition()), (partition, offset)))
        reader.close()

    def rows(self) -> int:
        return sum(map(len, self.receipts.values()))


def check_answers(answers: Answers, manifest: Manifest, times: int, input_topic: str, findings: Findings) -> None:
    """One receipt or dead letter for each record, as often as it was answered by a group; the right one."""
    expected = manifest.by_source()
    for source in (answers.receipts.keys() | answers.letters.keys()) - expected.keys():
        findings.add("an answer to nothing", f"{source}")
    for answer in answers.foreign:
        findings.add("the projector's dead letter", f"{answer.headers}")
    for source, entry in expected.items():
        receipts, letters = answers.receipts.get(source, []), answers.letters.get(source, [])
        count = len(receipts) + len(letters)
        where = f"{source} ({entry.kind})"
        if count != times:
            findings.add("lost" if count < times else "answered too often", f"{where}: {count} answers, expected {times}")
        for letter in letters:
            check_letter(letter, entry, manifest, where, findings)
        for receipt in receipts:
            check_receipt(receipt, entry, manifest, input_topic, where, findings)
        if len({receipt.header("verification-id") for receipt in receipts}) > 1:
            findings.add("a replay has another id", where)


def check_letter(letter: Answer, entry: Entry, manifest: Manifest, where: str, findings: Findings) -> None:
    code = letter.header("__connect.errors.exception.class.name")
    findings.expect("a wrong error code", code, entry.outcome, where)
    findings.expect("a letter of the wrong key", letter.key, entry.key, where)
    findings.expect("a letter without its time", letter.header("assay-timestamp"), str(entry.timestamp), where)
    findings.expect("a wrong attempt", letter.header("assay-attempt"), "1", where)
    if not letter.header("__connect.errors.exception.message"):
        findings.add("a letter without a message", where)
    value = manifest.value(entry)
    size = 0 if value is None else len(value)
    if letter.header("assay-stub"):
        if size < LETTER_BYTES_MAX - 4096:
            findings.add("a stub for what would fit", where)
        stub = json.loads(letter.value or b"{}")
        findings.expect("a stub of another value", (stub.get("value_bytes"), stub.get("sha256")), (size, sha256(value).hex()), where)
        return
    findings.expect("a letter of another value", letter.digest, None if value is None else sha256(value), where)
    for header in entry.headers:
        if header not in letter.headers:
            findings.add("a letter lacks a header", f"{where}: {header}")


def check_receipt(
    receipt: Answer, entry: Entry, manifest: Manifest, input_topic: str, where: str, findings: Findings
) -> None:
    findings.expect("a wrong result", receipt.header("result"), entry.outcome, where)
    findings.expect("a receipt of the wrong key", receipt.key, entry.key, where)
    findings.expect("a wrong day", receipt.header("counted-on"), entry.day.isoformat(), where)
    findings.expect("a wrong content type", receipt.header("content-type"), "application/json", where)
    if entry.agent != ODD_CLOCK_AGENT:
        findings.expect("a receipt of the wrong time", receipt.timestamp, entry.timestamp, where)
    try:
        document = json.loads(receipt.value or b"")
    except ValueError:
        findings.add("a receipt that is no JSON", where)
        return
    findings.expect("result and header differ", document.get("result"), receipt.header("result"), where)
    findings.expect("id and header differ", document.get("verification_id"), receipt.header("verification-id"), where)
    findings.expect("schema hash and header differ", document.get("schema_hash"), receipt.header("schema-hash"), where)
    findings.expect("a wrong agent", document.get("agent_id"), entry.agent, where)
    value = manifest.value(entry)
    expected = verification_id(input_topic, entry.partition, entry.offset, value or b"")
    findings.expect("a wrong verification id", receipt.header("verification-id"), expected, where)


def sha256(value: bytes | None) -> bytes:
    return hashlib.sha256(value or b"").digest()


def verification_id(topic: str, partition: int, offset: int, value: bytes) -> str:
    """The UUIDv8 of protocol section 9, as `schemas/` documents its layout."""
    name = topic.encode()
    hashed = len(name).to_bytes(4, "big") + name + partition.to_bytes(4, "big") + offset.to_bytes(8, "big") + sha256(value)
    raw = bytearray(hashlib.sha256(hashed).digest()[:16])
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(raw)))


def check_order(answers: Answers, findings: Findings) -> None:
    """Answers to one input partition stand in its order, in each partition that they are in; a replay begins anew."""
    last: dict[tuple[tuple[str, int], int], int] = {}
    restarts: Counter[tuple[tuple[str, int], int]] = Counter()
    for place, (partition, offset) in answers.in_order:
        key = (place, partition)
        if offset <= last.get(key, -1):
            restarts[key] += 1
        last[key] = offset
    most = max((len(found) for found in answers.receipts.values()), default=1)
    for key, count in restarts.items():
        if count > max(most - 1, 0):
            findings.add("out of order", f"{key}: {count} steps back")


# ---- the store ----


def rows(front: ClickHouseFront, statement: str) -> Iterable[list[Any]]:
    for line in front.sql(statement + " FORMAT JSONCompactEachRow", seconds=300).splitlines():
        yield json.loads(line)


def check_store(front: ClickHouseFront, database: str, answers: Answers, manifest: Manifest, findings: Findings) -> None:
    """The store holds the ids of the receipts, each once, with their results."""
    expected = {
        receipt.header("verification-id"): (receipt.header("result"), partition, offset)
        for (partition, offset), receipts in answers.receipts.items()
        for receipt in receipts
    }
    found: dict[str, tuple[str, int, int]] = {}
    select = f"SELECT toString(verification_id), result, source_partition, source_offset FROM {database}.receipts FINAL"
    for identity, result, partition, offset in rows(front, select):
        if identity in found:
            findings.add("stored twice", identity)
        found[identity] = (result, int(partition), int(offset))
    for identity in expected.keys() - found.keys():
        findings.add("a receipt is not stored", f"{identity} of {expected[identity]}")
    for identity in found.keys() - expected.keys():
        findings.add("stored, but not in the topic", f"{identity} of {found[identity]}")
    for identity in expected.keys() & found.keys():
        findings.expect("stored otherwise", found[identity], expected[identity], str(identity))


def check_counts(front: ClickHouseFront, database: str, expected: Counts, findings: Findings) -> None:
    """Requests of every agent and day, counted as the program counts them when it is asked."""
    select = (
        f"SELECT agent_id, toString(counted_on), uniqExact(request), uniqExactIf(request, failed) FROM {database}.checks FINAL "
        "WHERE NOT withdrawn GROUP BY agent_id, counted_on"
    )
    found: dict[tuple[str, date], tuple[int, int]] = {}
    for agent, day, requests, failed in rows(front, select):
        found[agent, date.fromisoformat(day)] = (int(requests) - int(failed), int(failed))
    wanted = {(agent, day): (count.passed, count.failed) for agent, days in expected.items() for day, count in days.items()}
    for place in found.keys() | wanted.keys():
        findings.expect("a count differs", found.get(place), wanted.get(place), str(place))


def check_agents(
    program: Program, agents: list[str], expected: Counts, answers: Answers, as_of: datetime, findings: Findings
) -> dict[str, Any]:
    """What the program itself answers: reputation and score of agents, from the store. Gives the scores."""
    seen = first_and_last(answers)
    scores = {}
    for agent in agents:
        days = expected.get(agent, {})
        passed, failed = sum(c.passed for c in days.values()), sum(c.failed for c in days.values())
        reputation = answer_of(program, findings, "reputation", agent)
        score = answer_of(program, findings, "score", agent, "--as-of", as_of.strftime("%Y-%m-%dT%H:%M:%SZ"))
        if reputation is None or score is None:
            continue
        scores[agent] = score
        for name, document in (("reputation", reputation), ("score", score)):
            where = f"{name} of {agent!r}"
            told = {key: document.get(key) for key in ("sample_size", "verified_count", "passed_count", "failed_count")}
            wanted = {"sample_size": passed + failed, "verified_count": passed + failed, "passed_count": passed, "failed_count": failed}
            findings.expect("told counts differ", told, wanted, where)
            first, last = seen.get(agent, (None, None))
            findings.expect("first_seen or last_seen differs", (document.get("first_seen"), document.get("last_seen")), (first, last), where)
        today = datetime.fromisoformat(reputation["computed_at"]).date()
        by_day = {day["day"]: (day["passed_count"], day["failed_count"]) for day in reputation["by_day"]}
        wanted_days = {
            day.isoformat(): (count.passed, count.failed)
            for day, count in days.items()
            if 0 <= (today - day).days < 30
        }
        findings.expect("by_day differs", by_day, wanted_days, f"reputation of {agent!r}")
        check_score(score, agent, days, as_of, findings)
    return scores


def check_same_scores(program: Program, scores: dict[str, dict[str, Any]], as_of: datetime, findings: Findings) -> None:
    """The score of an agent at a time, asked for again: its `computed_at` is all that it depends on beside the counts."""
    for agent, before in scores.items():
        again = answer_of(program, findings, "score", agent, "--as-of", as_of.strftime("%Y-%m-%dT%H:%M:%SZ"))
        if again is not None:
            figures = ("trust_score", "confidence_interval_95", "sample_size", "passed_count", "failed_count", "effective_sample_size")
            found, expected = ({name: document[name] for name in figures} for document in (again, before))
            findings.expect("a replay changes a score for a time before it", found, expected, repr(agent))


def check_score(score: dict[str, Any], agent: str, days: Any, as_of: datetime, findings: Findings) -> None:
    if not days:
        findings.expect("a score of nothing", (score["trust_score"], score["reason"]), (None, "no_data"), agent)
        return
    wanted = estimate(days, as_of.date())
    found = [score["trust_score"], *(score["confidence_interval_95"] or []), score["effective_sample_size"]]
    for value, model in zip(found, [wanted.share, wanted.low, wanted.high, wanted.size], strict=True):
        if value is None or abs(value - model) > ESTIMATE_TOLERANCE + abs(model) * 1e-9:
            findings.add("a score differs", f"{agent!r}: {found}, expected {wanted}")
            return


def first_and_last(answers: Answers) -> dict[str, tuple[str, str]]:
    """The first and last `verified_at` of each agent, of the receipts that stand: the latest of each id."""
    latest: dict[str, tuple[str, str]] = {}
    for receipts in answers.receipts.values():
        for receipt in receipts:
            document = json.loads(receipt.value or b"{}")
            agent = document.get("agent_id")
            if agent is None or agent.startswith("test-"):
                continue
            identity, at = document["verification_id"], document["verified_at"]
            if identity not in latest or latest[identity][1] < at:
                latest[identity] = (agent, at)
    seen: dict[str, tuple[str, str]] = {}
    for agent, at in latest.values():
        first, last = seen.get(agent, (at, at))
        seen[agent] = (min(first, at), max(last, at))
    return seen


def answer_of(program: Program, findings: Findings, *arguments: str) -> dict[str, Any] | None:
    done = program.run(*arguments[:1], "--ledger", "clickhouse", *arguments[2:], "--", arguments[1])
    if done.returncode != 0:
        findings.add("a command fails", f"{arguments}: code {done.returncode}: {done.stderr.decode()[-300:]}")
        return None
    return json.loads(done.stdout)


def check_rebuilt_receipts(program: Program, answers: Answers, rng: random.Random, count: int, findings: Findings) -> None:
    """Receipts read back from the store are the ones in the topic, byte for byte."""
    for source in rng.sample(list(answers.receipts), min(count, len(answers.receipts))):
        # Of a record that was answered again, the answer that was verified last stands.
        receipt = max(answers.receipts[source], key=lambda receipt: json.loads(receipt.value or b"{}").get("verified_at", ""))
        identity = receipt.header("verification-id") or ""
        done = program.run("receipt", "show", "--ledger", "clickhouse", identity)
        if done.returncode != 0 or done.stdout.rstrip(b"\n") != receipt.value:
            findings.add("a stored receipt is not the one of the topic", f"{identity}: code {done.returncode}: {done.stdout[:200]!r}")


# ---- signatures, by the broker's own reader and the independent check ----


def check_signatures(
    cluster: KafkaCluster, topic: str, count: int, at_most: int, keys_file: Path, manifest: Manifest, findings: Findings
) -> int:
    """Receipts as the broker's console consumer prints them: signatures, and hashes against requests, of `at_most`."""
    text = cluster.tool(
        "org.apache.kafka.tools.consumer.ConsoleConsumer", "--bootstrap-server", cluster.brokers, "--topic", topic,
        "--from-beginning", "--max-messages", str(count), "--timeout-ms", "60000",
        "--command-property", "isolation.level=read_committed",
        "--formatter-property", "print.headers=true", "--formatter-property", "print.key=false",
        seconds=600,
    )  # fmt: skip
    keys = check_receipts.read_keys(keys_file.read_bytes())
    entries = manifest.by_source()
    lines = text.encode("utf-8", "surrogateescape").splitlines()
    findings.expect("the console consumer reads another number", len(lines), count, topic)
    checked = 0
    for line in random.Random(count).sample(lines, min(at_most, len(lines))):
        head, _, value = line.partition(b"\t")
        headers = dict(pair.split(b":", 1) for pair in head.split(b",") if b":" in pair)
        source = int(headers[b"source-partition"]), int(headers[b"source-offset"])
        try:
            receipt = check_receipts.check_line(value, keys)
            if receipt is None:
                raise check_receipts.Refused("an error object")
            check_receipts.check_request(receipt, check_receipts.read_json(manifest.value(entries[source]) or b""))
            checked += 1
        except check_receipts.Refused as error:
            findings.add("the independent check refuses a receipt", f"{source} ({entries[source].kind}): {error}")
    return checked


def utc_now() -> datetime:
    return datetime.now(timezone.utc)
