"""Error states: NumPy's own, of which the library is told, so that it knows what to look for."""

from __future__ import annotations

import inspect
from contextlib import ContextDecorator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from jujunp.lazy.run import errors
from jujunp.lazy.run.caught import watch_blocks
from jujunp.lazy.run.errors import KINDS, mode_in
from jujunp.lazy.run.flush import flush

if TYPE_CHECKING:
    from typing import Self

    Mode = Literal["ignore", "warn", "raise", "call", "print", "log"]

__all__ = ["errstate", "seterr"]


class errstate(ContextDecorator):
    """NumPy's error state for a block, or for the calls of a function as a decorator.

    Args are those of `numpy.errstate`. What is recorded in the block warns, or raises, as the state
    says, also where it is computed later. What the block asks to be told of is told at its end.
    """

    __signature__ = inspect.signature(np.errstate)

    def __init__(self, **state: Any) -> None:
        self._state = state
        self._numpys = np.errstate(**state)
        self._before = 0

    def __enter__(self) -> None:
        self._numpys.__enter__()  # which refuses to be entered twice
        self._before = errors.take_over()

    def __exit__(self, *exc_info: Any) -> None:
        try:
            if exc_info[0] is None and _asks(errors.current(), self._before):
                flush()
        finally:
            self._numpys.__exit__(*exc_info)
            errors.tell(self._before)

    def _recreate_cm(self) -> Self:
        """Return a new one for each call of a decorated function: threads may make some at once."""
        return type(self)(**self._state)


def _asks(state: int, before: int) -> bool:
    """Whether a state tells of anything that the one before does not tell of in this way."""
    if state in (0, before):
        return False
    modes = ((mode_in(state, kind), mode_in(before, kind)) for kind in KINDS)
    return any(mode not in (0, other) for mode, other in modes)


def seterr(
    all: Mode | None = None,
    divide: Mode | None = None,
    over: Mode | None = None,
    under: Mode | None = None,
    invalid: Mode | None = None,
) -> dict[str, str]:
    """Set NumPy's error state; return the one before.

    What is pending keeps the state in which it was recorded.
    """
    before: Any = np.seterr(all, divide, over, under, invalid)
    errors.take_over()
    return dict(before)


watch_blocks()
