"""The frequencies that the numbers of a transform belong to, and their order."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import FLOAT64, is_float

from .._array.arguments import check_device, code_for, shape_of
from .._array.array_likes import as_array
from .._array.handle import ndarray
from .._array.making import as_code
from .._functions.creation.ranges import iota
from .._functions.manipulation.rearranging import roll


def _count(n: Any) -> int:
    if not isinstance(n, (int, np.integer)):
        raise ValueError("n should be an integer")
    return operator.index(n)


def _scaled(counts: Any, unit: Any, dtype: Any) -> ndarray:
    """Return integers times a unit, in a dtype if one is given; TypeError for one of no floats."""
    found = counts * unit
    if dtype is None:
        return found  # type: ignore[no-any-return]
    code = code_for(dtype, FLOAT64)
    if not is_float(code):
        raise TypeError(f"frequencies are of a real floating-point dtype, not {np.dtype(dtype)}")
    return as_code(found, code)  # type: ignore[no-any-return]


def fftfreq(n: Any, d: Any = 1.0, device: Any = None, *, dtype: Any = None) -> ndarray:
    """Return the frequencies of the n numbers of `fft`: from 0 up, then the negative ones.

    Args:
        n: Length of the transform.
        d: Distance of two samples; the frequencies are multiples of 1 / (n * d).
        device: "cpu" or None.
        dtype: A real floating-point dtype, float64 by default.

    ValueError when n is no integer or negative, ZeroDivisionError when it is 0, TypeError for other
    dtypes.
    """
    room()
    check_device(device)
    count = _count(n)
    unit = 1.0 / (count * d)
    counts = iota(*shape_of(count))
    counts[(count + 1) // 2 :] -= count
    return _scaled(counts, unit, dtype)


def rfftfreq(n: Any, d: Any = 1.0, device: Any = None, *, dtype: Any = None) -> ndarray:
    """Return the frequencies of the n // 2 + 1 numbers of `rfft`; arguments are those of `fftfreq`.

    ValueError when n is no integer, ZeroDivisionError when it is 0; of a negative n there are none.
    """
    room()
    check_device(device)
    count = _count(n)
    unit = 1.0 / (count * d)
    return _scaled(iota(max(count // 2 + 1, 0)), unit, dtype)


def _shifted(x: Any, axes: Any, sign: int) -> ndarray:
    """Return an array rolled by half of each axis, rounded down, in a direction."""
    room()
    array = as_array(x)
    if axes is None:
        axes = range(len(array._shape))
    elif isinstance(axes, (int, np.integer)):
        axes = (axes,)
    chosen = list(axes)
    return roll(array, [sign * (array._shape[axis] // 2) for axis in chosen], chosen)  # type: ignore[no-any-return]


def fftshift(x: Any, axes: Any = None) -> ndarray:
    """Return a transform with frequency 0 in the middle of axes, all by default; a copy.

    IndexError when there is no such axis.
    """
    return _shifted(x, axes, 1)


def ifftshift(x: Any, axes: Any = None) -> ndarray:
    """Return an array with what `fftshift` does undone; arguments and errors are the same."""
    return _shifted(x, axes, -1)
