"""Arrays so small that only the overhead counts."""

from typing import Any

from benchmarks.case import Bound, Case, Work
from benchmarks.measures import hot, recording


def add_and_read(np: Any, size: int) -> Work:
    """One operation, and a value read from its result."""

    def work(a: Any, b: Any) -> float:
        return float((a + b)[0])

    return work, (np.arange(size) + 0.5, np.ones(size))


def add(np: Any, size: int) -> Work:
    """One operation."""

    def work(a: Any, b: Any) -> Any:
        return a + b

    return work, (np.arange(size) + 0.5, np.ones(size))


CASES = [
    Case("float((a + b)[0]), 8 elements", add_and_read, hot, 8, 8, (Bound(20e-6),)),
    Case("a + b, never read, 8 elements", add, recording, 8, 8, (Bound(2e-6),)),
]
