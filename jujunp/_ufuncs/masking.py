"""Operands of calls with `where=`: what is left out is computed, too, and must not warn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jujunp.lazy.run.machine import CONSTANTS, warning_operations
from jujunp.lazy.values.dtypes import is_integer

from .._array.elementwise import pick
from .._array.making import as_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._array.handle import Handle
    from .._array.promotion import Loop

_WARNS = warning_operations()
_NEVER, _OF_FLOATS = CONSTANTS["warns never"], CONSTANTS["warns of floats"]
_CALM = {"arctanh": 0}
"""By function: a number of which it raises nothing, where that is not 1."""


def may_warn(loop: Loop) -> bool:
    """Whether anything can be warned of in a loop."""
    opcode = loop.code & 0xFFFF
    kind = _WARNS[opcode] if opcode < len(_WARNS) else _NEVER  # those of users never do
    return kind != _NEVER and not (kind == _OF_FLOATS and is_integer(loop.operand))


def calmed(key: str, loop: Loop, operands: Sequence[Handle], mask: Handle) -> list[Handle]:
    """Return operands in the loop's dtype, which raise nothing where a mask is false."""
    calm = _CALM.get(key, 1)
    return [pick(mask, as_code(x, loop.operand), calm) for x in operands]
