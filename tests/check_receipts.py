#!/usr/bin/env python3
"""Checks receipts independently: none of the project's code, only the standard library and `cryptography`.

    check_receipts.py RECEIPTS.ndjson --keys KEYS.json [--requests REQUESTS.ndjson] [--alter N --seed S]

RECEIPTS holds one answer a line: a receipt, or an error object (it has `code` and `status`), which is counted apart.
KEYS is what `assay keys export` prints, one such key, or an agent card. With REQUESTS, line i answers the i-th line
that is not blank: the hashes, the task and the agent are compared too. With --alter, N receipts drawn by chance get
one change each that alters what they say, and every altered one must be rejected.

Prints one summary line; the first refusals go to standard error. Exit code 0 when everything holds, 1 when something
doesn't or there was no receipt at all, 2 when a file or an argument is unusable.
"""

import argparse
import base64
import binascii
import copy
import hashlib
import json
import math
import random
import re
import sys
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Iterable, Iterator

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    sys.exit("check_receipts.py needs the package `cryptography`: python3 -m pip install cryptography")

VERIFY_CONTEXT = "json-schema-verifier/verify-schema-attestation/v1"
SCORE_CONTEXT = "json-schema-verifier/trust-score-attestation/v1"
EXTENSION_PREFIX = "urn:json-schema-verifier:extension:attestation:"
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", re.ASCII)

# Longer integers have no value in the protocol; it also keeps int() from quadratic work on a hostile line.
INTEGER_DIGITS_MAX = 1000

# The rest of the refusals is only counted: a run with the wrong key would otherwise print every line.
REFUSALS_SHOWN_MAX = 10

RULE_DEFAULTS = {
    "type": None,
    "field": None,
    "equals_field": None,
    "equals": None,
    "other_field": None,
    "value": None,
    "in_field": None,
    "values": None,
    "tolerance": 1e-9,
    "if_present": False,
}
BOUND_DEFAULTS = {"min": None, "max": None, "if_present": False}

Keys = dict[str, Ed25519PublicKey]


class Refused(Exception):
    """Something is not what it claims to be; the message says what."""


# ---- JSON, read so that a text has one meaning or none ----


