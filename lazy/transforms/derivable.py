"""Steps whose derivatives JAX has not, or has wrong, written so that it finds them.

Where half of a matrix is read, JAX supposes that the other half changes alike. JAX 0.10 takes the
sign of complex numbers for a constant, and has the derivative of arccosh with the other sign left
of the imaginary axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax
from jax.lax import linalg

from ..jaxprs import primitives, segments
from ..jaxprs.linear import KERNELS, with_status
from . import reflections

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array

    from ..values.value import Value


def _eig(a: Array, left: int, right: int) -> Any:
    return linalg.eig(
        a,
        compute_left_eigenvectors=bool(left),
        compute_right_eigenvectors=bool(right),
        enable_eigvec_derivs=True,
    )


def _half(a: Array, lower: int) -> Array:
    """Return the Hermitian matrix of which a half and the real part of the diagonal are read."""
    half = jnp.tril(a, -1) if lower else jnp.triu(a, 1)
    other = jnp.conj(jnp.matrix_transpose(half))
    ones = jnp.eye(a.shape[-1], dtype=a.dtype)
    return half + other + ones * jnp.real(a)


def _of_half(name: str) -> Any:
    def rule(operands: list[Array], value: Value) -> Any:
        lower = (value.params or (1,))[0]
        return KERNELS[name]([_half(operands[0], lower)], value)

    return rule


def _acosh(z: Array) -> Array:
    if not jnp.iscomplexobj(z):
        return lax.acosh(z)
    half = jnp.asarray(0.5, z.dtype)
    return 2 * lax.log(lax.sqrt((z + 1) * half) + lax.sqrt((z - 1) * half))


def _sign(z: Array) -> Array:
    if not jnp.iscomplexobj(z):
        return lax.sign(z)
    nothing = z == 0
    size = lax.abs(jnp.where(nothing, 1, z))
    return jnp.where(nothing, 0, z / size)


def _of_elements(function: Callable[[Array], Array]) -> Any:
    def rule(operands: list[Array], value: Value) -> Array:
        return jnp.broadcast_to(function(operands[0]), value.shape)

    return rule


def _interp(operands: list[Array], value: Value) -> Array:
    """A line between two samples each; at a sample, that of the next ones."""
    x, places, values, left, right = operands
    last = places.size - 1
    found = jnp.broadcast_to(values[0], x.shape)
    if last:
        k = jnp.clip(primitives.searchsorted(places, x, 1) - 1, 0, last - 1)
        width = places[k + 1] - places[k]
        slope = (values[k + 1] - values[k]) / jnp.where(width == 0, 1, width)
        found = values[k] + slope * (x - places[k])
    found = jnp.where(x < places[0], left, found)
    return jnp.where(x > places[last], right, found).astype(values.dtype)


DERIVABLE: dict[str, Any] = {
    "acosh": _of_elements(_acosh),
    "cholesky": _of_half("cholesky"),
    "eig": with_status(_eig),
    "eigh": _of_half("eigh"),
    "geqrf": lambda operands, value: reflections.geqrf(*operands),
    "householder_product": lambda operands, value: reflections.householder_product(*operands),
    "interp": _interp,
    "reduceat": segments.of_step,
    "sign": _of_elements(_sign),
}
"""By the name of the step, from operands and the step."""
