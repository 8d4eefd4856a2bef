"""`np.float64(2) * x`: operators of NumPy's scalars, which hand over at once to what is ours beside them.

By itself NumPy looks up half a dozen attributes of what stands beside its scalar, then asks its
`__array_ufunc__`: 0.5 us, ten times as long as the step that this ends in. So each of its types gets
another table of operators, whose functions look for a handle first, and leave all else to NumPy's.
"""

from std.ffi import external_call
from vm.base.objects import Objects
from vm.base.raw import (
    TYPE,
    TYPE_BASE,
    TYPE_COMPARE,
    TYPE_FLAGS,
    TYPE_NUMBER,
    copy_bytes,
    load,
    store,
)
from vm.base.types import is_native_handle
from vm.record.slots import (
    BINARY,
    Comparison,
    Function2,
    Function3,
    binary,
    compared,
    quotient_and_rest,
    raised_to,
)

comptime _PLACES: List[Int] = [0, 1, 2, 30, 29, 3, 13, 15, 14, 11, 12]
"""Where a table of Python's has the operators of `BINARY`."""
comptime _DIVMOD = 4
comptime _POWER = 5
comptime _RESERVED = 17
"""A place that Python leaves empty: in a table of ours one more than the number of the type."""
comptime _WORDS = 36
"""Of a table; ours goes on with the address of NumPy's, and of NumPy's comparison."""
comptime _COMPARISON = _WORDS + 1
comptime _MOST_TYPES = 16
comptime _HEAP_TYPE = 1 << 9
comptime _SWAPPED: List[Int] = [4, 5, 2, 3, 0, 1]
"""`x < y` is `y > x`: comparisons by their order in Python's header."""


def know_operators(ref objects: Objects) raises:
    """Lets the operators of NumPy's scalar types of our dtypes know our arrays and scalars."""
    if len(objects.scalar_types) > _MOST_TYPES:
        raise Error("there are more scalar types than operators for them")
    comptime for number in range(_MOST_TYPES):
        if number < len(objects.scalar_types):
            var type = objects.scalar_types[number]
            if type != objects.api.none and (
                load(type, TYPE_FLAGS) & _HEAP_TYPE == 0
            ):
                _extend[number](type)


def _extend[number: Int](type: Int):
    """Gives a type another table of operators, in which each that it has knows handles."""
    var theirs = load(type, TYPE_NUMBER)
    if theirs == 0 or _is_ours[number](theirs):
        return
    var table = external_call["calloc", Int](Int(_COMPARISON + 1), Int(8))
    if table == 0:
        return
    copy_bytes(table, theirs, 8 * _WORDS)
    store(table, _WORDS, theirs)
    store(table, _COMPARISON, load(type, TYPE_COMPARE))
    store(table, _RESERVED, number + 1)
    comptime for k in range(len(BINARY)):
        comptime place = _PLACES[k]
        var function: Function2 = _binary[number, k]
        _replace(table, place, _address(function))
    var divmod: Function2 = _divmod[number]
    _replace(table, _DIVMOD, _address(divmod))
    var power: Function3 = _power[number]
    _replace(table, _POWER, _address(power))
    var comparison: Comparison = _compare[number]
    store(type, TYPE_NUMBER, table)
    store(type, TYPE_COMPARE, _address(comparison))


def _replace(table: Int, place: Int, function: Int):
    if load(table, place) != 0:
        store(table, place, function)


@always_inline
def _address[F: TrivialRegisterPassable](function: F) -> Int:
    var given = function
    return Pointer(to=given).unsafe_bitcast[Int]()[]


@always_inline
def _is_ours[number: Int](table: Int) -> Bool:
    return load(table, _RESERVED) == number + 1


@always_inline
def _table_of[number: Int](x: Int, y: Int) -> Int:
    """Our table of a type; an operator was called for it, so that it is that of either operand."""
    var table = _table(x)
    if table != 0 and _is_ours[number](table):
        return table
    return _table(y)


@always_inline
def _table(x: Int) -> Int:
    """The table of an object's type, or of that from which Python code has derived it."""
    var type = load(x, TYPE)
    while load(type, TYPE_FLAGS) & _HEAP_TYPE != 0:
        type = load(type, TYPE_BASE)
    return load(type, TYPE_NUMBER)


@always_inline
def _is_handle(x: Int) -> Bool:
    return is_native_handle(load(x, TYPE))


def _binary[number: Int, k: Int](x: Int, y: Int) abi("C") -> Int:
    """`x + y` and the like."""
    if _is_handle(y):
        return binary[k](x, y)
    var theirs = load(_table_of[number](x, y), _WORDS)
    var function = load(theirs, comptime (_PLACES[k]))
    return Pointer(to=function).unsafe_bitcast[Function2]()[](x, y)


def _divmod[number: Int](x: Int, y: Int) abi("C") -> Int:
    """`divmod(x, y)`."""
    if _is_handle(y):
        return quotient_and_rest(x, y)
    var function = load(load(_table_of[number](x, y), _WORDS), _DIVMOD)
    return Pointer(to=function).unsafe_bitcast[Function2]()[](x, y)


def _power[number: Int](x: Int, y: Int, modulus: Int) abi("C") -> Int:
    """`x ** y`."""
    if _is_handle(y):
        return raised_to(x, y, modulus)
    var function = load(load(_table_of[number](x, y), _WORDS), _POWER)
    return Pointer(to=function).unsafe_bitcast[Function3]()[](x, y, modulus)


def _compare[number: Int](x: Int, y: Int, operation: Int32) abi("C") -> Int:
    """`x < y` and the like."""
    if _is_handle(y):
        comptime swapped = _SWAPPED
        return compared(y, x, Int32(materialize[swapped]()[Int(operation)]))
    var function = load(_table_of[number](x, y), _COMPARISON)
    return Pointer(to=function).unsafe_bitcast[Comparison]()[](x, y, operation)
