"""What is put into the input topic, and what must come of each record: made from a seed, by construction and not by the program.

Requests are invoices as in `schemas/vectors/`, each altered in a way whose verdict follows from the protocol. Between
them stand poison of every kind, tombstones, oversized records and requests that were made before.
"""

import json
import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterator

VECTORS = Path(__file__).resolve().parent.parent.parent / "schemas" / "vectors"

DAY_MILLIS = 86_400_000
PARTITIONS = 4

# Protocol and program bound a request at 16 MiB; a topic can take more.
REQUEST_BYTES_MAX = 16 * 1024 * 1024

# The receipts topic takes less than Kafka's default, so that a receipt can be too large for it.
RECEIPT_BYTES_MAX = 65_536
# The dead-letter topic keeps Kafka's default: what is larger comes as a stub.
LETTER_BYTES_MAX = 1_048_588

POISON_SHARE = 0.04
DUPLICATE_SHARE = 0.12
# A whole request is kept for as many records as this, to be made again.
REMEMBERED = 2_000

AGENTS = [f"agent-{number:02}" for number in range(40)] + [
    "https://agents.example/7?x=1&y=%20",
    "o'brien \\ \"quoted\"",
    "агент-七",
    "tester",
]
TEST_AGENTS = ["test-seller", "test-"]
ODD_CLOCK_AGENT = "odd-clock"


@dataclass(slots=True)
class Entry:
    """A record of the input topic and what must come of it."""

    partition: int
    key: bytes | None
    headers: list[tuple[str, bytes]]
    timestamp: int
    # Where the value stands in the values file; None is a tombstone.
    place: tuple[int, int] | None
    kind: str
    # `pass` and `fail` want a receipt; everything else is the code of a dead letter.
    outcome: str
    agent: str | None = None
    # The same number is the same request, whatever its detail or white space.
    request: int = -1
    offset: int = -1

    @property
    def is_receipt(self) -> bool:
        return self.outcome in ("pass", "fail")

    @property
    def day(self) -> date:
        """The UTC day on which it counts."""
        return (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=self.timestamp)).date()


Body = dict[str, Any]


class Manifest:
    """The records in the order in which they are produced. Their values are in a file."""

    def __init__(self, records: int, seed: int, now_millis: int, folder: Path) -> None:
        self.path = folder / "values.bin"
        self.entries: list[Entry] = []
        maker = Maker(random.Random(seed), now_millis)
        with open(self.path, "wb") as file:
            for _ in range(records):
                entry, value = maker.make()
                entry.place = append(file, value)
                self.entries.append(entry)
        self.values = open(self.path, "rb")

    def value(self, entry: Entry) -> bytes | None:
        """The bytes of a record."""
        if entry.place is None:
            return None
        start, length = entry.place
        self.values.seek(start)
        return self.values.read(length)

    def by_source(self) -> dict[tuple[int, int], Entry]:
        """The records by partition and offset, once they are produced."""
        return {(entry.partition, entry.offset): entry for entry in self.entries}

    def write(self, path: Path) -> None:
        """Writes what is expected, for whoever looks into a failure."""
        with open(path, "w", encoding="utf-8") as file:
            for entry in self.entries:
                told = {
                    "partition": entry.partition, "offset": entry.offset, "timestamp": entry.timestamp, "kind": entry.kind,
                    "outcome": entry.outcome, "agent": entry.agent, "request": entry.request, "place": entry.place,
                }
                file.write(json.dumps(told, ensure_ascii=False) + "\n")


def append(file: BinaryIO, value: bytes | None) -> tuple[int, int] | None:
    if value is None:
        return None
    start = file.tell()
    file.write(value)
    return start, len(value)


