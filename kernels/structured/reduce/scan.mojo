"""Scans along an axis: cumulative sum, product, maximum and minimum, in sequential order."""
from elementwise.numbers.dtypes import COMPLEX64, dtype_code
from std.sys import simd_width_of, size_of

from structured.reduce.combine import (
    AND,
    Elements,
    Operation,
    combine,
    computed_as,
    has_loops,
)
from structured.reduce.complex_scan import combine_elements, scan_elements
from structured.operands.memory import move_bytes
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    HALVES,
    NUMBERS,
    OK,
    PARTS,
    UNSUPPORTED,
    Call,
    load,
    store,
    valid,
)
from structured.threads.threads import parallel_for, part, task_count

comptime _ROWS = 4
"""Rows that are scanned together, so that one's latency hides behind the others'."""
comptime _COLUMNS = 512
"""Columns that are scanned together, so that the last results stay in cache."""


struct Line(TrivialRegisterPassable):
    """A strided line of the output and of the input, to be scanned."""

    var target: Int
    var source: Int
    var target_stride: Int
    var source_stride: Int
    var count: Int

    def __init__(out self, nest: Nest[2], axis: Int):
        self.target = nest.bases[0]
        self.source = nest.bases[1]
        self.target_stride = nest.stride(0, axis)
        self.source_stride = nest.stride(1, axis)
        self.count = nest.sizes[axis]


@always_inline
def _scan_lines[
    op: Int, dtype: DType, lines: Int
](line: Line, target_step: Int, source_step: Int):
    """Scans `lines` lines that start a step apart."""
    var results = Array[Scalar[dtype], lines](uninitialized=True)
    comptime for index in range(lines):
        results[index] = load[dtype](line.source + index * source_step)
        store(line.target + index * target_step, results[index])
    for i in range(1, line.count):
        comptime for index in range(lines):
            var value = load[dtype](
                line.source + i * line.source_stride + index * source_step
            )
            results[index] = combine[op](results[index], value)
            store(
                line.target + i * line.target_stride + index * target_step,
                results[index],
            )


def _along[
    op: Int, dtype: DType
](line: Line, target_step: Int, source_step: Int, count: Int):
    """`Scans.along` for one operation and dtype."""
    var here = line
    var left = count
    while left >= _ROWS:
        _scan_lines[op, dtype, _ROWS](here, target_step, source_step)
        here.target += _ROWS * target_step
        here.source += _ROWS * source_step
        left -= _ROWS
    for _ in range(left):
        _scan_lines[op, dtype, 1](here, target_step, source_step)
        here.target += target_step
        here.source += source_step


def _across[op: Int, dtype: DType](line: Line, count: Int):
    """`Scans.across` for one operation and dtype."""
    comptime item = size_of[Scalar[dtype]]()
    comptime width = simd_width_of[dtype]()
    for column in range(0, count, _COLUMNS):
        var columns = min(_COLUMNS, count - column)
        for i in range(line.count):
            var source = line.source + i * line.source_stride + column * item
            var target = line.target + i * line.target_stride + column * item
            var before = target - line.target_stride
            var j = 0
            while j + width <= columns:
                var value = load[dtype, width](source + j * item)
                if i > 0:
                    value = combine[op](
                        load[dtype, width](before + j * item), value
                    )
                store(target + j * item, value)
                j += width
            while j < columns:
                var value = load[dtype](source + j * item)
                if i > 0:
                    value = combine[op](load[dtype](before + j * item), value)
                store(target + j * item, value)
                j += 1


def _elements_along[
    op: Int, dtype: DType, lanes: Int
](line: Line, target_step: Int, source_step: Int, count: Int):
    """`Scans.along` for elements that are no numbers of SIMD."""
    for i in range(count):
        scan_elements[op, dtype, lanes](
            line.target + i * target_step,
            line.target_stride,
            line.source + i * source_step,
            line.source_stride,
            line.count,
        )


def _elements_across[op: Int, dtype: DType, lanes: Int](line: Line, count: Int):
    """`Scans.across` for elements that are no numbers of SIMD."""
    comptime item = lanes * size_of[Scalar[dtype]]()
    for column in range(0, count, _COLUMNS):
        var columns = min(_COLUMNS, count - column)
        var target = line.target + column * item
        var source = line.source + column * item
        move_bytes(target, source, columns * item)
        for _ in range(1, line.count):
            source += line.source_stride
            target += line.target_stride
            combine_elements[op, dtype, lanes](
                target,
                item,
                target - line.target_stride,
                source,
                item,
                columns,
            )


