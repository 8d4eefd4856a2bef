"""Looks for an integer of an array that is outside of a range: an index out of bounds."""
from std.memory import bitcast, stack_allocation
from std.sys import simd_width_of, size_of

from elementwise.numbers.dtypes import DTYPES
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import MAX_RANK, store
from structured.operands.operand import load as load_element
from structured.threads.threads import parallel_for, part, task_count
from vm.base.raw import ARRAY_SHAPE, ARRAY_STRIDES, array_rank, load

comptime _FIRST = 1
comptime _LAST = 8
"""The dtype codes of integers go from 1 to 8."""


@fieldwise_init
struct Range(ImplicitlyCopyable):
    """The integers from `low` up to below `high`."""

    var low: Int
    var high: Int

    @always_inline
    def outside[
        width: Int
    ](self, found: SIMD[DType.int64, width]) -> SIMD[DType.bool, width]:
        """Which of some integers are outside."""
        var shifted = bitcast[DType.uint64, width](found - Int64(self.low))
        return shifted.ge(UInt64(self.high - self.low))


def nest_of_layout(
    address: Int, layout: Int, item: Int, count: Int
) raises -> Nest[1]:
    """The axes of a NumPy array at an address, without those that repeat elements.

    Args:
        address: Where its first element is.
        layout: The NumPy array; 0 for elements in a row.
        item: Bytes of an element in a row.
        count: How many are in a row.
    """
    var nest = Nest[1]([address])
    if layout == 0:
        nest.push(count, [item])
        return nest^
    var rank = array_rank(layout)
    if rank > MAX_RANK:
        raise Error("an index array has too many axes")
    for axis in range(rank):
        var size = load(load(layout, ARRAY_SHAPE), axis)
        var stride = load(load(layout, ARRAY_STRIDES), axis)
        if stride != 0 or size == 0:
            nest.push(size, [stride])
    nest.coalesce()
    return nest^


def first_outside(
    nest: Nest[1], code: Int, within: Range, threads: Int
) raises -> Optional[Int]:
    """The first integer in C order, of a dtype code, that is outside of a range."""
    if nest.empty:
        return None
    comptime for known in range(_FIRST, _LAST + 1):
        if code == known:
            return _first[DTYPES[known]](nest, within, threads)
    raise Error("indices are integers")


def _first[
    dtype: DType
](nest: Nest[1], within: Range, threads: Int) -> Optional[Int]:
    comptime item = size_of[dtype]()
    var inner = nest.rank - 1
    var count = 1
    var stride = item
    if nest.rank > 0:
        count = nest.sizes[inner]
        stride = nest.stride(0, inner)
    var cursor = Cursor[1](nest, max(inner, 0))
    for _ in range(nest.count(max(inner, 0))):
        var at = cursor.at[0]
        if stride != item or _row_lacks[dtype](at, count, within, threads):
            for i in range(count):
                var found = load_element[dtype](at + i * stride).cast[
                    DType.int64
                ]()
                if within.outside[1](found):
                    return Int(found)
        cursor.advance(nest)
    return None


def _row_lacks[
    dtype: DType
](address: Int, count: Int, within: Range, threads: Int) -> Bool:
    """Whether any of some adjacent integers is outside of a range."""
    var tasks = task_count(count, threads)
    if tasks == 1:
        return _part_lacks[dtype](address, 0, count, within)
    # each task that finds one writes the same
    var any = Int(stack_allocation[1, DType.uint8]())
    store(any, UInt8(0))

    def share(index: Int) {imm}:
        var start = part(count, index, tasks)
        var end = part(count, index + 1, tasks)
        if _part_lacks[dtype](address, start, end, within):
            store(any, UInt8(1))

    parallel_for(share, tasks, threads)
    return load_element[DType.uint8](any) != 0


def _part_lacks[
    dtype: DType
](address: Int, start: Int, end: Int, within: Range) -> Bool:
    comptime item = size_of[dtype]()
    comptime width = simd_width_of[DType.int64]()
    var outside = SIMD[DType.bool, width](fill=False)
    var i = start
    while i + width <= end:
        var found = load_element[dtype, width](address + i * item)
        outside |= within.outside(found.cast[DType.int64]())
        i += width
    var any = outside.reduce_or()
    while i < end:
        var found = load_element[dtype](address + i * item)
        any = any or within.outside[1](found.cast[DType.int64]())
        i += 1
    return any