class Maker:
    """Makes one record after another."""

    def __init__(self, rng: random.Random, now_millis: int) -> None:
        self.rng = rng
        self.now = now_millis
        self.requests = 0
        self.remembered: list[tuple[Body, Entry]] = []
        self.final = json.loads((VECTORS / "invoice-final.request.json").read_bytes())
        self.kinds = list(KINDS)
        self.poisons = self.endless(POISONS)
        # Each is large, so there are few of them, and always some.
        self.rare = [oversized_request, oversized_poison, oversized_request]

    def endless(self, kinds: dict[str, Callable[["Maker", Body], tuple[bytes | None, str]]]) -> Iterator[str]:
        """Every kind in turn, each turn in another order."""
        while True:
            names = list(kinds)
            self.rng.shuffle(names)
            yield from names

    def make(self) -> tuple[Entry, bytes | None]:
        entry = self.blank()
        chance = self.rng.random()
        if self.rare and self.requests > 200 and chance < 0.002:
            kind, value, entry.outcome = self.rare.pop()(self)
            entry.kind = kind
            return entry, value
        if chance < POISON_SHARE:
            return self.poison(entry)
        if self.remembered and chance < POISON_SHARE + DUPLICATE_SHARE:
            return self.again(entry)
        return self.request(entry)

    def blank(self) -> Entry:
        rng = self.rng
        key = rng.choice([None, b"", rng.randbytes(4), b"key-%d" % rng.randrange(50), b"key-%d" % rng.randrange(50)])
        headers = [("trace", rng.randbytes(8)), ("empty", b"")] if rng.random() < 0.2 else []
        return Entry(rng.randrange(PARTITIONS), key, headers, self.timestamp(), None, "", "")

    def timestamp(self) -> int:
        """A time on one of the last days, now and then at the very edge of one."""
        rng = self.rng
        today = self.now // DAY_MILLIS * DAY_MILLIS
        start = today - rng.choice([0, 1, 1, 2, 3, 35, 70]) * DAY_MILLIS
        length = self.now - today if start == today else DAY_MILLIS
        return start + rng.choice([0, length - 1, rng.randrange(max(length, 1)), rng.randrange(max(length, 1))])

    def agent(self) -> str | None:
        rng = self.rng
        chance = rng.random()
        if chance < 0.05:
            return None
        if chance < 0.12:
            return rng.choice(TEST_AGENTS)
        return rng.choice(AGENTS)

    def request(self, entry: Entry) -> tuple[Entry, bytes]:
        rng = self.rng
        self.requests += 1
        body = self.invoice()
        body["task_id"] = f"invoice-{self.requests}"
        body["agent_id"] = self.agent()
        entry.kind = rng.choice(self.kinds)
        entry.outcome = KINDS[entry.kind](self, body)
        if rng.random() < 0.002:
            body["agent_id"] = ODD_CLOCK_AGENT
            entry.timestamp = rng.choice([DAY_MILLIS, 40 * 365 * DAY_MILLIS, 129 * 365 * DAY_MILLIS])
        if body["agent_id"] is None and rng.random() < 0.5:
            del body["agent_id"]
        entry.agent, entry.request = body.get("agent_id"), self.requests
        if len(self.remembered) < REMEMBERED:
            self.remembered.append((body, entry))
        else:
            self.remembered[rng.randrange(REMEMBERED)] = (body, entry)
        return entry, self.text(body)

    def again(self, entry: Entry) -> tuple[Entry, bytes]:
        """A request that was made before: at times on another day, to another partition, or written in another way."""
        rng = self.rng
        body, known = rng.choice(self.remembered)
        if rng.random() < 0.5:
            entry.timestamp = known.timestamp
        entry.kind, entry.outcome, entry.agent, entry.request = "again", known.outcome, known.agent, known.request
        if rng.random() < 0.3 and known.outcome in ("pass", "fail"):
            body = {**body, "detail": rng.choice(["full", "compact"])}
        return entry, self.text(body)

    def poison(self, entry: Entry) -> tuple[Entry, bytes | None]:
        entry.kind = next(self.poisons)
        body = self.invoice()
        body["agent_id"] = self.rng.choice(AGENTS)
        value, entry.outcome = POISONS[entry.kind](self, body)
        if entry.outcome == "unknown_contract":
            entry.headers = [*entry.headers, ("contract-id", b"no-such-contract")]
        elif entry.outcome == "invalid_header":
            entry.headers = [*entry.headers, ("contract-id", b"\xff\xfe")]
        return entry, value

    def invoice(self) -> Body:
        """A correct invoice of its own."""
        rng = self.rng
        cents = [rng.randrange(1, 100_000) for _ in range(rng.randrange(1, 5))]
        items = [
            {"sku": f"CRWL-{rng.randrange(1_000)}", "qty": rng.randrange(1, 9), "line_total": cent / 100} for cent in cents
        ]
        body = dict(self.final)
        body["submitted_output"] = {
            "invoice_id": f"INV-{rng.randrange(10_000):04}", "currency": rng.choice(["USD", "EUR"]), "line_items": items,
            "total": sum(cents) / 100,
        }
        return body

    def text(self, body: Body) -> bytes:
        """The request as JSON, in one of several spellings."""
        indent, is_ascii = self.rng.choice([(None, False), (None, True), (1, False)])
        return json.dumps(body, ensure_ascii=is_ascii, indent=indent).encode()


# ---- requests: what is altered, and the verdict that follows ----


def output(body: Body) -> dict[str, Any]:
    return body["submitted_output"]


def right(maker: Maker, body: Body) -> str:
    return "pass"


def compact(maker: Maker, body: Body) -> str:
    body["detail"] = "compact"
    return "pass"


def compact_failure(maker: Maker, body: Body) -> str:
    body["detail"] = "compact"
    output(body)["invoice_id"] = "INV-1"
    return "fail"


def wrong_sum(maker: Maker, body: Body) -> str:
    output(body)["total"] += 5.5
    body["enforce_rules"] = True
    return "fail"


