"""Many writes to rows of a matrix, none of them read."""

from typing import Any

from benchmarks.case import JUJUNP, NUMPY, Bound, Case, Work
from benchmarks.measures import first, peak_memory

WRITES = 10_000


def rows(np: Any, size: int) -> Work:
    """Return a float64 matrix after 1 was added to one row after another."""

    def work(a: Any) -> Any:
        for i in range(WRITES):
            a[i % size, :] += 1.0
        return a

    return work, (np.zeros((size, size)) + 0.5,)


# A write copies the matrix in JAX: ten thousand of them take minutes.
CONTENDERS = (NUMPY, JUJUNP)
TWICE_THE_MATRIX = 2 * 8 * 2000 * 2000
CASES = [
    Case("10,000 rows += 1", rows, first, 2000, 30, (Bound(3.0, NUMPY),), CONTENDERS),
    Case(
        "10,000 rows += 1, memory",
        rows,
        peak_memory,
        2000,
        30,
        (Bound(TWICE_THE_MATRIX),),
        CONTENDERS,
        unit="B",
    ),
]
