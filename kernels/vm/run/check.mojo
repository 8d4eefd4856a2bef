"""The checker: whether bytecode can run without touching memory that is not its own.

It looks at every word that the machine takes as a place, a length or a dtype. What an instruction
means is its kernel's business: kernels refuse params and shapes that make no sense.
"""

from elementwise.numbers.dtypes import COMPLEX128
from elementwise.dispatch.operations import (
    OPERATION_COUNT,
    SELECT_N,
    facts_of,
    result_code,
)
from structured.operands.operand import MAX_RANK
from vm.base.functions import Functions
from vm.base.memory import LARGEST
from vm.base.parts import folds_blocks, folds_columns, kernel_count
from vm.base.bytecode import (
    ALLOCATE,
    CONSTANT,
    CONVERT,
    COPY,
    COPY_STEP,
    FIRST_FUNCTION,
    FOLD,
    FREE,
    Fold,
    FoldShape,
    GROUP,
    GROUP_HEADER,
    KERNEL,
    KERNEL_HEADER,
    MAX_FOLDS,
    MAX_OPERANDS,
    MAX_STEPS,
    OPERAND_HEADER,
    READ,
    STEP_LENGTH,
    WRITE,
    itemsize,
)
from vm.base.raw import Words

comptime MOST_OPERANDS = MAX_OPERANDS + MAX_STEPS
"""Of a group: those it reads, and one for each result that goes to memory."""
comptime MAX_REGISTERS = MAX_STEPS
comptime EMPTY = -1
"""The size of a slot that has no memory."""


