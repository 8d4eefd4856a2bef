"""What graphs call, as C functions of a shared library: the structured kernels, and groups of steps.

A plan says what to run, in 64-bit words: the number of calls, then for each call: kernel, number of
operands, number of parameters, the operands, the parameters. Instead of a kernel it may name
GROUP_CALL; then follow the number of tensors and a GROUP instruction (vm/program.mojo), whose slots
are the tensors. An operand is its tensor's number, a
byte offset, dtype code, rank, number of moves, shape, byte strides, and the moves. A move shifts the
operand by the value of an integer at run time: the number of the integer's tensor, its byte offset
there, its dtype code, the byte stride, and the greatest value; integers below 0 and above that count
as 0 and as the greatest.
"""

from vm.blocks import run_group
from vm.functions import Functions
from vm.raw import Words as GroupWords
from structured.operand import (
    DTYPES,
    OK,
    UNSUPPORTED,
    Operand,
    Operands,
    Words,
    load,
)
from structured.table import NAMES, run

comptime GROUP_CALL = -1


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
        plan: The words of the plan.
        tensors: The addresses of the tensors.
        threads: Threads that large work may use.
        fault: Four words: the kernel, then axis, index and size if an index is out of bounds.

    Returns:
        A status of `structured.operand`.
    """
    var words = Reader(plan)
    for _ in range(words.next()):
        var kernel = words.next()
        fault[unsafe_offset=0] = Int64(kernel)
        if kernel == GROUP_CALL:
            if not run_steps(words, tensors, threads):
                return UNSUPPORTED
            continue
        var count = words.next()
        var params = words.next()
        var operands = List[Operand](capacity=count)
        for _ in range(count):
            operands.append(words.operand(tensors))
        var status = run(
            kernel,
            Operands(unsafe_from_address=Int(operands.unsafe_ptr())),
            count,
            words.skip(params),
            params,
            threads,
            fault.unsafe_offset(1),
        )
        _ = operands^
        if status != OK:
            return status
    return OK


def run_steps(mut words: Reader, tensors: Words, threads: Int) -> Bool:
    """Runs the GROUP instruction that comes next; False when a step is refused."""
    var slots = List[Int]()
    for tensor in range(words.next()):
        slots.append(Int(tensors[unsafe_offset=tensor]))
    var length = Int(words.at[unsafe_offset=1])
    var group = GroupWords(unsafe_from_address=Int(words.skip(length)))
    var scratch = List[Int]()
    # MAX fuses the functions of users, so that no group here has any
    return run_group(group, slots, scratch, threads, Functions(0))


struct Reader:
    """Reads the words of a plan in order."""

    var at: Words

    def __init__(out self, at: Words):
        self.at = at

    def next(mut self) -> Int:
        """The next word."""
        return Int(self.skip(1)[unsafe_offset=0])

    def skip(mut self, count: Int) -> Words:
        """The next words, which are passed over."""
        var here = self.at
        self.at = self.at.unsafe_offset(count)
        return here

    def address(mut self, tensors: Words) -> Int:
        """The address that the next two words name: a tensor and an offset in it."""
        var tensor = Int(tensors[unsafe_offset=self.next()])
        return tensor + self.next()

    def operand(mut self, tensors: Words) -> Operand:
        """The operand that the next words describe."""
        var address = self.address(tensors)
        var dtype = self.next()
        var rank = self.next()
        var moves = self.next()
        var shape = self.skip(rank)
        var strides = self.skip(rank)
        for _ in range(moves):
            var integer = self.address(tensors)
            var index = integer_at(integer, self.next())
            var stride = self.next()
            address += stride * max(0, min(index, self.next()))
        return Operand(address, dtype, rank, shape, strides)


def integer_at(address: Int, dtype: Int) -> Int:
    """The integer at an address; of a uint64 beyond int64, the greatest int64."""
    comptime for code in range(len(DTYPES)):
        comptime kind = DTYPES[code]
        comptime if kind.is_integral():
            if dtype == code:
                var value = load[kind](address)
                comptime if kind == DType.uint64:
                    return Int(min(value, Scalar[kind](Int64.MAX)))
                else:
                    return Int(value)
    return 0
