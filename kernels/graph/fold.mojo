"""The op that reduces a fused expression without putting its elements into memory.

The expression is evaluated in chunks that stay in cache, and each chunk is reduced by the structured
kernel, so that the elements are combined in the order, and give the bits, of a reduction in memory.
"""

from elementwise.numbers.dtypes import dtype_code
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
from structured.operands.memory import allocate, move_bytes, release
from structured.operands.operand import (
    OK,
    store,
)
from structured.reduce.rows import pairwise_half
from structured.threads.threads import part, task_count

from .library import KernelEntry, kernel_entry
from .store import advance, index_of_row
from .threads import parallel_for

comptime CHUNK = 2048
"""Elements that are evaluated at a time; a row of more is halved as NumPy does."""
comptime COLUMNS = 512
"""Columns that are reduced at a time."""
comptime SPLITS = 8
"""Parts of a long row that threads share; as many as one block of the pairwise order has."""
comptime DEPTH = 64


struct Fold[dtype: DType](TrivialRegisterPassable):
    """One reduction by a structured kernel, and scratch memory for one task.

    All that the kernel is given lies in memory from `malloc`: the compiler takes what is written to
    the stack for unused when only its address as an integer leaves the function.
    """

    comptime ITEM = size_of[Scalar[Self.dtype]]()
    comptime HEAD = 192
    """Bytes for the operands of the kernel, which come first."""
    comptime CHUNK_AT = Self.HEAD
    """Room for a chunk, and for a row of results before it."""
    comptime RESULTS_AT = Self.CHUNK_AT + (CHUNK + COLUMNS) * Self.ITEM
    """Room for a row of results."""
    comptime WAITING_AT = Self.RESULTS_AT + COLUMNS * Self.ITEM
    """Room for the results of halves: two at each depth, side by side."""
    comptime BYTES = Self.WAITING_AT + 2 * DEPTH * Self.ITEM

    var entry: KernelEntry
    var kernel: Int
    var scratch: Int

    def __init__(out self, entry: KernelEntry, kernel: Int, scratch: Int):
        self.entry = entry
        self.kernel = kernel
        self.scratch = scratch

    def of_task(self, task: Int) -> Self:
        """The same with the scratch memory of a task."""
        return Self(self.entry, self.kernel, self.scratch + task * Self.BYTES)

    def along(self, target: Int, source: Int, rows: Int, columns: Int) -> Int:
        """Reduces each of some adjacent rows; returns a status."""
        return self._run(target, source, rows, columns, 1)

    def down(self, target: Int, source: Int, rows: Int, columns: Int) -> Int:
        """Reduces some adjacent rows to one; returns a status."""
        return self._run(target, source, rows, columns, 0)

    def _run(
        self, target: Int, source: Int, rows: Int, columns: Int, axis: Int
    ) -> Int:
        comptime code = dtype_code(Self.dtype)
        var words = self.scratch
        var operands = words + 80
        store(words, Int64(rows))
        store(words + 8, Int64(columns))
        store(words + 16, Int64(columns * Self.ITEM))
        store(words + 24, Int64(Self.ITEM))
        store(words + 32, Int64(columns if axis == 0 else rows))
        store(words + 40, Int64(Self.ITEM))
        store(words + 48, Int64(axis))
        self._put_operand(operands, target, code, 1, words + 32, words + 40)
        self._put_operand(operands + 40, source, code, 2, words, words + 16)
        return self.entry(
            self.kernel, operands, 2, words + 48, 1, 1, words + 56
        )

    def _put_operand(
        self,
        at: Int,
        address: Int,
        code: Int,
        rank: Int,
        shape: Int,
        strides: Int,
    ):
        """Writes an operand as `structured.operand` lays it out."""
        store(at, Int64(address))
        store(at + 8, Int64(code))
        store(at + 16, Int64(rank))
        store(at + 24, Int64(shape))
        store(at + 32, Int64(strides))


@always_inline
def row_count[
    dtype: DType, rank: Int
](x: _FusedInputTensor[dtype=dtype, rank=rank, ...]) -> Int:
    """The number of rows, which lie along the last axis."""
    var rows = 1
    comptime for axis in range(rank - 1):
        rows *= x.dim_size(axis)
    return rows


