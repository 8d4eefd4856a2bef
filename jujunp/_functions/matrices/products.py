"""Products of vectors and matrices: matmul, dot and their relatives."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import DTYPES, Foreign, code_of
from jujunp.lazy.values.value import record

from ..._array.arguments import stand_in
from ..._array.array_likes import as_array, as_handle
from ..._array.broadcasting import broadcast
from ..._array.handle import Array, Handle, header, ndarray, new_handle, scalar, to_numpy, value_of
from ..._array.making import convert, view, wrap
from ..._array.outputs import put_out
from ..._array.promotion import resolve, result_code
from ..._calls.traits import at_once, uniform, warning_as
from ..._ufuncs.generalized import generalized
from ..._ufuncs.operators import is_of_subclass, operand_or_none
from ..._ufuncs.ufunc import UFUNCS, conjugated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jujunp.lazy.values.types import Shape

__all__ = [
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
    "vecmat",
]

_DOT = OPCODES["dot_general"]
_CODES = tuple(_DOT | code << 16 | code << 24 for code in range(len(DTYPES)))
"""The packed code of a product, by dtype code."""
_LAST_WITH_FIRST = (None, (0, 1, 0, 0), (0, 1, 1, 0))
"""Parameters of the product over the last axis of an operand of so many axes and the first."""
_MULTIPLY = UFUNCS["multiply"]


# -- recording


def contracted(
    x: Handle,
    y: Handle,
    x_axes: Sequence[int],
    y_axes: Sequence[int],
    x_batch: Sequence[int] = (),
    y_batch: Sequence[int] = (),
) -> Any:
    """Record the sum of products over pairs of axes of two arrays of one dtype.

    The result has the batch axes, then what is left of `x`, then what is left of `y`.
    """
    shape = [x._shape[axis] for axis in x_batch]
    shape += [n for axis, n in enumerate(x._shape) if axis not in x_axes and axis not in x_batch]
    shape += [n for axis, n in enumerate(y._shape) if axis not in y_axes and axis not in y_batch]
    params = (len(x_batch), len(x_axes), *x_batch, *y_batch, *x_axes, *y_axes)
    layouts = None
    if x._layout is not None or y._layout is not None:
        layouts = (x._layout, y._layout)
    code = x._code
    value = record(_CODES[code], tuple(shape), (value_of(x), value_of(y)), layouts, params)
    return wrap(value, value.shape, code)


def spread(x: Handle, shape: Shape) -> Handle:
    """Return an array broadcast to a shape: a view."""
    return x if x._shape == shape else view(x, np.broadcast_to(header(x), shape))


def _converted(arrays: Sequence[Handle], code: int) -> list[Any]:
    return [x if x._code == code else convert(x, code) for x in arrays]


def _promoted(*arrays: Handle) -> list[Any]:
    """Return arrays in their common dtype."""
    return _converted(arrays, result_code(*(x._code for x in arrays)))


# -- matmul


@at_once("a product of vectors")
@warning_as("matmul")
@uniform
def _matmul(x: Any, y: Any) -> Any:
    """`x @ y`."""
    room()
    if type(y) is ndarray and x._code == y._code:
        before, after = x._shape, y._shape
        rank = len(before)
        if 0 < rank < 3 and 0 < len(after) < 3 and before[-1] == after[0]:
            a, b = x._layout, y._layout
            base, other = x._base, y._base
            shape = before[:-1] + after[1:]
            code = x._code
            value = record(
                _CODES[code],
                shape,
                (
                    x._value if base is None else base._value,
                    y._value if other is None else other._value,  # type: ignore[arg-type]
                ),
                None if a is None and b is None else (a, b),
                _LAST_WITH_FIRST[rank],
            )
            return new_handle(ndarray if shape else scalar, value, None, None, shape, code)
    if _has_no_axes(x, y):
        return NotImplemented
    try:
        other = operand_or_none(y)
    except Foreign:
        return package().matmul(x, y)
    return NotImplemented if other is None else _general(x, as_handle(other))


def _has_no_axes(x: Any, y: Any) -> bool:
    """Whether a product is one of a scalar, which has no such operator, and of what is no array."""
    return isinstance(x, scalar) and not isinstance(y, ndarray)


@warning_as("matmul")
@uniform
def _rmatmul(x: Any, y: Any) -> Any:
    """`y @ x`, where y has no answer."""
    room()
    if is_of_subclass(y):  # it has not known what `x` is
        return y @ to_numpy(x)
    if _has_no_axes(x, y):
        return NotImplemented
    try:
        other = operand_or_none(y)
    except Foreign:
        return package().matmul(y, x)
    return NotImplemented if other is None else _general(as_handle(other), x)


@warning_as("matmul")
def _in_place(x: Any, y: Any) -> Any:
    """`x @= y`."""
    other = operand_or_none(y)
    if other is None:
        return NotImplemented
    factor = as_handle(other)
    if x._shape and len(factor._shape) == 1:
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one "
            "and the second at least two dimensions."
        )
    return matmul(x, factor, out=x)


def _general(x: Handle, y: Handle, signature: Any = None, casting: str = "same_kind") -> Any:
    """Record a product of two arrays by the rules of matmul."""
    x, y = _resolved(np.matmul, x, y, signature, casting)
    before, after = x._shape, y._shape
    if not before or not after or before[-1] != after[-2 if len(after) > 1 else 0]:
        raise_as_numpy(np.matmul, x, y)
    if len(after) < 3:
        return contracted(x, y, (len(before) - 1,), (0,))
    batch = _batch(np.matmul, x, y, min(len(before), 2), 2)
    axes = range(len(batch))
    x = spread(x, batch + before[-2:] if len(before) > 1 else batch + before)
    y = spread(y, batch + after[-2:])
    return contracted(x, y, (len(x._shape) - 1,), (len(batch),), axes, axes)


_gufunc_codes: dict[Any, tuple[int, int]] = {}


def _resolved(
    function: np.ufunc, x: Handle, y: Handle, signature: Any = None, casting: str = "same_kind"
) -> list[Any]:
    """Return two operands in the dtype in which a generalized ufunc of NumPy's multiplies them."""
    wanted = tuple(signature) if isinstance(signature, list) else signature
    key = (function, x._code, y._code, wanted, casting)
    codes = _gufunc_codes.get(key)
    if codes is None:
        given = (DTYPES[x._code], DTYPES[y._code])
        found = resolve(function, given, None, casting, wanted)
        codes = _gufunc_codes[key] = (code_of(found[0]), code_of(found[1]))
    return _converted([x], codes[0]) + _converted([y], codes[1])


