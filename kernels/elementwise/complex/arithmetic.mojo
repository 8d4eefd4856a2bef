"""Arithmetic, comparisons and choices of complex numbers.

Products and quotients are those of NumPy. The refined product, of which other
functions are made, has few ulps of error in each part, whatever cancels, and
infinities survive it as Annex G of C99 wants.
"""

from std.utils.numerics import inf, nan

from elementwise.arithmetic import (
    absolute,
    exp2_integer,
    split_exponent,
)
from elementwise.compare import is_inf, maximum
from elementwise.complex.number import Complex, choose
from elementwise.numbers.dtypes import signed_of
from elementwise.numbers.floats import copy_sign, exponent_bias, is_nan, product
from elementwise.power import hypot


@always_inline
def difference_of_products[
    dtype: DType, width: SIMDLength, //
](
    a: SIMD[dtype, width],
    b: SIMD[dtype, width],
    c: SIMD[dtype, width],
    d: SIMD[dtype, width],
) -> SIMD[dtype, width]:
    """`a * b - c * d` to 1.5 ulp, however much cancels (Kahan)."""
    var refined = _finite_difference(a, b, c, d)
    # What overflows has no lost part.
    return is_nan(refined).select(a.fma(b, -product(c, d)), refined)


@always_inline
def _finite_difference[
    dtype: DType, width: SIMDLength, //
](
    a: SIMD[dtype, width],
    b: SIMD[dtype, width],
    c: SIMD[dtype, width],
    d: SIMD[dtype, width],
) -> SIMD[dtype, width]:
    """`difference_of_products`, or NaN where that may be infinite."""
    var other = product(c, d)
    var lost = c.fma(d, -other)
    # To subtract a 0, which is never -0 here, keeps the sign of -0.
    return a.fma(b, -other) - lost


@always_inline
def _boxed[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width]) -> Complex[dtype, width]:
    """Infinite parts become 1 and others 0, with their signs."""
    comptime V = SIMD[dtype, width]
    return Complex[dtype, width](
        copy_sign(is_inf(z.re).select(V(1), V(0)), z.re),
        copy_sign(is_inf(z.im).select(V(1), V(0)), z.im),
    )


@always_inline
def _without_nan[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width]) -> Complex[dtype, width]:
    """NaN parts become zeros with their signs."""
    var zero = SIMD[dtype, width](0)
    return Complex[dtype, width](
        is_nan(z.re).select(copy_sign(zero, z.re), z.re),
        is_nan(z.im).select(copy_sign(zero, z.im), z.im),
    )


@always_inline
def _raw_product[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width], w: Complex[dtype, width]) -> Complex[dtype, width]:
    return Complex[dtype, width](
        difference_of_products(z.re, w.re, z.im, w.im),
        difference_of_products(z.re, w.im, -z.im, w.re),
    )


@always_inline
def multiply[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width], w: Complex[dtype, width]) -> Complex[dtype, width]:
    """`z * w` as NumPy has it where the CPU can add to a product; not symmetric in its last bit."""
    return Complex[dtype, width](
        z.re.fma(w.re, -product(z.im, w.im)),
        z.re.fma(w.im, product(z.im, w.re)),
    )


@always_inline
def refined_product[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width], w: Complex[dtype, width]) -> Complex[dtype, width]:
    """`z * w`; infinite if a factor is and the other is not 0 or NaN."""
    var value = Complex[dtype, width](
        _finite_difference(z.re, w.re, z.im, w.im),
        _finite_difference(z.re, w.im, -z.im, w.re),
    )
    if value.finite().reduce_and():
        return value
    return _special_product(z, w)


@no_inline
def _special_product[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width], w: Complex[dtype, width]) -> Complex[dtype, width]:
    """The product where parts of it overflow, or are infinite or NaN."""
    var value = _raw_product(z, w)
    comptime infinity = SIMD[dtype, width](inf[dtype]())
    var by_z = z.has_inf()
    var by_w = w.has_inf()
    var a = choose(by_z, _boxed(z), _without_nan(z))
    var b = choose(by_w, _boxed(w), _without_nan(w))
    var direction = _raw_product(a, b)
    var infinite = Complex[dtype, width](
        infinity * direction.re, infinity * direction.im
    )
    var lost = is_nan(value.re) & is_nan(value.im)
    var result = choose(lost & (by_z | by_w), infinite, value)
    var x = scaled(z)
    var y = scaled(w)
    var whole = times_power(
        _raw_product(x.value, y.value), x.exponent + y.exponent
    )
    var overflown = z.finite() & w.finite() & ~value.finite()
    return choose(overflown, whole, result)


@always_inline
def square[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width]) -> Complex[dtype, width]:
    """`z * z`."""
    return multiply(z, z)


@fieldwise_init
struct Scaled[dtype: DType, width: SIMDLength](ImplicitlyCopyable, Movable):
    """A number as value * 2**exponent, the larger part of value in [1, 2)."""

    var value: Complex[Self.dtype, Self.width]
    var exponent: SIMD[signed_of[Self.dtype](), Self.width]


@always_inline
def scaled[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width]) -> Scaled[dtype, width]:
    """The scaled form of finite numbers; zeros and others stay as they are."""
    var top = maximum(absolute(z.re), absolute(z.im))
    var regular = z.finite() & ~z.is_zero()
    var exponent = regular.select(
        split_exponent(top)[1], SIMD[signed_of[dtype](), width](0)
    )
    return Scaled[dtype, width](times_power(z, -exponent), exponent)


