"""What JAX computes for our elementwise primitives where it compiles them itself.

That is in `jax.jit` and the like, around functions written with this module. The functions are
JAX's, and so are the last bits.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.interpreters import mlir

from . import primitives, segments

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array


def _spacing(x: Array) -> Array:
    away = jnp.nextafter(jnp.abs(x), jnp.full_like(x, jnp.inf)) - jnp.abs(x)
    return jnp.copysign(away, x)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "frexp_exponent": lambda x: jnp.frexp(x)[1].astype(x.dtype),
    "frexp_mantissa": lambda x: jnp.frexp(x)[0],
    "ldexp": lambda x, y: jnp.ldexp(x, y.astype(jnp.int32)),
    "spacing": _spacing,
}
"""What has no function of its name in jax.numpy."""


def add_lowerings() -> None:
    """Tell JAX how it computes the primitives."""
    for name, primitive in primitives.ELEMENTWISE.items():
        function = _FUNCTIONS.get(name) or getattr(jnp, name, None)
        if function is not None:
            _add(primitive, function)
    _add(primitives.integer_power_p, jnp.power)
    _add(primitives.require_p, lambda x, status: x)
    _add(primitives.searchsorted_p, _searchsorted)
    _add(primitives.reduceat_p, segments.reduceat)


def _searchsorted(a: Array, v: Array, *, side: int) -> Array:
    where = ("left", "right")[side]
    return jnp.searchsorted(a, v, side=where).astype(jnp.int64)


def _add(primitive: Any, function: Callable[..., Any]) -> None:
    def cast(*operands: Any, **params: Any) -> Any:
        found = function(*operands, **params)
        aval = primitive.abstract_eval(*map(jax.typeof, operands), **params)[0]
        return found.astype(aval.dtype)

    mlir.register_lowering(primitive, mlir.lower_fun(cast, multiple_results=False))
    primitive.def_impl(functools.partial(_at_once, primitive))


def _at_once(primitive: Any, *operands: Any, **params: Any) -> Any:
    return jax.jit(functools.partial(primitive.bind, **params))(*operands)
