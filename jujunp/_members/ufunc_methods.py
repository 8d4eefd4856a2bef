"""The methods of ufuncs beside the call: reduce, accumulate, reduceat and at."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL, DTYPES, INT64, is_integer

from .._array.arguments import axis_of
from .._array.array_likes import as_handle
from .._array.handle import Handle, header, ndarray
from .._array.index_keys import is_basic
from .._array.indexing import scatter
from .._array.making import as_code, filled, reshape, view
from .._array.outputs import output_of, put_out
from .._functions.creation.arrays import asarray
from .._functions.creation.ranges import iota
from .._functions.indexing.taking import unravel_index
from .._functions.reductions.reduce import dtypes_of, reduce
from .._functions.reductions.scans import accumulate
from .._functions.searching.sorting import argsort, searchsorted
from .._ufuncs.ufunc import UFUNCS, ufunc

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
_REDUCTIONS = {
    **{(name, False): kernel for name, kernel in _SCATTERS.items() if name != "subtract"},
    **{(name, True): "scatter_max" for name in ("add", "maximum", "logical_or", "bitwise_or")},
    **{
        (name, True): "scatter_min"
        for name in ("multiply", "minimum", "logical_and", "bitwise_and")
    },
}
"""The kernel that reduces with a ufunc, by its name and whether the elements are bool."""
_LONG_PART = 2048
"""Elements that take longer to be reduced than a reduction takes to be recorded."""


def at(function: ufunc, a: Any, indices: Any, b: Any = None, /) -> None:
    """Apply a ufunc to the elements at some indices, in place, once for each time they occur.

    Args:
        function: The ufunc, of one operand or two.
        a: The array.
        indices: What could stand in `a[indices]`.
        b: The second operand of a ufunc of two; it broadcasts to `a[indices]`.
    """
    room()
    if not isinstance(a, ndarray):
        raise TypeError("first operand must be array")
    if (function.nin == 2) != (b is not None):
        raise ValueError("second operand needed for ufunc" if b is None else "one operand expected")
    key = indices if isinstance(indices, tuple) else (indices,)
    if is_basic(key):
        seen: Any = a[key]
        a[key] = function(seen) if b is None else function(seen, b)
        return
    if a._readonly:
        raise ValueError("assignment destination is read-only")
    other = None if b is None else as_handle(b)
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
    kinds = DTYPES[loop.result].kind, DTYPES[a._code].kind
    truncates = kinds[0] == "f" and kinds[1] != "f"
    return None if truncates or (kinds[0] != "b" and kinds[1] == "b") else OPCODES[name]


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
        at_once = unravel_index(places[chosen], a._shape)
        now = a[at_once]
        a[at_once] = function(now) if b is None else function(now, b[chosen])


def reduceat(
    function: ufunc, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    """Reduce the parts of an axis that start at the indices; computes the indices.

    Part k runs from index k to index k + 1, or to the end for the last. Where the next index is
    not larger, it is the one element at index k.
    """
    room()
    x: Any = as_handle(array)
    found = np.asarray(indices)
    starts = found.astype(np.intp, casting="same_kind" if found.size else "unsafe")
    along = axis_of(axis, len(x._shape))
    size = x._shape[along]
    outside = starts[(starts < 0) | (starts >= size)]
    if outside.size:
        name = function.__name__
        raise IndexError(f"index {outside[0]} out-of-bounds in {name}.reduceat [0, {size})")
    shape = (*x._shape[:along], len(starts), *x._shape[along + 1 :])
    target = output_of(out)
    wanted = None if dtype is None else np.dtype(dtype)
    codes = dtypes_of(function.numpy, x._code, wanted, None if target is None else target._code)
    if len(starts) * _LONG_PART > size:
        scattered = _reduced_by_scatter(function, x, starts, along, codes[1])
        if scattered is not None:
            return put_out(scattered, target, "unsafe")
    result: Any = filled(shape, 0, codes[1]) if target is None else target
    before = (slice(None),) * along
    parts = itertools.pairwise([*starts.tolist(), size])
    for k, (start, end) in enumerate(parts):
        part = view(x, header(x)[(*before, slice(start, max(end, start + 1)))])
        result[(*before, k)] = reduce(function, part, along, dtype)
    return result


def _reduced_by_scatter(
    function: ufunc, x: Any, starts: np.ndarray, axis: int, code: int
) -> Any | None:
    """Reduce parts of an axis, each element added where its part is; None if that is not all.

    For rising starts and functions with a kernel; float16 would be rounded at each step.
    """
    rising = bool((np.diff(starts) > 0).all())
    name = _REDUCTIONS.get((function.key, code == BOOL))
    if not rising or name is None or DTYPES[code] == np.float16:
        return None
    ends = filled((x._shape[axis] - int(starts[0]),), 0, INT64)
    ends[asarray(starts[1:] - starts[0])] = 1
    elements = as_code(view(x, np.moveaxis(header(x), axis, 0)), code)
    first = elements[asarray(starts)]
    if name in ("scatter_add", "scatter_mul"):
        identity = -0.0 if name == "scatter_add" and not is_integer(code) else name == "scatter_mul"
        first = filled(first._shape, identity, code)
    part_of, rest = accumulate(UFUNCS["add"], ends), elements[int(starts[0]) :]
    scatter(first, (part_of,), rest, OPCODES[name], inside=True)
    return view(first, np.moveaxis(header(first), 0, axis))


METHODS = {"reduce": reduce, "accumulate": accumulate, "reduceat": reduceat, "at": at}
"""Of ufuncs, not of arrays."""
