#!/usr/bin/env python3
"""The Python peer of `assay verify`: the same job for the benchmark's requests, with the fastest libraries of PyPI.

    verify.py REQUESTS.ndjson -o RECEIPTS.ndjson --keys-out KEYS.json [--procs N] [--jcs rfc8785|jcs-admit]

It parses each line, validates it against its schema, applies `sum_equals`, hashes the four parts, builds the whole
response, signs it and writes it. Schemas and rules are compiled, and their canonical bytes kept, once for each
distinct text; the request hash is put together from canonical parts that are there already. With --procs the file is
cut at line ends into as many parts, so that the processes need not talk to each other.

What it leaves out, all to its advantage: duplicate keys and over-long numbers are not refused, the seven content
checks count as passed without being made, and nothing is recorded. A keyword or rule that the benchmark's requests do
not use ends the run with an error, never with a wrong count.
"""

import argparse
import base64
import datetime
import hashlib
import json
import multiprocessing
import os
import secrets
import shutil
import uuid
from decimal import Decimal
from typing import Any, Callable, NamedTuple

import jsonschema_rs
import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_VERSION = "peer-python"
CONTEXT = "json-schema-verifier/verify-schema-attestation/v1"
CONTENT_CHECKS = 7
ENTRIES_MAX = 100
CACHE_MAX = 1024
BUFFER_BYTES = 1 << 20

VERIFY = {
    "public_key_url": "https://verifier.example/.well-known/agent-card.json",
    "key_version": KEY_VERSION,
    "canonicalization": "RFC 8785 (JCS)",
    "hash_algorithm": "SHA-256",
    "service": "Python peer",
    "mcp": "https://verifier.example/mcp",
}
PASS_ACTIONS = [{"action": "attach_receipt", "for": "seller"}, {"action": "proceed_to_payment", "for": "buyer"}]
FAIL_ACTIONS = [{"action": "repair_and_reverify", "using": "hints"}]

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

Canonicalize = Callable[[Any], bytes]
Counter = Callable[[Any], int]


class Unsupported(Exception):
    """A request uses something that this benchmark peer does not know."""


# ---- how many checks a schema makes on an output ----

