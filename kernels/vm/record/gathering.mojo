"""`x[key]` and `x[key] = y` for index arrays, or a mask, without Python.

Few elements are picked at once where all is known (picking.mojo). Index arrays that are found to be in
bounds are recorded as a step. All else, and what is wrong, is for the Python functions.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from elementwise.dispatch.operations import opcode
from vm.base.bytecode import CONVERT, itemsize
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_PARAMS,
    VALUE_WITHIN,
)
from vm.base.numbers import FIRST_INTEGER, INT64, UINT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item, same_shape
from vm.base.pins import has_pinned
from vm.base.raw import (
    ARRAY_DATA,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    drop,
    int_of,
    kept,
    load,
    replace_slot,
    store,
)
from vm.record.elements import (
    address_inside,
    memory_of,
    new_scalar,
    remember,
    write_element,
)
from vm.record.floats import show_number
from vm.record.layouts import AXES, NEW, Axes
from vm.record.masking import (
    MOST_PENDING,
    Places,
    is_mask,
    masked,
    set_masked,
)
from vm.record.pinning import bind
from vm.record.picking import picked_at_once, set_at_once
from vm.record.selecting import set_number
from vm.run.flush import computed
from vm.run.frame import MOST_ELEMENTS
from vm.run.outside import Range, first_outside, nest_of_layout
from vm.run.state import state_at


def get_picked(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """A new array of the elements that index arrays or a mask pick."""
    if is_mask(objects, key):
        var made = masked(objects, x, key)
        return made if made != UNUSUAL else _masked_later(objects, x, key)
    if load(key, TYPE) == objects[].array_type:
        _compute_few(objects, key)
        var made = picked_at_once(objects, x, key)
        if made != UNUSUAL:
            return made
    else:
        _compute_few_of(objects, key)
    return _gathered(objects, x, key)


def set_picked(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """Writes to the elements that index arrays or a mask pick; the last one at a place stays.

    None, a new reference; UNUSUAL where that is left to Python: nothing is written then.
    """
    if is_mask(objects, key):
        var done = set_masked(objects, x, key, y)
        if done:
            return kept(objects[].api.none)
        return _set_masked_later(objects, x, key, y)
    if load(key, TYPE) == objects[].array_type:
        _compute_few(objects, key)
        if set_at_once(objects, x, key, y):
            return kept(objects[].api.none)
    else:
        _compute_few_of(objects, key)
    return _scattered(objects, x, key, y)


def _compute_few(objects: ObjectsPointer, key: Int):
    """Computes few pending indices: what they pick is read or written at once then."""
    var value = objects[].value_of(key)
    var dtype = objects[].dtype(key)
    if (
        not FIRST_INTEGER <= dtype < UINT64
        or load(value, VALUE_BUFFER) != objects[].api.none
        or objects[].learning > 0
    ):
        return
    var size = 1
    var shape = load(key, HANDLE_SHAPE)
    for axis in range(load(shape, TUPLE_SIZE)):
        size = min(size, MOST_ELEMENTS + 1) * objects[].api.small_int(
            item(shape, axis)
        )
    if size <= MOST_ELEMENTS:
        _ = kept(value)
        _ = computed(objects[], value)
        drop(value)


def _compute_few_of(objects: ObjectsPointer, key: Int):
    """The same of the arrays in a tuple."""
    if load(key, TYPE) == objects[].tuple_type:
        for k in range(load(key, TUPLE_SIZE)):
            if load(item(key, k), TYPE) == objects[].array_type:
                _compute_few(objects, item(key, k))


def _masked_later(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """Records what a known mask picks."""
    if _is_large_and_pending(objects, x):
        return UNUSUAL
    var places = Places(objects, x, key)
    if places.view == 0:
        return UNUSUAL
    var made = _gathered(objects, places.view, places.array)
    _ = places^  # is in use until here
    return made


def _is_large_and_pending(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether Python should compute an array first: a list of places takes as much memory as its elements."""
    if load(objects[].value_of(x), VALUE_BUFFER) != objects[].api.none:
        return False
    var size = 1
    var shape = load(x, HANDLE_SHAPE)
    for axis in range(load(shape, TUPLE_SIZE)):
        var extent = objects[].api.small_int(item(shape, axis))
        size = min(size, MOST_PENDING) * extent
    return size >= MOST_PENDING


