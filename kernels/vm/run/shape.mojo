"""The iteration shape of a GROUP, and how each operand lies in it."""

from vm.base.bytecode import GROUP_HEADER, OPERAND_HEADER
from vm.base.raw import Words
from structured.operands.operand import MAX_RANK

comptime DIRECT = 0
"""Elements lie one after another in the group's order."""
comptime ROWS = 1
"""Each row's elements lie one after another."""
comptime SPLAT = 2
"""One element for all."""
comptime PACKED = 3
comptime FOLDED = 4
"""Elements are reduced block by block, and never in memory."""
comptime PANEL = 5
"""The operand is transposed: several rows of it are packed at once, so that cache lines are used whole."""


struct Shape(Movable):
    """The group's iteration shape and its operands' strides, adjacent axes merged where possible."""

    var rank: Int
    var extents: Array[Int, MAX_RANK]
    var axes: Array[Int, MAX_RANK]
    """The original axis whose stride each merged axis has."""

    def __init__(out self, group: Words):
        self.rank = 0
        self.extents = Array[Int, MAX_RANK](uninitialized=True)
        self.axes = Array[Int, MAX_RANK](uninitialized=True)
        var rank = Int(group[unsafe_offset=2])
        var operands = Int(group[unsafe_offset=3])
        for d in range(rank):
            var extent = Int(group[unsafe_offset=GROUP_HEADER + d])
            if extent == 1:
                continue
            if self.rank > 0 and merges(
                group, rank, operands, self.axes[self.rank - 1], d, extent
            ):
                self.extents[self.rank - 1] *= extent
                self.axes[self.rank - 1] = d
            else:
                self.extents[self.rank] = extent
                self.axes[self.rank] = d
                self.rank += 1

    def size(self) -> Int:
        var size = 1
        for d in range(self.rank):
            size *= self.extents[d]
        return size


@always_inline
def stride_of(group: Words, rank: Int, k: Int, axis: Int) -> Int:
    var operand = GROUP_HEADER + rank + k * (OPERAND_HEADER + rank)
    return Int(group[unsafe_offset=operand + OPERAND_HEADER + axis])


def merges(
    group: Words, rank: Int, operands: Int, outer: Int, inner: Int, extent: Int
) -> Bool:
    """Whether two axes are one for every operand: a step outside is a full run inside."""
    for k in range(operands):
        if stride_of(group, rank, k, outer) != extent * stride_of(
            group, rank, k, inner
        ):
            return False
    return True


struct Source(Copyable, Movable):
    """An operand while the group runs."""

    var address: Int
    var itemsize: Int
    var mode: Int
    var writes: Bool
    var inner: Int
    """Byte stride of the innermost axis."""
    var scratch: Int
    """Its place in a thread's scratch memory, in registers."""

    def __init__(out self, address: Int, itemsize: Int, writes: Bool):
        self.address = address
        self.itemsize = itemsize
        self.mode = DIRECT
        self.writes = writes
        self.inner = 0
        self.scratch = 0
