"""Reputation and score as protocol section 6 has them, computed from the manifest alone."""

import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Iterable

from .manifest import Entry

HALF_LIFE_DAYS = 30
Z_95 = 1.959963984540054


@dataclass
class DayCount:
    """The distinct requests of an agent on a day."""

    passed: int = 0
    failed: int = 0


Counts = dict[str, dict[date, DayCount]]


def counts(entries: Iterable[Entry]) -> Counts:
    """What is counted for each agent and day: a request once, failed if it failed at all; nothing for test agents."""
    requests: dict[tuple[str, date, int], bool] = {}
    for entry in entries:
        if entry.is_receipt and entry.agent is not None and not entry.agent.startswith("test-"):
            place = (entry.agent, entry.day, entry.request)
            requests[place] = requests.get(place, False) or entry.outcome == "fail"
    found: Counts = defaultdict(lambda: defaultdict(DayCount))
    for (agent, day, _), has_failed in requests.items():
        if has_failed:
            found[agent][day].failed += 1
        else:
            found[agent][day].passed += 1
    return {agent: dict(days) for agent, days in found.items()}


@dataclass
class Estimate:
    """The three figures of a score."""

    share: float
    low: float
    high: float
    size: float


def estimate(days: dict[date, DayCount], today: date) -> Estimate:
    """The score of an agent at a day. A day after it has the age 0."""

    def weight(day: date) -> float:
        return math.pow(2.0, -max((today - day).days, 0) / HALF_LIFE_DAYS)

    total = sum(weight(day) * (count.passed + count.failed) for day, count in days.items())
    passed = sum(weight(day) * count.passed for day, count in days.items())
    squares = sum(weight(day) ** 2 * (count.passed + count.failed) for day, count in days.items())
    share = passed / total
    size = total**2 / squares * weight(max(days))
    # The Wilson interval.
    square = Z_95**2
    centre = (share + square / (2 * size)) / (1 + square / size)
    spread = Z_95 / (1 + square / size) * math.sqrt(share * (1 - share) / size + square / (4 * size**2))
    return Estimate(share, max(centre - spread, 0.0), min(centre + spread, 1.0), size)
