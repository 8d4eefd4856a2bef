"""Operators and ufuncs that record without a Python frame, for the usual operands.

They are written in Mojo (kernels/vm/record).

Each stands before a Python function, which it calls for all other operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.values.dtypes import BOOL, UINT64

if TYPE_CHECKING:
    from .promotion import Loop

_NUMBER_KINDS: dict[type, int] = {
    kind: machine.CONSTANTS[kind.__name__] for kind in (bool, int, float, complex)
}
_INT64 = np.iinfo(np.int64)


class Operator(NamedTuple):
    """What an operator of handles does, once it is bound to them by its name."""

    loops: int
    forward: Callable[..., Any]
    reflected: Callable[..., Any] | None

    def bind(self, name: str) -> None:
        """Give the handles the operator."""
        machine.set_operator(machine.STATE, name, self.loops, self.forward, self.reflected)


class Recorder:
    """What records one function, fast for operands whose loop they know."""

    def __init__(self, name: str = "") -> None:
        """Take the name by which other processes know it, if any."""
        self._loops = machine.new_loops()
        self._name = name
        if name:
            RECORDERS[name] = self

    def ufunc(
        self,
        made: Any,
        arity: int,
        otherwise: Callable[..., Any],
        naming: int = 0,
        *,
        by_place: bool = True,
    ) -> None:
        """Let a new ufunc of so many operands record the function.

        `otherwise` makes the calls with all other operands. `naming` is the number of the name
        under which it warns, 0 for that of its operation. Unless `by_place`, its output has a name.
        """
        machine.set_ufunc(made, arity, self._loops, otherwise, naming, by_place=by_place)

    def operator(
        self, forward: Callable[..., Any], reflected: Callable[..., Any] | None = None
    ) -> Operator:
        """Return an operator of handles.

        Args:
            forward: The Python function that answers all other operands.
            reflected: The same for `y + x` where only `x` is a handle: of `x` and `y`. For
                `x[key] = y` it is what `del x[key]` does.
        """
        return Operator(self._loops, forward, reflected)

    def learn(self, given: tuple[int | type, ...], loop: Loop) -> None:
        """Record operands of these dtype codes or Python types by a loop from now on."""
        direct = loop.direct and complex not in given  # those are no constants of steps
        if not (direct or _converts_scalars(given, loop)):
            return
        if loop.operand == BOOL and (int in given or float in given):
            return  # numbers of other types are converted to their truth
        first, *second = (kind if isinstance(kind, int) else _NUMBER_KINDS[kind] for kind in given)
        kind = second[0] if second else 0
        limits = max(loop.low, int(_INT64.min)), min(loop.high, int(_INT64.max))
        learnt = first, kind, loop.code, loop.result, limits, direct
        self.take(*learnt)
        if self._name:
            LEARNT.append((self._name, *learnt))

    def take(self, *learnt: Any) -> None:
        """Record by a loop that was learnt, here or by another process."""
        machine.learn(self._loops, *learnt)


RECORDERS: dict[str, Recorder] = {}
"""Those with names: of the package's ufuncs."""
LEARNT: list[tuple[Any, ...]] = []
"""What they have learnt: names, and what `Recorder.take` is given."""


def _converts_scalars(given: tuple[int | type, ...], loop: Loop) -> bool:
    """Whether a loop takes known scalars of other dtypes, as numbers of its own."""
    plain = loop.operand != BOOL and loop.after is None and loop.answer is None
    # beside integers with sign, these are compared as what they are
    return plain and UINT64 not in given
