"""A five-point stencil: as a function of the grid, and as sweeps that write into it."""

from typing import Any

from benchmarks.case import JAX, JIT, JUJUNP, NUMPY, Bound, Case, Work
from benchmarks.measures import first, hot, peak_memory

SWEEPS = 50


def stencil(np: Any, size: int) -> Work:
    """Return the mean of the four neighbours of every inner point of a float64 grid."""

    def work(a: Any) -> Any:
        return 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])

    return work, (np.arange(size * size).reshape(size, size) / size,)


def sweeps(np: Any, size: int) -> Work:
    """Return the grid after sweeps that write the mean of the neighbours into every point."""

    def work(a: Any) -> Any:
        for _ in range(SWEEPS):
            a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        return a

    return work, (np.arange(size * size).reshape(size, size) / size,)


ALL = (NUMPY, JAX, JIT, JUJUNP)
IN_PLACE = (NUMPY, JUJUNP)
CASES = [
    Case("stencil, 2000 x 2000, first call", stencil, first, 2000, 9, (), ALL),
    Case(
        "stencil, 2000 x 2000, compiled",
        stencil,
        hot,
        2000,
        9,
        (Bound(1 / 3, NUMPY),),
        ALL,
        "always",
    ),
    Case("50 sweeps in place, first call", sweeps, first, 2000, 9, (), IN_PLACE),
    Case(
        "50 sweeps in place, memory",
        sweeps,
        peak_memory,
        2000,
        9,
        (Bound(1.2, NUMPY),),
        IN_PLACE,
        unit="B",
    ),
]
