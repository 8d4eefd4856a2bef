"""Hot groups against NumPy and `jax.jit`: `python -m benchmarks.loops [WORDS]`.

Each function is the same text in all namespaces. NumPy, `jax.jit` and jujunp are called by turns in
one process, when the loops of jujunp are compiled (`hot`); `first` is jujunp's second call, before
anything is. A ratio says how many times as long jujunp takes; results are compared with NumPy's.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

import jujunp
from benchmarks.machine import shown
from benchmarks.ratios import aligned, cell, mean
from jujunp.lazy.run.machine import set_fusing

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
SECONDS = 1.0
"""How long the three are called by turns; the median counts."""
PATIENCE = 0.02
"""Seconds that a group may cost here before its loop is compiled."""


def _chain(xp: Any, a: Any, b: Any) -> Any:
    for _ in range(4):
        a = (a * b + 0.5) * 0.25 - b
    return a


def _long_chain(xp: Any, a: Any, b: Any) -> Any:
    for k in range(25):
        a = xp.where(a > b, a * 0.5, a + b) - 0.01 * k
    return a


def _black_scholes(xp: Any, spot: Any, strike: Any) -> Any:
    root = 0.3 * xp.sqrt(0.5 + spot)
    d = xp.log((spot + 1) / (strike + 1)) / root
    cdf = 0.5 * (1 + xp.tanh(0.7978845608 * (d + 0.044715 * d**3)))
    return spot * cdf - strike * xp.exp(-0.02 * spot) * (1 - cdf)


def _haversine(xp: Any, a: Any, b: Any) -> Any:
    square = xp.sin((a - b) / 2) ** 2 + xp.cos(a) * xp.cos(b) * xp.sin((b - 0.3) / 2) ** 2
    return 2 * 6371 * xp.arcsin(xp.sqrt(xp.minimum(square, 1.0)))


def _periodic(xp: Any, a: Any, b: Any) -> Any:
    distance = abs(a - b)
    distance = xp.where(distance > 0.5, 1 - distance, distance)
    return distance * distance


def _mandelbrot_step(xp: Any, a: Any, b: Any) -> Any:
    x, y = a, b
    for _ in range(3):
        x, y = x * x - y * y + a, 2 * x * y + b
    return x * x + y * y


def _stencil(xp: Any, a: Any, b: Any) -> Any:
    side = math.isqrt(len(a))
    x = a[: side * side].reshape(side, side)
    return 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])


def _rows(a: Any) -> Any:
    """Return the elements as rows of a hundred."""
    return a[: len(a) // 100 * 100].reshape(-1, 100)


def _softmax(xp: Any, a: Any, b: Any) -> Any:
    x = _rows(a)
    shifted = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return shifted / xp.sum(shifted, axis=1, keepdims=True)


def _layer_norm(xp: Any, a: Any, b: Any) -> Any:
    x = _rows(a)
    centred = x - xp.mean(x, axis=1, keepdims=True)
    return centred / xp.sqrt(xp.mean(centred * centred, axis=1, keepdims=True) + 1e-5)


def _root_mean_square(xp: Any, a: Any, b: Any) -> Any:
    x = _rows(a)
    return x / xp.sqrt(xp.mean(x * x, axis=1, keepdims=True) + 1e-5)


def _logistic_loss(xp: Any, a: Any, b: Any) -> Any:
    return xp.mean(xp.log1p(xp.exp(-(2 * b - 1) * (3 * a - 1))))


def _n_body(xp: Any, a: Any, b: Any) -> Any:
    count = math.isqrt(len(a))
    x, y = a[:count], b[:count]
    dx, dy = x - x[:, None], y - y[:, None]
    pull = (dx * dx + dy * dy + 0.01) ** -1.5
    return xp.sum(dx * pull, axis=1) + xp.sum(dy * pull, axis=1)


def _lab(xp: Any, a: Any, b: Any) -> Any:
    def linear(c: Any) -> Any:
        return xp.where(c > 0.04045, xp.exp(2.4 * xp.log((c + 0.055) / 1.055)), c / 12.92)

    def root(t: Any) -> Any:
        return xp.where(t > 0.008856, xp.cbrt(t), 7.787 * t + 0.13793)

    red, green, blue = linear(a), linear(b), linear(a * b)
    x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
    y = root(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
    return (116 * y - 16) + 500 * (x - y) + 200 * (y - z)


def _state_equation(xp: Any, a: Any, b: Any) -> Any:
    """A quotient of polynomials in temperature, salt and pressure, some 300 steps of it."""
    heat, salt, depth = 30 * a, 35 * b, 50 * (a + b)
    root = xp.sqrt(salt)
    above = below = 1.0
    for k in range(1, 12):
        term = heat * (0.1 / k) + salt * (0.02 * k) - depth * 1e-4 * k
        above = above + term * (k + root * heat * 1e-3) * 1e-2
        below = below + term * term * (1e-5 * k) + root * (1e-3 / k) * heat
        above = above - below * 1e-3 * (depth * 1e-4 + salt * heat * 1e-5 + k)
    return above / below


def _ocean(xp: Any, a: Any, b: Any) -> Any:
    """Finite differences on slices of two fields."""
    side = math.isqrt(len(a))
    u, v = (x[: side * side].reshape(side, side) for x in (a, b))
    total = 0.0
    for k in range(4):
        east = u[1:-1, 2:] - u[1:-1, 1:-1] * (1 + 0.1 * k)
        north = v[2:, 1:-1] - v[1:-1, 1:-1]
        flux = 0.5 * (u[1:-1, 1:-1] + u[1:-1, :-2]) * east + v[:-2, 1:-1] * north
        limited = xp.where(abs(east) > abs(north), east, north) * xp.maximum(flux, 0)
        total = total + limited / (1 + east * east + north * north) - 0.1 * flux
    return total


CASES: dict[str, Callable[..., Any]] = {
    "chain of 12": _chain,
    "chain of 100": _long_chain,
    "Black-Scholes": _black_scholes,
    "haversine": _haversine,
    "periodic distance": _periodic,
    "Mandelbrot step": _mandelbrot_step,
    "stencil": _stencil,
    "softmax of rows": _softmax,
    "layer norm": _layer_norm,
    "root mean square": _root_mean_square,
    "logistic loss": _logistic_loss,
    "n-body": _n_body,
    "RGB to Lab": _lab,
    "equation of state": _state_equation,
    "ocean": _ocean,
}


@jax.enable_x64(True)
def measure(function: Callable[..., Any], size: int) -> dict[str, float]:
    """Return jujunp's time over others', by name; RuntimeError where its result is not NumPy's."""
    generator = np.random.default_rng(size)
    a, b = generator.random(size), generator.random(size)
    ours, theirs = (
        (jujunp.asarray(a), jujunp.asarray(b)),
        (jax.numpy.asarray(a), jax.numpy.asarray(b)),
    )
    compiled = jax.jit(lambda a, b: function(jax.numpy, a, b))

    def lazy() -> Any:
        result = function(jujunp, *ours)
        jujunp.flush()
        return result

    ways: dict[str, Callable[[], Any]] = {
        "jujunp": lazy,
        "numpy": lambda: function(np, a, b),
        "jit": lambda: compiled(*theirs).block_until_ready(),
    }
    for way in ways.values():
        way()
    first = seconds_of(ways["jujunp"])
    base = min(seconds_of(ways["numpy"]) for _ in range(2))
    warm = time.perf_counter()
    while time.perf_counter() - warm < SECONDS:
        lazy()
    jujunp.wait_for_compiles()
    times: dict[str, list[float]] = {name: [] for name in ways}
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS or len(times["jit"]) < 3:
        for name, way in ways.items():
            times[name].append(seconds_of(way))
    if not np.allclose(np.asarray(lazy()), function(np, a, b), rtol=1e-12, equal_nan=True):
        raise RuntimeError("the result is not NumPy's")
    hot = {name: statistics.median(found) for name, found in times.items()}
    return {
        "first / NumPy": first / base,
        "hot / NumPy": hot["jujunp"] / hot["numpy"],
        "hot / jax.jit": hot["jujunp"] / hot["jit"],
    }


def seconds_of(call: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of all cases and sizes, with geometric means."""
    parser = argparse.ArgumentParser(prog="benchmarks.loops", description=__doc__)
    parser.add_argument("words", nargs="*", help="measure the cases whose names hold one of these")
    parser.add_argument("--size", type=int, help="elements (all sizes)")
    options = parser.parse_args(arguments)
    sizes = [options.size] if options.size else SIZES
    words = options.words or [""]
    print(shown())
    rows: dict[str, dict[str, float]] = {}
    with jujunp.compile_policy("never"):  # no graphs
        set_fusing(PATIENCE, PATIENCE)
        for name, function in CASES.items():
            if any(word in name for word in words):
                for size in sizes:
                    rows[f"{name}, {size:,}"] = measure(function, size)
    columns = list(next(iter(rows.values()))) if rows else []
    table = [["", *columns]]
    table += [[name, *(cell(found[column]) for column in columns)] for name, found in rows.items()]
    means = [mean(found[column] for found in rows.values()) for column in columns]
    print(aligned([*table, ["geometric mean", *map(cell, means)]]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
