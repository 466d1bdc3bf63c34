#!/usr/bin/env python3
"""Compares `assay verify` with the Python and the Node peer on one machine, in one run.

    python3 benches/side_by_side.py [--binary target/release/assay] [--lines 100000] [--rounds 3]

All of them verify the same file of invoice requests, which alternates the two published ones under task ids of its own,
and write signed receipts. A rate counts the whole process, from its start to its end; each is the best of the rounds,
and the rounds take turns, so that a busy moment of the machine does not hit one program only. Before a rate counts,
every receipts file must have one receipt a line, a sample of it must pass `tests/check_receipts.py`, and the sample must
agree with assay's in verdict, hashes and counts.

The peers' libraries are installed under target/peers, pinned by benches/peers. Prints a Markdown table; progress goes
to standard error. Needs Python 3.11 with venv and pip, and Node.js 20.12 or newer with npm.
"""

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "benches" / "peers"
INSTALLED = ROOT / "target" / "peers"
VECTORS = ROOT / "schemas" / "vectors"
CHECK = ROOT / "tests" / "check_receipts.py"

# As many agents as one marketplace's file may well name; the ledger keeps a history for each.
AGENTS = 100

# Fields in which two verifiers must agree; ids, times, addresses, keys and the wording of texts are each one's own.
AGREED = (
    "result",
    "task_id",
    "agent_id",
    "output_hash",
    "schema_hash",
    "rules_hash",
    "request_hash",
    "enforce_rules",
    "strict_content_check",
    "errors_total",
    "flags_total",
    "hints_total",
    "schema_compliance",
    "integrity_checks",
    "overall",
)


class Failed(Exception):
    """The comparison cannot be made or shows a difference; the message says which."""


class Contestant(NamedTuple):
    """One row of the table: how a program is run, and where its public keys then are."""

    name: str
    workers: str
    command: Callable[[Path, Path], list[str]]
    keys: Callable[[Path], bytes]
    exit_codes: tuple[int, ...]


def say(text: str) -> None:
    """Progress, kept apart from the table."""
    print(text, file=sys.stderr, flush=True)


def call(command: list[str], exit_codes: tuple[int, ...] = (0,), cwd: Path = ROOT) -> str:
    """Runs a command to its end and returns what it printed."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise Failed(f"cannot run {command[0]}: {error}") from error
    if done.returncode not in exit_codes:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


# ---- installing the peers ----


def install(folder: Path, pins: list[Path], commands: Callable[[], list[list[str]]]) -> None:
    """Runs the commands unless they ran before with the same pins."""
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in pins)).hexdigest()
    stamp = folder / "installed"
    if stamp.is_file() and stamp.read_text() == digest:
        return
    say(f"installing {folder.relative_to(ROOT)}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for pin in pins:
        shutil.copy(pin, folder)
    for command in commands():
        call(command, cwd=folder)
    stamp.write_text(digest)


def install_python() -> Path:
    """The interpreter of a virtual environment with the Python peer's libraries."""
    folder = INSTALLED / "python"
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"]
    install(folder, [PEERS / "requirements.txt"], lambda: [[sys.executable, "-m", "venv", "venv"], pip])
    return python


