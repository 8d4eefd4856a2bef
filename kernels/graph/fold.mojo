"""The op that reduces a fused expression without putting its elements into memory.

The expression is evaluated in chunks that stay in cache, and each chunk is reduced by the structured
kernel, so that the elements are combined in the order, and give the bits, of a reduction in memory.
"""

from std.memory import stack_allocation
from std.sys import simd_width_of, size_of
from std.utils.index import IndexList

from extensibility import (
    InputTensor,
    OutputTensor,
    _FusedInputTensor,
    register,
)
from max.gpu.host import DeviceContext
from max.runtime.asyncrt import parallelism_level
from structured.copy import move_bytes
from structured.operand import OK, Operand, code_of
from structured.reduce_rows import pairwise_half
from structured.threads import parallel_for, part, task_count

from .library import KernelEntry, Words, kernel_entry

comptime CHUNK = 2048
"""Elements that are evaluated at a time; a row of more is halved as NumPy does."""
comptime COLUMNS = 512
"""Columns that are reduced at a time."""
comptime SPLITS = 8
"""Parts of a long row that threads share; as many as one block of the pairwise order has."""
comptime DEPTH = 64


struct Fold[dtype: DType](TrivialRegisterPassable):
    """One reduction by a structured kernel."""

    var entry: KernelEntry
    var kernel: Int

    def __init__(out self, entry: KernelEntry, kernel: Int):
        self.entry = entry
        self.kernel = kernel

    def along(self, target: Int, source: Int, rows: Int, columns: Int) -> Int:
        """Reduces each of some adjacent rows; returns a status."""
        return self._run(target, source, rows, columns, 1)

    def down(self, target: Int, source: Int, rows: Int, columns: Int) -> Int:
        """Reduces some adjacent rows to one; returns a status."""
        return self._run(target, source, rows, columns, 0)

    def _run(
        self, target: Int, source: Int, rows: Int, columns: Int, axis: Int
    ) -> Int:
        comptime item = size_of[Scalar[Self.dtype]]()
        comptime code = code_of(Self.dtype)
        var sizes: Array[Int64, 3] = [
            Int64(rows),
            Int64(columns),
            Int64(columns if axis == 0 else rows),
        ]
        var strides: Array[Int64, 3] = [
            Int64(columns * item),
            Int64(item),
            Int64(item),
        ]
        var params = Array[Int64, 1](fill=Int64(axis))
        var fault = Array[Int64, 3](fill=0)
        var shape = words(sizes)
        var stride = words(strides)
        var operands: Array[Operand, 2] = [
            Operand(
                target,
                code,
                1,
                shape.unsafe_offset(2),
                stride.unsafe_offset(2),
            ),
            Operand(source, code, 2, shape, stride),
        ]
        return self.entry(
            self.kernel,
            Int(Pointer(to=operands[0])),
            2,
            Int(Pointer(to=params[0])),
            1,
            1,
            Int(Pointer(to=fault[0])),
        )


def words[count: Int](array: Array[Int64, count]) -> Words:
    """The address of an array, as the kernels take it."""
    return Words(unsafe_from_address=Int(Pointer(to=array[0])))


@always_inline
def evaluate[
    dtype: DType
](
    x: _FusedInputTensor[dtype=dtype, rank=2, ...],
    buffer: Int,
    row: Int,
    start: Int,
    count: Int,
):
    """Puts adjacent elements of a row of the expression into a buffer."""
    comptime width = simd_width_of[dtype]()
    var to = Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=buffer
    )
    var i = 0
    while i + width <= count:
        to.unsafe_store[width=width](
            i, x._lambda_load[width=width](IndexList[2](row, start + i))
        )
        i += width
    while i < count:
        to.unsafe_store[width=1](
            i, x._lambda_load[width=1](IndexList[2](row, start + i))
        )
        i += 1


struct Tree:
    """The walk over the chunks of a long row in the order in which NumPy halves it."""

    var starts: Array[Int, DEPTH]
    var counts: Array[Int, DEPTH]
    var is_right: Array[Bool, DEPTH]
    var depth: Int

    def __init__(out self, start: Int, count: Int):
        self.starts = Array[Int, DEPTH](fill=0)
        self.counts = Array[Int, DEPTH](fill=0)
        self.is_right = Array[Bool, DEPTH](fill=False)
        self.starts[0] = start
        self.counts[0] = count
        self.depth = 0
        self.descend()

    def descend(mut self):
        """Goes down to the leftmost chunk."""
        while self.counts[self.depth] > CHUNK:
            var here = self.depth
            self.starts[here + 1] = self.starts[here]
            self.counts[here + 1] = pairwise_half(self.counts[here])
            self.is_right[here + 1] = False
            self.depth += 1

    def turn(mut self):
        """Goes from a left half to the leftmost chunk of its right half."""
        var up = self.depth - 1
        var half = pairwise_half(self.counts[up])
        self.starts[self.depth] = self.starts[up] + half
        self.counts[self.depth] = self.counts[up] - half
        self.is_right[self.depth] = True
        self.descend()


