"""Folding a row of numbers into one, in NumPy's order of additions."""
from std.sys import simd_width_of, size_of
from std.utils.numerics import isnan, nan

from structured.reduce.combine import (
    MAX,
    SUM,
    can_stop,
    combine,
    identity,
    in_order,
    last,
    ordered,
    pairwise,
)
from structured.operands.fetch import (
    BLOCK,
    BYTES,
    DIRECT,
    TRUTHS,
    converts,
    fetch,
)
from structured.operands.operand import load

comptime _PAIRWISE_BLOCK = 128
"""NumPy's: up to this many floats are added by eight accumulators, more are halved first."""
comptime _LANES = 8
comptime _STRIDE = 4096
"""Elements after which a fold looks whether it can stop."""
comptime SPLITS = 8
"""Parts that a long row is split into for threads: as many results are one block of the pairwise
order, which combines them as it would have."""


struct Row(TrivialRegisterPassable):
    """A strided row of numbers and how to fetch them."""

    var address: Int
    var stride: Int
    var count: Int
    var kind: Int

    def __init__(out self, address: Int, stride: Int, count: Int, kind: Int):
        self.address = address
        self.stride = stride
        self.count = count
        self.kind = kind

    @always_inline
    def share(self, start: Int, count: Int) -> Self:
        """The elements from `start` on."""
        return Self(
            self.address + start * self.stride, self.stride, count, self.kind
        )

    @always_inline
    def adjacent(self, buffer: Int) -> Int:
        """The address of the elements, fetched to the buffer if need be; at most `BLOCK`."""
        if self.kind == DIRECT:
            return self.address
        return fetch(self.kind, buffer, self.address, self.stride, self.count)


@always_inline
def fold[
    op: Int, dtype: DType
](start: Scalar[dtype], address: Int, stride: Int, count: Int) -> Scalar[dtype]:
    """Folds elements one after the other."""
    var result = start
    for i in range(count):
        result = combine[op](result, load[dtype](address + i * stride))
    return result


