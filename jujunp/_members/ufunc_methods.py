"""The methods of ufuncs beside the call: reduce, accumulate, reduceat and at."""

from __future__ import annotations

import contextlib
import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.settling import first_outside
from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT16, FLOAT32, INT64, UINT64, is_integer

from .._array.arguments import single_axis
from .._array.array_likes import OfNumpy, as_handle, check_asked, check_own, parsed
from .._array.handle import Array, Handle, header, to_numpy, value_of
from .._array.index_keys import is_basic
from .._array.indexing import scatter
from .._array.making import as_code, filled, reshape, view, wrap
from .._array.outputs import output_of, put_out
from .._array.steps import kernel
from .._calls.traits import at_once, uniform
from .._functions.creation.ranges import iota
from .._functions.indexing.taking import unravel_index
from .._functions.reductions.reduce import dtypes_of, folding, reduce
from .._functions.reductions.scans import accumulate
from .._functions.searching.sorting import argsort, searchsorted
from .._ufuncs.ufunc import UFUNCS, ufunc

if TYPE_CHECKING:
    from collections.abc import Callable

_SCATTERS = {
    "add": "scatter_add",
    "subtract": "scatter_add",
    "multiply": "scatter_mul",
    "maximum": "scatter_max",
    "minimum": "scatter_min",
}
"""The kernel that updates elements with a ufunc; subtraction adds the negative."""
_BOOLEAN = {"add": "scatter_max", "multiply": "scatter_min"}
"""The same where the elements are bool."""
_SEGMENTED = {
    OPCODES[f"reduce_{name}"]: place
    for place, name in enumerate(
        ("sum", "prod", "max", "min", "and", "or", "xor", "fmax", "fmin"),
    )
}
"""By the kernel that reduces, the number of its operation for the kernel of `reduceat`."""


def at(function: ufunc, a: Any, indices: Any, b: Any = None, /) -> None:
    """Apply a ufunc to the elements at some indices, in place, once for each time they occur.

    Args:
        function: The ufunc, of one operand or two.
        a: The array.
        indices: What could stand in `a[indices]`.
        b: The second operand of a ufunc of two; it broadcasts to `a[indices]`.
    """
    room()
    check_own((a, indices, b))
    if not isinstance(a, Array):
        kind = OfNumpy if isinstance(a, np.ndarray) else TypeError
        raise kind("first operand must be array")
    if (function.nin == 2) != (b is not None):
        raise ValueError("second operand needed for ufunc" if b is None else "one operand expected")
    key = indices if isinstance(indices, tuple) else (indices,)
    if is_basic(key):
        seen: Any = a[key]
        found = function(seen) if b is None else function(seen, b)
        a[key] = as_code(found, a._code)  # a cast: an element of integers refuses other numbers
        return
    if a._readonly:
        raise ValueError("assignment destination is read-only")
    code = _holding(a, b) if function.key in _SCATTERS else None
    other = None if b is None else as_handle(b, code)
    function.loop_for(a) if other is None else function.loop_for(a, other)  # may raise
    opcode = None if other is None else _scatter_of(function, a, other)
    if other is None or opcode is None:
        _at_in_rounds(function, a, key, other)
        return
    update = as_code(other, a._code)
    scatter(a, key, UFUNCS["negative"](update) if function.key == "subtract" else update, opcode)


def _scatter_of(function: ufunc, a: Handle, b: Any) -> int | None:
    """Return the kernel that updates elements of `a` with those of `b`; None for none."""
    table = {**_SCATTERS, **_BOOLEAN} if a._code == BOOL else _SCATTERS
    name = table.get(function.key)
    if name is None:
        return None
    loop = function.loop_for(a, b)
    wraps = name in ("scatter_add", "scatter_mul") and is_integer(loop.result)
    if loop.result != a._code and not (wraps and is_integer(a._code)):
        return None  # NumPy computes in the wider dtype, and converts each result
    return OPCODES[name]


def _holding(a: Handle, b: Any) -> int | None:
    """Return the dtype code of an array that holds a number as it is; None of any other.

    A sum or a product of two such numbers, computed in a wider dtype and rounded, is the same.
    """
    dtype = DTYPES[a._code]
    if type(b) is int and dtype.kind in "iu" and a._code != UINT64:
        limits = np.iinfo(dtype)
        return a._code if limits.min <= b <= limits.max else None
    if type(b) in (int, float) and dtype.kind == "f":
        with np.errstate(all="ignore"), contextlib.suppress(OverflowError):
            return a._code if float(dtype.type(b)) == b or b != b else None
    return None


