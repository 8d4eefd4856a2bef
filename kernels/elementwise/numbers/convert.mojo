"""Dtype conversion with the results of C casts on x86-64, without their traps.

Floats go to integers by truncation, first to a signed integer that is wider or
at least 32 bits, whose lowest value stands for NaN and what is out of range;
the low bits of that are the result.
"""

from std.memory import bitcast
from std.sys import size_of

from elementwise.numbers.floats import is_nan


@always_inline
def converted[
    source: DType, width: SIMDLength, //, to: DType
](x: SIMD[source, width]) -> SIMD[to, width]:
    """Each lane of `x` as a value of dtype `to`."""
    comptime if to == source:
        return rebind[SIMD[to, width]](x)
    elif to == DType.bool:
        return rebind[SIMD[to, width]](~x.eq(0))
    elif to == DType.bfloat16:
        return rebind[SIMD[to, width]](_to_bfloat16(x.cast[DType.float32]()))
    elif source.is_floating_point() and not to.is_floating_point():
        return _truncated[to](x)
    else:
        return x.cast[to]()


@always_inline
def _to_bfloat16[
    width: SIMDLength, //
](x: SIMD[DType.float32, width]) -> SIMD[DType.bfloat16, width]:
    """Rounding to nearest even by hand: the instruction flushes subnormals."""
    var pattern = bitcast[DType.uint32, width](x)
    var odd = (pattern >> 16) & 1
    var rounded = ((pattern + 0x7FFF + odd) >> 16).cast[DType.uint16]()
    # The sign and the first bits of the payload of a NaN, made quiet.
    var quiet = (pattern >> 16).cast[DType.uint16]() | 0x40
    return bitcast[DType.bfloat16, width](is_nan(x).select(quiet, rounded))


@always_inline
def _truncated[
    source: DType, width: SIMDLength, //, to: DType
](x: SIMD[source, width]) -> SIMD[to, width]:
    comptime if size_of[source]() == 2:
        return _truncated[to](x.cast[DType.float32]())
    elif to == DType.uint64:
        comptime half = 9223372036854775808.0
        var upper = x.ge(half)
        var low = _to_signed[DType.int64](upper.select(x - half, x))
        var flip = upper.cast[DType.int64]() << 63
        return (low ^ flip).cast[to]()
    else:
        comptime narrow = size_of[to]() < 4 or to == DType.int32
        comptime signed = DType.int32 if narrow else DType.int64
        return _to_signed[signed](x).cast[to]()


@always_inline
def _to_signed[
    source: DType, width: SIMDLength, //, to: DType
](x: SIMD[source, width]) -> SIMD[to, width]:
    """Truncation to int32 or int64; MIN for what is out of range, and NaN."""
    comptime bits = size_of[to]() * 8
    comptime bound = Scalar[source](2.0) ** (bits - 1)
    # What lies between -bound - 1 and -bound truncates to MIN too.
    var fits = x.lt(bound) & x.ge(-bound)
    var safe = fits.select(x, SIMD[source, width](0)).cast[to]()
    return fits.select(safe, SIMD[to, width](Scalar[to].MIN))
