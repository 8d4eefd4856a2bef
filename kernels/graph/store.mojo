"""The op that ends every fused expression.

MAX would evaluate a chain of elementwise ops by a loop of its own, in which subnormal numbers are
flushed to zero. As the prologue of this op the chain is evaluated here instead, with IEEE
arithmetic, so that both tiers give equal bits; it also gives each result memory of its own, which
no graph input shares.
"""

from std.sys import simd_width_of
from std.utils.index import IndexList

from extensibility import OutputTensor, _FusedInputTensor, register
from max.gpu.host import DeviceContext
from max.runtime.asyncrt import parallelism_level
from structured.threads.threads import part, task_count

from .threads import parallel_for

comptime WIDEST = simd_width_of[DType.float32]()
"""Lanes at most: a narrow result (bool) may come from operands eight times as wide."""


@always_inline
def advance[rank: Int](mut index: IndexList[rank], shape: IndexList[rank]):
    """Steps to the next row, the last axis aside; the first row follows the last."""
    comptime for back in range(1, rank):
        comptime axis = rank - 1 - back
        index[axis] += 1
        if index[axis] < shape[axis]:
            return
        index[axis] = 0


@always_inline
def index_of_row[
    rank: Int
](row: Int, shape: IndexList[rank]) -> IndexList[rank]:
    """The index of the first element of a row, of which there is one or more."""
    var index = IndexList[rank]()
    var rest = row
    comptime for back in range(1, rank):
        comptime axis = rank - 1 - back
        index[axis] = rest % shape[axis]
        rest //= shape[axis]
    return index


@register("jj.store")
struct Store:
    """`output[...] = x`, where `x` is the fused expression; any rank but 0."""

    @staticmethod
    def execute[
        dtype: DType, rank: Int, target: StaticString
    ](
        output: OutputTensor[dtype=dtype, rank=rank, ...],
        x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
        ctx: DeviceContext,
    ) capturing raises:
        comptime assert rank > 0, "jj.store needs an axis"
        comptime width = min(simd_width_of[dtype](), WIDEST)
        var shape = x.shape()
        var length = shape[rank - 1]
        var size = x.size()
        var target_ = output.unsafe_ptr()
        var tasks = task_count(size, parallelism_level(None))

        def share(task: Int) {var x, var target_, imm}:
            # Elements `at` to `end` in C order; a share may begin and end within a row.
            var at = part(size, task, tasks)
            var end = part(size, task + 1, tasks)
            var row_of_first = at // length
            var first = at - row_of_first * length
            var index = index_of_row[rank](row_of_first, shape)
            while at < end:
                var last = min(length, first + end - at)
                var row = at - first
                var column = first
                while column + width <= last:
                    index[rank - 1] = column
                    target_.unsafe_store[width=width](
                        row + column, x._lambda_load[width=width](index)
                    )
                    column += width
                while column < last:
                    index[rank - 1] = column
                    target_.unsafe_store[width=1](
                        row + column, x._lambda_load[width=1](index)
                    )
                    column += 1
                at += last - first
                first = 0
                advance[rank](index, shape)

        if size > 0:
            parallel_for(share, tasks)
