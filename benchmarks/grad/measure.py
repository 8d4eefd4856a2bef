"""One case, by all contenders by turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

import jujunp

from .cases import Case
from .contenders import CONTENDERS, arrays_of, forward

SECONDS = 1.0
"""How long contenders are called by turns; the median counts."""
CLOSE = 1e-9
"""How far results may be from each other, as a part of the largest element."""


class Row(NamedTuple):
    """What was measured of a case, in seconds."""

    hot: dict[str, float]
    """Of a call, by contender."""
    forward: float
    """Of the function itself, by jujunp."""
    first: float
    """Of the first call in this process of what is derived, by jujunp."""
    second: float
    """Of the one after that."""


def measure(name: str, case: Case) -> Row:
    """Measure a case; RuntimeError where results differ."""
    with jax.enable_x64(True):
        ways = {contender: maker(case) for contender, maker in CONTENDERS.items()}
        itself = forward(case)
        itself()
        first, second = (seconds_of(ways["jujunp"]) for _ in range(2))
        warm = time.perf_counter()
        while time.perf_counter() - warm < SECONDS:
            ways["jujunp"]()
            itself()
        jujunp.wait_for_compiles()
        _compare(name, {contender: arrays_of(way()) for contender, way in ways.items()})
        *hot, forward_hot = _by_turns([*ways.values(), itself])
    return Row(dict(zip(ways, hot, strict=True)), forward_hot, first, second)


def _by_turns(calls: list[Callable[[], Any]]) -> list[float]:
    """Return the seconds of each call: the median."""
    times: list[list[float]] = [[] for _ in calls]
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS or len(times[0]) < 3:
        for call, seconds in zip(calls, times, strict=True):
            seconds.append(seconds_of(call))
    return list(map(statistics.median, times))


def _compare(name: str, results: dict[str, list[np.ndarray]]) -> None:
    ours = results["jujunp"]
    for contender, theirs in results.items():
        for x, y in zip(ours, theirs, strict=True):
            if x.dtype != y.dtype or np.abs(x - y).max() > CLOSE * np.abs(y).max():
                raise RuntimeError(f"{name}: jujunp and {contender} differ")


def seconds_of(call: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
