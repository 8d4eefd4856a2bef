"""Python numbers as elements of arrays."""

from std.ffi import external_call
from std.memory import bitcast
from elementwise.numbers.convert import converted
from elementwise.numbers.dtypes import COMPLEX64
from vm.base.raw import FLOAT_VALUE, int_of, load

comptime BOOL = 0
comptime FIRST_INTEGER = 1
comptime UINT64 = 8
comptime INT64 = 4
comptime FLOAT16 = 9
comptime FLOAT32 = 11
comptime FLOAT64 = 12
comptime FIRST_FLOAT = 9
"""From this dtype code on an array takes any Python float as it is."""
comptime LARGEST = bitcast[DType.float64](UInt64(2046) << 52)
"""Two to the power of 1023: Python checks the few floats beyond it, and nan."""


def bits_of(number: Int, is_float: Bool, dtype: Int) raises -> Int:
    """The bits of a Python number as an element of a dtype, which is not complex128."""
    if dtype == COMPLEX64:
        var re = external_call["PyComplex_RealAsDouble", Float64](number)
        var im = external_call["PyComplex_ImagAsDouble", Float64](number)
        var low = Int(bitcast[DType.uint32](re.cast[DType.float32]()))
        var high = Int(bitcast[DType.uint32](im.cast[DType.float32]()))
        return low | high << 32
    if dtype < 9:
        if is_float:
            raise Error("a float where an integer is wanted")
        return int_of(number)
    var x: Float64
    if is_float:
        x = bitcast[DType.float64](Int64(load(number, FLOAT_VALUE)))
    else:
        x = external_call["PyLong_AsDouble", Float64](number)
    if dtype == 12:
        return Int(bitcast[DType.int64](x))
    if dtype == 11:
        return Int(bitcast[DType.uint32](x.cast[DType.float32]()))
    if dtype == 9:
        return Int(bitcast[DType.uint16](converted[DType.float16](x)))
    if dtype == 10:
        return Int(bitcast[DType.uint16](converted[DType.bfloat16](x)))
    raise Error("no constant of this dtype")


def float_fits(number: Int, dtype: Int) -> Bool:
    """Whether a Python float stays finite, or as it is, as an element of a dtype of floats."""
    var x = bitcast[DType.float64](Int64(load(number, FLOAT_VALUE)))
    if dtype == FLOAT16:
        return _stays_finite(x, Float64(65504))
    if dtype == FLOAT32 or dtype == COMPLEX64:
        return _stays_finite(x, _LARGEST_SINGLE)
    return True


def complex_fits(number: Int) -> Bool:
    """Whether the parts of a Python complex stay as they are, or finite, in single precision."""
    var re = external_call["PyComplex_RealAsDouble", Float64](number)
    var im = external_call["PyComplex_ImagAsDouble", Float64](number)
    return _stays_finite(re, _LARGEST_SINGLE) and _stays_finite(
        im, _LARGEST_SINGLE
    )


comptime _LARGEST_SINGLE = Float64(Float32.MAX_FINITE)


@always_inline
def _stays_finite(x: Float64, largest: Float64) -> Bool:
    """Whether a number that is finite is one, too, in a dtype with this largest number."""
    return not (abs(x) > largest and abs(x) <= Float64.MAX_FINITE)


def int_fits(number: Int, dtype: Int) -> Bool:
    """Whether a Python int is an element of a dtype of real numbers but bool and halves."""
    var overflow = Int32(0)
    var value = external_call["PyLong_AsLongLongAndOverflow", Int](
        number, Pointer(to=overflow)
    )
    if overflow != 0 or dtype == 0:
        return False
    if dtype < FIRST_FLOAT:
        return integer_fits(value, dtype)
    return dtype == FLOAT64 or dtype == FLOAT32


def integer_fits(value: Int, dtype: Int) -> Bool:
    """Whether an integer is an element of a dtype of integers."""
    # the codes of signed integers, and then of unsigned ones, are in the order of their sizes
    var bits = 8 << ((dtype - 1) % 4)
    if dtype > 4:
        return value >= 0 and (bits == 64 or value >> bits == 0)
    return value >> (bits - 1) == 0 or value >> (bits - 1) == -1
