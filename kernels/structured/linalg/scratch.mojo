"""Matrices in scratch memory: column-major, without gaps."""
from std.ffi import external_call
from std.sys import size_of
from std.utils.numerics import nan

from structured.linalg.lapack import FLOAT64, is_complex, is_lapack, real_of
from structured.operands.operand import item_size, load, store


def _fill[dtype: DType](address: Int, bytes: Int):
    """Fills memory with nan of a dtype."""
    comptime item = size_of[Scalar[dtype]]()
    for index in range(bytes // item):
        store(address + index * item, nan[dtype]())


def fill_nan(address: Int, code: Int, bytes: Int):
    """Fills memory with nan, also both parts of complex numbers; integers stay."""
    if real_of(code) == FLOAT64:
        _fill[DType.float64](address, bytes)
    elif is_lapack(code):
        _fill[DType.float32](address, bytes)


def zero_bytes(address: Int, count: Int):
    """Zeroes adjacent bytes."""
    _ = external_call["memset", Int](address, Int32(0), count)


def identity(address: Int, code: Int, rows: Int, columns: Int, leading: Int):
    """Writes an identity matrix in column-major order."""
    var item = item_size(code)
    for column in range(columns):
        var top = address + column * leading * item
        zero_bytes(top, rows * item)
        if column < rows:
            store_one(top + column * item, code)


def store_one(address: Int, code: Int):
    """Writes the number 1 of a dtype."""
    zero_bytes(address, item_size(code))
    if real_of(code) == FLOAT64:
        store(address, Float64(1))
    else:
        store(address, Float32(1))


def _finite[dtype: DType](address: Int, count: Int) -> Bool:
    """Whether adjacent numbers are all finite."""
    comptime width = 8
    comptime item = size_of[Scalar[dtype]]()
    var sums = SIMD[dtype, width](0)
    var i = 0
    while i + width <= count:
        # The difference is 0 for finite numbers and nan for others.
        var x = load[dtype, width](address + i * item)
        sums += x - x
        i += width
    var sum = sums.reduce_add()
    while i < count:
        var x = load[dtype](address + i * item)
        sum += x - x
        i += 1
    return sum == 0


def finite(address: Int, code: Int, count: Int) -> Bool:
    """Whether adjacent elements of a dtype are all finite."""
    var parts = count * item_size(code) // item_size(real_of(code))
    if real_of(code) == FLOAT64:
        return _finite[DType.float64](address, parts)
    return _finite[DType.float32](address, parts)


def _negate_imaginary[dtype: DType](address: Int, count: Int):
    """Conjugates adjacent complex numbers with parts of a dtype."""
    comptime item = size_of[Scalar[dtype]]()
    for index in range(count):
        var place = address + (2 * index + 1) * item
        store(place, -load[dtype](place))


def conjugate(address: Int, code: Int, count: Int):
    """Conjugates adjacent elements of a dtype."""
    if not is_complex(code):
        return
    if real_of(code) == FLOAT64:
        _negate_imaginary[DType.float64](address, count)
    else:
        _negate_imaginary[DType.float32](address, count)
