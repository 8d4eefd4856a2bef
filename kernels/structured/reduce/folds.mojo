"""The compiled loops of reductions: one set for each operation and dtype."""
from elementwise.numbers.dtypes import COMPLEX64, dtype_code
from std.memory import stack_allocation
from std.sys import size_of

from structured.reduce.combine import (
    ALL,
    AND,
    ANY,
    OR,
    SUM,
    Operation,
    can_stop,
    computed_as,
    has_loops,
    identity,
    in_order,
    last,
    pairwise,
)
from structured.reduce.complex_folds import (
    complex_into_each,
    complex_into_row,
    complex_reset,
)
from structured.movement.copy import fill_row
from structured.operands.fetch import BLOCK
from structured.operands.operand import (
    BOOL,
    NUMBERS,
    PARTS,
    load,
    store,
)
from structured.reduce.columns import Rows, into_row
from structured.reduce.rows import Row, are_short, fold_row, sums_of_eight
from structured.reduce.segments import (
    Segments,
    complex_into_segments,
    into_segments,
)


def _into_each[
    op: Int, dtype: DType
](
    target: Int,
    target_stride: Int,
    row: Row,
    row_stride: Int,
    count: Int,
    fresh: Bool,
):
    """`Folds.into_each` for one operation and dtype."""
    var buffer = Int(stack_allocation[BLOCK, dtype, alignment=64]())
    var here = row
    var done = 0
    comptime if pairwise[op, dtype]:
        comptime item = size_of[Scalar[dtype]]()
        if target_stride == item and are_short(row, item):
            done = count // 8 * 8
            for i in range(0, done, 8):
                var place = target + i * item
                var start = SIMD[dtype, 8](identity[op, dtype]())
                if not fresh:
                    start = load[dtype, 8](place)
                store(
                    place,
                    start
                    + sums_of_eight[dtype](here.address, row_stride, row.count),
                )
                here.address += 8 * row_stride
    for i in range(done, count):
        var place = target + i * target_stride
        var start = identity[op, dtype]()
        if not fresh:
            start = load[dtype](place)
        store(place, fold_row[op](start, here, buffer))
        here.address += row_stride


def _reset[op: Int, dtype: DType](target: Int, count: Int):
    """`Folds.reset` for one operation and dtype."""
    fill_row(target, identity[op, dtype](), count)


def _is_last[op: Int, dtype: DType](result: Int) -> Bool:
    """`Folds.is_last` for one operation and dtype."""
    comptime if can_stop[op]:
        return load[dtype](result) == last[op, dtype]()
    return False


struct Folds(TrivialRegisterPassable):
    """The compiled loops of one reduction and dtype."""

    var into_each: def(
        target: Int,
        target_stride: Int,
        row: Row,
        row_stride: Int,
        count: Int,
        fresh: Bool,
    ) thin -> None
    """Folds rows each into its own target, starting from what it holds, or afresh."""
    var into_row: def(
        target: Int, target_stride: Int, rows: Rows, fresh: Bool
    ) thin -> None
    """Folds rows, in their order, into a target row; fresh as above."""
    var into_segments: def(
        segments: Segments, line: Int, target: Int, first: Int, end: Int
    ) thin -> None
    """Folds the segments of a line from one number to another, each into its own target."""
    var reset: def(target: Int, count: Int) thin -> None
    """Sets adjacent results to the identity."""
    var is_last: def(result: Int) thin -> Bool
    """Whether no further element can change the result at an address."""
    var in_order: Bool
    """Whether a row must be folded from its first to its last element."""
    var pairwise: Bool
    """Whether the bits depend on how many elements an inner loop of NumPy's takes."""

    def __init__[op: Int, dtype: DType](out self, *, of: Operation[op, dtype]):
        self.into_each = _into_each[op, dtype]
        self.into_row = into_row[op, dtype]
        self.into_segments = into_segments[op, dtype]
        self.reset = _reset[op, dtype]
        self.is_last = _is_last[op, dtype]
        self.in_order = in_order[op, dtype]
        self.pairwise = pairwise[op, dtype]

    def __init__[
        op: Int, part: DType
    ](out self, *, of_complex: Operation[op, part]):
        self.into_each = complex_into_each[op, part]
        self.into_row = complex_into_row[op, part]
        self.into_segments = complex_into_segments[op, part]
        self.reset = complex_reset[op, part]
        self.is_last = _is_last[op, part]
        self.in_order = True
        self.pairwise = op == SUM

    @always_inline
    def into_one(self, target: Int, row: Row, fresh: Bool):
        """Folds one row into a target."""
        self.into_each(target, 0, row, 0, 1, fresh)


def folds_of[op: Int](code: Int) -> Optional[Folds]:
    """The loops for results of a dtype code."""
    comptime if op == OR:
        if code == BOOL:
            return Folds(of=Operation[ANY, DType.uint8]())
    comptime if op == AND:
        if code == BOOL:
            return Folds(of=Operation[ALL, DType.uint8]())
    var compute = computed_as[op](code)
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        comptime if has_loops[op, dtype]:
            if compute == dtype_code(dtype):
                return Folds(of=Operation[op, dtype]())
    comptime if op < AND:
        comptime for index in range(len(PARTS)):
            if code == COMPLEX64 + index:
                return Folds(of_complex=Operation[op, PARTS[index]]())
    return None
