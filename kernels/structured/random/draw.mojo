"""The kernel `draw`: the generator's words are an operand, and those afterwards a result."""
from elementwise.numbers.dtypes import dtype_code
from structured.operands.memory import move_bytes
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    valid,
    wrapping,
)
from structured.random.bits import Bits, Source
from structured.random.drawing import Drawing
from structured.random.generators import GENERATORS, BitsOf
from structured.random.rows import Line
from structured.random.table import (
    BOUNDED,
    DISTRIBUTIONS,
    FLOAT,
    MASKED,
    ORDER,
    ROWS,
    Distribution,
)
from structured.random.wish import PARAMETERS, Parameters, Wish

comptime _FLOAT64 = dtype_code(DType.float64)
comptime _UINT64 = dtype_code(DType.uint64)


def _row_of(kind: Int) -> Distribution:
    """The row of a distribution, or one that nothing fits."""
    comptime for known in range(len(DISTRIBUTIONS)):
        if kind == known:
            comptime row = DISTRIBUTIONS[known]
            return materialize[row]()
    return Distribution("", -1, -1)


def _reads(row: Distribution, call: Call) -> Bool:
    """Whether the operands of a kernel are those of a distribution."""
    var out_ = call.operand(0)
    var bounded = row.family == BOUNDED or row.family == MASKED
    for k in range(3, call.count):
        var operand = call.operand(k)
        if operand.rank != 0 and not operand.same_shape(out_):
            return False
        var wanted = out_.dtype if row.family == FLOAT else _FLOAT64
        if bounded:
            wanted = _UINT64
        if (wrapping(operand.dtype) if bounded else operand.dtype) != wanted:
            return False
    var given = call.count - 3
    return given == row.parameters or (bounded and given == 0)


def _nest_of(call: Call, joined: Bool) -> Nest[4]:
    """The axes of the numbers, and of their parameters."""
    var out_ = call.operand(0)
    var bases = Array[Int, 4](fill=0)
    bases[0] = out_.address
    for k in range(3, call.count):
        bases[k - 2] = call.operand(k).address
    var nest = Nest[4](bases)
    for axis in range(out_.rank):
        var strides = Array[Int, 4](fill=0)
        strides[0] = out_.stride(axis)
        for k in range(3, call.count):
            if call.operand(k).rank != 0:
                strides[k - 2] = call.operand(k).stride(axis)
        if joined:
            nest.push(out_.size(axis), strides)
        else:
            nest.keep(out_.size(axis), strides)
    if joined and not nest.empty:
        nest.coalesce()
    if nest.rank == 0:
        nest.keep(1, Array[Int, 4](fill=0))
    return nest^


def _run[B: Bits, //](mut drawing: Drawing[B], call: Call) -> Int:
    """Draws all numbers of a call, line by line."""
    var kind = call.param(1)
    var row = _row_of(kind)
    if not _reads(row, call):
        return UNSUPPORTED
    var joined = row.family != ROWS and row.family != ORDER
    var nest = _nest_of(call, joined)
    if nest.empty:
        return OK
    var inner = nest.rank - 1
    # of rows, those along one axis are drawn together
    var outer = inner if joined else max(inner - 1, 0)
    var cursor = Cursor[4](nest, outer)
    var given = Parameters()
    for _ in range(nest.count(outer)):
        for k in range(PARAMETERS):
            given.lines[k] = Line(cursor.at[k + 1], nest.stride(k + 1, inner))
            if outer < inner:
                given.steps[k] = nest.stride(k + 1, outer)
        var wish = Wish(
            cursor.at[0],
            call.operand(0).dtype,
            nest.sizes[inner],
            call.threads,
            UInt64(call.param(2)),
            UInt64(call.param(3)),
        )
        if outer < inner:
            wish.rows = nest.sizes[outer]
        var status = drawing.draw(kind, wish, given)
        if status != OK:
            return status
        cursor.advance(nest)
    return OK


def _draw_from[B: Bits](call: Call) -> Int:
    """Draws from a generator whose words are the second result."""
    var after = call.operand(1)
    var before = call.operand(2)
    if before.size(0) != Source[B].WORDS:
        return UNSUPPORTED
    move_bytes(after.address, before.address, 8 * Source[B].WORDS)
    var drawing = Drawing[B](after.address, call.operand(0).count())
    var status = _run(drawing, call)
    drawing.finish()
    return status


def _is_state(operand: Operand) -> Bool:
    """Whether an operand can be the words of a generator."""
    return (
        operand.dtype == _UINT64 and operand.rank == 1 and operand.contiguous()
    )


def draw(call: Call) -> Int:
    """`out, after = numbers of a distribution, drawn from a generator`.

    Operands: the numbers, in C order; the generator's words afterwards, and before, uint64; up to
    three parameters, each of the shape of the numbers, broadcast by strides of 0, or without axes.
    Params: the generator, an index of `DISTRIBUTIONS`, and two integers: the least and the range of
    bounded integers without parameters, or, for `chosen`, the number of all and whether they are
    shuffled.
    """
    if not valid(call, 3, 4) or call.count > 3 + PARAMETERS:
        return UNSUPPORTED
    var before = call.operand(2)
    var after = call.operand(1)
    if not _is_state(before) or not before.same_shape(after):
        return UNSUPPORTED
    if not _is_state(after) or not call.operand(0).contiguous():
        return UNSUPPORTED
    comptime for generator in range(GENERATORS):
        if call.param(0) == generator:
            return _draw_from[BitsOf[generator]](call)
    return UNSUPPORTED
