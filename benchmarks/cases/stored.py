"""A graph that is compiled in one process and taken from the store in the next."""

from typing import Any

from benchmarks.case import JIT, JUJUNP, NUMPY, Bound, Case, Work
from benchmarks.measures import first


def stored(np: Any, size: int) -> Work:
    """Return a small graph.

    Another one runs before: loading MAX is what a process does once, not part of taking a graph
    from the store.
    """
    x = np.arange(size) + 0.5
    float((np.sqrt(x) - 0.25 * x)[0])

    def work(x: Any) -> Any:
        return np.sqrt(x * x + 1.0) - np.abs(x)

    return work, (x,)


CONTENDERS = (NUMPY, JIT, JUJUNP)
CASES = [
    # The first of these two lines fills the store for the second.
    Case("new graph, compiled first", stored, first, 100, 10, (), CONTENDERS, "always", once=True),
    Case(
        "the same graph, next process", stored, first, 100, 10, (Bound(5e-3),), CONTENDERS, "always"
    ),
]
