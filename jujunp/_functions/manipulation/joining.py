"""Joining arrays, and splitting them into views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import code_of

from ..._array.arguments import axis_of, common_code, handles_of, sequence_of, stand_in
from ..._array.array_likes import as_handle, concatenated, operand
from ..._array.handle import Handle, header
from ..._array.making import as_code, reshape, view, write
from ..._array.outputs import check_cast, check_out, check_written
from ..._calls.traits import at_once, uniform
from ..creation.arrays import array

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "row_stack",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]


_MOST = int(np.iinfo(np.intc).max)
"""Arrays that are joined at once."""


@at_once("a concatenation")
@uniform
def concatenate(
    arrays: Any,
    /,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Return arrays one after the other along an axis, or all elements in one dimension for None.

    Their dtypes are promoted, unless a dtype is given. ValueError when there are no arrays, or the
    other axes' lengths differ; TypeError when dtypes do not cast by the rule.
    """
    room()
    given = sequence_of(arrays)
    if len(given) > _MOST:
        raise ValueError(f"concatenate() only supports up to {_MOST} arrays but got {len(given)}.")
    parts = [as_handle(x) for x in given]
    if axis is None:
        code = common_code([operand(x) for x in given] or [False])
        parts = [reshape(part, (-1,)) for part in parts]
        axis = 0
    else:
        code = common_code(parts or [False])
    _check_joined(parts, axis)
    if out is not None:
        if dtype is not None:
            raise TypeError("concatenate() takes `out` or `dtype`, but both were given")
        check_written(out)
        code = out._code
    elif dtype is not None:
        code = code_of(np.dtype(dtype))
    for part in parts:
        check_cast(part._code, code, casting)
    parts = [as_code(part, code) for part in parts]
    found = concatenated(parts, axis_of(axis, len(parts[0]._shape)), code)
    if out is None:
        return found
    check_out(out, found._shape)
    write(out, found)
    return out


def _check_joined(parts: Sequence[Handle], axis: Any) -> None:
    """Raise as NumPy does for arrays that cannot be joined along an axis."""
    if parts and parts[0]._shape:
        at = axis_of(axis, len(parts[0]._shape))
        first = parts[0]._shape
        before, after = first[:at], first[at + 1 :]
        if all(
            len(part._shape) == len(first)
            and part._shape[:at] == before
            and part._shape[at + 1 :] == after
            for part in parts
        ):
            return
    np.concatenate([stand_in(part) for part in parts], axis)
    raise ValueError("these arrays cannot be concatenated")


concat = concatenate