@always_inline
def _pairwise_leaf[
    dtype: DType
](address: Int, stride: Int, count: Int) -> Scalar[dtype]:
    """Sum of up to `_PAIRWISE_BLOCK` floats."""
    comptime item = size_of[Scalar[dtype]]()
    if count < _LANES:
        return fold[SUM](Scalar[dtype](-0.0), address, stride, count)
    var lanes = SIMD[dtype, _LANES](0)
    var i = _LANES
    if stride == item:
        lanes = load[dtype, _LANES](address)
        while i + _LANES <= count:
            lanes += load[dtype, _LANES](address + i * item)
            i += _LANES
    else:
        comptime for lane in range(_LANES):
            lanes[lane] = load[dtype](address + lane * stride)
        while i + _LANES <= count:
            comptime for lane in range(_LANES):
                lanes[lane] += load[dtype](address + (i + lane) * stride)
            i += _LANES
    var left = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    var right = (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
    return fold[SUM](left + right, address + i * stride, stride, count - i)


@always_inline
def _accumulated[dtype: DType](address: Int, count: Int) -> SIMD[dtype, _LANES]:
    """The eight accumulators of adjacent floats, as far as these fill them."""
    comptime item = size_of[Scalar[dtype]]()
    var lanes = load[dtype, _LANES](address)
    for i in range(_LANES, count - _LANES + 1, _LANES):
        lanes += load[dtype, _LANES](address + i * item)
    return lanes


@always_inline
def _sums_of_pairs[
    dtype: DType
](a: SIMD[dtype, _LANES], b: SIMD[dtype, _LANES]) -> SIMD[dtype, _LANES]:
    """The sums of the neighbours in two vectors."""
    var halves = a.join(b).deinterleave()
    return rebind[SIMD[dtype, _LANES]](halves[0] + halves[1])


@always_inline
def sums_of_eight[
    dtype: DType
](address: Int, row_stride: Int, count: Int) -> SIMD[dtype, _LANES]:
    """Sums of eight rows of 8 to `_PAIRWISE_BLOCK` adjacent floats, each as `_pairwise_leaf` adds."""
    comptime item = size_of[Scalar[dtype]]()
    var lanes = Array[SIMD[dtype, _LANES], _LANES](uninitialized=True)
    comptime for row in range(_LANES):
        lanes[row] = _accumulated[dtype](address + row * row_stride, count)
    comptime for level in range(3):
        comptime for k in range(_LANES >> (level + 1)):
            lanes[k] = _sums_of_pairs(lanes[2 * k], lanes[2 * k + 1])
    for i in range(count // _LANES * _LANES, count):
        comptime for row in range(_LANES):
            lanes[0][row] += load[dtype](address + row * row_stride + i * item)
    return lanes[0]


@always_inline
def are_short(row: Row, item: Int) -> Bool:
    """Whether `sums_of_eight` can add rows like this one."""
    return (
        not converts(row.kind)
        and row.stride == item
        and _LANES <= row.count <= _PAIRWISE_BLOCK
    )


@always_inline
def pairwise_half(count: Int) -> Int:
    """Where NumPy halves a row of more than `_PAIRWISE_BLOCK` floats."""
    return count // 2 // _LANES * _LANES


def part_of_row(count: Int, index: Int) -> Tuple[Int, Int]:
    """Where one of `SPLITS` parts of a long row starts, and how many elements it has: a node of the
    pairwise order."""
    var start = 0
    var rest = count
    var parts = SPLITS
    while parts > 1:
        parts //= 2
        var half = pairwise_half(rest)
        if index & parts != 0:
            start += half
            rest -= half
        else:
            rest = half
    return start, rest


@always_inline
def _pairwise_block[dtype: DType](row: Row, buffer: Int) -> Scalar[dtype]:
    """Sum of a row of up to `_PAIRWISE_BLOCK` floats."""
    if converts(row.kind):
        return _pairwise_leaf[dtype](
            row.adjacent(buffer), size_of[Scalar[dtype]](), row.count
        )
    return _pairwise_leaf[dtype](row.address, row.stride, row.count)


def _pairwise_halves[dtype: DType](row: Row, buffer: Int) -> Scalar[dtype]:
    """Sum of a row of floats in NumPy's pairwise order."""
    if row.count <= _PAIRWISE_BLOCK:
        return _pairwise_block[dtype](row, buffer)
    var half = pairwise_half(row.count)
    var left = _pairwise_halves[dtype](row.share(0, half), buffer)
    return left + _pairwise_halves[dtype](
        row.share(half, row.count - half), buffer
    )


@always_inline
def _fold_lanes[
    op: Int, dtype: DType, width: Int
](lanes: SIMD[dtype, width]) -> Scalar[dtype]:
    """Folds the lanes of a vector, half onto half."""
    comptime if width == 1:
        return lanes[0]
    else:
        comptime half = width // 2
        var low = lanes.slice[half]()
        return _fold_lanes[op, dtype, half](
            combine[op](low, lanes.slice[half, offset=half]())
        )


@always_inline
def _sweep_vectors[
    op: Int, dtype: DType, width: Int, chains: Int
](mut at: Int, end: Int, result: Scalar[dtype]) -> Scalar[dtype]:
    """Folds as many groups of `chains` vectors as there are from one address to another."""
    comptime item = size_of[Scalar[dtype]]()
    comptime step = chains * width * item
    if at + step > end:
        return result
    var lanes = Array[SIMD[dtype, width], chains](
        fill=SIMD[dtype, width](identity[op, dtype]())
    )
    var any_nan = SIMD[DType.bool, width](fill=False)
    while at + step <= end:
        comptime for chain in range(chains):
            var value = load[dtype, width](at + chain * width * item)
            comptime if ordered[op, dtype]:
                # One instruction, which loses a nan in its first operand; one more finds any.
                var wins = value.gt(lanes[chain]) if op == MAX else value.lt(
                    lanes[chain]
                )
                any_nan |= isnan(value)
                lanes[chain] = wins.select(value, lanes[chain])
            else:
                lanes[chain] = combine[op](lanes[chain], value)
        at += step
    comptime for chain in range(1, chains):
        lanes[0] = combine[op](lanes[0], lanes[chain])
    comptime if ordered[op, dtype]:
        if any_nan.reduce_or():
            return nan[dtype]()
    return combine[op](result, _fold_lanes[op, dtype, width](lanes[0]))


def sweep[op: Int, dtype: DType](address: Int, count: Int) -> Scalar[dtype]:
    """Folds adjacent elements in any order."""
    comptime item = size_of[Scalar[dtype]]()
    comptime width = simd_width_of[dtype]()
    var at = address
    var end = address + count * item
    var result = _sweep_vectors[op, dtype, width, 4](
        at, end, identity[op, dtype]()
    )
    result = _sweep_vectors[op, dtype, width, 1](at, end, result)
    result = _sweep_vectors[op, dtype, 4, 1](at, end, result)
    return fold[op](result, at, item, (end - at) // item)


def _sum_bytes(address: Int, count: Int) -> UInt64:
    """Sum of adjacent bytes."""
    comptime width = 64
    comptime most = 1 << 7
    var result = UInt64(0)
    var i = 0
    while i + width <= count:
        # Sums of pairs of bytes in 16 bits: `most` steps of at most 2 * 255 fit.
        var sums = SIMD[DType.uint16, width // 2](0)
        var end = min(count - width + 1, i + most * width)
        while i < end:
            var pairs = load[DType.uint16, width // 2](address + i)
            sums += (pairs & 0xFF) + (pairs >> 8)
            i += width
        result += sums.cast[DType.uint64]().reduce_add()
    while i < count:
        result += UInt64(load[DType.uint8](address + i))
        i += 1
    return result


def _count_truths(address: Int, count: Int) -> UInt64:
    """How many adjacent bytes are not 0."""
    comptime width = 64
    comptime most = 255
    var result = UInt64(0)
    var i = 0
    while i + width <= count:
        # Counts in 8 bits: `most` steps fit, and the sum of their lanes in 16.
        var counts = SIMD[DType.uint8, width](0)
        var end = min(count - width + 1, i + most * width)
        while i < end:
            counts += min(load[DType.uint8, width](address + i), 1)
            i += width
        result += UInt64(counts.cast[DType.uint16]().reduce_add())
    while i < count:
        result += UInt64(load[DType.uint8](address + i) != 0)
        i += 1
    return result


@always_inline
def fold_row[
    op: Int, dtype: DType
](start: Scalar[dtype], row: Row, buffer: Int) -> Scalar[dtype]:
    """Folds a row of numbers into a start value, as an inner loop of NumPy's reduction does."""
    comptime if pairwise[op, dtype]:
        if row.count <= _PAIRWISE_BLOCK:
            return start + _pairwise_block[dtype](row, buffer)
        return start + _pairwise_halves[dtype](row, buffer)
    comptime if op == SUM and dtype == DType.uint64:
        if row.kind == BYTES and row.stride == 1:
            return start + rebind[Scalar[dtype]](
                _sum_bytes(row.address, row.count)
            )
        if row.kind == TRUTHS and row.stride == 1:
            return start + rebind[Scalar[dtype]](
                _count_truths(row.address, row.count)
            )
    var result = start
    var at = 0
    while at < row.count:
        var count = row.count - at
        if row.kind != DIRECT:
            count = min(count, BLOCK)
        comptime if can_stop[op]:
            count = min(count, _STRIDE)
        var address = row.share(at, count).adjacent(buffer)
        comptime if in_order[op, dtype]:
            result = fold[op](result, address, size_of[Scalar[dtype]](), count)
        else:
            result = combine[op](result, sweep[op, dtype](address, count))
        at += count
        comptime if can_stop[op]:
            if result == last[op, dtype]():
                break
    return result
