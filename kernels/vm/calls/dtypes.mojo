"""The dtype that arrays and dtypes promote to together, by NumPy's C API."""

from std.memory import stack_allocation
from vm.base.objects import UNUSUAL, ObjectsPointer
from vm.base.raw import DTYPE_KIND, TYPE, Bytes, drop, load, store
from vm.calls.creating import code_of_dtype

comptime ResultType = def(
    arrays: Int, first_array: Int, dtypes: Int, first_dtype: Int
) thin abi("C") -> Int
comptime RESULT_TYPE = 273
"""Its place in the table of NumPy's C API."""
comptime MOST = 8
"""Arguments."""


def common_dtype(
    objects: ObjectsPointer, args: Int, count: Int, names: Int
) -> Int:
    """The dtype that arrays, dtypes and Python's numbers promote to; UNUSUAL for other arguments.

    Numbers change nothing here: UNUSUAL where their kind is above that of all else.
    """
    if names != 0 or not 0 < count <= MOST or objects[].learning > 0:
        return UNUSUAL
    var dtypes = Int(stack_allocation[MOST, Int64]())
    var strong = 0
    var weak = _TRUTH
    for k in range(count):
        var given = load(args, k)
        var kind = _kind_of_number(objects, given)
        weak = max(weak, kind)
        if kind != _NO_NUMBER:
            continue
        var code = _code_of(objects, given)
        if code < 0:
            return UNUSUAL
        store(dtypes, strong, objects[].api.dtypes[code])
        strong += 1
    if strong == 0:
        return UNUSUAL
    var make = load(objects[].numpy, RESULT_TYPE)
    var made = Pointer(to=make).unsafe_bitcast[ResultType]()[](
        0, 0, strong, dtypes
    )
    if made != 0 and weak > _kind_of_dtype(made):
        drop(made)
        return UNUSUAL
    return made


@always_inline
def _code_of(objects: ObjectsPointer, given: Int) -> Int:
    """The code of an array's dtype, or of a dtype; -1 for what is neither."""
    if objects[].is_handle(given):
        return objects[].dtype(given)
    return code_of_dtype(objects, given)


comptime _NO_NUMBER = -1
comptime _TRUTH = 0
comptime _INTEGER = 1
comptime _FLOAT = 2
comptime _COMPLEX = 3


@always_inline
def _kind_of_number(objects: ObjectsPointer, given: Int) -> Int:
    """The kind of a Python number but a bool, which is no weaker than an array."""
    var type = load(given, TYPE)
    if type == objects[].api.float_type:
        return _FLOAT
    if type == objects[].int_type:
        return _INTEGER
    return _COMPLEX if type == objects[].complex_type else _NO_NUMBER


@always_inline
def _kind_of_dtype(dtype: Int) -> Int:
    var letter = Bytes(unsafe_from_address=dtype + DTYPE_KIND)[]
    if letter == UInt8(ord("c")):
        return _COMPLEX
    if letter == UInt8(ord("b")):
        return _TRUTH
    var is_integer = letter == UInt8(ord("i")) or letter == UInt8(ord("u"))
    return _INTEGER if is_integer else _FLOAT