@at_once("a stack")
@uniform
def stack(
    arrays: Any,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Return arrays of one shape joined along a new axis.

    ValueError when there are none or their shapes differ.
    """
    room()
    parts = handles_of(arrays)
    if not parts:
        raise ValueError("need at least one array to stack")
    if len({part._shape for part in parts}) != 1:
        raise ValueError("all input arrays must have the same shape")
    at = axis_of(axis, len(parts[0]._shape) + 1)
    opened = [view(part, np.expand_dims(header(part), at)) for part in parts]
    return concatenate(opened, at, out, dtype=dtype, casting=casting)


def _at_least(function: Callable[..., Any], arrays: Any) -> list[Any]:
    """Return arrays as views with the axes that one of NumPy's atleast_ functions gives."""
    return [view(part, function(header(part))) for part in handles_of(arrays)]


@at_once("joined rows")
@uniform
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Return arrays joined along the first axis; one-dimensional ones are rows."""
    room()
    return concatenate(_at_least(np.atleast_2d, tup), 0, dtype=dtype, casting=casting)


def row_stack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Return arrays joined along the first axis, as `vstack`."""
    warn_user("`row_stack` alias is deprecated. Use `np.vstack` directly.", DeprecationWarning)
    return vstack(tup, dtype=dtype, casting=casting)


@at_once("what is joined horizontally")
@uniform
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """Return arrays joined along the second axis, one-dimensional ones along the first."""
    room()
    parts = _at_least(np.atleast_1d, tup)
    axis = 0 if parts and len(parts[0]._shape) == 1 else 1
    return concatenate(parts, axis, dtype=dtype, casting=casting)


@uniform
def dstack(tup: Any) -> Any:
    """Return arrays joined along the third axis, after one is added where it is missing."""
    room()
    return concatenate(_at_least(np.atleast_3d, tup), 2)


@at_once("joined columns")
@uniform
def column_stack(tup: Any) -> Any:
    """Return arrays joined along the second axis; one-dimensional ones are columns."""
    room()
    return concatenate(
        [
            view(part, np.atleast_2d(header(part)).T) if len(part._shape) < 2 else part
            for part in handles_of(tup)
        ],
        1,
    )


def block(arrays: Any) -> Any:
    """Return nested lists of arrays as one array, the innermost lists joined along the last axis.

    ValueError for empty lists, lists of different depths and shapes that do not fit; TypeError
    for a tuple.
    """
    room()
    depth = _depth(arrays, ())
    parts = _leaves(arrays)
    rank = max(depth, *(len(part._shape) for part in parts))
    orders = [header(part).flags for part in parts]
    turned = all(x.f_contiguous for x in orders) and not all(x.c_contiguous for x in orders)
    found = _joined_block(arrays, depth, rank, turned)
    found = found.transpose() if turned else found
    return array(found) if depth == 0 else found


def _depth(item: Any, path: tuple[int, ...]) -> int:
    """Return how deep lists are nested; raises unless they all are equally deep and not empty."""
    shown = "arrays" + "".join(f"[{k}]" for k in path)
    if isinstance(item, tuple):
        raise TypeError(f"{shown} is a tuple. Only lists can be used to arrange blocks")
    if not isinstance(item, list):
        return 0
    if not item:
        raise ValueError(f"List at {shown} cannot be empty")
    depths = {_depth(part, (*path, k)) for k, part in enumerate(item)}
    if len(depths) > 1:
        raise ValueError(f"List depths are mismatched in {shown}")
    return 1 + depths.pop()


def _leaves(item: Any) -> list[Handle]:
    if isinstance(item, list):
        return [leaf for part in item for leaf in _leaves(part)]
    return [as_handle(item)]


def _joined_block(item: Any, depth: int, rank: int, turned: bool) -> Any:
    """Return what lists nested to a depth hold as one array with `rank` axes.

    They are in the opposite order with `turned`, for memory in Fortran order.
    """
    if depth:
        parts = [_joined_block(part, depth - 1, rank, turned) for part in item]
        return concatenate(parts, depth - 1 if turned else rank - depth)
    leaf = as_handle(item)
    seen = header(leaf)[(None,) * (rank - len(leaf._shape))]
    return view(leaf, seen.T if turned else seen)


@uniform
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Return a copy of an array with values behind it along an axis.

    For None both are taken as one-dimensional.
    """
    room()
    parts = [as_handle(arr), as_handle(values)]
    if axis is None:
        parts = [reshape(part, (-1,)) for part in parts]
    return concatenate(parts, -1 if axis is None else axis)


# -- splitting


def _views(x: Any, function: Callable[..., Any], *args: Any) -> list[Any]:
    """Return the views that a splitting function of NumPy's makes of a layout."""
    found = as_handle(x)
    return [view(found, layout) for layout in function(header(found), *args)]


def _places(indices_or_sections: Any) -> Any:
    """Return a number of sections as an int, or places as host integers; computes a handle's."""
    if isinstance(indices_or_sections, Handle):
        return np.asarray(indices_or_sections)[()]
    return indices_or_sections


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    """Return views of the sections of an array: a number of equal ones, or those between places.

    ValueError when equal sections are not possible.
    """
    return _views(ary, np.split, _places(indices_or_sections), axis)


def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    """Return views of the sections of an array; the first may be longer by one than the last."""
    return _views(ary, np.array_split, _places(indices_or_sections), axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return views of sections along the second axis, or the only one."""
    return _views(ary, np.hsplit, _places(indices_or_sections))


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return views of sections along the first axis of an array with two axes or more."""
    return _views(ary, np.vsplit, _places(indices_or_sections))


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Return views of sections along the third axis of an array with three axes or more."""
    return _views(ary, np.dsplit, _places(indices_or_sections))


def unstack(x: Any, /, *, axis: Any = 0) -> tuple[Any, ...]:
    """Return what is at each index along an axis: views, or elements.

    ValueError for an array without axes.
    """
    found = as_handle(x)
    if not found._shape:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(view(found, np.moveaxis(header(found), axis, 0)))
