"""One case of one size, by all contenders by turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import jujunp

from .contenders import CONTENDERS

SECONDS = 1.0
"""How long contenders are called by turns; the median counts."""
EXACT, CLOSE = 1e-12, 1e-9
"""How far jujunp's results may be from NumPy's, and those of others, whose functions differ."""
CALLS = 10
"""Of jujunp's first calls the first and the last of so many count, when nothing is compiled."""


def measure(case: str, size: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return ratios by column, and the seconds of hot calls by contender.

    RuntimeError where a result is not NumPy's.
    """
    generator = np.random.default_rng(size)
    a, b = generator.random(size), generator.random(size)
    with jax.enable_x64(True):
        made = {name: maker(case, a, b) for name, maker in CONTENDERS.items()}
        ways = {name: call for name, call in made.items() if call is not None}
        return _measured(ways)


def _measured(ways: dict[str, Callable[[], Any]]) -> tuple[dict[str, float], dict[str, float]]:
    ways["NumPy"]()
    base = min(seconds_of(ways["NumPy"]) for _ in range(2))
    early = [seconds_of(ways["jujunp"]) for _ in range(CALLS)]
    warm = time.perf_counter()
    while time.perf_counter() - warm < SECONDS:
        ways["jujunp"]()
    jujunp.wait_for_compiles()
    wanted = ways["NumPy"]()
    for name, call in ways.items():
        rtol = EXACT if name == "jujunp" else CLOSE
        if not np.allclose(np.asarray(call()), wanted, rtol=rtol, equal_nan=True):
            raise RuntimeError(f"the result of {name} is not NumPy's")
    times: dict[str, list[float]] = {name: [] for name in ways}
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS or len(times["NumPy"]) < 3:
        for name, way in ways.items():
            times[name].append(seconds_of(way))
    hot = {name: statistics.median(found) for name, found in times.items()}
    ratios = {"first / NumPy": early[0] / base, "tenth / NumPy": early[-1] / base}
    ratios |= {f"hot / {name}": hot["jujunp"] / hot[name] for name in hot if name != "jujunp"}
    return ratios, hot


def seconds_of(call: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
