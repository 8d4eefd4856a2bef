"""The immediate kernels one by one against NumPy: `python -m benchmarks.kernels [WORDS]`.

Each is called on a million elements (unless its name says otherwise) with one thread and with all,
by turns with NumPy, whose functions write to memory that is there (`out=`) where they can. Where
NumPy has a library of its own whose threads wait for work, busily, each side has a process of its
own. A ratio says how many times as long NumPy takes.
"""

from __future__ import annotations

import contextlib
import functools
import math
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

import jujunp
from jujunp._ufuncs.ufunc import UFUNCS
from jujunp.lazy.policy import policy
from jujunp.lazy.rules import template
from jujunp.lazy.rules.operand import constant
from jujunp.lazy.run import machine
from jujunp.lazy.run.flush import flush
from jujunp.lazy.values.dtypes import kernel_code

SIZE = 1_000_000
TURNS, TURN = 9, 0.03
"""How often the sides take turns, and for how many seconds: the fastest call of a turn counts."""
WAIT, LONG_TURN = 0.06, 0.25
"""Seconds before a turn of a process, in which OpenBLAS's threads of another cease to wait, and of
such a turn: it takes some time until both threads of a process have a core."""


class Kernel(NamedTuple):
    """A kernel, what it is measured against, and the least ratio promised for it, if any."""

    family: str
    name: str
    ours: Callable[[], Any]
    numpys: Callable[[], Any]
    least: float = 0.0


def fastest(call: Callable[[], Any], seconds: float) -> float:
    """Return the seconds of the fastest of the calls in this time."""
    call()
    best, now = math.inf, time.perf_counter()
    end = now + seconds
    while best == math.inf or now < end:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        best = min(best, now - start)
    return best


def computed(record: Callable[[], Any]) -> Callable[[], None]:
    """Return a function that records and computes."""

    def call() -> None:
        result = record()  # until the flush someone must want it
        flush()
        del result

    return call


@functools.cache
def _operands(dtype: str, low: float, high: float) -> tuple[list[np.ndarray], list[Any]]:
    """Return two arrays, and the same as jujunp's."""
    rng = np.random.default_rng(0)
    if dtype.startswith("int"):
        arrays = [rng.integers(1, 60, SIZE).astype(dtype) for _ in range(2)]
    else:
        arrays = [rng.uniform(low, high, SIZE).astype(dtype) for _ in range(2)]
    return arrays, [jujunp.asarray(x) for x in arrays]


_ABOVE_ONE = {"arccosh"}


def elementwise() -> list[Kernel]:
    """Return every ufunc for each of the dtypes of which it has a kernel of its own."""
    outputs: dict[np.dtype, np.ndarray] = {}
    found = []
    for name, function in UFUNCS.items():
        for dtype in ("float32", "float64", "int64"):
            low, high = (1.1, 9.0) if name in _ABOVE_ONE else (0.1, 0.9)
            arrays, ours = (part[: function.nin] for part in _operands(dtype, low, high))
            result = _result(function.numpy, arrays)
            if result is None or (dtype == "int64" and result.kind == "f"):
                continue
            out = outputs.setdefault(result, np.empty(SIZE, result))
            found.append(
                Kernel(
                    "elementwise",
                    f"{name} {dtype}",
                    computed(partial(function, *ours)),
                    partial(function.numpy, *arrays, out=out),
                    0.5,
                )
            )
    return found


def _result(function: np.ufunc, arrays: list[np.ndarray]) -> np.dtype | None:
    """Return the dtype of a function's result, None where it does not take the arrays."""
    with np.errstate(all="ignore"):
        try:
            found: np.ndarray = function(*(x[:1] for x in arrays))
        except TypeError:
            return None
    return found.dtype


def chain() -> list[Kernel]:
    """Return twelve operations in a row on eight million elements."""

    def work(np: Any, x: Any, y: Any) -> Any:
        t = x * 2.0 + y
        t = np.sqrt(np.abs(t - 0.5))
        t = np.maximum(t * x, y) - x / 3.0
        return np.minimum(t * t, 4.0) + 1.0

    x, y = np.linspace(0, 1, 8 * SIZE), np.full(8 * SIZE, 0.75)
    ours = jujunp.asarray(x), jujunp.asarray(y)
    return [
        Kernel(
            "chain",
            "12 operations, 8M float64",
            computed(lambda: work(jujunp, *ours)),
            lambda: work(np, x, y),
            4.0,
        )
    ]