def install_node() -> tuple[str, Path]:
    """Node and the Node peer's script, laid beside its libraries, where it looks for them."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Failed("the Node peer needs `node` and `npm` on the path")
    folder = INSTALLED / "node"
    pins = [PEERS / "package.json", PEERS / "package-lock.json"]
    install(folder, pins, lambda: [[npm, "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]])
    return node, Path(shutil.copy(PEERS / "verify.mjs", folder))


# ---- the work ----


def write_requests(path: Path, lines: int) -> None:
    """The two published invoice requests in turn, each line with a task id of its own."""
    texts = []
    for name in ("invoice-draft", "invoice-final"):
        request = json.loads((VECTORS / f"{name}.request.json").read_text(encoding="utf-8"))
        request["task_id"], request["agent_id"] = "TASK", "AGENT"
        texts.append(json.dumps(request, separators=(",", ":")))
    with open(path, "w", encoding="utf-8") as file:
        for index in range(lines):
            line = texts[index % 2].replace("TASK", f"invoice-{index:08}", 1)
            file.write(line.replace("AGENT", f"seller-{index % AGENTS}", 1) + "\n")


def contestants(binary: Path, procs: int) -> list[Contestant]:
    """All rows, assay first."""
    python = install_python()
    node, script = install_node()
    peer_counts = (1, procs) if procs > 1 else (1,)

    def keys_beside(out: Path) -> Path:
        return out.with_suffix(".keys.json")

    def peer(name: str, run: list[str], count: int, extra: list[str]) -> Contestant:
        def command(requests: Path, out: Path) -> list[str]:
            files = [str(requests), "-o", str(out), "--keys-out", str(keys_beside(out))]
            return [*run, *files, "--procs", str(count), *extra]

        workers = "1 process" if count == 1 else f"{count} processes"
        return Contestant(name, workers, command, lambda out: keys_beside(out).read_bytes(), (0,))

    def data_folder(out: Path) -> str:
        return str(out.with_suffix(".data"))

    def assay_command(requests: Path, out: Path) -> list[str]:
        return [str(binary), "verify", str(requests), "-o", str(out), "--data", data_folder(out)]

    def assay_keys(out: Path) -> bytes:
        return call([str(binary), "keys", "export", "--data", data_folder(out)]).encode("utf-8")

    # Half of the invoices fail, which `assay verify` tells with exit code 1.
    rows = [Contestant("`assay verify`, recorded", f"{procs} threads", assay_command, assay_keys, (1,))]
    python_run, node_run = [str(python), "-B", str(PEERS / "verify.py")], [node, str(script)]
    for count in peer_counts:
        rows.append(peer("Python: jsonschema-rs, rfc8785, cryptography", python_run, count, []))
    for count in peer_counts:
        extra = ["--jcs", "jcs-admit"]
        rows.append(peer("Python: the same with jcs-admit (Rust) for rfc8785", python_run, count, extra))
    for count in peer_counts:
        rows.append(peer("Node: ajv, canonicalize, node:crypto", node_run, count, []))
    return rows


def run_timed(contestant: Contestant, requests: Path, out: Path) -> float:
    """One run into a fresh place; its wall time in seconds."""
    for old in out.parent.glob(f"{out.stem}.*"):
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
    command = contestant.command(requests, out)
    started = time.perf_counter()
    call(command, contestant.exit_codes)
    return time.perf_counter() - started


# ---- the receipts are real ----


def every(path: Path, step: int) -> list[bytes]:
    """Every step-th line of a file."""
    with open(path, "rb") as file:
        return [line for index, line in enumerate(file) if index % step == 0]


def check_receipts(contestant: Contestant, requests: Path, out: Path, lines: int, sample: int) -> list[dict]:
    """Raises unless the file is complete and a sample of it holds; returns the sample."""
    with open(out, "rb") as file:
        found = sum(1 for _ in file)
    if found != lines:
        raise Failed(f"{contestant.name} wrote {found} lines for {lines} requests")
    # An odd step takes passing and failing invoices in turn.
    step = max(1, lines // sample) | 1
    receipts = every(out, step)
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        files = {
            "receipts.ndjson": b"".join(receipts),
            "requests.ndjson": b"".join(every(requests, step)),
            "keys.json": contestant.keys(out),
        }
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        python = INSTALLED / "python" / "venv" / "bin" / "python"
        command = [str(python), "-B", str(CHECK), "receipts.ndjson", "--keys", "keys.json"]
        say(f"  {call([*command, '--requests', 'requests.ndjson', '--alter', '20'], cwd=Path(folder)).strip()}")
    return [json.loads(receipt) for receipt in receipts]


def check_agreement(contestant: Contestant, sample: list[dict], reference: list[dict]) -> None:
    """Raises where a sample says something else than assay's."""
    for theirs, ours in zip(sample, reference, strict=True):
        for field in AGREED:
            if theirs.get(field) != ours.get(field):
                raise Failed(
                    f"{contestant.name} differs from assay at {ours['task_id']}, {field}: "
                    f"{theirs.get(field)!r} instead of {ours.get(field)!r}"
                )


# ---- the table ----


def machine() -> str:
    """What the figures were measured on."""
    cpu = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        models = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        cpu = models[0].partition(":")[2].strip() if models else cpu
    node = call(["node", "--version"]).strip().removeprefix("v")
    return f"{cpu}, {cores()} cores, {platform.system()}; Python {platform.python_version()}, Node {node}"


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def table(rows: list[Contestant], seconds: list[float], lines: int) -> str:
    """The Markdown table."""
    text = ["| program | workers | receipts/s | assay is faster by |", "|---|---|---:|---:|"]
    for contestant, best in zip(rows, seconds, strict=True):
        ratio = "" if contestant is rows[0] else f"{best / seconds[0]:.1f} ×"
        text.append(f"| {contestant.name} | {contestant.workers} | {lines / best:,.0f} | {ratio} |")
    return "\n".join(text)


def compare(arguments: argparse.Namespace, folder: Path) -> str:
    """Runs everything in `folder`; returns what to print."""
    rows = contestants(arguments.binary.resolve(), arguments.procs)
    requests = folder / "requests.ndjson"
    write_requests(requests, arguments.lines)
    seconds = [float("inf")] * len(rows)
    for round_number in range(arguments.rounds):
        reference: list[dict] = []
        for index, contestant in enumerate(rows):
            out = folder / f"receipts{index}.ndjson"
            spent = run_timed(contestant, requests, out)
            seconds[index] = min(seconds[index], spent)
            say(f"round {round_number + 1}: {contestant.name}, {contestant.workers}: {arguments.lines / spent:,.0f}/s")
            sample = check_receipts(contestant, requests, out, arguments.lines, arguments.sample)
            reference = reference or sample
            check_agreement(contestant, sample, reference)
    note = f"{arguments.lines:,} invoice requests, best of {arguments.rounds}. {machine()}."
    return f"{table(rows, seconds, arguments.lines)}\n\n{note}"


def main() -> int:
    """Parses the arguments, compares, prints the table."""
    parser = argparse.ArgumentParser(description="Compares `assay verify` with the Python and the Node peer.")
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "assay")
    parser.add_argument("--lines", type=int, default=100_000, help="requests in the file (default 100000)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each program, the best counts (default 3)")
    parser.add_argument("--sample", type=int, default=1000, help="receipts checked after each run (default 1000)")
    parser.add_argument("--procs", type=int, default=cores(), help="processes of the parallel peers (default: all cores)")
    arguments = parser.parse_args()
    if min(arguments.lines, arguments.rounds, arguments.sample, arguments.procs) < 1:
        parser.error("all numbers must be positive")
    try:
        if not arguments.binary.is_file():
            raise Failed(f"there is no {arguments.binary}: build it with `cargo build --release`")
        with tempfile.TemporaryDirectory(prefix="assay-side-by-side.") as folder:
            print(compare(arguments, Path(folder)))
    except (Failed, OSError) as error:
        print(f"side_by_side.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
