"""The place of the largest or smallest element: argmax and argmin, the first one wins."""
from elementwise.numbers.dtypes import COMPLEX64, dtype_code
from std.memory import stack_allocation
from std.sys import simd_width_of, size_of
from std.utils.numerics import isnan

from structured.reduce.combine import MAX, Operation
from structured.search.complex_search import (
    complex_arg_columns,
    complex_arg_row,
)
from structured.movement.copy import copy_nest
from structured.operands.fetch import BLOCK, DIRECT, fetch_kind
from structured.operands.halves import any_half, widened
from structured.operands.memory import allocate, release
from structured.operands.nest import Cursor, Nest, nest_of_two
from structured.operands.operand import (
    BOOL,
    INT64,
    NO_MEMORY,
    NUMBERS,
    OK,
    PARTS,
    UNSUPPORTED,
    Call,
    Operand,
    Words,
    load,
    plain,
    store,
    valid,
)
from structured.reduce.columns import Rows
from structured.reduce.rows import Row, sweep
from structured.threads.threads import parallel_for, part, task_count

comptime _LANES = [16, 4, 1]
"""Columns that are searched together, as many as there are."""
comptime NARROW = 64
"""Many rows up to this long are searched together, as columns."""
comptime _SHORT = 16
"""Rows up to this long are searched element by element."""
comptime _PARTS = 16
"""Parts that one long row is split into for the threads."""


@always_inline
def _better[
    op: Int, dtype: DType, width: SIMDLength
](value: SIMD[dtype, width], best: SIMD[dtype, width]) -> SIMD[
    DType.bool, width
]:
    """Whether a later value beats the best so far; the first nan beats all."""
    var result = value.gt(best) if op == MAX else value.lt(best)
    comptime if dtype.is_floating_point():
        result = result | (isnan(value) & ~isnan(best))
    return result


@always_inline
def _first_equal[
    dtype: DType
](row: Row, start: Int, best: Scalar[dtype]) -> Int:
    """The first place from `start` on of an element that is there: of nan, if it is nan."""
    comptime item = size_of[Scalar[dtype]]()
    comptime width = simd_width_of[dtype]()
    var i = start
    if row.kind == DIRECT:
        while i + width <= row.count:
            var here = load[dtype, width](row.address + i * item)
            if (
                here.eq(best) | (isnan(here) & isnan(SIMD[dtype, width](best)))
            ).reduce_or():
                break
            i += width
    while i < row.count - 1:
        var here = load[dtype](row.address + i * row.stride)
        if here == best or (isnan(here) and isnan(best)):
            break
        i += 1
    return i


def _row[op: Int, dtype: DType](row: Row, value: Int) -> Int:
    """`Args.row` for one operation and dtype."""
    var best = load[dtype](row.address)
    var place = 0
    if row.count <= _SHORT:
        for i in range(1, row.count):
            var here = load[dtype](row.address + i * row.stride)
            var better = Bool(_better[op](here, best))
            best = here if better else best
            place = i if better else place
        store(value, best)
        return place
    var buffer = Int(stack_allocation[BLOCK, dtype, alignment=64]())
    for start in range(0, row.count, BLOCK):
        var count = min(BLOCK, row.count - start)
        var found = sweep[op, dtype](
            row.share(start, count).adjacent(buffer), count
        )
        if _better[op](found, best):
            best = found
            place = start
    store(value, best)
    return _first_equal(row, place, best)


@always_inline
def _is_best[
    op: Int, width: SIMDLength
](truths: SIMD[DType.uint8, width]) -> SIMD[DType.bool, width]:
    """Whether truth values, of which all bytes but 0 are true, are the best there can be."""
    return truths.ne(0) if op == MAX else truths.eq(0)


def _truth_row[op: Int](row: Row, value: Int) -> Int:
    """`Args.row` for truth values: the first that is the best there can be, or else the first one."""
    comptime width = 64
    var place = 0
    if row.kind == DIRECT:
        while (
            place + width <= row.count
            and not _is_best[op](
                load[DType.uint8, width](row.address + place)
            ).reduce_or()
        ):
            place += width
    while place < row.count and not _is_best[op](
        load[DType.uint8](row.address + place * row.stride)
    ):
        place += 1
    place = place if place < row.count else 0
    store(value, load[DType.uint8](row.address + place * row.stride))
    return place


