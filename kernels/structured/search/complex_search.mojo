"""Searching and sorting complex numbers, and searching half precision, by unsigned keys.

Complex numbers are ordered as NumPy sorts them: by their real and then their imaginary parts;
behind all come those with a nan: in the imaginary part, in the real part, in both.
"""
from std.utils.numerics import isnan

from structured.reduce.combine import MAX
from structured.reduce.complex_folds import item_of, sweep_complex
from structured.operands.operand import load, store
from structured.reduce.columns import Rows
from structured.reduce.rows import Row
from structured.search.keys import cell_of, key_of


struct ComplexKey[cell: DType](TrivialRegisterPassable):
    """Two words that order complex numbers."""

    var high: Scalar[Self.cell]
    var low: Scalar[Self.cell]

    def __init__(out self, high: Scalar[Self.cell], low: Scalar[Self.cell]):
        self.high = high
        self.low = low


@always_inline
def complex_key[part: DType](address: Int) -> ComplexKey[cell_of[part]()]:
    """The key of the number at an address."""
    comptime cell = cell_of[part]()
    comptime top = Scalar[cell].MAX
    var element = load[part, 2](address)
    var re = key_of(element[0])
    var im = key_of(element[1])
    # Keys of numbers lie well below these.
    if isnan(element[0]) and isnan(element[1]):
        return ComplexKey[cell](top, top)
    if isnan(element[0]):
        return ComplexKey[cell](top - 1, im)
    if isnan(element[1]):
        return ComplexKey[cell](top - 2, re)
    return ComplexKey[cell](re, im)


def encode_complex[
    part: DType, word: Int
](words: Int, source: Int, stride: Int, count: Int) -> Bool:
    """`Keys.encode`: word 0 or 1 of the keys of complex128, both of complex64 at once."""
    for i in range(count):
        store(words + i * 8, _word[part, word](source + i * stride))
    return False


def encode_complex_by[
    part: DType, word: Int
](words: Int, source: Int, stride: Int, order: Int, count: Int) -> Bool:
    """`Keys.encode_by`, as above."""
    for i in range(count):
        var index = Int(load[DType.uint32](order + i * 4))
        store(words + i * 8, _word[part, word](source + index * stride))
    return False


@always_inline
def _word[part: DType, word: Int](address: Int) -> UInt64:
    var key = complex_key[part](address)
    comptime if part == DType.float32:
        return (
            key.high.cast[DType.uint64]() << 32 | key.low.cast[DType.uint64]()
        )
    elif word == 0:
        return key.high.cast[DType.uint64]()
    else:
        return key.low.cast[DType.uint64]()


def decode_nothing(target: Int, stride: Int, words: Int, count: Int):
    """`Keys.decode`, never called, since `encode_complex` always says that words lose elements."""
    pass


@always_inline
def _key_before[
    right: Bool, dtype: DType, is_complex: Bool
](element: Int, value: Int) -> Bool:
    """Whether the element at an address lies before the place of the value at another."""
    comptime if is_complex:
        var a = complex_key[dtype](element)
        var b = complex_key[dtype](value)
        comptime if right:
            return a.high < b.high or (a.high == b.high and a.low <= b.low)
        else:
            return a.high < b.high or (a.high == b.high and a.low < b.low)
    else:
        var a = key_of(load[dtype](element))
        var b = key_of(load[dtype](value))
        return a <= b if right else a < b


def find_row_by_keys[
    right: Bool, dtype: DType, is_complex: Bool
](
    target: Int,
    a: Int,
    stride: Int,
    size: Int,
    values: Int,
    step: Int,
    count: Int,
):
    """Writes the places of a strided row of values in a sorted row."""
    for i in range(count):
        var low = 0
        var left = size
        while left > 0:
            var half = (left + 1) // 2
            var element = a + (low + half - 1) * stride
            if _key_before[right, dtype, is_complex](
                element, values + i * step
            ):
                low += half
            left -= half
        store(target + i * 8, Int64(low))


@always_inline
def _beats[op: Int, part: DType](value: Int, best: Int) -> Bool:
    """Whether the later number at an address beats the best so far; the first nan beats all."""
    var a = load[part, 2](value)
    var b = load[part, 2](best)
    if isnan(b[0]) or isnan(b[1]):
        return False
    if isnan(a[0]) or isnan(a[1]):
        return True
    comptime if op == MAX:
        return a[0] > b[0] or (a[0] == b[0] and a[1] > b[1])
    else:
        return a[0] < b[0] or (a[0] == b[0] and a[1] < b[1])


def complex_arg_row[op: Int, part: DType](row: Row, value: Int) -> Int:
    """`Args.row` for complex numbers: the best of adjacent ones, and then its first place."""
    var place = 0
    if row.stride == item_of[part]() and row.count > 0:
        var best = sweep_complex[op, part](row.address, row.count)
        if not (isnan(best[0]) or isnan(best[1])):
            while load[part, 2](row.address + place * row.stride) != best:
                place += 1
            store(value, best)
            return place
    for i in range(1, row.count):
        var here = row.address + i * row.stride
        if _beats[op, part](here, row.address + place * row.stride):
            place = i
    store(value, load[part, 2](row.address + place * row.stride))
    return place


def complex_arg_columns[
    op: Int, part: DType
](target: Int, target_stride: Int, rows: Rows):
    """`Args.columns` for complex numbers."""
    for column in range(rows.row.count):
        var first = rows.row.address + column * rows.row.stride
        var place = 0
        for i in range(1, rows.count):
            if _beats[op, part](
                first + i * rows.stride, first + place * rows.stride
            ):
                place = i
        store(target + column * target_stride, Int64(place))
