"""Following values: the steps that depend on some of them, also those that are computed.

A transformation marks the values that it is about with numbers. Each step that uses a marked value
is seen before it is computed, and its result is marked; all other steps go on as ever. So a
function runs on real values, with its reads and branches, and nothing is kept of what does not
depend on its arguments.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING

from ..run import transfer
from ..run.flush import LOCK
from ..run.machine import OPCODES, SEVERAL, is_pinned, is_urgent
from ..run.watching import Watcher
from ..values.dtypes import DTYPES
from ..values.value import LOG, Value, dtype_code, opcode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MANY = frozenset(OPCODES[name] for name in SEVERAL)
"""Kernels with several results, of which a further one may have a derivative."""
_numbers = itertools.count(1)
"""Marks of values: no number is used twice, so that those of what is over mean nothing."""


def mark(value: Value) -> int:
    """Return the number of a value, which it gets if it has none."""
    number = value.mark
    if not number:
        number = value.mark = next(_numbers)
    return number


class Follower(Watcher):
    """Follows values: its subclasses say what is done with the steps that use them."""

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__()
        self.followed = set(map(mark, values))
        """Numbers of the values that are followed."""
        self._paused = 0

    def take_own(self) -> None:
        """See what was recorded since the last time, in one thread at a time.

        A flush of another thread takes too, and deriving what it has seen takes a while: steps that
        come later must wait, or they would not know what is followed.
        """
        with LOCK:
            if is_urgent():
                _keep_operands(LOG[self._end :])
            super().take_own()

    def is_about(self, value: Value) -> bool:
        """Whether a value is followed now."""
        self.take()
        return not self._paused and value.mark in self.followed

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Follow nothing that a block records."""
        self.take()
        self._paused += 1
        try:
            yield
            self.take()
        finally:
            self._paused -= 1


def _keep_operands(steps: Sequence[Value]) -> None:
    """Let steps read copies of memory that others hold: what is kept of them must not change."""
    for step in steps:
        step.inputs = tuple(
            _copied(x) if type(x) is Value and is_pinned(x) else x for x in step.inputs
        )


def _copied(value: Value) -> Value:
    code = dtype_code(value)
    return transfer.import_array(transfer.export(value, code), code)


def is_inexact(step: Value) -> bool:
    """Whether results of a step can have derivatives."""
    return DTYPES[dtype_code(step)].kind in "fc" or opcode(step) in MANY
