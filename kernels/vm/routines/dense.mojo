"""Kernels on whole tensors whose shapes are known at run time only.

`words` holds, in 64-bit words: the number of the kernel, how its operands are seen, the number of
tensors, the dtype code and rank of each (outputs first), the number of parameters, and the
parameters. The ranks are those that the kernel sees: an array without axes may come with one.
Each is an expression (sizes.mojo). `sizes` holds the values of the symbols, and `tensors` their number, then the
address, rank and lengths of each.

The parameters may also be the words of a routine (routines.mojo), which is then run on the tensors.
"""

from structured.operands.memory import move_bytes
from structured.operands.operand import Operand, Operands, Words, item_size
from vm.base.parts import run_structured
from vm.routines.routines import Tensors, run_calls
from vm.routines.reader import Reader
from vm.routines.sizes import value_of

comptime AS_THEY_ARE = 0
"""Tensors are seen as they are."""
comptime FLAT = 1
"""All tensors are seen as arrays of one axis."""
comptime IN_PLACE = 2
"""The kernel changes a copy of the first input, which is its output."""
comptime AS_A_ROUTINE = 3
"""No kernel runs, but a routine, whose words the parameters are."""


struct Layouts:
    """Shapes and strides of operands in C order; in memory from the heap, as `fold` explains."""

    var operands: List[Operand]
    var words: List[Int64]
    """For each operand its shape, then its strides."""

    def __init__(
        out self, tensors: Words, codes: List[Int], ranks: List[Int], flat: Bool
    ):
        self.operands = List[Operand](capacity=len(codes))
        var axes = len(codes)
        for rank in ranks:
            axes += rank
        self.words = List[Int64](length=2 * axes, fill=0)
        var given = Reader(tensors.unsafe_offset(1))
        var place = Int(self.words.unsafe_ptr())
        for index in range(len(codes)):
            var address = given.next()
            var lengths = given.skip(given.next())
            # A complex number is two parts, along a last axis.
            var own = ranks[index]
            var shape = Words(unsafe_from_address=place)
            if flat:
                var count = 1
                for axis in range(own):
                    count *= Int(lengths[unsafe_offset=axis])
                own = 1
                shape[unsafe_offset=0] = Int64(count)
            else:
                for axis in range(own):
                    shape[unsafe_offset=axis] = lengths[unsafe_offset=axis]
            var strides = shape.unsafe_offset(own)
            var stride = item_size(codes[index])
            for axis in reversed(range(own)):
                strides[unsafe_offset=axis] = Int64(stride)
                stride *= Int(shape[unsafe_offset=axis])
            self.operands.append(
                Operand(address, codes[index], own, shape, strides)
            )
            place += 16 * own


def addresses_of(tensors: Words) -> List[Int64]:
    """The addresses of the tensors."""
    var given = Reader(tensors)
    var found = List[Int64]()
    for _ in range(given.next()):
        found.append(Int64(given.next()))
        _ = given.skip(given.next())
    return found^


def run_dense(
    words: Words, sizes: Words, tensors: Words, threads: Int, fault: Words
) -> Int:
    """Runs a kernel or a routine on tensors; returns a status."""
    var reader = Reader(words)
    var kernel = reader.next()
    var seen = reader.next()
    var codes = List[Int]()
    var ranks = List[Int]()
    for _ in range(reader.next()):
        codes.append(reader.next())
        ranks.append(reader.next())
    var params = List[Int64]()
    for _ in range(reader.next()):
        params.append(Int64(value_of(reader, sizes)))
    var given = Words(unsafe_from_address=Int(params.unsafe_ptr()))
    var status: Int
    if seen == AS_A_ROUTINE:
        var addresses = addresses_of(tensors)
        var all = Tensors(
            given,
            Words(unsafe_from_address=Int(addresses.unsafe_ptr())),
        )
        status = run_calls(Reader(given), all, threads, fault)
        _ = addresses^
        _ = params^
        return status
    var layouts = Layouts(tensors, codes, ranks, seen == FLAT)
    if seen == IN_PLACE:
        var target = layouts.operands[0]
        var source = layouts.operands.pop(1)
        move_bytes(
            target.address, source.address, target.count() * target.item_size()
        )
    fault[unsafe_offset=0] = Int64(kernel)
    status = run_structured(
        kernel,
        Operands(unsafe_from_address=Int(layouts.operands.unsafe_ptr())),
        len(layouts.operands),
        given,
        len(params),
        threads,
        fault.unsafe_offset(1),
    )
    _ = layouts^
    _ = params^
    return status
