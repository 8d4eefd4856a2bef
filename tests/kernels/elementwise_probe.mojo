"""The elementwise loops as a C library, for the tests."""

from elementwise.loops import convert, run
from elementwise.operations import OPERATION_COUNT, OPERATIONS


@export
def elementwise_run(
    op: Int, dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int
) abi("C") -> Bool:
    """`loops.run`."""
    return run(op, dtype, dst, a, b, c, n)


@export
def elementwise_names(dst: Int) abi("C") -> Int:
    """Writes the operations' names, each followed by a space; their length."""
    var to = Pointer[UInt8, MutUntrackedOrigin](unsafe_from_address=dst)
    var length = 0
    comptime for op in range(OPERATION_COUNT):
        comptime name = OPERATIONS[op].name
        for byte in name.as_bytes():
            to[unsafe_offset=length] = byte
            length += 1
        to[unsafe_offset=length] = 32
        length += 1
    return length


@export
def elementwise_convert(
    src_dtype: Int, dst_dtype: Int, dst: Int, src: Int, n: Int
) abi("C") -> Bool:
    """`loops.convert`."""
    return convert(src_dtype, dst_dtype, dst, src, n)
