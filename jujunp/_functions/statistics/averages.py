"""Means, variances, averages and medians, computed in NumPy's steps and dtypes."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import (
    BOOL,
    COMPLEX128,
    DTYPES,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    is_complex,
    is_integer,
)

from ..._array.arguments import reduced_axes
from ..._array.array_likes import as_array, as_handle, operand
from ..._array.elementwise import pick
from ..._array.handle import Array, Handle, header, ndarray, scalar, value_of
from ..._array.making import convert, view, wrap, write
from ..._array.outputs import output_of, put_out, write_out
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS
from ..reductions.reduce import NO_VALUE, apply, axes_of, fold_of, mask_of, raise_as_numpy, total
from ..searching.sorting import partitioned

__all__ = [
    "average",
    "mean",
    "median",
    "std",
    "var",
]

_ADD = UFUNCS["add"]
_DIVIDE = UFUNCS["divide"]
_FLOAT64_DTYPE = np.dtype(np.float64)
_EXACT_IN_FLOAT32 = 1 << 24
_DIVIDED = frozenset((FLOAT64, COMPLEX128))
"""Dtypes of scalars of NumPy's that divide themselves by a count."""


def _sum_dtype(x: Handle, dtype: Any) -> np.dtype | None:
    """Return the dtype in which NumPy sums; None for the elements' own."""
    if dtype is not None:
        wanted: np.dtype = np.dtype(dtype)
        return wanted
    return _FLOAT64_DTYPE if x._code == BOOL or is_integer(x._code) else None


def _divided(x: Handle, count: Any) -> Any:
    """Return a sum divided by a count, in the sum's dtype; the quotient is float64 in between."""
    code = x._code
    if code == FLOAT32 and (isinstance(count, Handle) or count > _EXACT_IN_FLOAT32):
        x = convert(x, FLOAT64)
    # as in NumPy, what its scalars divide themselves is an operator
    divide = operator.truediv if isinstance(x, scalar) and code in _DIVIDED else _DIVIDE
    quotient: Any = divide(x, count)
    return quotient if quotient._code == code else convert(quotient, code)


def _summed(
    x: Handle, axis: Any, dtype: Any, out: ndarray | None, keepdims: bool, where: Any
) -> Any:
    """Return the sum of the elements, in `out` if that is given."""
    found = apply(_ADD, x, fold_of("add", x._code, dtype), axis, keepdims, NO_VALUE, where)
    return found if out is None else _written(found, out, x, axis, keepdims)


def _written(found: Any, out: ndarray, x: Handle, axis: Any, keepdims: bool) -> ndarray:
    if out._shape != found._shape:
        stand_in = np.empty(out._shape, np.bool)
        raise_as_numpy(_ADD, x._shape, axis=axis, out=stand_in, keepdims=keepdims)
    write(out, found)
    return out


def count_of(x: Handle, axis: Any, keepdims: bool, where: Any) -> Any:
    """Return how many elements each result sums: an int, or with a mask int64 counts."""
    axes = axes_of(axis, len(x._shape))
    if where is True:
        if axis is not None and not x._shape:
            reduced_axes(axis, 0)  # not lenient where there are no axes
        return math.prod([x._shape[at] for at in axes])
    mask = mask_of(where, _ADD, x._shape, axis)
    spread = view(mask, np.broadcast_to(header(mask), x._shape))
    return apply(_ADD, spread, fold_of("add", BOOL), axis, keepdims)


@uniform
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
    """Return the mean over axes; integers and bool are summed in float64, float32 in float32.

    RuntimeWarning, and nan, when there is nothing to average; a mask with no true element gives
    nan without a warning.
    """
    room()
    if axis is None and type(a) is ndarray and a._code in (FLOAT32, FLOAT64):
        count = math.prod(a._shape)
        if dtype is None and out is None and keepdims is False and where is True and count:
            return _divided(total(a, fold_of("add", a._code)), count)
    x = as_handle(a)
    if x._code == FLOAT16 and dtype is None:  # summed in float32, unlike for `var`
        wide = mean(convert(x, FLOAT32), axis, keepdims=keepdims, where=where)
        return put_out(convert(wide, FLOAT16), output_of(out), "unsafe")
    count = count_of(x, axis, keepdims, where)
    if where is True and not count:
        warn_user("Mean of empty slice")
    target = output_of(out)
    found = _summed(x, axis, _sum_dtype(x, dtype), target, keepdims, where)
    return _finished(found, count, target)


def _finished(found: Any, count: Any, target: ndarray | None) -> Any:
    quotient = _divided(found, count)
    if target is None:
        return quotient
    write(target, quotient)
    return target