def structured() -> list[Kernel]:
    """Return reductions, scans, sorts and indexing."""
    found = []
    for dtype in ("float32", "float64"):
        x = _operands(dtype, 0.1, 0.9)[0][0]
        square, mask = x.reshape(1000, 1000), x > 0.5
        places = np.random.default_rng(1).permutation(SIZE)
        arrays = (x, square, mask, places)
        ours = tuple(jujunp.asarray(a) for a in arrays)
        calls: dict[str, tuple[str, Callable[..., Any], float]] = {
            "sum": ("reductions", lambda np, x, s, m, i: np.sum(x), 1.0),
            "sum rows": ("reductions", lambda np, x, s, m, i: np.sum(s, 1), 1.0),
            "sum columns": ("reductions", lambda np, x, s, m, i: np.sum(s, 0), 1.0),
            "max": ("reductions", lambda np, x, s, m, i: np.max(x), 1.0),
            "argmax": ("reductions", lambda np, x, s, m, i: np.argmax(x), 1.0),
            "cumsum": ("reductions", lambda np, x, s, m, i: np.cumsum(x), 1.0),
            "stable sort": ("sorts", lambda np, x, s, m, i: np.sort(x, stable=True), 2.0),
            "stable argsort": ("sorts", lambda np, x, s, m, i: np.argsort(x, stable=True), 2.0),
            "gather": ("indexing", lambda np, x, s, m, i: x[i], 1.0),
            "mask": ("indexing", lambda np, x, s, m, i: x[m], 1.0),
        }
        found += [
            Kernel(
                family,
                f"{name} {dtype}",
                computed(lambda call=call, ours=ours: call(jujunp, *ours)),
                lambda call=call, arrays=arrays: call(np, *arrays),
                least,
            )
            for name, (family, call, least) in calls.items()
        ]
    return found


def traced(function: Callable[..., Any], *arrays: np.ndarray) -> Callable[[], None]:
    """Return a call of a function of JAX, recorded by its template."""
    given = [constant(x, kernel_code(x.dtype)) for x in arrays]
    return computed(lambda: template.call(f"benchmark {id(function)}", function, given))


def transforms() -> list[Kernel]:
    """Return Fourier transforms and random bits."""
    rng = np.random.default_rng(0)
    found = []
    for name, shape, least in (
        ("2**16", (1 << 16,), 0.7),
        ("64 x 1,024", (64, 1024), 0.7),
        ("prime 65,537", (65537,), 0.5),
        ("prime 10,007", (10007,), 0.5),
    ):
        x = rng.standard_normal(shape)
        z = x + 1j * rng.standard_normal(shape)
        for kind, array in (("fft", z), ("rfft", x)):
            ours = computed(partial(getattr(jujunp.fft, kind), jujunp.asarray(array)))
            numpys = partial(getattr(np.fft, kind), array)
            found.append(Kernel("transforms", f"{kind} {name}", ours, numpys, least))
    found += [*draws(), *_random_bits()]
    return found


def _random_bits() -> list[Kernel]:
    """Return bits by JAX's generator."""
    key = np.array([1, 2], np.uint32)
    bits = traced(lambda k: jax.random.bits(jax.random.wrap_key_data(k), (SIZE,), "uint64"), key)
    generator = np.random.PCG64(0)
    return [Kernel("random", "64 random bits", bits, lambda: generator.random_raw(SIZE), 1.0)]


DRAWS: dict[str, tuple[tuple[Any, ...], float]] = {
    "random": ((), 1.2),
    "uniform": ((-1.0, 3.0), 1.5),
    "standard_normal": ((), 1.5),
    "normal": ((1.0, 2.0), 1.5),
    "exponential": ((2.0,), 1.4),
    "integers": ((0, 10), 1.5),
    "gamma": ((2.0, 1.0), 1.0),
    "poisson": ((5.0,), 0.9),
    "binomial": ((100, 0.3), 0.9),
    "permutation": ((), 0.9),
}
"""Draws from PCG64: parameters, and the least ratio."""


def draws() -> list[Kernel]:
    """Return draws of random numbers, of the states that the draws before have left."""
    ours, numpys = jujunp.random.default_rng(1), np.random.default_rng(1)
    return [
        Kernel(
            "random",
            name,
            computed(partial(getattr(ours, name), *parameters, SIZE)),
            partial(getattr(numpys, name), *parameters, SIZE),
            least,
        )
        for name, (parameters, least) in DRAWS.items()
    ]


