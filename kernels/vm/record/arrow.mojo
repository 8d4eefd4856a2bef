"""Arrow's C data interface: https://arrow.apache.org/docs/format/CDataInterface.html.

A capsule has a structure, which a consumer may take over: it moves the words, and has them released when and in
whatever thread it likes. What it has not taken, the capsule's end releases.
"""

from std.ffi import external_call
from vm.base.raw import TUPLE_ITEMS, int_of, load, store

# words of an `ArrowSchema`
comptime FORMAT = 0
comptime SCHEMA_RELEASE = 7
comptime SCHEMA_WORDS = 9

# words of an `ArrowArray`
comptime LENGTH = 0
comptime BUFFER_COUNT = 3
comptime BUFFERS = 5
comptime ARRAY_RELEASE = 8
comptime PRIVATE = 9
comptime ARRAY_WORDS = 10

# what an array's private data has: the addresses of its two buffers, then a `Py_buffer`
comptime HELD_WORDS = 2 + 10

comptime Release = def(structure: Int) thin abi("C")
comptime Destructor = def(capsule: Int) thin abi("C")


def capsules(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A tuple of capsules: of a type, and of the elements.

    Args: the letters of the type (bytes that live on), what has the elements in a row as a buffer, how
    many elements there are.
    """
    var schema = _schema(load(args, 0))
    if schema == 0:
        return 0
    var array = _array(load(args, 1), int_of(load(args, 2)))
    if array == 0:
        external_call["Py_DecRef", NoneType](schema)
        return 0
    var made = external_call["PyTuple_New", Int](Int(2))
    store(made, TUPLE_ITEMS, schema)
    store(made, TUPLE_ITEMS + 1, array)
    return made


def _schema(letters: Int) -> Int:
    var structure = external_call["calloc", Int](Int(SCHEMA_WORDS), Int(8))
    var text = external_call["PyBytes_AsString", Int](letters)
    store(structure, FORMAT, text)
    var release: Release = _release_schema
    store(structure, SCHEMA_RELEASE, _address(release))
    var end: Destructor = _end_schema
    return external_call["PyCapsule_New", Int](
        structure, Int("arrow_schema".ptr()), _address(end)
    )


def _array(elements: Int, length: Int) -> Int:
    var held = external_call["calloc", Int](Int(HELD_WORDS), Int(8))
    if (
        external_call["PyObject_GetBuffer", Int32](
            elements, held + 16, Int32(0)
        )
        != 0
    ):
        external_call["free", NoneType](held)
        return 0
    store(held, 1, load(held, 2))
    var structure = external_call["calloc", Int](Int(ARRAY_WORDS), Int(8))
    store(structure, LENGTH, length)
    store(structure, BUFFER_COUNT, 2)
    store(structure, BUFFERS, held)
    store(structure, PRIVATE, held)
    var release: Release = _release_array
    store(structure, ARRAY_RELEASE, _address(release))
    var end: Destructor = _end_array
    return external_call["PyCapsule_New", Int](
        structure, Int("arrow_array".ptr()), _address(end)
    )


@always_inline
def _address[F: TrivialRegisterPassable](function: F) -> Int:
    var given = function
    return Pointer(to=given).unsafe_bitcast[Int]()[]


def _release_schema(structure: Int) abi("C"):
    store(structure, SCHEMA_RELEASE, 0)


def _release_array(structure: Int) abi("C"):
    var held = load(structure, PRIVATE)
    store(structure, ARRAY_RELEASE, 0)
    if external_call["Py_IsInitialized", Int32]() == 0:
        return  # the interpreter is gone, and its memory with it
    var state = external_call["PyGILState_Ensure", Int32]()
    external_call["PyBuffer_Release", NoneType](held + 16)
    external_call["PyGILState_Release", NoneType](state)
    external_call["free", NoneType](held)


def _end_schema(capsule: Int) abi("C"):
    _end(capsule, "arrow_schema", SCHEMA_RELEASE)


def _end_array(capsule: Int) abi("C"):
    _end(capsule, "arrow_array", ARRAY_RELEASE)


def _end(capsule: Int, name: StringLiteral, place: Int):
    """Releases the structure of a capsule, unless a consumer has taken it over."""
    var structure = external_call["PyCapsule_GetPointer", Int](
        capsule, Int(name.ptr())
    )
    var release = load(structure, place)
    if release != 0:
        Pointer(to=release).unsafe_bitcast[Release]()[](structure)
    external_call["free", NoneType](structure)
