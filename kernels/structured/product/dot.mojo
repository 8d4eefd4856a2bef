"""The general product of two arrays: batch axes, contracted axes, free axes."""
from std.memory import stack_allocation

from structured.product.blas import Blas, set_threads, use_threads
from structured.reduce.combine import OR, SUM
from structured.movement.copy import copy_nest
from structured.operands.fetch import DIRECT
from structured.reduce.folds import Folds, folds_of
from structured.operands.halves import widened
from structured.operands.memory import allocate, release
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    BOOL,
    MAX_RANK,
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    valid,
)
from structured.product.products import Multiply, Product, multiply_of
from structured.product.vectors import LONG, Vectors
from structured.reduce.rows import Row
from structured.threads.threads import (
    PARALLEL_WORK,
    parallel_for,
    part,
    task_count,
)

comptime _PARTS = 8
"""Parts that a long row times a column is split into."""


struct Side(TrivialRegisterPassable):
    """One of the two arrays, and which of its axes are batch, contracted and free."""

    var call: Call
    var array: Operand
    var batch: Int
    """Place of its batch axes in the parameters."""
    var contract: Int
    """Place of its contracted axes in the parameters."""

    def __init__(out self, call: Call, right: Bool):
        self.call = call
        self.array = call.operand(2 if right else 1)
        self.batch = 2 + (call.param(0) if right else 0)
        self.contract = 2 + 2 * call.param(0) + (call.param(1) if right else 0)

    @always_inline
    def batch_axis(self, index: Int) -> Int:
        """The axis that is batch axis number `index`."""
        return self.call.param(self.batch + index)

    @always_inline
    def contract_axis(self, index: Int) -> Int:
        """The axis that is contracted axis number `index`."""
        return self.call.param(self.contract + index)

    def is_free(self, axis: Int) -> Bool:
        """Whether an axis is neither batch nor contracted."""
        for index in range(self.call.param(0)):
            if self.batch_axis(index) == axis:
                return False
        for index in range(self.call.param(1)):
            if self.contract_axis(index) == axis:
                return False
        return True

    def valid(self) -> Bool:
        """Whether the parameters name axes, each at most once."""
        var named = 0
        for axis in range(self.array.rank):
            if not self.is_free(axis):
                named += 1
        return named == self.call.param(0) + self.call.param(1)

    def free(self) -> Nest[1]:
        """The nest of the free axes."""
        var nest = Nest[1]([0])
        for axis in range(self.array.rank):
            if self.is_free(axis):
                nest.push(self.array.size(axis), [self.array.stride(axis)])
        nest.coalesce()
        return nest^

    def contracted(self) -> Nest[1]:
        """The nest of the contracted axes."""
        var nest = Nest[1]([0])
        for index in range(self.call.param(1)):
            var axis = self.contract_axis(index)
            nest.push(self.array.size(axis), [self.array.stride(axis)])
        nest.coalesce()
        return nest^


struct Matrix(Copyable):
    """One side as a batch of matrices of free and contracted indices, copied if it must be."""

    var address: Int
    var scratch: Int
    """Address of the copy, 0 without one."""
    var free: Int
    var contracted: Int
    var free_stride: Int
    var contract_stride: Int
    var batch_strides: Array[Int, MAX_RANK]

    def __init__(out self, side: Side):
        var free = side.free()
        var contracted = side.contracted()
        self.address = side.array.address
        self.scratch = 0
        self.free = free.count(free.rank)
        self.contracted = contracted.count(contracted.rank)
        self.free_stride = free.stride(0, 0) if free.rank == 1 else 0
        self.contract_stride = (
            contracted.stride(0, 0) if contracted.rank == 1 else 0
        )
        self.batch_strides = Array[Int, MAX_RANK](uninitialized=True)
        for index in range(side.call.param(0)):
            self.batch_strides[index] = side.array.stride(
                side.batch_axis(index)
            )
        if free.rank > 1 or contracted.rank > 1:
            self.scratch = allocate(side.array.count() * side.array.item_size())
            if self.scratch != 0:
                self._copy(side)
            self.address = self.scratch

    def _copy(mut self, side: Side):
        """Copies the array to the scratch space in the order batch, free, contracted."""
        var item = side.array.item_size()
        var nest = Nest[2]([self.scratch, side.array.address])
        var left = side.array.count() * item
        for index in range(side.call.param(0)):
            var axis = side.batch_axis(index)
            left //= max(side.array.size(axis), 1)
            self.batch_strides[index] = left
            nest.push(side.array.size(axis), [left, side.array.stride(axis)])
        for axis in range(side.array.rank):
            if side.is_free(axis):
                left //= max(side.array.size(axis), 1)
                nest.push(
                    side.array.size(axis), [left, side.array.stride(axis)]
                )
        for index in range(side.call.param(1)):
            var axis = side.contract_axis(index)
            left //= max(side.array.size(axis), 1)
            nest.push(side.array.size(axis), [left, side.array.stride(axis)])
        copy_nest(nest, item, side.call.threads)
        self.contract_stride = item
        self.free_stride = self.contracted * item


