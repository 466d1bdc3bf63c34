#!/usr/bin/env python3
"""The ClickHouse engine of the package `chdb-core` behind the HTTP interface of a ClickHouse server, for tests.

    clickhouse_front.py --port PORT --data FOLDER [--host 127.0.0.1]

It answers `/ping`, and `GET` and `POST` with the query as the parameter `query` or as the body. `database`,
`default_format`, `param_NAME` and every setting are parameters, as on a server; an error is 500, or 404 for a table or
database that is not there, with the engine's text and `X-ClickHouse-Exception-Code`. Tables stay in FOLDER, so a process
that was killed is followed by another on the same data. Compression is refused: clients have to switch it off.

Faults can be ordered, for tests of clients:

    POST /__fault?kind=KIND&count=N&on=insert|query|any&database=NAME&seconds=S&code=N

The next `count` requests that match have it: `error` (not executed, 500 with `code`), `stall` (waits `seconds`, then
executes), `drop-response` (executes, then closes without an answer), `cut-response` (executes, closes in the middle of
the answer), `reset` (reads half the body, does not execute, resets the connection). `GET /__fault` tells which are
left, `DELETE /__fault` takes them back.

It ends when its standard input does, so that it does not outlive the tests that started it. Needs `chdb-core`;
`services.py` installs that and starts this.
"""

import argparse
import json
import os
import re
import socket
import struct
import sys
import tempfile
import threading
import time
import urllib.parse
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Iterator

# Parameters of the HTTP interface that are no settings of the engine.
INTERFACE_PARAMETERS = {
    "query", "database", "default_format", "user", "password", "quota_key", "role", "query_id", "session_id",
    "session_timeout", "session_check", "wait_end_of_query", "buffer_size", "stacktrace", "close_session",
}
UNKNOWN_TABLE_CODES = {60, 81}
NOT_IMPLEMENTED = 48
BAD_ARGUMENTS = 36
SYNTAX_ERROR = 62

# INSERT … FORMAT NAME and where its data begin. The words may stand over several lines; a string literal between them
# may hold anything, so it is stepped over as a whole.
INSERT_WITH_FORMAT = re.compile(
    rb"\s*INSERT\s+INTO\s(?:'(?:[^'\\]|\\.|'')*'|[^'])*?\sFORMAT\s+(?P<format>[A-Za-z0-9]+)[ \t]*(?:\r?\n|;|$)",
    re.IGNORECASE | re.DOTALL,
)
INSERT_VALUES = re.compile(rb"\s*INSERT\s+INTO\s(?:[^'])*?\sVALUES\s*$", re.IGNORECASE | re.DOTALL)
INSERT = re.compile(rb"\s*INSERT\b", re.IGNORECASE)
ERROR_CODE = re.compile(r"Code: (\d+)")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

FAULT_KINDS = ("error", "stall", "drop-response", "cut-response", "reset")


class QueryError(Exception):
    """An error as a server tells it: a code and a text."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text if text.startswith("Code: ") else f"Code: {code}. DB::Exception: {text}"


class Engine:
    """One session of the engine. It runs one query at a time, so settings and database belong to the one that runs."""

    def __init__(self, data: str) -> None:
        from chdb import session

        os.makedirs(data, exist_ok=True)
        self.session = session.Session(data)
        self.lock = threading.Lock()
        self.spool = os.path.join(data, "spool")
        os.makedirs(self.spool, exist_ok=True)
        for leftover in os.listdir(self.spool):
            os.unlink(os.path.join(self.spool, leftover))
        self.version = self.query("SELECT version()").decode().strip()

    def query(self, sql: str, output: str = "TabSeparated") -> bytes:
        """The answer's bytes. The caller holds the lock, or is alone."""
        try:
            result = self.session.query(sql, output)
        except Exception as error:  # the package raises several types, some of them plain RuntimeErrors
            raise as_query_error(error) from error
        return bytes(result.bytes() or b"") if result is not None else b""

    def execute(
        self, query: bytes, data: bytes, database: str, settings: dict[str, str], output: str
    ) -> tuple[bytes, int]:
        """Runs a query as the interface was asked to, with its own settings only; the answer and its nanoseconds."""
        with self.lock, Spooled(self.spool, query, data) as sql:
            began = time.monotonic_ns()
            self.query(f"USE {identifier(database)}")
            done: list[str] = []
            try:
                for name, value in settings.items():
                    self.query(f"SET {name} = {literal(value)}")
                    done.append(name)
                answer = self.query(sql, output)
            finally:
                for name in done:
                    if not name.startswith("param_"):
                        self.query(f"SET {name} = DEFAULT")
            return answer, time.monotonic_ns() - began


