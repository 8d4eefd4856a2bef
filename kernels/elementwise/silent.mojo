"""Operands of silent steps: NumPy warns of what they give, but no instruction raises a flag.

They are divisions of integers, casts of floats to integers, and casts to half precision.
"""

from elementwise.numbers.dtypes import dtype_code


@always_inline
def limits(result: Int) -> Tuple[Float64, Float64]:
    """Above the first, and below the second, NumPy warns of a number in a dtype, given its code."""
    comptime most = Float64(2.0) ** 63
    if result == dtype_code(DType.float16):
        return Float64(65519.0), Float64(-65519.0)
    if result == dtype_code(DType.uint64):
        return 2 * most, -most
    if result == dtype_code(DType.uint32) or result == dtype_code(DType.int64):
        return most, -most
    return Float64(2147483648.0), Float64(-2147483649.0)


@always_inline
def outside[
    dtype: DType, width: SIMDLength, //, result: Int
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """Where numbers may be beyond a dtype, given its code."""
    comptime bounds = limits(result)
    comptime wide = DType.float64 if dtype == DType.float64 else DType.float32
    var y = x.cast[wide]()
    var high = SIMD[wide, width](bounds[0].cast[wide]())
    var low = SIMD[wide, width](bounds[1].cast[wide]())
    return ~(y.lt(high) & y.gt(low))


@always_inline
def critical[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], divisor: SIMD[dtype, width]) -> SIMD[
    DType.bool, width
]:
    """Where integers are divided by zero, or the least one by -1."""
    var found = divisor.eq(0)
    comptime if dtype.is_signed():
        found |= divisor.eq(-1) & x.eq(Scalar[dtype].MIN)
    return found
