"""A run of a kernel, and the comparison of its results with NumPy's."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy

from benchmarks.npbench.kernels import Kernel, arguments_of, function_of

WAIT = 0.3
"""Seconds in which threads of NumPy's that look for work after a product cease to do so."""


class DifferentResults(AssertionError):
    """Results are not NumPy's; the message says which, and by how much."""


class Run(NamedTuple):
    """The seconds of a run, and its results as NumPy's arrays: what it returned, and its arrays."""

    seconds: float
    results: list[numpy.ndarray]


class Runner:
    """Runs a kernel with an array library, each time on new copies of its arguments."""

    def __init__(self, kernel: Kernel, preset: str, library: Any) -> None:
        self.kernel = kernel
        self.library = library
        self.function = function_of(kernel, library.__name__)
        self.given = arguments_of(kernel, preset)

    def run(self) -> Run:
        """Run the kernel once, and read all its results."""
        arrays = self.kernel.facts["array_args"]
        copies = {
            name: self.library.array(value) if name in arrays else value
            for name, value in self.given.items()
        }
        if self.library is not numpy:
            self.library.flush()
        start = time.perf_counter()
        returned = self.function(*copies.values())
        parts = returned if isinstance(returned, (tuple, list)) else [returned]
        values = [*(part for part in parts if part is not None), *(copies[x] for x in arrays)]
        results = [numpy.asarray(value) for value in values]
        return Run(time.perf_counter() - start, results)


def compare(
    ours: list[numpy.ndarray], theirs: list[numpy.ndarray], tolerances: dict[str, float]
) -> None:
    """Raise DifferentResults unless each array is like NumPy's, by NPBench's rule."""
    if len(ours) != len(theirs):
        raise DifferentResults(f"{len(ours)} results, NumPy {len(theirs)}")
    for number, (own, other) in enumerate(zip(ours, theirs, strict=True)):
        if (own.shape, own.dtype) != (other.shape, other.dtype):
            found, wanted = f"{own.dtype}{list(own.shape)}", f"{other.dtype}{list(other.shape)}"
            raise DifferentResults(f"result {number} is {found}, NumPy's {wanted}")
        rtol, atol, norm_error = (tolerances[name] for name in ("rtol", "atol", "norm_error"))
        if numpy.allclose(own, other, rtol=rtol, atol=atol, equal_nan=True):
            continue
        error = numpy.linalg.norm(other - own) / numpy.linalg.norm(other)
        if not error < norm_error:
            raise DifferentResults(f"result {number} has a relative error of {error:.2g}")
