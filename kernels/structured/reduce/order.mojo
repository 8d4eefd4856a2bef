"""The order in which a reduction takes its elements: NumPy's."""
from std.math import ceildiv

from structured.operands.fetch import fetch_kind
from structured.operands.nest import Nest
from structured.operands.operand import Call, is_half, item_size
from structured.reduce.rows import Row

comptime BUFFER = 8192
"""Elements in the buffer of NumPy's iterator."""
comptime _LONG = 64
"""Elements from which a row is worth a loop of its own."""


struct Reduction(Copyable):
    """One reduction: the nest of (output, input), how to fetch the input, and the inner loop.

    An axis is reduced where the output's stride is 0.
    """

    var nest: Nest[2]
    var along_kind: Int
    """How to fetch along the innermost axis."""
    var across_kind: Int
    """How to fetch elements with gaps between them."""
    var source_item: Int
    """Bytes of one element of the input."""
    var item: Int
    """Bytes of one result."""
    var loop_axes: Int
    """Innermost axes that one inner loop of NumPy's spans, 0 if the innermost axis is kept."""
    var loop_step: Int
    """Indices of the outermost of these axes that one inner loop takes."""
    var fresh: Bool
    """Whether each result is folded once, so that nothing needs to be set first."""

    def __init__(
        out self, var nest: Nest[2], source: Int, target: Int, pairwise: Bool
    ):
        self.across_kind = fetch_kind(source, target, False)
        self.along_kind = self.across_kind
        if nest.rank == 0 or nest.stride(1, nest.rank - 1) == item_size(source):
            self.along_kind = fetch_kind(source, target, True)
        self.source_item = item_size(source)
        self.item = item_size(target)
        self.loop_axes, self.loop_step = _inner_loop(
            nest,
            (source != target and not is_half(source))
            or not _aligned(nest, source),
            pairwise,
        )
        var reduced = 0
        for axis in range(nest.rank):
            if nest.stride(0, axis) == 0:
                reduced += 1
        self.fresh = reduced <= 1
        if self.loop_axes > 0:
            var whole = self.loop_step >= nest.sizes[nest.rank - self.loop_axes]
            self.fresh = whole and reduced == self.loop_axes
        self.nest = nest^

    @always_inline
    def row(self, address: Int) -> Row:
        """The innermost row at an address."""
        var inner = self.nest.rank - 1
        return Row(
            address,
            self.nest.stride(1, inner),
            self.nest.sizes[inner],
            self.along_kind,
        )

    def loops(self) -> Int:
        """Inner loops for each position of the axes outside of them."""
        return ceildiv(
            self.nest.sizes[self.nest.rank - self.loop_axes], self.loop_step
        )

    def shared(self, axis: Int, start: Int, end: Int) -> Self:
        """The part with `start <= index < end` along one kept axis."""
        var result = self.copy()
        result.nest = self.nest.share(axis, start, end)
        return result^


def _aligned(nest: Nest[2], code: Int) -> Bool:
    """Whether all elements of the input lie at multiples of their size."""
    var places = nest.bases[1]
    for axis in range(nest.rank):
        places |= nest.stride(1, axis)
    return places % item_size(code) == 0


def _inner_loop(nest: Nest[2], copies: Bool, pairwise: Bool) -> Tuple[Int, Int]:
    """How far NumPy's inner loop reaches: how many axes, how many indices of the outermost.

    One axis is iterated in place, however long. What is converted or not aligned, or
    spans several axes that do not merge, goes through a buffer of 8192 elements, and
    is not buffered beyond the axis on which the buffer fills. A buffer must at least
    halve the number of inner loops to be worth it. Only pairwise sums depend on this;
    others avoid the buffer where rows are long.
    """
    var reduced = 0
    while reduced < nest.rank and nest.stride(0, nest.rank - 1 - reduced) == 0:
        reduced += 1
    if reduced == 0:
        return (0, 1)
    var size = nest.sizes[nest.rank - 1]
    if not pairwise and size >= _LONG:
        return (1, size)
    if not copies and (reduced == 1 or 2 * size > BUFFER):
        return (1, size)
    var core = 1
    var axes = 1
    while axes < reduced and size < BUFFER:
        axes += 1
        core = size
        size *= nest.sizes[nest.rank - axes]
    return (axes, max(1, BUFFER // core))


def _numpy_order(mut nest: Nest[2]):
    """Orders the axes as NumPy's iterator does: by the input's strides, C order where in doubt."""
    for axis in reversed(range(nest.rank)):
        var place = axis
        for other in range(axis + 1, nest.rank):
            var mine = abs(nest.stride(1, axis))
            var its = abs(nest.stride(1, other))
            if mine == 0 or its == 0:
                continue
            if its <= mine:
                break
            place = other
        nest.sink(axis, place)


def _is_reduced(call: Call, axis: Int) -> Bool:
    for index in range(call.param_count):
        if call.param(index) == axis:
            return True
    return False


def _nest_of(call: Call) -> Nest[2]:
    """The nest of (output, input) with output stride 0 along reduced axes."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    var nest = Nest[2]([out_.address, x.address])
    var kept = 0
    for axis in range(x.rank):
        var stride = 0
        if not _is_reduced(call, axis):
            stride = out_.stride(kept)
            kept += 1
        nest.push(x.size(axis), [stride, x.stride(axis)])
    return nest^


def shapes_agree(call: Call) -> Bool:
    """Whether the output has the input's kept axes, C-contiguous."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    var kept = 0
    for axis in range(x.rank):
        if _is_reduced(call, axis):
            continue
        if kept == out_.rank or out_.size(kept) != x.size(axis):
            return False
        kept += 1
    return kept == out_.rank and out_.contiguous()


def settled(call: Call) -> Nest[2]:
    """The nest of a reduction in the order of execution."""
    var nest = _nest_of(call)
    _numpy_order(nest)
    nest.coalesce()
    var last = -1
    for axis in range(nest.rank):
        if nest.stride(0, axis) == 0:
            last = axis
    if last >= 0 and last < nest.rank - 2:
        # Past kept axes only, so that each result still sees its elements in the same order.
        nest.sink(last, nest.rank - 2)
    return nest^
