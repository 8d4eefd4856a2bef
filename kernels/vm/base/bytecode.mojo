"""The flat program: what the planner writes and the machine checks and runs.

A program is a list of 64-bit words. Each instruction starts with its kind and its length in words.
Memory is named by slots; a table outside the program gives each slot its address, so that the same
program describes the same work on other data.

    ALLOCATE slot nbytes
    FREE     slot
    COPY     destination-slot source-slot nbytes
    GROUP    rank operands steps registers, shape.., operand.., step..
             operand = slot offset itemsize role strides..      (all in bytes)
             step    = opcode source-dtype result-dtype destination a b c
             a reference is a register (>= 0) or operand k (-1 - k)
    KERNEL   kernel outputs operands parameters node, operand.., parameter..
             operand = slot offset dtype rank shape.. strides..

An operand whose slot is CONSTANT is the number in its offset word, in the bits of its dtype. There
is no room for complex128: in a GROUP a step joins two constants, and a KERNEL takes none.
"""

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

comptime MAX_RANK = 32
comptime MAX_OPERANDS = 48
comptime MAX_STEPS = 104

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


@always_inline
def itemsize(dtype: Int) -> Int:
    """Bytes of one element of a dtype code; -1 for an unknown code."""
    if dtype < 0 or dtype > 14:
        return -1
    # bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128: log2 in hexadecimal digits
    return 1 << ((0x433211321032100 >> (4 * dtype)) & 0xF)
