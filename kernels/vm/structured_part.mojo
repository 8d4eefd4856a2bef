"""The structured kernels as C functions: a part of the library, see `parts.mojo`.

Compiled graphs call them too.
"""

from structured.operand import Operands, Words
from structured.table import KERNELS, run


@export
def jujunp_kernel_names(
    buffer: Pointer[UInt8, MutUntrackedOrigin]
) abi("C") -> Int:
    """Writes the names of all kernels, each with a space behind it; returns how many bytes."""
    var length = 0
    for kernel in materialize[KERNELS]():
        for byte in kernel.name.as_bytes():
            buffer[unsafe_offset=length] = byte
            length += 1
        buffer[unsafe_offset=length] = 32
        length += 1
    return length


@export
def jujunp_kernel_count() abi("C") -> Int:
    """How many kernels there are."""
    return comptime (len(KERNELS))


@export
def jujunp_run_kernel(
    kernel: Int,
    operands: Operands,
    count: Int,
    params: Words,
    nparams: Int,
    threads: Int,
    fault: Words,
) abi("C") -> Int:
    """Runs one kernel: see `structured.table.run`."""
    return run(kernel, operands, count, params, nparams, threads, fault)
