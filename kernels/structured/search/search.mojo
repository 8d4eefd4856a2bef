"""Finding places: searchsorted and nonzero."""
from elementwise.numbers.dtypes import COMPLEX64, dtype_code
from std.memory import stack_allocation
from std.sys import size_of
from std.utils.numerics import isfinite, isnan

from structured.search.complex_search import find_row_by_keys
from structured.operands.fetch import BLOCK, DIRECT, fetch, fetch_kind
from structured.operands.nest import RowWalk, nest_of
from structured.operands.operand import (
    BOOL,
    FAILED,
    HALVES,
    INT64,
    NUMBERS,
    OK,
    PARTS,
    UNSUPPORTED,
    Call,
    load,
    plain,
    store,
    valid,
)
from structured.search.listing import Listing
from structured.threads.threads import parallel_for, part, task_count

comptime _LANES = 4
"""Values that are searched together, so that their cache misses overlap."""
comptime _NEAR = 4
"""Elements that are looked at for a value that may lie behind the one before it."""
comptime _GROUPS = 8
"""Groups of values after one that did not lie so, until the next is tried."""
comptime _FEW = 16
"""Elements of a table with all of which a value is compared."""
comptime _TOGETHER = 8
"""Values that are compared with an element at once."""
comptime _MANY = 2
"""Values for each element of a table, from which on it pays to see whether that is even."""


@always_inline
def _before[
    right: Bool, nans: Bool, dtype: DType
](element: Scalar[dtype], value: Scalar[dtype]) -> Bool:
    """Whether an element lies before the place of a value, which is nan only if `nans`."""
    comptime if nans:
        if isnan(value):
            return right or not isnan(element)
    comptime if right:
        return element <= value
    else:
        return element < value


@always_inline
def _find[
    right: Bool, nans: Bool, dtype: DType, lanes: Int
](target: Int, a: Int, stride: Int, count: Int, values: Int, step: Int):
    """Writes the places of `lanes` values that are a step apart, by binary search."""
    var wanted = Array[Scalar[dtype], lanes](uninitialized=True)
    var low = Array[Int, lanes](fill=0)
    comptime for lane in range(lanes):
        wanted[lane] = load[dtype](values + lane * step)
    var left = count
    while left > 0:
        var half = (left + 1) // 2
        comptime for lane in range(lanes):
            var element = load[dtype](a + (low[lane] + half - 1) * stride)
            low[lane] += half if _before[right, nans](
                element, wanted[lane]
            ) else 0
        left -= half
    comptime for lane in range(lanes):
        store(target + lane * 8, Int64(low[lane]))


@always_inline
def _find_few[
    right: Bool, dtype: DType
](target: Int, a: Int, stride: Int, size: Int, values: Int, step: Int) -> Bool:
    """Writes the places of `_TOGETHER` values in a short table; False if one is nan."""
    comptime item = size_of[Scalar[dtype]]()
    var wanted = SIMD[dtype, _TOGETHER](0)
    if step == item:
        wanted = load[dtype, _TOGETHER](values)
    else:
        comptime for lane in range(_TOGETHER):
            wanted[lane] = load[dtype](values + lane * step)
    comptime if dtype.is_floating_point():
        if isnan(wanted).reduce_or():
            return False
    var found = SIMD[DType.int64, _TOGETHER](0)
    for k in range(size):
        var element = SIMD[dtype, _TOGETHER](load[dtype](a + k * stride))
        comptime if right:
            found += element.le(wanted).cast[DType.int64]()
        else:
            found += element.lt(wanted).cast[DType.int64]()
    store(target, found)
    return True


