"""Arrays made by indexing: the grids mgrid and ogrid; r_ and c_, which join what is in the key."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import FLOAT64, INT64, Foreign

from ..._array.array_likes import as_handle, converted
from ..._array.handle import Array, Handle, ndarray
from ..creation.arrays import array
from ..creation.ranges import arange, linspace
from ..host import on_host
from ..manipulation.joining import concatenate

__all__ = [
    "c_",
    "mgrid",
    "ogrid",
    "r_",
]


class _Axis(NamedTuple):
    """What a slice says of an axis of a grid; an imaginary step is a number of points."""

    start: Any
    stop: Any
    step: Any

    @classmethod
    def of(cls, part: slice) -> _Axis:
        step = 1 if part.step is None else part.step
        return cls(0 if part.start is None else part.start, part.stop, step)

    @property
    def is_usual(self) -> bool:
        """Whether the axis has the integers from 0 on."""
        return self.is_range and self.start == 0 and self.step == 1

    @property
    def is_range(self) -> bool:
        """Whether the numbers are Python's ints."""
        return type(self.start) is type(self.stop) is type(self.step) is int

    @property
    def is_counted(self) -> bool:
        return isinstance(self.step, (complex, np.complexfloating))

    @property
    def points(self) -> int:
        if self.is_counted:
            return int(abs(self.step))
        found: int = math.ceil((self.stop - self.start) / self.step)
        return found

    @property
    def distance(self) -> Any:
        """How far points are apart: those that are counted end at `stop`."""
        if not self.is_counted:
            return self.step
        return 1 if self.points == 1 else (self.stop - self.start) / float(self.points - 1)

    def scaled(self, places: Any) -> Any:
        """Return the numbers that have these places among those of the axis."""
        distance = self.distance
        found = places if type(distance) is int and distance == 1 else places * distance
        return found if type(self.start) is int and self.start == 0 else found + self.start

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The numbers that decide the dtype."""
        return self.start, self.stop, abs(self.step) if self.is_counted else self.step


def _dtype_of(numbers: list[Any]) -> np.dtype[Any]:
    """Return the dtype of a grid of such numbers, among which there are others than integers."""
    return _FLOAT64 if _PLAIN.issuperset(map(type, numbers)) else np.result_type(*numbers, 0)


_PLAIN = frozenset((int, float))
_FLOAT64 = np.dtype(np.float64)


class Grid:
    """Coordinates of a grid by indexing: `mgrid[0:3, 0:1:5j]`.

    Each slice of the key is an axis, from its start to its stop, which is excluded; an imaginary
    step is a number of points, the last of which is `stop`. The result is one array that holds the
    coordinates along each axis, or, if the grid is sparse, a tuple of arrays that broadcast.
    """

    def __init__(self, *, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        room()
        if not isinstance(key, tuple):
            return self._line(key)
        axes = [_Axis.of(part) for part in key]
        points = tuple(axis.points for axis in axes)
        if all(axis.is_range for axis in axes):
            found: Any = package().indices(points, sparse=self.sparse)
        else:
            dtype = _dtype_of([number for axis in axes for number in axis.numbers])
            found = package().indices(points, dtype, sparse=self.sparse)
        if self.sparse:
            return tuple(axis.scaled(part) for part, axis in zip(found, axes, strict=True))
        for k, axis in enumerate(axes):
            if not axis.is_usual:
                found[k] = axis.scaled(found[k])
        return found

    def _line(self, key: Any) -> Any:
        axis = _Axis.of(key)
        if not axis.is_counted:
            return package().arange(axis.start, axis.stop, axis.step)
        dtype = np.result_type(*axis.numbers)
        return package().arange(axis.points, dtype=dtype) * axis.distance + axis.start


mgrid, ogrid = Grid(sparse=False), Grid(sparse=True)


class Joined:
    """Arrays, numbers and ranges in a key, joined along an axis: `r_[1:4, 0, x]`.

    A slice is a range, with an imaginary step so many numbers from start to stop. A text in front
    says along which axis, of how many axes at least, and where axes of arrays with fewer go:
    "axis,axes,first". The texts "r" and "c" make a matrix, and "c" a column of what has one axis.
    """

    def __init__(self, name: str, axis: int, ndim: int, first: int) -> None:
        self.name = name
        self.how = axis, ndim, first

    def __getitem__(self, key: Any) -> Any:
        room()
        try:
            return self._joined(key)
        except Foreign:
            theirs = getattr(np, self.name)
        found = on_host(self.name, theirs.__getitem__, (key,), {})
        return package().asmatrix(found) if isinstance(found, np.matrix) else found

    def _joined(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        how = self.how
        if how == _FLAT:
            usual = _usual_parts(parts)
            if usual:
                return package().concatenate(usual)
        if parts and isinstance(parts[0], str):
            if isinstance(key, str):
                return package().bmat(key)
            if parts[0] in ("r", "c"):
                return _as_matrix(self[parts[1:]], is_column=parts[0] == "c")
            how, parts = _directive(parts[0], how), parts[1:]
        if how == _COLUMNS and all(type(part) is ndarray and part.ndim in (1, 2) for part in parts):
            return package().column_stack(parts)
        axis, ndim, first = how
        arrays = [part if _is_number(part) else _spread(part, ndim, first) for part in parts]
        if not arrays:
            return concatenate(())
        dtype = np.result_type(*(x.dtype if isinstance(x, Handle) else x for x in arrays))
        return concatenate([array(x, dtype=dtype, copy=None, ndmin=ndim) for x in arrays], axis)

    def __len__(self) -> int:
        return 0


def _usual_parts(parts: tuple[Any, ...]) -> list[Any]:
    """Return what is joined as arrays with one axis and lists; none if there is anything else.

    Of these dtypes a number decides that of the result as a list of it does.
    """
    found: list[Any] = []
    for part in parts:
        if type(part) is ndarray and part._code in (FLOAT64, INT64) and len(part._shape) == 1:
            found.append(part)
        elif type(part) is float or (type(part) is int and abs(part) < _MODERATE):
            found.append([part])
        elif type(part) is slice and (axis := _Axis.of(part)).is_range:
            found.append(package().arange(*axis))
        else:
            return []
    return found


def _as_matrix(x: Any, *, is_column: bool) -> Any:
    found = package().asmatrix(x)
    return found.T if is_column and x.ndim == 1 else found


def _directive(text: str, how: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return axis, number of axes and first axis as a text says; ValueError if it does not."""
    numbers = text.split(",")
    message = f"unknown special directive {text!r}" if len(numbers) > 1 else None
    try:
        said = [int(number) for number in numbers[:3]]
    except ValueError as error:
        raise ValueError(message or "unknown special directive") from error
    return (*said, *how[len(said) :])  # type: ignore[return-value]


