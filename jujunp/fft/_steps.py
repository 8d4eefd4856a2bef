"""Transforms one axis after the other: kernels along last axes, and views that bring axes there."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import (
    COMPLEX64,
    COMPLEX128,
    DTYPES,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    is_complex,
)

from .._array.arguments import axis_of
from .._array.handle import header, ndarray
from .._array.making import as_code, convert, new_array, view
from .._array.promotion import as_number
from .._array.steps import kernel
from .._ufuncs.ufunc import UFUNCS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Shape

_SINGLE = frozenset((FLOAT16, FLOAT32, COMPLEX64))
"""Dtype codes whose transforms are of single precision."""


class Kind(NamedTuple):
    """A kind of transform: the kernel's number of it, and which side holds real numbers."""

    number: int
    inverse: bool
    from_real: bool = False
    to_real: bool = False

    def length(self, extent: int) -> int:
        """Return the default length of the transform of an axis."""
        return 2 * (extent - 1) if self.to_real else extent

    def factor(self, n: int, power: float) -> float:
        """Return what the kernel's result is multiplied by, given the power of a norm."""
        return math.pow(n, power if self.inverse else -power)

    def codes(self, given: int) -> tuple[int, int]:
        """Return the dtype codes of the kernel's operand and result for that of an array."""
        real, both = (FLOAT32, COMPLEX64) if given in _SINGLE else (FLOAT64, COMPLEX128)
        return (real if self.from_real else both), (real if self.to_real else both)


FORWARD = Kind(0, False)
INVERSE = Kind(1, True)
REAL = Kind(2, False, from_real=True)
INVERSE_REAL = Kind(3, True, to_real=True)


class Step(NamedTuple):
    """A transform of length n along an axis; None stands for the kind's default."""

    kind: Kind
    n: Any
    axis: int


_POWERS: dict[Any, float] = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}


def power_of(norm: Any) -> float:
    """Return the power of the length that the norm moves from the inverse transform to the other.

    ValueError for an unknown norm.
    """
    if not isinstance(norm, str | None) or norm not in _POWERS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _POWERS[norm]


def steps_of(kind: Kind, shape: Shape, s: Any, axes: Any) -> list[Step]:
    """Return the transforms along several axes, in the order of the axes.

    Of real numbers the last is of the given kind, and the others are of complex numbers.

    Args:
        kind: What is done along the last of the axes.
        shape: Shape of the array.
        s: Lengths of the transforms; None for the defaults, -1 for the axis's own length.
        axes: The axes; None for all, or the last ones when there are lengths.

    ValueError when there is not one length for each axis; IndexError when there is no such axis.
    """
    lengths, axes = _lengths(kind, shape, s, axes)
    other = INVERSE if kind.inverse else FORWARD
    steps = [Step(other, n, axis) for n, axis in zip(lengths, axes, strict=True)]
    if kind is not other:
        steps[-1] = steps[-1]._replace(kind=kind)
    return steps


def _lengths(kind: Kind, shape: Shape, s: Any, axes: Any) -> tuple[list[Any], list[Any]]:
    if s is None:
        axes = list(range(-len(shape), 0) if axes is None else axes)
        lengths = [shape[axis] for axis in axes]
        if kind.to_real:
            lengths[-1] = kind.length(lengths[-1])
        return lengths, axes
    lengths = list(s)
    if axes is None:
        warn_user(
            "`axes` should not be `None` if `s` is not `None`: name the axes, too",
            DeprecationWarning,
        )
        axes = range(-len(lengths), 0)
    axes = list(axes)
    if len(lengths) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if any(n is None for n in lengths):
        warn_user(
            "Passing an array containing `None` values to `s` is deprecated: pass -1",
            DeprecationWarning,
        )
    return [shape[axis] if n == -1 else n for n, axis in zip(lengths, axes, strict=True)], axes


def in_order(steps: Sequence[Step], ndim: int) -> list[Step]:
    """Return transforms from the first axis of the array to the last one.

    The result of the last axis lies in C order; along others it is a view of a transposed array.
    """
    return sorted(steps, key=lambda step: axis_of(step.axis, ndim))


def run(x: ndarray, steps: Sequence[Step], power: float) -> ndarray:
    """Return the result of transforms one after the other, scaled once by all their factors.

    ValueError for lengths below 1, AxisError for axes that are not there, TypeError for complex
    elements where they must be real.
    """
    factor = 1.0
    for count, (kind, given, axis) in enumerate(steps, 1):
        n = _checked_length(kind.length(x._shape[axis]) if given is None else given)
        factor *= kind.factor(n, power)
        place = axis_of(axis, len(x._shape))
        x = _transformed(x, kind, n, place, factor if count == len(steps) else 1.0)
    return x


def _checked_length(n: Any) -> int:
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return operator.index(n)


def _transformed(x: ndarray, kind: Kind, n: int, axis: int, factor: float) -> ndarray:
    """Return the transform of length n along an axis, times a factor."""
    if kind.from_real and is_complex(x._code):
        raise TypeError(f"a transform of real numbers takes none of dtype {DTYPES[x._code]}")
    half = n // 2 + 1
    moved = axis != len(x._shape) - 1
    rows = view(x, np.moveaxis(header(x), axis, -1)) if moved else x
    operand, result = kind.codes(x._code)
    # while they are still in the dtype given, fewer bytes are padded
    rows = as_code(_fitted(rows, half if kind.to_real else n), operand)
    shape = (*rows._shape[:-1], half if kind.from_real else n)
    value = kernel("fft", (rows,), shape, operand, (kind.number, n), result=result)
    found: Any = new_array(value, shape, result)
    if factor != 1:
        found = UFUNCS["multiply"].binary(found, factor)
    if kind.to_real and x._code == FLOAT16:
        found = convert(found, FLOAT16)
    return view(found, np.moveaxis(header(found), -1, axis)) if moved else found


def _fitted(x: ndarray, extent: int) -> ndarray:
    """Return an array whose last axis is cut, or continued by zeros, to a length."""
    missing = extent - x._shape[-1]
    if missing <= 0:
        return view(x, header(x)[..., :extent]) if missing else x
    shape = (*x._shape[:-1], extent)
    widths = (*(0, 0, 0) * (len(shape) - 1), 0, missing, 0)
    value = kernel("pad", (x, as_number(0, x._code)), shape, x._code, widths)
    return new_array(value, shape, x._code)
