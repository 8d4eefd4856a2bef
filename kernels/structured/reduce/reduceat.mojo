"""Reductions of the segments of an axis, as NumPy's `ufunc.reduceat`."""
from structured.operands.fetch import UNKNOWN, fetch_kind
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    INT64,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    valid,
)
from structured.reduce.combine import (
    AND,
    FMAX,
    FMIN,
    MAX,
    MIN,
    OR,
    PROD,
    SUM,
    XOR,
)
from structured.reduce.folds import Folds, folds_of
from structured.reduce.segments import Segments
from structured.threads.ieee import lower_flags
from structured.threads.threads import parallel_for, part, task_count

comptime _OPERATIONS: Array[Int, 9] = [
    SUM,
    PROD,
    MAX,
    MIN,
    AND,
    OR,
    XOR,
    FMAX,
    FMIN,
]
"""In the order of the kernels that reduce by them."""


def _folds(operation: Int, code: Int) -> Optional[Folds]:
    """The loops of an operation, given by its place in the table."""
    comptime for index in range(len(_OPERATIONS)):
        if operation == index:
            return folds_of[_OPERATIONS[index]](code)
    return None


def _fit(call: Call, out_: Operand, x: Operand) -> Bool:
    """Whether shapes and dtypes are those of `reduceat`."""
    var starts = call.operand(2)
    var axis = call.param(0)
    if starts.dtype != INT64 or starts.rank != 1 or out_.rank != x.rank:
        return False
    if not 0 <= axis < x.rank or out_.size(axis) != starts.size(0):
        return False
    for at in range(x.rank):
        if at != axis and out_.size(at) != x.size(at):
            return False
    return (
        out_.contiguous() and fetch_kind(x.dtype, out_.dtype, False) != UNKNOWN
    )


def reduceat(call: Call) -> Int:
    """`out[.., k, ..] = x[.., starts[k]:starts[k + 1], ..]`, reduced along the axis.

    Inputs: x, and the starts (1-D, int64). The last segment goes to the end; one that would not end
    behind its start is one element. Params: the axis, the operation (a place in `_OPERATIONS`). The
    first element is what the others are folded into. As in `reduce`, the output may be wider.
    """
    if not valid(call, 3, 2):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    var found = _folds(call.param(1), out_.dtype)
    if not found or not _fit(call, out_, x):
        return UNSUPPORTED
    if out_.count() == 0:
        return OK
    var segments = Segments(out_, x, call)
    var bad = segments.bad()
    if bad:
        return call.out_of_bounds(call.param(0), bad.value(), segments.size)
    var folds = found.value()
    var nest = Nest[2]([out_.address, x.address])
    for axis in range(x.rank):
        if axis != call.param(0):
            nest.push(x.size(axis), [out_.stride(axis), x.stride(axis)])
    var lines = nest.count(nest.rank)
    var all = lines * segments.count
    var tasks = min(task_count(x.count(), call.threads), all)

    def share(index: Int) {imm}:
        var at = part(all, index, tasks)
        var end = part(all, index + 1, tasks)
        var cursor = Cursor[2](nest, nest.rank, at // segments.count)
        while at < end:
            var first = at % segments.count
            var some = min(segments.count - first, end - at)
            folds.into_segments(
                segments, cursor.at[1], cursor.at[0], first, first + some
            )
            cursor.advance(nest)
            at += some

    parallel_for(share, tasks)
    if call.param(1) > 1:
        lower_flags()  # NumPy tells of sums and products only
    return OK
