"""Folds of elements that lie in a block of memory: groups of steps that end in reductions call them.

A group computes its elements block by block (kernels/vm/run/folded.mojo). Here each block is folded
as soon as it is there, by the loops that reduce whole arrays, so that it gives the same bits.
"""
from elementwise.numbers.dtypes import COMPLEX64

from structured.operands.fetch import UNKNOWN, fetch_kind
from structured.operands.operand import is_half, item_size
from structured.reduce.columns import Rows
from structured.reduce.combine import AND, MAX, MIN, OR, PROD, SUM, XOR
from structured.reduce.folds import Folds, folds_of
from structured.reduce.rows import Row

comptime _FLOATS = 9
"""The first dtype code of floats."""


def folds_blocks(op: Int, source: Int, target: Int) -> Bool:
    """Whether blocks of a dtype can be folded apart, with the bits of a fold of all elements.

    Products of floats cannot, whose order is strict, nor sums of what must first be converted to
    floats, which NumPy does in pieces of its own. Halves and complex numbers are not folded here.
    """
    if source >= COMPLEX64 or target >= COMPLEX64:
        return False
    if is_half(source) or is_half(target):
        return False
    if target >= _FLOATS and (source != target or op == PROD):
        return False
    if fetch_kind(source, target, True) == UNKNOWN:
        return False
    return Bool(_folds(op, target))


def _folds(op: Int, target: Int) -> Optional[Folds]:
    comptime OPERATIONS: Array[Int, 7] = [SUM, PROD, MAX, MIN, AND, OR, XOR]
    comptime for index in range(len(OPERATIONS)):
        comptime known = OPERATIONS[index]
        if op == known:
            return folds_of[known](target)
    return None


struct BlockFold(TrivialRegisterPassable):
    """The loops of a fold that `folds_blocks`, found once for many blocks."""

    var folds: Folds
    var along_kind: Int
    """How to fetch along a row."""
    var down_kind: Int
    var source_item: Int
    """Bytes of an element, and of a result."""
    var target_item: Int

    def __init__(out self, op: Int, source: Int, target: Int):
        self.folds = _folds(op, target).value()
        self.along_kind = fetch_kind(source, target, True)
        self.down_kind = fetch_kind(source, target, False)
        self.source_item = item_size(source)
        self.target_item = item_size(target)

    def rows(self, to: Int, address: Int, length: Int, rows: Int):
        """Folds adjacent rows of adjacent elements, each into one of adjacent results."""
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