@always_inline
def _follow[
    right: Bool, dtype: DType
](
    target: Int,
    a: Int,
    stride: Int,
    size: Int,
    values: Int,
    step: Int,
    before: Int,
) -> Bool:
    """Writes the places of `_LANES` values if each is near to the one before it, and not below.

    Args:
        target: Where to write; undefined if they are not.
        a: Address of the sorted elements.
        stride: Bytes from one element to the next.
        size: How many there are.
        values: Address of the values, none of which is nan.
        step: Bytes from one to the next.
        before: The place of the value before the first.
    """
    var place = before
    comptime for lane in range(_LANES):
        var value = load[dtype](values + lane * step)
        var at = a + place * stride
        if place > 0 and not _before[right, False](
            load[dtype](at - stride), value
        ):
            return False
        var end = min(place + _NEAR, size)
        while place < end and _before[right, False](load[dtype](at), value):
            place += 1
            at += stride
        if place == end and end < size:
            return False
        store(target + lane * 8, Int64(place))
    return True


struct _Even[dtype: DType](TrivialRegisterPassable):
    """A table whose elements have nearly equal distances, so that places can be computed."""

    var origin: Scalar[Self.dtype]
    var scale: Scalar[Self.dtype]
    var size: Int
    var holds: Bool
    """Whether each element's place is computed to be its own, or the one before."""

    def __init__(out self, a: Int, stride: Int, size: Int):
        self.origin = load[Self.dtype](a)
        var last = load[Self.dtype](a + (size - 1) * stride)
        self.scale = Scalar[Self.dtype](size - 1) / (last - self.origin)
        self.size = size
        self.holds = isfinite(self.scale) and self.scale > 0
        var k = 0
        while self.holds and k < size:
            var place = self.place(load[Self.dtype](a + k * stride))
            self.holds = k - 1 <= place <= k
            k += 1

    @always_inline
    def place(self, value: Scalar[Self.dtype]) -> Int:
        """The computed place of a value that is not nan; it does not fall where values rise."""
        var place = (value - self.origin) * self.scale
        return Int(min(max(place, -1), Scalar[Self.dtype](self.size)))

    @always_inline
    def find[
        right: Bool
    ](self, a: Int, stride: Int, value: Scalar[Self.dtype]) -> Int:
        """The place of a value that is not nan.

        What is computed is at most one before or behind it, where `holds` is true.
        """
        var place = min(self.place(value) + 1, self.size)
        var before = load[Self.dtype](a + max(place - 1, 0) * stride)
        var at = load[Self.dtype](a + min(place, self.size - 1) * stride)
        var down = place > 0 and not _before[right, False](before, value)
        var up = place < self.size and _before[right, False](at, value)
        return place + Int(up) - Int(down)


def find_row[
    right: Bool, dtype: DType
](
    target: Int,
    a: Int,
    stride: Int,
    size: Int,
    values: Int,
    step: Int,
    count: Int,
):
    """Writes the places of a strided row of values."""
    comptime if dtype.is_floating_point():
        if count >= _MANY * size and size > _FEW:
            var even = _Even[dtype](a, stride, size)
            if even.holds:
                _find_row_evenly[right, dtype](
                    target, a, stride, even, values, step, count
                )
                return
    var resting = 0
    var i = 0
    while i < count:
        var to = target + i * 8
        var frm = values + i * step
        if size <= _FEW and i + _TOGETHER <= count:
            if _find_few[right, dtype](to, a, stride, size, frm, step):
                i += _TOGETHER
                continue
        comptime if dtype.is_floating_point():
            if isnan(load[dtype](frm)):
                _find[right, True, dtype, 1](to, a, stride, size, frm, step)
                i += 1
                continue
        var nans = False
        if i + _LANES <= count:
            comptime for lane in range(1, _LANES):
                nans = nans or isnan(load[dtype](frm + lane * step))
            if not nans:
                if resting == 0 and i > 0:
                    var place = Int(load[DType.int64](to - 8))
                    if _follow[right, dtype](
                        to, a, stride, size, frm, step, place
                    ):
                        i += _LANES
                        continue
                    resting = _GROUPS
                resting = max(resting - 1, 0)
                _find[right, False, dtype, _LANES](
                    to, a, stride, size, frm, step
                )
                i += _LANES
                continue
        _find[right, False, dtype, 1](to, a, stride, size, frm, step)
        i += 1


