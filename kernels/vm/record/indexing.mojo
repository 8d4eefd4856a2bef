"""`x[key]` and `x[key] = y` without a Python frame: elements, views, and writes through them.

As in `record`, what is not usual is left to the Python functions.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from vm.base.bytecode import itemsize
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_KEY,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
)
from vm.base.numbers import FIRST_FLOAT, FIRST_INTEGER, float_fits, int_fits
from vm.base.objects import (
    UNUSUAL,
    ObjectsPointer,
    item,
    single,
)
from vm.base.raw import (
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    int_of,
    kept,
    load,
    replace_slot,
    store,
)
from vm.base.pins import has_pinned, shares_memory
from vm.record.element import (
    address_of_element,
    computed_element,
    number_at,
)
from vm.record.elements import (
    OF_A_STATEMENT,
    be_patient,
    computes_for_element,
    element_at_place,
    element_read,
    element_written,
    forget_limits,
    is_index,
    memory_of,
    own_memory,
    write_element,
)
from vm.record.layouts import AXES, Axes, reverse, select, select_row
from vm.record.gathering import get_picked, set_picked
from vm.record.mixed import get_mixed, set_mixed
from vm.record.pinning import bind
from vm.record.record import write_part
from vm.record.few import compute_few, elements_as, is_of_few
from vm.record.viewing import view_of
from vm.run.frame import (
    MOST_AXES,
    MOST_ELEMENTS,
    MOST_READ,
    ROOM,
    Frame,
    elements_of,
    write_elements,
)
from vm.run.state import state_at
from vm.record.operands import array_of_list, taken_over, with_arrays


def get_part(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """`x[key]`: an element that is known or a copy of it, a view, or what arrays pick."""
    var made = UNUSUAL
    if _has_arrays(objects, key):
        made = get_picked(objects, x, key)
    elif _has_lists(objects, key):
        var arrays = with_arrays(objects, key)
        if arrays != 0:
            made = get_picked(objects, x, arrays)
            if made == UNUSUAL:
                made = get_mixed(objects, x, arrays)
            drop(arrays)
    else:
        made = _get_part(objects, x, key)
    return made if made != UNUSUAL else _get_otherwise(objects, x, key)


@no_inline
def _get_otherwise(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """`x[key]` for keys with pending integers, or with arrays beside integers or slices."""
    var made = UNUSUAL
    if _computes_key(objects, key):
        made = _get_part(objects, x, key)
    elif _has_arrays_without_axes(objects, key):
        var integers = _with_integers(objects, key)
        made = element_read(objects, x, integers)
        drop(integers)
    return made if made != UNUSUAL else get_mixed(objects, x, key)


def _computes_key(objects: ObjectsPointer, key: Int) -> Bool:
    """Computes pending scalars that are indices; whether there were any."""
    if objects[].learning > 0:
        return False
    var is_tuple = load(key, TYPE) == objects[].tuple_type
    var found = False
    for k in range(load(key, TUPLE_SIZE) if is_tuple else 1):
        var part = item(key, k) if is_tuple else key
        var dtype = 0
        if (
            objects[].is_scalar(load(part, TYPE))
            and is_index(objects, part)
            and address_of_element(objects[], part, dtype) == 0
        ):
            if computed_element(objects[], part, dtype) == 0:
                return False
            found = True
    return found


def _has_arrays_without_axes(objects: ObjectsPointer, key: Int) -> Bool:
    """Whether integers in a key are arrays without axes, which select an element as numbers do."""
    if objects[].learning > 0:
        return False
    var is_tuple = load(key, TYPE) == objects[].tuple_type
    for k in range(load(key, TUPLE_SIZE) if is_tuple else 1):
        if _is_integer_array(objects, item(key, k) if is_tuple else key):
            return True
    return False


def _is_integer_array(objects: ObjectsPointer, part: Int) -> Bool:
    return (
        load(part, TYPE) == objects[].array_type
        and load(load(part, HANDLE_SHAPE), TUPLE_SIZE) == 0
        and FIRST_INTEGER <= objects[].dtype(part) < FIRST_FLOAT
    )


def _with_integers(objects: ObjectsPointer, key: Int) -> Int:
    """A key with Python ints in place of such arrays that are known, or little work, a new reference."""
    if load(key, TYPE) != objects[].tuple_type:
        return _as_integer(objects, key)
    var count = load(key, TUPLE_SIZE)
    var made = external_call["PyTuple_New", Int](count)
    for k in range(count):
        store(made, TUPLE_ITEMS + k, _as_integer(objects, item(key, k)))
    return made


def _as_integer(objects: ObjectsPointer, part: Int) -> Int:
    var dtype = 0
    if not _is_integer_array(objects, part):
        return kept(part)
    var address = computed_element(objects[], part, dtype)
    return kept(part) if address == 0 else number_at(address, dtype)


@always_inline
def _has_arrays(objects: ObjectsPointer, key: Int) -> Bool:
    """Whether a key is an array, or begins with one."""
    var first = key
    if load(key, TYPE) == objects[].tuple_type:
        if load(key, TUPLE_SIZE) == 0:
            return False
        first = item(key, 0)
    return load(first, TYPE) == objects[].array_type


@always_inline
def _has_lists(objects: ObjectsPointer, key: Int) -> Bool:
    """Whether a key is a list or an array of NumPy's, or begins with one."""
    var first = key
    if load(key, TYPE) == objects[].tuple_type:
        if load(key, TUPLE_SIZE) == 0:
            return False
        first = item(key, 0)
    var type = load(first, TYPE)
    return (
        type == objects[].list_type or type == objects[].numpy_array_type
    ) and objects[].learning == 0


