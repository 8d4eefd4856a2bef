"""The Python type of buffers: memory of one array each, freed with the last reference.

Python code sees them as opaque objects.
"""

from std.ffi import external_call
from vm.base.fields import (
    BUFFER_ADDRESS,
    BUFFER_END,
    BUFFER_GRANTED,
    BUFFER_OWNER,
    BUFFER_PINS,
    BUFFER_POOL,
    BUFFER_SHARING,
    BUFFER_SIZE,
)
from vm.base.memory import pool_at
from vm.base.pins import ALONE
from vm.base.raw import TYPE, kept, drop, load, store
from vm.base.types import (
    NOT_MADE_BY_CALLS,
    TP_DEALLOC,
    Free,
    new_object,
    new_type,
)


def buffer_type() raises -> Int:
    """The type of buffers."""
    var free: Free = _free_buffer
    return new_type(
        "jujunp.lazy.run.machine.Buffer",
        BUFFER_END,
        NOT_MADE_BY_CALLS,
        [(TP_DEALLOC, Pointer(to=free).unsafe_bitcast[Int]()[])],
    )


@always_inline
def new_buffer(type: Int, address: Int, nbytes: Int, pool: Int) -> Int:
    """A buffer over memory of a pool, which gets it back; 0 says that Python has raised."""
    var made = new_object(type)
    if made != 0:
        fill_buffer(made, address, nbytes, pool)
    return made


@always_inline
def fill_buffer(made: Int, address: Int, nbytes: Int, pool: Int):
    """Writes the fields of a new buffer."""
    store(made, BUFFER_ADDRESS, address)
    store(made, BUFFER_SIZE, nbytes)
    store(made, BUFFER_POOL, pool)
    store(made, BUFFER_OWNER, 0)
    store(made, BUFFER_PINS, 0)
    store(made, BUFFER_SHARING, ALONE)
    store(made, BUFFER_GRANTED, 0)


def new_buffer_over(
    type: Int, address: Int, nbytes: Int, owner: Int, sharing: Int
) -> Int:
    """A buffer over memory that belongs to another object, which it keeps alive.

    `sharing` says who else uses the memory (`vm.base.pins`).
    """
    var made = new_buffer(type, address, nbytes, 0)
    if made != 0:
        _ = kept(owner)
        store(made, BUFFER_OWNER, owner)
        store(made, BUFFER_SHARING, sharing)
    return made


def _free_buffer(object: Int) abi("C"):
    var type = load(object, TYPE)
    var pool = load(object, BUFFER_POOL)
    var owner = load(object, BUFFER_OWNER)
    if pool != 0:
        pool_at(pool)[].release(
            load(object, BUFFER_ADDRESS), load(object, BUFFER_SIZE)
        )
    external_call["PyObject_Free", NoneType](object)
    drop(type)
    if owner != 0:
        drop(owner)
