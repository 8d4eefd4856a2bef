"""Reductions, scans and updates of complex numbers: their compiled loops."""
from elementwise.complex.arithmetic import largest, multiply, smallest
from elementwise.complex.number import Complex, load_complex
from std.sys import simd_width_of, size_of
from std.utils.numerics import inf

from structured.reduce.combine import MAX, MIN, PROD, SUM
from structured.operands.fetch import DIRECT
from structured.operands.operand import load, store
from structured.reduce.columns import Rows, into_row
from structured.reduce.rows import Row

comptime _BLOCK = 64
"""NumPy's: up to this many numbers are added by four accumulators, more are halved first."""
comptime _CHAINS = 4


comptime Element[part: DType] = SIMD[part, 2]
"""A complex number: real and imaginary part."""


@always_inline
def item_of[part: DType]() -> Int:
    """Bytes of one number."""
    return 2 * size_of[Scalar[part]]()


@always_inline
def number[part: DType](address: Int) -> Complex[part, 1]:
    """The number at an address."""
    var element = load[part, 2](address)
    return Complex[part, 1](element[0], element[1])


@always_inline
def combine_complex[
    op: Int, part: DType
](a: Element[part], b: Element[part]) -> Element[part]:
    """The binary operation of a reduction; max and min are lexicographic and propagate nan."""
    comptime if op == SUM:
        return a + b
    else:
        var x = Complex[part, 1](a[0], a[1])
        var y = Complex[part, 1](b[0], b[1])
        var z = _combined_numbers[op](x, y)
        return Element[part](z.re[0], z.im[0])


@always_inline
def _combined_numbers[
    op: Int, part: DType
](x: Complex[part, 1], y: Complex[part, 1]) -> Complex[part, 1]:
    comptime if op == PROD:
        return multiply(x, y)
    elif op == MAX:
        return largest(x, y)
    else:
        return smallest(x, y)


def complex_identity[op: Int, part: DType]() -> Element[part]:
    """What an empty reduction gives."""
    comptime if op == PROD:
        return Element[part](1, 0)
    elif op == MAX:
        return Element[part](-inf[part](), -inf[part]())
    elif op == MIN:
        return Element[part](inf[part](), inf[part]())
    else:
        return Element[part](0, 0)


@always_inline
def _fold[
    op: Int, part: DType
](start: Element[part], address: Int, stride: Int, count: Int) -> Element[part]:
    """Folds numbers one after the other."""
    var result = start
    for i in range(count):
        result = combine_complex[op](
            result, load[part, 2](address + i * stride)
        )
    return result


def _sum_pairwise[
    part: DType
](address: Int, stride: Int, count: Int) -> Element[part]:
    """The sum in NumPy's pairwise order."""
    if count < _CHAINS:
        return _fold[SUM](Element[part](-0.0), address, stride, count)
    if count > _BLOCK:
        var half = (count - count % 8) // 2
        return _sum_pairwise[part](address, stride, half) + _sum_pairwise[part](
            address + half * stride, stride, count - half
        )
    var chains = Array[Element[part], _CHAINS](uninitialized=True)
    comptime for chain in range(_CHAINS):
        chains[chain] = load[part, 2](address + chain * stride)
    var i = _CHAINS
    while i + _CHAINS <= count:
        comptime for chain in range(_CHAINS):
            chains[chain] += load[part, 2](address + (i + chain) * stride)
        i += _CHAINS
    var total = (chains[0] + chains[1]) + (chains[2] + chains[3])
    return _fold[SUM](total, address + i * stride, stride, count - i)


@always_inline
def _combined_lanes[
    op: Int, part: DType, width: Int
](x: Complex[part, width], y: Complex[part, width]) -> Complex[part, width]:
    comptime if op == PROD:
        return multiply(x, y)
    elif op == MAX:
        return largest(x, y)
    else:
        return smallest(x, y)


def sweep_complex[
    op: Int, part: DType
](address: Int, count: Int) -> Element[part]:
    """Folds adjacent numbers, several chains at once; of several nans any is the result."""
    comptime width = 2 * simd_width_of[part]()
    comptime item = item_of[part]()
    var i = 0
    var result = complex_identity[op, part]()
    if count >= 2 * width:
        var chains = load_complex[part, width](address, 0)
        i = width
        while i + width <= count:
            chains = _combined_lanes[op](
                chains, load_complex[part, width](address, i)
            )
            i += width
        comptime for lane in range(width):
            result = combine_complex[op](
                result, Element[part](chains.re[lane], chains.im[lane])
            )
    return _fold[op](result, address + i * item, item, count - i)


@always_inline
def _fold_row[
    op: Int, part: DType
](start: Element[part], row: Row) -> Element[part]:
    comptime if op == SUM:
        return start + _sum_pairwise[part](row.address, row.stride, row.count)
    else:
        if row.stride == item_of[part]():
            return combine_complex[op](
                start, sweep_complex[op, part](row.address, row.count)
            )
        return _fold[op](start, row.address, row.stride, row.count)


def complex_into_each[
    op: Int, part: DType
](
    target: Int,
    target_stride: Int,
    row: Row,
    row_stride: Int,
    count: Int,
    fresh: Bool,
):
    """`Folds.into_each` for complex numbers."""
    var here = row
    for i in range(count):
        var place = target + i * target_stride
        var start = complex_identity[op, part]()
        if not fresh:
            start = load[part, 2](place)
        store(place, _fold_row[op](start, here))
        here.address += row_stride


def complex_into_row[
    op: Int, part: DType
](target: Int, target_stride: Int, rows: Rows, fresh: Bool):
    """`Folds.into_row` for complex numbers; sums of adjacent ones are those of their parts."""
    comptime item = item_of[part]()
    comptime if op == SUM:
        if rows.row.stride == item and target_stride == item:
            var row = Row(
                rows.row.address, item // 2, 2 * rows.row.count, DIRECT
            )
            var parts = Rows(row, rows.stride, rows.count, DIRECT)
            into_row[SUM, part](target, item // 2, parts, fresh)
            return
    for i in range(rows.count):
        for column in range(rows.row.count):
            var place = target + column * target_stride
            var start = complex_identity[op, part]()
            if i > 0 or not fresh:
                start = load[part, 2](place)
            var source = rows.row.address + column * rows.row.stride
            var value = load[part, 2](source + i * rows.stride)
            store(place, combine_complex[op](start, value))


def complex_reset[op: Int, part: DType](target: Int, count: Int):
    """`Folds.reset` for complex numbers."""
    for i in range(count):
        store(target + i * item_of[part](), complex_identity[op, part]())