def wrong_sum_noted(maker: Maker, body: Body) -> str:
    output(body)["total"] += 5.5
    body["enforce_rules"] = False
    return "pass"


def bad_pattern(maker: Maker, body: Body) -> str:
    output(body)["invoice_id"] = maker.rng.choice(["INV-77", "inv-7731", "INV-77310"])
    return "fail"


def missing_member(maker: Maker, body: Body) -> str:
    del output(body)[maker.rng.choice(["invoice_id", "currency"])]
    return "fail"


def below_minimum(maker: Maker, body: Body) -> str:
    output(body)["line_items"][-1]["qty"] = 0
    return "fail"


def wrong_type(maker: Maker, body: Body) -> str:
    output(body)["total"] = str(output(body)["total"])
    return "fail"


def not_in_enum(maker: Maker, body: Body) -> str:
    output(body)["currency"] = "XXX"
    return "fail"


def placeholder_strict(maker: Maker, body: Body) -> str:
    output(body)["line_items"][0]["sku"] = "TODO"
    body["strict_content_check"] = True
    return "fail"


def placeholder_noted(maker: Maker, body: Body) -> str:
    output(body)["line_items"][0]["sku"] = "TODO"
    body["strict_content_check"] = False
    return "pass"


def out_of_bounds(maker: Maker, body: Body) -> str:
    body["bounds"] = {"total": {"min": output(body)["total"] + 1}}
    body["enforce_rules"] = True
    return "fail"


def in_bounds(maker: Maker, body: Body) -> str:
    body["bounds"] = {"total": {"min": 0, "max": output(body)["total"]}, "missing": {"min": 1, "if_present": True}}
    body["enforce_rules"] = True
    return "pass"


def not_unique(maker: Maker, body: Body) -> str:
    items = output(body)["line_items"]
    items.append({**items[0], "line_total": 0.0})
    body["rules"] = [*body["rules"], {"type": "unique", "field": "line_items[].sku"}]
    body["enforce_rules"] = True
    return "fail"


def nothing_is_valid(maker: Maker, body: Body) -> str:
    body["expected_schema"] = False
    return "fail"


def null_is_an_output(maker: Maker, body: Body) -> str:
    body.update(expected_schema={"type": "null"}, submitted_output=None, rules=None)
    return "pass"


def large_integer(maker: Maker, body: Body) -> str:
    body.update(expected_schema={"type": "integer", "minimum": 10**299}, submitted_output=10**300 + 1, rules=[])
    return "pass"


def old_draft(maker: Maker, body: Body) -> str:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 5, "exclusiveMinimum": True}
    body.update(expected_schema=schema, submitted_output=5, rules=None)
    return "fail"


def unicode_text(maker: Maker, body: Body) -> str:
    body.update(expected_schema={"maxLength": 3}, submitted_output="\U0001f980é\u2028", rules=None)
    return "pass"


def receipt_too_large(maker: Maker, body: Body) -> str:
    """A hundred violations, each listed with a long path, make a receipt that its topic does not take."""
    names = [f"{number:03}-" + "n" * 190 for number in range(150)]
    body.update(
        expected_schema={"properties": {name: {"const": "y" * 200} for name in names}},
        submitted_output={name: "x" * 200 for name in names}, rules=None, detail="full",
    )
    return "receipt_too_large"


KINDS: dict[str, Callable[[Maker, Body], str]] = {
    function.__name__: function
    for function in (
        right, compact, compact_failure, wrong_sum, wrong_sum_noted, bad_pattern, missing_member, below_minimum,
        wrong_type, not_in_enum, placeholder_strict, placeholder_noted, out_of_bounds, in_bounds, not_unique,
        nothing_is_valid, null_is_an_output, large_integer, old_draft, unicode_text,
    )
}  # fmt: skip


# ---- poison: bytes and the code of their dead letter ----


def spelled(maker: Maker, body: Body, old: bytes, new: bytes) -> bytes:
    """The request with a piece of its text replaced."""
    text = json.dumps(body).encode()
    assert old in text, old
    return text.replace(old, new, 1)


def with_number(number: str) -> bytes:
    return b'{"task_id":"n","expected_schema":true,"submitted_output":[1,' + number.encode() + b"]}"


def changed(code: str, **members: Any) -> Callable[[Maker, Body], tuple[bytes, str]]:
    """A request with members that it may not have."""

    def make(maker: Maker, body: Body) -> tuple[bytes, str]:
        return json.dumps({**body, **members}).encode(), code

    return make


def without(name: str) -> Callable[[Maker, Body], tuple[bytes, str]]:
    def make(maker: Maker, body: Body) -> tuple[bytes, str]:
        return json.dumps({key: value for key, value in body.items() if key != name}).encode(), "invalid_request"

    return make


