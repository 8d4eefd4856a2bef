"""The structured kernels as C functions: a part of the library, see `parts.mojo`.

Compiled graphs call them too.
"""

from structured.operands.operand import Operands, Words
from structured.table import KERNELS, run
from vm.base.raw import copy_bytes


@export
def jujunp_kernel_names(buffer: Int) abi("C") -> Int:
    """Writes the names of all kernels, each with a space behind it, to an address if it is not 0;
    returns how many bytes they take."""
    var names = String()
    for kernel in materialize[KERNELS]():
        names += kernel.name
        names += " "
    var length = names.byte_length()
    if buffer != 0:
        copy_bytes(buffer, Int(names.unsafe_ptr()), length)
    _ = names^
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