@always_inline
def fold_row[
    dtype: DType
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=2, ...],
    target: Int,
    row: Int,
    start: Int,
    count: Int,
):
    """Reduces a part of a row that is longer than a chunk, in NumPy's pairwise order."""
    comptime item = size_of[Scalar[dtype]]()
    var buffer = Int(stack_allocation[CHUNK, dtype, alignment=64]())
    # The result of a left half waits at the depth of that half, beside that of the right half.
    var waiting = Int(stack_allocation[2 * DEPTH, dtype, alignment=64]())
    var tree = Tree(start, count)
    while True:
        var chunk = tree.counts[tree.depth]
        evaluate(x, buffer, row, tree.starts[tree.depth], chunk)
        var place = waiting + 2 * tree.depth * item
        if tree.is_right[tree.depth]:
            place += item
        _ = fold.along(place, buffer, 1, chunk)
        while tree.is_right[tree.depth]:
            var pair = waiting + 2 * tree.depth * item
            tree.depth -= 1
            place = waiting + 2 * tree.depth * item
            if tree.is_right[tree.depth]:
                place += item
            _ = fold.along(place, pair, 1, 2)
        if tree.depth == 0:
            _ = fold.along(target, waiting, 1, 1)
            return
        tree.turn()


@always_inline
def fold_rows[
    dtype: DType
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=2, ...],
    results: Int,
    first: Int,
    end: Int,
):
    """Reduces the rows from `first` to `end`; several at a time if they are short."""
    comptime item = size_of[Scalar[dtype]]()
    var columns = x.dim_size(1)
    if columns > CHUNK:
        for row in range(first, end):
            fold_row(fold, x, results + row * item, row, 0, columns)
        return
    var buffer = Int(stack_allocation[CHUNK, dtype, alignment=64]())
    var together = CHUNK // max(columns, 1)
    for row in range(first, end, together):
        var count = min(together, end - row)
        for k in range(count):
            evaluate(x, buffer + k * columns * item, row + k, 0, columns)
        _ = fold.along(results + row * item, buffer, count, columns)


@always_inline
def fold_columns[
    dtype: DType
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=2, ...],
    results: Int,
    first: Int,
    end: Int,
):
    """Reduces the columns from `first` to `end`, in the order of the rows."""
    comptime item = size_of[Scalar[dtype]]()
    # The first row holds the result so far; the others are chunks of rows of the expression.
    var buffer = Int(stack_allocation[CHUNK + COLUMNS, dtype, alignment=64]())
    var reduced = Int(stack_allocation[COLUMNS, dtype, alignment=64]())
    var rows = x.dim_size(0)
    for column in range(first, end, COLUMNS):
        var count = min(COLUMNS, end - column)
        var together = CHUNK // count
        var begun = 0
        for row in range(0, rows, together):
            var some = min(together, rows - row)
            for k in range(some):
                var place = buffer + (begun + k) * count * item
                evaluate(x, place, row + k, column, count)
            _ = fold.down(reduced, buffer, begun + some, count)
            begun = 1
            move_bytes(buffer, reduced, count * item)
        if rows == 0:
            _ = fold.down(buffer, buffer, 0, count)
        move_bytes(results + column * item, buffer, count * item)


def split_row(columns: Int) -> Array[Int, SPLITS + 1]:
    """Where the parts of a long row begin: the nodes of the pairwise order, three levels down."""
    var starts = Array[Int, SPLITS + 1](fill=0)
    starts[1] = columns
    var parts = 1
    while parts < SPLITS:
        for index in reversed(range(parts)):
            var start = starts[index]
            var end = starts[index + 1]
            starts[2 * index + 2] = end
            starts[2 * index + 1] = start + pairwise_half(end - start)
        parts *= 2
    return starts^


@register("jj.fold")
struct FoldOp:
    """Reduces the rows of an expression, or its columns.

    The operand `plan` holds the number of the structured kernel, and 1 to reduce each row, 0 to
    reduce each column.
    """

    @staticmethod
    def execute[
        dtype: DType, target: StaticString
    ](
        output: OutputTensor[dtype=dtype, rank=1, ...],
        plan: InputTensor[dtype=DType.int64, rank=1, ...],
        x: _FusedInputTensor[dtype=dtype, rank=2, ...],
        ctx: DeviceContext,
    ) capturing raises:
        comptime item = size_of[Scalar[dtype]]()
        var fold = Fold[dtype](
            kernel_entry(), Int(plan.unsafe_ptr()[unsafe_offset=0])
        )
        var rows = x.dim_size(0)
        var columns = x.dim_size(1)
        var results = Int(output.unsafe_ptr())
        # The status depends on the kernel and the dtype alone.
        if fold.along(results, results, 0, 0) != OK:
            raise Error("jujunp: a kernel that does not reduce this dtype")
        var tasks = task_count(rows * columns, parallelism_level(None))
        var starts = split_row(columns)

        def some_rows(task: Int) {var x, imm}:
            fold_rows(
                fold,
                x,
                results,
                part(rows, task, tasks),
                part(rows, task + 1, tasks),
            )

        def some_columns(task: Int) {var x, imm}:
            fold_columns(
                fold,
                x,
                results,
                part(columns, task, tasks),
                part(columns, task + 1, tasks),
            )

        if plan.unsafe_ptr()[unsafe_offset=1] == 0:
            tasks = min(tasks, max(1, columns // 64))
            parallel_for(some_columns, tasks)
        elif tasks == 1 or rows >= tasks:
            parallel_for(some_rows, tasks)
        else:
            for row in range(rows):
                var parts = Int(stack_allocation[SPLITS, dtype, alignment=64]())

                def some_of_row(index: Int) {var x, imm}:
                    var start = starts[index]
                    var count = starts[index + 1] - start
                    var place = parts + index * item
                    fold_row(fold, x, place, row, start, count)

                parallel_for(some_of_row, SPLITS)
                _ = fold.along(results + row * item, parts, 1, SPLITS)
