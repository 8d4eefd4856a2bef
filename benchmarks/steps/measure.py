"""The times of a case: NumPy and jujunp take turns."""

from __future__ import annotations

import statistics
import time
from typing import Any, NamedTuple

import numpy

import jujunp
from benchmarks.steps.case import Case
from benchmarks.steps.operands import SIZES
from benchmarks.steps.ways import facts, prepared

CALLS = 1000
"""The calls of a round, of those that take no longer than `LONGEST` seconds together."""
LONGEST = 0.05
LEAST = 5
KEPT_BYTES = 1 << 27
"""What the results of a round may take, which are all kept in bulk."""
_FIRST_CALLS = 10


class Times(NamedTuple):
    """Seconds of a call by each library, and their ratio: each the median of the rounds."""

    jujunp: float
    numpy: float
    ratio: float


def measure(case: Case, way: str, size: int, rounds: int) -> Times:
    """Return the times of a case; raises what either library raises."""
    with numpy.errstate(all="ignore"):
        count = _calls(case, way, size)
        pairs = [
            (_seconds(case, way, jujunp, size, count), _seconds(case, way, numpy, size, count))
            for _ in range(rounds)
        ]
    ours, theirs = zip(*pairs, strict=True)
    ratio = statistics.median(a / b for a, b in pairs)
    return Times(statistics.median(ours), statistics.median(theirs), ratio)


def _seconds(case: Case, way: str, namespace: Any, size: int, count: int) -> float:
    """Return the seconds of a call."""
    run = prepared(case, way, namespace, count, size, SIZES[size])
    start = time.perf_counter()
    results = run()
    end = time.perf_counter()
    del results  # now, when nobody measures
    return (end - start) / count


def _calls(case: Case, way: str, size: int) -> int:
    """Return how many calls a round has; what is done once in a process is done here."""
    for namespace in (numpy, jujunp):
        _seconds(case, way, namespace, size, _FIRST_CALLS)
    slowest = max(_seconds(case, way, each, size, _FIRST_CALLS) for each in (numpy, jujunp))
    fitting = KEPT_BYTES // max(facts(case, size, SIZES[size]).nbytes, 1)
    return max(LEAST, min(CALLS, fitting, int(LONGEST / slowest)))
