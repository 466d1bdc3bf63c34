#!/usr/bin/env python3
"""Starts the real services that the tests need: Kafka brokers and the ClickHouse engine, on free ports of this machine.

    services.py run [--kafka-nodes 1|3] [--keep] -- COMMAND…   runs COMMAND with KAFKA_BROKERS and CLICKHOUSE_URL set
    services.py up [--kafka-nodes 1|3] [--topic NAME:PARTITIONS]…   keeps them running until Ctrl-C

`run` ends with COMMAND's exit code; what is set already is used and not started. `up` is for trying the program by
hand: it makes the topics that the program uses by default and prints what to set.

Needs Java 17, Maven, and Python 3.11 with pip and venv; as root on Debian, what Java lacks is installed by apt. Kafka
comes from Maven Central, the ClickHouse engine (`chdb-core`) from PyPI, both at a fixed version, kept in tests/.cache/.
Tests in Python use the classes: `KafkaCluster`, `ClickHouseFront`.
"""

import argparse
import base64
import concurrent.futures
import contextlib
import fcntl
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid
from pathlib import Path
from types import FrameType
from typing import Callable, Iterator, Sequence

TESTS = Path(__file__).resolve().parent
CACHE = TESTS / ".cache"

KAFKA_VERSION = "4.4.0"
CHDB_CORE_VERSION = "26.9.0"

JAVA_VERSION_MIN = 17
INSTALL_TIMEOUT_SECONDS = 900
# A broker is up in three seconds and the engine in two; a machine under load takes many times as long.
START_TIMEOUT_SECONDS = 120
STOP_TIMEOUT_SECONDS = 30
POLL_SECONDS = 0.05
LOG_LINES_SHOWN = 40

# Below the range that systems give to outgoing connections, so that a port is still free when a killed node comes back.
PORTS = range(20_000, 32_000)

