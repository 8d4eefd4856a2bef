"""Roots of unity, to little more than half an ulp.

All that is above some hundredths of an ulp is carried along in a second number.
"""
from elementwise.numbers.coefficients import HALF_PI_F64
from elementwise.numbers.floats import fast_two_sum, two_product
from elementwise.numbers.polynomial import horner
from std.math import floor


from structured.operands.operand import store

comptime _WIDTH = 8
"""Roots that are computed together."""


def _taylor[n: Int](first: Int) -> Array[Float64, n]:
    """1 / first!, -1 / (first + 2)!, and so on; the factorials are exact."""
    var coefficients = Array[Float64, n](fill=0)
    for k in range(n):
        var factorial = Float64(1 if k % 2 == 0 else -1)
        for factor in range(2, first + 2 * k + 1):
            factorial *= Float64(factor)
        coefficients[k] = 1 / factorial
    return coefficients^


comptime _SINE = _taylor[7](5)
comptime _COSINE = _taylor[8](4)


@always_inline
def _sine_and_cosine[
    width: SIMDLength, //
](x: SIMD[DType.float64, width], low: SIMD[DType.float64, width]) -> Tuple[
    SIMD[DType.float64, width], SIMD[DType.float64, width]
]:
    """Sine and cosine of the angle x + low, which is at most pi / 4."""
    comptime V = SIMD[DType.float64, width]
    var square = two_product(x, x)
    var z = square[0]
    # sin(x) = x - x**3 / 6 + ..
    var cube = two_product(z, x)
    var third = cube[0] / 6
    var third_low = ((-third).fma(V(6), cube[0]) + cube[1] + square[1] * x) / 6
    var rest = cube[0] * z * horner[_SINE, _SINE](z)
    var s = fast_two_sum(x, -third)
    var s_low = s[1] + (rest - third_low + low * (1 - 0.5 * z))
    # cos(x) = 1 - x**2 / 2 + ..
    var c = fast_two_sum(V(1), -0.5 * z)
    var quartic = z * z * horner[_COSINE, _COSINE](z)
    var c_low = c[1] + (quartic - (0.5 * square[1] + x * low))
    return (s[0] + s_low, c[0] + c_low)


@always_inline
def roots[
    width: SIMDLength, //
](index: SIMD[DType.int64, width], n: Int) -> Tuple[
    SIMD[DType.float64, width], SIMD[DType.float64, width]
]:
    """Real and imaginary part of exp(-2 pi i index / n), for 0 <= index < n < 2**49.

    The angle is brought to an eighth of the circle while it is still a fraction of integers.
    """
    comptime V = SIMD[DType.float64, width]
    comptime quarter_pi = V(0.5 * HALF_PI_F64[0])
    comptime quarter_pi_low = V(0.5 * HALF_PI_F64[1])
    var whole = V(Float64(n))
    var eighths = 8 * index.cast[DType.float64]()
    var octant = floor(eighths / whole)
    var rest = (-octant).fma(whole, eighths)
    var o = octant.cast[DType.int64]()
    rest = (o & 1).eq(1).select(whole - rest, rest)
    var fraction = rest / whole
    var fraction_low = (-fraction).fma(whole, rest) / whole
    var angle = two_product(fraction, quarter_pi)
    var low = fraction.fma(quarter_pi_low, fraction_low * quarter_pi) + angle[1]
    var parts = fast_two_sum(angle[0], low)
    var both = _sine_and_cosine(parts[0], parts[1])
    var swapped = ((o + 1) & 2).ne(0)
    var re = swapped.select(both[0], both[1])
    var im = swapped.select(both[1], both[0])
    re = ((o + 2) & 4).ne(0).select(-re, re)
    return (re, o.lt(4).select(-im, im))


def write_roots(re: Int, im: Int, stride: Int, count: Int, step: Int, n: Int):
    """Writes exp(-2 pi i k step / n) for k < count.

    Args:
        re: Address of the first real part.
        im: Address of the first imaginary part.
        stride: Bytes from one to the next.
        count: How many.
        step: (count - 1) * step < n.
        n: How many roots there are.
    """
    var lanes = SIMD[DType.int64, _WIDTH](0)
    comptime for lane in range(_WIDTH):
        lanes[lane] = Int64(lane)
    for k in range(0, count, _WIDTH):
        # Lanes past the end are computed with an index that is valid and thrown away.
        var index = (lanes + Int64(k)) * Int64(step)
        index = index.lt(Int64(n)).select(index, 0)
        var values = roots(index, n)
        comptime for lane in range(_WIDTH):
            if k + lane < count:
                store(re + (k + lane) * stride, values[0][lane])
                store(im + (k + lane) * stride, values[1][lane])
