"""Raw words of memory: CPython objects, NumPy's array structs and our own tables.

The planner reads values and NumPy's array headers in place, since attribute access through the C API
would cost more than everything else a small flush does.
"""

from std.ffi import external_call
from std.python import PythonObject

comptime Words = Pointer[Int64, MutUntrackedOrigin]
comptime Bytes = Pointer[UInt8, MutUntrackedOrigin]

comptime REFCOUNT = 0
comptime LARGE_COUNT = 1 << 31
"""Is set in the count of an object that lives for ever, of which only the interpreter knows how."""
comptime TYPE = 1
# PyTypeObject
comptime TYPE_OBJECT_SIZE = 4
comptime TYPE_DEALLOC = 6
comptime TYPE_BASE = 32
comptime TYPE_FREE = 40
comptime TUPLE_SIZE = 2
comptime TUPLE_ITEMS = 3
comptime FLOAT_VALUE = 2
# PyArrayObject_fields of NumPy's public C API
comptime ARRAY_DATA = 2
comptime ARRAY_RANK = 3
comptime ARRAY_SHAPE = 4
comptime ARRAY_STRIDES = 5
comptime ARRAY_BASE = 6
comptime ARRAY_DTYPE = 7
comptime ARRAY_FLAGS = 8
comptime ARRAY_WEAK = 9


@always_inline
def words(address: Int) -> Words:
    return Words(unsafe_from_address=address)


@always_inline
def address_of(object: PythonObject) -> Int:
    return Int(object._obj_ptr._unsized_obj_ptr.unsafe_value())


@always_inline
def load(address: Int, index: Int) -> Int:
    """The 8-byte word `index` words after `address`."""
    return Int(words(address)[unsafe_offset=index])


@always_inline
def store(address: Int, index: Int, value: Int):
    words(address)[unsafe_offset=index] = Int64(value)


@always_inline
def refcount(object: Int) -> Int:
    # CPython 3.12 keeps the count in the low half of the word
    return load(object, REFCOUNT) & 0xFFFFFFFF


@always_inline
def array_rank(array: Int) -> Int:
    return load(array, ARRAY_RANK) & 0xFFFFFFFF


@always_inline
def int_of(object: Int) -> Int:
    """A Python int (or bool) as two's complement of 64 bits."""
    return external_call["PyLong_AsUnsignedLongLongMask", Int](object)


@always_inline
def kept(object: Int) -> Int:
    """The object, with one more reference to it."""
    var count = load(object, REFCOUNT)
    if count & LARGE_COUNT == 0:
        store(object, REFCOUNT, count + 1)
    else:
        external_call["Py_IncRef", NoneType](object)
    return object


@always_inline
def drop(object: Int):
    """Takes one reference to the object away, which may be the last."""
    var count = load(object, REFCOUNT)
    if count & LARGE_COUNT == 0 and count & 0xFFFFFFFF > 1:
        store(object, REFCOUNT, count - 1)
    else:
        external_call["Py_DecRef", NoneType](object)


def owned(object: Int) -> PythonObject:
    """Takes over a reference."""
    var address = object
    var made = Pointer(to=address).unsafe_bitcast[PythonObject]()[]
    drop(object)
    return made^


@always_inline
def replace_slot(object: Int, index: Int, new: Int):
    """Puts the borrowed reference `new` into a field of a Python object and drops the old one."""
    var old = load(object, index)
    store(object, index, kept(new))
    if old != 0:
        drop(old)


@always_inline
def copy_bytes(target: Int, source: Int, count: Int):
    """Copies memory that does not overlap."""
    _ = external_call["memcpy", Int](target, source, count)


@always_inline
def fill_bytes(target: Int, byte: UInt8, count: Int):
    """Writes a byte `count` times."""
    _ = external_call["memset", Int](target, Int32(byte), count)