def read_json(data: bytes) -> Any:
    """The value of a JSON text. Integers stay exact; what could be read in two ways is refused."""
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=object_without_duplicates,
            parse_int=exact_integer,
            parse_float=finite_double,
            parse_constant=no_constant,
        )
    except UnicodeDecodeError as error:
        raise Refused(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise Refused(f"not JSON: {error}") from error
    except RecursionError as error:
        raise Refused("nested too deep for this check") from error


def object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of its members; the keys are compared after unescaping."""
    members = dict(pairs)
    if len(members) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Refused(f"the key {twice!r} stands twice in one object")
    return members


def exact_integer(text: str) -> int:
    """An integer written without fraction or exponent keeps all its digits."""
    if len(text.lstrip("-")) > INTEGER_DIGITS_MAX:
        raise Refused(f"an integer has more than {INTEGER_DIGITS_MAX} digits")
    return int(text)


def finite_double(text: str) -> float:
    """Any other number is the double nearest to it; one that a double cannot hold is refused."""
    value = float(text)
    significant = re.split("[eE]", text)[0].strip("-0.")
    if math.isinf(value) or (value == 0.0 and significant):
        raise Refused(f"a double cannot hold {text[:40]}")
    return value


def no_constant(name: str) -> None:
    """Python would read NaN and Infinity; JSON has no such values."""
    raise Refused(f"{name} is not JSON")


# ---- RFC 8785, except that integers keep all their digits ----


def canonical(value: Any) -> bytes:
    """The canonical bytes of a value."""
    try:
        return "".join(canonical_parts(value)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused("a string holds half of a surrogate pair") from error
    except RecursionError as error:
        raise Refused("nested too deep for this check") from error


def canonical_parts(value: Any) -> Iterator[str]:
    """The canonical text of a value, piece by piece (RFC 8785 section 3.2)."""
    if value is None:
        yield "null"
    elif value is True:
        yield "true"
    elif value is False:
        yield "false"
    elif isinstance(value, int):
        yield str(value)
    elif isinstance(value, float):
        yield ecmascript_number(value)
    elif isinstance(value, str):
        yield canonical_string(value)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield "," if index else "["
            yield from canonical_parts(item)
        yield "]" if value else "[]"
    elif isinstance(value, dict):
        for index, key in enumerate(sorted(value, key=utf16_units)):
            yield "," if index else "{"
            yield canonical_string(key)
            yield ":"
            yield from canonical_parts(value[key])
        yield "}" if value else "{}"
    else:
        raise TypeError(f"not a JSON value: {type(value).__name__}")


def utf16_units(key: str) -> bytes:
    """Keys are ordered by their UTF-16 code units, which big-endian bytes compare like."""
    return key.encode("utf-16-be", "surrogatepass")


SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def canonical_string(text: str) -> str:
    """A string literal: short escapes where they exist, \\u00xx for other controls, the rest as it is."""

    def escape(match: re.Match[str]) -> str:
        char = match.group()
        return SHORT_ESCAPES.get(char) or f"\\u{ord(char):04x}"

    return '"' + re.sub(r'[\x00-\x1f"\\]', escape, text) + '"'


def ecmascript_number(value: float) -> str:
    """A double as ECMAScript's Number::toString prints it."""
    if value == 0:
        return "0"
    # repr gives the shortest digits that read back as the same double, the nearest of them: the ones ECMAScript uses.
    sign, digit_tuple, exponent = Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, digit_tuple)).rstrip("0")
    exponent += len(digit_tuple) - len(digits)
    point = len(digits) + exponent
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        mantissa = digits if len(digits) == 1 else digits[0] + "." + digits[1:]
        text = f"{mantissa}e{point - 1:+d}"
    return "-" + text if sign else text


def sha256_hex(value: Any) -> str:
    """SHA-256 over the canonical bytes, in lower-case hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


# ---- the four hashes of a request ----


def filled(supplied: Any, defaults: dict[str, Any], what: str) -> dict[str, Any]:
    """An object with every default in place of what is absent or null."""
    if not isinstance(supplied, dict) or supplied.keys() - defaults.keys():
        raise Refused(f"{what} of the request is not one that the protocol knows")
    return {key: default if supplied.get(key) is None else supplied[key] for key, default in defaults.items()}


def request_hashes(request: dict[str, Any]) -> dict[str, str]:
    """The hashes that the receipt of this request must carry."""
    missing = {"task_id", "expected_schema", "submitted_output"} - request.keys()
    if missing:
        raise Refused(f"the request lacks {', '.join(sorted(missing))}")
    rules, bounds = request.get("rules"), request.get("bounds")
    if not isinstance(rules, list | None) or not isinstance(bounds, dict | None):
        raise Refused("rules is a list and bounds an object, or they are null")
    full = {
        "task_id": request["task_id"],
        "agent_id": request.get("agent_id"),
        "expected_schema": request["expected_schema"],
        "submitted_output": request["submitted_output"],
        "bounds": {path: filled(bound, BOUND_DEFAULTS, "a bound") for path, bound in (bounds or {}).items()} or None,
        "rules": [filled(rule, RULE_DEFAULTS, "a rule") for rule in rules or []] or None,
        "enforce_rules": request.get("enforce_rules") or False,
        "strict_content_check": request.get("strict_content_check") or False,
    }
    return {
        "output_hash": sha256_hex(request["submitted_output"]),
        "schema_hash": sha256_hex(request["expected_schema"]),
        "rules_hash": sha256_hex({"bounds": bounds, "rules": rules}),
        "request_hash": sha256_hex(full),
    }


# ---- keys and signatures ----


def read_keys(data: bytes) -> Keys:
    """The public keys of an export, of one key object, or of an agent card, by version."""
    document = read_json(data)
    if not isinstance(document, dict):
        raise Refused("a keys file is a JSON object")
    if "capabilities" in document:
        entries = card_keys(document)
    else:
        entries = document.get("publicKeys", [document])
    keys: Keys = {}
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("algorithm") != "Ed25519" or "keyVersion" not in entry:
            raise Refused("a key is an object with keyVersion, algorithm Ed25519, publicKey and publicKeyEncoding")
        raw = exact_base64(entry.get("publicKey"), 32, "publicKey")
        if entry["keyVersion"] in keys:
            raise Refused(f"two keys have the version {entry['keyVersion']!r}")
        keys[entry["keyVersion"]] = Ed25519PublicKey.from_public_bytes(raw)
    if not keys:
        raise Refused("no public key found")
    return keys


def card_keys(card: dict[str, Any]) -> list[Any]:
    """The keys that an agent card lists in its attestation extension."""
    try:
        return [
            key
            for extension in card["capabilities"]["extensions"]
            if extension["uri"].startswith(EXTENSION_PREFIX)
            for key in extension["params"]["publicKeys"]
        ]
    except (AttributeError, KeyError, TypeError) as error:
        raise Refused("the agent card's extensions are not laid out as the protocol says") from error


def exact_base64(text: Any, length: int, what: str) -> bytes:
    """Standard base64 of so many bytes, in its one spelling."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise Refused(f"{what} is not base64") from error
    # Unused bits of the last character would let one signature be written in several ways.
    if len(raw) != length or base64.b64encode(raw).decode("ascii") != text:
        raise Refused(f"{what} is not the base64 of {length} bytes")
    return raw