struct Scans(TrivialRegisterPassable):
    """The compiled loops of one scan and dtype."""

    var along: def(
        line: Line, target_step: Int, source_step: Int, count: Int
    ) thin -> None
    """Scans `count` lines that start a step apart, line by line."""
    var across: def(line: Line, count: Int) thin -> None
    """Scans `count` lines that start at adjacent elements on both sides, all at once."""
    var item: Int

    def __init__(
        out self,
        along: def(
            line: Line, target_step: Int, source_step: Int, count: Int
        ) thin -> None,
        across: def(line: Line, count: Int) thin -> None,
        item: Int,
    ):
        self.along = along
        self.across = across
        self.item = item

    def __init__[op: Int, dtype: DType](out self, *, of: Operation[op, dtype]):
        self.along = _along[op, dtype]
        self.across = _across[op, dtype]
        self.item = size_of[Scalar[dtype]]()

    def __init__[
        op: Int, dtype: DType, lanes: Int
    ](out self, *, of_elements: Elements[op, dtype, lanes]):
        self.along = _elements_along[op, dtype, lanes]
        self.across = _elements_across[op, dtype, lanes]
        self.item = lanes * size_of[Scalar[dtype]]()


def _scans[op: Int](code: Int) -> Optional[Scans]:
    """The loops for a dtype code."""
    var compute = computed_as[op](code)
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        comptime if has_loops[op, dtype]:
            if compute == dtype_code(dtype):
                return Scans(of=Operation[op, dtype]())
    comptime if op < AND:
        comptime for index in range(len(HALVES)):
            comptime half = HALVES[index]
            if code == dtype_code(half):
                return Scans(of_elements=Elements[op, half, 1]())
        comptime for index in range(len(PARTS)):
            comptime dtype = PARTS[index]
            if code == COMPLEX64 + index:
                return Scans(of_elements=Elements[op, dtype, 2]())
    return None


def _scan_part(scans: Scans, nest: Nest[2]):
    """Scans along the last axis of a nest of rank 2 or more; the axis before it has lines."""
    var axis = nest.rank - 1
    var lines = nest.rank - 2
    var line = Line(nest, axis)
    var target_step = nest.stride(0, lines)
    var source_step = nest.stride(1, lines)
    var adjacent = target_step == scans.item and source_step == scans.item
    var cursor = Cursor[2](nest, lines)
    for _ in range(nest.count(lines)):
        line.target = cursor.at[0]
        line.source = cursor.at[1]
        if adjacent:
            scans.across(line, nest.sizes[lines])
        else:
            scans.along(line, target_step, source_step, nest.sizes[lines])
        cursor.advance(nest)


def _lines(call: Call, axis: Int, reverse: Bool) -> Nest[2]:
    """The nest of (output, input), the scanned axis last, at least one axis before it."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    var nest = Nest[2]([out_.address, x.address])
    for at in range(x.rank):
        if at != axis:
            nest.push(x.size(at), [out_.stride(at), x.stride(at)])
    nest.sort(0)
    nest.coalesce()
    if nest.rank == 0:
        nest.keep(1, [0, 0])
    var size = x.size(axis)
    if reverse:
        nest.bases[0] += (size - 1) * out_.stride(axis)
        nest.bases[1] += (size - 1) * x.stride(axis)
        nest.keep(size, [-out_.stride(axis), -x.stride(axis)])
    else:
        nest.keep(size, [out_.stride(axis), x.stride(axis)])
    return nest^


def scan_with(call: Call, scans: Scans) -> Int:
    """Runs a scan, given its loops, which take the dtype of the input; see `scan`."""
    var x = call.operand(1)
    var axis = call.param(0)
    if axis < 0 or axis >= x.rank or not x.same_shape(call.operand(0)):
        return UNSUPPORTED
    if call.operand(0).dtype != x.dtype:
        return UNSUPPORTED
    var nest = _lines(call, axis, call.param(1) != 0)
    if nest.empty:
        return OK
    var split = nest.rank - 2
    for at in range(split):
        if nest.sizes[at] > nest.sizes[split]:
            split = at
    var tasks = min(
        task_count(nest.count(nest.rank), call.threads), nest.sizes[split]
    )

    def share(index: Int) {imm}:
        var start = part(nest.sizes[split], index, tasks)
        var end = part(nest.sizes[split], index + 1, tasks)
        _scan_part(scans, nest.share(split, start, end))

    parallel_for(share, tasks)
    return OK


def scan[op: Int](call: Call) -> Int:
    """`out = x` scanned; params: axis, whether from the end. Same shape and dtype, any strides."""
    if not valid(call, 2, 2):
        return UNSUPPORTED
    var scans = _scans[op](call.operand(1).dtype)
    if not scans:
        return UNSUPPORTED
    return scan_with(call, scans.value())