def _shapes_agree(call: Call, a: Side, b: Side) -> Bool:
    """Whether batch, free and contracted axes have the sizes that the other arrays want."""
    var out_ = call.operand(0)
    var batch = call.param(0)
    if not a.valid() or not b.valid() or not out_.contiguous():
        return False
    if out_.rank != a.array.rank + b.array.rank - batch - 2 * call.param(1):
        return False
    for index in range(batch):
        var size = a.array.size(a.batch_axis(index))
        if size != b.array.size(b.batch_axis(index)) or size != out_.size(
            index
        ):
            return False
    for index in range(call.param(1)):
        if a.array.size(a.contract_axis(index)) != b.array.size(
            b.contract_axis(index)
        ):
            return False
    var place = batch
    for axis in range(a.array.rank):
        if a.is_free(axis):
            if out_.size(place) != a.array.size(axis):
                return False
            place += 1
    for axis in range(b.array.rank):
        if b.is_free(axis):
            if out_.size(place) != b.array.size(axis):
                return False
            place += 1
    return True


def _long_dot(
    multiply: Multiply, folds: Folds, p: Product, item: Int, threads: Int
):
    """Multiplies a long row and a column: parts, then their sum, whatever the threads."""
    var results = Int(stack_allocation[_PARTS, DType.uint128]())

    def share(index: Int) {imm}:
        var mine = p.terms(index, _PARTS)
        mine.out_ = results + index * item
        multiply(mine)

    parallel_for(share, _PARTS, threads)
    folds.into_one(p.out_, Row(results, item, _PARTS, DIRECT), True)


def _multiply(
    multiply: Multiply,
    folds: Folds,
    blas: Blas,
    vectors: Vectors,
    p: Product,
    item: Int,
    threads: Int,
):
    """Multiplies two matrices: by BLAS if it can, else by loops on as many threads as pay."""
    if blas.takes(p):
        blas.multiply(p, threads)
        return
    if vectors.multiply_as_numpy(p):
        return
    if p.m == 1 and p.n == 1 and p.k >= PARALLEL_WORK:
        _long_dot(multiply, folds, p, item, threads)
        return
    var by_rows = p.m >= p.n
    var tasks = min(
        task_count(p.m * p.n * p.k, threads), p.m if by_rows else p.n
    )
    if tasks <= 1:
        multiply(p)
        return

    def share(index: Int) {imm}:
        multiply(p.part(by_rows, index, tasks, item))

    parallel_for(share, tasks)


