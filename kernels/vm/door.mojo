"""What graphs call, as C functions of a shared library: the structured kernels, and plans."""

from vm.plans import Tensors, run_calls
from vm.reader import Reader
from structured.operand import Operands, Words
from structured.table import NAMES, run


@export
def jujunp_kernel_names(
    buffer: Pointer[UInt8, MutUntrackedOrigin]
) abi("C") -> Int:
    """Writes the names of all kernels, each with a space behind it; returns how many bytes."""
    var length = 0
    comptime for kernel in range(len(NAMES)):
        comptime name = NAMES[kernel]
        for byte in name.as_bytes():
            buffer[unsafe_offset=length] = byte
            length += 1
        buffer[unsafe_offset=length] = 32
        length += 1
    return length


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


@export
def jujunp_run_plan(
    plan: Words, tensors: Words, threads: Int, fault: Words
) abi("C") -> Int:
    """Runs the calls of a plan, in order, until one fails.

    Args:
        plan: The words of the plan, see `vm.plans`.
        tensors: The addresses of the tensors.
        threads: Threads that large work may use.
        fault: Four words: the kernel, then axis, index and size if an index is out of bounds.

    Returns:
        A status of `structured.operand`.
    """
    var given = Tensors(plan, tensors)
    return run_calls(Reader(plan), given, threads, fault)
