"""Tests of the independent receipt check, against published examples, published vectors and receipts signed here.

    python3 -m unittest discover -s tests
"""

import base64
import copy
import json
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TESTS = Path(__file__).resolve().parent
VECTORS = TESTS.parent / "schemas" / "vectors"
sys.path.insert(0, str(TESTS))

import check_receipts as check  # noqa: E402
import fetch  # noqa: E402


def vector(name: str):
    """A published document, read as the check reads it."""
    return check.read_json((VECTORS / name).read_bytes())


def published_keys() -> check.Keys:
    """The key under which the published receipts were signed."""
    return check.read_keys((VECTORS / "key.json").read_bytes())


class Signer:
    """Signs receipts with a key of its own, straight from section 5 of the protocol."""

    def __init__(self, version: str = "test-1") -> None:
        self.version = version
        self.key = Ed25519PrivateKey.generate()

    def key_object(self) -> dict:
        """The public key as `assay keys export` lists it."""
        return {
            "keyVersion": self.version,
            "algorithm": "Ed25519",
            "publicKey": base64.b64encode(self.key.public_key().public_bytes_raw()).decode(),
            "publicKeyEncoding": "base64 of the raw 32-byte Ed25519 public key",
        }

    def sign(self, response: dict, context: str = check.VERIFY_CONTEXT) -> dict:
        """The response with its attestation."""
        timestamp = response.get("verified_at", "2026-01-02T03:04:05.678901+00:00")
        signed = {
            "context": context,
            "algorithm": "Ed25519",
            "key_version": self.version,
            "attested_at": timestamp,
            "response": response,
        }
        signature = base64.b64encode(self.key.sign(check.canonical(signed))).decode()
        attestation = {
            "algorithm": "Ed25519",
            "key_version": self.version,
            "timestamp": timestamp,
            "signature": signature,
        }
        return {**response, "attestation": attestation}

    def receipt_for(self, request: dict) -> dict:
        """A receipt for a request, with a verdict that nothing here looks at."""
        hashes = check.request_hashes(request)
        if request.get("detail") == "compact":
            del hashes["request_hash"]
        return self.sign(
            {
                "summary": {"result": "pass", "blocking_checks": []},
                "result": "pass",
                "verification_id": "00000000-0000-4000-8000-000000000000",
                "task_id": request["task_id"],
                "agent_id": request.get("agent_id"),
                **hashes,
                "verified_at": "2026-01-02T03:04:05.678901+00:00",
                "enforce_rules": request.get("enforce_rules") or False,
                "strict_content_check": request.get("strict_content_check") or False,
                "overall": {"ratio": 1.0, "passed": 30, "total": 30},
                "verify": {"key_version": self.version, "hash_algorithm": "SHA-256"},
            }
        )


def requests(count: int) -> list[dict]:
    """Requests that differ in everything the hashes cover."""
    made = []
    for index in range(count):
        request = {
            "task_id": f"task-{index}",
            "agent_id": f"seller-{index % 3}",
            "expected_schema": {"type": "object", "minProperties": index},
            "submitted_output": {"n": index, "half": index / 2, "big": 2**70 + index, "text": "é\u2028\U0001f600"},
        }
        if index % 2:
            request["rules"] = [{"type": "gte", "field": "n", "value": index, "if_present": None}]
            request["bounds"] = {"n": {"min": 0}}
            request["enforce_rules"] = True
        if index % 3 == 0:
            request["detail"] = "compact"
        made.append(request)
    return made