def _multiply_all(
    multiply: Multiply, folds: Folds, call: Call, a: Matrix, b: Matrix
):
    """Multiplies all matrices of the batch."""
    var out_ = call.operand(0)
    var item = out_.item_size()
    var p = Product(out_.address, a.address, b.address)
    p.m = a.free
    p.n = b.free
    p.k = a.contracted
    p.out_m = p.n * item
    p.a_m = a.free_stride
    p.a_k = a.contract_stride
    p.b_k = b.contract_stride
    p.b_n = b.free_stride
    var nest = Nest[3]([out_.address, a.address, b.address])
    for index in range(call.param(0)):
        var size = out_.size(index)
        nest.push(
            size,
            [
                out_.stride(index),
                a.batch_strides[index],
                b.batch_strides[index],
            ],
        )
    nest.coalesce()
    var batch = nest.count(nest.rank)
    var work = p.m * p.n * p.k
    var tasks = min(task_count(batch * work, call.threads), batch)
    var blas = Blas(out_.dtype if min(p.m, p.n) > 1 else -1)
    var vectors = Vectors(out_.dtype)
    var by_blas = blas.takes(p)
    # Whole matrices for each thread, unless one would wait for another for long.
    if tasks > 1 and (work <= LONG or (by_blas and batch % tasks == 0)):
        var threads = use_threads(1) if by_blas else 0

        def share(index: Int) {imm}:
            var cursor = Cursor[3](nest, nest.rank, part(batch, index, tasks))
            for _ in range(
                part(batch, index, tasks), part(batch, index + 1, tasks)
            ):
                var mine = p.copy()
                mine.out_ = cursor.at[0]
                mine.a = cursor.at[1]
                mine.b = cursor.at[2]
                if by_blas:
                    blas.multiply_here(mine)
                elif not vectors.multiply(mine):
                    multiply(mine)
                cursor.advance(nest)

        parallel_for(share, tasks)
        if by_blas:
            set_threads(threads)
        return
    var cursor = Cursor[3](nest, nest.rank)
    for _ in range(batch):
        p.out_ = cursor.at[0]
        p.a = cursor.at[1]
        p.b = cursor.at[2]
        _multiply(multiply, folds, blas, vectors, p, item, call.threads)
        cursor.advance(nest)


def dot_general(call: Call) -> Int:
    """`out[batch, free of a, free of b] = sum of a * b over the contracted axes`.

    Params: number of batch axes, number of contracted axes; batch axes of a, of b; contracted
    axes of a, of b. One dtype; integers wrap, for booleans it is `any(a & b)`; half precision is
    computed in float32 and rounded once. C-contiguous out.
    """
    if valid(call, 3, 2) and call.operand(0).is_half():
        if not call.operand(0).contiguous():
            return UNSUPPORTED
        for index in range(1, call.count):
            if call.operand(index).dtype != call.operand(0).dtype:
                return UNSUPPORTED
        return widened(_dot_general, call, inputs=True)
    return _dot_general(call)


def _dot_general(call: Call) -> Int:
    """`dot_general` of anything but half precision."""
    if not valid(call, 3, 2):
        return UNSUPPORTED
    var axes = call.param(0) + call.param(1)
    if (
        call.param(0) < 0
        or call.param(1) < 0
        or call.param_count < 2 + 2 * axes
    ):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var multiply = multiply_of(out_.dtype)
    var a = Side(call, False)
    var b = Side(call, True)
    if (
        not multiply
        or a.array.dtype != out_.dtype
        or b.array.dtype != out_.dtype
    ):
        return UNSUPPORTED
    if not _shapes_agree(call, a, b):
        return UNSUPPORTED
    if out_.count() == 0:
        return OK
    var folds = folds_of[SUM](out_.dtype)
    if out_.dtype == BOOL:
        folds = folds_of[OR](BOOL)
    if out_.rank == 0 and a.array.rank == 1:
        var p = Product(out_.address, a.array.address, b.array.address)
        p.k = a.array.size(0)
        p.a_k = a.array.stride(0)
        p.b_k = b.array.stride(0)
        var blas = Blas(-1)
        var item = out_.item_size()
        _multiply(
            multiply.value(),
            folds.value(),
            blas,
            Vectors(out_.dtype),
            p,
            item,
            call.threads,
        )
        return OK
    var left = Matrix(a)
    var right = Matrix(b)
    var enough = left.address != 0 and right.address != 0
    if enough:
        _multiply_all(multiply.value(), folds.value(), call, left, right)
    release(left.scratch)
    release(right.scratch)
    return OK if enough else NO_MEMORY