def raise_as_numpy(function: Callable[..., Any], *operands: Handle, **arguments: Any) -> NoReturn:
    """Raise the error that NumPy raises for operands of these shapes."""
    function(*(stand_in(x) for x in operands), **arguments)
    raise ValueError(f"shapes {' '.join(str(x._shape) for x in operands)} do not fit")


def _batch(function: np.ufunc, x: Handle, y: Handle, x_core: int, y_core: int) -> Shape:
    """Return the shape that the axes before the last ones broadcast to."""
    try:
        return broadcast(x._shape[: len(x._shape) - x_core], y._shape[: len(y._shape) - y_core])
    except ValueError:
        raise_as_numpy(function, x, y)


@generalized
def matmul(x: Handle, y: Handle, signature: Any = None, casting: str = "same_kind") -> Any:
    """Return the matrix product over the last axis of `x1` and the last but one of `x2`.

    A vector is a row on the left and a column on the right. Other axes broadcast. `order` and
    `subok` have no effect. ValueError when shapes do not fit or an operand has no axes.
    """
    return _general(x, y, signature, casting)


@generalized
def vecdot(x: Handle, y: Handle, signature: Any = None, casting: str = "same_kind") -> Any:
    """Return the sums of products along an axis, those of `x1` conjugated; other axes broadcast."""
    a, b = _resolved(np.vecdot, x, y, signature, casting)
    if not a._shape or not b._shape or a._shape[-1] != b._shape[-1]:
        raise_as_numpy(np.vecdot, x, y)
    batch = _batch(np.vecdot, x, y, 1, 1)
    last, axes = len(batch), range(len(batch))
    a, b = (spread(one, batch + one._shape[-1:]) for one in (conjugated(a), b))
    return contracted(a, b, (last,), (last,), axes, axes)


@generalized
def matvec(x: Handle, y: Handle, signature: Any = None, casting: str = "same_kind") -> Any:
    """Return the products of matrices (the last two axes) and vectors (the last axis)."""
    a, b = _resolved(np.matvec, x, y, signature, casting)
    if len(a._shape) < 2 or not b._shape or a._shape[-1] != b._shape[-1]:
        raise_as_numpy(np.matvec, x, y)
    batch = _batch(np.matvec, x, y, 2, 1)
    last, axes = len(batch), range(len(batch))
    a, b = spread(a, batch + a._shape[-2:]), spread(b, batch + b._shape[-1:])
    return contracted(a, b, (last + 1,), (last,), axes, axes)


@generalized
def vecmat(x: Handle, y: Handle, signature: Any = None, casting: str = "same_kind") -> Any:
    """Return the products of vectors (the last axis), conjugated, and matrices (the last two)."""
    a, b = _resolved(np.vecmat, x, y, signature, casting)
    if not a._shape or len(b._shape) < 2 or a._shape[-1] != b._shape[-2]:
        raise_as_numpy(np.vecmat, x, y)
    batch = _batch(np.vecmat, x, y, 1, 2)
    last, axes = len(batch), range(len(batch))
    a, b = spread(conjugated(a), batch + a._shape[-1:]), spread(b, batch + b._shape[-2:])
    return contracted(a, b, (last,), (last,), axes, axes)


# -- dot and its relatives


