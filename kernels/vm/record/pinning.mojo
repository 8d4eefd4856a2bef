"""Pinned memory: what is written to its arrays, steps that read it, and how others get views of it.

Others look at pinned memory whenever they like. So all of it is in order whenever a call of ours returns: steps
that read it have run (`settled`), and what is written to its array is there (`bind`). Its array's value is
a leaf, which no pending step and no other handle refers to.
"""

from std.ffi import external_call
from vm.base.fields import (
    BUFFER_ADDRESS,
    BUFFER_GRANTED,
    BUFFER_PINS,
    BUFFER_SHARING,
    BUFFER_SIZE,
    HANDLE_VALUE,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_INPUTS,
    VALUE_MARK,
    VALUE_SHAPE,
)
from vm.base.objects import PINNED, UNUSUAL, Objects, ObjectsPointer, item
from vm.base.pins import READ, exports, has_pinned, overlap
from vm.base.raw import (
    LIST_ITEMS,
    LIST_SIZE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    int_of,
    kept,
    load,
    refcount,
    replace_slot,
    store,
)
from vm.record.elements import (
    forget_limits,
    new_leaf,
    number_was_read,
    room_for,
)
from vm.record.floats import be_no_float
from vm.run.flush import flush_small
from vm.run.state import state_at


# -- steps


@always_inline
def settled(objects: ObjectsPointer, made: Int) -> Int:
    """What a call has made, once the steps that read pinned memory have run; 0 if Python has raised."""
    if load(objects[].urgent, 0) == 0:
        return made
    return _settled(objects, made)


@no_inline
def _settled(objects: ObjectsPointer, made: Int) -> Int:
    if made == UNUSUAL or made == 0:
        return made  # another function is asked, or an error on its way
    if hurried(objects):
        return made
    drop(made)
    return 0


def hurried(objects: ObjectsPointer) -> Bool:
    """Computes what must be before others come; False if Python has raised.

    What a call records that is learnt waits until the call ends: its learner is to see it pending.
    """
    ref known = objects[]
    if known.learnt > 0 and load(known.urgent, 0) & PINNED != 0:
        if load(known.urgent, 0) == PINNED and _is_learner(known):
            return True
        number_was_read(known)  # it is not learnt
    return compute_pending(objects)


def _is_learner(ref objects: Objects) -> Bool:
    """Whether this thread makes a call that is learnt, and no other one does."""
    var thread = external_call["PyThread_get_thread_ident", Int]()
    return objects.learnt > 0 and thread == objects.learner


def compute_pending(objects: ObjectsPointer) -> Bool:
    """Computes all that is pending; False if Python has raised."""
    if flush_small(state_at(objects[].state)):
        store(objects[].urgent, 0, 0)
        return True
    var done = external_call["PyObject_CallNoArgs", Int](objects[].flush)
    store(objects[].urgent, 0, 0)
    if done == 0:
        return False
    drop(done)
    return True


# -- writes


@always_inline
def bind(objects: ObjectsPointer, owner: Int, value: Int) -> Bool:
    """Gives an owner another value, borrowed; False if Python has raised.

    Where the owner's memory is pinned, the elements of the value are there then.
    """
    be_no_float(objects[], owner)
    if has_pinned(load(owner, HANDLE_VALUE), objects[].api.buffer_type):
        return _write_pinned(objects, owner, value)
    replace_slot(owner, HANDLE_VALUE, value)
    return True


@no_inline
def _write_pinned(objects: ObjectsPointer, owner: Int, value: Int) -> Bool:
    var none = objects[].api.none
    if _is_learner(objects[]):
        objects[].unwritten.append(kept(owner))
        objects[].unwritten.append(kept(load(owner, HANDLE_VALUE)))
        replace_slot(owner, HANDLE_VALUE, value)
        return True
    if load(value, VALUE_BUFFER) != none:
        return _copied(objects, owner, value)
    var old = load(owner, HANDLE_VALUE)
    var buffer = kept(load(old, VALUE_BUFFER))
    _ = kept(value)
    # whoever calls may refer to the old value still: the step is to be the only one that does
    var leaf = _leaf_over(objects, old, buffer)
    var done = leaf != 0
    if done:
        var log = objects[].log
        var others = 0
        for k in range(load(log, LIST_SIZE)):
            var step = load(load(log, LIST_ITEMS), k)
            if _replace_operand(step, old, leaf) and step != value:
                others += 1
            done = _copy_overlapping(objects, step, buffer) and done
        drop(leaf)
        # another step that reads it could have the memory for its own result
        if others == 0:
            store(buffer, BUFFER_GRANTED, refcount(buffer) - 1)
        replace_slot(owner, HANDLE_VALUE, value)
        done = compute_pending(objects) and done
        store(buffer, BUFFER_GRANTED, 0)
        if (
            load(owner, HANDLE_VALUE) == value
            and load(value, VALUE_BUFFER) != buffer
        ):
            done = _moved_back(objects, owner, value, buffer) and done
    drop(value)
    drop(buffer)
    return done


def write_unwritten(objects: ObjectsPointer) -> Bool:
    """Writes to pinned memory what a call that was learnt has given its owners; False if Python raises.

    An error that was raised before stays.
    """
    var kind = 0
    var error = 0
    var traceback = 0
    external_call["PyErr_Fetch", NoneType](
        Pointer(to=kind), Pointer(to=error), Pointer(to=traceback)
    )
    var done = True
    while len(objects[].unwritten) > 0:
        var old = objects[].unwritten.pop()
        var owner = objects[].unwritten.pop()
        var value = kept(load(owner, HANDLE_VALUE))
        replace_slot(owner, HANDLE_VALUE, old)
        drop(old)
        done = bind(objects, owner, value) and done
        drop(value)
        drop(owner)
    if kind != 0:
        external_call["PyErr_Restore", NoneType](kind, error, traceback)
    return done


