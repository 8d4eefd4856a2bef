"""Straight-line IRs as plain data: what is hashed, sent to the compile worker and lowered."""

from __future__ import annotations

import functools
import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...values.dtypes import DTYPES, NAMED
from .sizes import is_symbolic, product

if TYPE_CHECKING:
    from collections.abc import Callable

Plain = Any
"""A parameter value made of bool, int, str, bytes, None, tuples of these, and `GraphIR`."""


class Unsupported(Exception):
    """A Jaxpr holds something that cannot be compiled; the text says what."""


class UnsupportedAt(Unsupported):
    """The text also says on which line of the user's."""


class KernelFailed(RuntimeError):
    """A kernel has reported a failure while an executable ran."""


_PARTS = {"complex64": "float32", "complex128": "float64"}


class TensorSpec(NamedTuple):
    """Shape and dtype (NumPy's or ml_dtypes' name) of one value.

    In an IR with symbolic sizes (see `sizes`), a length may be an expression, as text.
    """

    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """The number of elements."""
        if is_symbolic(self.shape):
            return product(self.shape)  # type: ignore[return-value]
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * DTYPES[NAMED[self.dtype]].itemsize

    @property
    def stored(self) -> TensorSpec:
        """The spec of the tensor that holds the value.

        MAX knows no complex dtype: such a tensor has one more axis, for real and imaginary parts,
        which lie side by side as in NumPy.
        """
        parts = _PARTS.get(self.dtype)
        return self if parts is None else TensorSpec((*self.shape, 2), parts)

    def seen(self, result: np.ndarray) -> np.ndarray:
        """Return what an executable gives for such a value as an array of its shape and dtype."""
        dtype = DTYPES[NAMED[self.dtype]]
        return result.reshape(-1).view(dtype).reshape(self.shape)


def seen_as(array: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a result of an executable as the value that it stores: see `TensorSpec.stored`."""
    return array.reshape(-1).view(dtype).reshape(shape)


class Step(NamedTuple):
    """One primitive applied to values, which are named by number."""

    name: str
    operands: tuple[int, ...]
    params: tuple[tuple[str, Plain], ...]
    results: tuple[int, ...]

    def param(self, name: str) -> Plain:
        """Return the value of the parameter `name`; KeyError if there is none."""
        return dict(self.params)[name]

    @property
    def irs(self) -> list[GraphIR]:
        """The IRs that are parameters: branches, the parts of loops."""
        values = (value if isinstance(value, tuple) else (value,) for _, value in self.params)
        return [part for value in values for part in value if isinstance(part, GraphIR)]

    def with_irs(self, change: Callable[[GraphIR], GraphIR]) -> Step:
        """Return the step with its IRs changed."""

        def changed(value: Plain) -> Plain:
            if isinstance(value, GraphIR):
                return change(value)
            return tuple(map(changed, value)) if isinstance(value, tuple) else value

        if not self.irs:
            return self
        return self._replace(params=tuple((name, changed(value)) for name, value in self.params))


@dataclass(frozen=True)
class GraphIR:
    """Steps over numbered values.

    Values 0 to `inputs` - 1 are the inputs, the next ones the `constants`, then the results of the
    `steps` in order. `specs` describes every value. `outputs` names the values to return.
    """

    inputs: int
    constants: tuple[np.ndarray, ...]
    steps: tuple[Step, ...]
    specs: tuple[TensorSpec, ...]
    outputs: tuple[int, ...]

    @functools.cached_property
    def symbolic(self) -> bool:
        """Whether axes of the inputs have lengths that are known at run time only."""
        return any(is_symbolic(spec.shape) for spec in self.specs[: self.inputs])

    @functools.cached_property
    def libraries(self) -> frozenset[str]:
        """The paths of the users' packages with kernels that the IR applies."""
        return frozenset(
            path
            for step in self.steps
            for name, value in step.params
            for path in _libraries(name, value)
        )

    def canonical(self) -> bytes:
        """Return bytes that are equal for equal IRs, in every process."""
        contents = [hashlib.sha256(c.tobytes()).hexdigest() for c in self.constants]
        steps, specs = map(tuple, self.steps), map(tuple, self.specs)
        return repr((self.inputs, contents, [*steps], [*specs], self.outputs)).encode()

    def __repr__(self) -> str:
        return f"GraphIR({self.canonical().decode()})"


def _libraries(name: str, value: Plain) -> frozenset[str]:
    """Return the paths that a parameter names, itself or in the IRs that it holds."""
    if name == "libraries":
        return frozenset(value)
    if name == "library":
        return frozenset({value})
    if isinstance(value, GraphIR):
        return value.libraries
    parts = value if isinstance(value, tuple) else ()
    return frozenset(path for part in parts for path in _libraries("", part))