def lines(values: list) -> bytes:
    """The values as NDJSON."""
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def run(receipts: bytes, keys: dict, *arguments: str, requests: bytes | None = None) -> subprocess.CompletedProcess:
    """Runs the script as a user would."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"receipts.ndjson": receipts, "keys.json": json.dumps(keys).encode(), "requests.ndjson": requests}
        for name, data in files.items():
            if data is not None:
                (Path(folder) / name).write_bytes(data)
        command = [sys.executable, "-B", str(TESTS / "check_receipts.py"), "receipts.ndjson", "--keys", "keys.json"]
        if requests is not None:
            command += ["--requests", "requests.ndjson"]
        return subprocess.run(command + list(arguments), cwd=folder, capture_output=True, text=True, timeout=120)


class PublishedExamples(unittest.TestCase):
    """What the protocol's own examples say."""

    def test_both_published_receipts_hold_and_answer_their_requests(self):
        for name in ("invoice-draft", "invoice-final"):
            with self.subTest(name):
                receipt = check.check_line((VECTORS / f"{name}.response.json").read_bytes(), published_keys())
                self.assertIsNotNone(receipt)
                check.check_request(receipt, vector(f"{name}.request.json"))

    def test_the_receipts_do_not_answer_each_others_requests(self):
        for receipt, request in (("invoice-draft", "invoice-final"), ("invoice-final", "invoice-draft")):
            with self.subTest(receipt), self.assertRaises(check.Refused):
                check.check_request(vector(f"{receipt}.response.json"), vector(f"{request}.request.json"))

    def test_the_request_hash_vectors_come_out(self):
        cases = vector("request-hash.json")
        self.assertEqual([case["name"] for case in cases], ["tv-1", "tv-2", "tv-3"])
        for case in cases:
            with self.subTest(case["name"]):
                self.assertEqual(check.request_hashes(case["request"])["request_hash"], case["request_hash"])
                canonical = check.canonical(json.loads(case["canonical"])).decode()
                self.assertEqual(canonical, case["canonical"])

    def test_no_single_change_to_a_published_receipt_is_accepted(self):
        rng = random.Random(7)
        for name in ("invoice-draft", "invoice-final"):
            receipt = vector(f"{name}.response.json")
            for holder_path in range(len(list(check.places(receipt, "$")))):
                for change in (check.change_value, check.remove_value, check.add_value):
                    altered = copy.deepcopy(receipt)
                    holder, key, path = list(check.places(altered, "$"))[holder_path]
                    if change(holder, key, rng):
                        with self.subTest(f"{name} {change.__name__} {path}"), self.assertRaises(check.Refused):
                            check.check_line(json.dumps(altered).encode(), published_keys())

    def test_white_space_and_the_order_of_keys_mean_nothing(self):
        receipt = vector("invoice-draft.response.json")
        turned = dict(reversed(receipt.items()))
        self.assertIsNotNone(check.check_line(json.dumps(turned, indent=3).encode(), published_keys()))


class Canonical(unittest.TestCase):
    """RFC 8785, and where the protocol departs from it."""

    def test_the_published_vectors(self):
        suite = next(suite for suite in fetch.SUITES if suite.name == "rfc8785")
        folder = fetch.install(suite)
        inputs = sorted((folder / "input").iterdir())
        self.assertEqual(len(inputs), 6)
        for path in inputs:
            with self.subTest(path.name):
                expected = (folder / "output" / path.name).read_bytes()
                self.assertEqual(check.canonical(check.read_json(path.read_bytes())), expected)

    def test_numbers_print_as_ecmascript_prints_them(self):
        # Bit patterns from RFC 8785 appendix B and the edges of each of the four notations.
        cases = {
            0x0000000000000000: "0",
            0x8000000000000000: "0",
            0x0000000000000001: "5e-324",
            0x8000000000000001: "-5e-324",
            0x7FEFFFFFFFFFFFFF: "1.7976931348623157e+308",
            0x4340000000000000: "9007199254740992",
            0x4430000000000000: "295147905179352830000",
            0x44B52D02C7E14AF5: "9.999999999999997e+22",
            0x44B52D02C7E14AF6: "1e+23",
            0x44B52D02C7E14AF7: "1.0000000000000001e+23",
            0x444B1AE4D6E2EF4E: "999999999999999700000",
            0x444B1AE4D6E2EF4F: "999999999999999900000",
            0x444B1AE4D6E2EF50: "1e+21",
            0x3EB0C6F7A0B5ED8C: "9.999999999999997e-7",
            0x3EB0C6F7A0B5ED8D: "0.000001",
            0x41B3DE4355555555: "333333333.3333333",
            0xBECBF647612F3696: "-0.0000033333333333333333",
            0x43143FF3C1CB0959: "1424953923781206.2",
        }
        for bits, expected in cases.items():
            (value,) = struct.unpack("<d", struct.pack("<Q", bits))
            self.assertEqual(check.ecmascript_number(value), expected, f"{bits:016x}")

    def test_integers_keep_every_digit_and_other_numbers_do_not(self):
        digits = "9007199254740993" + "7" * 40
        text = f'[{digits}, -{digits}, 9007199254740993.0, 1E2, -0, -0.0, 1e21]'
        expected = f"[{digits},-{digits},9007199254740992,100,0,0,1e+21]"
        self.assertEqual(check.canonical(check.read_json(text.encode())).decode(), expected)

    def test_keys_are_ordered_by_utf16_units(self):
        text = '{"\uff01":1,"\U0001f600":2,"b":3,"":4,"a\\u0000":5,"a":6}'
        value = check.read_json(text.encode())
        expected = '{"":4,"a":6,"a\\u0000":5,"b":3,"\U0001f600":2,"\uff01":1}'
        self.assertEqual(check.canonical(value).decode(), expected)

    def test_texts_with_two_readings_or_none_are_refused(self):
        for text in (
            b'{"a":1,"a":1}',
            b'{"a":1,"\\u0061":2}',
            b'[{"x":{"k":1,"k":1}}]',
            b"1e400",
            b"-1e400",
            b"1e-400",
            b"0.0000001e-400",
            b"NaN",
            b"[Infinity]",
            b"\xef\xbb\xbf{}",
            b'"\xff"',
            b"{} {}",
            b"",
            b"1" * 1001,
            b"[" * 100_000,
        ):
            with self.subTest(text[:20]), self.assertRaises(check.Refused):
                check.read_json(text)
        for text in (b'"\\ud800"', b'{"\\udc00":1}', b'"\\ud800\\ud800"'):
            with self.subTest(text), self.assertRaises(check.Refused):
                check.canonical(check.read_json(text))
        for text in (b"0e-400", b"-0.0e400", b"1" * 1000, b'"\\ud83d\\ude00"'):
            with self.subTest(text[:20]):
                check.canonical(check.read_json(text))


