"""Reductions over any axes, in NumPy's order, with the same bits for any number of threads."""
from std.memory import stack_allocation

from structured.operands.fetch import DIRECT, UNKNOWN, fetch
from structured.reduce.combine import AND
from structured.reduce.folds import Folds, folds_of
from structured.operands.halves import widened
from structured.operands.memory import allocate, release
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import NO_MEMORY, OK, UNSUPPORTED, Call, valid
from structured.reduce.columns import Rows
from structured.reduce.order import BUFFER, Reduction, settled, shapes_agree
from structured.reduce.rows import SPLITS, Row, part_of_row
from structured.threads.threads import parallel_for, part, task_count


def _pack(reduction: Reduction, buffer: Int, address: Int, count: Int) -> Int:
    """Fetches one inner loop, `count` indices of its outermost axis; returns its length."""
    ref nest = reduction.nest
    var first = nest.rank - reduction.loop_axes
    var inner = Nest[1]([address])
    inner.push(count, [nest.stride(1, first)])
    for axis in range(first + 1, nest.rank - 1):
        inner.push(nest.sizes[axis], [nest.stride(1, axis)])
    var row = reduction.row(address)
    var at = buffer
    var cursor = Cursor[1](inner, inner.rank)
    for _ in range(inner.count(inner.rank)):
        _ = fetch(
            reduction.across_kind, at, cursor.at[0], row.stride, row.count
        )
        at += row.count * reduction.item
        cursor.advance(inner)
    return (at - buffer) // reduction.item


def _fold_loop(
    folds: Folds,
    reduction: Reduction,
    target: Int,
    source: Int,
    loop: Int,
    fresh: Bool,
):
    """Folds inner loop number `loop` of those that start at `source`."""
    ref nest = reduction.nest
    var axis = nest.rank - reduction.loop_axes
    var start = loop * reduction.loop_step
    var count = min(reduction.loop_step, nest.sizes[axis] - start)
    var address = source + start * nest.stride(1, axis)
    if reduction.loop_axes == 1:
        var stride = nest.stride(1, axis)
        folds.into_one(
            target, Row(address, stride, count, reduction.along_kind), fresh
        )
        return
    var buffer = Int(stack_allocation[BUFFER, DType.uint128, alignment=64]())
    var length = _pack(reduction, buffer, address, count)
    folds.into_one(target, Row(buffer, reduction.item, length, DIRECT), fresh)


def _reduce_rows(folds: Folds, reduction: Reduction):
    """Reduces where the innermost axis is reduced: one inner loop after the other."""
    ref nest = reduction.nest
    var outer = nest.rank - reduction.loop_axes
    var loops = reduction.loops()
    if reduction.loop_axes == 1 and loops == 1 and outer > 0:
        var each = outer - 1
        var cursor = Cursor[2](nest, each)
        for _ in range(nest.count(each)):
            folds.into_each(
                cursor.at[0],
                nest.stride(0, each),
                reduction.row(cursor.at[1]),
                nest.stride(1, each),
                nest.sizes[each],
                reduction.fresh,
            )
            cursor.advance(nest)
        return
    var cursor = Cursor[2](nest, outer)
    for _ in range(nest.count(outer)):
        for loop in range(loops):
            _fold_loop(
                folds,
                reduction,
                cursor.at[0],
                cursor.at[1],
                loop,
                reduction.fresh,
            )
        cursor.advance(nest)


