"""The types of scalars, one for each dtype, compare equal to NumPy's of that dtype: `type(x[0]) == np.int64`.

So do the two types of float64 (`vm.record.floats`). They hash apart from NumPy's, so that what libraries
remember by class is of one or the other.
"""

from std.ffi import external_call
from vm.base.raw import (
    TYPE,
    TYPE_BASE,
    TYPE_COMPARE,
    TYPE_FLAGS,
    TYPE_HASH,
    TYPE_IS_TYPE,
    TYPE_NAME,
    load,
    store,
)

comptime _EQUAL = 2
comptime _UNEQUAL = 3
comptime Compare = def(x: Int, y: Int, operation: Int32) thin abi("C") -> Int
comptime Hash = def(x: Int) thin abi("C") -> Int
comptime _NUMPYS = 6
"""How many letters are in front of a dtype's name in that of a type of NumPy's: `numpy.`."""
comptime _OURS = 7
"""The same of ours: `jujunp.`."""


def set_comparison(metaclass: Int):
    """Has the types of a class of types be compared, and hashed, by their dtypes."""
    var compare: Compare = _compared
    var hash: Hash = _hashed
    store(metaclass, TYPE_COMPARE, Pointer(to=compare).unsafe_bitcast[Int]()[])
    store(metaclass, TYPE_HASH, Pointer(to=hash).unsafe_bitcast[Int]()[])


def _compared(x: Int, y: Int, operation: Int32) abi("C") -> Int:
    """`x == y` and `x != y` of a type of scalars and anything."""
    if operation != _EQUAL and operation != _UNEQUAL:
        var as_before = load(load(load(x, TYPE), TYPE_BASE), TYPE_COMPARE)
        return Pointer(to=as_before).unsafe_bitcast[Compare]()[](
            x, y, operation
        )
    var same = x == y or _is_type(y) and _have_one_dtype(x, y)
    return external_call["PyBool_FromLong", Int](
        Int(same == (operation == _EQUAL))
    )


def _have_one_dtype(x: Int, y: Int) -> Bool:
    """Whether another type is one of scalars of the same dtype, ours or NumPy's."""
    var name = _name(y)
    if load(y, TYPE) == load(x, TYPE):
        name += _OURS
    elif _is_numpys(name):
        name += _NUMPYS
    else:
        return False
    var ours = _name(x) + _OURS
    while _letter(ours) == _letter(name):
        if _letter(ours) == 0:
            return True
        ours += 1
        name += 1
    return False


def _is_numpys(name: Int) -> Bool:
    """Whether a name is that of a type of NumPy's."""
    var prefix = String("numpy.")
    for k in range(_NUMPYS):
        if prefix.as_bytes()[k] != _letter(name + k):
            return False
    return True


@always_inline
def _letter(at: Int) -> UInt8:
    return Pointer[UInt8, MutUntrackedOrigin](unsafe_from_address=at)[]


def _hashed(x: Int) abi("C") -> Int:
    """A hash of a type's name."""
    var found = 0
    var at = _name(x)
    while True:
        var letter = Int(_letter(at))
        if letter == 0:
            return found & ((1 << 61) - 1)
        found = found * 31 + letter
        at += 1


@always_inline
def _is_type(x: Int) -> Bool:
    return load(load(x, TYPE), TYPE_FLAGS) & TYPE_IS_TYPE != 0


@always_inline
def _name(type: Int) -> Int:
    return load(type, TYPE_NAME)