def check_signature(receipt: dict[str, Any], keys: Keys) -> None:
    """Raises unless the attestation signs all the rest of the receipt."""
    attestation = receipt.get("attestation")
    members = {"algorithm", "key_version", "timestamp", "signature"}
    if not isinstance(attestation, dict) or attestation.keys() != members:
        raise Refused(f"the attestation must have exactly the members {', '.join(sorted(members))}")
    if attestation["algorithm"] != "Ed25519":
        raise Refused("the attestation's algorithm is not Ed25519")
    timestamp = attestation["timestamp"]
    if not isinstance(timestamp, str) or not TIMESTAMP.fullmatch(timestamp):
        raise Refused("the attestation's timestamp is not an instant with six decimals and +00:00")
    version = attestation["key_version"]
    if not isinstance(version, str) or version not in keys:
        raise Refused(f"no key with the version {version!r}")
    signature = exact_base64(attestation["signature"], 64, "the signature")
    signed = {
        "context": VERIFY_CONTEXT if "verification_id" in receipt else SCORE_CONTEXT,
        "algorithm": "Ed25519",
        "key_version": version,
        "attested_at": timestamp,
        "response": {name: value for name, value in receipt.items() if name != "attestation"},
    }
    try:
        keys[version].verify(signature, canonical(signed))
    except InvalidSignature as error:
        raise Refused("the signature does not match") from error


def check_consistency(receipt: dict[str, Any]) -> None:
    """Raises when signed parts of a receipt contradict each other."""
    if "verification_id" in receipt and receipt.get("verified_at") != receipt["attestation"]["timestamp"]:
        raise Refused("verified_at is not the attestation's timestamp")
    verify = receipt.get("verify")
    if not isinstance(verify, dict) or verify.get("key_version") != receipt["attestation"]["key_version"]:
        raise Refused("verify.key_version is not the attestation's")


def check_request(receipt: dict[str, Any], request: Any) -> None:
    """Raises unless the receipt is about this request."""
    if not isinstance(request, dict):
        raise Refused("a receipt for something that is no request")
    expected: dict[str, Any] = {
        "task_id": request.get("task_id"),
        "agent_id": request.get("agent_id"),
        "enforce_rules": request.get("enforce_rules") or False,
        "strict_content_check": request.get("strict_content_check") or False,
        **request_hashes(request),
    }
    if request.get("detail") == "compact":
        # Compact receipts leave the request hash out.
        del expected["request_hash"]
    for name, value in expected.items():
        if name not in receipt or canonical(receipt[name]) != canonical(value):
            raise Refused(f"{name} is {receipt.get(name)!r}, expected {value!r}")


