"""Scalars of one known element: some of those that are freed are put away, to be used again.

Such a scalar is three objects: the handle, its value and a buffer with the element inside of it.
Nobody refers to any of them, so that they stay what they are, and only the element changes. Truth values
have a list of their own: they come and go in turns with numbers.
"""

from vm.base.fields import (
    BOOLS_PLACE,
    BOOL_COUNT_PLACE,
    BUFFER_ADDRESS,
    BUFFER_INSIDE,
    COUNT_PLACE,
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_HEADER,
    HANDLE_KEY,
    HANDLE_LAYOUT,
    HANDLE_OPERATORS,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    HANDLE_VIEWS,
    HANDLE_WEAK,
    NONE_PLACE,
    SCALARS_PLACE,
    SCALAR_TYPE_PLACE,
    VALUE_BUFFER,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_SHAPE,
    VALUE_MARK,
    VALUE_SITE,
    VALUE_WITHIN,
)
from vm.base.numbers import BOOL
from vm.base.raw import (
    REFCOUNT,
    TYPE_BASE,
    first_digit,
    load,
    refcount,
    store,
)

comptime MOST = 1 << 10
"""Scalars that are put away at most."""
comptime NEXT = HANDLE_VIEWS
"""The word of a scalar in the list that has the one before it."""


def put_away(object: Int, type: Int) -> Bool:
    """Puts away a handle that is to be freed, if it is such a scalar and there is room."""
    var table = load(object, HANDLE_OPERATORS)
    if load(type, TYPE_BASE) != load(table, SCALAR_TYPE_PLACE) or not _is_plain(
        object, load(table, NONE_PLACE)
    ):
        return False
    var value = load(object, HANDLE_VALUE)
    var buffer = load(value, VALUE_BUFFER)
    if not _is_inside(buffer):
        return False
    if first_digit(load(object, HANDLE_CODE)) == BOOL:
        return _put[BOOLS_PLACE, BOOL_COUNT_PLACE](table, object)
    return _put[SCALARS_PLACE, COUNT_PLACE](table, object)


@always_inline
def _put[list: Int, counter: Int](table: Int, object: Int) -> Bool:
    """Puts a scalar in front of a list, if there is room."""
    var count = load(table, counter)
    if count == MOST:
        return False
    store(object, NEXT, load(table, list))
    store(table, list, object)
    store(table, counter, count + 1)
    return True


@always_inline
def _is_plain(object: Int, none: Int) -> Bool:
    """Whether a scalar has nothing but a value, and that nothing but a buffer."""
    var value = load(object, HANDLE_VALUE)
    var empty = load(object, HANDLE_SHAPE)
    return (
        refcount(value) == 1
        and load(object, HANDLE_BASE) == none
        and load(object, HANDLE_LAYOUT) == none
        and load(object, HANDLE_HEADER) == none
        and load(object, HANDLE_KEY) == none
        and load(object, HANDLE_WEAK) == 0
        and load(value, VALUE_SHAPE) == empty
        and load(value, VALUE_INPUTS) == empty
        and load(value, VALUE_LAYOUTS) == none
        and load(value, VALUE_PARAMS) == none
        and load(value, VALUE_BUFFER) != none
        and load(value, VALUE_SITE) == 0
        and load(value, VALUE_WITHIN) == 0
        and load(value, VALUE_MARK) == 0
    )


@always_inline
def _is_inside(buffer: Int) -> Bool:
    """Whether a buffer has its memory inside of itself, and no other reference."""
    return (
        refcount(buffer) == 1
        and load(buffer, BUFFER_ADDRESS) == buffer + BUFFER_INSIDE
    )


@always_inline
def taken_out(table: Int, is_bool: Bool) -> Int:
    """A scalar that was put away, a truth value or not, with one reference; 0 if there is none."""
    if is_bool:
        return _taken[BOOLS_PLACE, BOOL_COUNT_PLACE](table)
    return _taken[SCALARS_PLACE, COUNT_PLACE](table)


@always_inline
def _taken[list: Int, counter: Int](table: Int) -> Int:
    """The first scalar of a list, 0 if there is none."""
    var object = load(table, list)
    if object == 0:
        return 0
    store(table, list, load(object, NEXT))
    store(table, counter, load(table, counter) - 1)
    store(object, REFCOUNT, 1)
    store(object, HANDLE_VIEWS, 0)
    return object