@always_inline
def _find_row_evenly[
    right: Bool, dtype: DType
](
    target: Int,
    a: Int,
    stride: Int,
    even: _Even[dtype],
    values: Int,
    step: Int,
    count: Int,
):
    """Writes the places of a row of values in a table where they can be computed."""
    for i in range(count):
        var to = target + i * 8
        var value = load[dtype](values + i * step)
        if isnan(value):
            var frm = values + i * step
            _find[right, True, dtype, 1](to, a, stride, even.size, frm, step)
        else:
            store(to, Int64(even.find[right](a, stride, value)))


comptime _FindRow = def(
    target: Int,
    a: Int,
    stride: Int,
    size: Int,
    values: Int,
    step: Int,
    count: Int,
) thin -> None


def _finder(code: Int, right: Bool) -> Optional[_FindRow]:
    """The compiled search of a dtype code."""
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        if plain(code) == dtype_code(dtype):
            if right:
                return find_row[True, dtype]
            return find_row[False, dtype]
    comptime for index in range(len(HALVES)):
        comptime dtype = HALVES[index]
        if code == dtype_code(dtype):
            if right:
                return find_row_by_keys[True, dtype, False]
            return find_row_by_keys[False, dtype, False]
    comptime for index in range(len(PARTS)):
        comptime dtype = PARTS[index]
        if code == COMPLEX64 + index:
            if right:
                return find_row_by_keys[True, dtype, True]
            return find_row_by_keys[False, dtype, True]
    return None


def searchsorted(call: Call) -> Int:
    """`out[..] = place of v[..] in sorted a`, int64; inputs a (1-D), v; params: 0 left, 1 right."""
    if not valid(call, 3, 1):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var a = call.operand(1)
    var v = call.operand(2)
    var found = _finder(a.dtype, call.param(0) != 0)
    if not found or a.rank != 1 or v.dtype != a.dtype or out_.dtype != INT64:
        return UNSUPPORTED
    if not out_.same_shape(v) or not out_.contiguous():
        return UNSUPPORTED
    var find = found.value()
    var count = v.count()
    if count == 0:
        return OK
    var tasks = min(task_count(count * 8, call.threads), count)

    def share(index: Int) {imm}:
        var start = part(count, index, tasks)
        var target = out_.address + start * 8
        var end = part(count, index + 1, tasks)
        var walk = RowWalk(nest_of(v, v.rank), start, end - start)
        while walk.next():
            find(
                target,
                a.address,
                a.stride(0),
                a.size(0),
                walk.address,
                walk.stride,
                walk.count,
            )
            target += walk.count * 8

    parallel_for(share, tasks)
    return OK


def nonzero(call: Call) -> Int:
    """`out` = the flat indices of true elements of a bool array of any strides, in C order.

    FAILED when their number is not the size of the output.
    """
    if not valid(call, 2, 0):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    if (
        x.dtype != BOOL
        or out_.dtype != INT64
        or out_.rank != 1
        or not out_.contiguous()
    ):
        return UNSUPPORTED
    var places = Listing(out_.address, out_.size(0))
    var buffer = Int(stack_allocation[BLOCK, DType.uint8, alignment=64]())
    var flat = 0
    var walk = RowWalk(nest_of(x, x.rank), 0, x.count())
    while walk.next():
        var kind = fetch_kind(BOOL, BOOL, walk.stride == 1)
        for start in range(0, walk.count, BLOCK):
            var count = min(BLOCK, walk.count - start)
            var address = walk.address + start * walk.stride
            if kind != DIRECT:
                address = fetch(kind, buffer, address, walk.stride, count)
            if not places.add[DType.uint8](address, count, flat + start):
                return FAILED
        flat += walk.count
    return OK if places.target == places.end else FAILED
