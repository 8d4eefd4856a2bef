"""Buffers, and elements in them."""

from std.python import PythonObject
from vm.base.buffers import buffer_type, new_buffer, new_buffer_over
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS, BUFFER_OWNER
from vm.base.raw import ARRAY_DATA, TYPE, address_of, kept, load, owned
from vm.python.state import state_of
from vm.record.element import number_at
from vm.run.outside import Range, first_outside, nest_of_layout


def allocate(handle: PythonObject, nbytes: PythonObject) raises -> PythonObject:
    """A new Buffer, its memory not initialised."""
    var state = state_of(handle)
    var block = state[].pool.allocate(Int(py=nbytes))
    if block == 0:
        raise Error("out of memory")
    return owned(
        new_buffer(
            state[].objects.api.buffer_type,
            block,
            Int(py=nbytes),
            Int(Pointer(to=state[].pool)),
        )
    )


def adopt(
    handle: PythonObject,
    address: PythonObject,
    nbytes: PythonObject,
    owner: PythonObject,
    sharing: PythonObject,
) raises -> PythonObject:
    """A Buffer over memory that belongs to another object, which it keeps alive; `sharing` says who else
    uses it."""
    return owned(
        new_buffer_over(
            state_of(handle)[].objects.api.buffer_type,
            Int(py=address),
            Int(py=nbytes),
            address_of(owner),
            Int(py=sharing),
        )
    )


def address(handle: PythonObject, buffer: PythonObject) raises -> PythonObject:
    """Where the memory of a Buffer begins."""
    return PythonObject(_read(handle, buffer))


def holder(handle: PythonObject, buffer: PythonObject) raises -> PythonObject:
    """The object that the memory of a Buffer belongs to; None if that is ours."""
    ref objects = state_of(handle)[].objects
    if load(address_of(buffer), TYPE) != objects.api.buffer_type:
        raise Error("no buffer")
    var found = load(address_of(buffer), BUFFER_OWNER)
    return owned(kept(found)) if found != 0 else PythonObject(None)


def _read(handle: PythonObject, buffer: PythonObject) raises -> Int:
    """Where a Buffer begins whose elements are read."""
    ref objects = state_of(handle)[].objects
    if load(address_of(buffer), TYPE) != objects.api.buffer_type:
        raise Error("no buffer")
    objects.reads += 1
    return load(address_of(buffer), BUFFER_ADDRESS)


def element(
    handle: PythonObject,
    buffer: PythonObject,
    layout: PythonObject,
    code: PythonObject,
) raises -> PythonObject:
    """The element of a Buffer at which a layout begins, None the first, as a Python number."""
    ref api = state_of(handle)[].plan.api
    var at = _read(handle, buffer)
    if address_of(layout) != api.none:
        at += load(address_of(layout), ARRAY_DATA) - api.region
    return owned(number_at(at, Int(py=code)))


def outside(
    handle: PythonObject,
    buffer: PythonObject,
    layout: PythonObject,
    code: PythonObject,
    count: PythonObject,
    limits: PythonObject,
) raises -> PythonObject:
    """The first integer in C order that a layout sees in a Buffer, outside of limits; else None.

    Args:
        handle: The state.
        buffer: The Buffer.
        layout: None for the first `count` elements.
        code: Dtype code of the integers, which are taken as int64.
        count: How many there are.
        limits: The least that is inside, and the least above that is not.
    """
    ref state = state_of(handle)[]
    ref api = state.plan.api
    var at = _read(handle, buffer)
    var seen = address_of(layout)
    if seen == api.none:
        seen = 0
    else:
        at += load(seen, ARRAY_DATA) - api.region
    var dtype = Int(py=code)
    var nest = nest_of_layout(at, seen, itemsize(dtype), Int(py=count))
    var within = Range(Int(py=limits[0]), Int(py=limits[1]))
    var found = first_outside(nest, dtype, within, state.machine.threads)
    if found:
        return PythonObject(found.value())
    return PythonObject(None)


def memory_in_use(handle: PythonObject) raises -> PythonObject:
    """Bytes of array memory now allocated."""
    return PythonObject(state_of(handle)[].pool.in_use())
