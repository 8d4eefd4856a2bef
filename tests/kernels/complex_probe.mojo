"""The complex loops as a C library, for the tests."""

from elementwise.complex_loops import convert_complex, join, run_complex
from elementwise.dtypes import COMPLEX64
from elementwise.operations import NAMES, opcode, result_code


@export
def complex_run(
    op: Int, dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int
) abi("C") -> Bool:
    """`run_complex`, or `join` for real operands."""
    if dtype < COMPLEX64:
        comptime join_code = opcode("complex")
        return op == join_code and join[join_code](dtype, dst, a, b, n)
    return run_complex(op, dtype, dst, a, b, c, n)


@export
def complex_convert(
    src_dtype: Int, dst_dtype: Int, dst: Int, src: Int, n: Int
) abi("C") -> Bool:
    """`convert_complex`."""
    return convert_complex(src_dtype, dst_dtype, dst, src, n)


@export
def complex_result(op: Int, dtype: Int) abi("C") -> Int:
    """`result_code`."""
    return result_code(op, dtype)


@export
def complex_names(dst: Int) abi("C") -> Int:
    """Writes the operations' names, each followed by a space; their length."""
    var to = Pointer[UInt8, MutUntrackedOrigin](unsafe_from_address=dst)
    var length = 0
    comptime for op in range(len(NAMES)):
        comptime name = NAMES[op]
        for byte in name.as_bytes():
            to[unsafe_offset=length] = byte
            length += 1
        to[unsafe_offset=length] = 32
        length += 1
    return length