@always_inline
def evaluate[
    dtype: DType, rank: Int
](
    x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
    buffer: Int,
    row: IndexList[rank],
    start: Int,
    count: Int,
):
    """Puts adjacent elements of a row of the expression into a buffer."""
    comptime width = simd_width_of[dtype]()
    var index = row
    var to = Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=buffer
    )
    var i = 0
    while i + width <= count:
        index[rank - 1] = start + i
        to.unsafe_store[width=width](i, x._lambda_load[width=width](index))
        i += width
    while i < count:
        index[rank - 1] = start + i
        to.unsafe_store[width=1](i, x._lambda_load[width=1](index))
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
    dtype: DType, rank: Int
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
    target: Int,
    row: Int,
    start: Int,
    count: Int,
):
    """Reduces a part of a row that is longer than a chunk, in NumPy's pairwise order."""
    comptime item = size_of[Scalar[dtype]]()
    var buffer = fold.scratch + Fold[dtype].CHUNK_AT
    # The result of a left half waits at the depth of that half, beside that of the right half.
    var waiting = fold.scratch + Fold[dtype].WAITING_AT
    var index = index_of_row[rank](row, x.shape())
    var tree = Tree(start, count)
    while True:
        var chunk = tree.counts[tree.depth]
        evaluate(x, buffer, index, tree.starts[tree.depth], chunk)
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
    dtype: DType, rank: Int
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
    results: Int,
    first: Int,
    end: Int,
):
    """Reduces the rows from `first` to `end`; several at a time if they are short."""
    comptime item = size_of[Scalar[dtype]]()
    var shape = x.shape()
    var columns = shape[rank - 1]
    if columns > CHUNK:
        for row in range(first, end):
            fold_row(fold, x, results + row * item, row, 0, columns)
        return
    var buffer = fold.scratch + Fold[dtype].CHUNK_AT
    var together = CHUNK // max(columns, 1)
    var index = IndexList[rank]()
    if first < end:
        index = index_of_row[rank](first, shape)
    for row in range(first, end, together):
        var count = min(together, end - row)
        for k in range(count):
            evaluate(x, buffer + k * columns * item, index, 0, columns)
            advance[rank](index, shape)
        _ = fold.along(results + row * item, buffer, count, columns)


@always_inline
def fold_columns[
    dtype: DType, rank: Int
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
    results: Int,
    first: Int,
    end: Int,
):
    """Reduces the columns from `first` to `end` of two axes, in the order of the rows."""
    comptime item = size_of[Scalar[dtype]]()
    # The first row holds the result so far; the others are chunks of rows of the expression.
    var buffer = fold.scratch + Fold[dtype].CHUNK_AT
    var reduced = fold.scratch + Fold[dtype].RESULTS_AT
    var rows = x.dim_size(0)
    var index = IndexList[rank]()
    for column in range(first, end, COLUMNS):
        var count = min(COLUMNS, end - column)
        var together = CHUNK // count
        var begun = 0
        for row in range(0, rows, together):
            var some = min(together, rows - row)
            for k in range(some):
                var place = buffer + (begun + k) * count * item
                index[0] = row + k
                evaluate(x, place, index, column, count)
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


@always_inline
def all_columns[
    dtype: DType, rank: Int
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
    results: Int,
    tasks: Int,
) raises:
    """Reduces every column, some by each task."""
    var columns = x.dim_size(rank - 1)

    def share(task: Int) {var x, imm}:
        var first = part(columns, task, tasks)
        var end = part(columns, task + 1, tasks)
        fold_columns(fold.of_task(task), x, results, first, end)

    parallel_for(share, tasks)


@always_inline
def all_rows[
    dtype: DType, rank: Int
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
    results: Int,
    tasks: Int,
) raises:
    """Reduces every row, some by each task."""
    var rows = row_count(x)

    def share(task: Int) {var x, imm}:
        var first = part(rows, task, tasks)
        var end = part(rows, task + 1, tasks)
        fold_rows(fold.of_task(task), x, results, first, end)

    parallel_for(share, tasks)


@always_inline
def shared_row[
    dtype: DType, rank: Int
](
    fold: Fold[dtype],
    x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
    target: Int,
    row: Int,
) raises:
    """Reduces one long row, a part by each task."""
    var starts = split_row(x.dim_size(rank - 1))
    var parts = fold.scratch + Fold[dtype].RESULTS_AT

    def share(index: Int) {var x, imm}:
        var start = starts[index]
        var count = starts[index + 1] - start
        var place = parts + index * Fold[dtype].ITEM
        fold_row(fold.of_task(index), x, place, row, start, count)

    parallel_for(share, SPLITS)
    # Eight results are one block of the pairwise order, which combines them as the nodes do.
    _ = fold.along(target, parts, 1, SPLITS)


@register("jj.fold")
struct FoldOp:
    """Reduces the rows of an expression, or the columns of one with two axes.

    The operand `words` holds the number of the structured kernel, and 1 to reduce each row, 0 to
    reduce each column.
    """

    @staticmethod
    def execute[
        dtype: DType, rank: Int, target: StaticString
    ](
        output: OutputTensor[dtype=dtype, rank=1, ...],
        words: InputTensor[dtype=DType.int64, rank=1, ...],
        x: _FusedInputTensor[dtype=dtype, rank=rank, ...],
        ctx: DeviceContext,
    ) capturing raises:
        var rows = row_count(x)
        var columns = x.dim_size(rank - 1)
        var results = Int(output.unsafe_ptr())
        var given = words.unsafe_ptr()
        var tasks = task_count(rows * columns, parallelism_level(None))
        var scratch = allocate(max(tasks, SPLITS) * Fold[dtype].BYTES)
        var kernel = Int(given[unsafe_offset=0])
        var fold = Fold[dtype](kernel_entry(), kernel, scratch)
        # The status of a reduction depends on the kernel and the dtype alone.
        if scratch == 0 or fold.along(results, results, 0, 0) != OK:
            release(scratch)
            raise Error("jujunp: no memory, or a kernel that is no reduction")
        if given[unsafe_offset=1] == 0:
            all_columns(fold, x, results, min(tasks, max(1, columns // 64)))
        elif tasks == 1 or rows >= tasks:
            all_rows(fold, x, results, tasks)
        else:
            for row in range(rows):
                shared_row(
                    fold, x, results + row * size_of[Scalar[dtype]](), row
                )
        release(scratch)
