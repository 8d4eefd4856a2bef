"""Complex numbers as pairs of vectors, and in memory.

Memory holds real and imaginary parts in turn, as NumPy's complex64 and
complex128 do; vectors of complex numbers are a vector of each.
"""

from elementwise.compare import is_finite, is_inf
from elementwise.numbers.convert import converted
from elementwise.numbers.floats import is_nan
from elementwise.numbers.memory import load, store


@fieldwise_init
struct Complex[dtype: DType, width: SIMDLength](ImplicitlyCopyable, Movable):
    """Vectors of real and imaginary parts."""

    var re: SIMD[Self.dtype, Self.width]
    var im: SIMD[Self.dtype, Self.width]

    @always_inline
    def conjugate(self) -> Self:
        """The mirror image at the real axis."""
        return Self(self.re, -self.im)

    @always_inline
    def swapped(self) -> Self:
        """The parts exchanged: i times the conjugate."""
        return Self(self.im, self.re)

    @always_inline
    def negative(self) -> Self:
        """The number with the other sign."""
        return Self(-self.re, -self.im)

    @always_inline
    def has_nan(self) -> SIMD[DType.bool, Self.width]:
        """True where a part is NaN."""
        return is_nan(self.re) | is_nan(self.im)

    @always_inline
    def has_inf(self) -> SIMD[DType.bool, Self.width]:
        """True where a part is infinite, whatever the other is."""
        return is_inf(self.re) | is_inf(self.im)

    @always_inline
    def finite(self) -> SIMD[DType.bool, Self.width]:
        """True where both parts are finite."""
        return is_finite(self.re) & is_finite(self.im)

    @always_inline
    def is_zero(self) -> SIMD[DType.bool, Self.width]:
        """True where both parts are zeros."""
        return self.re.eq(0) & self.im.eq(0)

    @always_inline
    def cast[to: DType](self) -> Complex[to, Self.width]:
        """The number with parts of another float dtype."""
        return Complex[to, Self.width](self.re.cast[to](), self.im.cast[to]())


@always_inline
def choose[
    dtype: DType, width: SIMDLength, //
](
    condition: SIMD[DType.bool, width],
    yes: Complex[dtype, width],
    no: Complex[dtype, width],
) -> Complex[dtype, width]:
    """`yes` where the condition holds, else `no`."""
    return Complex[dtype, width](
        condition.select(yes.re, no.re), condition.select(yes.im, no.im)
    )


@always_inline
def as_real[
    dtype: DType, width: SIMDLength, //, to: DType
](z: Complex[dtype, width]) -> SIMD[to, width]:
    """Converts to a real dtype: the imaginary part is dropped, but for bool: what is not 0 is true."""
    comptime if to == DType.bool:
        return rebind[SIMD[to, width]](~z.is_zero())
    else:
        return converted[to](z.re)


@always_inline
def as_complex[
    dtype: DType, width: SIMDLength, //, to: DType
](x: SIMD[dtype, width]) -> Complex[to, width]:
    """Converts to complex numbers with parts of a dtype."""
    return Complex[to, width](converted[to](x), 0)


@always_inline
def load_complex[
    dtype: DType, lanes: Int
](address: Int, at: Int) -> Complex[dtype, lanes]:
    """`lanes` numbers from number `at` on."""
    var parts = load[dtype, 2 * lanes](address, 2 * at).deinterleave()
    return Complex[dtype, lanes](
        rebind[SIMD[dtype, lanes]](parts[0]),
        rebind[SIMD[dtype, lanes]](parts[1]),
    )


@always_inline
def store_complex[
    dtype: DType, lanes: SIMDLength, //
](address: Int, at: Int, z: Complex[dtype, lanes]):
    """Writes numbers to places `at` and on."""
    store(address, 2 * at, z.re.interleave(z.im))
