"""Values that stand for others: a function that is run on them is only recorded.

They have no elements. Steps that use them are taken out of the log and kept; reading one raises.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import jax

from ..run import flush
from ..values.value import LOG, Value, leaf
from .following import Follower, mark
from .steps import kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..values.types import Shape


class AbstractValueError(jax.errors.ConcretizationTypeError):
    """Raised where elements are read that have no value: those of arguments of `vmap` and `jit`."""

    def __init__(self, message: str) -> None:
        TypeError.__init__(self, message)


class Abstract(Follower):
    """Keeps the steps that use abstract values.

    Args:
        specs: Shapes and dtype codes of the values.
        why: Why their elements cannot be read: the message of the error.
    """

    stands_for = "array"
    """What an abstract value is, as it is printed."""

    def __init__(self, specs: Sequence[tuple[Shape, int]], why: str) -> None:
        self._failure = flush.Failure(AbstractValueError(why), self.stands_for)
        self.starts = [leaf(code, shape, self._failure) for shape, code in specs]
        super().__init__(self.starts)
        self.steps: list[tuple[Any, Any]] = []
        """Results and steps in the order of recording."""

    def see(self, recorded: list[Value]) -> None:
        """Take the steps that use abstract values out of the log."""
        first = len(LOG) - len(recorded)
        for step in () if self._paused else recorded:
            if any(type(x) is Value and x.mark in self.followed for x in step.inputs):
                self._hold(step)
        LOG[first:] = [value for value in recorded if value.buffer is None]
        for watch in (self, *self.inner()):  # these have seen all that was there
            watch.go_on()

    def _hold(self, step: Value) -> None:
        """Keep a step; its result is abstract, too."""
        self.steps.append((step, kept(step)))
        self.followed.add(mark(step))
        step.buffer = self._failure

    def close(self) -> None:
        """Say that there are failed values, if someone still has one of these."""
        self.steps.clear()
        if sys.getrefcount(self._failure) > 2 + len(self.starts):
            flush.expect_failures()
