"""Elementwise steps on complex numbers that JAX has no primitive for, as steps on the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jax import lax

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array


def _is_finite(z: Array) -> Array:
    return lax.bitwise_and(lax.is_finite(lax.real(z)), lax.is_finite(lax.imag(z)))


def _round(z: Array) -> Array:
    even = lax.RoundingMethod.TO_NEAREST_EVEN
    return lax.complex(lax.round(lax.real(z), even), lax.round(lax.imag(z), even))


def _ordered(compare: Callable[..., Array], last: Callable[..., Array]) -> Any:
    """A comparison by the real parts, and by the imaginary ones where those are equal."""

    def function(x: Array, y: Array) -> Array:
        real, imag = (lax.real(x), lax.real(y)), (lax.imag(x), lax.imag(y))
        numbers = lax.bitwise_and(*(lax.eq(part, part) for part in imag))
        first = lax.bitwise_and(compare(*real), numbers)
        return lax.bitwise_or(first, lax.bitwise_and(lax.eq(*real), last(*imag)))

    return function


COMPLEX: dict[str, Callable[..., Array]] = {
    "is_finite": _is_finite,
    "round": _round,
    "lt": _ordered(lax.lt, lax.lt),
    "le": _ordered(lax.lt, lax.le),
    "gt": _ordered(lax.gt, lax.gt),
    "ge": _ordered(lax.gt, lax.ge),
}
"""By the name of the step."""
