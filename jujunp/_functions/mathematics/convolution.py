"""Convolution and correlation of two sequences."""

from __future__ import annotations

from typing import Any

from jujunp.lazy.run.flush import room

from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header
from ..._array.making import convert, view
from ..._array.promotion import result_code
from ..._array.steps import array_result, kernel
from ..._calls.traits import uniform_in_order
from ..._ufuncs.ufunc import conjugated

__all__ = [
    "convolve",
    "correlate",
]

_MODES = ("valid", "same", "full")


def _sequence(x: Any) -> Handle:
    """Return an array_like of one dimension; ValueError for others."""
    found = as_handle(x)
    if len(found._shape) != 1:
        much = "too deep" if found._shape else "of too small depth"
        raise ValueError(f"object {much} for desired array")
    return found


def _padding(mode: Any, length: int) -> tuple[int, int]:
    """Return how many zeros go before and behind the longer sequence."""
    if isinstance(mode, int):
        if not 0 <= mode < len(_MODES):
            raise ValueError("integer convolve/correlate mode must be 0, 1, or 2")
        mode = _MODES[mode]
    if not isinstance(mode, str):
        raise TypeError(f"mode must be a string or an integer, not {type(mode).__name__}")
    if mode not in _MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    if mode == "valid":
        return 0, 0
    if mode == "full":
        return length - 1, length - 1
    return length // 2, length - 1 - length // 2


def _reversed(x: Handle) -> Any:
    return view(x, header(x)[::-1])


def _correlated(a: Handle, v: Handle, mode: Any) -> Any:
    """Return the sums of products of `v` with each part of `a` of its length."""
    longer, shorter = a._shape[0], v._shape[0]
    if shorter > longer:
        return _reversed(_correlated(v, a, mode)).copy()
    before, behind = _padding(mode, shorter)
    code = result_code(a._code, v._code)
    operands = [_image(x if x._code == code else convert(x, code)) for x in (a, v)]
    count = before + longer + behind - shorter + 1
    # one axis and one group; no steps, the sums beyond the ends, no gaps: see `conv.mojo`
    params = (1, 1, 1, 0, 1, before, behind, 1, 1)
    value = kernel("conv_general_dilated", operands, (1, 1, count), code, params)
    found = array_result(value, code)
    return view(found, header(found)[0, 0])


def _image(x: Any) -> Any:
    """Return a sequence as a batch of one image of one channel: a view."""
    return view(x, header(x)[None, None])


@uniform_in_order
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """Return the cross-correlation of two sequences: sums of products at each shift.

    Args:
        a: The one sequence.
        v: The other, which is conjugated; both need an element at least, else ValueError.
        mode: "full" for all shifts at which the two overlap, "same" for as many as the longer has
            elements, "valid" for those at which the shorter is covered.
    """
    room()
    x, y = _sequence(a), _sequence(v)
    for which, one in (("first", x), ("second", y)):
        if not one._shape[0]:
            raise ValueError(f"{which} array argument cannot be empty")
    return _correlated(x, conjugated(y), mode)


@uniform_in_order
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """Return the convolution of two sequences: the correlation with the second reversed.

    The mode is that of `correlate`. ValueError when a sequence is empty.
    """
    room()
    x, y = (_sequence(one if as_handle(one)._shape else [one]) for one in (a, v))
    for name, one in (("a", x), ("v", y)):
        if not one._shape[0]:
            raise ValueError(f"{name} cannot be empty")
    if y._shape[0] > x._shape[0]:
        x, y = y, x
    return _correlated(x, _reversed(y), mode)
