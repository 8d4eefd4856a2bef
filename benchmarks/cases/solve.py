"""A triangular system, solved row by row."""

from typing import Any

from benchmarks.case import JUJUNP, NUMPY, Bound, Case, Work
from benchmarks.measures import first


def solve(np: Any, size: int) -> Work:
    """Return the solution of a lower triangular float64 system, written element by element."""

    def work(lower: Any, b: Any) -> Any:
        x = np.zeros_like(b)
        for i in range(size):
            x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
        return x

    lower = np.tril(np.ones((size, size)) / size) + np.eye(size)
    return work, (lower, np.arange(size) + 1.0)


# Arrays of JAX take no writes.
CASES = [
    Case("triangular solve, n = 500", solve, first, 500, 20, (Bound(5.0, NUMPY),), (NUMPY, JUJUNP))
]
