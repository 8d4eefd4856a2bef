"""Polynomials and constants whose values depend on the dtype."""


def constant[
    n: Int,
    m: Int,
    //,
    dtype: DType,
    wide: Array[Float64, n],
    narrow: Array[Float64, m],
    i: Int = 0,
]() -> Scalar[dtype]:
    """Entry `i` of the array for float64 or of that for float32."""
    comptime if dtype == DType.float64:
        comptime value = wide[i]
        return Scalar[dtype](value)
    else:
        comptime assert dtype == DType.float32, "float64 or float32"
        comptime value = narrow[i]
        return Scalar[dtype](value)


@always_inline
def horner[
    dtype: DType,
    width: SIMDLength,
    n: Int,
    m: Int,
    //,
    wide: Array[Float64, n],
    narrow: Array[Float64, m],
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The polynomial with these coefficients, constant term first."""
    comptime count = n if dtype == DType.float64 else m
    comptime last = constant[dtype, wide, narrow, count - 1]()
    var value = SIMD[dtype, width](last)
    comptime for i in range(count - 1):
        comptime next = constant[dtype, wide, narrow, count - 2 - i]()
        value = value.fma(x, SIMD[dtype, width](next))
    return value
