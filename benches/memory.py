#!/usr/bin/env python3
"""Memory of `assay verify`: the most that it holds resident, over a short file and over a long one.

Makes invoice requests, runs target/release/assay on the first tenth of them and on all, and prints both peaks. With
--limit MB it fails when the long run holds more, or more than a fifth above the short one.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def requests(path: pathlib.Path, lines: int) -> None:
    published = [
        json.loads((ROOT / "schemas/vectors" / f"{name}.request.json").read_text())
        for name in ("invoice-draft", "invoice-final")
    ]
    with path.open("w") as out:
        for n in range(lines):
            request = published[n % 2] | {"task_id": f"invoice-{n}", "agent_id": f"seller-{n % 1000}"}
            out.write(json.dumps(request, separators=(",", ":")) + "\n")


def peak_megabytes(binary: str, source: pathlib.Path, folder: pathlib.Path) -> float:
    """Runs the binary in a process of its own and gives the peak of its resident memory."""
    command = [binary, "--data", str(folder / "data"), "verify", str(source), "-o", str(folder / "out.ndjson"), "--quiet"]
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 1:  # Half of the invoices fail.
        sys.exit(f"assay ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(ROOT / "target/release/assay"))
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--limit", type=float)
    arguments = parser.parse_args()
    peaks = []
    for lines in (arguments.lines // 10, arguments.lines):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            requests(folder / "in.ndjson", lines)
            peaks.append(peak_megabytes(arguments.binary, folder / "in.ndjson", folder))
        print(f"{lines:>9} lines: {peaks[-1]:.0f} MB at most")
    if arguments.limit and (peaks[1] > arguments.limit or peaks[1] > 1.2 * peaks[0] + 10):
        sys.exit("the memory is not bounded")


if __name__ == "__main__":
    main()
