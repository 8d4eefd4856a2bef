"""Routines: calls of structured kernels and groups of steps, with loops and branches of them.

A routine says what to run, in 64-bit words: the number of calls, then for each call: kernel, number of
operands, number of parameters, the operands, the parameters. An operand is its tensor's number, a
byte offset, dtype code, rank, number of moves, shape, byte strides, and the moves. A move shifts the
operand by the value of an integer at run time: the number of the integer's tensor, its byte offset
there, its dtype code, the byte stride, and the greatest value; integers below 0 and above that count
as 0 and as the greatest. Instead of a kernel a call may name

    GROUP_CALL   tensors, a GROUP instruction (vm/base/bytecode.mojo) whose slots are so many tensors
    LOCALS_CALL  given words word.. locals nbytes..
                 The tensors from number `given` on are the routine itself, in which the words are
                 constants, and local memory; this is the first call of a routine.
    LOOP_CALL    turns backwards place flag length test.. length body..
                 Runs the routine `body` so many times, or without end for turns below 0; but before
                 each turn the routine `test`, if it has words, after which the loop ends if the byte
                 of tensor `flag` is 0. The int64 of tensor `place`, if it is not below 0, is the
                 number of the turn, counted down to 0 if `backwards`.
    BRANCH_CALL  flag length routine.. length routine..
                 Runs the first routine if the byte of tensor `flag` is 0, else the second.
"""

from vm.run.findings import Findings
from vm.run.group import run_group
from vm.base.functions import Functions
from vm.base.parts import run_structured
from vm.base.raw import Words as GroupWords
from vm.routines.reader import Reader
from structured.operands.memory import allocate, release
from structured.operands.operand import (
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Operand,
    Operands,
    Words,
    load,
    store,
)

comptime GROUP_CALL = -1
comptime LOCALS_CALL = -2
comptime LOOP_CALL = -3
comptime BRANCH_CALL = -4

comptime ALIGNMENT = 64
"""Bytes, of each local tensor."""


struct Tensors:
    """The addresses of the tensors of a routine: those given to it, the routine itself, its locals."""

    var routine: Words
    var given: Words
    var all: List[Int]
    """Empty in a routine without locals."""
    var memory: Int

    def __init__(out self, routine: Words, given: Words):
        self.routine = routine
        self.given = given
        self.all = List[Int]()
        self.memory = 0

    def __deinit__(deinit self):
        release(self.memory)

    def addresses(self) -> Words:
        """Where the addresses are."""
        if len(self.all) == 0:
            return self.given
        return Words(unsafe_from_address=Int(self.all.unsafe_ptr()))

    def at(self, number: Int) -> Int:
        """The address of a tensor."""
        return Int(self.addresses()[unsafe_offset=number])

    def extend(mut self, mut words: Reader) -> Int:
        """Reads the rest of a LOCALS_CALL; returns a status."""
        var given = words.next()
        _ = words.skip(words.next())
        var count = words.next()
        var sizes = words.skip(count)
        var end = ALIGNMENT
        for local in range(count):
            end += rounded(Int(sizes[unsafe_offset=local]))
        self.memory = allocate(end)
        if self.memory == 0:
            return NO_MEMORY
        for tensor in range(given):
            self.all.append(Int(self.given[unsafe_offset=tensor]))
        self.all.append(Int(self.routine))
        var address = rounded(self.memory)
        for local in range(count):
            self.all.append(address)
            address += rounded(Int(sizes[unsafe_offset=local]))
        return OK


def rounded(count: Int) -> Int:
    """The next multiple of the alignment."""
    return (count + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def run_calls(
    var words: Reader, mut tensors: Tensors, threads: Int, fault: Words
) -> Int:
    """Runs the calls that come next, which begin with their number; returns a status."""
    for _ in range(words.next()):
        var kernel = words.next()
        fault[unsafe_offset=0] = Int64(kernel)
        var status: Int
        if kernel >= 0:
            status = run_kernel(kernel, words, tensors, threads, fault)
        elif kernel == GROUP_CALL:
            status = run_steps(words, tensors, threads)
        elif kernel == LOCALS_CALL:
            status = tensors.extend(words)
        elif kernel == LOOP_CALL:
            status = run_loop(words, tensors, threads, fault)
        else:
            status = run_branch(words, tensors, threads, fault)
        if status != OK:
            return status
    return OK


def run_kernel(
    kernel: Int,
    mut words: Reader,
    tensors: Tensors,
    threads: Int,
    fault: Words,
) -> Int:
    """Runs a structured kernel."""
    var count = words.next()
    var params = words.next()
    var operands = List[Operand](capacity=count)
    for _ in range(count):
        operands.append(words.operand(tensors.addresses()))
    var status = run_structured(
        kernel,
        Operands(unsafe_from_address=Int(operands.unsafe_ptr())),
        count,
        words.skip(params),
        params,
        threads,
        fault.unsafe_offset(1),
    )
    _ = operands^
    return status


def run_steps(mut words: Reader, tensors: Tensors, threads: Int) -> Int:
    """Runs a GROUP instruction; UNSUPPORTED when a step is refused."""
    var slots = List[Int]()
    for tensor in range(words.next()):
        slots.append(tensors.at(tensor))
    var length = Int(words.at[unsafe_offset=1])
    var group = GroupWords(unsafe_from_address=Int(words.skip(length)))
    var scratch = List[Int]()
    var unwatched = Findings(0)
    # MAX fuses the functions of users, so that no group here has any
    if run_group(group, slots, scratch, threads, Functions(0), None, unwatched):
        return OK
    return UNSUPPORTED


def run_loop(
    mut words: Reader, mut tensors: Tensors, threads: Int, fault: Words
) -> Int:
    """Runs a routine again and again."""
    var turns = words.next()
    var backwards = words.next()
    var place = words.next()
    var flag = words.next()
    var tested = words.next()
    var test = words.skip(tested)
    var body = words.skip(words.next())
    var turn = 0
    while turns < 0 or turn < turns:
        if place >= 0:
            var number = turns - 1 - turn if backwards != 0 else turn
            store(tensors.at(place), Int64(number))
        if tested > 0:
            var status = run_calls(Reader(test), tensors, threads, fault)
            if status != OK:
                return status
            if load[DType.uint8](tensors.at(flag)) == 0:
                break
        var status = run_calls(Reader(body), tensors, threads, fault)
        if status != OK:
            return status
        turn += 1
    return OK


def run_branch(
    mut words: Reader, mut tensors: Tensors, threads: Int, fault: Words
) -> Int:
    """Runs one of two routines."""
    var flag = words.next()
    var routine = words.skip(words.next())
    var other = words.skip(words.next())
    if load[DType.uint8](tensors.at(flag)) != 0:
        routine = other
    return run_calls(Reader(routine), tensors, threads, fault)