@always_inline
def times_power[
    dtype: DType, width: SIMDLength, //
](
    z: Complex[dtype, width], exponent: SIMD[signed_of[dtype](), width]
) -> Complex[dtype, width]:
    """`z * 2**exponent`, for exponents up to twice that of the largest number."""
    comptime bits = signed_of[dtype]()
    comptime most = Scalar[bits](2 * exponent_bias[dtype]())
    var bounded = max(min(exponent, most), -most)
    var half = bounded >> 1
    var first = exp2_integer[dtype, width](half)
    var second = exp2_integer[dtype, width](bounded - half)
    return Complex[dtype, width](z.re * first * second, z.im * first * second)


@always_inline
def divide[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width], w: Complex[dtype, width]) -> Complex[dtype, width]:
    """`z / w` by Smith's method, as NumPy has it; z / 0 is z / |0|."""
    var wide = absolute(w.re).ge(absolute(w.im))
    # the parts of the divisor, the larger one first
    var large = wide.select(w.re, w.im)
    var small = wide.select(w.im, w.re)
    var ratio = small / large
    var scale = 1 / (large + small * ratio)
    var first = wide.select(z.re, z.im)
    var second = wide.select(z.im, z.re)
    var across = first * ratio
    var value = Complex[dtype, width](
        (first + second * ratio) * scale,
        wide.select(second - across, across - second) * scale,
    )
    var zero = absolute(w.re)
    var by_zero = Complex[dtype, width](z.re / zero, z.im / zero)
    return choose(w.is_zero(), by_zero, value)


@always_inline
def reciprocal[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width]) -> Complex[dtype, width]:
    """`1 / z` by Smith's method, as NumPy has it."""
    var wide = absolute(z.im).le(absolute(z.re))
    var large = wide.select(z.re, z.im)
    var small = wide.select(z.im, z.re)
    var ratio = small / large
    var under = large + small * ratio
    var long = 1 / under
    var short = ratio / under
    return Complex[dtype, width](
        wide.select(long, short), -wide.select(short, long)
    )


@always_inline
def sign[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width]) -> Complex[dtype, width]:
    """`z / |z|`: 0 for 0, NaN if a part is NaN or both are infinite."""
    comptime V = SIMD[dtype, width]
    var value = scaled(z).value
    var size = hypot(value.re, value.im)
    var unit = Complex[dtype, width](value.re / size, value.im / size)
    var zero = V(0)
    var both = is_inf(z.re) & is_inf(z.im)
    var invalid = V(nan[dtype]())
    var ends = choose(
        both | z.has_nan(),
        Complex[dtype, width](invalid, invalid),
        Complex[dtype, width](
            is_inf(z.re).select(copy_sign(V(1), z.re), zero),
            is_inf(z.im).select(copy_sign(V(1), z.im), zero),
        ),
    )
    var nothing = Complex[dtype, width](zero, zero)
    return choose(z.finite(), choose(z.is_zero(), nothing, unit), ends)


@always_inline
def equal[
    dtype: DType, width: SIMDLength, //
](a: Complex[dtype, width], b: Complex[dtype, width]) -> SIMD[
    DType.bool, width
]:
    """`a == b`."""
    return a.re.eq(b.re) & a.im.eq(b.im)


@always_inline
def less[
    dtype: DType, width: SIMDLength, //, or_equal: Bool
](a: Complex[dtype, width], b: Complex[dtype, width]) -> SIMD[
    DType.bool, width
]:
    """`a < b` by the real parts, and where they are equal by the imaginary.

    False where it depends on a NaN, and wherever an imaginary part is NaN.
    """
    var numbers = ~is_nan(a.im) & ~is_nan(b.im)
    var tie = a.im.le(b.im) if or_equal else a.im.lt(b.im)
    return (a.re.lt(b.re) & numbers) | (a.re.eq(b.re) & tie)


@always_inline
def largest[
    dtype: DType, width: SIMDLength, //
](a: Complex[dtype, width], b: Complex[dtype, width]) -> Complex[dtype, width]:
    """The larger operand, the first if equal; the first that has a NaN."""
    return choose(less[True](b, a) | a.has_nan(), a, b)


@always_inline
def smallest[
    dtype: DType, width: SIMDLength, //
](a: Complex[dtype, width], b: Complex[dtype, width]) -> Complex[dtype, width]:
    """The smaller operand, the first if equal; the first that has a NaN."""
    return choose(less[True](a, b) | a.has_nan(), a, b)


@always_inline
def largest_number[
    dtype: DType, width: SIMDLength, //
](a: Complex[dtype, width], b: Complex[dtype, width]) -> Complex[dtype, width]:
    """The larger operand; one with a NaN loses against a number."""
    return choose(less[True](b, a) | b.has_nan(), a, b)


@always_inline
def smallest_number[
    dtype: DType, width: SIMDLength, //
](a: Complex[dtype, width], b: Complex[dtype, width]) -> Complex[dtype, width]:
    """The smaller operand; one with a NaN loses against a number."""
    return choose(less[True](a, b) | b.has_nan(), a, b)
