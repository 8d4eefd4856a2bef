"""Calls that NumPy makes: an argument is text, an object, a date, a structure, or answers NumPy itself.

What is found here is only looked at: Python hands the call over, or leaves it to the function.
"""

from std.ffi import external_call
from vm.base.objects import UNUSUAL, item
from vm.base.raw import ARRAY_DTYPE, TUPLE_SIZE, TYPE, drop, load
from vm.calls.shared import Calls
from vm.record.derived import is_derived
from vm.record.exchange import is_sequence, part_of
from structured.operands.operand import MAX_RANK

# what arguments of a type are, by the numbers in `Calls.kinds`; Python adds a type that is not there
comptime _OURS = 0
"""No reason to hand a call over."""
comptime _NUMPYS = 1
comptime _NUMPYS_IN_LISTS = 2
comptime _NAMES = 3
"""NumPy's in lists; else if they are among `Calls.names_of_dtypes`."""
comptime _DTYPES = 4
"""NumPy's if their elements are."""

comptime _DESCR_NUMBER = 3
"""The word with the number of a dtype in its upper half."""
comptime _NUMBERS: List[Int] = [13, 16, 17, 18, 19, 20, 21, 22, 2056]
"""Long doubles, objects, bytes, text, structures, dates, durations, and text of any length."""


comptime OURS = 0
comptime DERIVED = 1
comptime NUMPYS = 2


def whose(ref calls: Calls, args: Int, count: Int) -> Int:
    """Who makes a call with these arguments: the function, a class derived from ours, or NumPy, perhaps."""
    var found = OURS
    if calls.kinds == 0:
        return found
    for k in range(count):
        found = max(found, _whose(calls, load(args, k), in_list=False))
    return found


def _whose(ref calls: Calls, x: Int, *, in_list: Bool) -> Int:
    ref objects = calls.objects[]
    var type = load(x, TYPE)
    if objects.is_handle(x) or type == objects.int_type:
        return OURS
    if type == objects.numpy_array_type:
        return _numpys_if(_has_numbers_of_numpys(load(x, ARRAY_DTYPE)))
    if x == objects.api.none:
        return _numpys_if(in_list)
    if not is_sequence(objects, x):
        return _by_type(calls, x, in_list)
    var first = x
    for _ in range(MAX_RANK):
        if not is_sequence(objects, first):
            return _whose(calls, first, in_list=True)
        if load(first, TUPLE_SIZE) == 0:
            return OURS
        first = part_of(objects, first, 0)
    return OURS


@always_inline
def _numpys_if(condition: Bool) -> Int:
    return NUMPYS if condition else OURS


def _has_numbers_of_numpys(dtype: Int) -> Bool:
    """Whether a dtype is one that NumPy alone has."""
    var number = load(dtype, _DESCR_NUMBER) >> 32
    comptime for other in _NUMBERS:
        if number == other:
            return True
    return False


def _by_type(ref calls: Calls, x: Int, in_list: Bool) -> Int:
    var found = external_call["PyDict_GetItem", Int](calls.kinds, load(x, TYPE))
    if found == 0:
        return DERIVED if is_derived(calls.objects, x) else NUMPYS
    var kind = calls.objects[].api.small_int(found)
    if kind == _NAMES and not in_list:
        return _numpys_if(
            external_call["PyDict_GetItem", Int](calls.names_of_dtypes, x) != 0
        )
    if kind == _DTYPES:
        return _numpys_if(_has_numbers_of_numpys(x))
    return _numpys_if(kind == _NUMPYS or (kind != _OURS and in_list))


def handed_over(ref calls: Calls, call: Int) -> Int:
    """What Python makes of such a call, a tuple of its function, arguments and names, which is dropped.

    UNUSUAL if it leaves the call to the function.
    """
    var made = external_call["PyObject_Call", Int](calls.host, call, Int(0))
    drop(call)
    if made == calls.left:
        drop(made)
        return UNUSUAL
    return made
