"""Differences between neighbours: diff, gradient and their relatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT64, is_integer

from ..._array.arguments import axes_of, axis_of
from ..._array.array_likes import as_array, as_handle, concatenated, operand
from ..._array.elementwise import pick
from ..._array.handle import Handle, header
from ..._array.making import as_code, convert, reshape, view
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS
from ..creation.arrays import asarray, empty_like
from ..manipulation.joining import concatenate
from ..reductions.reduce import NO_VALUE

__all__ = [
    "diff",
    "ediff1d",
    "gradient",
    "unwrap",
]

_TURN = 2 * math.pi


def _part(x: Handle, axis: int, key: int | slice) -> Any:
    """Return a view at an index, or of a range, along an axis."""
    return view(x, header(x)[(slice(None),) * axis + (key, ...)])


@uniform
def diff(
    a: Any, n: int = 1, axis: Any = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE
) -> Any:
    """Return the differences of neighbours along an axis, n times; of bool, whether they differ.

    `prepend` and `append` are put before and behind the array first. ValueError for a negative n or
    an array without axes.
    """
    room()
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    x: Any = as_handle(a)
    if not x._shape:
        raise ValueError("diff requires input that is at least one dimensional")
    at = axis_of(axis, len(x._shape))
    line = (*x._shape[:at], 1, *x._shape[at + 1 :])
    before, behind = (_extension(part, line) for part in (prepend, append))
    if before or behind:
        x = concatenate([*before, x, *behind], at)
    subtract = UFUNCS["not_equal" if x._code == BOOL else "subtract"]
    for _ in range(n):
        x = subtract(_part(x, at, slice(1, None)), _part(x, at, slice(None, -1)))
    return x


def _extension(x: Any, line: tuple[int, ...]) -> list[Handle]:
    """Return what is put at an end of an array as a list: a number is spread over a line."""
    if x is NO_VALUE:
        return []
    found = as_handle(x)
    return [found if found._shape else view(found, np.broadcast_to(header(found), line))]


@uniform
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of neighbours of an array in one dimension, between other numbers.

    TypeError when these do not cast to its dtype by the rule "same_kind".
    """
    room()
    x: Any = reshape(as_array(ary), (-1,))
    inner = x[1:] - x[:-1]
    if to_begin is None and to_end is None:
        return inner
    begin = _edge(to_begin, x, "to_begin")
    end = _edge(to_end, x, "to_end")
    return concatenated([*begin, inner, *end], 0, x._code)


def _edge(numbers: Any, x: Any, name: str) -> list[Handle]:
    if numbers is None:
        return []
    found = as_handle(numbers)
    if not np.can_cast(found.dtype, x.dtype, "same_kind"):
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    found = as_code(found, x._code)
    return [reshape(found, (-1,))]


# -- gradient


