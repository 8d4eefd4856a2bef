"""Kernels on whole tensors whose shapes are known at run time only.

`plan` holds, in 64-bit words: the number of the kernel, how its operands are seen, the number of
tensors, the dtype code and rank of each (outputs first), the number of parameters, and the
parameters. The ranks are those that the kernel sees: an array without axes may come with one.
Each is an expression in postfix notation: the number of its terms, then two words for each term, the
operator and its value. `sizes` holds the values of the symbols, and `tensors` their number, then the
address, rank and lengths of each.

The parameters may also be the words of a plan (`vm.plans`), which is then run on the tensors.
"""

from structured.operands.memory import move_bytes
from structured.operands.operand import Operand, Operands, Words, item_size
from vm.base.parts import run_structured
from vm.routines.routines import Tensors, run_calls
from vm.routines.reader import Reader

comptime FLAT = 1
"""All tensors are seen as arrays of one axis."""
comptime IN_PLACE = 2
"""The kernel changes a copy of the first input, which is its output."""
comptime AS_A_PLAN = 3
"""No kernel runs, but a plan, whose words the parameters are."""

# The operators of expressions, in the order of `sizes.OPERATORS` (lazy/compiled/ir/sizes.py).
comptime NUMBER = 0
comptime SYMBOL = 1
comptime ADD = 2
comptime MULTIPLY = 3
comptime FLOOR_DIVIDE = 4
comptime REMAINDER = 5
comptime LARGER = 6
comptime SMALLER = 7


def value_of(mut words: Reader, sizes: Words) -> Int:
    """The value of the expression that comes next."""
    var stack = List[Int]()
    for _ in range(words.next()):
        var operator = words.next()
        var value = words.next()
        if operator == NUMBER:
            stack.append(value)
        elif operator == SYMBOL:
            stack.append(Int(sizes[unsafe_offset=value]))
        else:
            var right = stack.pop()
            var left = stack.pop()
            stack.append(combined(operator, left, right))
    return stack[0]


def combined(operator: Int, left: Int, right: Int) -> Int:
    """The value of an operator; quotients are rounded down."""
    if operator == ADD:
        return left + right
    if operator == MULTIPLY:
        return left * right
    if operator == FLOOR_DIVIDE:
        return left // right
    if operator == REMAINDER:
        return left % right
    return max(left, right) if operator == LARGER else min(left, right)


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
    plan: Words, sizes: Words, tensors: Words, threads: Int, fault: Words
) -> Int:
    """Runs a kernel or a plan on tensors; returns a status."""
    var words = Reader(plan)
    var kernel = words.next()
    var seen = words.next()
    var codes = List[Int]()
    var ranks = List[Int]()
    for _ in range(words.next()):
        codes.append(words.next())
        ranks.append(words.next())
    var params = List[Int64]()
    for _ in range(words.next()):
        params.append(Int64(value_of(words, sizes)))
    var given = Words(unsafe_from_address=Int(params.unsafe_ptr()))
    var status: Int
    if seen == AS_A_PLAN:
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
