"""Products with a vector by the same functions of CBLAS that NumPy calls, in the same way: with its bits."""
from elementwise.numbers.dtypes import COMPLEX128, COMPLEX64, dtype_code
from std.memory import stack_allocation
from std.sys import size_of
from structured.operands.operand import item_size, load, store
from structured.movement.copy import copy_nest
from structured.operands.memory import allocate, release
from structured.operands.nest import Nest
from structured.product.blas import (
    COL_MAJOR,
    DDOT,
    DGEMV,
    MOST,
    ROW_MAJOR,
    SDOT,
    SGEMV,
    TRANSPOSED,
    CDOT,
    CGEMV,
    ZDOT,
    ZGEMV,
    function,
    function_at,
    set_threads,
    use_threads,
)
from structured.product.products import Product
from structured.threads.threads import parallel_for

comptime _LARGE = 460_800
"""Multiplications above which the library uses threads of its own for a matrix."""
comptime LONG = 10_000
"""The same for a single sum."""
comptime _MOST_SHARES = 64
comptime _Dot[dtype: DType] = def(
    n: Int32, x: Int, x_step: Int32, y: Int, y_step: Int32
) thin abi("C") -> Scalar[dtype]
comptime _ComplexDot = def(
    n: Int32, x: Int, x_step: Int32, y: Int, y_step: Int32, result: Int
) thin abi("C") -> None
comptime _Gemv[dtype: DType] = def(
    order: Int32,
    transpose: Int32,
    m: Int32,
    n: Int32,
    alpha: Scalar[dtype],
    a: Int,
    a_leading: Int32,
    x: Int,
    x_step: Int32,
    beta: Scalar[dtype],
    y: Int,
    y_step: Int32,
) thin abi("C") -> None
comptime _ComplexGemv[part: DType] = def(
    order: Int32,
    transpose: Int32,
    m: Int32,
    n: Int32,
    alpha: Pointer[Scalar[part], MutAnyOrigin],
    a: Int,
    a_leading: Int32,
    x: Int,
    x_step: Int32,
    beta: Pointer[Scalar[part], MutAnyOrigin],
    y: Int,
    y_step: Int32,
) thin abi("C") -> None
"""Factors are given by pointers."""


