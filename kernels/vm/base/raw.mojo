"""Raw words of memory: CPython objects, NumPy's array structs and our own tables.

The planner reads values and NumPy's array headers in place, since attribute access through the C API
would cost more than everything else a small flush does.
"""

from std.ffi import external_call
from std.python import PythonObject

comptime Words = Pointer[Int64, MutUntrackedOrigin]
comptime Bytes = Pointer[UInt8, MutUntrackedOrigin]

comptime REFCOUNT = 0
comptime TYPE = 1
# PyTypeObject
comptime TYPE_DEALLOC = 6
comptime TYPE_NUMBER = 12
"""The address of the table of operators."""
comptime TYPE_NAME = 3
comptime TYPE_HASH = 15
comptime TYPE_CALL = 16
comptime TYPE_FLAGS = 21
comptime TYPE_IS_BYTES = 1 << 27
comptime TYPE_IS_TEXT = 1 << 28
comptime TYPE_IS_TYPE = 1 << 31
comptime TYPE_COMPARE = 25
comptime TYPE_BASE = 32
comptime TYPE_FREE = 40
comptime TYPE_MRO = 43
comptime TYPE_VECTORCALL = 50
comptime TUPLE_SIZE = 2
comptime TUPLE_ITEMS = 3
comptime LIST_SIZE = 2
comptime LIST_ITEMS = 3
"""The address of the items, which lie one after another."""
comptime FLOAT_VALUE = 2
comptime COMPLEX_VALUE = 2
comptime VIEW_OF = 8
"""What a memoryview is of: `obj` of its buffer."""
comptime INT_TAG = 2
"""Sign and number of the digits of an int, in another form from Python 3.12 on."""
comptime INT_DIGIT = 6
"""The lowest 30 bits, in a half word."""
comptime LOCK_OWNER = 3
"""The thread that has a `threading.RLock`, 0 if none has."""
# PyArrayObject_fields of NumPy's public C API
comptime ARRAY_DATA = 2
comptime ARRAY_RANK = 3
comptime ARRAY_SHAPE = 4
comptime ARRAY_STRIDES = 5
comptime ARRAY_BASE = 6
comptime ARRAY_DTYPE = 7
comptime ARRAY_FLAGS = 8
comptime IN_C_ORDER = 1
"""The flag of an array whose elements lie one after another."""
comptime IN_FORTRAN_ORDER = 2
"""The same of one with all its axes in reverse."""
comptime ARRAY_WEAK = 9
comptime DTYPE_KIND = 24
"""The byte of a NumPy dtype that is the letter of its kind."""


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
def _count(object: Int) -> Pointer[Int32, MutUntrackedOrigin]:
    """The half of the reference count that changes; it is negative in immortal objects."""
    return Pointer[Int32, MutUntrackedOrigin](unsafe_from_address=object)


@always_inline
def kept(object: Int) -> Int:
    """The object, with one more reference to it: `Py_IncRef` without a call in general."""
    var count = _count(object)[]
    if count > 0 and count < Int32.MAX:
        _count(object)[] = count + 1
    else:
        external_call["Py_IncRef", NoneType](object)
    return object


@always_inline
def drop(object: Int):
    """What `Py_DecRef` does, without a call unless it is the last reference."""
    var count = _count(object)[]
    if count > 1:
        _count(object)[] = count - 1
    else:
        external_call["Py_DecRef", NoneType](object)


@always_inline
def refcount(object: Int) -> Int:
    # CPython 3.12 keeps the count in the low half of the word
    return load(object, REFCOUNT) & 0xFFFFFFFF


@always_inline
def array_rank(array: Int) -> Int:
    return load(array, ARRAY_RANK) & 0xFFFFFFFF


@always_inline
def first_digit(object: Int) -> Int:
    """The lowest 30 bits of a Python int, without its sign."""
    var digits = Pointer[UInt32, MutUntrackedOrigin](unsafe_from_address=object)
    return Int(digits[unsafe_offset=INT_DIGIT])


@always_inline
def int_of(object: Int) -> Int:
    """A Python int (or bool) as two's complement of 64 bits."""
    return external_call["PyLong_AsUnsignedLongLongMask", Int](object)


def is_text(object: Int) -> Bool:
    """Whether this is a `str`."""
    return load(load(object, TYPE), TYPE_FLAGS) & TYPE_IS_TEXT != 0


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