struct Checker(Movable):
    """What is known of the slots while the bytecode is walked through."""

    var sizes: List[Int]
    """Bytes of each slot's memory, or EMPTY."""
    var work: Int
    """Elements that the bytecode looks at, a measure of how long it runs."""
    var functions: Functions
    var kernels: Int
    """How many structured kernels there are."""

    def __init__(out self, functions: Functions):
        self.kernels = kernel_count()
        self.sizes = List[Int]()
        self.work = 0
        self.functions = functions

    def begin(mut self):
        """Forgets all slots."""
        self.sizes.clear()
        self.work = 0

    def add_slot(mut self, size: Int):
        """Adds a slot: a leaf's with its size in bytes, or EMPTY."""
        self.sizes.append(size)

    def accepts(mut self, bytecode: List[Int64]) -> Bool:
        """Whether the bytecode may run on slots of these sizes."""
        var base = Words(unsafe_from_address=Int(bytecode.unsafe_ptr()))
        var at = 0
        var end = len(bytecode)
        while at < end:
            if end - at < 3:
                return False
            var length = Int(base[unsafe_offset=at + 1])
            if length < 3 or length > end - at:
                return False
            var words = base.unsafe_offset(at)
            if not self._accepts_one(words, length):
                return False
            if Int(words[unsafe_offset=0]) == ALLOCATE:
                # there is no such memory: the machine stops here
                if Int(words[unsafe_offset=3]) > LARGEST:
                    return True
            at += length
        return True

    def _accepts_one(mut self, words: Words, length: Int) -> Bool:
        var kind = Int(words[unsafe_offset=0])
        if kind == GROUP:
            return length >= GROUP_HEADER and self._group(words, length)
        if kind == KERNEL:
            return length >= KERNEL_HEADER and self._kernel(words, length)
        if kind == ALLOCATE:
            return length == 4 and self._allocate(words)
        if kind == FREE:
            return length == 3 and self._free(words)
        if kind == COPY:
            return length == 5 and self._copy(words)
        return False

    @always_inline
    def _slot(self, words: Words, at: Int) -> Int:
        """The number of a slot that there is, or -1."""
        var slot = Int(words[unsafe_offset=at])
        return slot if 0 <= slot < len(self.sizes) else -1

    def _allocate(mut self, words: Words) -> Bool:
        var slot = self._slot(words, 2)
        var nbytes = Int(words[unsafe_offset=3])
        if slot < 0 or self.sizes[slot] != EMPTY:
            return False
        if nbytes < 0:
            return False
        self.sizes[slot] = nbytes
        return True

    def _free(mut self, words: Words) -> Bool:
        var slot = self._slot(words, 2)
        if slot < 0 or self.sizes[slot] == EMPTY:
            return False
        self.sizes[slot] = EMPTY
        return True

    def _copy(mut self, words: Words) -> Bool:
        var target = self._slot(words, 2)
        var source = self._slot(words, 3)
        var nbytes = Int(words[unsafe_offset=4])
        if target < 0 or source < 0 or nbytes < 0:
            return False
        self.work += nbytes
        return nbytes <= self.sizes[target] and nbytes <= self.sizes[source]

    # -- groups

    def _group(mut self, words: Words, length: Int) -> Bool:
        var rank = Int(words[unsafe_offset=2])
        var operands = Int(words[unsafe_offset=3])
        var steps = Int(words[unsafe_offset=4])
        var registers = Int(words[unsafe_offset=5])
        if not 0 <= rank <= MAX_RANK or not 0 <= operands <= MOST_OPERANDS:
            return False
        if not 0 <= steps <= MAX_STEPS or not 0 <= registers <= MAX_REGISTERS:
            return False
        var first_step = (
            GROUP_HEADER + rank + operands * (OPERAND_HEADER + rank)
        )
        if length != first_step + steps * STEP_LENGTH:
            return False
        var size = element_count(words, GROUP_HEADER, rank)
        if size < 0:
            return False
        self.work += size * (steps + operands)
        var widest = 8
        for k in range(steps):
            var step = words.unsafe_offset(first_step + k * STEP_LENGTH)
            if not accepts_step(
                words, step, rank, operands, registers, self.functions
            ):
                return False
            # the registers of such a group are wide
            if (
                step[unsafe_offset=1] == COMPLEX128
                or step[unsafe_offset=2] == COMPLEX128
            ):
                widest = 16
        for k in range(operands):
            var at = GROUP_HEADER + rank + k * (OPERAND_HEADER + rank)
            if Int(words[unsafe_offset=at + 2]) > widest:
                return False
            if not self._group_operand(words, at, rank):
                return False
        return accepts_folds(words, rank, operands)

    def _group_operand(self, words: Words, at: Int, rank: Int) -> Bool:
        var width = Int(words[unsafe_offset=at + 2])
        var role = Int(words[unsafe_offset=at + 3])
        if role == FOLD:
            return self._fold(words, at, rank)
        if role != READ and role != WRITE:
            return False
        if not is_width(width):
            return False
        var strides = at + OPERAND_HEADER
        if Int(words[unsafe_offset=at]) == CONSTANT:
            if role == WRITE or width > 8:
                return False
            for d in range(rank):
                if words[unsafe_offset=strides + d] != 0:
                    return False
            return True
        return self._inside(
            words, at, GROUP_HEADER, strides, rank, width, role == WRITE
        )

    def _fold(self, words: Words, at: Int, rank: Int) -> Bool:
        """Whether a result can be folded, and lies in C order from the start of its slot."""
        var fold = Fold(word=Int(words[unsafe_offset=at + 1]))
        var slot = self._slot(words, at)
        if slot < 0 or self.sizes[slot] == EMPTY:
            return False
        if not 0 <= fold.kernel < self.kernels or not folds_blocks(fold):
            return False
        if Int(words[unsafe_offset=at + 2]) != itemsize(fold.source):
            return False
        var stride = itemsize(fold.result)
        for d in reversed(range(rank)):
            var own = Int(words[unsafe_offset=at + OPERAND_HEADER + d])
            if own == 0:
                continue
            if own != stride:
                return False
            stride *= Int(words[unsafe_offset=GROUP_HEADER + d])
        return stride <= self.sizes[slot]

    # -- kernels

    def _kernel(mut self, words: Words, length: Int) -> Bool:
        var kernel = Int(words[unsafe_offset=2])
        var outputs = Int(words[unsafe_offset=3])
        var operands = Int(words[unsafe_offset=4])
        var params = Int(words[unsafe_offset=5])
        if not 0 <= kernel < self.kernels or not 1 <= outputs <= operands:
            return False
        if operands > length or not 0 <= params <= length:
            return False
        var at = KERNEL_HEADER
        for k in range(operands):
            if length - at < OPERAND_HEADER:
                return False
            var rank = Int(words[unsafe_offset=at + 3])
            if not 0 <= rank <= MAX_RANK:
                return False
            var next = at + OPERAND_HEADER + 2 * rank
            if next > length:
                return False
            if not self._kernel_operand(words, at, rank, k < outputs):
                return False
            at = next
        return at + params == length

    def _kernel_operand(
        mut self, words: Words, at: Int, rank: Int, writes: Bool
    ) -> Bool:
        var width = itemsize(Int(words[unsafe_offset=at + 2]))
        if width < 0:
            return False
        if Int(words[unsafe_offset=at]) == CONSTANT:
            return rank == 0 and not writes and width <= 8
        var shape = at + OPERAND_HEADER
        var size = element_count(words, shape, rank)
        if size < 0:
            return False
        self.work += size
        return self._inside(words, at, shape, shape + rank, rank, width, writes)

    # -- memory

    def _inside(
        self,
        words: Words,
        at: Int,
        shape: Int,
        strides: Int,
        rank: Int,
        width: Int,
        writes: Bool,
    ) -> Bool:
        """Whether all elements lie inside of the slot's memory, and none is written twice."""
        var slot = self._slot(words, at)
        if slot < 0 or self.sizes[slot] == EMPTY:
            return False
        var low = Int(words[unsafe_offset=at + 1])
        if abs(low) > LARGEST:
            return False
        if element_count(words, shape, rank) == 0:
            return True
        var high = low + width
        for d in range(rank):
            var extent = Int(words[unsafe_offset=shape + d])
            var stride = Int(words[unsafe_offset=strides + d])
            if extent == 1:
                continue
            if stride == 0 and writes:
                return False
            if abs(stride) > LARGEST // (extent - 1):
                return False
            var reach = stride * (extent - 1)
            low += min(reach, 0)
            high += max(reach, 0)
        return low >= 0 and high <= self.sizes[slot]


