"""Stable sorting of several arrays together along an axis: nan last, -0 equal to +0."""
from std.memory import stack_allocation
from std.sys import size_of

from structured.operands.memory import allocate, release
from structured.operands.operand import (
    CELLS,
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
from structured.movement.copy import copy_row
from structured.search.counting import Bytes, is_byte
from structured.search.ordered import DESCENDING, NEITHER, order_of
from structured.search.quick import Places
from structured.search.radix import Sortable
from structured.search.sort_keys import Keys, LoneRow, key_words, keys_of
from structured.search.sort_threads import sort_long_row
from structured.threads.threads import parallel_for, part, task_count

comptime _MOST_ELEMENTS = 1 << 31
"""Elements of a row must be numbered in 32 bits."""
comptime _STACK_ROW = 256
"""Rows up to this long are sorted without allocating memory."""
comptime _ROOM = 2 * 8 + 2 * 4
"""Bytes of scratch space for each element of a row: two words and two indices."""
comptime _COUNTED = 256
"""Rows from this length on are sorted by counting where all keys are bytes."""
comptime _PLACES = 3
"""Number of the first parameter that is a place."""
comptime _COST = 16
"""Element operations that sorting one element counts as."""


struct Sorting(TrivialRegisterPassable):
    """What is sorted: n outputs, n inputs, the first `keys` of which decide."""

    var call: Call
    var axis: Int
    var arrays: Int
    var keys: Int
    var length: Int
    """Elements of a row."""
    var rows: Int
    var first_keys: Keys
    """The loops of the first array's keys."""
    var places: Places
    """The places of one array alone that must have their sorted elements."""

    def __init__(out self, call: Call):
        self.call = call
        self.axis = call.param(0)
        self.arrays = call.param(1)
        self.keys = call.param(2)
        self.length = call.operand(0).size(self.axis)
        self.first_keys = keys_of(call.operand(0).dtype).value()
        self.places = Places()
        if self.arrays == 1 and call.param_count > _PLACES:
            self.places = Places(
                Int(call.params) + 8 * _PLACES, call.param_count - _PLACES
            )
        self.rows = 1
        for at in range(call.operand(0).rank):
            if at != self.axis:
                self.rows *= call.operand(0).size(at)

    @always_inline
    def source(self, index: Int) -> Operand:
        """Input number `index`."""
        return self.call.operand(self.arrays + index)

    @always_inline
    def bytes(self, index: Int, row: Int) -> Bytes:
        """A row of an input of bytes."""
        var x = self.source(index)
        var stride = x.stride(self.axis)
        return Bytes(self.row(x, row), stride, self.length, x.dtype)

    @always_inline
    def row(self, operand: Operand, row: Int) -> Int:
        """Address of the first element of a row of an operand."""
        var address = operand.address
        var rest = row
        for at in reversed(range(operand.rank)):
            if rest > 0 and at != self.axis:
                address += (rest % operand.size(at)) * operand.stride(at)
                rest //= operand.size(at)
        return address


def _take[
    cell: DType
](
    target: Int,
    target_stride: Int,
    source: Int,
    stride: Int,
    order: Int,
    n: Int,
):
    """Writes the elements of a strided row in the order of 32-bit indices."""
    for i in range(n):
        var index = Int(load[DType.uint32](order + i * 4))
        store(target + i * target_stride, load[cell](source + index * stride))


def take(
    item: Int,
    target: Int,
    target_stride: Int,
    source: Int,
    stride: Int,
    order: Int,
    n: Int,
):
    """Writes elements of `item` bytes in the order of n 32-bit indices."""
    comptime for choice in range(len(CELLS)):
        comptime cell = CELLS[choice]
        if size_of[Scalar[cell]]() == item:
            _take[cell](target, target_stride, source, stride, order, n)


def _take_row(sorting: Sorting, index: Int, row: Int, order: Int):
    """Writes one row of output number `index` in the order of 32-bit indices."""
    var out_ = sorting.call.operand(index)
    var x = sorting.source(index)
    var target = sorting.row(out_, row)
    var source = sorting.row(x, row)
    if x.dtype == INT64 and _is_iota(
        source, x.stride(sorting.axis), sorting.length
    ):
        for i in range(sorting.length):
            var place = Int64(load[DType.uint32](order + i * 4))
            store(target + i * out_.stride(sorting.axis), place)
        return
    take(
        x.item_size(),
        target,
        out_.stride(sorting.axis),
        source,
        x.stride(sorting.axis),
        order,
        sorting.length,
    )


def _is_iota(source: Int, stride: Int, count: Int) -> Bool:
    """Whether a row of int64 counts up from 0, as the second array of an argsort does."""
    for i in range(count):
        if load[DType.int64](source + i * stride) != Int64(i):
            return False
    return True


def sort_words(keys: Keys, mut rows: Sortable, first: Bool, threads: Int):
    """Sorts by words of `keys`; the companions, indices of elements, end up in that order."""
    if keys.low == 0:
        if first:
            for i in range(rows.count):
                store(rows.companions + i * 4, UInt32(i))
        sort_long_row(rows, 0, threads)
        return
    var order = rows.companions
    var target = rows.spare_companions
    rows.leave_companions()
    sort_long_row(rows, keys.low, threads)
    for i in range(rows.count):
        var index = load[DType.uint64](rows.words + i * 8).cast[DType.uint32]()
        if not first:
            index = load[DType.uint32](order + Int(index) * 4)
        store(target + i * 4, index)
    rows.companions = target
    rows.spare_companions = order


def _sort_alone(sorting: Sorting, row: Int, scratch: Int, threads: Int) -> Bool:
    """Sorts one row of one array by keys without indices, if it can be."""
    var out_ = sorting.call.operand(0)
    if sorting.arrays > 1 or out_.address == 0:
        return False
    var x = sorting.source(0)
    return sorting.first_keys.sort_alone(
        LoneRow(
            sorting.row(x, row),
            x.stride(sorting.axis),
            sorting.row(out_, row),
            out_.stride(sorting.axis),
            sorting.length,
            scratch,
            sorting.places,
            threads,
        )
    )


def _sort_by_bytes(sorting: Sorting, row: Int, scratch: Int) -> Bool:
    """Sorts one row of all arrays by counting, if all keys are bytes."""
    for index in range(sorting.keys):
        if not is_byte(sorting.source(index).dtype):
            return False
    var out_ = sorting.call.operand(0)
    if sorting.arrays == 1 and out_.address != 0:
        var target = sorting.row(out_, row)
        sorting.bytes(0, row).sort(target, out_.stride(sorting.axis))
        return True
    var order = scratch
    var spare = scratch + 4 * sorting.length
    for step in range(sorting.keys):
        var bytes = sorting.bytes(sorting.keys - 1 - step, row)
        bytes.order(order if step > 0 else 0, spare)
        order, spare = spare, order
    for index in range(sorting.arrays):
        if sorting.call.operand(index).address != 0:
            _take_row(sorting, index, row, order)
    return True


def _copy_row(sorting: Sorting, index: Int, row: Int, backwards: Bool):
    """Writes one row of output number `index` as it is, or from its end."""
    var out_ = sorting.call.operand(index)
    var x = sorting.source(index)
    var source = sorting.row(x, row)
    var stride = x.stride(sorting.axis)
    if backwards:
        source += (sorting.length - 1) * stride
        stride = -stride
    comptime for choice in range(len(CELLS)):
        comptime cell = CELLS[choice]
        if size_of[Scalar[cell]]() == x.item_size():
            copy_row[cell](
                sorting.row(out_, row),
                out_.stride(sorting.axis),
                source,
                stride,
                sorting.length,
            )


def _is_sorted(sorting: Sorting, row: Int) -> Bool:
    """Writes one row of all arrays if the only keys are in order, or were backwards."""
    if sorting.keys > 1:
        return False
    var x = sorting.source(0)
    var source = sorting.row(x, row)
    var stride = x.stride(sorting.axis)
    var order = order_of(x.dtype, source, stride, sorting.length)
    if order == NEITHER:
        return False
    for index in range(sorting.arrays):
        if sorting.call.operand(index).address != 0:
            _copy_row(sorting, index, row, order == DESCENDING)
    return True


def _sort_row(sorting: Sorting, row: Int, scratch: Int, threads: Int):
    """Sorts one row of all arrays."""
    if _is_sorted(sorting, row):
        return
    if sorting.length >= _COUNTED and _sort_by_bytes(sorting, row, scratch):
        return
    if _sort_alone(sorting, row, scratch, threads):
        return
    var n = sorting.length
    var order = scratch + 16 * n
    var rows = Sortable(scratch, scratch + 8 * n, order, order + 4 * n, n)
    var keys = sorting.first_keys
    var complete = False
    var first = True
    for step in range(sorting.keys):
        var index = sorting.keys - 1 - step
        var x = sorting.source(index)
        var source = sorting.row(x, row)
        var stride = x.stride(sorting.axis)
        for word in reversed(range(key_words(x.dtype))):
            keys = sorting.first_keys
            if index > 0 or word > 0:
                keys = keys_of(x.dtype, word).value()
            if first:
                complete = keys.encode(rows.words, source, stride, n)
            else:
                complete = keys.encode_by(
                    rows.words, source, stride, rows.companions, n
                )
            if complete and sorting.arrays == 1:
                rows.leave_companions()
                sort_long_row(rows, keys.low, threads)
            else:
                sort_words(keys, rows, first, threads)
            first = False
    var out_ = sorting.call.operand(0)
    if complete and out_.address != 0:
        keys.decode(
            sorting.row(out_, row), out_.stride(sorting.axis), rows.words, n
        )
    for index in range(Int(complete), sorting.arrays):
        if sorting.call.operand(index).address != 0:
            _take_row(sorting, index, row, rows.companions)


def _sort_part(sorting: Sorting, start: Int, end: Int, threads: Int) -> Bool:
    """Sorts the rows from start to end; False if there is no memory."""
    var stack = Int(
        stack_allocation[_STACK_ROW * _ROOM, DType.uint8, alignment=64]()
    )
    var scratch = stack
    if sorting.length > _STACK_ROW:
        scratch = allocate(sorting.length * _ROOM)
        if scratch == 0:
            return False
    for row in range(start, end):
        _sort_row(sorting, row, scratch, threads)
    if scratch != stack:
        release(scratch)
    return True


def _sortable(call: Call) -> Bool:
    """Whether parameters, shapes and dtypes are those of a sort."""
    var arrays = call.param(1)
    if arrays < 1 or call.count != 2 * arrays:
        return False
    var axis = call.param(0)
    var keys = call.param(2)
    var first = call.operand(arrays)
    if axis < 0 or axis >= first.rank or keys < 1 or keys > arrays:
        return False
    for index in range(arrays):
        var x = call.operand(arrays + index)
        var out_ = call.operand(index)
        if (
            not x.same_shape(first)
            or not out_.same_shape(first)
            or out_.dtype != x.dtype
        ):
            return False
        if index < keys and not keys_of(x.dtype):
            return False
    return first.size(axis) < _MOST_ELEMENTS


def sort(call: Call) -> Int:
    """Sorts n arrays of one shape together; params: axis, n, number of keys, places.

    Operands: n outputs, n inputs, any strides. The first arrays are the keys, the very first
    decides most. Outputs with address 0 are not wanted and not written. Where places are given,
    one array alone need only have its sorted elements there, none before them larger, none behind
    them smaller.
    """
    if not valid(call, 2, 3) or not _sortable(call):
        return UNSUPPORTED
    var sorting = Sorting(call)
    if sorting.rows == 0 or sorting.length == 0:
        return OK
    var tasks = task_count(sorting.rows * sorting.length * _COST, call.threads)
    var row_threads = 1
    if tasks > sorting.rows:
        tasks = 1
        row_threads = task_count(sorting.length * _COST, call.threads)
    var lacking = stack_allocation[1, DType.int64]()
    lacking[unsafe_offset=0] = 0

    def share(index: Int) {imm}:
        var end = part(sorting.rows, index + 1, tasks)
        var start = part(sorting.rows, index, tasks)
        if not _sort_part(sorting, start, end, row_threads):
            lacking[unsafe_offset=0] = 1

    parallel_for(share, tasks)
    return NO_MEMORY if lacking[unsafe_offset=0] != 0 else OK
