"""Truth values as the bits of bytes, and back."""
from std.memory import pack_bits

from structured.movement.copy import fill_row
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    BOOL,
    OK,
    UINT8,
    UNSUPPORTED,
    Call,
    Operand,
    load,
    store,
    valid,
)
from structured.threads.threads import parallel_for, part, task_count

comptime _BITS = 8
"""In a byte."""
comptime _WIDTH = 64
"""Bytes of a vector."""
comptime _WIDTHS: Array[Int, 3] = [_WIDTH, 16, 4]
"""How many rows of bytes or elements that lie side by side are handled at once."""

comptime _Row = def(
    bytes: Int,
    byte_stride: Int,
    elements: Int,
    element_stride: Int,
    count: Int,
    bit_stride: Int,
    bits: Int,
) thin -> None
"""Handles a row of bytes and the elements of each, up to eight that are `bit_stride` apart."""


@always_inline
def _place[big: Bool](bit: Int) -> Int:
    """How far the element number `bit` of a byte is shifted."""
    comptime if big:
        return _BITS - 1 - bit
    return bit


@always_inline
def _packed[
    big: Bool, width: Int
](elements: Int, bit_stride: Int, bits: Int) -> SIMD[DType.uint8, width]:
    """The bytes of some adjacent elements and those behind them."""
    var found = SIMD[DType.uint8, width](0)
    for bit in range(bits):
        var value = load[DType.uint8, width](elements + bit * bit_stride)
        var one = value.ne(0).cast[DType.uint8]()
        found |= one << UInt8(_place[big](bit))
    return found


@always_inline
def _reversed(word: UInt64) -> UInt64:
    """The bits of each byte in the other order.

    To reverse all bits and then the bytes comes out wrong where the compiler has instructions for it (GFNI).
    """
    var found = word
    comptime for k in range(3):
        comptime shift = UInt64(1 << k)
        comptime mask = UInt64(
            0x5555555555555555 if k
            == 0 else (0x3333333333333333 if k == 1 else 0x0F0F0F0F0F0F0F0F)
        )
        found = (found >> shift & mask) | ((found & mask) << shift)
    return found


def _pack_row[
    big: Bool
](
    bytes: Int,
    byte_stride: Int,
    elements: Int,
    element_stride: Int,
    count: Int,
    bit_stride: Int,
    bits: Int,
):
    """Writes the bytes of a `_Row`."""
    var i = 0
    if byte_stride == 1 and element_stride == 1:
        comptime for choice in range(len(_WIDTHS)):
            comptime width = _WIDTHS[choice]
            while i + width <= count:
                store(
                    bytes + i,
                    _packed[big, width](elements + i, bit_stride, bits),
                )
                i += width
    elif element_stride == _BITS and bit_stride == 1 and byte_stride == 1:
        while i + _WIDTH // _BITS <= count:
            var truth = load[DType.uint8, _WIDTH](elements + i * _BITS).ne(0)
            var found = pack_bits[dtype=DType.uint64](truth)
            store(bytes + i, _reversed(found) if big else found)
            i += _WIDTH // _BITS
    while i < count:
        store(
            bytes + i * byte_stride,
            _packed[big, 1](elements + i * element_stride, bit_stride, bits),
        )
        i += 1


@always_inline
def _write[
    big: Bool, width: Int
](elements: Int, bit_stride: Int, bits: Int, bytes: Int):
    """Writes the elements of some adjacent bytes, each to a row."""
    var value = load[DType.uint8, width](bytes)
    for bit in range(bits):
        var one = (value >> UInt8(_place[big](bit))) & 1
        store(elements + bit * bit_stride, one)