def matrices() -> list[Kernel]:
    """Return products and factorizations of 500 x 500 float64 matrices."""
    a = np.random.default_rng(0).standard_normal((500, 500))
    spd = a @ a.T + 500 * np.eye(500)
    arguments = {
        "matmul": (a, a),
        "cholesky": (spd,),
        "solve": (a, a),
        "inv": (a,),
        "qr": (a,),
        "svd": (a,),
        "eigh": (spd,),
        "eig": (a,),
    }
    found = []
    for name, arrays in arguments.items():
        ours, numpys = (getattr(library.linalg, name) for library in (jujunp, np))
        given = [jujunp.asarray(x) for x in arrays]
        call = computed(partial(ours, *given))
        found.append(Kernel("matrices", name, call, partial(numpys, *arrays), 0.95))
    return found


FAMILIES = (elementwise, chain, structured, transforms, matrices)
MEANS = {"elementwise": (1.0, 1.7), "chain": (4.0, 7.0)}
"""The least geometric mean of a family's ratios, with one core and with all."""


def kept(ratio: float, least: float) -> str:
    """Return a promise, and whether it is kept."""
    return f"{least:g} {'kept' if ratio >= least else 'NOT KEPT'}"


def line(name: str, seconds: str, ratios: tuple[float, ...], promises: str) -> str:
    """Return a line of the table."""
    shown = "".join(f"{ratio:9.2f}x" for ratio in ratios)
    return f"{name:34}{seconds:>11}{shown}  {promises}"


def measure(kernel: Kernel, cores: int) -> tuple[float, float, float]:
    """Return NumPy's seconds, and how many times ours that is with one core and with all.

    The speed of a machine of which others have a part changes from second to second: the ratios
    are medians of those of neighbouring turns.
    """
    turns = _turns_apart if kernel.family == "matrices" else _turns
    numpys, *ours = zip(*turns(kernel, (0, 1, cores)), strict=True)
    ratios = [
        statistics.median(theirs / own for theirs, own in zip(numpys, column, strict=True))
        for column in ours
    ]
    return statistics.median(numpys), ratios[0], ratios[1]


def _turns(kernel: Kernel, sides: Sequence[int]) -> list[list[float]]:
    """Return the seconds of every side at every turn; a side is a number of threads, 0 NumPy."""

    def seconds(threads: int) -> float:
        if not threads:
            return fastest(kernel.numpys, TURN)
        machine.set_threads(threads)
        return fastest(kernel.ours, TURN)

    return [[seconds(threads) for threads in sides] for _ in range(TURNS)]


def _turns_apart(kernel: Kernel, sides: Sequence[int]) -> list[list[float]]:
    """Return the same where each side has a process of its own."""
    fresh = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(fresh.Pool(1)) for _ in sides]
        for process, threads in zip(processes, sides, strict=True):
            process.apply(_prepare, (kernel.name, threads))
        return [[process.apply(_turn) for process in processes] for _ in range(TURNS)]


_CALLS: list[Callable[[], Any]] = []
"""What a process for one side calls at its turns."""


def _prepare(name: str, threads: int) -> None:
    """Choose what this process measures: ours with a number of threads, NumPy's for 0."""
    policy.set_mode("never")
    kernel = next(kernel for kernel in matrices() if kernel.name == name)
    if threads:
        machine.set_threads(threads)
    _CALLS[:] = [kernel.ours if threads else kernel.numpys]
    _CALLS[0]()


def _turn() -> float:
    """Return the seconds of the fastest call of a turn, when no thread of another side waits."""
    time.sleep(WAIT)
    return fastest(_CALLS[0], LONG_TURN)


def main() -> None:
    """Print a line for each kernel and one for each family."""
    policy.set_mode("never")
    words = sys.argv[1:]
    kernels = [kernel for family in FAMILIES for kernel in family()]
    kernels = [k for k in kernels if all(word in f"{k.family} {k.name}" for word in words)]
    measured: dict[str, list[tuple[float, float]]] = {}
    print(f"{'':34}{'NumPy':>11}{'one core':>10}{f'{machine.threads} cores':>10}  promised")
    for kernel in kernels:
        numpys, *ratios = measure(kernel, machine.threads)
        measured.setdefault(kernel.family, []).append((ratios[0], ratios[1]))
        promise = kept(ratios[0 if kernel.family in MEANS else 1], kernel.least)
        print(line(kernel.name, f"{numpys * 1e3:.3f} ms", tuple(ratios), promise), flush=True)
    for family, pairs in measured.items():
        columns = zip(*pairs, strict=True)
        means = tuple(math.exp(sum(map(math.log, column)) / len(pairs)) for column in columns)
        promises = [kept(*pair) for pair in zip(means, MEANS.get(family, ()), strict=False)]
        print(line(f"{family}, geometric mean", "", means, ", ".join(promises)))


if __name__ == "__main__":
    main()
