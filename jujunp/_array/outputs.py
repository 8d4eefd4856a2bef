"""Writing: whether an array may be written, and results to `out=`."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import DTYPES
from jujunp.lazy.values.layout import repeats

from .array_likes import OfNumpy
from .broadcasting import broadcast, shown
from .handle import Array, Handle, header, ndarray
from .making import write

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape


# -- what may be written

_OVERLAPPING = (
    "Numpy has detected that you (may be) writing to an array with\n"
    "overlapping memory from np.broadcast_arrays. If this is intentional\n"
    "set the WRITEABLE flag True or make a copy immediately before writing."
)


class Writable(enum.Enum):
    """Of an array that may be written, but not as others are; False stands for these."""

    SPREAD = enum.auto()
    """It shows elements at several places, of which the last one's stays."""
    WARNING = enum.auto()
    """Who writes to it first is warned."""


def written_as(layout: np.ndarray) -> Writable | bool:
    """Return what `_readonly` is of an array that may be written."""
    return Writable.SPREAD if repeats(layout) else False


def check_writeable(x: Handle, message: str) -> None:
    """Raise ValueError for an array that is read-only; DeprecationWarning where one is to come."""
    if x._readonly is True:
        raise ValueError(message)
    if x._readonly is Writable.WARNING:
        warn_user(_OVERLAPPING, DeprecationWarning)
        x._readonly = written_as(header(x))


# -- of functions


def put_out(result: Handle, out: Any, casting: str = "same_kind") -> Any:
    """Write a result to `out`, unless that is None, and return what the caller is to return.

    TypeError when `out` is no array or the dtypes do not cast, ValueError when it is read-only or
    of another shape.
    """
    if out is None:
        return result
    check_out(out, result._shape)
    check_cast(result._code, out._code, casting)
    write(out, result)
    return out


def output_of(out: Any) -> ndarray | None:
    """Return an `out` argument as an array that can be written; a tuple of one is its item."""
    if out is None:
        return None
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
        if out is ...:
            raise TypeError("must use `...` as `out=...` and not per-operand/in a tuple")
    check_written(out)
    return out  # type: ignore[no-any-return]


def check_out(out: Any, shape: Shape) -> None:
    """Raise when an array cannot be written with elements of a shape."""
    check_written(out)
    if out._shape != shape:
        raise ValueError(f"output array has wrong shape {out._shape}: the result has {shape}")


def check_written(out: Any) -> None:
    """Raise for an `out` that is no array, or cannot be written."""
    check_array(out)
    _check_writeable(out)


def check_array(out: Any) -> None:
    """Raise TypeError unless an output is an array: OfNumpy for one of NumPy's."""
    if not isinstance(out, Array):
        kind = OfNumpy if isinstance(out, np.ndarray) else TypeError
        raise kind(f"return arrays must be of ArrayType, not {type(out).__name__}")


def _check_writeable(out: ndarray) -> None:
    check_writeable(out, "output array is read-only")


def check_cast(source: int, target: int, casting: str) -> None:
    """Raise TypeError when dtype codes do not cast by a rule."""
    if not _casts(source, target, casting):
        raise TypeError(
            f"Cannot cast array data from {DTYPES[source]!r} to {DTYPES[target]!r} "
            f"according to the rule '{casting}'"
        )


def _casts(source: int, target: int, casting: str) -> bool:
    return source == target or np.can_cast(DTYPES[source], DTYPES[target], casting)  # type: ignore[arg-type]


# -- of ufuncs


def write_out(function: Any, result: Handle, out: Any, casting: str) -> Any:
    """Write a ufunc's result to `out` and return that; the errors are those of `check_output`."""
    check_output(function, result, out, casting)
    write(out, result)
    return out


def check_output(function: Any, result: Handle, out: Any, casting: str = "same_kind") -> None:
    """Raise as NumPy does when a ufunc's result cannot be written to `out`."""
    check_result(function, result._code, result._shape, out, casting)


def check_result(
    function: Any, code: int, shape: Shape, out: Any, casting: str = "same_kind"
) -> None:
    """Raise the same of a result that was not recorded yet."""
    check_array(out)
    check_casting(function, code, out._code, casting)
    _check_writeable(out)
    if shape != out._shape and broadcast(shape, out._shape) != out._shape:
        raise misfit(out._shape, shape)


def broadcasts_to(shape: Shape, target: Shape) -> bool:
    """Whether elements of a shape can be written to an array of another."""
    try:
        return broadcast(shape, target) == target
    except ValueError:
        return False


def misfit(out: Shape, shape: Shape) -> ValueError:
    """Return NumPy's error for an output of another shape than its result."""
    return ValueError(
        f"non-broadcastable output operand with shape {shown(out)} "
        f"doesn't match the broadcast shape {shown(shape)}"
    )


def check_casting(function: Any, source: int, target: int, casting: str = "same_kind") -> None:
    """Raise NumPy's UFuncTypeError when a result's dtype code cannot be cast to the output's."""
    if not _casts(source, target, casting):
        raise np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
            function.numpy, casting, DTYPES[source], DTYPES[target], 0
        )