@uniform
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Return the variance over axes: the squared deviations' sum divided by their count - ddof.

    Args:
        a: array_like.
        axis: An int, a tuple of ints, or None for all axes.
        dtype: Dtype of the sums; float64 for integers and bool, else that of the elements.
        out: Array to write to.
        ddof: What is taken off the count. RuntimeWarning when nothing is left.
        keepdims: Whether reduced axes stay, with length one.
        where: Mask of the elements to take.
        mean: The mean, if it is known, with `keepdims`.
        correction: Another name of `ddof`; ValueError when both are given.
    """
    room()
    ddof = degrees(ddof, correction)
    x = as_handle(a)
    count = count_of(x, axis, keepdims, where)
    if where is True and ddof >= count:
        warn_user("Degrees of freedom <= 0 for slice")
    dtype = _sum_dtype(x, dtype)
    if mean is NO_VALUE:
        mean = _divided(_summed(x, axis, dtype, None, True, where), count_of(x, axis, True, where))
    deviation: Any = UFUNCS["subtract"](x, operand(mean))
    target = output_of(out)
    found = _summed(magnitude_squared(deviation), axis, dtype, target, keepdims, where)
    left = max(count - ddof, 0) if where is True else UFUNCS["maximum"](count - ddof, 0)
    return _finished(found, left, target)


def magnitude_squared(x: Any) -> Any:
    """Return the squares of real elements, and of complex ones those of their magnitudes."""
    square = UFUNCS["square"]
    return square(x.real) + square(x.imag) if is_complex(x._code) else square(x)


def degrees(ddof: float, correction: Any) -> float:
    """Return what is taken off the count; ValueError when it is given under both names."""
    if correction is NO_VALUE:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction  # type: ignore[no-any-return]


@uniform
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Return the standard deviation over axes, the square root of `var` of the same arguments."""
    found = var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    root: Any = UFUNCS["sqrt"](found)
    if out is None and root._code == found._code:
        return root
    if isinstance(found, Array):
        return write_out(UFUNCS["sqrt"], root, found, "same_kind")
    return convert(root, found._code)


def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return the weighted average over axes, and the sum of the weights if `returned`.

    The sum of the weights is computed at once. ZeroDivisionError when one is zero; TypeError or
    ValueError when the weights fit neither the array nor its axes.
    """
    x: Any = as_handle(a)
    if axis is not None:
        axis = np.lib.array_utils.normalize_axis_tuple(axis, x.ndim, argname="axis")
    if weights is None:
        found = mean(x, axis, keepdims=keepdims)
        scale = convert(as_handle(math.prod(x._shape) / math.prod(found._shape)), found._code)
    else:
        spread = _spread_weights(as_handle(weights), x, axis)
        dtypes = [x.dtype, spread.dtype] + ([] if x.dtype.kind in "fc" else [_FLOAT64_DTYPE])
        dtype = np.result_type(*dtypes)
        scale = spread.sum(axis, dtype, keepdims=keepdims)
        if bool((scale == 0.0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        product: Any = UFUNCS["multiply"](x, spread, dtype=dtype)
        found = product.sum(axis, keepdims=keepdims) / scale
    if not returned:
        return found
    if scale._shape != found._shape:
        scale = view(scale, np.broadcast_to(header(scale), found._shape)).copy()
    return found, scale


def _spread_weights(weights: Any, x: Any, axis: tuple[int, ...] | None) -> Any:
    """Return weights that broadcast to the array."""
    if weights._shape == x._shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weights._shape != tuple(x._shape[at] for at in axis):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    order = sorted(range(len(axis)), key=axis.__getitem__)
    shape = tuple(extent if at in axis else 1 for at, extent in enumerate(x._shape))
    return weights.transpose(order).reshape(shape)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """Return the middle element over axes, or the mean of the middle two; nan if there is one.

    The array is partitioned for it. RuntimeWarning, and nan, when there are no elements.
    """
    room()
    x: Any = as_handle(a)
    axes = reduced_axes(axis, len(x._shape))
    line = last_of(x, axes)
    found = _median_along(line)
    return placed(found, x._shape, axes, out, keepdims)


def last_of(x: Any, axes: tuple[int, ...]) -> Any:
    """Return an array with the given axes merged into one, which is the last."""
    kept = [at for at in range(len(x._shape)) if at not in axes]
    if len(axes) == 1 and axes[0] == len(x._shape) - 1:
        return x
    merged = math.prod([x._shape[at] for at in axes])
    shape = (*[x._shape[at] for at in kept], merged)
    return x.transpose((*kept, *sorted(axes))).reshape(shape)


def _median_along(x: Any) -> Any:
    """Return the medians along the last axis."""
    count = x._shape[-1]
    if not count:
        return mean(x, -1)
    first, end = (count - 1) // 2, count // 2 + 1
    ordered = partitioned(x, len(x._shape) - 1, (first, end - 1, count - 1))
    middle = mean(view(ordered, header(ordered)[..., first:end]), -1)
    return with_nan(ordered, middle)


def with_nan(ordered: Handle, found: Any) -> Any:
    """Return results along the last axis of a partitioned array, or nan where it ends in nan."""
    if DTYPES[ordered._code].kind not in "fc":
        return found
    last = view(ordered, header(ordered)[..., -1])
    picked = pick(UFUNCS["isnan"](last), last, found)
    return wrap(value_of(picked), picked._shape, picked._code) if not picked._shape else picked


def placed(
    found: Any, shape: tuple[int, ...], axes: tuple[int, ...], out: Any, keepdims: bool
) -> Any:
    """Return results, with the reduced axes of a shape if wanted, or written to `out`."""
    if keepdims:
        found = as_array(found)
        found = view(found, np.expand_dims(header(found), axes))
    return put_out(found, out, "unsafe")


METHODS = {"mean": mean, "var": var, "std": std}