class Keys(unittest.TestCase):
    """Where the keys may come from."""

    def test_an_export_one_key_and_an_agent_card_are_all_understood(self):
        signer, older = Signer("v2"), Signer("v1")
        receipt = lines([signer.receipt_for(requests(1)[0]), older.receipt_for(requests(1)[0])])
        both = [older.key_object(), signer.key_object()]
        card = {
            "name": "verifier",
            "capabilities": {
                "extensions": [
                    {"uri": "urn:something:else"},
                    {"uri": check.EXTENSION_PREFIX + "v1", "params": {"publicKeys": both}},
                ]
            },
        }
        self.assertEqual(run(receipt, {"publicKeys": both}).returncode, 0)
        self.assertEqual(run(receipt, card).returncode, 0)
        one = run(receipt, signer.key_object())
        self.assertEqual(one.returncode, 1)
        self.assertIn("line 2: no key with the version 'v1'", one.stderr)

    def test_a_key_of_the_same_name_does_not_help(self):
        receipt = lines([Signer().receipt_for(requests(1)[0])])
        done = run(receipt, Signer().key_object())
        self.assertEqual(done.returncode, 1)
        summary = "0 receipts hold, 1 refused, 0 error objects; without a receipt nothing was shown\n"
        self.assertEqual(done.stdout, summary)
        self.assertIn("signature does not match", done.stderr)

    def test_an_unusable_keys_file_is_told_apart(self):
        for keys in ({}, [], {"publicKeys": []}, {"capabilities": {}}, {**Signer().key_object(), "publicKey": "AAAA"}):
            with self.subTest(str(keys)):
                self.assertEqual(run(b"{}\n", keys).returncode, 2)


