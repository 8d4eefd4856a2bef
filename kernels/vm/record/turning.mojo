"""`x.transpose(...)`, `x.swapaxes(...)` and `x.squeeze(...)`: views with the axes in another order, or with fewer."""

from std.memory import stack_allocation
from structured.operands.operand import MAX_RANK
from vm.base.objects import UNUSUAL, ObjectsPointer
from vm.base.raw import TYPE, kept, load, store
from vm.record.indexing import transposed
from vm.record.layouts import AXES, Axes, Lie
from vm.record.shaping import Wanted, has_numbers
from vm.record.viewing import view_of


def permuted(objects: ObjectsPointer, x: Int, args: Int, count: Int) -> Int:
    """`x.transpose(*axes)`; UNUSUAL for what Python must look at."""
    if not has_numbers(objects, x):
        return UNUSUAL
    if count == 0 or (count == 1 and load(args, 0) == objects[].api.none):
        return transposed(objects, x)
    var wanted = Wanted(objects, args, count)
    var room = stack_allocation[2 * AXES, Int64]()
    var whole = Lie(objects, x, Int(room) + 8 * AXES)
    if whole.dtype == 0 or wanted.rank != whole.rank:
        return UNUSUAL
    var axes = _begun(whole, Int(room))
    var seen = 0
    for k in range(whole.rank):
        var axis = _axis(objects, load(wanted.numbers, k), whole.rank)
        if axis < 0 or seen >> axis & 1 != 0:
            return UNUSUAL
        seen |= 1 << axis
        axes.add(whole.extent(axis), whole.stride(axis), axis)
    return view_of(objects, x, axes)


def swapped(objects: ObjectsPointer, x: Int, args: Int, count: Int) -> Int:
    """`x.swapaxes(i, j)`; UNUSUAL for what Python must look at."""
    if count != 2 or not has_numbers(objects, x):
        return UNUSUAL
    var room = stack_allocation[2 * AXES, Int64]()
    var whole = Lie(objects, x, Int(room) + 8 * AXES)
    var i = _axis(objects, load(args, 0), whole.rank)
    var j = _axis(objects, load(args, 1), whole.rank)
    if whole.dtype == 0 or i < 0 or j < 0:
        return UNUSUAL
    var axes = _begun(whole, Int(room))
    for k in range(whole.rank):
        var axis = j if k == i else i if k == j else k
        axes.add(whole.extent(axis), whole.stride(axis), axis)
    return view_of(objects, x, axes)


def squeezed(objects: ObjectsPointer, x: Int, count: Int) -> Int:
    """`x.squeeze()`: the array itself if no axis has length 1; UNUSUAL for what Python must look at."""
    if count != 0 or not has_numbers(objects, x):
        return UNUSUAL
    var room = stack_allocation[2 * AXES, Int64]()
    var whole = Lie(objects, x, Int(room) + 8 * AXES)
    if whole.dtype == 0:
        return UNUSUAL
    var axes = _begun(whole, Int(room))
    for axis in range(whole.rank):
        if whole.extent(axis) != 1:
            axes.add(whole.extent(axis), whole.stride(axis), axis)
    if axes.rank == whole.rank:
        return kept(x)
    return view_of(objects, x, axes)


@always_inline
def _begun(whole: Lie, room: Int) -> Axes:
    """No axes yet of a view that begins where an array does."""
    var axes = Axes(room)
    axes.data = whole.data
    axes.dtype = whole.dtype
    return axes


@always_inline
def _axis(objects: ObjectsPointer, given: Int, rank: Int) -> Int:
    """The number of an axis from the front; negative for what is none."""
    if load(given, TYPE) != objects[].int_type:
        return -1
    var axis = objects[].api.small_int(given)
    if axis < 0:
        axis += rank
    return axis if axis < rank else -1