@always_inline
def _across[
    dtype: DType, width: Int
](address: Int, stride: Int) -> SIMD[dtype, width]:
    """Elements of adjacent columns."""
    if stride == size_of[Scalar[dtype]]():
        return load[dtype, width](address)
    var lanes = SIMD[dtype, width]()
    comptime for lane in range(width):
        lanes[lane] = load[dtype](address + lane * stride)
    return lanes


@always_inline
def _search_columns[
    op: Int, dtype: DType, width: Int
](target: Int, target_stride: Int, rows: Rows):
    """Writes the places of the best elements of `width` adjacent columns."""
    var best = _across[dtype, width](rows.row.address, rows.row.stride)
    var place = SIMD[DType.int64, width](0)
    var address = rows.row.address
    for i in range(1, rows.count):
        address += rows.stride
        var value = _across[dtype, width](address, rows.row.stride)
        var better = _better[op](value, best)
        best = better.select(value, best)
        place = better.select(SIMD[DType.int64, width](i), place)
    comptime for lane in range(width):
        store(target + lane * target_stride, place[lane])


def _columns[
    op: Int, dtype: DType
](target: Int, target_stride: Int, rows: Rows):
    """`Args.columns` for one operation and dtype."""
    var here = rows
    var to = target
    var left = rows.row.count
    comptime for index in range(len(_LANES)):
        comptime width = _LANES[index]
        while left >= width:
            _search_columns[op, dtype, width](to, target_stride, here)
            here.row.address += width * rows.row.stride
            to += width * target_stride
            left -= width


struct Args(TrivialRegisterPassable):
    """The compiled loops of one search and dtype."""

    var row: def(row: Row, value: Int) thin -> Int
    """The place of the best element of a row that is not empty; writes its value."""
    var columns: def(target: Int, target_stride: Int, rows: Rows) thin -> None
    """Writes the places of the best elements of columns, which are as far apart as `rows.row` says."""

    def __init__[op: Int, dtype: DType](out self, *, of: Operation[op, dtype]):
        self.row = _row[op, dtype]
        self.columns = _columns[op, dtype]

    def __init__[op: Int](out self, *, of_truths: Operation[op, DType.uint8]):
        self.row = _truth_row[op]
        self.columns = _columns[op, DType.uint8]

    def rows(self, to: Int, row: Row, stride: Int, count: Int):
        """Writes the places of the best elements of rows, so many bytes apart, one after another."""
        if row.count <= NARROW:
            var first = Row(row.address, stride, count, row.kind)
            self.columns(to, 8, Rows(first, row.stride, row.count, row.kind))
            return
        var value = Int(stack_allocation[1, DType.uint128]())
        for i in range(count):
            var here = Row(
                row.address + i * stride, row.stride, row.count, row.kind
            )
            store(to + i * 8, Int64(self.row(here, value)))

    def __init__[
        op: Int, part: DType
    ](out self, *, of_complex: Operation[op, part]):
        self.row = complex_arg_row[op, part]
        self.columns = complex_arg_columns[op, part]


def args_of[op: Int](code: Int) -> Optional[Args]:
    """The loops for a dtype code."""
    if code == BOOL:
        return Args(of_truths=Operation[op, DType.uint8]())
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        if plain(code) == dtype_code(dtype):
            return Args(of=Operation[op, dtype]())
    comptime for index in range(len(PARTS)):
        if code == COMPLEX64 + index:
            return Args(of_complex=Operation[op, PARTS[index]]())
    return None


comptime _MANY_TRUTHS = 1 << 22
"""Truth values for which several threads look: one stops where it finds what it looks for."""


def _tasks(code: Int, count: Int, threads: Int) -> Int:
    """For how many threads the search of one row is worth it."""
    if code == BOOL and count < _MANY_TRUTHS:
        return 1
    return task_count(count, threads)


def _long_row(args: Args, code: Int, item: Int, row: Row, tasks: Int) -> Int:
    """The place of the best element of one row, searched on several threads."""
    if tasks == 1:
        var value = stack_allocation[1, DType.uint128]()
        return args.row(row, Int(value))
    var values = Int(stack_allocation[_PARTS, DType.uint128]())
    var places = Words(
        unsafe_from_address=Int(stack_allocation[_PARTS, DType.int64]())
    )

    def share(index: Int) {imm}:
        var start = part(row.count, index, _PARTS)
        var piece = row.share(start, part(row.count, index + 1, _PARTS) - start)
        places[unsafe_offset=index] = Int64(
            start + args.row(piece, values + index * item)
        )

    parallel_for(share, _PARTS, tasks)
    var kind = fetch_kind(code, code, True)
    var winner = args.row(
        Row(values, item, _PARTS, kind),
        Int(stack_allocation[1, DType.uint128]()),
    )
    return Int(places[unsafe_offset=winner])


