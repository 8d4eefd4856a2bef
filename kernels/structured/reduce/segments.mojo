"""Segments of an axis, and folding each into one number."""
from std.memory import stack_allocation

from structured.operands.fetch import BLOCK, converts, fetch, fetch_kind
from structured.operands.operand import Call, Operand, load, store
from structured.reduce.combine import SUM, pairwise
from structured.reduce.complex_folds import complex_into_each
from structured.reduce.rows import Row, fold, fold_row

comptime _SHORT = 8
"""Elements below which a sum has no order of NumPy's own, and vectors do not pay."""


struct Segments(TrivialRegisterPassable):
    """Where segments start, and how their elements are read."""

    var starts: Operand
    var count: Int
    var size: Int
    """Elements along the axis."""
    var stride: Int
    """Bytes from one to the next."""
    var target_stride: Int
    var kind: Int
    """How elements are fetched."""

    def __init__(out self, out_: Operand, x: Operand, call: Call):
        var axis = call.param(0)
        self.starts = call.operand(2)
        self.count = self.starts.size(0)
        self.size = x.size(axis)
        self.stride = x.stride(axis)
        self.target_stride = out_.stride(axis)
        self.kind = fetch_kind(
            x.dtype, out_.dtype, self.stride == x.item_size()
        )

    @always_inline
    def start(self, index: Int) -> Int:
        """Where a segment starts; the end for what would be the next after the last."""
        if index == self.count:
            return self.size
        return Int(
            load[DType.int64](
                self.starts.address + index * self.starts.stride(0)
            )
        )

    def bad(self) -> Optional[Int]:
        """The first start that is no place of the axis."""
        for index in range(self.count):
            if not 0 <= self.start(index) < self.size:
                return self.start(index)
        return None

    @always_inline
    def row(self, address: Int, count: Int) -> Row:
        """Some elements from an address on."""
        return Row(address, self.stride, count, self.kind)


@always_inline
def _folded[
    op: Int, dtype: DType
](segments: Segments, source: Int, count: Int, buffer: Int) -> Scalar[dtype]:
    """Folds the elements behind the first into that one."""
    var first: Scalar[dtype]
    var changed = converts(segments.kind)
    if changed:
        first = load[dtype](
            fetch(segments.kind, buffer, source, segments.stride, 1)
        )
    else:
        first = load[dtype](source)
    var rest = source + segments.stride
    if count > _SHORT or changed:
        return fold_row[op](first, segments.row(rest, count - 1), buffer)
    comptime if pairwise[op, dtype]:
        var start = Scalar[dtype](-0.0)
        return first + fold[SUM](start, rest, segments.stride, count - 1)
    return fold[op](first, rest, segments.stride, count - 1)


def into_segments[
    op: Int, dtype: DType
](segments: Segments, line: Int, target: Int, first: Int, end: Int):
    """`Folds.into_segments` for one operation and dtype."""
    var buffer = Int(stack_allocation[BLOCK, dtype, alignment=64]())
    var start = segments.start(first)
    for index in range(first, end):
        var next = segments.start(index + 1)
        var count = max(next - start, 1)
        store(
            target + index * segments.target_stride,
            _folded[op, dtype](
                segments, line + start * segments.stride, count, buffer
            ),
        )
        start = next


def complex_into_segments[
    op: Int, part: DType
](segments: Segments, line: Int, target: Int, first: Int, end: Int):
    """`Folds.into_segments` for complex numbers."""
    var start = segments.start(first)
    for index in range(first, end):
        var next = segments.start(index + 1)
        var source = line + start * segments.stride
        var place = target + index * segments.target_stride
        store(place, load[part, 2](source))
        if next > start + 1:
            var row = segments.row(source + segments.stride, next - start - 1)
            complex_into_each[op, part](place, 0, row, 0, 1, False)
        start = next