class Runs(unittest.TestCase):
    """Whole files, through the command line."""

    def setUp(self):
        self.signer = Signer()
        self.keys = {"publicKeys": [self.signer.key_object()]}
        self.requests = requests(12)
        self.receipts = [self.signer.receipt_for(request) for request in self.requests]

    def test_every_receipt_of_a_run_holds_and_every_altered_one_is_rejected(self):
        done = run(lines(self.receipts), self.keys, "--alter", "500", "--seed", "3", requests=lines(self.requests))
        summary = "12 receipts hold, 0 refused, 0 error objects; 500 of 500 altered receipts rejected\n"
        self.assertEqual(done.stdout, summary)
        self.assertEqual(done.returncode, 0)

    def test_error_objects_are_counted_apart(self):
        error = {"code": "invalid_json", "message": "…", "status": 422, "line": 2}
        answers = [self.receipts[0], error, *self.receipts[1:]]
        asked = lines(self.requests[:1]) + b'{"task_id":"a","task_id":"b"}\n' + lines(self.requests[1:])
        done = run(lines(answers), self.keys, requests=asked)
        self.assertEqual((done.returncode, done.stdout), (0, "12 receipts hold, 0 refused, 1 error objects\n"))
        done = run(lines([answers[0], {**error, "line": 7}, *answers[2:]]), self.keys, requests=asked)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the error is about line 7", done.stderr)

    def test_a_lost_a_doubled_and_an_exchanged_line_are_found(self):
        first, second, *rest = self.receipts
        for name, answers in {
            "lost": [first, *rest],
            "lost at the end": self.receipts[:-1],
            "doubled": [first, first, second, *rest],
            "exchanged": [second, first, *rest],
        }.items():
            with self.subTest(name):
                self.assertEqual(run(lines(answers), self.keys, requests=lines(self.requests)).returncode, 1)

    def test_each_field_that_the_hashes_cover_is_compared(self):
        request = {**requests(2)[1], "detail": "full"}
        receipt = self.signer.receipt_for(request)
        check.check_request(receipt, request)
        changes = {
            "task_id": "other",
            "agent_id": None,
            "expected_schema": True,
            "submitted_output": {**request["submitted_output"], "big": 2**70},
            "rules": [{"type": "gte", "field": "n", "value": 0}],
            "bounds": {"n": {"min": 0, "max": 1}},
            "enforce_rules": False,
            "strict_content_check": True,
        }
        for field, value in changes.items():
            with self.subTest(field), self.assertRaises(check.Refused):
                check.check_request(receipt, {**request, field: value})

    def test_defaults_written_out_are_the_same_request_but_other_rules(self):
        rule = {"type": "unique", "field": "a"}
        plain = {"task_id": "t", "expected_schema": True, "submitted_output": 1, "rules": [rule]}
        spelled = {**plain, "agent_id": None, "bounds": {}, "rules": [{**rule, "tolerance": 1e-9, "value": None}]}
        first, second = check.request_hashes(plain), check.request_hashes(spelled)
        self.assertEqual(first["request_hash"], second["request_hash"])
        self.assertNotEqual(first["rules_hash"], second["rules_hash"])

    def test_a_score_is_signed_under_its_own_context(self):
        score = {"agent_id": "seller-1", "trust_score": 0.5, "verify": {"key_version": self.signer.version}}
        self.assertEqual(run(lines([self.signer.sign(score, check.SCORE_CONTEXT)]), self.keys).returncode, 0)
        self.assertEqual(run(lines([self.signer.sign(score, check.VERIFY_CONTEXT)]), self.keys).returncode, 1)

    def test_what_no_signature_covers_is_refused(self):
        receipt = copy.deepcopy(self.receipts[0])
        receipt["attestation"]["note"] = "unsigned"
        self.assertEqual(run(lines([receipt]), self.keys).returncode, 1)
        # The last character before the padding has four bits that decoding drops.
        respelled = copy.deepcopy(self.receipts[0])
        signature = respelled["attestation"]["signature"]
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        other = signature[:-3] + alphabet[alphabet.index(signature[-3]) + 1] + "=="
        self.assertEqual(base64.b64decode(other), base64.b64decode(signature))
        respelled["attestation"]["signature"] = other
        self.assertEqual(run(lines([respelled]), self.keys).returncode, 1)

    def test_an_empty_file_shows_nothing(self):
        self.assertEqual(run(b"\n", self.keys).returncode, 1)


class Alterations(unittest.TestCase):
    """The alterations must alter, or their rejection would prove nothing."""

    def test_every_alteration_changes_what_the_line_says(self):
        receipt = vector("invoice-draft.response.json")
        before = check.canonical(receipt)
        kinds = set()
        for seed in range(2000):
            line, what = check.altered_line(receipt, random.Random(seed))
            kinds.add(what.split(" at ")[0].split(" key ")[0])
            if what.startswith("a second key"):
                with self.assertRaises(check.Refused):
                    check.read_json(line)
            else:
                self.assertNotEqual(check.canonical(check.read_json(line)), before, what)
        self.assertEqual(receipt, vector("invoice-draft.response.json"), "the original stays as it is")
        for kind in ("another value", "a value taken away", "a value added", "a second"):
            self.assertIn(kind, kinds)

    def test_an_unaltered_receipt_passes_the_same_way(self):
        receipt = vector("invoice-draft.response.json")
        self.assertIsNotNone(check.check_line(json.dumps(receipt, ensure_ascii=False).encode(), published_keys()))


if __name__ == "__main__":
    unittest.main()