def _copied(objects: ObjectsPointer, owner: Int, value: Int) -> Bool:
    """Writes the elements of a computed value to an owner's memory."""
    var source = load(value, VALUE_BUFFER)
    if load(source, TYPE) != objects[].api.buffer_type:
        replace_slot(owner, HANDLE_VALUE, value)  # it has none: a trace's
        return True
    _copy_elements(load(load(owner, HANDLE_VALUE), VALUE_BUFFER), source)
    forget_limits(load(owner, HANDLE_VALUE))
    return True


@always_inline
def _copy_elements(target: Int, source: Int):
    if target != source:
        copy_bytes(
            load(target, BUFFER_ADDRESS),
            load(source, BUFFER_ADDRESS),
            load(target, BUFFER_SIZE),
        )


def _replace_operand(value: Int, old: Int, new: Int) -> Bool:
    """Lets a step read another value in the place of one; whether it has read that."""
    var inputs = load(value, VALUE_INPUTS)
    var found = False
    for k in range(load(inputs, TUPLE_SIZE)):
        if item(inputs, k) == old:
            replace_slot(inputs, TUPLE_ITEMS + k, new)
            found = True
    return found


def _copy_overlapping(objects: ObjectsPointer, step: Int, buffer: Int) -> Bool:
    """Lets a step read copies of what other arrays have over parts of some memory; False if Python has raised."""
    var inputs = load(step, VALUE_INPUTS)
    for k in range(load(inputs, TUPLE_SIZE)):
        var operand = item(inputs, k)
        if (
            load(operand, TYPE) != objects[].api.value_type
            or load(load(operand, VALUE_BUFFER), TYPE)
            != objects[].api.buffer_type
            or not overlap(load(operand, VALUE_BUFFER), buffer)
        ):
            continue
        var copied = copied_leaf(objects, operand)
        if copied == 0:
            return False
        replace_slot(inputs, TUPLE_ITEMS + k, copied)
        drop(copied)
    return True


def _moved_back(
    objects: ObjectsPointer, owner: Int, value: Int, buffer: Int
) -> Bool:
    """Gives an owner its memory again, with the elements of its new value if they could be computed."""
    var found = load(value, VALUE_BUFFER)
    if load(found, TYPE) == objects[].api.buffer_type:
        _copy_elements(buffer, found)
    var leaf = _leaf_over(objects, value, buffer)
    if leaf == 0:
        return False
    store(leaf, VALUE_MARK, load(value, VALUE_MARK))
    replace_slot(owner, HANDLE_VALUE, leaf)
    drop(leaf)
    return True


def _leaf_over(objects: ObjectsPointer, like: Int, buffer: Int) -> Int:
    """A computed value like another one, in a buffer, borrowed; 0 if Python has raised.

    No step says where its elements are from, so that a call that makes one is not learnt.
    """
    if objects[].learning > 0:
        number_was_read(objects[])
    var code = int_of(load(like, VALUE_CODE)) >> 24
    return new_leaf(objects[], code, load(like, VALUE_SHAPE), kept(buffer))


# -- views for others


def memory_for_others(objects: ObjectsPointer, owner: Int) -> Int:
    """The buffer of an owner, borrowed, with all that was written; 0 if Python has raised.

    Nobody else refers to it, but for the views of it that others hold already: pending steps that read
    it run now, and copies that were not made yet are made.
    """
    be_no_float(objects[], owner)
    var none = objects[].api.none
    var value = load(owner, HANDLE_VALUE)
    if (
        load(value, VALUE_BUFFER) == none
        or refcount(value) > 1
        and load(objects[].log, LIST_SIZE) > 0
    ):
        if not compute_pending(objects):
            return 0
        value = load(owner, HANDLE_VALUE)
    var buffer = load(value, VALUE_BUFFER)
    if load(buffer, TYPE) != objects[].api.buffer_type:
        var done = external_call["PyObject_CallOneArg", Int](
            objects[].ensure, value
        )  # which raises
        if done == 0:
            return 0
        drop(done)
        return memory_for_others(objects, owner)
    forget_limits(value)
    if (
        refcount(value) > 1
        or refcount(buffer) - exports(buffer) > 1
        or load(buffer, BUFFER_SHARING) == READ
    ):
        return _parted(objects, owner)
    return buffer


def _parted(objects: ObjectsPointer, owner: Int) -> Int:
    """Gives an owner memory of its own; its buffer, borrowed, or 0 if Python has raised."""
    var value = load(owner, HANDLE_VALUE)
    var leaf = copied_leaf(objects, value)
    if leaf == 0:
        return 0
    store(leaf, VALUE_MARK, load(value, VALUE_MARK))
    replace_slot(owner, HANDLE_VALUE, leaf)
    drop(leaf)
    return load(leaf, VALUE_BUFFER)


def copied_leaf(objects: ObjectsPointer, value: Int) -> Int:
    """A computed value with a copy of the elements of another one; 0 if Python has raised."""
    var source = load(value, VALUE_BUFFER)
    var nbytes = load(source, BUFFER_SIZE)
    var buffer = room_for(objects, nbytes)
    if buffer == 0:
        return 0
    copy_bytes(
        load(buffer, BUFFER_ADDRESS), load(source, BUFFER_ADDRESS), nbytes
    )
    var leaf = _leaf_over(objects, value, buffer)
    drop(buffer)
    return leaf


def pin(buffer: Int, more: Int):
    """Adds to the pins of a buffer."""
    store(buffer, BUFFER_PINS, load(buffer, BUFFER_PINS) + more)
