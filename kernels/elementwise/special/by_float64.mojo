"""The special functions of every float dtype, through those in float64.

float32 results are so rounded nearly once, and one code serves all dtypes:
the functions are called, not inlined, with at most LANES lanes.
"""

from elementwise.special.bessel import bessel_i0e, bessel_i1e, i0
from elementwise.special.gamma import Doubles, digamma, lgamma
from elementwise.special.incomplete_beta import regularized_incomplete_beta
from elementwise.special.incomplete_gamma import (
    igamma,
    igamma_grad_a,
    igammac,
    random_gamma_grad,
)
from elementwise.special.inverse_error import erf_inv
from elementwise.special.zeta import polygamma, zeta

comptime LANES = 8
comptime UNARY: List[StaticString] = [
    "erf_inv",
    "lgamma",
    "digamma",
    "bessel_i0e",
    "bessel_i1e",
    "i0",
]
comptime BINARY: List[StaticString] = [
    "zeta",
    "polygamma",
    "igamma",
    "igammac",
    "igamma_grad_a",
    "random_gamma_grad",
]


def is_special(name: StaticString) -> Bool:
    """True for the operations that this module computes."""
    return name in materialize[UNARY]() or name in materialize[BINARY]()


@always_inline
def special1[
    dtype: DType, width: SIMDLength, //, name: StaticString
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The unary special function with this name."""
    comptime if name == "erf_inv":
        return erf_inv(x)
    elif width > LANES:
        comptime half = width // 2
        var low = special1[name](x.slice[half]())
        var high = special1[name](x.slice[half, offset=half]())
        return rebind[SIMD[dtype, width]](low.join(high))
    else:
        var wide = x.cast[DType.float64]()
        return _unary[name](wide).cast[dtype]()


@always_inline
def special2[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The binary special function with this name."""
    comptime if width > LANES:
        comptime half = width // 2
        var low = special2[name](a.slice[half](), b.slice[half]())
        var high = special2[name](
            a.slice[half, offset=half](), b.slice[half, offset=half]()
        )
        return rebind[SIMD[dtype, width]](low.join(high))
    else:
        comptime wide = DType.float64
        var value = _binary[name](a.cast[wide](), b.cast[wide]())
        return value.cast[dtype]()


@always_inline
def special3[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: SIMD[dtype, width], b: SIMD[dtype, width], c: SIMD[dtype, width]) -> SIMD[
    dtype, width
]:
    """The ternary special function with this name."""
    comptime if width > LANES:
        comptime half = width // 2
        var low = special3[name](
            a.slice[half](), b.slice[half](), c.slice[half]()
        )
        var high = special3[name](
            a.slice[half, offset=half](),
            b.slice[half, offset=half](),
            c.slice[half, offset=half](),
        )
        return rebind[SIMD[dtype, width]](low.join(high))
    else:
        comptime wide = DType.float64
        comptime assert (
            name == "regularized_incomplete_beta"
        ), "no such operation"
        var value = regularized_incomplete_beta(
            a.cast[wide](), b.cast[wide](), c.cast[wide]()
        )
        return value.cast[dtype]()


@no_inline
def _unary[
    width: SIMDLength, //, name: StaticString
](x: Doubles[width]) -> Doubles[width]:
    comptime if name == "lgamma":
        return lgamma(x)
    elif name == "digamma":
        return digamma(x)
    elif name == "bessel_i0e":
        return bessel_i0e(x)
    elif name == "bessel_i1e":
        return bessel_i1e(x)
    else:
        comptime assert name == "i0", "no such operation"
        return i0(x)


@no_inline
def _binary[
    width: SIMDLength, //, name: StaticString
](a: Doubles[width], b: Doubles[width]) -> Doubles[width]:
    comptime if name == "zeta":
        return zeta(a, b)
    elif name == "polygamma":
        return polygamma(a, b)
    elif name == "igamma":
        return igamma(a, b)
    elif name == "igammac":
        return igammac(a, b)
    elif name == "igamma_grad_a":
        return igamma_grad_a(a, b)
    else:
        comptime assert name == "random_gamma_grad", "no such operation"
        return random_gamma_grad(a, b)