class Spooled:
    """A query whose data, if it inserts some, lie in a file while it runs."""

    def __init__(self, folder: str, query: bytes, data: bytes) -> None:
        self.path: str | None = None
        self.folder = folder
        self.query, self.data = query, data

    def __enter__(self) -> str:
        head, data, form = insert_parts(self.query, self.data)
        try:
            text = head.decode("utf-8")
        except UnicodeDecodeError as error:
            raise QueryError(SYNTAX_ERROR, "The query is not UTF-8") from error
        if form is None:
            return text
        handle, self.path = tempfile.mkstemp(suffix=".data", dir=self.folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return f"{text} FROM INFILE {literal(self.path)} COMPRESSION 'none' FORMAT {form}"

    def __exit__(self, *_: object) -> None:
        if self.path:
            os.unlink(self.path)


def insert_parts(query: bytes, data: bytes) -> tuple[bytes, bytes, str | None]:
    """What goes before the data of an INSERT, the data, and their format; the whole query and no format otherwise."""
    match = INSERT_WITH_FORMAT.match(query)
    if match:
        head = query[: match.start("format")]
        return head[: head.upper().rindex(b"FORMAT")].rstrip(), query[match.end() :] + data, match["format"].decode()
    if data and INSERT_VALUES.match(query):
        return query.rstrip()[: -len(b"VALUES")].rstrip(), data, "Values"
    return query + (b"\n" + data if data else b""), b"", None


def as_query_error(error: Exception) -> QueryError:
    text = str(error)
    match = ERROR_CODE.search(text)
    if not match:
        return QueryError(1001, f"{type(error).__name__}: {text}")
    return QueryError(int(match[1]), text[match.start() :])


def literal(text: str) -> str:
    """A string literal of ClickHouse."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def identifier(text: str) -> str:
    """A quoted name."""
    return "`" + text.replace("\\", "\\\\").replace("`", "\\`") + "`"


@dataclass
class Fault:
    """A fault that was ordered; `count` times it is still to happen."""

    kind: str
    count: int = 1
    on: str = "insert"
    database: str | None = None
    seconds: float = 0.0
    code: int = 242


class Faults:
    """The faults that are still to happen, in the order in which they were ordered."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: list[Fault] = []

    def order(self, parameters: dict[str, str]) -> None:
        """Adds one; what makes no sense is an error."""
        unknown = parameters.keys() - Fault.__dataclass_fields__.keys()
        if unknown or parameters.get("kind") not in FAULT_KINDS:
            raise QueryError(BAD_ARGUMENTS, f"a fault has a kind of {', '.join(FAULT_KINDS)}; not known: {sorted(unknown)}")
        try:
            fault = Fault(
                kind=parameters["kind"],
                count=int(parameters.get("count", "1")),
                on=parameters.get("on", "insert"),
                database=parameters.get("database"),
                seconds=float(parameters.get("seconds", "0")),
                code=int(parameters.get("code", "242")),
            )
        except ValueError as error:
            raise QueryError(BAD_ARGUMENTS, f"a fault with a number that is none: {error}") from error
        if fault.on not in ("insert", "query", "any"):
            raise QueryError(BAD_ARGUMENTS, "on is insert, query or any")
        with self.lock:
            self.waiting.append(fault)

    def take(self, is_insert: bool, database: str) -> Fault | None:
        """The fault that this request has."""
        with self.lock:
            for fault in self.waiting:
                wanted = fault.on == "any" or (fault.on == "insert") == is_insert
                if wanted and fault.database in (None, database):
                    fault.count -= 1
                    if fault.count <= 0:
                        self.waiting.remove(fault)
                    return fault
        return None

    def clear(self) -> None:
        with self.lock:
            self.waiting.clear()

    def listed(self) -> list[dict[str, Any]]:
        with self.lock:
            return [asdict(fault) for fault in self.waiting]


class Disconnect(Exception):
    """The connection is to end without an answer, or is gone."""


class Front(ThreadingHTTPServer):
    """The server: a thread for each connection, one engine."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], engine: Engine) -> None:
        super().__init__(address, Handler)
        self.engine = engine
        self.faults = Faults()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are no errors of the server."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, Disconnect)):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Front
    protocol_version = "HTTP/1.1"
    # Head and body of an answer go out as two writes; without this the second would wait for an acknowledgement.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: tests make very many."""

    def do_GET(self) -> None:
        self.respond()

    def do_POST(self) -> None:
        self.respond()

    def do_DELETE(self) -> None:
        self.respond()

    def respond(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        pairs = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        parameters = dict(pairs)
        try:
            if url.path == "/__fault":
                self.drain()
                self.answer_fault(parameters)
            elif url.path == "/ping":
                self.drain()
                self.answer(200, b"Ok.\n")
            elif url.path == "/":
                self.answer_query(parameters)
            else:
                self.drain()
                self.answer(404, b"There is no such path\n")
        except QueryError as error:
            self.fail(error)
        except Disconnect:
            self.close_connection = True

    def answer_fault(self, parameters: dict[str, str]) -> None:
        faults = self.server.faults
        if self.command == "POST":
            faults.order(parameters)
        elif self.command == "DELETE":
            faults.clear()
        self.answer(200, json.dumps(faults.listed()).encode() + b"\n", content_type="application/json")

    def answer_query(self, parameters: dict[str, str]) -> None:
        database = parameters.get("database") or self.headers.get("X-ClickHouse-Database") or "default"
        query = parameters.get("query", "").encode("utf-8", "surrogateescape")
        data = b""
        if not query:
            query = b"".join(self.chunks())
            fault = self.take_fault(query, database)
        else:
            # Before the body is read, which a reset breaks off.
            fault = self.take_fault(query, database)
            data = b"".join(self.chunks())
        self.refuse_compression(parameters)
        if fault and fault.kind == "error":
            raise QueryError(fault.code, "A fault that a test has ordered")
        if fault and fault.kind == "stall":
            time.sleep(fault.seconds)
        if not query.strip():
            raise QueryError(SYNTAX_ERROR, "Empty query")
        settings = {name: value for name, value in parameters.items() if name not in INTERFACE_PARAMETERS}
        for name in settings:
            if not NAME.fullmatch(name):
                raise QueryError(115, f"Unknown setting {name!r}")
        output = parameters.get("default_format") or self.headers.get("X-ClickHouse-Format") or "TabSeparated"
        answer, nanoseconds = self.server.engine.execute(query, data, database, settings, output)
        if fault and fault.kind == "drop-response":
            raise Disconnect
        summary = {"read_rows": "0", "written_rows": "0", "elapsed_ns": str(nanoseconds)}
        self.answer(
            200, answer, {"X-ClickHouse-Summary": json.dumps(summary)}, is_cut=bool(fault and fault.kind == "cut-response")
        )

    def take_fault(self, query: bytes, database: str) -> Fault | None:
        """The fault that the query has; a reset ends the connection here."""
        fault = self.server.faults.take(bool(INSERT.match(query)), database)
        if fault and fault.kind == "reset":
            self.reset()
        return fault

    def refuse_compression(self, parameters: dict[str, str]) -> None:
        is_asked = parameters.get("compress") == "1" or parameters.get("decompress") == "1"
        for name in ("compress", "decompress", "enable_http_compression"):
            if parameters.get(name) == "0":
                del parameters[name]
        if is_asked or self.headers.get("Content-Encoding", "identity") != "identity":
            raise QueryError(NOT_IMPLEMENTED, "This server for tests takes no compression: switch it off in the client")

    def chunks(self) -> Iterator[bytes]:
        """The body, however it is sent. One that breaks off is not the request that was meant, so nothing is executed."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while True:
                size_line = self.rfile.readline(1024)
                try:
                    size = int(size_line.split(b";")[0], 16)
                except ValueError as error:
                    raise Disconnect from error
                if size == 0:
                    while self.rfile.readline(65536) not in (b"\r\n", b"\n", b""):
                        pass
                    return
                yield self.exactly(size)
                self.rfile.readline(8)
        length = int(self.headers.get("Content-Length") or 0)
        if length:
            yield self.exactly(length)

    def exactly(self, size: int) -> bytes:
        data = self.rfile.read(size)
        if len(data) != size:
            raise Disconnect
        return data

    def drain(self) -> None:
        for _ in self.chunks():
            pass

    def reset(self) -> None:
        """Ends the connection by a reset, half the body unread."""
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read1(max(length // 2, 1))
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Disconnect

    def fail(self, error: QueryError) -> None:
        status = 404 if error.code in UNKNOWN_TABLE_CODES else 500
        self.answer(status, error.text.encode() + b"\n", {"X-ClickHouse-Exception-Code": str(error.code)})

    def answer(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        content_type: str = "text/plain; charset=UTF-8",
        is_cut: bool = False,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        # An empty answer is cut too: one byte is promised that never comes.
        self.send_header("Content-Length", str(len(body) + (1 if is_cut else 0)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if is_cut else body)
        if is_cut:
            raise Disconnect


def end_with_input() -> None:
    """Ends the process when whoever started it is gone."""
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description="The ClickHouse engine behind HTTP, for tests.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", required=True)
    arguments = parser.parse_args()
    threading.Thread(target=end_with_input, daemon=True).start()
    engine = Engine(arguments.data)
    front = Front((arguments.host, arguments.port), engine)
    print(f"ClickHouse engine {engine.version} on http://{arguments.host}:{arguments.port}", flush=True)
    front.serve_forever()


if __name__ == "__main__":
    main()
