"""The bytecode: what the planner writes and the machine checks and runs.

It is a list of 64-bit words. Each instruction starts with its kind and its length in words. Memory is
named by slots; a table outside the bytecode gives each slot its address, so that the same bytecode
describes the same work on other data.

    ALLOCATE slot nbytes
    FREE     slot
    COPY     destination-slot source-slot nbytes
    GROUP    rank operands steps registers, shape.., operand.., step..
             operand = slot offset itemsize role strides..      (all in bytes)
             step    = opcode source-dtype result-dtype destination a b c
             a reference is a register (>= 0) or operand k (-1 - k)
             an operand whose role is FOLD is reduced: what a step writes there is folded into the
             slot; its offset is a `Fold`, its strides are those of the result, 0 along the axes
             that are reduced
    KERNEL   kernel outputs operands parameters node, operand.., parameter..
             operand = slot offset dtype rank shape.. strides..

An operand whose slot is CONSTANT is the number in its offset word, in the bits of its dtype. There
is no room for complex128: in a GROUP a step joins two constants, and a KERNEL takes none.
"""

from std.bit import count_trailing_zeros

from elementwise.numbers.dtypes import CODE_COUNT
from structured.operands.operand import ITEM_SIZES
from vm.base.raw import load

comptime ALLOCATE = 1
comptime FREE = 2
comptime COPY = 3
comptime GROUP = 4
comptime KERNEL = 5

comptime CONSTANT = -1

comptime GROUP_HEADER = 6
comptime OPERAND_HEADER = 4
comptime STEP_LENGTH = 7
comptime KERNEL_HEADER = 7

comptime READ = 0
comptime WRITE = 1
comptime FOLD = 2

comptime MAX_OPERANDS = 256
comptime MAX_STEPS = 512
comptime MAX_FOLDS = 8
"""Reductions in which a group ends."""

# opcodes of a Value beside the elementwise operations (0..CONVERT - 1)
comptime CONVERT = 200
comptime STORE = 201
comptime PROJECT = 202
comptime FIRST_KERNEL = 256
comptime FIRST_FUNCTION = 1 << 15
"""The elementwise functions of users (functions.mojo) come last."""
comptime FUNCTIONS = 1 << 12
"""How many of them there may be."""

comptime COPY_STEP = -2
"""Opcode of a step that only copies, whatever the dtype."""


struct Fold(TrivialRegisterPassable):
    """Which kernel reduces, the dtype that it reads and that of its result: a word of bytecode."""

    var kernel: Int
    var source: Int
    var result: Int

    def __init__(out self, kernel: Int, source: Int, result: Int):
        self.kernel = kernel
        self.source = source
        self.result = result

    def __init__(out self, *, word: Int):
        self.kernel = word >> 16
        self.source = word >> 8 & 0xFF
        self.result = word & 0xFF

    def word(self) -> Int:
        return self.kernel << 16 | self.source << 8 | self.result


struct FoldShape(TrivialRegisterPassable):
    """The shape of a group as a reduction sees it: `outer` times `length` times `inner` elements, of
    which those along the second are folded."""

    var outer: Int
    var length: Int
    var inner: Int

    def __init__(out self, extents: Int, strides: Int, rank: Int):
        """Reads the lengths of a group's axes and the strides of a result at two addresses.

        The length is -1 if the axes that are reduced do not lie side by side.
        """
        self.outer = 1
        self.length = 1
        self.inner = 1
        for d in range(rank):
            var extent = load(extents, d)
            if extent == 1:
                continue
            var kept = load(strides, d) != 0
            if not kept and self.inner > 1:
                self.length = -1
                return
            if not kept:
                self.length *= extent
            elif self.length == 1:
                self.outer *= extent
            else:
                self.inner *= extent

    def agrees(self, other: Self) -> Bool:
        return (
            self.outer == other.outer
            and self.length == other.length
            and self.inner == other.inner
        )


@always_inline
def itemsize(dtype: Int) -> Int:
    """Bytes of one element of a dtype code; -1 for an unknown code."""
    if dtype < 0 or dtype >= CODE_COUNT:
        return -1
    return 1 << (_ITEM_SIZES >> (4 * dtype) & 0xF)


def _packed_sizes() -> Int:
    """The binary logarithms of the item sizes, four bits each: a table in a register."""
    var packed = 0
    comptime for code in range(CODE_COUNT):
        comptime size = ITEM_SIZES[code]
        packed |= count_trailing_zeros(size) << (4 * code)
    return packed


comptime _ITEM_SIZES = _packed_sizes()
