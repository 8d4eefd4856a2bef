"""Products of two strided matrices of one dtype: the loops, without BLAS."""
from elementwise.numbers.dtypes import COMPLEX64, dtype_code
from std.sys import simd_width_of, size_of

from structured.reduce.combine import SUM, has_loops
from structured.product.complex_products import multiply_complex
from structured.operands.operand import (
    BOOL,
    NUMBERS,
    PARTS,
    load,
    store,
    wrapping,
)
from structured.threads.threads import part

comptime _ROWS = 4
"""Rows of the left matrix, or steps of the sum, that share what is loaded of the right one."""
comptime _VECTORS = 4
"""Vectors of adjacent columns that are computed together."""
comptime _FEW = 4
"""Columns that are computed together where they do not fill a vector."""
comptime _PANEL = 256
"""Steps of the sum after which results are stored: so much of the right matrix stays in cache."""
comptime _CHUNK = 1024
"""Columns whose results stay in cache while a row is multiplied with a matrix."""


struct Product(Copyable):
    """`out[m, n] = sum over k of a[m, k] * b[k, n]`: addresses, sizes, strides in bytes.

    The columns of `out` are adjacent.
    """

    var out_: Int
    var a: Int
    var b: Int
    var m: Int
    var n: Int
    var k: Int
    var out_m: Int
    var a_m: Int
    var a_k: Int
    var b_k: Int
    var b_n: Int

    def __init__(out self, out_: Int, a: Int, b: Int):
        self.out_ = out_
        self.a = a
        self.b = b
        self.m = 1
        self.n = 1
        self.k = 1
        self.out_m = 0
        self.a_m = 0
        self.a_k = 0
        self.b_k = 0
        self.b_n = 0

    def block(
        self, top: Int, bottom: Int, left: Int, right: Int, item: Int
    ) -> Self:
        """The rows from `top` to `bottom` in the columns from `left` to `right`."""
        var result = self.copy()
        result.m = bottom - top
        result.n = right - left
        result.out_ += top * self.out_m + left * item
        result.a += top * self.a_m
        result.b += left * self.b_n
        return result^

    def part(self, by_rows: Bool, index: Int, count: Int, item: Int) -> Self:
        """Share `index` of `count` of the rows, or of the columns."""
        var total = self.m if by_rows else self.n
        var start = part(total, index, count)
        var end = part(total, index + 1, count)
        if by_rows:
            return self.block(start, end, 0, self.n, item)
        return self.block(0, self.m, start, end, item)

    def by_its_transpose(self) -> Bool:
        """Whether the right matrix is the left one, transposed."""
        return (
            self.a == self.b
            and self.m == self.n
            and self.a_m == self.b_n
            and self.a_k == self.b_k
        )

    def terms(self, index: Int, count: Int) -> Self:
        """Share `index` of `count` of the terms of the sums."""
        return self.between(
            part(self.k, index, count), part(self.k, index + 1, count)
        )

    def between(self, start: Int, end: Int) -> Self:
        """The terms of the sums from `start` to `end`."""
        var result = self.copy()
        result.k = end - start
        result.a += start * self.a_k
        result.b += start * self.b_k
        return result^

    def turned(self, item: Int) -> Self:
        """The same product as a row times a matrix, if it is a matrix times a column."""
        var result = self.copy()
        result.a = self.b
        result.b = self.a
        result.m = 1
        result.n = self.m
        result.out_m = self.m * item
        result.a_m = 0
        result.a_k = self.b_k
        result.b_k = self.a_k
        result.b_n = self.a_m
        return result^


@always_inline
def _add[
    logical: Bool, dtype: DType, width: SIMDLength
](
    total: SIMD[dtype, width], a: SIMD[dtype, width], b: SIMD[dtype, width]
) -> SIMD[dtype, width]:
    """`total + a * b`; for booleans, `total or (a and b)`."""
    comptime if logical:
        return total | (a & b)
    elif dtype.is_floating_point():
        return a.fma(b, total)
    else:
        return total + a * b


@always_inline
def _tile[
    logical: Bool, dtype: DType, rows: Int, vectors: Int, width: Int
](p: Product, row: Int, column: Int, start: Int, end: Int):
    """Adds the terms from start to end to a tile of rows and of vectors of columns."""
    comptime item = size_of[Scalar[dtype]]()
    var totals = Array[SIMD[dtype, width], rows * vectors](fill=0)
    var out_ = p.out_ + row * p.out_m + column * item
    if start > 0:
        comptime for r in range(rows):
            comptime for v in range(vectors):
                totals[r * vectors + v] = load[dtype, width](
                    out_ + r * p.out_m + v * width * item
                )
    var a = p.a + row * p.a_m + start * p.a_k
    var b = p.b + start * p.b_k + column * p.b_n
    for _ in range(start, end):
        comptime for r in range(rows):
            var left = SIMD[dtype, width](load[dtype](a + r * p.a_m))
            comptime for v in range(vectors):
                var right = load[dtype, width](b + v * width * item)
                totals[r * vectors + v] = _add[logical](
                    totals[r * vectors + v], left, right
                )
        a += p.a_k
        b += p.b_k
    comptime for r in range(rows):
        comptime for v in range(vectors):
            store(
                out_ + r * p.out_m + v * width * item, totals[r * vectors + v]
            )


@always_inline
def _strip[
    logical: Bool, dtype: DType, vectors: Int, width: Int
](p: Product, column: Int, start: Int, end: Int):
    """Adds the terms from start to end to a strip of columns, all rows."""
    var row = 0
    while row + _ROWS <= p.m:
        _tile[logical, dtype, _ROWS, vectors, width](p, row, column, start, end)
        row += _ROWS
    while row < p.m:
        _tile[logical, dtype, 1, vectors, width](p, row, column, start, end)
        row += 1


