"""Values that stand for others: a function that is run on them is only recorded.

They have no elements. Steps that use them are taken out of the log and kept; reading one raises.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import jax

from ..run import flush
from ..values.value import LOG, Value, leaf
from .following import Follower, mark
from .steps import Step, kept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..values.types import Shape


class AbstractValueError(jax.errors.ConcretizationTypeError):
    """Raised where elements are read that have no value: those of arguments of `vmap` and `jit`."""

    def __init__(self, message: str) -> None:
        TypeError.__init__(self, message)


class Call:
    """A call of a function with rules of its own, as a step: its operands, and what makes it."""

    def __init__(
        self, inputs: Sequence[Value], make: Callable[[int, list[Value]], list[Value]]
    ) -> None:
        self.inputs = list(inputs)
        self.make = make
        """Makes the call for so many, given batches of all operands."""
        self.results: list[Value] = []


class Abstract(Follower):
    """Keeps the steps that use abstract values.

    Args:
        specs: Shapes and dtype codes of the values.
        why: Why their elements cannot be read: the message of the error.
    """

    def __init__(self, specs: Sequence[tuple[Shape, int]], why: str) -> None:
        self._failure = flush.Failure(AbstractValueError(why))
        self.starts = [leaf(code, shape, self._failure) for shape, code in specs]
        super().__init__(self.starts)
        self.steps: list[tuple[Value | None, Step | Call]] = []
        """Results and steps in the order of recording."""

    def see(self, recorded: list[Value]) -> None:
        """Take the steps that use abstract values out of the log."""
        first = len(LOG) - len(recorded)
        super().see(recorded)
        LOG[first:] = [value for value in recorded if value.buffer is None]
        self._end = len(LOG)

    def follow(self, step: Value, marks: tuple[int, ...]) -> None:
        """Keep a step, whose result is abstract, too."""
        self.steps.append((step, kept(step)))
        self.followed.add(mark(step))
        step.buffer = self._failure

    def call(self, call: Call, specs: Sequence[tuple[Shape, int]]) -> list[Value]:
        """Keep a call, which gives results of these shapes and dtype codes; returns them."""
        self.take()
        call.results = [leaf(code, shape, self._failure) for shape, code in specs]
        self.followed.update(map(mark, call.results))
        self.steps.append((None, call))
        return call.results

    def close(self) -> None:
        """Say that there are failed values, if someone still has one of these."""
        self.steps.clear()
        if sys.getrefcount(self._failure) > 2 + len(self.starts):
            flush.expect_failures()
