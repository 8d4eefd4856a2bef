"""Threefry-2x32: the counter-based random bits of jax.random.

The generator of J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011), with 20
rounds.
"""
from elementwise.numbers.dtypes import dtype_code
from std.math import iota
from std.sys import simd_width_of, size_of

from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    OK,
    UNSIGNED,
    UNSUPPORTED,
    Call,
    load,
    store,
    valid,
)
from structured.threads.threads import parallel_for, part, task_count

comptime _ITEM = 4
comptime _PARITY = UInt32(0x1BD11BDA)
"""What is exclusive-ored with both words of the key to give the third."""
comptime _ROTATIONS: Array[Int, 8] = [13, 15, 26, 6, 17, 29, 16, 24]
"""Bits of rotation of each round, modulo 8."""
comptime _GROUPS = 5
"""Groups of four rounds, after each of which the key is added."""
comptime _WORK = 8
"""Element operations that one element is worth."""
comptime _VECTOR = simd_width_of[DType.uint32]()
comptime _WIDTHS: Array[Int, 3] = [4 * _VECTOR, _VECTOR, 1]
"""Numbers that are computed together, while as many are left: each operation waits for the one
before it, so several vectors keep a core busy."""


@always_inline
def _rotated[
    width: SIMDLength, //, bits: Int
](x: SIMD[DType.uint32, width]) -> SIMD[DType.uint32, width]:
    """Rotates each word to the left."""
    return (x << UInt32(bits)) | (x >> UInt32(32 - bits))


@always_inline
def threefry[
    width: SIMDLength, //
](
    key: Tuple[SIMD[DType.uint32, width], SIMD[DType.uint32, width]],
    counter: Tuple[SIMD[DType.uint32, width], SIMD[DType.uint32, width]],
) -> Tuple[SIMD[DType.uint32, width], SIMD[DType.uint32, width]]:
    """The two random words of a key and a counter of two words each."""
    comptime V = SIMD[DType.uint32, width]
    var keys: Array[V, 3] = [key[0], key[1], key[0] ^ key[1] ^ V(_PARITY)]
    var a = counter[0] + keys[0]
    var b = counter[1] + keys[1]
    comptime for group in range(_GROUPS):
        comptime for round in range(4):
            comptime bits = _ROTATIONS[(4 * group + round) % 8]
            a += b
            b = _rotated[bits](b) ^ a
        a += keys[(group + 1) % 3]
        b += keys[(group + 2) % 3] + V(UInt32(group + 1))
    return (a, b)


@always_inline
def _fetch[
    width: Int
](address: Int, stride: Int, index: Int) -> SIMD[DType.uint32, width]:
    """Loads words of a strided row from one index on."""
    if stride == _ITEM:
        return load[DType.uint32, width](address + index * _ITEM)
    if stride == 0:
        return SIMD[DType.uint32, width](load[DType.uint32](address))
    var words = SIMD[DType.uint32, width](0)
    comptime for lane in range(width):
        words[lane] = load[DType.uint32](address + (index + lane) * stride)
    return words


@always_inline
def _put[
    width: Int
](address: Int, stride: Int, index: Int, words: SIMD[DType.uint32, width]):
    """Stores words to a strided row from one index on."""
    if stride == _ITEM:
        store(address + index * _ITEM, words)
        return
    comptime for lane in range(width):
        store(address + (index + lane) * stride, words[lane])


@always_inline
def _words[
    width: Int, one_key: Bool
](nest: Nest[6], at: Array[Int, 6], start: Int, count: Int) -> Int:
    """Computes whole vectors of the innermost axis; returns the index where it stopped.

    With `one_key` the key is the same all along, so that its part of the work is done once.
    """
    var axis = nest.rank - 1
    var key = (
        _fetch[width](at[2], 0, 0),
        _fetch[width](at[3], 0, 0),
    )
    var i = start
    while i + width <= count:
        comptime if not one_key:
            key = (
                _fetch[width](at[2], nest.stride(2, axis), i),
                _fetch[width](at[3], nest.stride(3, axis), i),
            )
        var counter = (
            _fetch[width](at[4], nest.stride(4, axis), i),
            _fetch[width](at[5], nest.stride(5, axis), i),
        )
        var words = threefry(key, counter)
        _put[width](at[0], nest.stride(0, axis), i, words[0])
        _put[width](at[1], nest.stride(1, axis), i, words[1])
        i += width
    return i