def is_error(answer: Any) -> bool:
    """Whether an answer is an error object rather than a receipt."""
    return isinstance(answer, dict) and "code" in answer and "status" in answer


def check_line(line: bytes, keys: Keys) -> dict[str, Any] | None:
    """The receipt of a line, its signature checked; None for an error object."""
    answer = read_json(line)
    if is_error(answer):
        return None
    if not isinstance(answer, dict):
        raise Refused("a receipt is a JSON object")
    check_signature(answer, keys)
    check_consistency(answer)
    return answer


# ---- altered receipts ----


def altered_line(receipt: dict[str, Any], rng: random.Random) -> tuple[bytes, str]:
    """The receipt with one change that alters what it says, as a line, and a description of the change."""
    if rng.random() < 0.05:
        text = json.dumps(receipt, ensure_ascii=False)
        name = rng.choice(list(receipt))
        return f'{text[:-1]}, {json.dumps(name)}: "altered"}}'.encode("utf-8"), f"a second key {name}"
    before = canonical(receipt)
    while True:
        changed = copy.deepcopy(receipt)
        holder, key, path = rng.choice(list(places(changed, "$")))
        change = rng.choice([change_value, change_value, change_value, remove_value, add_value, move_value])
        what = change(holder, key, rng)
        # Some draws change nothing, such as swapping two equal values; those would be no alteration.
        if what and canonical(changed) != before:
            return json.dumps(changed, ensure_ascii=False).encode("utf-8"), f"{what} at {path}"


def places(value: Any, path: str) -> Iterator[tuple[Any, Any, str]]:
    """Every place of a value: its holder, its key or index, and its path for people."""
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for key, child in members:
        child_path = f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}"
        yield value, key, child_path
        yield from places(child, child_path)


def change_value(holder: Any, key: Any, rng: random.Random) -> str:
    """Another value of the same type, near the one that is there."""
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + rng.choice([-1, 1, 10, 1000])
    elif isinstance(value, float):
        holder[key] = math.nextafter(value, math.inf) if rng.random() < 0.5 else value + 1.0
    elif isinstance(value, str):
        holder[key] = change_text(value, rng)
    elif value is None:
        holder[key] = rng.choice([0, "", False])
    else:
        return ""
    return "another value"


def change_text(text: str, rng: random.Random) -> str:
    """One character replaced by another of its kind, added, or taken away."""
    at = rng.randrange(len(text) + 1)
    if at == len(text) or rng.random() < 0.15:
        return text[:at] + rng.choice(["x", "0", " ", "\u200b"]) + text[at:]
    if rng.random() < 0.15:
        return text[:at] + text[at + 1 :]
    for kind in ("0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ+/", "ghijklmnopqrstuvwxyz"):
        if text[at] in kind:
            return text[:at] + rng.choice(kind.replace(text[at], "")) + text[at + 1 :]
    return text[:at] + "~" + text[at + 1 :]


def remove_value(holder: Any, key: Any, _: random.Random) -> str:
    """One member or element fewer."""
    del holder[key]
    return "a value taken away"


def add_value(holder: Any, key: Any, rng: random.Random) -> str:
    """One member or element more, beside the place."""
    if isinstance(holder, dict):
        holder[f"{key}_2"] = copy.deepcopy(holder[key])
    else:
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    return "a value added"


def move_value(holder: Any, key: Any, rng: random.Random) -> str:
    """The value exchanged with another one of the same holder."""
    other = rng.choice(list(holder) if isinstance(holder, dict) else list(range(len(holder))))
    holder[key], holder[other] = holder[other], holder[key]
    return f"exchanged with {other}"


# ---- the run ----


