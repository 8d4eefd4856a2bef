"""Copies of one matrix of a batch between an operand and scratch memory."""
from structured.movement.copy import Moves, moves_of, settle
from structured.operands.nest import Nest
from structured.operands.operand import Operand, load, store
from structured.linalg.scratch import fill_nan

comptime _SMALL = 256
"""Elements up to which a matrix is copied by the simplest loops."""


struct Small(TrivialRegisterPassable):
    """The copy of matrices so small that preparing better loops would take longer."""

    var rows: Int
    """0 for matrices that are not small."""
    var columns: Int
    var target_row: Int
    var target_column: Int
    var source_row: Int
    var source_column: Int
    var item: Int

    def __init__(out self, nest: Nest[2], item: Int):
        self.rows = 1
        self.columns = 1
        self.target_row = 0
        self.target_column = 0
        self.source_row = 0
        self.source_column = 0
        self.item = item
        if nest.rank > 0:
            self.columns = nest.sizes[nest.rank - 1]
            self.target_column = nest.stride(0, nest.rank - 1)
            self.source_column = nest.stride(1, nest.rank - 1)
        if nest.rank > 1:
            self.rows = nest.sizes[0]
            self.target_row = nest.stride(0, 0)
            self.source_row = nest.stride(1, 0)
        if self.rows * self.columns > _SMALL:
            self.rows = 0

    @always_inline
    def _copy[cell: DType](self, target: Int, source: Int):
        """Copies one matrix with elements of one size."""
        for row in range(self.rows):
            var to = target + row * self.target_row
            var frm = source + row * self.source_row
            for column in range(self.columns):
                store(
                    to + column * self.target_column,
                    load[cell](frm + column * self.source_column),
                )

    def run(self, target: Int, source: Int):
        """Copies one matrix."""
        if self.item == 8:
            self._copy[DType.uint64](target, source)
        elif self.item == 4:
            self._copy[DType.uint32](target, source)
        else:
            self._copy[DType.uint128](target, source)


struct Transfer(Copyable):
    """The copy of one operand's matrix to a region of a frame, or back."""

    var operand: Int
    var region: Int
    var bytes: Int
    """Of the region."""
    var code: Int
    var nest: Nest[2]
    """Offsets from the first elements of target and source."""
    var tiled: Bool
    var moves: Moves
    var small: Small

    def __init__(
        out self,
        operand: Operand,
        index: Int,
        region: Int,
        axes: Int,
        leading: Int,
        out_: Bool,
    ):
        self.operand = index
        self.region = region
        self.code = operand.dtype
        var item = operand.item_size()
        self.moves = moves_of(item)
        self.nest = Nest[2]([0, 0])
        var inside = item
        for axis in range(axes, operand.rank):
            var stride = operand.stride(axis)
            if out_:
                self.nest.push(operand.size(axis), [stride, inside])
            else:
                self.nest.push(operand.size(axis), [inside, stride])
            inside *= leading
        self.bytes = item
        for axis in range(axes, operand.rank):
            self.bytes *= operand.size(axis)
        self.tiled = False
        if not self.nest.empty:
            self.tiled = settle(self.nest, item)
        self.small = Small(self.nest, item)

    def run(self, target: Int, source: Int):
        """Copies one matrix."""
        if self.nest.empty:
            return
        if self.small.rows > 0:
            self.small.run(
                target + self.nest.bases[0], source + self.nest.bases[1]
            )
            return
        var nest = self.nest.copy()
        nest.bases[0] += target
        nest.bases[1] += source
        self.moves.nest(nest, self.tiled)

    def blank(self, frame: Int):
        """Fills the region with nan; integers stay."""
        fill_nan(frame + self.region, self.code, self.bytes)
