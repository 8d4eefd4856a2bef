"""Choosing elements by conditions: where, select, nonzero and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import BOOL, DTYPES, INT64, Foreign

from ..._array.arguments import check_few_axes, common_code, sequence_of
from ..._array.array_likes import OfNumpy, as_array, as_handle, operand, parsed
from ..._array.broadcasting import broadcast
from ..._array.elementwise import elementwise, fitting, pick
from ..._array.handle import Array, Handle
from ..._array.index_keys import flat_nonzero
from ..._array.index_keys import nonzero as _nonzero
from ..._array.indexing import select_into
from ..._array.making import as_code, as_copied, reshape, scalar_if_0d
from ..._array.outputs import check_cast, check_writeable, put_out
from ..._array.promotion import as_number
from ..._calls.traits import at_once, uniform
from ..._ufuncs.arguments import NO_VALUE, check_arguments
from ..manipulation.joining import stack
from ..manipulation.rearranging import resize

__all__ = [
    "argwhere",
    "choose",
    "copyto",
    "extract",
    "flatnonzero",
    "nonzero",
    "putmask",
    "select",
    "where",
]

MODES = ("raise", "wrap", "clip")
"""What may become of indices out of bounds."""
_SELECT = OPCODES["select_n"]
_MOST_CHOICES = 64
"""Of choices and the array together, as in NumPy."""


def truth(x: Any) -> Any:
    """Return an array_like as a bool handle: whether elements are not zero."""
    return as_code(as_handle(x), BOOL)


@at_once("places along axes")
@uniform
def where(condition: Any, x: Any = NO_VALUE, y: Any = NO_VALUE, /) -> Any:
    """Return the elements of `x` where a condition holds, and of `y` elsewhere.

    All three broadcast. Without `x` and `y`, the indices of the true elements, as `nonzero`;
    ValueError when only one is given.
    """
    room()
    if x is NO_VALUE and y is NO_VALUE:
        return nonzero(condition)
    if x is NO_VALUE or y is NO_VALUE:
        raise ValueError("either both or neither of x and y should be given")
    return pick(truth(condition), operand(x), operand(y))


@uniform
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return, for each element, that of the first choice whose condition holds, or the default.

    ValueError for lists of different lengths or empty ones, TypeError for conditions not bool.
    """
    room()
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    choices = [operand(x) for x in (*choicelist, default)]
    masks = [as_handle(x) for x in condlist]
    for place, mask in enumerate(masks):
        if mask._code != BOOL:
            raise TypeError(f"invalid entry {place} in condlist: should be boolean ndarray")
    code = common_code(choices)
    last = choices.pop()
    found = fitting(last if isinstance(last, Handle) else np.array(last).astype(DTYPES[code]), code)
    for mask, choice in zip(reversed(masks), reversed(choices), strict=True):
        found = elementwise(_SELECT, code, (mask, found, _choice(choice, code)))
    return found


def _choice(choice: Any, code: int) -> Any:
    """Return a choice in a dtype; an integer is cast, since NumPy makes an array of it first."""
    if type(choice) is not int:
        return fitting(choice, code)
    own = np.asarray(choice)
    if not np.can_cast(own.dtype, DTYPES[code], "same_kind"):
        raise TypeError(
            f"Cannot cast array data from {own.dtype!r} to {DTYPES[code]!r} "
            "according to the rule 'same_kind'"
        )
    return own.astype(DTYPES[code]).item()


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Return, for each element, that of the choice whose number an integer array holds.

    `mode` says what becomes of numbers that are too small or large: ValueError (which computes
    them), or "wrap" around, or "clip". TypeError when the array is not of integers.
    """
    room()
    if mode not in MODES:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    index: Any = as_handle(a)
    parts = [operand(x) for x in sequence_of(choices)]
    check_cast(index._code, INT64, "safe")
    if not parts:
        raise ValueError("invalid number of choices")
    if len(parts) >= _MOST_CHOICES:
        raise ValueError(f"Need at least 0 and at most {_MOST_CHOICES} array objects.")
    check_few_axes(len(index._shape))
    index = as_code(index, INT64)
    count = len(parts)
    if mode == "wrap":
        index = index % count
    elif mode == "clip":
        index = elementwise(OPCODES["clamp"], INT64, (0, index, count - 1))
    elif bool(((index < 0) | (index >= count)).any()):
        raise ValueError("invalid entry in choice array")
    code = common_code(parts)
    parts = [as_handle(x) for x in parts]
    found = parts[0]
    for number, part in enumerate(parts):
        found = elementwise(_SELECT, code, (index == number, found, part))
    if out is None:
        return scalar_if_0d(found)
    if isinstance(out, Array) and out._shape != found._shape:
        raise TypeError("choose: invalid shape for output array.")
    return put_out(found, out, "unsafe")


# -- where elements are not zero


@at_once("places along axes")
def nonzero(a: Any) -> tuple[Any, ...]:
    """Return the indices of the elements that are not zero, an int64 array for each axis.

    Their number is computed. ValueError for an array without axes.
    """
    room()
    mask = truth(a)
    if not mask._shape:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. "
            "Use np.atleast_1d(scalar).nonzero() instead. If the context of this error is of "
            "the form `arr[nonzero(cond)]`, just use `arr[cond]`."
        )
    return tuple(_nonzero(mask))


@at_once("flat places")
def flatnonzero(a: Any) -> Any:
    """Return the indices, in the array as one dimension, of the elements that are not zero."""
    room()
    return flat_nonzero(truth(a))


@at_once("rows of places")
def argwhere(a: Any) -> Any:
    """Return the indices of the elements that are not zero, a row for each of them."""
    mask = truth(a)
    if mask._shape:
        return stack(nonzero(mask)).T
    return as_array(stack([flat_nonzero(mask)], 1))[:, :0]


# -- writing where a mask is true


@at_once("a write to all")
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write an array_like into an array, broadcast, and with a mask only where that is true.

    TypeError when the dtypes do not cast by the rule, ValueError when shapes do not fit or the
    array is read-only.
    """
    room()
    check_target(dst, "copyto")
    check_arguments(casting, "K", False)
    source = _source(src, dst, casting)
    if where is True:
        dst[...] = source
        return
    mask = parsed(where, BOOL)
    check_cast(mask._code, BOOL, "safe")
    if isinstance(source, Handle):
        source = _without_ones(source, len(dst._shape))
    for x in (mask, source):
        if isinstance(x, Handle) and broadcast(x._shape, dst._shape) != dst._shape:
            raise ValueError(
                f"could not broadcast input array from shape {x._shape} into shape {dst._shape}"
            )
    select_into(dst, mask, _calm(source, mask, dst))