def _unpack_row[
    big: Bool
](
    bytes: Int,
    byte_stride: Int,
    elements: Int,
    element_stride: Int,
    count: Int,
    bit_stride: Int,
    bits: Int,
):
    """Writes the elements of a `_Row`."""
    var i = 0
    if byte_stride == 1 and element_stride == 1:
        comptime for choice in range(len(_WIDTHS)):
            comptime width = _WIDTHS[choice]
            while i + width <= count:
                _write[big, width](elements + i, bit_stride, bits, bytes + i)
                i += width
    elif byte_stride == 1 and element_stride == _BITS and bit_stride == 1:
        while bits == _BITS and i + _WIDTH // _BITS <= count:
            store(
                elements + i * _BITS,
                _spread[big, _WIDTH // _BITS](
                    load[DType.uint8, _WIDTH // _BITS](bytes + i)
                ),
            )
            i += _WIDTH // _BITS
    while i < count:
        _write[big, 1](
            elements + i * element_stride,
            bit_stride,
            bits,
            bytes + i * byte_stride,
        )
        i += 1


@always_inline
def _spread[
    big: Bool, width: Int
](bytes: SIMD[DType.uint8, width]) -> SIMD[DType.uint64, width]:
    """The bits of bytes, each as the eight bytes of a word."""
    comptime ones = UInt64(0x0101010101010101)
    comptime order = UInt64(0x0102040810204080 if big else 0x8040201008040201)
    var chosen = (bytes.cast[DType.uint64]() * ones) & order
    return ((chosen + 0x7F * ones) >> 7) & ones


def _nest(
    bytes: Operand, elements: Operand, axis: Int, first: Int, count: Int
) -> Nest[2]:
    """The nest of some bytes of each line along an axis, with the first element of each."""
    var step = _BITS * elements.stride(axis)
    var nest = Nest[2](
        [
            bytes.address + first * bytes.stride(axis),
            elements.address + first * step,
        ]
    )
    for at in range(bytes.rank):
        if at == axis:
            nest.push(count, [bytes.stride(axis), step])
        else:
            nest.push(bytes.size(at), [bytes.stride(at), elements.stride(at)])
    nest.coalesce()
    if nest.rank == 0:
        nest.keep(1, [0, 0])
    return nest^


def _each_row(
    row: _Row, nest: Nest[2], bit_stride: Int, bits: Int, threads: Int
):
    """Handles all rows of a nest."""
    if nest.empty:
        return
    var axis = nest.longest()
    var tasks = min(
        task_count(nest.count(nest.rank), threads), nest.sizes[axis]
    )

    def share(index: Int) {imm}:
        var size = nest.sizes[axis]
        var mine = nest.share(
            axis, part(size, index, tasks), part(size, index + 1, tasks)
        )
        var inner = mine.rank - 1
        var cursor = Cursor[2](mine, inner)
        for _ in range(mine.count(inner)):
            row(
                cursor.at[0],
                mine.stride(0, inner),
                cursor.at[1],
                mine.stride(1, inner),
                mine.sizes[inner],
                bit_stride,
                bits,
            )
            cursor.advance(mine)

    parallel_for(share, tasks)


def _fit(call: Call, bytes: Operand, elements: Operand) -> Bool:
    """Whether shapes, dtypes and parameters are those of arrays of bits and of bytes."""
    var axis = call.param(0)
    if bytes.rank != elements.rank or not 0 <= axis < bytes.rank:
        return False
    for at in range(bytes.rank):
        if at != axis and bytes.size(at) != elements.size(at):
            return False
    return bytes.dtype == UINT8 and call.operand(0).contiguous()


def _run(row: _Row, call: Call, bytes: Operand, elements: Operand):
    """Handles all bytes that have elements: eight each, and the last one perhaps less."""
    var axis = call.param(0)
    var stride = elements.stride(axis)
    var size = elements.size(axis)
    var whole = min(size // _BITS, bytes.size(axis))
    var nest = _nest(bytes, elements, axis, 0, whole)
    _each_row(row, nest, stride, _BITS, call.threads)
    var rest = size - whole * _BITS
    if rest > 0 and whole < bytes.size(axis):
        var last = _nest(bytes, elements, axis, whole, 1)
        _each_row(row, last, stride, rest, call.threads)


def pack(call: Call) -> Int:
    """`out = packbits(x)` of bool along an axis; params: axis, whether the first bit is highest."""
    if not valid(call, 2, 2):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    if x.dtype != BOOL or not _fit(call, out_, x):
        return UNSUPPORTED
    var axis = call.param(0)
    if out_.size(axis) != (x.size(axis) + _BITS - 1) // _BITS:
        return UNSUPPORTED
    var big = call.param(1) != 0
    _run(_pack_row[True] if big else _pack_row[False], call, out_, x)
    return OK


def unpack(call: Call) -> Int:
    """`out = unpackbits(x)` of uint8 along an axis, cut off or with zeros behind; params as `pack`."""
    if not valid(call, 2, 2):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    if out_.dtype != UINT8 or not _fit(call, x, out_):
        return UNSUPPORTED
    var axis = call.param(0)
    if out_.size(axis) > _BITS * x.size(axis):
        fill_row(out_.address, UInt8(0), out_.count())
    var big = call.param(1) != 0
    _run(_unpack_row[True] if big else _unpack_row[False], call, x, out_)
    return OK