class Tally:
    """What a run found."""

    def __init__(self) -> None:
        self.holding = 0
        self.errors = 0
        self.refused = 0

    def refuse(self, message: str) -> None:
        """Counts a refusal and shows the first few."""
        self.refused += 1
        if self.refused <= REFUSALS_SHOWN_MAX:
            print(message, file=sys.stderr)


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers from 1."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line


def check_file(arguments: argparse.Namespace, keys: Keys, tally: Tally) -> list[dict[str, Any]]:
    """Checks every line; returns receipts drawn by chance for alteration, all lines being equally likely."""
    rng = random.Random(arguments.seed)
    drawn: list[dict[str, Any]] = []
    requests = numbered_lines(arguments.requests) if arguments.requests else None
    answers = numbered_lines(arguments.receipts)
    pairs = zip_longest(answers, requests) if requests else ((answer, None) for answer in answers)
    for answer, request in pairs:
        if answer is None:
            tally.refuse(f"request line {request[0]}: no answer")
            continue
        number, line = answer
        if requests and request is None:
            tally.refuse(f"line {number}: an answer without a request")
            continue
        try:
            receipt = check_line(line, keys)
            if receipt is None:
                check_error_line(read_json(line), request)
                tally.errors += 1
                continue
            if request:
                check_request(receipt, read_json(request[1]))
        except Refused as refusal:
            tally.refuse(f"line {number}: {refusal}")
            continue
        tally.holding += 1
        if len(drawn) < arguments.alter:
            drawn.append(receipt)
        elif arguments.alter and (place := rng.randrange(tally.holding)) < arguments.alter:
            drawn[place] = receipt
    return drawn


def check_error_line(error: dict[str, Any], request: tuple[int, bytes] | None) -> None:
    """Raises when an error object names another line than the one it answers."""
    if request and error.get("line", request[0]) != request[0]:
        raise Refused(f"the error is about line {error['line']}, the request stands in line {request[0]}")


def check_alterations(drawn: list[dict[str, Any]], arguments: argparse.Namespace, keys: Keys, tally: Tally) -> int:
    """Alters receipts and returns how many were rejected, as all must be."""
    rng = random.Random(f"alter {arguments.seed}")
    rejected = 0
    for index in range(arguments.alter):
        line, what = altered_line(drawn[index % len(drawn)], rng)
        try:
            check_line(line, keys)
            tally.refuse(f"altered receipt accepted: {what}: {line.decode('utf-8')}")
        except Refused:
            rejected += 1
    return rejected


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Checks receipts independently of the program that made them.")
    parser.add_argument("receipts", metavar="RECEIPTS.ndjson")
    parser.add_argument("--keys", required=True, metavar="KEYS.json", help="exported keys, one key, or an agent card")
    parser.add_argument("--requests", metavar="REQUESTS.ndjson", help="compare with these requests, line by line")
    parser.add_argument("--alter", type=int, default=0, metavar="N", help="require that N altered receipts are rejected")
    parser.add_argument("--seed", default="1", metavar="S", help="draws other receipts and alterations (default 1)")
    arguments = parser.parse_args()
    if arguments.alter < 0:
        parser.error("--alter must not be negative")
    return arguments


def main() -> int:
    """Runs the checks and prints the summary."""
    arguments = parse_arguments()
    tally = Tally()
    try:
        with open(arguments.keys, "rb") as file:
            keys = read_keys(file.read())
        drawn = check_file(arguments, keys, tally)
    except (Refused, OSError) as error:
        print(f"check_receipts.py: {error}", file=sys.stderr)
        return 2
    summary = f"{tally.holding} receipts hold, {tally.refused} refused, {tally.errors} error objects"
    if not tally.holding:
        print(f"{summary}; without a receipt nothing was shown")
        return 1
    if arguments.alter:
        rejected = check_alterations(drawn, arguments, keys, tally)
        summary += f"; {rejected} of {arguments.alter} altered receipts rejected"
    print(summary)
    return 1 if tally.refused else 0


if __name__ == "__main__":
    sys.exit(main())