def _source(src: Any, dst: Handle, casting: str) -> Any:
    """Return what is to be written to an array: a handle, or a number that its dtype holds.

    TypeError unless it casts by the rule; Python numbers cast to every dtype of their kind.
    """
    if type(src) in (int, float, complex):
        return _number(src, dst, casting)
    source = as_handle(src)
    check_cast(source._code, dst._code, casting)
    return as_copied(source, dst._code)


def _number(src: Any, dst: Handle, casting: str) -> Any:
    """Return a Python number to write, which promotes with the array before it is cast."""
    code = common_code((dst, src))
    if casting == "equiv" and np.asarray(src).dtype != DTYPES[code]:
        raise TypeError(
            f"cannot cast Python {type(src).__name__} to {DTYPES[code]} "
            "under the casting rule 'equiv'"
        )
    number = as_number(src, code)
    check_cast(code, dst._code, casting)
    return number if code == dst._code else as_handle(number, code)


def _without_ones(source: Handle, ndim: int) -> Handle:
    """Return what is written to `ndim` axes without leading axes of length one, if it has more."""
    spare = max(len(source._shape) - ndim, 0)
    ones = spare > 0 and set(source._shape[:spare]) == {1}
    return reshape(source, source._shape[spare:]) if ones else source


def _calm(source: Any, mask: Handle, dst: Any) -> Any:
    """Return what a masked write reads, which warns of no conversion that NumPy does not make.

    One element for several is converted once, whatever the mask.
    """
    if not isinstance(source, Handle) or source._code == dst._code:
        return source
    once = not source._shape and dst.size > 1
    return source if once or DTYPES[source._code].kind not in "fc" else pick(mask, source, 1)


def check_target(x: Any, name: str) -> None:
    """Raise unless an argument is an array that can be written."""
    if not isinstance(x, Array):
        kind = OfNumpy if isinstance(x, np.ndarray) else TypeError
        raise kind(f"{name}() argument 1 must be an ndarray, not {type(x).__name__}")
    check_writeable(x, "assignment destination is read-only")


def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """Write values where a mask of as many elements is true, each at its own place.

    When there are fewer values than elements, they are repeated. They are converted to the dtype of
    the array.
    """
    room()
    check_target(a, "putmask")
    condition: Any = truth(mask)
    source: Any = parsed(values, a._code)
    if condition.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    check_cast(source._code, a._code, "safe")
    if not source.size:
        return
    if source._shape != a._shape:
        source = resize(source, a._shape)
    select_into(a, reshape(condition, a._shape), source)


def extract(condition: Any, arr: Any) -> Any:
    """Return the elements where a condition holds, in one dimension; computes their number."""
    room()
    places = flat_nonzero(truth(condition))
    return reshape(as_handle(arr), (-1,))[places]


def _choose_method(self: Any, *choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Return, for each element, that of the choice whose number it is: of one sequence, or more."""
    if not choices:
        raise TypeError("choose() takes exactly 1 argument (0 given)")
    given = choices[0] if len(choices) == 1 else choices
    try:
        return choose(self, given, out, mode)
    except Foreign:
        return package().choose(self, given, out, mode)


METHODS = {"choose": _choose_method, "nonzero": nonzero}
