"""Integrals of sampled functions."""

from __future__ import annotations

from typing import Any

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import BOOL

from ..._array.arguments import axis_of
from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header, is_number
from ..._array.making import view
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS
from ..reductions.folds import sum as added

__all__ = [
    "trapezoid",
]


def _ends(x: Handle, axis: int) -> tuple[Any, Any]:
    """Return all but the first, and all but the last elements along an axis."""
    before = (slice(None),) * axis
    seen = header(x)
    return view(x, seen[(*before, slice(1, None))]), view(x, seen[(*before, slice(None, -1))])


@uniform
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Return the integral along an axis by the trapezoidal rule.

    Args:
        y: Samples of the function.
        x: Where they were taken: one array for all, or one of the shape of `y`.
        dx: The distance of the samples, if `x` is not given.
        axis: The axis.
    """
    room()
    samples = as_handle(y)
    at = axis_of(axis, len(samples._shape))
    distance: Any = dx
    if x is not None:
        places = as_handle(x)
        subtract = UFUNCS["not_equal" if places._code == BOOL else "subtract"]
        if len(places._shape) == 1:
            distance = subtract(*_ends(places, 0))
            after = (None,) * (len(samples._shape) - at - 1)
            distance = view(distance, header(distance)[(..., *after)])
        else:
            distance = subtract(*_ends(places, axis_of(axis, len(places._shape))))
    elif not is_number(dx):
        distance = as_handle(dx)
    heights = UFUNCS["add"](*_ends(samples, at))
    return added(UFUNCS["divide"](UFUNCS["multiply"](distance, heights), 2.0), at)
