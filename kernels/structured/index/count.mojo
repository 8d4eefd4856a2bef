"""Counting how often integers occur."""
from elementwise.numbers.dtypes import dtype_code

from structured.movement.copy import fill_row
from structured.operands.operand import (
    INT64,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    load,
    store,
    valid,
)

comptime _FLOAT64 = dtype_code(DType.float64)


@always_inline
def _add[
    dtype: DType, weighted: Bool
](counts: Int, size: Int, x: Operand, weights: Operand) -> Optional[Int]:
    """Adds one for each integer, or its weight, in order; stops at one that is outside."""
    var place = x.address
    var weight = weights.address
    for _ in range(x.size(0)):
        var value = Int(load[DType.int64](place))
        if UInt(value) >= UInt(size):
            return value
        var target = counts + 8 * value
        comptime if weighted:
            store(target, load[dtype](target) + load[dtype](weight))
            weight += weights.stride(0)
        else:
            store(target, load[dtype](target) + 1)
        place += x.stride(0)
    return None


def bincount(call: Call) -> Int:
    """`out[k]` = how often k occurs in x, or the sum of what it weighs; no params.

    Inputs: x (1-D, int64), and weights in its shape, if any. With these, which are float64, the
    output is float64, else int64.
    """
    if not valid(call, 2, 0):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    var weights = call.operand(call.count - 1)
    var weighted = call.count > 2
    if x.dtype != INT64 or x.rank != 1 or not weights.same_shape(x):
        return UNSUPPORTED
    if out_.dtype != (_FLOAT64 if weighted else INT64):
        return UNSUPPORTED
    if weights.dtype != out_.dtype or out_.rank != 1 or not out_.contiguous():
        return UNSUPPORTED
    var size = out_.size(0)
    fill_row(out_.address, UInt64(0), size)
    var bad: Optional[Int]
    if weighted:
        bad = _add[DType.float64, True](out_.address, size, x, weights)
    else:
        bad = _add[DType.int64, False](out_.address, size, x, weights)
    return call.out_of_bounds(0, bad.value(), size) if bad else OK