def _set_masked_later(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """Records a write of an array to what a known mask picks, or of a number to where any mask is true."""
    if load(y, TYPE) != objects[].array_type:
        return set_number(objects, x, key, y)
    if _is_large_and_pending(objects, x):
        return UNUSUAL
    var places = Places(objects, x, key)
    if places.view == 0:
        return UNUSUAL
    var done = _scattered(objects, places.view, places.array, y)
    _ = places^  # is in use until here
    return done


comptime _LIMITING: List[Int] = [
    opcode("copy"),
    opcode("remainder"),
    opcode("floor_divide"),
]
"""Elementwise steps that limit their integers."""
comptime MOST_ARRAYS = 63
"""Index arrays of a key; Python refuses more, as NumPy does."""


struct Indices(TrivialRegisterPassable):
    """The index arrays of a key: itself, or those of a tuple of arrays of one shape."""

    var key: Int
    var count: Int
    """How many there are, 0 for a key with anything else."""
    var is_tuple: Bool

    def __init__(out self, objects: ObjectsPointer, key: Int):
        self.key = key
        self.is_tuple = load(key, TYPE) == objects[].tuple_type
        self.count = load(key, TUPLE_SIZE) if self.is_tuple else 1
        if self.count > MOST_ARRAYS:
            self.count = 0
            return
        for k in range(self.count):
            var array = self.array(k)
            if load(array, TYPE) != objects[].array_type or not same_shape(
                load(array, HANDLE_SHAPE), self.shape()
            ):
                self.count = 0
                return

    @always_inline
    def array(self, k: Int) -> Int:
        return item(self.key, k) if self.is_tuple else self.key

    @always_inline
    def shape(self) -> Int:
        return load(self.array(0), HANDLE_SHAPE)

    def shape_of_picked(self, x: Int) -> Int:
        """The shape of what they pick along the first axes, a new reference."""
        var rest = load(x, HANDLE_SHAPE)
        var axes = load(self.shape(), TUPLE_SIZE)
        if load(rest, TUPLE_SIZE) == self.count:
            return kept(self.shape())
        var made = external_call["PyTuple_New", Int](
            axes + load(rest, TUPLE_SIZE) - self.count
        )
        for axis in range(axes):
            store(made, TUPLE_ITEMS + axis, kept(item(self.shape(), axis)))
        for axis in range(self.count, load(rest, TUPLE_SIZE)):
            store(
                made,
                TUPLE_ITEMS + axes + axis - self.count,
                kept(item(rest, axis)),
            )
        return made

    def params(self, objects: ObjectsPointer) -> Int:
        """The parameters of the step, a new reference."""
        if self.count == 1:
            return kept(objects[].one_index_array)
        var made = external_call["PyTuple_New", Int](Int(1))
        var count = external_call["PyLong_FromSsize_t", Int](self.count)
        store(made, TUPLE_ITEMS, count)
        return made

    def behind(self, objects: ObjectsPointer, a: Int, b: Int) -> Int:
        """A tuple of the values of the arrays behind other ones, borrowed: one or two."""
        var first = 1 if b == 0 else 2
        var made = external_call["PyTuple_New", Int](first + self.count)
        store(made, TUPLE_ITEMS, kept(a))
        if b != 0:
            store(made, TUPLE_ITEMS + 1, kept(b))
        for k in range(self.count):
            var value = objects[].value_of(self.array(k))
            store(made, TUPLE_ITEMS + first + k, kept(value))
        return made

    def layouts_behind(self, objects: ObjectsPointer, a: Int, b: Int) -> Int:
        """As `behind`, of layouts."""
        var none = objects[].api.none
        var first = 1 if b == 0 else 2
        var is_whole = a == none and (b == 0 or b == none)
        for k in range(self.count):
            is_whole &= load(self.array(k), HANDLE_LAYOUT) == none
        if is_whole:
            return kept(none)
        var made = external_call["PyTuple_New", Int](first + self.count)
        store(made, TUPLE_ITEMS, kept(a))
        if b != 0:
            store(made, TUPLE_ITEMS + 1, kept(b))
        for k in range(self.count):
            var layout = kept(load(self.array(k), HANDLE_LAYOUT))
            store(made, TUPLE_ITEMS + first + k, layout)
        return made

    def are_in_bounds(self, objects: ObjectsPointer, x: Int) -> Bool:
        """Whether their elements are known to be inside of the first axes of an array."""
        if (
            self.count == 0
            or load(x, TYPE) != objects[].array_type
            or load(load(x, HANDLE_SHAPE), TUPLE_SIZE) < self.count
            or objects[].as_python()
            or objects[].learning > 0
        ):
            return False
        for k in range(self.count):
            var extent = item(load(x, HANDLE_SHAPE), k)
            var size = objects[].api.small_int(extent)
            if not _is_in_bounds(objects, self.array(k), size):
                return False
        return True


def _gathered(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """Records what index arrays pick along the first axes."""
    var indices = Indices(objects, key)
    if not indices.are_in_bounds(objects, x):
        return UNUSUAL
    var shape = indices.shape_of_picked(x)
    var params = indices.params(objects)  # before a thread can see the step
    var none = objects[].api.none
    var value = objects[].new_value(
        item(objects[].gathers, objects[].dtype(x)),
        shape,
        indices.behind(objects, objects[].value_of(x), 0),
        indices.layouts_behind(objects, load(x, HANDLE_LAYOUT), 0),
    )
    var made = 0
    if value != 0:
        replace_slot(value, VALUE_PARAMS, params)
        made = objects[].new_handle(
            objects[].array_type, value, none, none, shape, load(x, HANDLE_CODE)
        )
    drop(params)
    drop(shape)
    return made


def _scattered(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """Records a write to what index arrays pick along the first axes: of as many elements, or of a
    number."""
    var base = load(x, HANDLE_BASE)
    if base == objects[].api.none:
        base = x
    var indices = Indices(objects, key)
    if (
        load(x, HANDLE_READONLY) != objects[].no
        or load(base, HANDLE_CODE) != load(x, HANDLE_CODE)
        or not indices.are_in_bounds(objects, x)
    ):
        return UNUSUAL
    var shape = indices.shape_of_picked(x)
    var source = _source_of(objects, x, shape, y)
    drop(shape)
    if source[0] == 0:
        return UNUSUAL
    var done = _scatter(objects, x, base, indices, source[0], source[1])
    drop(source[0])
    drop(source[1])
    return done


def _source_of(
    objects: ObjectsPointer, x: Int, shape: Int, y: Int
) -> Tuple[Int, Int]:
    """The value to write and its layout, new references; 0 for none.

    It is an array of the dtype and of a shape, or a number that is repeated.
    """
    if load(y, TYPE) == objects[].array_type:
        if objects[].dtype(y) != objects[].dtype(x) or not same_shape(
            shape, load(y, HANDLE_SHAPE)
        ):
            return (0, 0)
        return kept(objects[].value_of(y)), kept(load(y, HANDLE_LAYOUT))
    var dtype = objects[].dtype(x)
    var scalar = new_scalar(objects, load(x, HANDLE_CODE))
    if scalar == 0:
        external_call["PyErr_Clear", NoneType]()
        return (0, 0)
    var value = 0
    var layout = 0
    if write_element(objects, address_inside(objects, scalar), dtype, y):
        show_number(objects[], scalar)
        var axes = Axes(Int(stack_allocation[AXES, Int64]()))
        axes.data = objects[].api.region
        axes.dtype = objects[].api.dtypes[dtype]
        for axis in range(load(shape, TUPLE_SIZE)):
            axes.add(objects[].api.small_int(item(shape, axis)), 0, NEW)
        layout = axes.layout(objects)
        if layout != 0:
            value = kept(load(scalar, HANDLE_VALUE))
        else:
            external_call["PyErr_Clear", NoneType]()
    drop(scalar)
    return (value, layout)


def _scatter(
    objects: ObjectsPointer,
    x: Int,
    base: Int,
    indices: Indices,
    source: Int,
    layout: Int,
) -> Int:
    # whatever is made may let other threads run, so that nothing is once the values were compared
    var params = indices.params(objects)
    var is_settled = False
    var done = UNUSUAL
    while not is_settled:
        var old = kept(load(base, HANDLE_VALUE))
        var value = objects[].new_value(
            item(objects[].scatters, objects[].dtype(x)),
            load(base, HANDLE_SHAPE),
            indices.behind(objects, old, source),
            indices.layouts_behind(objects, load(x, HANDLE_LAYOUT), layout),
        )
        # if not, another thread has written meanwhile
        is_settled = value == 0 or load(base, HANDLE_VALUE) == old
        drop(old)
        if value == 0:
            external_call["PyErr_Clear", NoneType]()
            break
        replace_slot(value, VALUE_PARAMS, params)
        if is_settled:
            var bound = bind(objects, base, value)
            done = kept(objects[].api.none) if bound else 0
        drop(value)
    drop(params)
    return done


@always_inline
def _tells_nothing(objects: ObjectsPointer, value: Int) -> Bool:
    """Whether integers must be computed to be known: the step that gives them does not limit them.

    Those that do are in the table of lazy/run/settling.py.
    """
    var code = load(value, VALUE_CODE)
    if code == item(objects[].gathers, INT64):
        return True
    var operation = objects[].api.small_int(code) & 0xFFFF
    comptime for limiting in _LIMITING:
        if operation == limiting:
            return False
    return operation < CONVERT


def _is_in_bounds(objects: ObjectsPointer, index: Int, extent: Int) -> Bool:
    """Whether an index array is known to be inside of an axis.

    What was found to be inside is remembered of a whole one.
    """
    var layout = load(index, HANDLE_LAYOUT)
    var is_whole = layout == objects[].api.none
    if (
        objects[].dtype(index) != INT64
        or not objects[].in_c_order(index)
        or load(load(index, HANDLE_SHAPE), TUPLE_SIZE) == 0
    ):
        return False
    var value = objects[].value_of(index)
    var limits = load(value, VALUE_WITHIN)
    var of_value = int_of(load(value, VALUE_CODE)) >> 24
    if limits != 0 and of_value == INT64:
        var low = objects[].api.small_int(item(limits, 0))
        var high = objects[].api.small_int(item(limits, 1))
        if -extent <= low and high <= extent:
            return True
    if _tells_nothing(objects, value) and computed(objects[], value) == 0:
        return False
    var memory = memory_of(objects, value)
    var count = 1
    for axis in range(load(load(index, HANDLE_SHAPE), TUPLE_SIZE)):
        count *= objects[].api.small_int(item(load(index, HANDLE_SHAPE), axis))
    if memory == 0 or count == 0:
        return False
    var start = 0
    if not is_whole:
        start = load(layout, ARRAY_DATA) - objects[].api.region
    try:
        var threads = state_at(objects[].state)[].machine.threads
        if first_outside(
            nest_of_layout(
                memory + start,
                0 if is_whole else layout,
                itemsize(INT64),
                count,
            ),
            INT64,
            Range(-extent, extent),
            threads,
        ):
            return False
    except:
        return False
    if is_whole and not has_pinned(value, objects[].api.buffer_type):
        remember(value, extent)
    return True
