"""Views: some of those that are freed are put away, with their layouts, to be used again.

That is for a layout that nobody else refers to, and which `vm.record.layouts` has made: then it may
become another one of as many axes.
"""

from vm.base.fields import (
    ARRAY_TYPE_PLACE,
    HANDLE_BASE,
    HANDLE_HEADER,
    HANDLE_KEY,
    HANDLE_LAYOUT,
    HANDLE_OPERATORS,
    HANDLE_VIEWS,
    HANDLE_WEAK,
    NONE_PLACE,
    VIEWS_PLACE,
    VIEW_COUNT_PLACE,
)
from vm.base.raw import (
    ARRAY_BASE,
    ARRAY_FLAGS,
    ARRAY_WEAK,
    REFCOUNT,
    array_rank,
    drop,
    load,
    refcount,
    replace_slot,
    store,
)

comptime MOST = 4
"""Views of a rank that are put away at most."""
comptime LARGEST_RANK = 4
comptime OWNS_DATA = 4
"""NumPy's flag of an array that frees its memory."""
comptime NEXT = HANDLE_VIEWS
"""The word of a view in the list that has the one before it."""


def put_view_away(object: Int, type: Int) -> Bool:
    """Puts away a handle that is to be freed, if it is such a view and there is room."""
    var table = load(object, HANDLE_OPERATORS)
    var none = load(table, NONE_PLACE)
    var base = load(object, HANDLE_BASE)
    var layout = load(object, HANDLE_LAYOUT)
    if (
        base == none
        or layout == none
        or type != load(table, ARRAY_TYPE_PLACE)
        or load(object, HANDLE_HEADER) != layout
        or load(object, HANDLE_WEAK) != 0
        or refcount(layout) != 2
        or load(layout, ARRAY_BASE) != 0
        or load(layout, ARRAY_FLAGS) & OWNS_DATA != 0
        or load(layout, ARRAY_WEAK) != 0
    ):
        return False
    var rank = array_rank(layout)
    if not 0 < rank <= LARGEST_RANK:
        return False
    replace_slot(object, HANDLE_KEY, none)  # may run other code
    var count = load(table, VIEW_COUNT_PLACE + rank)
    if count == MOST:
        return False
    store(base, HANDLE_VIEWS, load(base, HANDLE_VIEWS) - 1)
    store(object, NEXT, load(table, VIEWS_PLACE + rank))
    store(table, VIEWS_PLACE + rank, object)
    store(table, VIEW_COUNT_PLACE + rank, count + 1)
    replace_slot(object, HANDLE_BASE, none)
    return True


@always_inline
def view_taken_out(table: Int, rank: Int) -> Int:
    """A view of a rank that was put away, with one reference and no base; 0 if there is none."""
    if not 0 < rank <= LARGEST_RANK:
        return 0
    var object = load(table, VIEWS_PLACE + rank)
    if object == 0:
        return 0
    store(table, VIEWS_PLACE + rank, load(object, NEXT))
    store(
        table, VIEW_COUNT_PLACE + rank, load(table, VIEW_COUNT_PLACE + rank) - 1
    )
    store(object, REFCOUNT, 1)
    store(object, HANDLE_VIEWS, 0)
    return object
