"""Rounding floats to formats with fewer bits."""
from elementwise.numbers.dtypes import dtype_code, signed_of
from elementwise.numbers.floats import from_bits, mantissa_bits, to_bits
from std.sys import simd_width_of, size_of

from structured.operands.nest import Cursor, Nest, nest_of_two
from structured.operands.operand import (
    OK,
    UNSUPPORTED,
    Call,
    load,
    store,
    valid,
)
from structured.threads.threads import parallel_for, part, task_count

comptime _FLOATS: Array[DType, 4] = [
    DType.float16,
    DType.bfloat16,
    DType.float32,
    DType.float64,
]


struct Format(TrivialRegisterPassable):
    """A float format: bits of the exponent and stored bits of the significand."""

    var exponent: Int
    var mantissa: Int

    def __init__(out self, exponent: Int, mantissa: Int):
        self.exponent = exponent
        self.mantissa = mantissa


@always_inline
def rounded[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], format: Format) -> SIMD[dtype, width]:
    """The nearest number of a format, in the dtype of `x`.

    Of two that are equally near it is the one whose last bit is 0, which is a bit of the exponent
    where the significand has none.
    What is too large becomes infinite. A format with a smaller exponent has no subnormal numbers:
    they become zero. A nan stays as it is.
    """
    comptime stored = mantissa_bits[dtype]()
    comptime exponent_bits = size_of[dtype]() * 8 - 1 - stored
    comptime Bits = SIMD[signed_of[dtype](), width]
    comptime Bit = Scalar[signed_of[dtype]()]
    comptime bias = (1 << (exponent_bits - 1)) - 1
    comptime infinity = Bit(((1 << exponent_bits) - 1) << stored)
    var bits = to_bits(x)
    var sign = bits & Bits(Bit.MIN)
    var size = bits ^ sign
    var is_nan = size.gt(infinity)
    if format.mantissa < stored:
        var drop = Bit(stored - format.mantissa)
        var last = (size >> drop) & 1
        var kept = size + (last + ((Bit(1) << (drop - 1)) - 1))
        kept = (kept >> drop) << drop
        size = is_nan.select(size, kept)
    if format.exponent < exponent_bits:
        var reach = (1 << (format.exponent - 1)) - 1
        var largest = Bit(bias + reach + 1) << Bit(stored)
        var smallest = Bit(bias - reach + 1) << Bit(stored)
        size = (size.ge(largest) & ~is_nan).select(Bits(infinity), size)
        size = size.lt(smallest).select(Bits(0), size)
    return from_bits[dtype, width](size | sign)


def _round_all[dtype: DType](nest: Nest[2], format: Format):
    """Rounds all elements of a nest of rank 1 or more."""
    comptime item = size_of[Scalar[dtype]]()
    comptime width = simd_width_of[dtype]()
    var inner = nest.rank - 1
    var to = nest.stride(0, inner)
    var frm = nest.stride(1, inner)
    var cursor = Cursor[2](nest, inner)
    for _ in range(nest.count(inner)):
        var i = 0
        if to == item and frm == item:
            while i + width <= nest.sizes[inner]:
                var x = load[dtype, width](cursor.at[1] + i * item)
                store(cursor.at[0] + i * item, rounded(x, format))
                i += width
        while i < nest.sizes[inner]:
            var x = load[dtype](cursor.at[1] + i * frm)
            store(cursor.at[0] + i * to, rounded(x, format))
            i += 1
        cursor.advance(nest)


def reduce_precision(call: Call) -> Int:
    """`out = x` rounded to a smaller format; params: bits of its exponent, of its significand.

    float16, bfloat16, float32 or float64, one dtype and shape, any strides. The exponent has at
    least one bit, the significand, without its hidden bit, at least none; a format that is larger
    in one of the two leaves that one as it is.
    """
    if not valid(call, 2, 2) or call.param(0) < 1 or call.param(1) < 0:
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    if out_.dtype != x.dtype or not out_.same_shape(x):
        return UNSUPPORTED
    var format = Format(call.param(0), call.param(1))
    var nest = nest_of_two(out_, x)
    nest.sort(0)
    nest.coalesce()
    if nest.rank == 0:
        nest.keep(1, [0, 0])
    var axis = nest.longest()
    var tasks = task_count(nest.count(nest.rank), call.threads)
    tasks = min(tasks, nest.sizes[axis])
    comptime for index in range(len(_FLOATS)):
        comptime dtype = _FLOATS[index]
        if x.dtype == dtype_code(dtype):

            def share(index: Int) {imm}:
                var start = part(nest.sizes[axis], index, tasks)
                var end = part(nest.sizes[axis], index + 1, tasks)
                _round_all[dtype](nest.share(axis, start, end), format)

            if not nest.empty:
                parallel_for(share, tasks)
            return OK
    return UNSUPPORTED
