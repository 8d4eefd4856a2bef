"""Error states: what becomes of a division by zero, an overflow, an underflow, an invalid value.

A state is a word for the library (kernels/vm/base/errors.mojo): three bits for each kind, in which
a mode stands. Which modes are in force is NumPy's to know: `numpy.geterr()` tells each thread.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from . import machine
from .machine import CONSTANTS

MODES = ("ignore", "warn", "raise", "call", "print", "log")
"""NumPy's modes; their places are what stands in a word."""
AT_ONCE = 2
"""From this mode on it must come from the call that NumPy raises it from."""


class Kind(NamedTuple):
    """What can be raised: its key in states, NumPy's text, its flag for functions, its place."""

    key: str
    text: str
    flag: int
    place: int


KINDS = (
    Kind("divide", "divide by zero", 1, 0),
    Kind("over", "overflow", 2, 3),
    Kind("under", "underflow", 4, 6),
    Kind("invalid", "invalid value", 8, 9),
)
"""In the order in which NumPy tells of them."""


def numpys() -> int:
    """Return NumPy's state as a word."""
    state: Any = np.geterr()
    return sum(MODES.index(state[kind.key]) << kind.place for kind in KINDS)


def mode_in(word: int, kind: Kind) -> int:
    """Return the place of the mode that a kind has in a word."""
    return word >> kind.place & 7


ALL_MODES = (1 << CONSTANTS["modes"]) - 1


class _State:
    word = numpys()
    """What the library was told last."""


_state = _State()


class _Own(threading.local):
    word = _State.word
    """What this thread has told it last: other threads know nothing of its blocks."""


_own = _Own()


def tell(word: int) -> int:
    """Let steps be recorded in a state from now on; return the one before, of this thread."""
    before = _own.word
    _own.word = _state.word = word
    machine.set_errors(word)
    return before


def take_over() -> int:
    """Let them be recorded in NumPy's; return the one before, of this thread."""
    return tell(numpys())


def current() -> int:
    """Return the state in which this thread records steps, as far as the library was told."""
    return _own.word


def foreign() -> int | None:
    """Return NumPy's state where it is another one than the library was told, else None.

    That is so in a block of `numpy.errstate`, of which nobody here knows.
    """
    word = numpys()
    return None if word == _state.word else word


class quiet:
    """For a block, what is recorded never warns: NumPy does not compute it, or does so silently."""

    __slots__ = ()

    def __enter__(self) -> None:
        machine.add_quiet(1)

    def __exit__(self, *error: object) -> None:
        machine.add_quiet(-1)


tell(_State.word)
