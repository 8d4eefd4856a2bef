"""Scans: cumulative sums, products, maxima and minima along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL
from jujunp.lazy.values.value import pack, record

from ..._array.arguments import axis_of, single_axis
from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header, ndarray, value_of
from ..._array.making import (
    as_code,
    axes_in_memory,
    convert,
    filled,
    new_array,
    unturned,
    view,
    write,
)
from ..._array.outputs import output_of
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS, ufunc
from .reduce import dtypes_of
from .stepwise import accumulate_stepwise

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
]

_KERNELS = {"add": "cumsum", "multiply": "cumprod", "maximum": "cummax", "minimum": "cummin"}
"""The kernel that scans with a ufunc."""
_BOOLEAN = {
    **dict.fromkeys(("add", "logical_or", "bitwise_or"), "cummax"),
    **dict.fromkeys(("multiply", "logical_and", "bitwise_and"), "cummin"),
    "maximum": "cummax",
    "minimum": "cummin",
}
"""The same where the elements are bool."""


class Scan(NamedTuple):
    """How a scan runs: its opcode and the dtype code it reads and gives."""

    opcode: int
    code: int


_scans: dict[Any, Scan | None] = {}


def scan_of(function: ufunc, code: int, dtype: Any, out: int | None) -> Scan | None:
    """Return how a ufunc scans elements of a dtype code, optionally in a dtype or for an output.

    None where there is no kernel for it.
    """
    key = (function.key, code, dtype, out)
    if key not in _scans:
        _scans[key] = _resolve(function, code, dtype, out)
    return _scans[key]


def _resolve(function: ufunc, code: int, dtype: Any, out: int | None) -> Scan | None:
    result = dtypes_of(function.numpy, code, dtype, out)[1]
    table = _BOOLEAN if result == BOOL else _KERNELS
    kernel = table.get(function.key)
    return None if kernel is None else Scan(OPCODES[kernel], result)


def scanned(x: Handle, scan: Scan, axis: int) -> Any:
    """Record a scan of an array with axes; those of the result lie in memory as the array's."""
    order = axes_in_memory(x, "K")
    if order is not None:
        x, axis = view(x, header(x).transpose(order)), order.index(axis)
    if x._code != scan.code:
        x = convert(x, scan.code)
    code = pack(scan.opcode, scan.code, scan.code)
    layouts = None if x._layout is None else (x._layout,)
    value = record(code, x._shape, (value_of(x),), layouts, (axis, 0))
    return unturned(new_array(value, x._shape, scan.code), order)


def accumulate(
    function: ufunc, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """Return all the partial results of applying a ufunc along an axis, one element at a time.

    Args:
        function: The ufunc, of two operands.
        array: array_like with at least one axis.
        axis: The axis.
        dtype: Dtype to compute in.
        out: Array to write to; its dtype may be any.
    """
    room()
    if function.nin != 2:
        raise ValueError("accumulate only supported for binary functions")
    x = as_handle(array)
    if not x._shape:
        raise TypeError("cannot accumulate on a scalar")
    at = single_axis(axis, len(x._shape), "accumulate")
    return _delivered(function, x, at, dtype, output_of(out))


def _delivered(function: ufunc, x: Handle, axis: int, dtype: Any, out: ndarray | None) -> Any:
    wanted = None if dtype is None else np.dtype(dtype)
    kernel = scan_of(function, x._code, wanted, None if out is None else out._code)
    if kernel is None:
        result = dtypes_of(function.numpy, x._code, wanted, None if out is None else out._code)
        found = accumulate_stepwise(function, as_code(x, result[0]), axis, result[1])
    else:
        found = scanned(x, kernel, axis)
    if out is None:
        return found
    if out._shape != x._shape:
        if not out._shape:  # NumPy's process ends if it is asked
            raise ValueError("the output is of another shape: it has no axes, the array has some")
        stand_in = np.broadcast_to(np.zeros((), np.bool), x._shape)
        np.logical_or.accumulate(stand_in, axis, out=np.empty(out._shape, np.bool))
        raise ValueError("the output does not have the shape of the array")
    write(out, found)
    return out


def _cumulative(name: str, a: Any, axis: Any, dtype: Any, out: Any) -> Any:
    room()
    x: Any = as_handle(a)
    if axis is None or not x._shape:
        x = x.reshape(-1)
        axis = 0 if axis is None else axis
    at = axis_of(axis, len(x._shape))
    return _delivered(UFUNCS[name], x, at, dtype, output_of(out))


@uniform
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the sums of all first elements along an axis, or in C order for None."""
    return _cumulative("add", a, axis, dtype, out)


@uniform
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the products of all first elements along an axis, or in C order for None."""
    return _cumulative("multiply", a, axis, dtype, out)


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """Return the sums of all first elements along an axis; with `include_initial` of none, too.

    The axis may be left out for arrays of one dimension only.
    """
    return _array_api("add", "cumulative_sum", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any:
    """Return the products of all first elements along an axis, as `cumulative_sum` the sums."""
    return _array_api("multiply", "cumulative_prod", x, axis, dtype, out, include_initial)


def _array_api(
    name: str, public: str, x: Any, axis: Any, dtype: Any, out: Any, include_initial: bool
) -> Any:
    room()
    array: Any = as_handle(x)
    if not array._shape:
        array = array.reshape(1)
    if axis is None:
        if len(array._shape) >= 2:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0
    at = axis_of(axis, len(array._shape))
    if not include_initial:
        return _cumulative(name, array, at, dtype, out)
    found = _cumulative(name, array, at, dtype, None)
    target: Any = _room_for_one_more(name, found, at) if out is None else output_of(out)
    first: list[Any] = [slice(None)] * len(array._shape)
    rest = list(first)
    first[at], rest[at] = slice(0, 1), slice(1, None)
    target[tuple(first)] = UFUNCS[name].identity
    target[tuple(rest)] = found
    return target


def _room_for_one_more(name: str, found: Handle, axis: int) -> Any:
    """Return a new array, one longer along an axis."""
    shape: Shape = found._shape
    longer = (*shape[:axis], shape[axis] + 1, *shape[axis + 1 :])
    return filled(longer, UFUNCS[name].identity or 0, found._code)


METHODS = {"cumsum": cumsum, "cumprod": cumprod}