@uniform
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the gradient: central differences inside, one-sided ones at the edges.

    Args:
        f: array_like.
        varargs: The spacing: nothing (1), one number, or for each axis a number or coordinates.
        axis: An axis or several; all of them for None. For several the result is a tuple.
        edge_order: 1 or 2, the order of accuracy at the edges.

    ValueError for coordinates of a wrong length, and for axes that are too short.
    """
    room()
    x: Any = as_handle(f)
    axes = tuple(range(len(x._shape))) if axis is None else axes_of(axis, len(x._shape))
    given = _per_axis(varargs, len(axes))
    spacings = [_spacing(part, x._shape[at]) for part, at in zip(given, axes, strict=True)]
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    code = x._code if DTYPES[x._code].kind in "fc" else FLOAT64
    if is_integer(x._code):
        x = convert(x, FLOAT64)
    found = [
        _gradient_along(x, at, spacing, edge_order, code)
        for at, spacing in zip(axes, spacings, strict=True)
    ]
    return found[0] if len(axes) == 1 else tuple(found)


def _per_axis(given: tuple[Any, ...], count: int) -> list[Any]:
    if not given:
        return [1.0] * count
    if len(given) == 1 and not as_handle(given[0])._shape:
        return list(given) * count
    if len(given) != count:
        raise TypeError("invalid number of arguments")
    return list(given)


def _spacing(given: Any, extent: int) -> Any:
    """Return a number or handle without axes if the spacing is even, else the distances."""
    points = operand(given)
    if not isinstance(points, Handle) or not points._shape:
        return points
    if len(points._shape) != 1:
        raise ValueError("distances must be either scalars or 1d")
    if points._shape[0] != extent:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    distances: Any = diff(convert(points, FLOAT64) if is_integer(points._code) else points)
    return distances[0] if bool((distances == distances[0]).all()) else distances


def _gradient_along(x: Any, axis: int, spacing: Any, edge_order: int, code: int) -> Any:
    if x._shape[axis] < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    even = not isinstance(spacing, Handle) or not spacing._shape
    out: Any = empty_like(x, DTYPES[code])
    inner = _part(out, axis, slice(1, -1))
    left, middle, right = (
        _part(x, axis, slice(*ends)) for ends in ((None, -2), (1, -1), (2, None))
    )
    if even:
        inner[...] = (right - left) / (2.0 * spacing)
    else:
        before, behind = spacing[:-1], spacing[1:]
        weights = (
            -behind / (before * (before + behind)),
            (behind - before) / (before * behind),
            before / (behind * (before + behind)),
        )
        column = (-1, *(1,) * (len(x._shape) - 1 - axis))
        a, b, c = (weight.reshape(column) for weight in weights)
        inner[...] = a * left + b * middle + c * right
    for end in (0, -1):
        edge = _first_order if edge_order == 1 else _second_order
        step = spacing if even else spacing if edge_order == 2 else spacing[end]
        _part(out, axis, end)[...] = edge(x, axis, end, step)
    return out


def _first_order(x: Any, axis: int, end: int, step: Any) -> Any:
    """Return the one-sided differences at an end."""
    first, second = (0, 1) if end == 0 else (-2, -1)
    return (_part(x, axis, second) - _part(x, axis, first)) / step


def _second_order(x: Any, axis: int, end: int, steps: Any) -> Any:
    """Return the one-sided differences of second order at an end."""
    if not isinstance(steps, Handle) or not steps._shape:
        tops = (-1.5, 2.0, -0.5) if end == 0 else (0.5, -2.0, 1.5)
        weights = tuple(top / steps for top in tops)
    else:
        near, far = (steps[0], steps[1]) if end == 0 else (steps[-2], steps[-1])
        weights = _uneven_weights(near, far, end)
    places = (0, 1, 2) if end == 0 else (-3, -2, -1)
    a, b, c = (w * _part(x, axis, place) for w, place in zip(weights, places, strict=True))
    return a + b + c


def _uneven_weights(near: Any, far: Any, end: int) -> tuple[Any, ...]:
    """Return the weights of three neighbours whose distances are `near` and `far`."""
    if end == 0:
        return (
            -(2.0 * near + far) / (near * (near + far)),
            (near + far) / (near * far),
            -near / (far * (near + far)),
        )
    return (
        far / (near * (near + far)),
        -(far + near) / (near * far),
        (2.0 * far + near) / (far * (near + far)),
    )


def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = _TURN) -> Any:
    """Return an array with jumps larger than `discont`, half a period unless given, taken out.

    Multiples of the period are added so that neighbours along the axis differ by less than half.
    """
    room()
    x: Any = as_array(p)
    at = axis_of(axis, len(x._shape) or 1)
    steps: Any = diff(x, axis=at)
    dtype = np.result_type(steps.dtype, period)
    half, ambiguous = period / 2, True
    if dtype.kind in "iu":
        half, rest = divmod(period, 2)
        ambiguous = rest == 0
    turned: Any = UFUNCS["remainder"](steps + half, period) - half
    if ambiguous:
        turned = pick((turned == -half) & (steps > 0), half, turned)
    limit = period / 2 if discont is None else discont
    jumps: Any = pick(UFUNCS["absolute"](steps) < limit, 0, turned - steps)
    found: Any = asarray(x, dtype, copy=True)
    rest_of = (slice(None),) * at + (slice(1, None),)
    found[rest_of] = x[rest_of] + jumps.cumsum(at)
    return found
