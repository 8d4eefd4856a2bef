"""`x[key]` and `x[key] = y` without a Python frame: elements, views, and writes through them.

As in `record`, what is not usual is left to the Python functions.
"""

from std.ffi import external_call
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_HEADER,
    HANDLE_KEY,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
)
from vm.base.numbers import FIRST_FLOAT, int_fits
from vm.base.objects import (
    UNUSUAL,
    Objects,
    extended,
    item,
    pair,
    same_shape,
    shape_of,
    single,
)
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    drop,
    int_of,
    kept,
    load,
    replace_slot,
)
from vm.record.elements import element_read, element_written
from vm.record.record import write_part


def get_part(ref objects: Objects, x: Int, key: Int) -> Int:
    if load(x, TYPE) != objects.array_type:
        return UNUSUAL
    var read = element_read(objects, x, key)
    if read != UNUSUAL:
        return read
    if objects.full():
        return UNUSUAL
    var selection = _select(objects, x, key)
    if selection[0] <= 0:
        return selection[0]
    var layout = selection[0]
    var none = objects.api.none
    var made: Int
    if selection[1]:
        var code = load(x, HANDLE_CODE)
        made = objects.new_result(
            item(objects.copies, int_of(code)),
            code,
            objects.api.empty,
            single(objects.value_of(x)),
            single(layout),
        )
    else:
        var base = load(x, HANDLE_BASE)
        var shape = shape_of(layout)
        made = objects.new_handle(
            objects.array_type,
            kept(none),
            x if base == none else base,
            layout,
            shape,
            load(x, HANDLE_CODE),
        )
        drop(shape)
        if made != 0:
            replace_slot(made, HANDLE_READONLY, load(x, HANDLE_READONLY))
            if base == none:
                replace_slot(made, HANDLE_KEY, key)
    drop(layout)
    return made


def _select(ref objects: Objects, x: Int, key: Int) -> Tuple[Int, Bool]:
    """The layout of `x[key]`, owned, and whether it is a single element.

    It is UNUSUAL for a key with arrays or anything odd, 0 if Python has raised.
    """
    var header = load(x, HANDLE_HEADER)
    if header == 0 or header == objects.api.none:
        return UNUSUAL, False
    var rank = load(load(x, HANDLE_SHAPE), TUPLE_SIZE)
    var type = load(key, TYPE)
    var whole: Int
    var element = False
    if type == objects.int_type:
        element = rank == 1
        whole = pair(key, objects.ellipsis)
    elif _is_basic(objects, key):
        whole = kept(key)
    elif type == objects.tuple_type:
        var integers = 0
        var complete = False
        var count = load(key, TUPLE_SIZE)
        for k in range(count):
            var part = item(key, k)
            if load(part, TYPE) == objects.int_type:
                integers += 1
            elif not _is_basic(objects, part):
                return UNUSUAL, False
            if part == objects.ellipsis:
                complete = True
        element = integers == count and count == rank
        whole = kept(key) if complete else extended(key, objects.ellipsis)
    else:
        return UNUSUAL, False
    var layout = external_call["PyObject_GetItem", Int](header, whole)
    drop(whole)
    return layout, element


@always_inline
def _is_basic(ref objects: Objects, part: Int) -> Bool:
    return (
        load(part, TYPE) == objects.slice_type
        or part == objects.ellipsis
        or part == objects.api.none
    )


def set_part(ref objects: Objects, x: Int, key: Int, y: Int) -> Int:
    var none = objects.api.none
    if (
        load(x, TYPE) != objects.array_type
        or load(x, HANDLE_READONLY) != objects.no
    ):
        return UNUSUAL
    if element_written(objects, x, key, y):
        return kept(none)
    if objects.full():
        return UNUSUAL
    var base = load(x, HANDLE_BASE)
    if base == none:
        base = x
        if (
            load(y, TYPE) == objects.array_type
            and load(y, HANDLE_BASE) == x
            and load(y, HANDLE_KEY) == key
            and key != none  # other views have no key
        ):
            return kept(none)  # `x[key] += y` has written through the view
    var dtype = load(x, HANDLE_CODE)
    if load(base, HANDLE_CODE) != dtype:
        return UNUSUAL
    var selection = _select(objects, x, key)
    var layout = selection[0]
    if layout <= 0:
        return layout
    var source = _source(objects, y, dtype, layout)
    if source[0] == 0:
        drop(layout)
        return UNUSUAL
    var done = write_part(objects, base, dtype, source[0], layout, source[1])
    drop(layout)
    return kept(none) if done else 0


def _source(
    ref objects: Objects, y: Int, dtype: Int, layout: Int
) -> Tuple[Int, Int]:
    """What is written, owned, and its layout, borrowed; 0 if it must be converted first."""
    var none = objects.api.none
    var type = load(y, TYPE)
    if type == objects.api.float_type:
        if int_of(dtype) < FIRST_FLOAT:
            return 0, none
        return kept(y), none
    if type == objects.int_type:
        if not int_fits(y, int_of(dtype)):
            return 0, none
        return kept(y), none
    if not objects.is_handle(y) or load(y, HANDLE_CODE) != dtype:
        return 0, none
    if type == objects.array_type:
        var shape = load(y, HANDLE_SHAPE)
        var wanted = shape_of(layout)
        var same = same_shape(shape, wanted)
        drop(wanted)
        if not same:
            return 0, none
    return kept(objects.value_of(y)), load(y, HANDLE_LAYOUT)
