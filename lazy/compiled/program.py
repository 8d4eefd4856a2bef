"""Straight-line programs as plain data: what is hashed, sent to the compile worker and lowered."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

Plain = Any
"""A parameter value made of bool, int, str, None, tuples of these, and `Program`."""


class Unsupported(Exception):
    """A Jaxpr holds something that cannot be compiled; the text says what."""


@dataclass(frozen=True, slots=True)
class Spec:
    """Shape and dtype (NumPy's or ml_dtypes' name) of one value."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True, slots=True)
class Step:
    """One primitive applied to values, which are named by number."""

    name: str
    operands: tuple[int, ...]
    params: tuple[tuple[str, Plain], ...]
    results: tuple[int, ...]

    def param(self, name: str) -> Plain:
        """Return the value of the parameter `name`; KeyError if there is none."""
        return dict(self.params)[name]


@dataclass(frozen=True)
class Program:
    """Steps over numbered values.

    Values 0 to `inputs` - 1 are the inputs, the next ones the `constants`, then the results of the
    `steps` in order. `specs` describes every value. `outputs` names the values to return.
    """

    inputs: int
    constants: tuple[np.ndarray, ...]
    steps: tuple[Step, ...]
    specs: tuple[Spec, ...]
    outputs: tuple[int, ...]

    def canonical(self) -> bytes:
        """Return bytes that are equal for equal programs, in every process."""
        contents = [hashlib.sha256(c.tobytes()).hexdigest() for c in self.constants]
        steps = [(step.name, step.operands, step.params, step.results) for step in self.steps]
        specs = [(spec.shape, spec.dtype) for spec in self.specs]
        return repr((self.inputs, contents, steps, specs, self.outputs)).encode()

    def __repr__(self) -> str:
        return f"Program({self.canonical().decode()})"
