"""Unsigned numbers in the order of elements, and back."""

from std.memory import bitcast
from std.sys import size_of
from std.utils.numerics import isnan


def cell_of[dtype: DType]() -> DType:
    """The unsigned dtype of the same size."""
    comptime item = size_of[Scalar[dtype]]()
    comptime if item == 1:
        return DType.uint8
    elif item == 2:
        return DType.uint16
    elif item == 4:
        return DType.uint32
    else:
        return DType.uint64


comptime top_bit[dtype: DType] = Scalar[cell_of[dtype]()](1) << Scalar[
    cell_of[dtype]()
](size_of[Scalar[dtype]]() * 8 - 1)
"""The sign bit."""


@always_inline
def key_of[
    dtype: DType, width: SIMDLength
](value: SIMD[dtype, width]) -> SIMD[cell_of[dtype](), width]:
    """Keys in ascending order: -0 equals +0, and nan is the largest."""
    comptime cell = cell_of[dtype]()
    comptime top = SIMD[cell, width](top_bit[dtype])
    var bits = bitcast[cell, width](value)
    comptime if dtype.is_floating_point():
        bits = bits.eq(top).select(SIMD[cell, width](0), bits)
        var key = (bits & top).ne(0).select(~bits, bits | top)
        return isnan(value).select(SIMD[cell, width](Scalar[cell].MAX), key)
    elif dtype.is_signed():
        return bits ^ top
    else:
        return bits


@always_inline
def value_of_key[
    dtype: DType, width: SIMDLength
](key: SIMD[cell_of[dtype](), width]) -> SIMD[dtype, width]:
    """The element of a key, if it is neither -0 nor nan."""
    comptime cell = cell_of[dtype]()
    comptime top = SIMD[cell, width](top_bit[dtype])
    var bits = key
    comptime if dtype.is_floating_point():
        bits = (key & top).ne(0).select(key ^ top, ~key)
    elif dtype.is_signed():
        bits = key ^ top
    return bitcast[dtype, width](bits)
