"""Derivatives, and maps over an axis, of our elementwise primitives: as JAX has them of its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.dtypes import float0
from jax.interpreters import ad, batching

from . import primitives

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jax import Array

_LOG2, _LOG10 = math.log(2.0), math.log(10.0)


def _zero(*operands: Array) -> Array:
    return jnp.zeros_like(operands[0])


def _chosen(x: Array, y: Array) -> Array:
    """1 where the first of two operands was taken, 1/2 where both are equal."""
    one, half, none = (jnp.asarray(n, x.dtype) for n in (1, 0.5, 0))
    return jnp.where(x == y, half, jnp.where((x > y) | (y != y), one, none))


def _weight(x: Array, y: Array) -> Array:
    """The share of the first in a sum of exponentials; equal infinities share alike."""
    return lax.logistic(jnp.where((x == y) & jnp.isinf(x), jnp.zeros_like(x), x - y))


def _hypot(x: Array, y: Array) -> Array:
    length = primitives.ELEMENTWISE["hypot"].bind(x, y)
    return jnp.where(length == 0, jnp.zeros_like(x), x / length)


def _i1(x: Array) -> Array:
    return lax.bessel_i1e(x) * lax.exp(lax.abs(x))


_Derivatives = tuple["Callable[..., Array] | None", ...]

DERIVATIVES: dict[str, _Derivatives] = {
    "copysign": (lambda x, y: jnp.where(jnp.signbit(x) == jnp.signbit(y), 1.0, -1.0), _zero),
    "deg2rad": (lambda x: jnp.full_like(x, math.pi / 180),),
    "rad2deg": (lambda x: jnp.full_like(x, 180 / math.pi),),
    "floor_divide": (_zero, _zero),
    "fmax": (_chosen, lambda x, y: _chosen(y, x)),
    "fmin": (lambda x, y: _chosen(-x, -y), lambda x, y: _chosen(-y, -x)),
    "frexp_mantissa": (lambda x: jnp.exp2(-jnp.frexp(x)[1].astype(x.dtype)),),
    "heaviside": (_zero, lambda x, y: (x == 0).astype(x.dtype)),
    "hypot": (_hypot, lambda x, y: _hypot(y, x)),
    "i0": (_i1,),
    "ldexp": (lambda x, y: jnp.exp2(y), _zero),
    "log10": (lambda x: 1 / (x * jnp.asarray(_LOG10, x.dtype)),),
    "log2": (lambda x: 1 / (x * jnp.asarray(_LOG2, x.dtype)),),
    "logaddexp": (_weight, lambda x, y: _weight(y, x)),
    "logaddexp2": (
        lambda x, y: _weight(x * jnp.asarray(_LOG2, x.dtype), y * jnp.asarray(_LOG2, x.dtype)),
        lambda x, y: _weight(y * jnp.asarray(_LOG2, x.dtype), x * jnp.asarray(_LOG2, x.dtype)),
    ),
    "reciprocal": (lambda x: -primitives.ELEMENTWISE["reciprocal"].bind(x * x),),
    "remainder": (
        lambda x, y: jnp.ones_like(x),
        lambda x, y: -primitives.ELEMENTWISE["floor_divide"].bind(x, y),
    ),
    "spacing": (_zero,),
    "trunc": (_zero,),
}
"""By each operand, from all operands. Those of steps are zero, as JAX has it of `floor`."""


def _jvp(primitive: Any, derivatives: _Derivatives) -> Callable[..., Any]:
    def rule(primals: Sequence[Array], tangents: Sequence[Any]) -> tuple[Any, Any]:
        found = primitive.bind(*primals)
        total: Any = None
        for by, tangent in zip(derivatives, tangents, strict=True):
            if by is _zero or type(tangent) is ad.Zero:
                continue
            part = tangent * by(*primals).astype(found.dtype)  # type: ignore[misc]
            total = part if total is None else total + part
        return found, jnp.zeros_like(found) if total is None else total

    return rule


def _no_derivative(primitive: Any) -> Callable[..., Any]:
    """The rule of a primitive whose results are flags or integers."""

    def rule(primals: Sequence[Array], tangents: Sequence[Any], **params: Any) -> tuple[Any, Any]:
        found = primitive.bind(*primals, **params)
        return found, ad.Zero(found.aval.update(dtype=float0))

    return rule


def _require_jvp(primals: Sequence[Array], tangents: Sequence[Any]) -> tuple[Any, Any]:
    return primitives.require_p.bind(*primals), tangents[0]


def _searchsorted_batched(operands: Any, axes: Any, *, side: int) -> tuple[Any, int]:
    """Each table has its own values: as many times one table's."""
    a, v = (
        x if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(operands, axes, strict=True)
    )
    if axes[0] is None:
        return primitives.searchsorted(a, v, side), 0
    where = ("left", "right")[side]
    one = lambda table, values: jnp.searchsorted(table, values, side=where)  # noqa: E731
    inner = (0, None if axes[1] is None else 0)
    return jax.vmap(one, inner)(a, v).astype("int64"), 0  # type: ignore[no-untyped-call]


def add_rules() -> None:
    """Give the primitives their rules."""
    for name, primitive in primitives.ELEMENTWISE.items():
        define: Any = batching.defvectorized if name in _UNARY else batching.defbroadcasting
        define(primitive)
        derivatives = DERIVATIVES.get(name)
        ad.primitive_jvps[primitive] = (
            _no_derivative(primitive) if derivatives is None else _jvp(primitive, derivatives)
        )
    broadcast: Any = batching.defbroadcasting
    broadcast(primitives.integer_power_p)
    ad.primitive_jvps[primitives.integer_power_p] = _no_derivative(primitives.integer_power_p)
    for primitive in (primitives.searchsorted_p, primitives.nonzero_p):
        ad.primitive_jvps[primitive] = _no_derivative(primitive)
    ad.primitive_jvps[primitives.require_p] = _require_jvp
    batching.primitive_batchers[primitives.searchsorted_p] = _searchsorted_batched


_UNARY = frozenset(
    (
        *("deg2rad", "frexp_exponent", "frexp_mantissa", "i0", "isinf", "isnan", "log10", "log2"),
        *("rad2deg", "reciprocal", "signbit", "spacing", "trunc"),
    )
)
