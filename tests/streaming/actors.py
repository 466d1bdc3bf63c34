"""The processes of the program under test: started, killed, held and started again."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from services import Process

# What the program says when a new process has to take over, and when no broker answers while it starts.
RESTART_CODES = {74, 75}
# After this the program is stuck, whatever it has been told of draining.
STOP_TIMEOUT_SECONDS = 60
RESTART_WAIT_SECONDS = 1.0


@dataclass
class Program:
    """How the program is called."""

    path: Path
    environment: dict[str, str]

    def command(self, *arguments: str) -> list[str]:
        return [str(self.path), *arguments]

    def run(self, *arguments: str, seconds: float = 600) -> subprocess.CompletedProcess[bytes]:
        """Runs a command to its end."""
        return subprocess.run(
            self.command(*arguments), env={**os.environ, **self.environment}, capture_output=True, timeout=seconds,
            stdin=subprocess.DEVNULL,
        )


class Actor(Process):
    """One process of the program that is to run until it is told otherwise."""

    def __init__(self, name: str, program: Program, arguments: Sequence[str], folder: Path) -> None:
        # `env` gives the program its environment; the process itself is replaced, so that signals reach the program.
        environment = [f"{key}={value}" for key, value in program.environment.items()]
        super().__init__(name, ["env", *environment, *program.command(*arguments)], folder / f"{name}.log")
        self.kind = arguments[0]
        self.is_wanted = True
        self.restart_at: float | None = None
        self.is_busy = False

    def leave(self, findings: list[str], is_wanted: bool = False) -> float:
        """Tells it to end and waits; the seconds it took. It must end in order."""
        self.is_wanted = is_wanted
        began = time.monotonic()
        if self.child is None:
            return 0.0
        if self.is_paused:
            self.resume()
        self.child.terminate()
        try:
            code = self.child.wait(STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            findings.append(f"{self.name} did not end within {STOP_TIMEOUT_SECONDS} s after SIGTERM")
            self.child.kill()
            code = None
        self.reap()
        if code not in (0, None) and code not in RESTART_CODES:
            findings.append(f"{self.name} ended with code {code} after SIGTERM\n{self.told()}")
        return time.monotonic() - began

    def look_after(self, findings: list[str], notes: list[str]) -> None:
        """Starts it again when it has ended by itself, as whoever runs it in production would."""
        if not self.is_wanted or self.is_busy:
            return
        if self.child is not None and not self.is_running:
            code = self.child.returncode
            self.reap()
            notes.append(f"{self.name} ended by itself with code {code}")
            if code not in RESTART_CODES:
                findings.append(f"{self.name} ended by itself with code {code}\n{self.told()}")
            self.restart_at = time.monotonic() + RESTART_WAIT_SECONDS
        if self.child is None and time.monotonic() >= (self.restart_at or 0.0):
            self.restart_at = None
            self.start()