def is_width(width: Int) -> Bool:
    """Whether elements can have this many bytes."""
    return width == 1 or width == 2 or width == 4 or width == 8 or width == 16


def element_count(words: Words, shape: Int, rank: Int) -> Int:
    """The elements of a shape, -1 for one that cannot be."""
    var size = 1
    for d in range(rank):
        var extent = Int(words[unsafe_offset=shape + d])
        if extent < 0 or extent > LARGEST:
            return -1
        if extent == 0:
            return 0
        if size > LARGEST // extent:
            return -1
        size *= extent
    return size


# -- the reductions and the steps of a group


def accepts_folds(group: Words, rank: Int, operands: Int) -> Bool:
    """Whether all reductions of a group are over the same axes, which lie side by side."""
    var folds = 0
    var first = FoldShape(0, 0, 0)
    for k in range(operands):
        var at = GROUP_HEADER + rank + k * (OPERAND_HEADER + rank)
        if Int(group[unsafe_offset=at + 3]) != FOLD:
            continue
        var extents = Int(group.unsafe_offset(GROUP_HEADER))
        var strides = Int(group.unsafe_offset(at + OPERAND_HEADER))
        var shape = FoldShape(extents, strides, rank)
        if shape.length < 1:
            return False
        if folds > 0 and not shape.agrees(first):
            return False
        var fold = Fold(word=Int(group[unsafe_offset=at + 1]))
        if shape.inner > 1 and not folds_columns(fold):
            return False
        first = shape
        folds += 1
    return folds <= MAX_FOLDS


def accepts_step(
    group: Words,
    step: Words,
    rank: Int,
    operands: Int,
    registers: Int,
    functions: Functions,
) -> Bool:
    """Whether a step's operation exists for its dtypes and its references for the group."""
    var opcode = Int(step[unsafe_offset=0])
    var source = Int(step[unsafe_offset=1])
    var result = Int(step[unsafe_offset=2])
    if itemsize(source) < 0 or itemsize(result) < 0:
        return False
    var arity = 1
    var first = source
    if opcode == COPY_STEP:
        if source != result:
            return False
    elif opcode == CONVERT:
        pass
    elif 0 <= opcode < OPERATION_COUNT:
        if result != result_code(opcode, source):
            return False
        arity = facts_of(opcode).arity()
        if opcode == SELECT_N:
            first = 0  # the mask
    elif opcode >= FIRST_FUNCTION:
        var function = functions[opcode]
        if result != function.result(source):
            return False
        arity = function.arity
    else:
        return False
    var out = Int(step[unsafe_offset=3])
    if not accepts_reference(
        group, out, rank, operands, registers, itemsize(result), WRITE
    ):
        return False
    for k in range(arity):
        var width = itemsize(first if k == 0 else source)
        if not accepts_reference(
            group,
            Int(step[unsafe_offset=4 + k]),
            rank,
            operands,
            registers,
            width,
            READ,
        ):
            return False
    return True


def accepts_reference(
    group: Words,
    reference: Int,
    rank: Int,
    operands: Int,
    registers: Int,
    width: Int,
    role: Int,
) -> Bool:
    """Whether a register or operand is there, with elements of this width, for this role."""
    if reference >= 0:
        return reference < registers
    var k = -1 - reference
    if k >= operands:
        return False
    var at = GROUP_HEADER + rank + k * (OPERAND_HEADER + rank)
    if Int(group[unsafe_offset=at + 2]) != width:
        return False
    return role == READ or Int(group[unsafe_offset=at + 3]) != READ