TOPICS_OF_UP = ["deliverables:4", "receipts:4", "dead-letters:4"]

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>assay.tests</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{KAFKA_VERSION}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>{KAFKA_VERSION}</version></dependency>
    <!-- Without a binding the broker logs nothing. -->
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
"""


class ServiceError(Exception):
    """A service cannot be had; the message says why and what to do."""


# ---- what has to be there ----


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Holds a lock over processes: two runs must not fill the cache at once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def tool(command: Sequence[str | Path], what: str) -> None:
    """Runs a package manager; what it says is shown only when it fails."""
    try:
        subprocess.run(
            command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=INSTALL_TIMEOUT_SECONDS,
        )
    except subprocess.CalledProcessError as error:
        raise ServiceError(f"{what}:\n{last_lines(error.stdout)}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServiceError(f"{what}: {error}") from error


def java_version() -> int:
    """The major version of the machine's Java; 0 when there is none."""
    try:
        told = subprocess.run(["java", "-version"], capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(match[1]) if match else 0


def need_java(with_maven: bool) -> None:
    """Makes sure of Java, and of Maven where jars are to be fetched."""
    missing = []
    if java_version() < JAVA_VERSION_MIN:
        missing.append("default-jre-headless")
    if with_maven and not shutil.which("mvn"):
        missing.append("maven")
    if not missing:
        return
    needed = f"the broker needs Java {JAVA_VERSION_MIN} or newer, and Maven once to fetch it"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise ServiceError(f"{needed}: install them (on Debian: apt-get install {' '.join(missing)})")
    tool(["apt-get", "update", "-q"], "the list of packages cannot be fetched")
    tool(["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing], f"{' and '.join(missing)} cannot be installed")
    if java_version() < JAVA_VERSION_MIN:
        raise ServiceError(f"{needed}, but this system's default is Java {java_version()}")


def kafka_jars() -> Path:
    """The folder with the broker's jars."""
    jars = CACHE / "kafka" / KAFKA_VERSION
    with locked("kafka"):
        need_java(with_maven=not jars.is_dir())
        if not jars.is_dir():
            with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
                Path(scratch, "pom.xml").write_text(POM, encoding="utf-8")
                fetched = Path(scratch, "jars")
                command = ["mvn", "-q", "-B", "-f", f"{scratch}/pom.xml", "dependency:copy-dependencies"]
                tool([*command, f"-DoutputDirectory={fetched}"], "Maven cannot fetch Kafka")
                jars.parent.mkdir(exist_ok=True)
                fetched.rename(jars)
    return jars


def engine_python() -> Path:
    """The Python that has the ClickHouse engine."""
    venv = CACHE / "clickhouse" / CHDB_CORE_VERSION
    python = venv / "bin" / "python"
    done = venv / "installed"
    with locked("clickhouse"):
        if not done.exists():
            shutil.rmtree(venv, ignore_errors=True)
            tool([sys.executable, "-m", "venv", venv], "a virtual environment cannot be made")
            # What it depends on (pandas, pyarrow) is for data frames, which nobody here asks for.
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            tool([*install, f"chdb-core=={CHDB_CORE_VERSION}"], "pip cannot fetch the ClickHouse engine")
            done.touch()
    return python


# ---- processes ----

END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Signals to end come after the block: a process that is just being started has to be known before it can be ended."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread is interrupted by signals.
        yield
        return
    held: list[int] = []
    handlers = {number: signal.signal(number, lambda number, _: held.append(number)) for number in END_SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if held:
            signal.raise_signal(held[0])


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    found: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise ServiceError("no port is free")


def wait_until(is_met: Callable[[], bool], what: str, seconds: float = START_TIMEOUT_SECONDS) -> None:
    """Asks until it is so."""
    deadline = time.monotonic() + seconds
    while not is_met():
        if time.monotonic() > deadline:
            raise ServiceError(f"{what}: not within {seconds:g} s")
        time.sleep(POLL_SECONDS)


def last_lines(text: str) -> str:
    return "\n".join(text.splitlines()[-LOG_LINES_SHOWN:])


class Process:
    """A process of a service, with its log in a file. It can be started again after it has ended."""

    def __init__(self, name: str, command: Sequence[str | Path], log: Path) -> None:
        self.name = name
        self.command = [str(word) for word in command]
        self.log = log
        self.child: subprocess.Popen[bytes] | None = None
        self.is_paused = False

    @property
    def is_running(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def start(self) -> None:
        """Starts it, in a session of its own: an interrupt from the terminal is for whoever runs the services."""
        with open(self.log, "ab") as log, signals_held():
            self.child = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
            KEEPER.watch(self.child.pid)
        self.is_paused = False

    def wait_ready(self, is_ready: Callable[[], bool]) -> None:
        """Waits until it answers; when it has ended instead, its log says why."""

        def is_settled() -> bool:
            return not self.is_running or is_ready()

        try:
            wait_until(is_settled, f"{self.name} is not ready")
        except ServiceError as error:
            raise ServiceError(f"{error}\n{self.told()}") from error
        if not self.is_running:
            raise ServiceError(f"{self.name} has ended\n{self.told()}")

    def told(self) -> str:
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        return f"--- {self.log}, the last lines\n{last_lines(text)}"

    def pause(self) -> None:
        """Stops it in the middle of whatever it does."""
        self.send(signal.SIGSTOP)
        self.is_paused = True

    def resume(self) -> None:
        self.send(signal.SIGCONT)
        self.is_paused = False

    def kill(self) -> None:
        """Ends it as a crash does."""
        self.send(signal.SIGKILL)
        self.reap()

    def stop(self) -> None:
        """Ends it in order; as a crash does when it takes too long."""
        if self.is_paused:
            self.resume()
        self.send(signal.SIGTERM)
        if self.child:
            try:
                self.child.wait(STOP_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                self.send(signal.SIGKILL)
        self.reap()

    def send(self, number: signal.Signals) -> None:
        if self.child and self.is_running:
            self.child.send_signal(number)

    def reap(self) -> None:
        if self.child:
            self.child.wait()
            if self.child.stdin:
                self.child.stdin.close()
            KEEPER.forget(self.child.pid)
            self.child = None


class Keeper:
    """A small process that kills the services when this one is killed and cannot do it itself."""

    CODE = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pids = set()\n"
        "for line in sys.stdin:\n"
        "    (pids.add if line[0] == '+' else pids.discard)(int(line[1:]))\n"
        "for pid in pids:\n"
        "    try: os.kill(pid, signal.SIGKILL)\n"
        "    except OSError: pass\n"
    )

    def __init__(self) -> None:
        self.child: subprocess.Popen[str] | None = None

    def watch(self, pid: int) -> None:
        self.tell(f"+{pid}\n")

    def forget(self, pid: int) -> None:
        self.tell(f"-{pid}\n")

    def tell(self, line: str) -> None:
        if self.child is None:
            command = [sys.executable, "-c", self.CODE]
            self.child = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True)
        if self.child.stdin:
            self.child.stdin.write(line)
            self.child.stdin.flush()


KEEPER = Keeper()


# ---- Kafka ----


class KafkaCluster:
    """Brokers in KRaft mode, each its own controller. Nodes are numbered from 1."""

    def __init__(self, nodes: int, folder: Path, settings: dict[str, str] | None = None) -> None:
        self.jars = kafka_jars()
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        ports = free_ports(2 * nodes)
        self.ports, controller_ports = ports[:nodes], ports[nodes:]
        self.brokers = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        self.nodes: dict[int, Process] = {}
        voters = ",".join(f"{number}@127.0.0.1:{port}" for number, port in enumerate(controller_ports, 1))
        copies = min(nodes, 3)
        for number in range(1, nodes + 1):
            port, controller_port = self.ports[number - 1], controller_ports[number - 1]
            properties = {
                "process.roles": "broker,controller",
                "node.id": str(number),
                "controller.quorum.voters": voters,
                "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
                "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
                "controller.listener.names": "CONTROLLER",
                "inter.broker.listener.name": "PLAINTEXT",
                "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                "log.dirs": str(folder / f"node-{number}"),
                "default.replication.factor": str(copies),
                "min.insync.replicas": str(min(copies, 2)),
                "offsets.topic.replication.factor": str(copies),
                "transaction.state.log.replication.factor": str(copies),
                "transaction.state.log.min.isr": str(min(copies, 2)),
                "offsets.topic.num.partitions": "4",
                "transaction.state.log.num.partitions": "4",
                "share.coordinator.state.topic.replication.factor": str(copies),
                "share.coordinator.state.topic.min.isr": str(min(copies, 2)),
                "group.initial.rebalance.delay.ms": "0",
                # A mistyped topic must be an error in the tests as it is in production.
                "auto.create.topics.enable": "false",
                **(settings or {}),
            }
            path = folder / f"node-{number}.properties"
            path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()), encoding="utf-8")
            heap = ["-Xmx512m"] if nodes == 1 else ["-Xmx384m"]
            # Short-lived processes on few cores: less compiling and a simple collector use less of both.
            options = [*heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
            self.nodes[number] = Process(
                f"Kafka node {number}", self.java(options, "kafka.Kafka", path), folder / f"node-{number}.log"
            )

    def java(self, options: Sequence[str], class_name: str, *arguments: str | Path) -> list[str | Path]:
        """The command that runs a class of the broker's jars."""
        return ["java", *options, "-cp", f"{self.jars}/*", class_name, *arguments]

    def tool(self, class_name: str, *arguments: str | Path, seconds: float = 120) -> str:
        """Runs one of the broker's own command-line classes; what it printed."""
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
        try:
            done = subprocess.run(
                self.java(options, class_name, *arguments), capture_output=True, text=True, check=True, timeout=seconds,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.CalledProcessError as error:
            raise ServiceError(f"{class_name}: {last_lines(error.stdout + error.stderr)}") from error
        except subprocess.TimeoutExpired as error:
            raise ServiceError(f"{class_name}: not done within {seconds:g} s") from error
        return done.stdout

    def start(self) -> None:
        """Starts all nodes and waits until they know each other."""
        self.launch()
        self.wait_ready()

    def launch(self) -> None:
        """Starts all nodes on empty folders."""
        # What `StorageTool random-uuid` would print; its words must not begin with a hyphen.
        cluster_id = base64.urlsafe_b64encode(b"\0" + uuid.uuid4().bytes[1:]).decode().rstrip("=")
        with concurrent.futures.ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(lambda number: self.format(cluster_id, number), self.nodes))
        for node in self.nodes.values():
            node.start()

    def format(self, cluster_id: str, number: int) -> None:
        """Prepares the folder of a node."""
        properties = self.folder / f"node-{number}.properties"
        self.tool("kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", properties)

    def wait_ready(self) -> None:
        """Waits until every running node tells of all running nodes and of a controller."""
        running = {number for number, node in self.nodes.items() if node.is_running and not node.is_paused}
        for number in self.nodes:
            if number in running:
                port = self.ports[number - 1]
                self.nodes[number].wait_ready(lambda port=port: running <= registered_nodes(port))

    def kill(self, number: int) -> None:
        """Ends a node as a crash does."""
        self.nodes[number].kill()

    def restart(self, number: int) -> None:
        """Starts a node again on its data and ports, and waits until it is one of the cluster."""
        if not self.nodes[number].is_running:
            self.nodes[number].start()
        self.wait_ready()

    def pause(self, *numbers: int) -> None:
        """Holds nodes, all of them when none is named: their connections stay, nothing answers."""
        for number in numbers or self.nodes:
            self.nodes[number].pause()

    def resume(self, *numbers: int) -> None:
        for number in numbers or self.nodes:
            self.nodes[number].resume()

    def create_topics(self, topics: dict[str, tuple[int, dict[str, str]]]) -> None:
        """Makes topics, given by their partitions and settings."""
        with concurrent.futures.ThreadPoolExecutor(len(topics)) as pool:
            list(pool.map(lambda topic: self.create_topic(topic[0], *topic[1]), topics.items()))

    def create_topic(self, name: str, partitions: int, settings: dict[str, str] | None = None) -> None:
        """Makes a topic."""
        configured = [word for key, value in (settings or {}).items() for word in ("--config", f"{key}={value}")]
        self.tool(
            "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", self.brokers, "--create", "--topic", name,
            "--partitions", str(partitions), *configured,
        )

    def stop(self) -> None:
        """Ends all nodes. One that cannot hand over to another would wait for it, so none is asked twice."""
        for node in self.nodes.values():
            if node.is_paused:
                node.resume()
            node.send(signal.SIGTERM)
        for node in self.nodes.values():
            node.stop()


def registered_nodes(port: int) -> set[int]:
    """The nodes that the broker at this port tells of; none while it or its controller is not up."""
    # A request of the Kafka protocol: Metadata (key 3), version 1, for no topic.
    request = struct.pack(">hhih", 3, 1, 1, -1) + struct.pack(">i", 0)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(struct.pack(">i", len(request)) + request)
            (size,) = struct.unpack(">i", received(connection, 4))
            answer = received(connection, size)
    except (OSError, EOFError):
        return set()
    nodes = set()
    (count,) = struct.unpack_from(">i", answer, 4)
    at = 8
    for _ in range(count):
        node, host_length = struct.unpack_from(">ih", answer, at)
        at += 6 + host_length + 4
        (rack_length,) = struct.unpack_from(">h", answer, at)
        at += 2 + max(rack_length, 0)
        nodes.add(node)
    (controller,) = struct.unpack_from(">i", answer, at)
    return nodes if controller >= 0 else set()


def received(connection: socket.socket, size: int) -> bytes:
    """So many bytes."""
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


# ---- ClickHouse ----


class ClickHouseFront:
    """The ClickHouse engine behind HTTP (`clickhouse_front.py`), on a folder and a port that outlive its processes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}"
        command = [
            engine_python(), TESTS / "clickhouse_front.py", "--port", str(self.port), "--data", folder / "data",
        ]
        self.process = Process("the ClickHouse engine", command, folder / "clickhouse.log")

    def start(self) -> None:
        """Starts it and waits until it answers."""
        self.launch()
        self.wait_ready()

    def launch(self) -> None:
        self.process.start()

    def wait_ready(self) -> None:
        self.process.wait_ready(self.is_ready)

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/ping", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def kill(self) -> None:
        """Ends it as a crash does."""
        self.process.kill()

    def restart(self) -> None:
        """Starts it again on its data."""
        if self.process.is_running:
            self.process.stop()
        self.start()

    def pause(self) -> None:
        self.process.pause()

    def resume(self) -> None:
        self.process.resume()

    def stop(self) -> None:
        self.process.stop()

    def post(self, path: str, body: bytes = b"", seconds: float = 60) -> bytes:
        """Posts to it; an answer that is not 200 is a `urllib.error.HTTPError`."""
        request = urllib.request.Request(self.url + path, data=body, method="POST")
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return answer.read()

    def sql(self, statement: str, seconds: float = 60) -> str:
        """The answer to a statement, tabs between the columns."""
        return self.post("/", statement.encode(), seconds).decode()

    def fault(self, **parameters: str | int | float) -> None:
        """Orders a fault, as `clickhouse_front.py` describes them."""
        self.post("/__fault?" + urllib.parse.urlencode(parameters))

    def faults(self) -> list[dict[str, object]]:
        """The faults that are still to happen."""
        with urllib.request.urlopen(f"{self.url}/__fault", timeout=60) as answer:
            return json.loads(answer.read())

    def clear_faults(self) -> None:
        """Takes back the faults that have not happened yet."""
        request = urllib.request.Request(f"{self.url}/__fault", method="DELETE")
        urllib.request.urlopen(request, timeout=60).close()


# ---- the command ----


class Told(Exception):
    """A signal told the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def end_on_signals() -> None:
    """From now on a signal to end is an exception, so that everything that was started is stopped."""

    def tell(number: int, _: FrameType | None) -> None:
        # The stopping itself is not to be interrupted.
        for other in END_SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        raise Told(number)

    for number in END_SIGNALS:
        signal.signal(number, tell)


@contextlib.contextmanager
def services(kafka_nodes: int, keep: bool = False) -> Iterator[tuple[dict[str, str], KafkaCluster | None]]:
    """Runs what is not set already; the variables that lead to the services."""
    folder = Path(tempfile.mkdtemp(prefix="assay-services-"))
    variables = {name: os.environ[name] for name in ("KAFKA_BROKERS", "CLICKHOUSE_URL") if os.environ.get(name)}
    front: ClickHouseFront | None = None
    cluster: KafkaCluster | None = None
    is_kept = keep
    with contextlib.ExitStack() as stack:
        try:
            if "CLICKHOUSE_URL" not in variables:
                front = ClickHouseFront(folder / "clickhouse")
                stack.callback(front.stop)
                front.launch()
                variables["CLICKHOUSE_URL"] = front.url
            if "KAFKA_BROKERS" not in variables:
                cluster = KafkaCluster(kafka_nodes, folder / "kafka")
                stack.callback(cluster.stop)
                cluster.launch()
                variables["KAFKA_BROKERS"] = cluster.brokers
            # Started side by side, waited for afterwards.
            if front:
                front.wait_ready()
            if cluster:
                cluster.wait_ready()
            yield variables, cluster
        except ServiceError:
            is_kept = True
            raise
        finally:
            stack.close()
            if is_kept:
                print(f"the services' files and logs: {folder}", file=sys.stderr)
            else:
                shutil.rmtree(folder, ignore_errors=True)


def run(arguments: argparse.Namespace) -> int:
    """Runs a command between start and stop of the services; its exit code."""
    # On a terminal the command stays in the group that Ctrl-C reaches; elsewhere it gets one, to be ended with its children.
    group = None if sys.stdin.isatty() else 0
    with services(arguments.kafka_nodes, arguments.keep) as (variables, _):
        child: subprocess.Popen[bytes] | None = None

        def send(number: signal.Signals) -> None:
            with contextlib.suppress(ProcessLookupError):
                if group is None:
                    child.send_signal(number)
                else:
                    os.killpg(child.pid, number)

        try:
            with signals_held():
                child = subprocess.Popen(arguments.command, env={**os.environ, **variables}, process_group=group)
            code = child.wait()
        except OSError as error:
            raise ServiceError(f"{arguments.command[0]} cannot be run: {error.strerror}") from error
        except BaseException:
            if child:
                send(signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(STOP_TIMEOUT_SECONDS)
                send(signal.SIGKILL)
                child.wait()
            raise
    # A shell says it in this way of a command that a signal has ended.
    return 128 - code if code < 0 else code


def up(arguments: argparse.Namespace) -> int:
    """Runs the services until a signal."""
    with services(arguments.kafka_nodes, arguments.keep) as (variables, cluster):
        for topic in arguments.topic or TOPICS_OF_UP:
            name, _, partitions = topic.partition(":")
            if cluster:
                cluster.create_topic(name, int(partitions or 1))
        for name, value in variables.items():
            print(f"export {name}={value}")
        print(f"export ASSAY_KAFKA__BROKERS={variables['KAFKA_BROKERS']}")
        print(f"export ASSAY_CLICKHOUSE__URL={variables['CLICKHOUSE_URL']}")
        print("export ASSAY_CLICKHOUSE__COMPRESSION=false")
        print("# The services run. Set these in another terminal; Ctrl-C here ends them.", flush=True)
        try:
            while True:
                signal.pause()
        except Told:
            return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs Kafka and the ClickHouse engine for tests.")
    commands = parser.add_subparsers(dest="what", required=True)
    for name, action in (("run", run), ("up", up)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--kafka-nodes", type=int, choices=(1, 3), default=1)
        command.add_argument("--keep", action="store_true", help="keep the files and logs of the services")
        if name == "run":
            command.add_argument("command", nargs="+", metavar="COMMAND")
        else:
            command.add_argument("--topic", action="append", metavar="NAME:PARTITIONS", help="a topic to make")
    arguments = parser.parse_args()
    end_on_signals()
    try:
        return arguments.action(arguments)
    except ServiceError as error:
        print(f"services.py: {error}", file=sys.stderr)
        return 1
    except Told as told:
        return 128 + told.number


if __name__ == "__main__":
    sys.exit(main())
