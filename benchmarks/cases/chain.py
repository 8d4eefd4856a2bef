"""A chain of 12 elementwise operations that this process has never seen."""

from typing import Any

from benchmarks.case import JAX, JIT, JUJUNP, NUMPY, Bound, Case, Work
from benchmarks.measures import first, hot


def chain(np: Any, size: int) -> Work:
    """Return the chain on two float64 vectors."""

    def work(x: Any, y: Any) -> Any:
        t = x * 2.0 + y
        t = np.sqrt(np.abs(t - 0.5))
        t = np.maximum(t * x, y) - x / 3.0
        return np.minimum(t * t, 4.0) + 1.0

    return work, (np.arange(size) / size, np.ones(size) * 0.75)


ALL = (NUMPY, JAX, JIT, JUJUNP)
CASES = [
    Case("12-op chain, 8M, first call", chain, first, 8_000_000, 50, (Bound(1.0, NUMPY),), ALL),
    Case("12-op chain, 1,000, first call", chain, first, 1000, 50, (Bound(10e-3),), ALL),
    Case("12-op chain, 8M, compiled", chain, hot, 8_000_000, 50, (), ALL, "always"),
]
