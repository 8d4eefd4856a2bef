"""Error states: what becomes of a division by zero, an overflow, an underflow, an invalid value.

A state is a word for the library (kernels/vm/base/errors.mojo), in which each kind has a mode.
Which modes are in force is NumPy's to know: `numpy.geterr()` tells each thread.
"""

from __future__ import annotations

import threading
from contextvars import Context
from typing import Any, NamedTuple

import numpy as np

from . import machine
from .machine import CONSTANTS

MODES = ("ignore", "warn", "raise", "call", "print", "log")
"""NumPy's modes; their places are what stands in a word."""
_MODE, _KEPT = CONSTANTS["mode"], CONSTANTS["kept"]
_PLACES = {mode: place for place, mode in enumerate(MODES)}


class Kind(NamedTuple):
    """What can be raised: its key in states, NumPy's text, its flag for functions, its place.

    From that bit of a word on its mode stands.
    """

    key: str
    text: str
    flag: int
    place: int


KINDS = tuple(
    Kind(key, text, 1 << k, CONSTANTS[f"{key} at"])
    for k, (key, text) in enumerate(
        (
            ("divide", "divide by zero"),
            ("over", "overflow"),
            ("under", "underflow"),
            ("invalid", "invalid value"),
        )
    )
)
"""In the order in which NumPy tells of them."""


def numpys() -> int:
    """Return NumPy's state as a word."""
    state: Any = np.geterr()
    word = 0
    for key, _, _, place in KINDS:  # a loop, since each block of errstate begins with it
        word |= _PLACES[state[key]] << place
    return word


def mode_in(word: int, kind: Kind) -> int:
    """Return the place of the mode that a kind has in a word."""
    return word >> kind.place & _MODE


_USUAL = Context().run(numpys)
"""The state of a new thread."""


class _Own(threading.local):
    word = _USUAL
    """What this thread has told the library last."""
    collecting = 0
    """In how many blocks it is that collect warnings."""


_own = _Own()


def tell(word: int) -> int:
    """Let this thread's steps be recorded in a state from now on; return the one before."""
    before = _own.word
    _own.word = word
    kept = _KEPT if word and _own.collecting > 0 else 0
    machine.set_errors(word | kept, _USUAL)
    return before


def collect(change: int) -> None:
    """Count blocks that collect warnings: in one, also steps run that nobody refers to."""
    _own.collecting += change
    tell(_own.word)


def take_over() -> int:
    """Let them be recorded in NumPy's; return the one before."""
    return tell(numpys())


def current() -> int:
    """Return the state in which this thread records steps, as far as the library was told."""
    return _own.word


def foreign() -> int | None:
    """Return NumPy's state where it is another one than the library was told, else None.

    That is so in a block of `numpy.errstate`, of which nobody here knows.
    """
    word = numpys()
    return None if word == _own.word else word


class quiet:
    """For a block, what is recorded never warns: NumPy does not compute it, or does so silently."""

    __slots__ = ()

    def __enter__(self) -> None:
        machine.add_quiet(1)

    def __exit__(self, *error: object) -> None:
        machine.add_quiet(-1)


take_over()
