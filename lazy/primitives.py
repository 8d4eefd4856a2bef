"""JAX primitives of our own, for what NumPy computes in one step and JAX does not.

They are named after NumPy's function or our kernel, and appear in Jaxprs like JAX's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive

if TYPE_CHECKING:
    from jax import Array

_SAME_DTYPE = (
    "trunc",
    "reciprocal",
    "deg2rad",
    "rad2deg",
    "spacing",
    "log2",
    "log10",
    "floor_divide",
    "remainder",
    "fmax",
    "fmin",
    "copysign",
    "heaviside",
    "ldexp",
    "gcd",
    "lcm",
    "hypot",
    "logaddexp",
    "logaddexp2",
    "i0",
)
_PREDICATES = ("isnan", "isinf", "signbit")


def _elementwise(name: str, predicate: bool) -> Primitive:
    primitive = Primitive(name)

    def rule(x: ShapedArray, *others: ShapedArray) -> ShapedArray:
        return ShapedArray(x.shape, np.dtype(bool) if predicate else x.dtype)

    primitive.def_abstract_eval(rule)
    return primitive


ELEMENTWISE: dict[str, Primitive] = {
    **{name: _elementwise(name, predicate=False) for name in _SAME_DTYPE},
    **{name: _elementwise(name, predicate=True) for name in _PREDICATES},
}
"""Own elementwise primitives; operands have one shape and dtype."""

integer_power_p = Primitive("pow")
"""JAX's own takes no integer bases."""
integer_power_p.def_abstract_eval(lambda x, y: ShapedArray(x.shape, x.dtype))

nonzero_p = Primitive("nonzero")
searchsorted_p = Primitive("searchsorted")
geqp3_p = Primitive("geqp3")


def _nonzero_rule(mask: ShapedArray, *, size: int) -> ShapedArray:
    return ShapedArray((size,), np.dtype(np.int64))


def _searchsorted_rule(a: ShapedArray, v: ShapedArray, *, side: int) -> ShapedArray:
    return ShapedArray(v.shape, np.dtype(np.int64))


def _geqp3_rule(a: ShapedArray, fixed: ShapedArray) -> list[ShapedArray]:
    taus = (*a.shape[:-2], min(a.shape[-2:]))
    return [a, fixed, ShapedArray(taus, a.dtype)]


geqp3_p.multiple_results = True
geqp3_p.def_abstract_eval(_geqp3_rule)
nonzero_p.def_abstract_eval(_nonzero_rule)
searchsorted_p.def_abstract_eval(_searchsorted_rule)


def nonzero(mask: Array, size: int) -> Any:
    """Return the flat indices of the `size` true elements of a mask, in order."""
    return nonzero_p.bind(mask, size=size)


def searchsorted(a: Array, v: Array, side: int) -> Any:
    """Return where `v` would be inserted into sorted `a`: before equal elements, or behind (1)."""
    return searchsorted_p.bind(a, v, side=side)


def geqp3(a: Array, fixed: Array) -> Any:
    """Return the pivoted QR factorization of LAPACK's routine of that name, packed."""
    return geqp3_p.bind(a, fixed)
