"""The functions of JAX that compute what an elementwise operation of ours does, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jax import lax

if TYPE_CHECKING:
    from jax import Array


def _bit_count(x: Array) -> Array:
    """NumPy's bit count, that of the absolute value."""
    return lax.population_count(lax.abs(x) if np.issubdtype(x.dtype, np.signedinteger) else x)


LAX: dict[str, Any] = {
    "neg": lax.neg, "abs": lax.abs, "sign": lax.sign, "floor": lax.floor, "ceil": lax.ceil,
    "not": lax.bitwise_not, "exp": lax.exp, "exp2": lax.exp2, "expm1": lax.expm1, "log": lax.log,
    "log1p": lax.log1p, "sqrt": lax.sqrt, "rsqrt": lax.rsqrt, "cbrt": lax.cbrt, "sin": lax.sin,
    "cos": lax.cos, "tan": lax.tan, "asin": lax.asin, "acos": lax.acos, "atan": lax.atan,
    "sinh": lax.sinh, "cosh": lax.cosh, "tanh": lax.tanh, "asinh": lax.asinh, "acosh": lax.acosh,
    "atanh": lax.atanh, "logistic": lax.logistic, "square": lax.square, "is_finite": lax.is_finite,
    "population_count": _bit_count, "clz": lax.clz, "erf": lax.erf, "erfc": lax.erfc,
    "add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "rem": lax.rem, "pow": lax.pow,
    "max": lax.max, "min": lax.min, "atan2": lax.atan2, "nextafter": lax.nextafter,
    "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor,
    "shift_left": lax.shift_left, "shift_right_arithmetic": lax.shift_right_arithmetic,
    "shift_right_logical": lax.shift_right_logical, "eq": lax.eq, "ne": lax.ne, "lt": lax.lt,
    "le": lax.le, "gt": lax.gt, "ge": lax.ge, "select_n": lax.select_n, "clamp": lax.clamp,
    "erf_inv": lax.erf_inv, "lgamma": lax.lgamma, "digamma": lax.digamma,
    "bessel_i0e": lax.bessel_i0e, "bessel_i1e": lax.bessel_i1e, "zeta": lax.zeta,
    "polygamma": lax.polygamma, "igamma": lax.igamma, "igammac": lax.igammac,
    "igamma_grad_a": lax.igamma_grad_a, "random_gamma_grad": lax.random_gamma_grad,
    "regularized_incomplete_beta": lax.betainc, "real": lax.real, "imag": lax.imag,
    "conj": lax.conj, "complex": lax.complex,
}  # fmt: skip
"""What is the same for real numbers; `complex.COMPLEX` has other rules."""