def _flat(args: Args, x: Operand, target: Int, threads: Int) -> Int:
    """Searches the whole array in C order."""
    var item = x.item_size()
    var count = x.count()
    var address = x.address
    var scratch = 0
    var nest = nest_of_two(x, x)
    nest.coalesce()
    var stride = item
    if nest.rank == 1:
        stride = nest.stride(0, 0)
    elif nest.rank > 1:
        scratch = allocate(count * item)
        if scratch == 0:
            return NO_MEMORY
        address = scratch
        var copied = Nest[2]([scratch, x.address])
        var step = count * item
        for axis in range(x.rank):
            step //= x.size(axis)
            copied.push(x.size(axis), [step, x.stride(axis)])
        copy_nest(copied, item, threads)
    var row = Row(
        address, stride, count, fetch_kind(x.dtype, x.dtype, stride == item)
    )
    store(
        target,
        Int64(
            _long_row(args, x.dtype, item, row, _tasks(x.dtype, count, threads))
        ),
    )
    release(scratch)
    return OK


def _search_part(args: Args, nest: Nest[2], row: Row, item: Int):
    """Searches the rows that start at the positions of a nest of (output, input)."""
    var inner = nest.rank - 1
    if inner >= 0 and (
        row.count <= NARROW
        or (nest.stride(1, inner) == item and row.stride != item)
    ):
        var cursor = Cursor[2](nest, inner)
        for _ in range(nest.count(inner)):
            var first = Row(
                cursor.at[1], nest.stride(1, inner), nest.sizes[inner], row.kind
            )
            var rows = Rows(first, row.stride, row.count, row.kind)
            args.columns(cursor.at[0], nest.stride(0, inner), rows)
            cursor.advance(nest)
        return
    var value = Int(stack_allocation[1, DType.uint128]())
    var cursor = Cursor[2](nest, nest.rank)
    for _ in range(nest.count(nest.rank)):
        var here = Row(cursor.at[1], row.stride, row.count, row.kind)
        store(cursor.at[0], Int64(args.row(here, value)))
        cursor.advance(nest)


def _along(args: Args, call: Call, axis: Int) -> Int:
    """Searches along one axis that is not empty."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    var nest = Nest[2]([out_.address, x.address])
    var kept = 0
    for at in range(x.rank):
        if at != axis:
            nest.push(x.size(at), [out_.stride(kept), x.stride(at)])
            kept += 1
    if nest.empty:
        return OK
    nest.sort(1)
    nest.coalesce()
    var item = x.item_size()
    var kind = fetch_kind(x.dtype, x.dtype, x.stride(axis) == item)
    var row = Row(x.address, x.stride(axis), x.size(axis), kind)
    var tasks = task_count(nest.count(nest.rank) * row.count, call.threads)
    var split = nest.longest()
    if split < 0:
        tasks = _tasks(x.dtype, row.count, call.threads)
        store(out_.address, Int64(_long_row(args, x.dtype, item, row, tasks)))
        return OK
    tasks = min(tasks, nest.sizes[split])

    def share(index: Int) {imm}:
        var start = part(nest.sizes[split], index, tasks)
        var end = part(nest.sizes[split], index + 1, tasks)
        _search_part(args, nest.share(split, start, end), row, item)

    parallel_for(share, tasks)
    return OK


def arg[op: Int](call: Call) -> Int:
    """`out = argmax(x)` or argmin, int64, C-contiguous; params: axis, or -1 for all of x."""
    if valid(call, 2, 1) and any_half(call):
        return widened(_arg[op], call, inputs=True)
    return _arg[op](call)


def _arg[op: Int](call: Call) -> Int:
    """`arg` of anything but half precision."""
    if not valid(call, 2, 1):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    var axis = call.param(0)
    var args = args_of[op](x.dtype)
    if (
        not args
        or out_.dtype != INT64
        or not out_.contiguous()
        or axis >= x.rank
    ):
        return UNSUPPORTED
    if axis < 0:
        if x.count() == 0 or out_.rank != 0:
            return UNSUPPORTED
        return _flat(args.value(), x, out_.address, call.threads)
    if out_.rank != x.rank - 1 or out_.count() * x.size(axis) != x.count():
        return UNSUPPORTED
    if x.size(axis) == 0:
        return OK if out_.count() == 0 else UNSUPPORTED
    return _along(args.value(), call, axis)
