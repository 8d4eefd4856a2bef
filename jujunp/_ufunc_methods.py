"""The methods of ufuncs beside the call: reduce, accumulate, reduceat and at."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.dtypes import BOOL, DTYPES
from jujunp.lazy.machine import OPCODES

from ._arguments import axis_of
from ._creation import filled
from ._handle import Handle, header
from ._indexing import Advanced, is_basic, scatter
from ._ndarray import as_handle, ndarray, view
from ._protocols import on_host
from ._record import room
from ._reduce import dtypes_of, output_of, reduce
from ._scans import accumulate
from ._ufunc import UFUNCS, ufunc

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


def at(function: ufunc, a: Any, indices: Any, b: Any = None, /) -> None:
    """Apply a ufunc to the elements at some indices, in place, once for each time they occur.

    Args:
        function: The ufunc. With index arrays NumPy computes for others than add, subtract,
            multiply, maximum and minimum, and for float numbers into integers.
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
        seen: Any = a[key]  # type: ignore[index]
        a[key] = function(seen) if b is None else function(seen, b)  # type: ignore[index]
        return
    if a._readonly:
        raise ValueError("assignment destination is read-only")
    opcode = None if b is None else _scatter_of(function, a, b)
    if opcode is None:
        _at_on_host(function, a, indices, b)
        return
    other = as_handle(b)
    update = UFUNCS["negative"](other) if function.__name__ == "subtract" else other
    scatter(a, Advanced(a, key), update, opcode)


def _scatter_of(function: ufunc, a: Handle, b: Any) -> int | None:
    """Return the kernel that updates elements of `a` with those of `b`; None for none."""
    table = {**_SCATTERS, **_BOOLEAN} if a._code == BOOL else _SCATTERS
    name = table.get(function.__name__)
    if name is None:
        return None
    loop = function.loop_for(a, b)
    truncates = DTYPES[loop.result].kind == "f" and DTYPES[a._code].kind != "f"
    return None if truncates else OPCODES[name]


def _at_on_host(function: ufunc, a: Any, indices: Any, b: Any) -> None:
    elements = a.to_numpy()
    given = () if b is None else (b,)
    on_host(f"{function.__name__}.at", function.numpy.at, (elements, indices, *given), {})
    a[...] = elements


def reduceat(
    function: ufunc, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    """Reduce the parts of an axis that start at the indices; computes the indices.

    Part k runs from index k to index k + 1, or to the end for the last. Where the next index is
    not larger, it is the one element at index k.
    """
    room()
    x: Any = as_handle(array)
    starts = np.asarray(indices).astype(np.intp, casting="same_kind").tolist()
    along = axis_of(axis, len(x._shape))
    size = x._shape[along]
    for start in starts:
        if not 0 <= start < size:
            name = function.__name__
            raise IndexError(f"index {start} out-of-bounds in {name}.reduceat [0, {size})")
    shape = (*x._shape[:along], len(starts), *x._shape[along + 1 :])
    target = output_of(out)
    result: Any = target
    if result is None:
        wanted = None if dtype is None else np.dtype(dtype)
        result = filled(shape, 0, dtypes_of(function.numpy, x._code, wanted, None)[1])
    before = (slice(None),) * along
    for k, (start, end) in enumerate(zip(starts, [*starts[1:], size], strict=True)):
        part = view(x, header(x)[(*before, slice(start, max(end, start + 1)))])
        result[(*before, k)] = reduce(function, part, along, dtype)
    return result


UFUNC_METHODS = {"reduce": reduce, "accumulate": accumulate, "reduceat": reduceat, "at": at}
