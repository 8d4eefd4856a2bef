"""Folds of elements that lie in a block of memory: groups of steps that end in reductions call them.

A group computes its elements block by block (kernels/vm/run/folded.mojo). Here each block is folded
as soon as it is there, by the loops that reduce whole arrays, so that it gives the same bits.
"""
from elementwise.numbers.dtypes import COMPLEX64

from std.memory import stack_allocation
from structured.operands.fetch import DIRECT, UNKNOWN, fetch_kind
from structured.operands.memory import move_bytes
from structured.operands.operand import INT64, is_half, item_size, load, store
from structured.reduce.columns import Rows
from structured.reduce.combine import (
    AND,
    FMAX,
    FMIN,
    MAX,
    MIN,
    OR,
    PROD,
    SUM,
    XOR,
)
from structured.reduce.folds import Folds, folds_of
from structured.reduce.rows import Row
from structured.search.arg import Args, args_of

comptime ARGMAX = -1
"""Beside the operations of `combine.mojo`: the place of the largest element."""
comptime ARGMIN = -2
comptime NONE = -3
"""No operation that folds."""
comptime PARTIAL = 16
"""Bytes of a partial result: a result, or the best element and, in the last 8, its place."""
comptime _PLACE = 8
comptime _FLOATS = 9
"""The first dtype code of floats."""


def folds_blocks(op: Int, source: Int, target: Int) -> Bool:
    """Whether blocks of a dtype can be folded apart, with the bits of a fold of all elements.

    Products of floats cannot, whose order is strict, nor sums of what must first be converted to
    floats, which NumPy does in pieces of its own. Halves and complex numbers are not folded here.
    The places of the largest or smallest elements are found, too, but along rows only.
    """
    if source >= COMPLEX64 or target >= COMPLEX64:
        return False
    if is_half(source) or is_half(target):
        return False
    if op < 0:
        return op != NONE and target == INT64 and Bool(_args(op, source))
    if target >= _FLOATS and (source != target or op == PROD):
        return False
    if fetch_kind(source, target, True) == UNKNOWN:
        return False
    return Bool(_folds(op, target))


def _folds(op: Int, target: Int) -> Optional[Folds]:
    comptime OPERATIONS: Array[Int, 9] = [
        SUM,
        PROD,
        MAX,
        MIN,
        AND,
        OR,
        XOR,
        FMAX,
        FMIN,
    ]
    comptime for index in range(len(OPERATIONS)):
        comptime known = OPERATIONS[index]
        if op == known:
            return folds_of[known](target)
    return None


def _args(op: Int, source: Int) -> Optional[Args]:
    return args_of[MAX](source) if op == ARGMAX else args_of[MIN](source)


struct BlockFold(TrivialRegisterPassable):
    """The loops of a fold that `folds_blocks`, found once for many blocks.

    What parts of a row give are partials, `PARTIAL` bytes each; results are made of them. Columns are not
    searched.
    """

    var searches: Bool
    """Whether it is the place of an element that is looked for."""
    var args: Args
    var folds: Folds
    var along_kind: Int
    """How to fetch along a row."""
    var down_kind: Int
    var partial_kind: Int
    """How to fetch from partials."""
    var source_item: Int
    """Bytes of an element, and of a result."""
    var target_item: Int

    def __init__(out self, op: Int, source: Int, target: Int):
        self.searches = op < 0
        # whichever is not used is any
        self.args = _args(op, source if self.searches else INT64).value()
        self.folds = _folds(MAX if self.searches else op, target).value()
        self.along_kind = fetch_kind(source, target, True)
        self.down_kind = fetch_kind(source, target, False)
        var kept = source if self.searches else target
        self.partial_kind = fetch_kind(kept, kept, False)
        self.source_item = item_size(source)
        self.target_item = item_size(target)

    def rows(self, to: Int, address: Int, length: Int, rows: Int):
        """Folds adjacent rows of adjacent elements, each into one of adjacent results."""
        if self.searches:
            var row = Row(address, self.source_item, length, DIRECT)
            self.args.rows(to, row, length * self.source_item, rows)
            return
        self.folds.into_each(
            to,
            self.target_item,
            Row(address, self.source_item, length, self.along_kind),
            length * self.source_item,
            rows,
            True,
        )

    def columns(
        self, to: Int, address: Int, columns: Int, rows: Int, fresh: Bool
    ):
        """Folds adjacent rows of adjacent elements into one row of adjacent results, which start from
        what they hold, or afresh."""
        var row = Row(address, self.source_item, columns, self.along_kind)
        var stride = columns * self.source_item
        self.folds.into_row(
            to, self.target_item, Rows(row, stride, rows, self.down_kind), fresh
        )

    def part(self, partial: Int, address: Int, count: Int, place: Int):
        """Folds adjacent elements, which begin at a place of a row, into a partial."""
        if not self.searches:
            self.rows(partial, address, count, 1)
            return
        var row = Row(address, self.source_item, count, DIRECT)
        var found = place + self.args.row(row, partial)
        store(partial + _PLACE, Int64(found))

    def join(self, partial: Int, partials: Int, count: Int):
        """Folds adjacent partials into one."""
        var row = Row(partials, PARTIAL, count, self.partial_kind)
        if self.searches:
            var room = Int(stack_allocation[1, DType.uint128]())
            var best = self.args.row(row, room)
            move_bytes(partial, partials + PARTIAL * best, PARTIAL)
            return
        self.folds.into_one(partial, row, True)

    def result(self, to: Int, partial: Int):
        """Writes the result that a partial is."""
        move_bytes(
            to,
            partial + _PLACE if self.searches else partial,
            self.target_item,
        )
