"""One known element as an element of another dtype, as NumPy casts it."""

from std.math import trunc
from elementwise.numbers.dtypes import (
    COMPLEX64,
    COMPLEX128,
    DTYPE_COUNT,
    DTYPES,
    part_of,
)
from vm.base.bytecode import itemsize
from vm.base.numbers import (
    FIRST_FLOAT,
    FIRST_INTEGER,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    UINT64,
    integer_fits,
)
from vm.base.raw import copy_bytes
from vm.record.element import at

comptime HALVES = (FLOAT16, FLOAT16 + 1)
comptime EXACT = 1 << 53
"""Up to here integers are floats of 64 bits."""


def _is_half(dtype: Int) -> Bool:
    return dtype == HALVES[0] or dtype == HALVES[1]


def write_as(target: Int, dtype: Int, source: Int, given: Int) -> Bool:
    """Writes a real element as one of another dtype; False where NumPy warns or raises, and for halves.

    Floats lose what is behind the point.
    """
    if given >= COMPLEX64 or _is_half(given) or _is_half(dtype):
        return False
    if dtype >= COMPLEX64:
        var part = part_of(dtype)
        var size = itemsize(part)
        var zero = 0
        if not _write_real(target, part, source, given):
            return False
        copy_bytes(target + size, Int(Pointer(to=zero)), size)
        _ = zero  # is in use until here
        return True
    return dtype >= FIRST_INTEGER and _write_real(target, dtype, source, given)


def _write_real(target: Int, dtype: Int, source: Int, given: Int) -> Bool:
    if dtype == given:
        copy_bytes(target, source, itemsize(dtype))
        return True
    var whole = Int(0)
    var number = Float64(0)
    comptime for k in range(DTYPE_COUNT):
        comptime kind = DTYPES[k]
        if given == k:
            comptime if kind.is_floating_point():
                number = at[kind](source).cast[DType.float64]()
            elif kind == DType.bool:
                whole = Int(at[DType.uint8](source) != 0)
            else:
                whole = Int(at[kind](source).cast[DType.int64]())
    if given >= FIRST_FLOAT:
        return _write_float(target, dtype, number)
    if dtype < FIRST_FLOAT:
        if not integer_fits(whole, dtype) or given == UINT64 and whole < 0:
            return False
        copy_bytes(target, Int(Pointer(to=whole)), itemsize(dtype))
        _ = whole
        return True
    if given == UINT64 and whole < 0 or dtype == FLOAT32 and abs(whole) > EXACT:
        return False
    return _write_float(target, dtype, Float64(whole))


def _write_float(target: Int, dtype: Int, number: Float64) -> Bool:
    """Writes a float; False for one that is none of the dtype."""
    if dtype == FLOAT64:
        var written = number
        copy_bytes(target, Int(Pointer(to=written)), 8)
        _ = written
        return True
    if dtype == FLOAT32:
        if not abs(number) <= Float32.MAX_FINITE.cast[DType.float64]():
            return False
        var written = number.cast[DType.float32]()
        copy_bytes(target, Int(Pointer(to=written)), 4)
        _ = written
        return True
    var whole = trunc(number)
    var bits = 8 * itemsize(dtype)
    var is_signed = dtype <= 4
    # all of the limits are floats
    var limit = Float64(1 << (bits - 2)) * (2.0 if is_signed else 4.0)
    if not (whole < limit and whole >= (-limit if is_signed else 0.0)):
        return False
    var written = Int(UInt64(whole)) if whole > 0 else Int(whole)
    copy_bytes(target, Int(Pointer(to=written)), bits // 8)
    _ = written
    return True