def _get_part(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    var type = load(x, TYPE)
    if objects[].is_scalar(type):
        return UNUSUAL
    var read = element_read(objects, x, key)
    # Python makes other parts of arrays of derived classes
    if read != UNUSUAL or type != objects[].array_type:
        return read
    return _part(objects, x, key)


@no_inline
def _part(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """`x[key]` where that is not known: a view, or a copy of an element."""
    var room = Int(stack_allocation[2 * AXES, Int64]())
    var axes = Axes(room)
    if not select(objects, x, key, axes, room + 8 * AXES):
        return UNUSUAL
    if axes.rank == 0 and not _has_dots(objects, key):
        var place = axes.data - objects[].api.region
        return _pending_element(objects, x, axes, place)
    var made = view_of(objects, x, axes)
    if made != 0 and load(x, HANDLE_BASE) == objects[].api.none:
        replace_slot(made, HANDLE_KEY, key)
    return made


def get_row(objects: ObjectsPointer, x: Int, index: Int) -> Int:
    """`x[index]` for an index from 0 on; UNUSUAL if it is out of bounds."""
    var type = load(x, TYPE)
    if objects[].is_scalar(type):
        return UNUSUAL
    var room = Int(stack_allocation[2 * AXES, Int64]())
    var axes = Axes(room)
    if not select_row(objects, x, index, axes, room + 8 * AXES):
        return UNUSUAL
    if axes.rank > 0:
        var is_plain = type == objects[].array_type
        return view_of(objects, x, axes) if is_plain else UNUSUAL
    var place = axes.data - objects[].api.region
    var read = element_at_place(objects, x, place)
    if read != UNUSUAL:
        return read
    return _pending_element(objects, x, axes, place)


def transposed(objects: ObjectsPointer, x: Int) -> Int:
    """`x.T`."""
    if load(x, TYPE) != objects[].array_type:
        return UNUSUAL
    var room = Int(stack_allocation[2 * AXES, Int64]())
    var axes = Axes(room)
    if not reverse(objects, x, axes, room + 8 * AXES):
        return UNUSUAL
    return view_of(objects, x, axes)


@always_inline
def _has_dots(objects: ObjectsPointer, key: Int) -> Bool:
    if load(key, TYPE) != objects[].tuple_type:
        return key == objects[].ellipsis
    for k in range(load(key, TUPLE_SIZE)):
        if item(key, k) == objects[].ellipsis:
            return True
    return False


def _pending_element(
    objects: ObjectsPointer, x: Int, axes: Axes, place: Int
) -> Int:
    """A scalar of an element at a place that is not computed, or was not."""
    if computes_for_element(objects):
        var read = element_at_place(objects, x, place)
        if read != UNUSUAL:
            return read
        be_patient(objects)
    return _copy_of_element(objects, x, axes)


def _copy_of_element(objects: ObjectsPointer, x: Int, axes: Axes) -> Int:
    """A scalar that will be the element where a layout without axes begins."""
    if objects[].full():
        return UNUSUAL
    var layout = axes.layout(objects)
    if layout == 0:
        return 0
    var code = load(x, HANDLE_CODE)
    var made = objects[].new_result(
        item(objects[].copies, int_of(code)),
        code,
        objects[].api.empty,
        single(objects[].value_of(x)),
        single(layout),
    )
    drop(layout)
    return made


def set_part(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """`x[key] = y`: None if it is written or recorded."""
    var done = _set(objects, x, key, y)
    if done != UNUSUAL or load(x, TYPE) != objects[].array_type:
        return done
    var given = array_of_list(objects, y, objects[].dtype(x))
    if given == 0:
        given = taken_over(objects, y, x)
    if given != 0:
        done = _set(objects, x, key, given)
        drop(given)
    return done


def _set(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """The same of arrays and scalars of ours, and of numbers."""
    var done = UNUSUAL
    if _has_arrays(objects, key):
        done = set_picked(objects, x, key, y)
    elif _has_lists(objects, key):
        var arrays = with_arrays(objects, key)
        if arrays != 0:
            done = set_picked(objects, x, arrays, y)
            if done == UNUSUAL:
                done = set_mixed(objects, x, arrays, y)
            drop(arrays)
    else:
        done = _set_part(objects, x, key, y)
    return done if done != UNUSUAL else _set_otherwise(objects, x, key, y)


@no_inline
def _set_otherwise(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """`x[key] = y` for keys with pending integers, or with arrays beside integers or slices."""
    var done = UNUSUAL
    if _computes_key(objects, key):
        done = _set_part(objects, x, key, y)
    elif (
        load(x, TYPE) == objects[].array_type
        and load(x, HANDLE_READONLY) == objects[].no
        and _has_arrays_without_axes(objects, key)
    ):
        var integers = _with_integers(objects, key)
        if element_written(objects, x, integers, y):
            done = kept(objects[].api.none)
        drop(integers)
    return done if done != UNUSUAL else set_mixed(objects, x, key, y)


def _set_part(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    var none = objects[].api.none
    var type = load(x, TYPE)
    if objects[].is_scalar(type) or load(x, HANDLE_READONLY) != objects[].no:
        return UNUSUAL
    if element_written(objects, x, key, y):
        return kept(none)
    if type != objects[].array_type or objects[].full():
        return UNUSUAL
    var base = load(x, HANDLE_BASE)
    if base == none:
        base = x
        if (
            load(y, TYPE) == objects[].array_type
            and load(y, HANDLE_BASE) == x
            and load(y, HANDLE_KEY) == key
            and key != none  # other views have no key
        ):
            return kept(none)  # `x[key] += y` has written through the view
    var dtype = load(x, HANDLE_CODE)
    if load(base, HANDLE_CODE) != dtype:
        return UNUSUAL
    return _recorded(objects, x, base, key, y)


@no_inline
def _recorded(
    objects: ObjectsPointer, x: Int, base: Int, key: Int, y: Int
) -> Int:
    """Records a write through a view."""
    var none = objects[].api.none
    var dtype = load(x, HANDLE_CODE)
    var room = Int(stack_allocation[2 * AXES, Int64]())
    var axes = Axes(room)
    if not select(objects, x, key, axes, room + 8 * AXES):
        return UNUSUAL
    if axes.rank == 0 and computes_for_element(objects):
        if element_written(objects, x, key, y):
            return kept(none)
        be_patient(objects)
    if wrote_elements(objects, base, axes, int_of(dtype), y):
        return kept(none)
    var source = _source(objects, y, dtype, axes)
    if source[0] == 0:
        return UNUSUAL
    if (
        x == base
        and load(y, TYPE) == objects[].array_type
        and source[1] == none
        and axes.data == objects[].api.region
        and axes.has_shape(load(base, HANDLE_SHAPE))
    ):
        # all of it is written: what it was is not needed, and values do not change
        if has_pinned(source[0], objects[].api.buffer_type):
            drop(source[0])
            return UNUSUAL
        var bound = bind(objects, base, source[0])
        drop(source[0])
        return kept(none) if bound else 0
    var layout = axes.layout(objects)
    if layout == 0:
        drop(source[0])
        return 0
    var done = write_part(objects, base, dtype, source[0], layout, source[1])
    drop(layout)
    return kept(none) if done else 0


def wrote_elements(
    objects: ObjectsPointer, base: Int, axes: Axes, dtype: Int, y: Int
) -> Bool:
    """Writes not too many elements at once: known ones, to memory that nobody else sees.

    Few are computed first in programs with many such steps: to record their write takes longer than to copy them.
    """
    if is_of_few(objects, y):
        compute_few(objects, y, OF_A_STATEMENT)
    var memory = own_memory(objects, base)
    var size = 1
    for axis in range(axes.rank):
        size = min(size, MOST_READ + 1) * load(axes.extents, axis)
    if memory == 0 or axes.rank > MOST_AXES or not 0 < size <= MOST_READ:
        return False
    var frame = Frame(axes.rank, axes.extents, size)
    var target = memory + axes.data - objects[].api.region
    var done: Bool
    if load(y, TYPE) == objects[].array_type:
        done = _wrote_array(objects, base, frame, axes, target, dtype, y)
    else:
        done = _wrote_number(objects, frame, axes, target, dtype, y)
    if done:
        forget_limits(load(base, HANDLE_VALUE))
    return done


def _wrote_number(
    objects: ObjectsPointer,
    frame: Frame,
    axes: Axes,
    target: Int,
    dtype: Int,
    y: Int,
) -> Bool:
    var number = Int(stack_allocation[2, Int64]())
    if not write_element(objects, number, dtype, y):
        return False
    var item = itemsize(dtype)
    write_elements(frame, axes.strides, target, number, 0, item)
    return True


def _wrote_array(
    objects: ObjectsPointer,
    base: Int,
    frame: Frame,
    axes: Axes,
    target: Int,
    dtype: Int,
    y: Int,
) -> Bool:
    var value = objects[].value_of(y)
    var item = itemsize(dtype)
    var few = Int(stack_allocation[ROOM, UInt8]())
    if objects[].dtype(y) != dtype:
        if frame.size > MOST_ELEMENTS:
            return False
        var cast = elements_as(objects, y, dtype, frame, few)
        if cast != 0:
            write_elements(frame, axes.strides, target, cast, item, item)
        return cast != 0
    if memory_of(objects, value) == 0:
        return False
    var many = 0
    if frame.size > MOST_ELEMENTS:
        many = external_call["malloc", Int](frame.size * item)
        if many == 0:
            return False
    var room = many if many != 0 else few
    var source = elements_of(
        state_at(objects[].state),
        value,
        load(y, HANDLE_LAYOUT),
        dtype,
        frame,
        room,
        frame.size,
    )
    if source != 0:
        if source != room and shares_memory(value, load(base, HANDLE_VALUE)):
            copy_bytes(room, source, frame.size * item)
            source = room
        write_elements(frame, axes.strides, target, source, item, item)
    external_call["free", NoneType](many)
    return source != 0


def _source(
    objects: ObjectsPointer, y: Int, dtype: Int, axes: Axes
) -> Tuple[Int, Int]:
    """What is written, owned, and its layout, borrowed; 0 if it must be converted first."""
    var none = objects[].api.none
    var type = load(y, TYPE)
    if type == objects[].api.float_type:
        if int_of(dtype) < FIRST_FLOAT or not float_fits(y, int_of(dtype)):
            return 0, none
        return kept(y), none
    if type == objects[].int_type:
        if not int_fits(y, int_of(dtype)):
            return 0, none
        return kept(y), none
    if not objects[].is_handle(y) or load(y, HANDLE_CODE) != dtype:
        return 0, none
    if type == objects[].array_type and not axes.has_shape(
        load(y, HANDLE_SHAPE)
    ):
        return 0, none
    return kept(objects[].value_of(y)), load(y, HANDLE_LAYOUT)
