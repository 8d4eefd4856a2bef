"""Recorded steps as plain data, which can be sent to a process that traces them.

Reading a message imports this module, so that it needs neither JAX nor the immediate library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from ...values.types import Shape


class SentFunction(NamedTuple):
    """A user's elementwise function, as the arguments of `table.name`."""

    opcode: int
    key: str
    arity: int
    codes: frozenset[int]
    predicate: bool
    package: str


class SentLayout(NamedTuple):
    """A layout, as the arguments of `layout.seen`."""

    shape: Shape
    dtype: np.dtype
    offset: int
    strides: Shape


class SentStep(NamedTuple):
    """A pending value: see `Value`. Operands are numbered; None is a number of the user's."""

    code: int
    shape: Shape
    operands: tuple[int | None, ...]
    layouts: tuple[SentLayout | None, ...] | None
    params: tuple[int, ...] | None


@dataclass(frozen=True)
class Snapshot:
    """Steps without the elements that they read, so that these may change meanwhile.

    Values 0 to `len(steps)` - 1 are what the steps give, in recording order, the next ones the
    `leaves` (dtype codes and shapes). `outputs` names those that are results.
    """

    steps: tuple[SentStep, ...]
    leaves: tuple[tuple[int, Shape], ...]
    outputs: tuple[int, ...]
    functions: tuple[SentFunction, ...]

    @property
    def libraries(self) -> frozenset[str]:
        """The paths of the users' packages with functions that the steps apply."""
        return frozenset(function.package for function in self.functions)
