"""Tests of the services that the other tests run on: they answer, they fail as ordered, and they keep their data."""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from pathlib import Path

import services
from services import ClickHouseFront, KafkaCluster, Process, ServiceError

SERVICES = Path(services.__file__)


class Answer:
    """What a server answered."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status = answer.status
        self.code = answer.headers.get("X-ClickHouse-Exception-Code")
        self.summary = answer.headers.get("X-ClickHouse-Summary")
        self.body = answer.read()


class FrontTest(unittest.TestCase):
    """The ClickHouse engine behind HTTP."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.front = ClickHouseFront(Path(cls.folder.name))
        cls.addClassCleanup(cls.front.stop)
        cls.front.start()

    def setUp(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.front.port, timeout=30)
        self.addCleanup(self.connection.close)
        self.addCleanup(self.ask, "DELETE", "/__fault")
        self.ask("POST", query="DROP DATABASE IF EXISTS d")
        self.ask("POST", query="CREATE DATABASE d")
        table = "CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100"
        self.assertEqual(self.ask("POST", query=table, database="d").status, 200)

    def ask(self, method: str, path: str = "/", body: bytes | list[bytes] | None = None, **parameters: str) -> Answer:
        """Asks on the connection of the test; a list of pieces is sent as chunks."""
        url = path + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
        if isinstance(body, list):
            self.connection.request(method, url, iter(body), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        else:
            self.connection.request(method, url, body)
        return Answer(self.connection.getresponse())

    def count(self) -> int:
        return int(self.ask("GET", query="SELECT count() FROM d.t").body)

    def insert(self, **parameters: str) -> Answer:
        return self.ask("POST", body=b"1\ta\n2\tb\n", query="INSERT INTO t FORMAT TabSeparated", database="d", **parameters)

    def test_answers_queries_of_every_shape(self) -> None:
        self.assertEqual(self.ask("GET", "/ping").body, b"Ok.\n")
        self.assertEqual(self.ask("GET", query="SELECT 1").body, b"1\n")
        self.assertEqual(self.ask("POST", body=b"SELECT 2").body, b"2\n")
        self.assertEqual(self.ask("POST", body=[b"SEL", b"ECT 3"]).body, b"3\n")
        self.assertEqual(self.ask("POST", query="SELECT currentDatabase()", database="d").body, b"d\n")
        self.assertEqual(self.ask("POST", query="SELECT currentDatabase()").body, b"default\n")
        self.assertEqual(self.ask("GET", query="SELECT 1 AS a", default_format="JSONEachRow").body, b'{"a":1}\n')
        answer = self.ask("GET", query="SELECT 'FORMAT' FORMAT CSV", wait_end_of_query="1")
        self.assertEqual(answer.body, b'"FORMAT"\n')
        self.assertGreater(int(json.loads(answer.summary or "")["elapsed_ns"]), 0)

    def test_settings_hold_for_their_request_only(self) -> None:
        before = self.ask("GET", query="SELECT getSetting('max_block_size')").body
        self.assertEqual(self.ask("GET", query="SELECT getSetting('max_block_size')", max_block_size="77").body, b"77\n")
        failed = self.ask("GET", query="SELECT nonsense", max_block_size="78")
        self.assertEqual(failed.status, 500)
        self.assertEqual(self.ask("GET", query="SELECT getSetting('max_block_size')").body, before)

    def test_parameters_of_queries(self) -> None:
        for given, expected in [("it's", "it's"), ("a\\tb", "a\tb"), ("back\\\\slash", "back\\slash"), ("", "")]:
            answer = self.ask("GET", query="SELECT {x:String} FORMAT RawBLOB", param_x=given)
            self.assertEqual(answer.body.decode(), expected, given)
        answer = self.ask("GET", query="SELECT arrayStringConcat({x:Array(String)}, '+')", param_x="['a','b']")
        self.assertEqual(answer.body, b"a+b\n")

    def test_inserts_what_is_streamed(self) -> None:
        rows = self.ask(
            "GET", query="SELECT number AS n, repeat('x', number) AS s FROM numbers(3000) FORMAT RowBinaryWithNamesAndTypes"
        ).body
        pieces = [rows[at : at + 10_000] for at in range(0, len(rows), 10_000)]
        answer = self.ask("POST", body=pieces, query='INSERT INTO "t"(n, s) FORMAT RowBinaryWithNamesAndTypes', database="d")
        self.assertEqual((answer.status, answer.body), (200, b""))
        read = self.ask("GET", query="SELECT n, s FROM t ORDER BY n FORMAT RowBinaryWithNamesAndTypes", database="d")
        self.assertEqual(read.body, rows)

    def test_inserts_whose_query_is_in_the_body(self) -> None:
        self.ask("POST", body=b"INSERT INTO t FORMAT TabSeparated\n5\tFORMAT CSV\n", database="d")
        self.ask("POST", body=b"INSERT INTO t SELECT 6, 'it''s FORMAT CSV'", database="d")
        self.ask("POST", body=b"INSERT INTO t VALUES (7, 'x'), (8, 'FORMAT CSV')", database="d")
        self.ask("POST", body=b"(9, 'y')", query="INSERT INTO t VALUES", database="d")
        read = self.ask("GET", query="SELECT n, s FROM t ORDER BY n", database="d").body
        self.assertEqual(read, b"5\tFORMAT CSV\n6\tit\\'s FORMAT CSV\n7\tx\n8\tFORMAT CSV\n9\ty\n")

    def test_a_token_is_inserted_once(self) -> None:
        for _ in range(2):
            self.assertEqual(self.insert(insert_deduplication_token="one").status, 200)
        self.assertEqual(self.count(), 2)
        self.insert(insert_deduplication_token="two")
        self.assertEqual(self.count(), 4)

    def test_errors_have_the_status_and_code_of_a_server(self) -> None:
        cases = [
            ({"query": "SELECT * FROM missing"}, 404, "60"),
            ({"query": "SELECT 1", "database": "missing"}, 404, "81"),
            ({"query": "SELEC 1"}, 500, "62"),
            ({"query": "SELECT 1", "no_such_setting": "1"}, 500, "115"),
            ({"query": "SELECT throwIf(number = 2) FROM numbers(9)"}, 500, "395"),
            ({"query": "SELECT 1", "compress": "1"}, 500, "48"),
            ({"query": ""}, 500, "62"),
        ]
        for parameters, status, code in cases:
            answer = self.ask("POST", **parameters)
            self.assertEqual((answer.status, answer.code), (status, code), parameters)
            self.assertTrue(answer.body.startswith(f"Code: {code}. DB::Exception: ".encode()), answer.body)
        bad = self.ask("POST", body=b"x\ty\n", query="INSERT INTO t FORMAT TabSeparated", database="d")
        self.assertEqual((bad.status, bad.code), (500, "27"))
        self.assertEqual(self.count(), 0)

    def test_ordered_errors_execute_nothing(self) -> None:
        self.front.fault(kind="error", code=242, count=2)
        for _ in range(2):
            answer = self.insert()
            self.assertEqual((answer.status, answer.code), (500, "242"))
        self.assertEqual(self.count(), 0)
        self.assertEqual(self.insert().status, 200)

    def test_dropped_and_cut_answers_come_after_the_work(self) -> None:
        self.front.fault(kind="drop-response")
        with self.assertRaises(http.client.RemoteDisconnected):
            self.insert()
        self.connection.close()
        self.assertEqual(self.count(), 2)
        self.front.fault(kind="cut-response")
        with self.assertRaises(http.client.IncompleteRead):
            # Under a token of its own, since the same rows would be taken for the same batch.
            self.insert(insert_deduplication_token="other")
        self.connection.close()
        self.assertEqual(self.count(), 4)
        self.front.fault(kind="cut-response", on="query")
        with self.assertRaises(http.client.IncompleteRead):
            self.ask("GET", query="SELECT number FROM numbers(100)")
        self.connection.close()

    def test_a_reset_comes_before_the_work(self) -> None:
        self.front.fault(kind="reset")
        with self.assertRaises(ConnectionError):
            self.insert()
        self.connection.close()
        self.assertEqual(self.count(), 0)

    def test_a_stall_holds_its_request_only(self) -> None:
        self.front.fault(kind="stall", seconds=1)
        began = time.monotonic()
        self.connection.request("POST", "/?database=d&query=INSERT+INTO+t+FORMAT+TabSeparated", b"1\ta\n")
        self.assertEqual(self.front.sql("SELECT count() FROM d.t"), "0\n")
        self.assertEqual(Answer(self.connection.getresponse()).status, 200)
        self.assertGreaterEqual(time.monotonic() - began, 1)
        self.assertEqual(self.count(), 1)

    def test_faults_are_for_what_they_name(self) -> None:
        self.front.fault(kind="error", database="other")
        self.front.fault(kind="error", on="query", database="d")
        self.assertEqual(self.insert().status, 200)
        self.assertEqual(self.count(), 2)
        self.assertEqual(self.ask("GET", query="SELECT 1", database="d").status, 500)
        self.assertEqual(len(json.loads(self.ask("GET", "/__fault").body)), 1)
        self.assertEqual(json.loads(self.ask("DELETE", "/__fault").body), [])
        self.assertEqual(self.ask("POST", "/__fault", kind="surprise").status, 500)

    def test_data_outlive_a_kill(self) -> None:
        self.insert()
        self.front.kill()
        with self.assertRaises(ConnectionError):
            self.count()
        self.connection.close()
        self.front.restart()
        self.assertEqual(self.count(), 2)
        self.insert(insert_deduplication_token="one")
        self.front.restart()
        self.connection.close()
        self.insert(insert_deduplication_token="one")
        self.assertEqual(self.count(), 4)


class KafkaTest(unittest.TestCase):
    """The broker."""

    def test_a_killed_and_a_paused_node_come_back_with_their_data(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cluster = KafkaCluster(1, Path(folder))
            self.addCleanup(cluster.stop)
            cluster.start()
            cluster.create_topic("t", 3)
            cluster.kill(1)
            self.assertEqual(services.registered_nodes(cluster.ports[0]), set())
            cluster.restart(1)
            cluster.pause()
            self.assertEqual(services.registered_nodes(cluster.ports[0]), set())
            cluster.resume()
            cluster.wait_ready()
            told = cluster.tool("org.apache.kafka.tools.GetOffsetShell", "--bootstrap-server", cluster.brokers, "--topic", "t")
            self.assertEqual(sorted(told.split()), ["t:0:0", "t:1:0", "t:2:0"])
            cluster.stop()


class ProcessTest(unittest.TestCase):
    """How processes are started and ended."""

    def test_what_ends_at_the_start_is_told_with_its_log(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            process = Process("it", ["sh", "-c", "echo the reason; exit 3"], Path(folder, "log"))
            process.start()
            with self.assertRaisesRegex(ServiceError, "(?s)it has ended.*the reason"):
                process.wait_ready(lambda: False)
            process.reap()

    def test_services_end_with_whoever_started_them(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            code = (
                "import sys, time, services, pathlib\n"
                f"process = services.Process('it', ['sleep', '600'], pathlib.Path({folder!r}, 'log'))\n"
                "process.start()\n"
                "print(process.child.pid, flush=True)\n"
                "time.sleep(600)\n"
            )
            child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=SERVICES.parent)
            pid = int(child.stdout.readline())
            os.kill(pid, 0)
            child.kill()
            child.wait()
            child.stdout.close()
            services.wait_until(lambda: not is_alive(pid), "the service ends", 20)


class RunTest(unittest.TestCase):
    """`services.py run` on services that are there already."""

    SET = {**os.environ, "KAFKA_BROKERS": "here:1", "CLICKHOUSE_URL": "http://there:2"}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, str(SERVICES), "run", "--", *words]

    def test_uses_what_is_set_and_ends_as_the_command_does(self) -> None:
        done = subprocess.run(
            self.command("sh", "-c", 'echo "$KAFKA_BROKERS $CLICKHOUSE_URL"; exit 7'), env=self.SET, capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stdout), (7, "here:1 http://there:2\n"))
        killed = subprocess.run(self.command("sh", "-c", "kill -9 $$"), env=self.SET, capture_output=True)
        self.assertEqual(killed.returncode, 128 + signal.SIGKILL)

    def test_a_signal_ends_the_command_too(self) -> None:
        child = subprocess.Popen(
            self.command("sh", "-c", "echo $$; exec sleep 600"), env=self.SET, stdout=subprocess.PIPE
        )
        pid = int(child.stdout.readline())
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(20), 128 + signal.SIGTERM)
        child.stdout.close()
        self.assertFalse(is_alive(pid))


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


if __name__ == "__main__":
    unittest.main()
