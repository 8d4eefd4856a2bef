"""The arrays and numbers that the cases name."""

from __future__ import annotations

from typing import Any

import numpy

SIZES = {64: 4, 1000: 32}
"""The elements of a vector, and the rows and columns of the matrices that belong to it."""
NEAR_ONE = 1e-4
"""By how much `y` is above 1: what is multiplied by it for thousands of times stays finite."""


def operands(namespace: Any, size: int, rows: int) -> dict[str, Any]:
    """Return new operands by name, with arrays of a namespace.

    - vectors: `x`, `y` and `z`, `s` (in order), `c` (complex), `I` and `J` (int64), `m` (bool),
      `idx` (int64, a quarter of the places, each once), `w` (one element for each of these), and
      `E`, which is `x` as a row of a matrix;
    - matrices: `A`, `B`, `S` (symmetric, positive definite), `M` (bool) and the stack `T` of two;
    - others: `n` and `k` (elements of vectors, and rows of matrices), `L` (the elements of `x` in a
      list) and `raw` (as bytes), `t` (a sum), and the generators `G` and `R` (the older one).
    """
    rng = numpy.random.default_rng(0)
    x, z = rng.uniform(0.1, 0.9, (2, size))
    y = 1 + NEAR_ONE * rng.uniform(0.1, 0.9, size)
    a, b = rng.uniform(0.1, 0.9, (2, rows, rows)) + numpy.eye(rows)
    idx = rng.permutation(size)[: size // 4]
    arrays = {
        **{"x": x, "y": y, "z": z, "s": numpy.sort(x), "c": x + 1j * y, "E": x[None]},
        **{"I": rng.integers(1, 60, size), "J": rng.integers(1, 4, size)},
        **{"m": x < 0.5, "idx": idx, "w": x[idx] / 2},
        **{"A": a, "B": b, "S": a @ a.T + numpy.eye(rows), "M": a < 0.5, "T": numpy.stack((a, b))},
    }
    own = {name: namespace.array(array) for name, array in arrays.items()}
    drawing = {"G": namespace.random.default_rng(1), "R": namespace.random.RandomState(1)}
    others = {"n": size, "k": rows, "L": x.tolist(), "raw": x.tobytes(), "t": 0.0}
    return {**own, **drawing, **others}
