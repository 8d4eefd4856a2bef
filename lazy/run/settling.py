"""Settling: what can raise for its values is made sure of when it is recorded, as NumPy raises.

A factorization runs where it is recorded, with all that is pending (`settle`). An index array is
computed there if need be, and looked through once (`check_indices`); what it indexes stays pending.
Within `deferred_errors` neither happens: the flush raises, and names the line that recorded the
step.
"""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ..values.dtypes import DTYPES, is_integer
from ..values.value import Value, dtype_code, opcode, operand_dtype
from . import machine
from .flush import LOCK, ensure, flush
from .machine import OPCODES
from .watching import WATCHES, Check, Flush, is_sampling, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from ..values.types import Shape

    Limits = tuple[int, int]


class _Deferring(threading.local):
    blocks = 0
    """How many blocks of `deferred_errors` this thread is in."""


_deferring = _Deferring()
_open_blocks = 0
"""How many there are in all threads."""


def _count_blocks(change: int) -> None:
    """Count blocks, also for the library: while there are any, Python functions record calls."""
    global _open_blocks
    _deferring.blocks += change
    _open_blocks += change
    machine.set_deferring(_open_blocks)


class deferred_errors:
    """For a block, let what raises for its values stay pending, as a context manager.

    Outside of one, an index array is checked, and a factorization run, by the call that takes it,
    so that `try` around the call sees NumPy's exception. In the block they are recorded like all
    else: IndexError and LinAlgError come when something is computed, at the latest at the end of
    the block, and name the line of the call. It is for this thread; blocks can be nested.
    """

    def __enter__(self) -> deferred_errors:
        _count_blocks(1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _count_blocks(-1)
        if kind is None and not _deferring.blocks:
            flush()


@contextmanager
def unchecked() -> Iterator[None]:
    """Let what raises for its values stay pending for a block, and after it."""
    _count_blocks(1)
    try:
        yield
    finally:
        _count_blocks(-1)


def deferring() -> bool:
    """Whether what can raise for its values is to stay pending."""
    return _deferring.blocks > 0


def settle() -> None:
    """Compute what was recorded, which can raise, unless errors are deferred."""
    if not _deferring.blocks:
        note(Flush())
        flush()


def check_indices(
    value: Value, layout: np.ndarray | None, code: int, size: int, axis: int, now: bool = False
) -> None:
    """Raise IndexError, as NumPy does, for an index out of bounds, unless errors are deferred.

    Args:
        value: The integers; computed, if pending, unless the step that gives them says enough.
        layout: How they are read, None for all in order.
        code: Their dtype code, as they are read.
        size: That of the axis; indices may be negative once over.
        axis: Its number, for the message.
        now: Whether they are known: then they are checked even if errors are deferred.
    """
    if _deferring.blocks and not now:
        return
    bad = first_outside(value, layout, code, -size, size)
    if bad is not None:
        raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {size}")


def first_outside(
    value: Value, layout: np.ndarray | None, code: int, low: int, high: int
) -> int | None:
    """Return the first of some integers that is not in low .. high - 1, None if there is none.

    The arguments are those of `check_indices`. What has been found to be inside is remembered.
    """
    before = machine.reads()
    bad = None if is_sampling() else _first_outside(value, layout, code, low, high)
    if bad is None and WATCHES:
        note(Check(value, layout, code, low, high), machine.reads() - before)
    return bad


def _first_outside(
    value: Value, layout: np.ndarray | None, code: int, low: int, high: int
) -> int | None:
    known = getattr(value, "within", None)
    if known is None and value.buffer is None:
        with LOCK:  # what another thread computes loses its history
            known = _limits(value)
    if known is not None and low <= known[0] and known[1] <= high and code == dtype_code(value):
        return None
    ensure(value)
    count = math.prod(value.shape)
    limits = low, high
    bad: int | None = machine.outside(machine.STATE, value.buffer, layout, code, count, limits)
    if bad is None and layout is None and not machine.is_pinned(value):
        value.within = limits
    return bad


# -- what pending steps say of their results: the least integer, and the least above all of them


def _limits(value: Value, depth: int = 8) -> Limits | None:
    """Return limits of the integers that a pending step gives; None if it does not tell."""
    rule = _RULES.get(opcode(value))
    return rule(value, depth - 1) if rule and depth and value.buffer is None else None


def _seen_shape(value: Value, place: int) -> Shape | None:
    """Return the shape of an operand, as a step reads it; None of a number."""
    operand = value.inputs[place]
    layout = value.layouts[place] if value.layouts else None
    if layout is not None:
        return layout.shape
    return operand.shape if isinstance(operand, Value) else None


def _of_operand(value: Value, depth: int, place: int = 0) -> Limits | None:
    """Return the limits of an operand that is read in its own dtype."""
    operand = value.inputs[place] if place < len(value.inputs) else None
    if not isinstance(operand, Value):
        return None
    layout = value.layouts[place] if value.layouts else None
    if layout is not None and layout.dtype != DTYPES[dtype_code(operand)]:
        return None
    known: Limits | None = getattr(operand, "within", None)
    return known or _limits(operand, depth)


def _counted(value: Value, depth: int) -> Limits | None:
    return 0, max(value.shape, default=0)


def _places(value: Value, depth: int) -> Limits | None:
    """Return the limits of places in all of the operand; along one axis, if the params name it."""
    shape = _seen_shape(value, 0)
    if shape is None:
        return None
    (axis,) = value.params or (-1,)
    return 0, math.prod(shape) if axis < 0 else shape[axis]


def _sorted(value: Value, depth: int) -> Limits | None:
    """Return the limits of what is sorted: with others, it stands in the place of its result."""
    if opcode(value) != OPCODES["project"]:
        return _of_operand(value, depth)
    (kernel,), (place,) = value.inputs, value.params or (0,)
    if not isinstance(kernel, Value) or opcode(kernel) != OPCODES["sort"]:
        return None
    return _of_operand(kernel, depth, place)


def _converted(value: Value, depth: int) -> Limits | None:
    """Return the limits of integers of another dtype, which has all of them."""
    found, code = _of_operand(value, depth), dtype_code(value)
    if found is None or not (is_integer(operand_dtype(value)) and is_integer(code)):
        return None
    holds = np.iinfo(DTYPES[code])
    return found if holds.min <= found[0] and found[1] - 1 <= holds.max else None


def _remainder(value: Value, depth: int) -> Limits | None:
    by = value.inputs[1]
    return (0, by) if type(by) is int and by > 0 else None


def _quotient(value: Value, depth: int) -> Limits | None:
    found, by = _of_operand(value, depth), value.inputs[1]
    if found is None or type(by) is not int or by <= 0:
        return None
    return found[0] // by, (found[1] - 1) // by + 1


_RULES: dict[int, Callable[[Value, int], Limits | None]] = {
    OPCODES[name]: rule
    for name, rule in {
        "iota": _counted,
        "nonzero": _places,
        "argmax": _places,
        "argmin": _places,
        "sort": _sorted,
        "project": _sorted,
        "copy": _of_operand,
        "convert_element_type": _converted,
        "remainder": _remainder,
        "floor_divide": _quotient,
    }.items()
}
"""What a step's opcode and operands tell of the integers that it gives."""