def _start(total: Int, index: Int, count: Int) -> Int:
    """Where share `index` of `count` begins: the first ones are the larger ones."""
    return index * (total // count) + min(index, total % count)


def _add_up[dtype: DType](target: Int, sums: Int, count: Int, parts: Int):
    """Adds up numbers that lie 16 bytes apart and have one part or two."""
    for part in range(parts):
        var ahead = part * size_of[Scalar[dtype]]()
        var total = Scalar[dtype](0)
        for index in range(count):
            total += load[dtype](sums + 16 * index + ahead)
        store(target + ahead, total)


@always_inline
def _step(stride: Int, item: Int) -> Int32:
    """How many elements a stride skips, 0 if BLAS cannot read so."""
    var step = stride // item
    if step <= 0 or stride % item != 0 or step > MOST:
        return 0
    return Int32(step)


struct Vector:
    """A vector as BLAS reads it: copied if it lies backwards, or is one element for all, as NumPy's `dot` does."""

    var address: Int
    var step: Int32
    """In elements; 0 without memory for the copy."""
    var scratch: Int

    def __init__(out self, address: Int, stride: Int, count: Int, item: Int):
        self.address = address
        self.step = _step(stride, item)
        self.scratch = 0
        if self.step == 0:
            self.scratch = allocate(count * item)
            self.address = self.scratch
            self.step = Int32(self.scratch != 0)
            if self.scratch != 0:
                var nest = Nest[2]([self.scratch, address])
                nest.push(count, [item, stride])
                copy_nest(nest, item, 1)

    def __del__(deinit self):
        release(self.scratch)


# the functions at an address; False without one


def _dot[
    dtype: DType
](address: Int, p: Product, ref x: Vector, ref y: Vector) -> Bool:
    if address == 0:
        return False
    var found = function[_Dot[dtype]](address)(
        Int32(p.k), x.address, x.step, y.address, y.step
    )
    store(p.out_, found)
    return True


def _complex_dot(
    address: Int, p: Product, ref x: Vector, ref y: Vector
) -> Bool:
    if address == 0:
        return False
    function[_ComplexDot](address)(
        Int32(p.k), x.address, x.step, y.address, y.step, p.out_
    )
    return True


struct Rows(TrivialRegisterPassable):
    """A matrix whose rows are multiplied with a vector, as BLAS takes it."""

    var order: Int32
    var terms: Int32
    var count: Int32
    var matrix: Int
    var leading: Int32
    var vector: Int
    var step: Int32

    def __init__(
        out self,
        order: Int32,
        terms: Int32,
        count: Int32,
        matrix: Int,
        leading: Int32,
        vector: Int,
        step: Int32,
    ):
        self.order = order
        self.terms = terms
        self.count = count
        self.matrix = matrix
        self.leading = leading
        self.vector = vector
        self.step = step


def _gemv[dtype: DType](address: Int, rows: Rows, target: Int) -> Bool:
    if address == 0:
        return False
    function[_Gemv[dtype]](address)(
        rows.order,
        TRANSPOSED,
        rows.terms,
        rows.count,
        1,
        rows.matrix,
        rows.leading,
        rows.vector,
        rows.step,
        0,
        target,
        1,
    )
    return True


def _complex_gemv[part: DType](address: Int, rows: Rows, target: Int) -> Bool:
    if address == 0:
        return False
    var factors = Array[Scalar[part], 4](fill=0)
    factors[0] = 1
    var one = factors.unsafe_ptr().as_unsafe_any_origin()
    function[_ComplexGemv[part]](address)(
        rows.order,
        TRANSPOSED,
        rows.terms,
        rows.count,
        one,
        rows.matrix,
        rows.leading,
        rows.vector,
        rows.step,
        one.unsafe_offset(2),
        target,
        1,
    )
    _ = factors^
    return True


struct Vectors(TrivialRegisterPassable):
    """Such products of one dtype."""

    var code: Int
    """The dtype code; any may be given."""
    var item: Int

    def __init__(out self, code: Int):
        self.code = code
        self.item = item_size(code)

    def _is_blas(self) -> Bool:
        """Whether the library has this dtype."""
        return self.code in (
            dtype_code(DType.float32),
            dtype_code(DType.float64),
            COMPLEX64,
            COMPLEX128,
        )

    def multiply(self, p: Product) -> Bool:
        """Multiplies if either side is a vector that BLAS takes, on this thread; False for all else."""
        if not self._is_blas() or p.k == 0 or max(p.m, p.n, p.k) > MOST:
            return False
        if p.m == 1 and p.n == 1:
            return self._dot(p)
        if p.n == 1 and p.out_m == self.item:
            return self._gemv(p, p.a, p.m, p.a_m, p.a_k, p.b, p.b_k)
        if p.m == 1:
            return self._gemv(p, p.b, p.n, p.b_n, p.b_k, p.a, p.a_k)
        return False

    def multiply_as_numpy(self, p: Product) -> Bool:
        """The same on as many threads as NumPy's library takes, and dealt to these as there: for its bits."""
        var total = max(p.m, p.n)
        var is_dot = total == 1
        if is_dot:
            total = p.k
        if (
            min(p.m, p.n) != 1
            or not self._is_blas()
            or total * (1 if is_dot else p.k) <= (LONG if is_dot else _LARGE)
        ):
            return self.multiply(p)
        # its threads wait for each other by spinning: each share gets one
        var had = use_threads(1)
        var done = self._in_shares(p, is_dot, total, min(had, _MOST_SHARES))
        set_threads(had)
        return done

    def _in_shares(
        self, p: Product, is_dot: Bool, total: Int, count: Int
    ) -> Bool:
        """Deals the results, or the terms of a single one, to tasks."""
        var sums = stack_allocation[2 * _MOST_SHARES, DType.uint64]()
        var refused = stack_allocation[_MOST_SHARES, DType.bool]()

        def multiply_share(index: Int) {imm}:
            var start = _start(total, index, count)
            var end = _start(total, index + 1, count)
            var mine = p.copy()
            if is_dot:
                mine = p.between(start, end)
                mine.out_ = Int(sums) + 16 * index
            elif p.n == 1:
                mine = p.block(start, end, 0, 1, self.item)
            else:
                mine = p.block(0, 1, start, end, self.item)
            refused[unsafe_offset=index] = not self.multiply(mine)

        parallel_for(multiply_share, count)
        for index in range(count):
            if refused[unsafe_offset=index]:
                return False
        if is_dot:
            self._add_up(p.out_, Int(sums), count)
        return True

    def _add_up(self, target: Int, sums: Int, count: Int):
        """Adds sums up, the first one first."""
        if self.code == dtype_code(DType.float64):
            _add_up[DType.float64](target, sums, count, 1)
        elif self.code == dtype_code(DType.float32):
            _add_up[DType.float32](target, sums, count, 1)
        elif self.code == COMPLEX64:
            _add_up[DType.float32](target, sums, count, 2)
        else:
            _add_up[DType.float64](target, sums, count, 2)

    def _dot(self, p: Product) -> Bool:
        var x = Vector(p.a, p.a_k, p.k, self.item)
        var y = Vector(p.b, p.b_k, p.k, self.item)
        if x.step == 0 or y.step == 0:
            return False
        var done: Bool
        if self.code == dtype_code(DType.float64):
            done = _dot[DType.float64](function_at[DDOT](), p, x, y)
        elif self.code == dtype_code(DType.float32):
            done = _dot[DType.float32](function_at[SDOT](), p, x, y)
        elif self.code == COMPLEX64:
            done = _complex_dot(function_at[CDOT](), p, x, y)
        else:
            done = _complex_dot(function_at[ZDOT](), p, x, y)
        _ = x^  # are in use until here
        _ = y^
        return done

    def _gemv(
        self,
        p: Product,
        matrix: Int,
        count: Int,
        outer: Int,
        inner: Int,
        vector: Int,
        stride: Int,
    ) -> Bool:
        """Multiplies a matrix of so many rows with a vector, given the strides between and along rows."""
        var step = _step(stride, self.item)
        var order = COL_MAJOR
        var leading = _step(outer, self.item)
        if inner != self.item or Int(leading) < p.k:
            order = ROW_MAJOR
            leading = _step(inner, self.item)
            if outer != self.item or Int(leading) < count:
                return False
        if step == 0:
            return False
        var given = Rows(
            order, Int32(p.k), Int32(count), matrix, leading, vector, step
        )
        if self.code == dtype_code(DType.float64):
            return _gemv[DType.float64](function_at[DGEMV](), given, p.out_)
        if self.code == dtype_code(DType.float32):
            return _gemv[DType.float32](function_at[SGEMV](), given, p.out_)
        if self.code == COMPLEX64:
            return _complex_gemv[DType.float32](
                function_at[CGEMV](), given, p.out_
            )
        return _complex_gemv[DType.float64](function_at[ZGEMV](), given, p.out_)
