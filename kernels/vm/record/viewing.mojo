"""Views as handles: of new axes over the memory of an array, from those that were put away if there is one."""

from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VIEWS,
)
from vm.base.objects import ObjectsPointer
from vm.base.raw import drop, kept, load, replace_slot, store
from vm.base.views import view_taken_out
from vm.record.layouts import Axes


def view_of(objects: ObjectsPointer, x: Int, axes: Axes) -> Int:
    """A view of the memory of `x`, a new reference; 0 if Python has raised."""
    var none = objects[].api.none
    var base = load(x, HANDLE_BASE)
    var used = view_taken_out(objects[].operators, axes.rank)
    if used != 0:
        return _view_again(objects, x, axes, used)
    var layout = axes.layout(objects)
    if layout == 0:
        return 0
    var shape = axes.shape(x)
    var made = objects[].new_handle(
        objects[].array_type,
        kept(none),
        x if base == none else base,
        layout,
        shape,
        load(x, HANDLE_CODE),
    )
    drop(shape)
    drop(layout)
    if made != 0:
        replace_slot(made, HANDLE_READONLY, load(x, HANDLE_READONLY))
    return made


def _view_again(
    objects: ObjectsPointer, x: Int, axes: Axes, var made: Int
) -> Int:
    """Makes a view that was put away into one of `x`."""
    var base = load(x, HANDLE_BASE)
    if base == objects[].api.none:
        base = x
    axes.become(objects, load(made, HANDLE_LAYOUT))
    replace_slot(made, HANDLE_BASE, base)
    store(base, HANDLE_VIEWS, load(base, HANDLE_VIEWS) + 1)
    if not axes.has_shape(load(made, HANDLE_SHAPE)):
        var shape = axes.shape(x)
        replace_slot(made, HANDLE_SHAPE, shape)
        drop(shape)
    if load(made, HANDLE_CODE) != load(x, HANDLE_CODE):
        replace_slot(made, HANDLE_CODE, load(x, HANDLE_CODE))
    if load(made, HANDLE_READONLY) != load(x, HANDLE_READONLY):
        replace_slot(made, HANDLE_READONLY, load(x, HANDLE_READONLY))
    return made