def _reduce_loops(folds: Folds, reduction: Reduction, tasks: Int) -> Bool:
    """As `_reduce_rows`, the inner loops on several threads; returns whether it had memory."""
    ref nest = reduction.nest
    var outer = nest.rank - reduction.loop_axes
    var loops = reduction.loops()
    var positions = nest.count(outer)
    var results = allocate(positions * loops * reduction.item)
    if results == 0:
        return False

    def share(index: Int) {imm}:
        var flat = part(positions * loops, index, tasks)
        var end = part(positions * loops, index + 1, tasks)
        var cursor = Cursor[2](nest, outer, flat // loops)
        while flat < end:
            var target = results + flat * reduction.item
            _fold_loop(
                folds, reduction, target, cursor.at[1], flat % loops, True
            )
            flat += 1
            if flat % loops == 0:
                cursor.advance(nest)

    parallel_for(share, tasks)
    var cursor = Cursor[2](nest, outer)
    for position in range(positions):
        for loop in range(loops):
            var result = results + (position * loops + loop) * reduction.item
            folds.into_one(
                cursor.at[0], Row(result, 0, 1, DIRECT), reduction.fresh
            )
        cursor.advance(nest)
    release(results)
    return True


def _reduce_columns(folds: Folds, reduction: Reduction):
    """Reduces where the innermost axis is kept: many rows into one."""
    ref nest = reduction.nest
    var inner = nest.rank - 1
    var outer = inner
    var rows = 1
    var stride = 0
    if inner > 0 and nest.stride(0, inner - 1) == 0:
        outer = inner - 1
        rows = nest.sizes[outer]
        stride = nest.stride(1, outer)
    var cursor = Cursor[2](nest, outer)
    for _ in range(nest.count(outer)):
        var block = Rows(
            reduction.row(cursor.at[1]), stride, rows, reduction.across_kind
        )
        folds.into_row(
            cursor.at[0], nest.stride(0, inner), block, reduction.fresh
        )
        cursor.advance(nest)


def _reduce_part(folds: Folds, reduction: Reduction):
    """Reduces on this thread; the results hold the identity already unless `fresh`."""
    ref nest = reduction.nest
    if nest.rank == 0:
        folds.into_one(
            nest.bases[0], Row(nest.bases[1], 0, 1, reduction.along_kind), True
        )
    elif nest.stride(0, nest.rank - 1) == 0:
        _reduce_rows(folds, reduction)
    else:
        _reduce_columns(folds, reduction)


def _split_row(folds: Folds, target: Int, row: Row, item: Int, threads: Int):
    """Folds one long row on several threads, along the nodes of NumPy's pairwise order."""
    var results = Int(stack_allocation[SPLITS, DType.uint64]())
    folds.reset(results, SPLITS)

    def share(index: Int) {imm}:
        # Where one part has decided, the others need not be looked at.
        for other in range(SPLITS):
            if folds.is_last(results + other * item):
                return
        var start, count = part_of_row(row.count, index)
        var piece = row.share(start, count)
        folds.into_one(results + index * item, piece, True)

    parallel_for(share, SPLITS, threads)
    # Eight results are one block of the pairwise order, which combines them as the nodes do.
    folds.into_one(target, Row(results, item, SPLITS, DIRECT), True)


def _longest_kept(nest: Nest[2]) -> Int:
    """The first of the kept axes with the most elements, -1 if there is none."""
    var best = -1
    for axis in range(nest.rank):
        if nest.stride(0, axis) == 0:
            continue
        if best < 0 or nest.sizes[axis] > nest.sizes[best]:
            best = axis
    return best


def _reduce_all(folds: Folds, reduction: Reduction, threads: Int) -> Int:
    """Reduces on as many threads as pay."""
    ref nest = reduction.nest
    var tasks = task_count(
        nest.count(nest.rank) * reduction.source_item // 8, threads
    )
    if tasks == 1:
        _reduce_part(folds, reduction)
        return OK
    var axis = _longest_kept(nest)
    if axis >= 0 and nest.sizes[axis] >= tasks:

        def share(index: Int) {imm}:
            var start = part(nest.sizes[axis], index, tasks)
            var end = part(nest.sizes[axis], index + 1, tasks)
            _reduce_part(folds, reduction.shared(axis, start, end))

        parallel_for(share, tasks)
    elif folds.in_order or reduction.loop_axes == 0:
        _reduce_part(folds, reduction)
    elif nest.rank == 1 and reduction.loops() == 1:
        var row = reduction.row(nest.bases[1])
        _split_row(folds, nest.bases[0], row, reduction.item, threads)
    elif not _reduce_loops(folds, reduction, tasks):
        return NO_MEMORY
    return OK


def _run(folds: Folds, call: Call) -> Int:
    """Reduces with the loops of one operation and dtype."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    var nest = settled(call)
    var empty = nest.empty
    var reduction = Reduction(nest^, x.dtype, out_.dtype, folds.pairwise)
    if reduction.across_kind == UNKNOWN:
        return UNSUPPORTED
    if empty or not reduction.fresh:
        folds.reset(out_.address, out_.count())
    if empty:
        return OK
    return _reduce_all(folds, reduction, call.threads)


def reduce[op: Int](call: Call) -> Int:
    """`out = x` reduced; params: the reduced axes. The output has the kept axes, C-contiguous.

    Sums and products also take a wider output: integers of 64 bits, float64, or float32 for half
    precision, whose results are computed in it and rounded once. Products of complex numbers are
    taken one after the other; the largest complex number is that with the largest real part.
    """
    comptime if op < AND:
        if valid(call, 2, 0) and call.operand(0).is_half():
            if call.operand(0).contiguous():
                return widened(_reduce[op], call, inputs=False)
    return _reduce[op](call)


def _reduce[op: Int](call: Call) -> Int:
    """`reduce` with an output of the dtype that is calculated in."""
    if not valid(call, 2, 0) or not shapes_agree(call):
        return UNSUPPORTED
    var folds = folds_of[op](call.operand(0).dtype)
    if not folds:
        return UNSUPPORTED
    return _run(folds.value(), call)
