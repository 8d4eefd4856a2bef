"""Methods that record without a Python frame, for the usual operands.

They are written in Mojo (kernels/vm/record/record.mojo).

Each stands before a Python function, which it calls for all other operands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.values.dtypes import BOOL, DTYPES
from jujunp.lazy.values.value import LIMIT, LOG

from .handle import COPIES, STORES, Handle, ndarray, scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from .promotion import Loop

_NUMBER_KINDS: dict[type, int] = {
    kind: machine.CONSTANTS[kind.__name__] for kind in (bool, int, float)
}
_INT64 = np.iinfo(np.int64)


def _bind() -> None:
    """Tell where the fields of a handle lie, and what else recording must know."""
    names = (name for name in Handle.__slots__ if name != "__weakref__")
    probe, facts = machine.probed(ndarray, names)
    facts |= {
        "ndarray": ndarray,
        "scalar": scalar,
        "int": int,
        "bool": bool,
        "tuple": tuple,
        "slice": slice,
        "ellipsis": ...,
        "false": False,
        "copies": COPIES,
        "stores": STORES,
        "log": LOG,
        "limit": LIMIT,
    }
    machine.bind_handles(machine.STATE, probe, facts)


_bind()


class Recorder:
    """Methods of arrays that record one function, fast for operands whose loop they know."""

    def __init__(self) -> None:
        self._loops = machine.new_loops()

    def method(self, kind: str, otherwise: Callable[..., Any]) -> Any:
        """Return a method.

        Args:
            kind: "unary" (`-x`), "binary" (`x + y`), "augmented" (`x += y`), "get_item" or
                "set_item".
            otherwise: The Python function that it calls for all other operands.
        """
        return machine.method(machine.STATE, kind, self._loops, otherwise)

    def learn(self, given: tuple[int | type, ...], loop: Loop) -> None:
        """Record operands of these dtype codes or Python types by a loop from now on."""
        if not loop.direct or complex in given:
            return
        first, *second = (kind if isinstance(kind, int) else _NUMBER_KINDS[kind] for kind in given)
        if first >= len(DTYPES):
            return
        kind = second[0] if second else 0
        if loop.operand == BOOL and kind in (_NUMBER_KINDS[int], _NUMBER_KINDS[float]):
            return  # numbers of other types are converted to their truth
        limits = max(loop.low, int(_INT64.min)), min(loop.high, int(_INT64.max))
        machine.learn(self._loops, first, kind, loop.code, loop.result, limits)
