"""`x[key]` and `x[key] = y` where a key has integers or slices beside index arrays or a mask, without Python.

A view of what the others select, with the axes that the arrays are for moved to the front, is indexed by
the arrays alone. What is picked is then turned: its new axes go where NumPy has them.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.operands.operand import MAX_RANK
from vm.base.fields import HANDLE_SHAPE
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import (
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    drop,
    kept,
    load,
    store,
)
from vm.record.elements import is_index
from vm.record.gathering import get_picked, set_picked
from vm.record.layouts import AXES, Axes, all_axes, axes_for, select
from vm.record.masking import is_mask
from vm.record.operands import with_arrays
from vm.record.viewing import view_of


struct Mixed:
    """A key taken apart."""

    var part: Int
    """The view, an owned reference; 0 for a key of another kind."""
    var key: Int
    """The array that indexes its first axes, or a tuple of arrays, an owned reference."""
    var at: Int
    """How many axes of what is selected come before those of the arrays."""
    var width: Int
    """How many axes the arrays give."""

    def __init__(out self, objects: ObjectsPointer, x: Int, given: Int):
        self.part = 0
        self.key = 0
        self.at = 0
        self.width = 0
        if (
            load(given, TYPE) != objects[].tuple_type
            or load(x, TYPE) != objects[].array_type
            or objects[].learning > 0
        ):
            return
        var key = with_arrays(objects, given)
        var axes = Axes(Int(stack_allocation[AXES, Int64]()))
        var room = Int(stack_allocation[AXES, Int64]())
        self.key = _arrays_of(objects, key)
        if self.key != 0 and select[arrays=True](objects, x, key, axes, room):
            self._turn(objects, x, key, axes)
        drop(key)

    def __del__(deinit self):
        if self.part != 0:
            drop(self.part)
        if self.key != 0:
            drop(self.key)

    def _turn(mut self, objects: ObjectsPointer, x: Int, key: Int, axes: Axes):
        """Makes the view, given the axes of what the key selects with slices for its arrays."""
        var order = Int(stack_allocation[MAX_RANK, Int64]())
        var room = Int(stack_allocation[AXES, Int64]())
        var count = 0
        var axis = 0
        var last = -1
        var is_split = False
        var missing = _axes_of_dots(objects, key, axes.rank)
        for k in range(load(key, TUPLE_SIZE)):
            var part = item(key, k)
            var picks = _width(objects, part)
            if picks < 0:  # a slice, or a new axis
                axis += missing if part == objects[].ellipsis else 1
                if (
                    part == objects[].ellipsis
                    and missing == 0
                    and last == k - 1
                ):
                    last = k  # it is nothing
                continue
            if last < 0:
                self.at = axis
            else:
                is_split |= last != k - 1
            last = k
            for _ in range(picks):
                store(order, count, axis)
                count += 1
                axis += 1
        if is_split:
            self.at = 0
        var first = self.key
        if load(first, TYPE) == objects[].tuple_type:
            first = item(first, 0)
        self.width = 1 if is_mask(objects, first) else _rank(first)
        self.part = view_of(objects, x, axes.fronted(order, count, room))
        if self.part == 0:
            external_call["PyErr_Clear", NoneType]()

    def turned(self, objects: ObjectsPointer, picked: Int) -> Int:
        """What was picked with its axes in place; takes over that reference."""
        if picked == 0 or picked == UNUSUAL or self.at == 0:
            return picked
        var order = Int(stack_allocation[MAX_RANK, Int64]())
        for k in range(self.at):
            store(order, k, self.width + k)
        var made = _view_in_order(objects, picked, order, self.at)
        drop(picked)
        return made

    def fronted(self, objects: ObjectsPointer, y: Int) -> Int:
        """What is written, in the order of what is picked, a new reference; 0 if it has other axes."""
        if self.at == 0 or load(y, TYPE) != objects[].array_type:
            return kept(y)
        var rest = _rank(self.part) - _picking(objects, self.key)
        if _rank(y) != self.width + rest:
            return 0
        var order = Int(stack_allocation[MAX_RANK, Int64]())
        for k in range(self.width):
            store(order, k, self.at + k)
        var made = _view_in_order(objects, y, order, self.width)
        if made == 0:
            external_call["PyErr_Clear", NoneType]()
        return made


def get_mixed(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """`x[key]`; UNUSUAL for keys of other kinds, and what is wrong."""
    var mixed = Mixed(objects, x, key)
    if mixed.part == 0:
        return UNUSUAL
    var made = get_picked(objects, mixed.part, mixed.key)
    return mixed.turned(objects, made)


def set_mixed(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """`x[key] = y`, and None; UNUSUAL for keys of other kinds, and what is wrong: nothing is written then."""
    var mixed = Mixed(objects, x, key)
    if mixed.part == 0:
        return UNUSUAL
    var source = mixed.fronted(objects, y)
    if source == 0:
        return UNUSUAL
    var done = set_picked(objects, mixed.part, mixed.key, source)
    drop(source)
    _ = mixed^  # is in use until here
    return done


def _arrays_of(objects: ObjectsPointer, key: Int) -> Int:
    """The array of a key, or its arrays as a tuple, a new reference; 0 if it has none, or nothing else.

    A mask is alone.
    """
    var arrays = List[Int]()
    var masks = 0
    for k in range(load(key, TUPLE_SIZE)):
        var part = item(key, k)
        if load(part, TYPE) == objects[].array_type:
            arrays.append(part)
            masks += Int(is_mask(objects, part))
            if _rank(part) == 0:
                return 0
    if not 0 < len(arrays) < load(key, TUPLE_SIZE):
        return 0
    if len(arrays) == 1:
        return kept(arrays[0])
    if masks > 0:
        return 0
    var made = external_call["PyTuple_New", Int](len(arrays))
    for k in range(len(arrays)):
        store(made, TUPLE_ITEMS + k, kept(arrays[k]))
    return made


@always_inline
def _rank(handle: Int) -> Int:
    return load(load(handle, HANDLE_SHAPE), TUPLE_SIZE)


@always_inline
def _width(objects: ObjectsPointer, part: Int) -> Int:
    """How many axes of the view an array is for, 0 of an integer; -1 of what selects no elements."""
    if load(part, TYPE) == objects[].array_type:
        return axes_for(objects, part)
    if load(part, TYPE) == objects[].int_type or is_index(objects, part):
        return 0
    return -1


def _axes_of_dots(objects: ObjectsPointer, key: Int, rank: Int) -> Int:
    """How many of the axes that a key selects are those of its ellipsis."""
    var named = 0
    for k in range(load(key, TUPLE_SIZE)):
        var part = item(key, k)
        if part != objects[].ellipsis:
            named += abs(_width(objects, part))
    return rank - named


def _picking(objects: ObjectsPointer, key: Int) -> Int:
    """How many axes of a view the arrays are for."""
    if load(key, TYPE) == objects[].tuple_type:
        return load(key, TUPLE_SIZE)
    return _width(objects, key)


def _view_in_order(
    objects: ObjectsPointer, x: Int, order: Int, count: Int
) -> Int:
    """A view of all axes, of which some, in an order, come first; 0 if Python has raised."""
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    var room = Int(stack_allocation[AXES, Int64]())
    _ = all_axes(objects, x, axes, room)
    return view_of(objects, x, axes.fronted(order, count, room))