def _by_tiles[logical: Bool, dtype: DType](p: Product):
    """Multiplies where the columns of b are adjacent, or any way if there are few."""
    comptime width = simd_width_of[dtype]()
    comptime item = size_of[Scalar[dtype]]()
    for start in range(0, max(p.k, 1), _PANEL):
        var end = min(start + _PANEL, p.k)
        var column = 0
        if p.b_n == item:
            while column + _VECTORS * width <= p.n:
                _strip[logical, dtype, _VECTORS, width](p, column, start, end)
                column += _VECTORS * width
            while column + width <= p.n:
                _strip[logical, dtype, 1, width](p, column, start, end)
                column += width
            while column + _FEW <= p.n:
                _strip[logical, dtype, 1, _FEW](p, column, start, end)
                column += _FEW
        while column < p.n:
            _strip[logical, dtype, 1, 1](p, column, start, end)
            column += 1


@always_inline
def _add_rows[
    logical: Bool, dtype: DType, steps: Int
](p: Product, k: Int, column: Int, n: Int):
    """Adds `steps` terms to a chunk of columns of a row times a matrix."""
    comptime width = simd_width_of[dtype]()
    comptime item = size_of[Scalar[dtype]]()
    var out_ = p.out_ + column * item
    var b = p.b + k * p.b_k + column * item
    var left = Array[Scalar[dtype], steps](uninitialized=True)
    comptime for step in range(steps):
        left[step] = load[dtype](p.a + (k + step) * p.a_k)
    var i = 0
    while i + width <= n:
        var total = load[dtype, width](out_ + i * item)
        comptime for step in range(steps):
            var right = load[dtype, width](b + step * p.b_k + i * item)
            total = _add[logical](total, SIMD[dtype, width](left[step]), right)
        store(out_ + i * item, total)
        i += width
    while i < n:
        var total = load[dtype](out_ + i * item)
        comptime for step in range(steps):
            total = _add[logical](
                total, left[step], load[dtype](b + step * p.b_k + i * item)
            )
        store(out_ + i * item, total)
        i += 1


def _row_by_rows[logical: Bool, dtype: DType](p: Product):
    """Multiplies a row with a matrix whose columns are adjacent: a sum of its rows."""
    comptime item = size_of[Scalar[dtype]]()
    for column in range(0, p.n, _CHUNK):
        var n = min(_CHUNK, p.n - column)
        for i in range(n):
            store(p.out_ + (column + i) * item, Scalar[dtype](0))
        var k = 0
        while k + _ROWS <= p.k:
            _add_rows[logical, dtype, _ROWS](p, k, column, n)
            k += _ROWS
        while k < p.k:
            _add_rows[logical, dtype, 1](p, k, column, n)
            k += 1


@always_inline
def _dots[
    logical: Bool, dtype: DType, columns: Int
](p: Product, row: Int, column: Int):
    """Computes results of one row in some columns, the terms of both sides adjacent."""
    comptime width = simd_width_of[dtype]()
    comptime item = size_of[Scalar[dtype]]()
    comptime chains = max(1, _VECTORS // columns)
    var totals = Array[SIMD[dtype, width], columns * chains](fill=0)
    var a = p.a + row * p.a_m
    var b = p.b + column * p.b_n
    var k = 0
    while k + chains * width <= p.k:
        comptime for chain in range(chains):
            var at = (k + chain * width) * item
            var left = load[dtype, width](a + at)
            comptime for c in range(columns):
                var right = load[dtype, width](b + c * p.b_n + at)
                totals[c * chains + chain] = _add[logical](
                    totals[c * chains + chain], left, right
                )
        k += chains * width
    comptime for c in range(columns):
        comptime for chain in range(1, chains):
            comptime if logical:
                totals[c * chains] |= totals[c * chains + chain]
            else:
                totals[c * chains] += totals[c * chains + chain]
        var total: Scalar[dtype]
        comptime if logical:
            total = totals[c * chains].reduce_or()
        else:
            total = totals[c * chains].reduce_add()
        for at in range(k, p.k):
            var right = load[dtype](b + c * p.b_n + at * item)
            total = _add[logical](total, load[dtype](a + at * item), right)
        store(p.out_ + row * p.out_m + (column + c) * item, total)


def _by_dots[logical: Bool, dtype: DType](p: Product):
    """Multiplies where the terms of both sides are adjacent."""
    for row in range(p.m):
        var column = 0
        while column + _ROWS <= p.n:
            _dots[logical, dtype, _ROWS](p, row, column)
            column += _ROWS
        while column < p.n:
            _dots[logical, dtype, 1](p, row, column)
            column += 1


def _multiply[logical: Bool, dtype: DType](product: Product):
    """Multiplies two matrices of any strides."""
    comptime item = size_of[Scalar[dtype]]()
    var p = product.copy()
    if p.n == 1 and p.m > 1 and p.out_m == item:
        p = p.turned(item)
    if p.b_k == item and p.a_k == item and (p.b_n != item or p.n == 1):
        _by_dots[logical, dtype](p)
    elif p.m == 1 and p.b_n == item:
        _row_by_rows[logical, dtype](p)
    else:
        _by_tiles[logical, dtype](p)


comptime Multiply = def(product: Product) thin -> None


def multiply_of(code: Int) -> Optional[Multiply]:
    """The loops of a dtype code; None where there are none."""
    if code == BOOL:
        return _multiply[True, DType.uint8]
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        comptime if has_loops[SUM, dtype]:
            if wrapping(code) == dtype_code(dtype):
                return _multiply[False, dtype]
    comptime for index in range(len(PARTS)):
        if code == COMPLEX64 + index:
            return multiply_complex[PARTS[index]]
    return None
