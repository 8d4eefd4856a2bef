"""The inverse of the error function."""

from std.utils.numerics import inf, nan

from elementwise.arithmetic import absolute
from elementwise.numbers.floats import copy_sign, square_root
from elementwise.logarithm import log
from elementwise.numbers.polynomial import horner
from elementwise.special.coefficients import (
    ERF_INV_F32,
    ERF_INV_F64,
    ERF_INV_TAIL_F32,
    ERF_INV_TAIL_F64,
)


@always_inline
def erf_inv[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The y with erf(y) = x; infinite for +-1, NaN outside.

    A polynomial in w = -log(1 - x**2), in 1 / sqrt(w) near +-1.
    """
    comptime V = SIMD[dtype, width]
    var w = -log((-x).fma(x, V(1)))
    var value = x.fma(horner[ERF_INV_F64, ERF_INV_F32](w - 3), x)
    var tail = w.gt(6.25)
    if tail.reduce_or():
        var s = square_root(w)
        var p = horner[ERF_INV_TAIL_F64, ERF_INV_TAIL_F32](1 / s - 0.25)
        value = tail.select(x * s.fma(p, s), value)
    var size = absolute(x)
    value = size.eq(1).select(copy_sign(V(inf[dtype]()), x), value)
    return size.gt(1).select(V(nan[dtype]()), value)
