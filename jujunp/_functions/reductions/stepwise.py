"""Reducing and accumulating with ufuncs that have no kernel for it: step by step, or by halves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._array.elementwise import pick
from ..._array.handle import Handle, header
from ..._array.making import as_code, filled, reshape, scalar_if_0d, view

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Scalar

    from ..._ufuncs.ufunc import ufunc


def reduce_stepwise(
    function: ufunc,
    x: Handle,
    axes: tuple[int, ...],
    code: int,
    start: Scalar | None,
    mask: Handle | None,
) -> Any:
    """Return an array reduced over axes, which are gone then.

    Args:
        function: A ufunc of two operands; one axis only, unless it is associative.
        x: The array, of the dtype that the ufunc's second operand has.
        axes: The axes.
        code: Dtype code of the result.
        start: What comes before the first element; needed where there may be none.
        mask: The elements to take; it broadcasts to the array, and there is a start.
    """
    lines = _merged(x, axes)
    if mask is not None:
        mask = _merged(view(mask, np.broadcast_to(header(mask), x._shape)), axes)
    if function.associative and not _in_order(function, lines._shape[0]):
        found = _by_halves(function, lines, start, mask)
    else:
        found = _in_steps(function, lines, code, start, mask)
    found = as_code(found, code)
    return scalar_if_0d(found)


_ROUNDING = frozenset(("hypot", "logaddexp", "logaddexp2"))
_FEW = 1024


def _in_order(function: ufunc, size: int) -> bool:
    """Whether elements are taken one by one, so that a ufunc rounds as NumPy's does."""
    return function.key in _ROUNDING and size <= _FEW


def _merged(x: Any, axes: tuple[int, ...]) -> Any:
    """Return an array with some axes merged into one, which is the first."""
    kept = [at for at in range(len(x._shape)) if at not in axes]
    length = math.prod([x._shape[at] for at in axes])
    turned = view(x, header(x).transpose(*sorted(axes), *kept))
    return reshape(turned, (length, *[x._shape[at] for at in kept]))


def _by_halves(function: ufunc, x: Any, start: Scalar | None, mask: Handle | None) -> Any:
    neutral = function.identity if function.identity is not None else start
    if mask is not None:
        x = pick(mask, x, neutral)
    if not x._shape[0]:
        assert start is not None, "a reduction of nothing starts somewhere"
        return filled(x._shape[1:], start, x._code)
    while x._shape[0] > 1:
        size = x._shape[0]
        half = size // 2
        found: Any = function(x[:half], x[half : 2 * half])
        if size % 2:
            found[-1:] = function(found[-1:], x[-1:])
        x = found
    found = x[0, ...]
    return found if start is None else function(found, start)


def _in_steps(function: ufunc, x: Any, code: int, start: Scalar | None, mask: Any | None) -> Handle:
    found = as_code(x[0, ...], code) if start is None else filled(x._shape[1:], start, code)
    for at in range(start is None, x._shape[0]):
        new: Any = function(found, x[at, ...])
        found = new if mask is None else pick(mask[at, ...], new, found)
    return found


def accumulate_stepwise(function: ufunc, x: Any, axis: int, code: int) -> Any:
    """Return all the partial results, of a dtype code, of reducing an axis of an array."""
    x = view(x, np.moveaxis(header(x), axis, 0))
    size = x._shape[0]
    found: Any = as_code(x, code).copy()
    if function.associative and not _in_order(function, size):
        distance = 1
        while distance < size:
            found[distance:] = function(found[:-distance], found[distance:])
            distance *= 2
    else:
        for at in range(1, size):
            found[at] = function(found[at - 1], x[at])
    return view(found, np.moveaxis(header(found), 0, axis))
