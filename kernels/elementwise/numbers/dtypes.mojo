"""Dtype codes: how dtypes are named at run time.

A code is an index into `DTYPES`, or one of the two beyond it: complex numbers
are pairs of floats and no dtype of SIMD vectors.
"""

from std.sys import size_of

comptime DTYPE_COUNT = 13
comptime DTYPES: Array[DType, DTYPE_COUNT] = [
    DType.bool,
    DType.int8,
    DType.int16,
    DType.int32,
    DType.int64,
    DType.uint8,
    DType.uint16,
    DType.uint32,
    DType.uint64,
    DType.float16,
    DType.bfloat16,
    DType.float32,
    DType.float64,
]

comptime COMPLEX64 = 13
comptime COMPLEX128 = 14
comptime CODE_COUNT = 15

# Sets of dtypes are bit masks over the codes.
comptime BOOL = 1
comptime SIGNED = 0b11110
comptime UNSIGNED = 0b111100000
comptime FLOATS = 0b1111000000000
comptime INTS = SIGNED | UNSIGNED
comptime NUMBERS = INTS | FLOATS
comptime ALL = BOOL | NUMBERS
comptime SINGLE = 0b100000000000
comptime DOUBLE = 0b1000000000000
comptime COMPLEX = 0b110000000000000


def dtype_code(dtype: DType) -> Int:
    """The code of `dtype`, or -1 for a dtype that has none."""
    comptime for code in range(DTYPE_COUNT):
        comptime entry = DTYPES[code]
        if dtype == entry:
            return code
    return -1


def part_of(code: Int) -> Int:
    """The code of the parts of numbers of a complex code."""
    return code - 2


def complex_of(code: Int) -> Int:
    """The code of complex numbers whose parts have this code."""
    return code + 2


def unsigned_of[dtype: DType]() -> DType:
    """The unsigned integer dtype that has the size of `dtype`."""
    comptime if size_of[dtype]() == 1:
        return DType.uint8
    elif size_of[dtype]() == 2:
        return DType.uint16
    elif size_of[dtype]() == 4:
        return DType.uint32
    else:
        return DType.uint64


def signed_of[dtype: DType]() -> DType:
    """The signed integer dtype that has the size of `dtype`."""
    comptime if size_of[dtype]() == 1:
        return DType.int8
    elif size_of[dtype]() == 2:
        return DType.int16
    elif size_of[dtype]() == 4:
        return DType.int32
    else:
        return DType.int64
