"""Values that count only if what made them succeeded."""
from elementwise.numbers.dtypes import dtype_code
from structured.operands.nest import Cursor, nest_of
from structured.operands.operand import (
    FAILED,
    OK,
    UNSUPPORTED,
    Call,
    load,
    valid,
)


def require(call: Call) -> Int:
    """Leaves an array as it is, in place; FAILED unless all statuses are 0.

    Operands: the array, the statuses, int32 of any shape and strides. Params: one, which tells the
    caller what has failed.
    """
    if not valid(call, 2, 1) or call.count != 2:
        return UNSUPPORTED
    var statuses = call.operand(1)
    if statuses.dtype != dtype_code(DType.int32):
        return UNSUPPORTED
    var nest = nest_of(statuses, statuses.rank)
    if nest.empty:
        return OK
    var cursor = Cursor[1](nest, nest.rank)
    for _ in range(nest.count(nest.rank)):
        if load[DType.int32](cursor.at[0]) != 0:
            return FAILED
        cursor.advance(nest)
    return OK
