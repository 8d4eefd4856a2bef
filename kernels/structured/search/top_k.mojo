"""The largest elements of rows, and their places."""
from structured.operands.memory import allocate, release
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    INT64,
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    load,
    store,
    valid,
)
from structured.search.radix import Sortable
from structured.search.sort import sort_words, take
from structured.search.sort_keys import key_words, keys_of

comptime _INT32 = 3
comptime _MOST_ELEMENTS = 1 << 31
"""Elements of a row must be numbered in 32 bits."""


def _invert(words: Int, low: Int, count: Int):
    """Reverses the order of keys; elements with equal keys stay in their order."""
    var key_bits = ~((UInt64(1) << UInt64(low)) - 1)
    for i in range(count):
        store(words + i * 8, load[DType.uint64](words + i * 8) ^ key_bits)


def _fits(call: Call) -> Bool:
    """Whether shapes and dtypes are those of a top_k."""
    var values = call.operand(0)
    var places = call.operand(1)
    var x = call.operand(2)
    var last = x.rank - 1
    if last < 0 or values.dtype != x.dtype or not places.same_shape(values):
        return False
    if places.dtype != INT64 and places.dtype != _INT32:
        return False
    if values.rank != x.rank or values.size(last) > x.size(last):
        return False
    for axis in range(last):
        if values.size(axis) != x.size(axis):
            return False
    return x.size(last) < _MOST_ELEMENTS


def _write_places(places: Operand, row: Int, order: Int):
    """Writes the first indices to a row of the places."""
    var stride = places.stride(places.rank - 1)
    for i in range(places.size(places.rank - 1)):
        var index = load[DType.uint32](order + i * 4)
        if places.dtype == INT64:
            store(row + i * stride, Int64(index))
        else:
            store(row + i * stride, Int32(index))


def _top_row(call: Call, at: Array[Int, 3], scratch: Int):
    """Finds the largest elements of the row at (values, places, x)."""
    var values = call.operand(0)
    var x = call.operand(2)
    var last = x.rank - 1
    var n = x.size(last)
    var order = scratch + 16 * n
    var rows = Sortable(scratch, scratch + 8 * n, order, order + 4 * n, n)
    var words = key_words(x.dtype)
    for word in reversed(range(words)):
        var keys = keys_of(x.dtype, word).value()
        var stride = x.stride(last)
        if word == words - 1:
            _ = keys.encode(rows.words, at[2], stride, n)
        else:
            _ = keys.encode_by(rows.words, at[2], stride, rows.companions, n)
        _invert(rows.words, keys.low, n)
        sort_words(keys, rows, word == words - 1, call.threads)
    var most = values.size(last)
    take(
        x.item_size(),
        at[0],
        values.stride(last),
        at[2],
        x.stride(last),
        rows.companions,
        most,
    )
    _write_places(call.operand(1), at[1], rows.companions)


def top_k(call: Call) -> Int:
    """The largest elements along the last axis, in descending order, and their places.

    Operands: values, places (int32 or int64), x; any strides. How many: the size of the
    outputs. The first of equal elements comes first; nan is the largest.
    """
    if not valid(call, 3, 0) or not _fits(call):
        return UNSUPPORTED
    var x = call.operand(2)
    if not keys_of(x.dtype):
        return UNSUPPORTED
    var nest = Nest[3](
        [call.operand(0).address, call.operand(1).address, x.address]
    )
    for axis in range(x.rank - 1):
        var values = call.operand(0).stride(axis)
        var places = call.operand(1).stride(axis)
        nest.push(x.size(axis), [values, places, x.stride(axis)])
    var n = x.size(x.rank - 1)
    if nest.empty or n == 0:
        return OK
    # Room for two words and two indices of each element, and to read a run too far.
    var scratch = allocate(24 * n + 128)
    if scratch == 0:
        return NO_MEMORY
    var cursor = Cursor[3](nest, nest.rank)
    for _ in range(nest.count(nest.rank)):
        _top_row(call, cursor.at, scratch)
        cursor.advance(nest)
    release(scratch)
    return OK