@at_once("a product of vectors")
@uniform
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Return the sum of products over the last axis of `a` and the last but one of `b`.

    Other axes are combined, not broadcast; operands without axes multiply. ValueError when the
    lengths differ, or `out` is not of just the result's dtype and shape and in C order.
    """
    room()
    x, y = _promoted(as_handle(a), as_handle(b))
    if not x._shape or not y._shape:
        return _exact_out(_MULTIPLY(x, y), out)
    last, first = len(x._shape) - 1, max(len(y._shape) - 2, 0)
    _check_aligned(x, y, last, first)
    return _exact_out(contracted(x, y, (last,), (first,)), out)


def _check_aligned(x: Handle, y: Handle, last: int, first: int) -> None:
    if x._shape[last] != y._shape[first]:
        left, right = (str(one._shape).replace(" ", "") for one in (x, y))
        raise ValueError(
            f"shapes {left} and {right} not aligned: "
            f"{x._shape[last]} (dim {last}) != {y._shape[first]} (dim {first})"
        )


def _exact_out(found: Any, out: Any) -> Any:
    """Write a result to `out`, which must be just what the result is."""
    if out is None:
        return found
    if not isinstance(out, Array):
        raise TypeError("'out' must be an array")
    if (
        out._code != found._code
        or len(out._shape) != len(found._shape)
        or not header(out).flags.c_contiguous
    ):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, "
            "number of dimensions, and be a C-Array)"
        )
    if out._shape != found._shape:
        raise ValueError("output array has wrong dimensions")
    return put_out(found, out)


@at_once("a product of flat arrays")
@uniform
def vdot(a: Any, b: Any, /) -> Any:
    """Return the sum of the products of all elements of two arrays, in C order.

    Those of the first are conjugated.
    """
    room()
    x, y = _promoted(*(as_handle(one).reshape(-1) for one in (a, b)))
    if x._shape != y._shape:
        raise ValueError(f"cannot reshape array of size {y._shape[0]} into shape {x._shape}")
    return contracted(conjugated(x), y, (0,), (0,))


@at_once("a product of vectors")
@uniform
def inner(a: Any, b: Any, /) -> Any:
    """Return the sum of products over the last axes; operands without axes multiply."""
    room()
    x, y = _promoted(as_handle(a), as_handle(b))
    if not x._shape or not y._shape:
        return _MULTIPLY(x, y)
    last, other = len(x._shape) - 1, len(y._shape) - 1
    if x._shape[last] != y._shape[other]:
        np.inner(stand_in(x), stand_in(y))
    return contracted(x, y, (last,), (other,))


@uniform
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Return the products of all pairs of an element of `a` and one of `b`, both in C order."""
    x, y = (as_handle(one).reshape(-1) for one in (a, b))
    return _MULTIPLY(view(x, header(x)[:, None]), y, out=out)


@uniform
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the sum of products over some axes; what is left of `a` comes first.

    Args:
        a: array_like.
        b: array_like.
        axes: How many of the last axes of `a` and the first of `b`, or the axes of both: two ints
            or two sequences of ints.
    """
    room()
    x, y = _promoted(as_handle(a), as_handle(b))
    x_axes, y_axes = _tensordot_axes(x, y, axes)
    if not x_axes:
        spread = header(x)[(..., *[None] * len(y._shape))]
        return as_array(_MULTIPLY(view(x, spread), y))
    return as_array(contracted(x, y, x_axes, y_axes))


def _tensordot_axes(x: Handle, y: Handle, axes: Any) -> tuple[list[int], list[int]]:
    """Return the axes that a tensordot sums over; ValueError when they do not fit."""
    try:
        first, second = axes
    except TypeError:
        count = operator.index(axes)
        first, second = range(-count, 0), range(count)
    x_axes, y_axes = (
        [operator.index(axis) for axis in ([side] if isinstance(side, int) else side)]
        for side in (first, second)
    )
    if len(set(x_axes)) != len(x_axes) or len(set(y_axes)) != len(y_axes):
        raise ValueError("duplicate axes are not allowed in tensordot")
    if [x._shape[axis] for axis in x_axes] != [y._shape[axis] for axis in y_axes]:
        raise ValueError("shape-mismatch for sum")
    return [axis % len(x._shape) for axis in x_axes], [axis % len(y._shape) for axis in y_axes]


def kron(a: Any, b: Any) -> Any:
    """Return the Kronecker product: `a` with each element replaced by its product with `b`."""
    room()
    x, y = as_handle(a), as_handle(b)
    rank = max(len(x._shape), len(y._shape))
    left, right = ((1,) * (rank - len(one._shape)) + one._shape for one in (x, y))
    pairs = [(m, 1) for m in left], [(1, n) for n in right]
    x, y = (
        one.reshape(tuple(extent for pair in shape for extent in pair))
        for one, shape in zip((x, y), pairs, strict=True)
    )
    product: Any = _MULTIPLY(x, y)
    return (
        product.reshape(tuple(m * n for m, n in zip(left, right, strict=True))) if rank else product
    )


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """Return the sum along a diagonal; ValueError for arrays with fewer than two axes."""
    x: Any = as_handle(a)
    if len(x._shape) < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    return x.diagonal(offset, axis1, axis2).sum(-1, dtype, out)


METHODS = {"dot": dot, "trace": trace, "__matmul__": _matmul, "__rmatmul__": _rmatmul}
OF_ARRAYS = {"__imatmul__": _in_place}