CHECKS_OF_TYPE = {
    str: {"pattern", "minLength", "maxLength", "format"},
    dict: {"required", "minProperties", "maxProperties", "dependentRequired"},
    list: {"minItems", "maxItems", "uniqueItems"},
    float: {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}
CHECKS_OF_ANY = {"type", "enum", "const"}
NOT_COUNTED = {"properties", "items", "title", "description", "$schema", "$id", "$comment", "default", "examples"}
COUNTABLE = CHECKS_OF_ANY.union(NOT_COUNTED, *CHECKS_OF_TYPE.values())


def compile_counter(schema: Any) -> Counter:
    """A function that counts the assertions evaluated on an output; the validator itself gives no count."""
    if schema is True:
        return lambda value: 0
    if not isinstance(schema, dict) or schema.keys() - COUNTABLE or isinstance(schema.get("items"), list):
        raise Unsupported("this peer counts only plain assertions, properties and items")
    keywords = schema.keys()
    any_type = len(keywords & CHECKS_OF_ANY)
    of_type = {kind: any_type + len(keywords & checks) for kind, checks in CHECKS_OF_TYPE.items()}
    of_type[int] = of_type[float]
    properties = [(name, compile_counter(child)) for name, child in schema.get("properties", {}).items()]
    items = compile_counter(schema["items"]) if "items" in schema else None

    def count(value: Any) -> int:
        kind = type(value)
        total = of_type.get(kind, any_type)
        if kind is dict:
            for name, child in properties:
                if name in value:
                    total += child(value[name])
        elif kind is list and items is not None:
            for item in value:
                total += items(item)
        return total

    return count


# ---- what is compiled once ----


class Contract(NamedTuple):
    """A compiled schema with the bytes and the hash that its requests share."""

    validator: Any
    count: Counter
    canonical: bytes
    hash: str


class SumRule(NamedTuple):
    """A `sum_equals` rule; `target` is a path when `target_is_path`, else a number."""

    field: str
    steps: list[str]
    target: Any
    target_is_path: bool
    target_steps: list[str]
    tolerance: Decimal
    if_present: bool


class RuleSet(NamedTuple):
    """The rules of a request with the bytes and the hash that its requests share."""

    rules: list[SumRule]
    canonical: bytes
    hash: str


def path_steps(path: str) -> list[str]:
    """`a[].b` as a, [], b."""
    return path.replace("[]", ".[]").lstrip(".").split(".")


def compile_rule(rule: dict[str, Any]) -> SumRule:
    """The rule with its paths taken apart."""
    if rule["type"] != "sum_equals":
        raise Unsupported(f"this peer has no rule {rule['type']}")
    target_is_path = rule["equals_field"] is not None
    target = rule["equals_field"] if target_is_path else rule["equals"]
    return SumRule(
        rule["field"],
        path_steps(rule["field"]),
        target,
        target_is_path,
        path_steps(target) if target_is_path else [],
        Decimal(repr(rule["tolerance"])),
        rule["if_present"],
    )


def values_at(value: Any, steps: list[str]) -> list[Any]:
    """All values that a path reaches; None for each that is missing."""
    values = [value]
    for step in steps:
        if step == "[]":
            values = [item for value in values if isinstance(value, list) for item in value]
        else:
            values = [value.get(step) if isinstance(value, dict) else None for value in values]
    return values


def decimal(value: Any) -> Decimal | None:
    """The exact decimal that a number is; None for anything else."""
    return Decimal(repr(value)) if type(value) in (int, float) else None


def number_text(value: Any) -> str:
    """A number in a text: as Python prints it, which keeps 135.0 apart from 135."""
    return repr(float(value)) if isinstance(value, Decimal) and value.as_tuple().exponent else str(value)


def sum_violation(rule: SumRule, output: Any) -> tuple[str, str, str] | None:
    """None when the sum is right, else what was expected, what was found, and a sentence."""
    target = values_at(output, rule.target_steps)[0] if rule.target_is_path else rule.target
    name = f"{rule.target} ({target})" if rule.target_is_path else str(target)
    values = values_at(output, rule.steps)
    if rule.if_present:
        values = [value for value in values if value is not None]
    numbers = [decimal(value) for value in values]
    expected = decimal(target)
    if expected is None or None in numbers:
        return f"a sum equal to {name}", "a value that is no number", f"not all values are numbers, expected {name}"
    total = sum(numbers, Decimal(0))
    if abs(total - expected) <= rule.tolerance:
        return None
    found = number_text(total)
    return f"a sum equal to {name}", f"sum {found}", f"values sum to {found}, expected {name}"


# ---- one request ----


class Verifier:
    """Everything that one process needs: compiled contracts, rule sets and the signing key."""

    def __init__(self, seed: bytes, canonicalize: Canonicalize) -> None:
        self.key = Ed25519PrivateKey.from_private_bytes(seed)
        self.canonicalize = canonicalize
        self.contracts: dict[bytes, Contract] = {}
        self.rule_sets: dict[bytes, RuleSet] = {}

    def contract(self, schema: Any) -> Contract:
        """The compiled schema; orjson's text of it tells schemas apart."""
        text = orjson.dumps(schema)
        contract = self.contracts.get(text)
        if contract is None:
            canonical = self.canonicalize(schema)
            validator = jsonschema_rs.validator_for(schema, validate_formats=True)
            contract = Contract(validator, compile_counter(schema), canonical, hashlib.sha256(canonical).hexdigest())
            if len(self.contracts) >= CACHE_MAX:
                self.contracts.clear()
            self.contracts[text] = contract
        return contract

    def rule_set(self, rules: Any, bounds: Any) -> RuleSet:
        """The compiled rules; bounds are not part of the benchmark."""
        text = orjson.dumps([rules, bounds])
        rule_set = self.rule_sets.get(text)
        if rule_set is None:
            if bounds:
                raise Unsupported("this peer has no bounds")
            full = [
                {key: default if rule.get(key) is None else rule[key] for key, default in RULE_DEFAULTS.items()}
                for rule in rules or []
            ]
            supplied = self.canonicalize({"bounds": bounds, "rules": rules})
            rule_set = RuleSet(
                [compile_rule(rule) for rule in full],
                self.canonicalize(full or None),
                hashlib.sha256(supplied).hexdigest(),
            )
            if len(self.rule_sets) >= CACHE_MAX:
                self.rule_sets.clear()
            self.rule_sets[text] = rule_set
        return rule_set

    def verify_line(self, line: bytes) -> bytes:
        """The signed receipt for a line, or an error object."""
        try:
            request = orjson.loads(line)
            schema, output, task_id = request["expected_schema"], request["submitted_output"], request["task_id"]
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            return orjson.dumps({"code": "invalid_request", "message": str(error), "status": 422})
        agent_id = request.get("agent_id")
        enforce = request.get("enforce_rules") or False
        strict = request.get("strict_content_check") or False
        contract = self.contract(schema)
        rules = self.rule_set(request.get("rules"), request.get("bounds"))

        schema_errors = [] if contract.validator.is_valid(output) else list(contract.validator.iter_errors(output))
        violations = [(rule, found) for rule in rules.rules if (found := sum_violation(rule, output))]
        failed = bool(schema_errors) or (enforce and bool(violations))

        output_canonical = self.canonicalize(output)
        blocking = ["schema"] if schema_errors else []
        if enforce and violations:
            blocking.append("consistency:sum_equals")
        verified_at = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")
        response: dict[str, Any] = {
            "summary": {"result": "fail" if failed else "pass", "blocking_checks": blocking},
            "next_actions": FAIL_ACTIONS if failed else PASS_ACTIONS,
            "result": "fail" if failed else "pass",
            "verification_id": str(uuid.uuid4()),
            "task_id": task_id,
            "agent_id": agent_id,
            "output_hash": hashlib.sha256(output_canonical).hexdigest(),
            "schema_hash": contract.hash,
            "rules_hash": rules.hash,
        }
        full = request.get("detail") != "compact"
        if full:
            parts = (
                b'{"agent_id":',
                self.canonicalize(agent_id),
                b',"bounds":null,"enforce_rules":true' if enforce else b',"bounds":null,"enforce_rules":false',
                b',"expected_schema":',
                contract.canonical,
                b',"rules":',
                rules.canonical,
                b',"strict_content_check":true' if strict else b',"strict_content_check":false',
                b',"submitted_output":',
                output_canonical,
                b',"task_id":',
                self.canonicalize(task_id),
                b"}",
            )
            response["request_hash"] = hashlib.sha256(b"".join(parts)).hexdigest()
        response["verified_at"] = verified_at
        response["verifier_version"] = "peer"
        response["enforce_rules"] = enforce
        response["strict_content_check"] = strict
        if full:
            response.update(report(schema_errors, violations, enforce))
            response.update(counts(contract.count(output), schema_errors, len(rules.rules), len(violations)))
        response["verify"] = VERIFY

        signed = {
            "context": CONTEXT,
            "algorithm": "Ed25519",
            "key_version": KEY_VERSION,
            "attested_at": verified_at,
            "response": response,
        }
        signature = self.key.sign(self.canonicalize(signed))
        response["attestation"] = {
            "algorithm": "Ed25519",
            "key_version": KEY_VERSION,
            "timestamp": verified_at,
            "signature": base64.b64encode(signature).decode("ascii"),
        }
        return orjson.dumps(response)


def report(schema_errors: list[Any], violations: list[tuple[SumRule, tuple[str, str, str]]], enforce: bool) -> dict:
    """The lists of a full response."""
    details, flags, hints = [], [], []
    for error in schema_errors:
        path = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
        check = f"schema:{error.schema_path[-1]}"
        hint = {"check": check, "path": path, "expected": "a value that the schema allows", "found": error.message[:200]}
        details.append({**hint, "message": f"{check} at '{path}': {error.message[:200]}"})
        hints.append({"source": "schema", **hint})
    for rule, (expected, found, sentence) in violations:
        check, path = "consistency:sum_equals", f"$.{rule.field}"
        hint = {"check": check, "path": path, "expected": expected, "found": found}
        if enforce:
            details.append({**hint, "message": f"enforce_rules: {check} at '{rule.field}': {sentence}"})
        flags.append({"check": check, "field": rule.field, "severity": "error", "detail": sentence})
        hints.append({"source": "integrity", **hint})
    lists = {
        "errors": [detail["message"] for detail in details],
        "errors_detail": details,
        "flags": flags,
        "hints": hints,
    }
    answer: dict[str, Any] = {}
    for name, entries in lists.items():
        answer[name] = entries[:ENTRIES_MAX]
        answer[f"{name}_total"] = len(entries)
        answer[f"{name}_omitted"] = max(0, len(entries) - ENTRIES_MAX)
    return answer


def counts(schema_total: int, schema_errors: list[Any], rules: int, violations: int) -> dict[str, Any]:
    """The three counts of a full response."""
    # Several missing names are several errors of the library, but one check.
    failed = len({(tuple(error.instance_path), tuple(error.schema_path)) for error in schema_errors})
    integrity_total = CONTENT_CHECKS + rules
    return {
        "schema_compliance": compliance(schema_total - failed, schema_total),
        "integrity_checks": compliance(integrity_total - violations, integrity_total),
        "overall": compliance(schema_total - failed + integrity_total - violations, schema_total + integrity_total),
    }


def compliance(passed: int, total: int) -> dict[str, Any]:
    """One count with its ratio."""
    return {"ratio": round(passed / total, 6) if total else 1.0, "passed": passed, "total": total}


# ---- files and processes ----


def canonicalizer(name: str) -> Canonicalize:
    """RFC 8785 by the pure Python package, or by the one that binds a Rust crate and takes JSON text."""
    if name == "rfc8785":
        import rfc8785

        return rfc8785.dumps
    import jcs_admit

    return lambda value: jcs_admit.admit(orjson.dumps(value))


def verify_part(source: str, start: int, end: int, target: str, seed: bytes, jcs: str) -> None:
    """Verifies the lines that begin in [start, end) and writes their answers."""
    verifier = Verifier(seed, canonicalizer(jcs))
    with open(source, "rb", BUFFER_BYTES) as lines, open(target, "wb", BUFFER_BYTES) as answers:
        lines.seek(start)
        position = start
        while position < end:
            line = lines.readline()
            position += len(line)
            answers.write(verifier.verify_line(line))
            answers.write(b"\n")


def cut_at_lines(path: str, parts: int) -> list[int]:
    """The offsets at which the file is cut: 0, line beginnings, and its size."""
    size = os.path.getsize(path)
    cuts = {0, size}
    with open(path, "rb") as file:
        for part in range(1, parts):
            file.seek(size * part // parts)
            file.readline()
            cuts.add(file.tell())
    return sorted(cuts)


def main() -> None:
    """Runs the peer."""
    parser = argparse.ArgumentParser(description="The Python peer of `assay verify`.")
    parser.add_argument("requests")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--keys-out", required=True)
    parser.add_argument("--procs", type=int, default=1)
    parser.add_argument("--jcs", choices=["rfc8785", "jcs-admit"], default="rfc8785")
    arguments = parser.parse_args()

    seed = secrets.token_bytes(32)
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    key = {
        "keyVersion": KEY_VERSION,
        "algorithm": "Ed25519",
        "publicKey": base64.b64encode(public).decode("ascii"),
        "publicKeyEncoding": "base64 of the raw 32-byte Ed25519 public key",
    }
    with open(arguments.keys_out, "w", encoding="utf-8") as file:
        json.dump({"publicKeys": [key]}, file)

    cuts = cut_at_lines(arguments.requests, arguments.procs)
    if len(cuts) == 2:
        verify_part(arguments.requests, *cuts, arguments.out, seed, arguments.jcs)
        return
    parts = [f"{arguments.out}.{index}" for index in range(len(cuts) - 1)]
    jobs = [
        (arguments.requests, start, end, part, seed, arguments.jcs)
        for start, end, part in zip(cuts, cuts[1:], parts, strict=False)
    ]
    with multiprocessing.Pool(len(jobs)) as pool:
        pool.starmap(verify_part, jobs, chunksize=1)
    with open(arguments.out, "wb") as out:
        for part in parts:
            with open(part, "rb") as file:
                shutil.copyfileobj(file, out, BUFFER_BYTES)
            os.remove(part)


if __name__ == "__main__":
    main()