def _is_number(part: Any) -> bool:
    """Whether a part of a key is a number or scalar, which takes part in promotion as one."""
    return isinstance(part, (bool, int, float, complex, np.generic))


def _spread(part: Any, ndim: int, first: int) -> Any:
    """Return a part of a key as an array of at least `ndim` axes, its own from `first` on."""
    if isinstance(part, str):
        raise ValueError("special directives must be the first entry.")
    if isinstance(part, slice):
        x: Any = _range_of(part)
    else:
        # as an array of NumPy's, whatever it answers, what is no array
        x = as_handle(part) if isinstance(part, (np.ndarray, Array)) else converted(part)
    missing = ndim - len(x._shape)
    x = array(x, copy=None, ndmin=ndim)
    if missing <= 0 or first == -1:
        return x
    front = first if first >= 0 else first + missing + 1
    axes = range(ndim)
    return x.transpose((*axes[:front], *axes[missing:], *axes[front:missing]))


def _range_of(part: slice) -> Any:
    axis = _Axis.of(part)
    if axis.is_counted:
        return linspace(axis.start, axis.stop, axis.points)
    return arange(axis.start, axis.stop, axis.step)


_FLAT = 0, 1, -1
_COLUMNS = -1, 2, 0
_MODERATE = 1 << 60
"""Smaller integers are int64."""
r_, c_ = Joined("r_", *_FLAT), Joined("c_", *_COLUMNS)
