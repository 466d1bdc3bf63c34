"""Faults at random: each is a generator that does something, tells how long it waits, and puts it right again."""

import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import Callable, Iterator

from services import ClickHouseFront, KafkaCluster, registered_nodes

from .actors import Actor

# More at a time would leave nobody to recover.
FAULTS_AT_A_TIME = 2
TICK_SECONDS = 0.1

Fault = Iterator[float]


@dataclass
class Running:
    """A fault that is under way, and when it goes on."""

    name: str
    steps: Fault
    due: float
    began: float


class Injector:
    """Makes faults, puts them right, and looks after processes that end."""

    def __init__(
        self, rng: random.Random, cluster: KafkaCluster, front: ClickHouseFront, session_seconds: float,
        stream: Callable[[str | None], Actor], project: Callable[[], Actor],
    ) -> None:
        """`stream` and `project` make a further instance, the stream under a name or under none."""
        self.rng, self.cluster, self.front, self.session_seconds = rng, cluster, front, session_seconds
        self.make_stream, self.make_project = stream, project
        self.actors: list[Actor] = []
        self.busy_services: set[str] = set()
        self.running: list[Running] = []
        self.findings: list[str] = []
        self.notes: list[str] = []
        self.timeline: list[str] = []
        self.done: Counter[str] = Counter()
        self.slowest_stop: dict[str, float] = {}
        self.began = time.monotonic()
        self.kinds: dict[str, Callable[[], Fault | None]] = {
            "stream: kill -9": lambda: self.kill("stream"),
            "stream: SIGTERM": lambda: self.terminate("stream"),
            "stream: SIGSTOP past the session": lambda: self.hold("stream"),
            "stream: instance added and removed": lambda: self.extra("stream"),
            "stream: replaced while it stands still": self.replace,
            "project: kill -9": lambda: self.kill("project"),
            "project: SIGTERM": lambda: self.terminate("project"),
            "project: SIGSTOP": lambda: self.hold("project"),
            "project: instance added and removed": lambda: self.extra("project"),
            "broker: kill -9": self.kill_broker,
            "broker: SIGSTOP": self.hold_broker,
            "ClickHouse: kill -9": self.kill_store,
            "ClickHouse: SIGSTOP": self.hold_store,
            "ClickHouse: answers dropped": lambda: self.order_fault(kind="drop-response", count=2),
            "ClickHouse: answers cut": lambda: self.order_fault(kind="cut-response", count=2),
            "ClickHouse: connections reset": lambda: self.order_fault(kind="reset", count=3),
            "ClickHouse: error 242": lambda: self.order_fault(kind="error", code=242, count=3),
            "ClickHouse: error 252": lambda: self.order_fault(kind="error", code=252, count=2),
            "ClickHouse: stalled": lambda: self.order_fault(kind="stall", seconds=4),
        }

    # ---- the loop ----

    def tick(self) -> None:
        """Does what is due."""
        now = time.monotonic()
        for fault in [fault for fault in self.running if fault.due <= now]:
            wait = next(fault.steps, None)
            if wait is None:
                self.running.remove(fault)
                self.say(f"{fault.name}: over after {now - fault.began:.1f} s")
            else:
                fault.due = time.monotonic() + wait
        for actor in self.actors:
            actor.look_after(self.findings, self.notes)
        time.sleep(TICK_SECONDS)

    def has_room(self) -> bool:
        return len(self.running) < FAULTS_AT_A_TIME

    def inject(self, name: str) -> bool:
        """Begins a fault; false when it cannot be had just now."""
        steps = self.kinds[name]()
        if steps is None:
            return False
        self.say(name)
        self.done[name] += 1
        now = time.monotonic()
        self.running.append(Running(name, steps, now, now))
        return True

    def settle(self) -> None:
        """Lets what is under way come to its end."""
        while self.running:
            self.tick()

    def say(self, text: str) -> None:
        self.timeline.append(f"{time.monotonic() - self.began:7.1f} s  {text}")

    # ---- processes of the program ----

    def pick(self, kind: str) -> Actor | None:
        free = [actor for actor in self.actors if actor.kind == kind and actor.is_running and not actor.is_busy]
        return self.rng.choice(free) if free else None

    def kill(self, kind: str) -> Fault | None:
        actor = self.pick(kind)
        return self.killing(actor) if actor else None

    def killing(self, actor: Actor) -> Fault:
        actor.is_busy = True
        # In the middle of its work, not at the moment when new records come.
        yield self.rng.uniform(0.0, 1.0)
        actor.kill()
        yield self.rng.uniform(0.0, 3.0)
        actor.is_busy = False

    def terminate(self, kind: str) -> Fault | None:
        actor = self.pick(kind)
        return self.terminating(actor) if actor else None

    def terminating(self, actor: Actor) -> Fault:
        actor.is_busy = True
        yield self.rng.uniform(0.0, 1.0)
        self.end(actor, is_wanted=True)
        yield self.rng.uniform(0.0, 2.0)
        actor.is_busy = False

    def end(self, actor: Actor, is_wanted: bool) -> None:
        """Tells a process to end, and remembers how long the slowest took."""
        took = actor.leave(self.findings, is_wanted)
        self.slowest_stop[actor.kind] = max(took, self.slowest_stop.get(actor.kind, 0.0))

    def hold(self, kind: str) -> Fault | None:
        actor = self.pick(kind)
        return self.holding(actor) if actor else None

    def holding(self, actor: Actor) -> Fault:
        actor.is_busy = True
        yield self.rng.uniform(0.0, 1.0)
        actor.pause()
        yield self.session_seconds + self.rng.uniform(2.0, 5.0)
        actor.resume()
        actor.is_busy = False

    def extra(self, kind: str) -> Fault | None:
        if any(actor.kind == kind and actor.is_busy for actor in self.actors):
            return None
        return self.adding(self.make_stream(None) if kind == "stream" else self.make_project())

    def adding(self, actor: Actor) -> Fault:
        self.actors.append(actor)
        actor.start()
        actor.is_busy = True
        yield self.rng.uniform(4.0, 10.0)
        actor.is_busy = False
        if self.rng.random() < 0.5:
            self.end(actor, is_wanted=False)
        else:
            actor.is_wanted = False
            actor.kill()
        self.actors.remove(actor)

    def replace(self) -> Fault | None:
        named = [a for a in self.actors if a.kind == "stream" and a.is_running and not a.is_busy and "--instance" in a.command]
        return self.replacing(self.rng.choice(named)) if named else None

    def replacing(self, old: Actor) -> Fault:
        """A second process under the name of one that stands still: the old one must find that out and end."""
        old.is_busy, old.is_wanted = True, False
        yield self.rng.uniform(0.0, 1.0)
        old.pause()
        new = self.make_stream(old.command[old.command.index("--instance") + 1])
        new.start()
        self.actors.append(new)
        yield self.session_seconds + 3.0
        old.resume()
        deadline = time.monotonic() + 60
        # An idle one does not write, so it cannot find out; then it is told to end, and may not do harm by that either.
        while old.is_running and time.monotonic() < deadline:
            yield 0.2
        self.actors.remove(old)
        if old.is_running:
            self.notes.append(f"{old.name}, replaced while it stood still, ran on for 60 s")
            old.leave(self.findings)
        else:
            self.notes.append(f"{old.name}, replaced while it stood still, ended with code {old.child and old.child.returncode}")
            old.reap()

    # ---- services ----

    def hold_service(self, name: str) -> bool:
        if name in self.busy_services:
            return False
        self.busy_services.add(name)
        return True

    def kill_broker(self) -> Fault | None:
        return self.killing_broker() if self.hold_service("broker") else None

    def killing_broker(self) -> Fault:
        number = self.rng.choice(list(self.cluster.nodes))
        yield self.rng.uniform(0.0, 1.0)
        self.cluster.kill(number)
        yield self.rng.uniform(2.0, 8.0)
        self.cluster.nodes[number].start()
        yield from self.broker_back(number)

    def hold_broker(self) -> Fault | None:
        return self.holding_broker() if self.hold_service("broker") else None

    def holding_broker(self) -> Fault:
        number = self.rng.choice(list(self.cluster.nodes))
        yield self.rng.uniform(0.0, 1.0)
        self.cluster.pause(number)
        yield self.rng.uniform(5.0, 12.0)
        self.cluster.resume(number)
        yield from self.broker_back(number)

    def broker_back(self, number: int) -> Fault:
        everyone = set(self.cluster.nodes)
        deadline = time.monotonic() + 120
        while not all(registered_nodes(port) == everyone for port in self.cluster.ports):
            if time.monotonic() > deadline:
                self.findings.append(f"Kafka node {number} did not come back\n{self.cluster.nodes[number].told()}")
                break
            yield 0.5
        # The replicas catch up before the next node may go.
        yield 3.0
        self.busy_services.discard("broker")

    def kill_store(self) -> Fault | None:
        return self.killing_store() if self.hold_service("store") else None

    def killing_store(self) -> Fault:
        yield self.rng.uniform(0.0, 1.5)
        self.front.kill()
        yield self.rng.uniform(1.0, 8.0)
        self.front.launch()
        yield from self.store_back()

    def hold_store(self) -> Fault | None:
        return self.holding_store() if self.hold_service("store") else None

    def holding_store(self) -> Fault:
        yield self.rng.uniform(0.0, 1.5)
        self.front.pause()
        yield self.rng.uniform(3.0, 10.0)
        self.front.resume()
        yield from self.store_back()

    def store_back(self) -> Fault:
        while not self.front.is_ready():
            yield 0.2
        self.busy_services.discard("store")

    def order_fault(self, **parameters: str | int | float) -> Fault | None:
        return self.ordering_fault(parameters) if self.hold_service("store") else None

    def ordering_fault(self, parameters: dict[str, str | int | float]) -> Fault:
        self.front.fault(**parameters)
        deadline = time.monotonic() + 20
        # Until it has happened; without work it never does.
        while self.front.faults() and time.monotonic() < deadline:
            yield 0.2
        if self.front.faults():
            self.notes.append(f"a fault did not happen, since nothing was stored meanwhile: {parameters}")
        self.front.clear_faults()
        self.busy_services.discard("store")