def fixed(value: bytes | None, code: str) -> Callable[[Maker, Body], tuple[bytes | None, str]]:
    return lambda maker, body: (value, code)


def text_of(change: Callable[[bytes], bytes], code: str = "invalid_json") -> Callable[[Maker, Body], tuple[bytes, str]]:
    """A request whose text is spoilt."""
    return lambda maker, body: (change(json.dumps(body).encode()), code)


def cut(maker: Maker, body: Body) -> tuple[bytes, str]:
    text = json.dumps(body).encode()
    return text[: maker.rng.randrange(1, len(text))], "invalid_json"


def too_large_for_its_receipt(maker: Maker, body: Body) -> tuple[bytes, str]:
    code = receipt_too_large(maker, body)
    return json.dumps(body).encode(), code


POISONS: dict[str, Callable[[Maker, Body], tuple[bytes | None, str]]] = {
    "tombstone": fixed(None, "tombstone"),
    "empty": fixed(b"", "empty_value"),
    "nul": fixed(b"\x00", "invalid_json"),
    "white space": fixed(b" \n\t", "invalid_json"),
    "noise": lambda maker, body: (b"\x80" + maker.rng.randbytes(300), "invalid_json"),
    "utf-16": text_of(lambda text: text.decode().encode("utf-16")),
    "invalid utf-8": lambda maker, body: (spelled(maker, body, b"INV-", b"INV\xff"), "invalid_json"),
    "overlong utf-8": lambda maker, body: (spelled(maker, body, b"INV-", b"INV\xc0\xad"), "invalid_json"),
    "byte-order mark": text_of(lambda text: b"\xef\xbb\xbf" + text),
    "truncated": cut,
    "two values": text_of(lambda text: text + b"\n" + text),
    "comment": text_of(lambda text: b"/* */" + text),
    "nan": fixed(with_number("NaN"), "invalid_json"),
    "too large a number": fixed(with_number("1e400"), "invalid_json"),
    "too small a number": fixed(with_number("-1e-400"), "invalid_json"),
    "too many digits": fixed(with_number("9" * 200_000), "limit_exceeded"),
    "leading zero": fixed(with_number("01"), "invalid_json"),
    "duplicate key": text_of(lambda text: b'{"t\\u0061sk_id": "x", ' + text[1:]),
    "lone surrogate": lambda maker, body: (spelled(maker, body, b"INV-", b"\\ud800"), "invalid_json"),
    "deep and open": fixed(b"[" * 10_000, "limit_exceeded"),
    "deep and closed": fixed(b"[" * 100_000 + b"]" * 100_000, "limit_exceeded"),
    "deep output": fixed(with_number("[" * 20_000 + "]" * 20_000), "limit_exceeded"),
    "an array": fixed(b"[]", "invalid_request"),
    "a string": fixed(b'"request"', "invalid_request"),
    "null": fixed(b"null", "invalid_request"),
    "wrong task type": changed("invalid_request", task_id=7),
    "empty task": changed("invalid_request", task_id=""),
    "long task": changed("invalid_request", task_id="x" * 201),
    "wrong agent type": changed("invalid_request", agent_id={"name": "x"}),
    "unknown member": changed("invalid_request", extra=1),
    "unknown rule": changed("invalid_request", rules=[{"type": "surprise", "field": "total"}]),
    "two operands": changed("invalid_request", rules=[{"type": "gte", "field": "total", "value": 1, "other_field": "x"}]),
    "bound without an end": changed("invalid_request", bounds={"total": {}}),
    "unknown detail": changed("invalid_request", detail="half"),
    "no output": without("submitted_output"),
    "no schema": without("expected_schema"),
    "no task": without("task_id"),
    "schema of no type": changed("invalid_schema", expected_schema="string"),
    "unknown type in the schema": changed("invalid_schema", expected_schema={"type": "nonsense"}),
    "reference to nothing": changed("invalid_schema", expected_schema={"$ref": "#/nowhere"}),
    "broken pattern": changed("invalid_schema", expected_schema={"pattern": "("}),
    "unknown contract": changed("unknown_contract"),
    "contract of no text": changed("invalid_header"),
    "receipt too large": too_large_for_its_receipt,
}


# ---- the large ones ----


def oversized_request(maker: Maker) -> tuple[str, bytes, str]:
    """Longer than a request may be, and as a letter longer than its topic takes."""
    text = b'{"task_id":"t","expected_schema":true,"submitted_output":"'
    return "oversized request", text + b"x" * (REQUEST_BYTES_MAX - len(text)) + b'"}', "body_too_large"


def oversized_poison(maker: Maker) -> tuple[str, bytes, str]:
    """Short enough for a request, but no letter topic takes it whole."""
    return "oversized poison", b"[" + b"\x01" * (2 * LETTER_BYTES_MAX), "invalid_json"