def _fill[one_key: Bool](nest: Nest[6]):
    """Computes all words of a nest of rank 1 or more, none of whose axes is empty."""
    var inner = nest.rank - 1
    var cursor = Cursor[6](nest, inner)
    for _ in range(nest.count(inner)):
        var count = nest.sizes[inner]
        var done = 0
        comptime for index in range(len(_WIDTHS)):
            comptime width = _WIDTHS[index]
            done = _words[width, one_key](nest, cursor.at, done, count)
        cursor.advance(nest)


def threefry2x32(call: Call) -> Int:
    """`out0, out1 = threefry(k0, k1, x0, x1)`: random words of keys k and counters x.

    Two outputs, then four inputs, all uint32 and of one shape; any strides, 0 where an input is
    broadcast. No params.
    """
    if not valid(call, 6, 0):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var bases = Array[Int, 6](fill=0)
    for index in range(6):
        var operand = call.operand(index)
        if operand.dtype != dtype_code(DType.uint32) or not operand.same_shape(
            out_
        ):
            return UNSUPPORTED
        bases[index] = operand.address
    var nest = Nest[6](bases)
    for axis in range(out_.rank):
        var strides = Array[Int, 6](fill=0)
        for index in range(6):
            strides[index] = call.operand(index).stride(axis)
        nest.push(out_.size(axis), strides)
    if nest.empty:
        return OK
    nest.sort(0)
    nest.coalesce()
    if nest.rank == 0:
        nest.keep(1, Array[Int, 6](fill=0))
    var inner = nest.rank - 1
    var one_key = nest.stride(2, inner) == 0 and nest.stride(3, inner) == 0
    var axis = nest.longest()
    var tasks = min(
        task_count(nest.count(nest.rank) * _WORK, call.threads),
        nest.sizes[axis],
    )

    def share(index: Int) {imm}:
        var start = part(nest.sizes[axis], index, tasks)
        var end = part(nest.sizes[axis], index + 1, tasks)
        if one_key:
            _fill[True](nest.share(axis, start, end))
        else:
            _fill[False](nest.share(axis, start, end))

    parallel_for(share, tasks)
    return OK


@always_inline
def _random[
    dtype: DType, width: Int
](keys: Tuple[UInt32, UInt32], index: Int) -> SIMD[dtype, width]:
    """The random words of the counters from `index` on, as one number each."""
    comptime V = SIMD[DType.uint32, width]
    var counters = (
        SIMD[DType.uint64, width](UInt64(index)) + iota[DType.uint64, width]()
    )
    var words = threefry(
        (V(keys[0]), V(keys[1])),
        ((counters >> 32).cast[DType.uint32](), counters.cast[DType.uint32]()),
    )
    comptime if dtype == DType.uint64:
        return (words[0].cast[dtype]() << 32) | words[1].cast[dtype]()
    else:
        return (words[0] ^ words[1]).cast[dtype]()


def _fill_random[
    dtype: DType
](address: Int, keys: Tuple[UInt32, UInt32], start: Int, end: Int):
    comptime item = size_of[Scalar[dtype]]()
    var i = start
    comptime for index in range(len(_WIDTHS)):
        comptime width = _WIDTHS[index]
        while i + width <= end:
            store(address + i * item, _random[dtype, width](keys, i))
            i += width


def random_bits(call: Call) -> Int:
    """`out[i] = threefry(key, i)`, where `i` counts the elements in C order: the
    two words as one uint64, or exclusive-ored as uint32, uint16 or uint8.

    One output, in C order; the key is two uint32. No params.
    """
    if not valid(call, 2, 0):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var key = call.operand(1)
    if (
        key.dtype != dtype_code(DType.uint32)
        or key.rank != 1
        or key.size(0) != 2
    ):
        return UNSUPPORTED
    if not out_.contiguous():
        return UNSUPPORTED
    var keys = (
        load[DType.uint32](key.address),
        load[DType.uint32](key.address + key.stride(0)),
    )
    var count = out_.count()
    var tasks = task_count(count * _WORK, call.threads)
    comptime for index in range(len(UNSIGNED)):
        comptime dtype = UNSIGNED[index]
        if out_.dtype == dtype_code(dtype):

            def share(index: Int) {imm}:
                var start = part(count, index, tasks)
                var end = part(count, index + 1, tasks)
                _fill_random[dtype](out_.address, keys, start, end)

            parallel_for(share, tasks)
            return OK
    return UNSUPPORTED
