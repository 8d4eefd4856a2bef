"""Runs a structured kernel on whole tensors, whose shapes are known at run time only.

The operand `plan` holds, in 64-bit words: the number of the kernel, how its operands are seen, the
number of tensors, the dtype code and rank of each (outputs first), the number of parameters, and the
parameters. The ranks are those that the kernel sees: an array without axes may come with one.
Each is an expression in postfix notation: the number of its terms, then two words for each term, the
operator and its value. The operand `sizes` holds the values of the symbols.

The parameters may also be the words of a plan (vm/plans.mojo), which is then run on the tensors.
"""

from extensibility import InputTensor, OutputTensor, register
from max.gpu.host import DeviceContext
from max.runtime.asyncrt import parallelism_level
from std.utils.index import IndexList
from structured.memory import move_bytes
from structured.operand import (
    Operand,
    Operands,
    Words,
    item_size,
)

from .call import Plan, raise_fault, run_plan
from .library import kernel_entry

comptime FLAT = 1
"""All tensors are seen as arrays of one axis."""
comptime IN_PLACE = 2
"""The kernel changes a copy of the first input, which is its output."""
comptime AS_A_PLAN = 3
"""No kernel runs, but a plan, whose words the parameters are."""

# The operators of expressions, in the order of `sizes.OPERATORS` (lazy/compiled/sizes.py).
comptime NUMBER = 0
comptime SYMBOL = 1
comptime ADD = 2
comptime MULTIPLY = 3
comptime FLOOR_DIVIDE = 4
comptime REMAINDER = 5
comptime LARGER = 6
comptime SMALLER = 7


struct Tensors:
    """The addresses and shapes of an op's tensors: its outputs, then its inputs."""

    var addresses: List[Int]
    var ranks: List[Int]
    var lengths: List[Int]
    """The lengths of all axes of all tensors."""

    def __init__(out self):
        self.addresses = List[Int]()
        self.ranks = List[Int]()
        self.lengths = List[Int]()

    def add[rank: Int](mut self, address: Int, shape: IndexList[rank]):
        """Adds one tensor."""
        self.addresses.append(address)
        self.ranks.append(rank)
        comptime for axis in range(rank):
            self.lengths.append(shape[axis])


struct Reader:
    """Reads the words of a plan in order."""

    var at: Words
    var sizes: Words

    def __init__(out self, plan: Int, sizes: Int):
        self.at = Words(unsafe_from_address=plan)
        self.sizes = Words(unsafe_from_address=sizes)

    def next(mut self) -> Int:
        """The next word."""
        var word = Int(self.at[unsafe_offset=0])
        self.at = self.at.unsafe_offset(1)
        return word

    def value(mut self) -> Int:
        """The value of the expression that comes next."""
        var stack = List[Int]()
        for _ in range(self.next()):
            var operator = self.next()
            var value = self.next()
            if operator == NUMBER:
                stack.append(value)
            elif operator == SYMBOL:
                stack.append(Int(self.sizes[unsafe_offset=value]))
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
        out self,
        tensors: Tensors,
        codes: List[Int],
        ranks: List[Int],
        flat: Bool,
    ):
        self.operands = List[Operand](capacity=len(codes))
        self.words = List[Int64](
            length=2 * (len(tensors.lengths) + len(codes)), fill=0
        )
        var first = 0
        var place = Int(self.words.unsafe_ptr())
        for index in range(len(codes)):
            var rank = tensors.ranks[index]
            # A complex number is two parts, along a last axis.
            var own = ranks[index]
            var shape = Words(unsafe_from_address=place)
            if flat:
                var count = 1
                for axis in range(own):
                    count *= tensors.lengths[first + axis]
                own = 1
                shape[unsafe_offset=0] = Int64(count)
            else:
                for axis in range(own):
                    shape[unsafe_offset=axis] = Int64(
                        tensors.lengths[first + axis]
                    )
            var strides = shape.unsafe_offset(own)
            var stride = item_size(codes[index])
            for axis in reversed(range(own)):
                strides[unsafe_offset=axis] = Int64(stride)
                stride *= Int(shape[unsafe_offset=axis])
            self.operands.append(
                Operand(
                    tensors.addresses[index], codes[index], own, shape, strides
                )
            )
            first += rank
            place += 16 * own


@no_inline
def run_dense(plan: Int, sizes: Int, tensors: Tensors) raises:
    """Runs a kernel or a plan on tensors."""
    var words = Reader(plan, sizes)
    var kernel = words.next()
    var seen = words.next()
    var codes = List[Int]()
    var ranks = List[Int]()
    for _ in range(words.next()):
        codes.append(words.next())
        ranks.append(words.next())
    var params = List[Int64]()
    for _ in range(words.next()):
        params.append(Int64(words.value()))
    if seen == AS_A_PLAN:
        run_plan(Int(params.unsafe_ptr()), tensors.addresses)
        _ = params^
        return
    var run = kernel_entry()
    var layouts = Layouts(tensors, codes, ranks, seen == FLAT)
    if seen == IN_PLACE:
        var target = layouts.operands[0]
        var source = layouts.operands.pop(1)
        move_bytes(
            target.address, source.address, target.count() * target.item_size()
        )
    var fault = List[Int64](length=4, fill=0)
    fault[0] = Int64(kernel)
    var status = run(
        kernel,
        Int(layouts.operands.unsafe_ptr()),
        len(layouts.operands),
        Int(params.unsafe_ptr()),
        len(params),
        parallelism_level(None),
        Int(fault.unsafe_ptr()) + 8,
    )
    _ = layouts^
    _ = params^
    raise_fault(status, fault)


@register("jj.size")
struct Size:
    """The value of an expression of sizes."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        output: OutputTensor[dtype=DType.int64, rank=1, ...],
        plan: Plan,
        sizes: Plan,
        ctx: DeviceContext,
    ) raises:
        var words = Reader(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()))
        output.unsafe_ptr()[unsafe_offset=0] = Int64(words.value())
