"""Shapes that never come twice."""

from typing import Any

from benchmarks.case import JUJUNP, NUMPY, Bound, Case, Work
from benchmarks.measures import first


def growing(np: Any, size: int) -> Work:
    """Return the sum of the dot products of ever longer heads of two vectors."""

    def work(a: Any, b: Any) -> Any:
        total = 0.0
        for i in range(1, size + 1):
            total = total + (a[:i] * b[:i]).sum()
        return total

    return work, (np.arange(size) / size, np.ones(size) * 0.5)


# JAX compiles each shape: two thousand of them take minutes.
CASES = [
    Case("growing slices, 2,000", growing, first, 2000, 40, (Bound(4.0, NUMPY),), (NUMPY, JUJUNP))
]