def _at_in_rounds(function: ufunc, a: Any, key: tuple[Any, ...], b: Any) -> None:
    """Apply a ufunc to elements at some indices: the first time they occur, the second, ..

    The indices are computed, to see how often they occur.
    """
    places: Any = reshape(iota(a.size), a._shape)[key]
    if b is not None:
        b = view(b, np.broadcast_to(header(b), places._shape)).reshape(-1)
    places = places.reshape(-1)
    order = argsort(places, stable=True)
    ordered = places[order]
    occurrence = iota(places.size) - searchsorted(ordered, ordered)
    for time in range(int(occurrence.max(initial=-1)) + 1):
        chosen = order[occurrence == time]
        key = unravel_index(places[chosen], a._shape)
        now = a[key]
        a[key] = function(now) if b is None else function(now, b[chosen])


def reduceat(
    function: ufunc, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """Reduce the parts of an axis that start at the indices; computes the indices.

    Part k runs from index k to index k + 1, or to the end for the last. Where the next index is
    not larger, it is the one element at index k.
    """
    room()
    x: Any = as_handle(array)
    starts = _starts(indices)
    if function.nin != 2 or not x._shape:
        function.numpy.reduceat(np.zeros((1,) * len(x._shape)), [0])  # raises
    along = single_axis(axis, len(x._shape), "reduceat")
    size = x._shape[along]
    bad = first_outside(value_of(starts), starts._layout, INT64, 0, size)
    if bad is not None:
        name = function.__name__
        raise IndexError(f"index {bad} out-of-bounds in {name}.reduceat [0, {size})")
    target = output_of(out)
    wanted = None if dtype is None else np.dtype(dtype)
    fold = folding(function, x._code, wanted, None if target is None else target._code)
    if fold is None:
        return _reduced_by_parts(function, x, starts, along, wanted, target)
    # as NumPy, sums and products of half precision are rounded once
    half = fold.result == FLOAT16
    x = as_code(x, FLOAT32 if half else fold.operand)
    shape = (*x._shape[:along], *starts._shape, *x._shape[along + 1 :])
    result = FLOAT32 if half else fold.result
    params = (along, _SEGMENTED[fold.code & 0xFFFF])
    value = kernel("reduceat", [x, starts], shape, x._code, params, result=result)
    return put_out(as_code(wrap(value, shape, result), fold.result), target, "unsafe")


def _starts(indices: Any) -> Handle:
    """Return the indices as an int64 handle; errors are NumPy's."""
    starts = parsed(indices, INT64)
    if starts._code != INT64 or len(starts._shape) != 1:
        shape = tuple(min(extent, 1) for extent in starts._shape)
        np.add.reduceat(np.zeros(1), np.zeros(shape, DTYPES[starts._code]))
    found: Handle = as_code(starts, INT64)
    return found


def _reduced_by_parts(
    function: ufunc, x: Any, starts: Handle, along: int, dtype: Any, target: Any
) -> Any:
    """Reduce parts of an axis by a ufunc that has no kernel, one after the other."""
    places = to_numpy(starts).tolist()
    shape = (*x._shape[:along], len(places), *x._shape[along + 1 :])
    code = dtypes_of(function.numpy, x._code, dtype, None if target is None else target._code)[1]
    result: Any = filled(shape, 0, code) if target is None else target
    before = (slice(None),) * along
    for k, (start, end) in enumerate(itertools.pairwise([*places, x._shape[along]])):
        part = view(x, header(x)[(*before, slice(start, max(end, start + 1)))])
        result[(*before, k)] = reduce(function, part, along, dtype)
    return result


def _asking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method whose operand may wrap what it gives; `out=...` is to be named."""

    @functools.wraps(method)
    def call(function: ufunc, array: Any, *args: Any, **kwargs: Any) -> Any:
        check_asked((array,))
        if any(x is ... for x in args):
            raise TypeError("out=... is only allowed as a keyword argument.")
        return method(function, array, *args, **kwargs)

    return call


METHODS: dict[str, Callable[..., Any]] = {
    **{f.__name__: uniform(_asking(f)) for f in (reduce, accumulate)},
    "reduceat": _asking(reduceat),
    "at": at_once("sums at places")(at),
}
"""Of ufuncs, not of arrays."""
