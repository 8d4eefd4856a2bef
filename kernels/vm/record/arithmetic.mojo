"""Operators on two known numbers of the usual dtypes, float64 and int64, of which nothing is to be warned.

They are what programs do element by element, so they go without the tables of loops and operations. All else
is UNUSUAL: it is for `record`.
"""

from std.memory import bitcast
from std.ffi import external_call

from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    VALUE_BUFFER,
)
from vm.base.numbers import BOOL, FIRST_FLOAT, FIRST_INTEGER, FLOAT64, INT64
from vm.base.objects import UNUSUAL, ObjectsPointer
from vm.base.raw import FLOAT_VALUE, TYPE, load, store
from vm.record.element import integer_at, truth_at
from vm.record.elements import SCALAR_ELEMENT, address_inside, new_scalar
from vm.record.floats import be_no_float, show_number

# binary operators by their numbers (slots.mojo)
comptime ADD = 0
comptime SUBTRACT = 1
comptime MULTIPLY = 2
comptime DIVIDE = 3
comptime FLOOR_DIVIDE = 4
comptime REMAINDER = 5
comptime LAST = REMAINDER

comptime UINT64 = FIRST_FLOAT - 1
comptime _EXACT = 1 << 53
"""Below this sums of integers fit."""
comptime _HALF = 1 << 31
"""Below this products of integers fit."""
comptime _LEAST = 2.2250738585072014e-308
"""The least normal number."""


struct _Number(TrivialRegisterPassable):
    """A number, and what it is."""

    var bits: Int
    var is_known: Bool
    var is_float: Bool
    var is_result: Bool
    """Whether what is calculated of it is no float of Python's."""
    var is_narrow: Bool
    """Whether this is an integer of less than 64 bits: then it is compared only."""
    var is_truth: Bool
    """Whether this is a truth value, which is 0 or 1 beside other numbers."""

    @always_inline
    def __init__(out self, objects: ObjectsPointer, x: Int):
        self.bits = 0
        self.is_known = False
        self.is_float = False
        self.is_result = False
        self.is_narrow = False
        self.is_truth = False
        var type = load(x, TYPE)
        ref api = objects[].api
        if type == objects[].float_scalar_type or type == api.float_type:
            self.bits = load(x, FLOAT_VALUE)
            self.is_float = True
            self.is_known = True
        elif type == objects[].scalar_type:
            var code = load(x, HANDLE_CODE)
            var buffer = load(objects[].value_of(x), VALUE_BUFFER)
            if (
                load(buffer, TYPE) != api.buffer_type
                or load(x, HANDLE_LAYOUT) != api.none
            ):
                return
            var address = load(buffer, BUFFER_ADDRESS)
            self.is_float = code == objects[].float_code
            self.is_result = self.is_float
            if self.is_float or code == objects[].int_code:
                self.bits = load(address, 0)
                self.is_known = True
                return
            var dtype = api.small_int(code)
            self.is_narrow = FIRST_INTEGER <= dtype < UINT64
            self.is_truth = dtype == BOOL
            if self.is_narrow:
                self.bits = integer_at(address, dtype)
                self.is_known = True
            elif self.is_truth:
                self.bits = Int(truth_at(address, dtype))
                self.is_known = True
        elif type == objects[].int_type:
            var overflow = Int32(0)
            self.bits = external_call["PyLong_AsLongLongAndOverflow", Int](
                x, Pointer(to=overflow)
            )
            self.is_known = overflow == 0
        else:
            self.is_float = type == objects[].scalar_types[FLOAT64]
            self.is_known = (
                self.is_float or type == objects[].scalar_types[INT64]
            )
            if self.is_known:
                self.bits = load(x + SCALAR_ELEMENT, 0)

    @always_inline
    def value(self) -> Float64:
        if self.is_float:
            return bitcast[DType.float64, 1](Int64(self.bits))
        return Float64(self.bits)


@always_inline
def _are_no_scalars(objects: ObjectsPointer, x: Int, y: Int) -> Bool:
    return (
        not (
            objects[].is_scalar(load(x, TYPE))
            or objects[].is_scalar(load(y, TYPE))
        )
        or objects[].learning > 0
    )  # the learner must see steps


@always_inline
def known_result[number: Int](objects: ObjectsPointer, x: Int, y: Int) -> Int:
    """`x + y` and the like, a new reference; 0 if Python has raised."""
    comptime if number > LAST:
        return UNUSUAL
    if _are_no_scalars(objects, x, y):
        return UNUSUAL
    var a = _Number(objects, x)
    var b = _Number(objects, y)
    if not (a.is_known and b.is_known) or a.is_narrow or b.is_narrow:
        return UNUSUAL
    if a.is_truth and b.is_truth:
        return UNUSUAL  # whose sums are truth values
    comptime if number != DIVIDE:
        if not (a.is_float or b.is_float):
            return _of_integers[number](objects, a.bits, b.bits)
    comptime if number <= DIVIDE:
        var made = _of_floats[number](objects, a.value(), b.value())
        if a.is_result or b.is_result:
            _be_result(objects, made)
        return made
    else:
        return UNUSUAL


@always_inline
def _of_integers[number: Int](objects: ObjectsPointer, a: Int, b: Int) -> Int:
    var found: Int
    comptime if number == ADD or number == SUBTRACT:
        if not (-_EXACT < a < _EXACT and -_EXACT < b < _EXACT):
            return UNUSUAL
        found = a + b if number == ADD else a - b
    elif number == MULTIPLY:
        if not (-_HALF < a < _HALF and -_HALF < b < _HALF):
            return UNUSUAL
        found = a * b
    else:
        if a < 0 or b <= 0:
            return UNUSUAL
        found = a // b if number == FLOOR_DIVIDE else a % b
    return _made(objects, objects[].int_code, found)


@always_inline
def _of_floats[
    number: Int
](objects: ObjectsPointer, a: Float64, b: Float64) -> Int:
    var found: Float64
    comptime if number == ADD:
        found = a + b
    elif number == SUBTRACT:
        found = a - b
    elif number == MULTIPLY:
        found = a * b
        if abs(found) < _LEAST and a != 0 and b != 0:
            return UNUSUAL
    else:
        if b == 0:
            return UNUSUAL
        found = a / b
        if abs(found) < _LEAST and a != 0:
            return UNUSUAL
    if not abs(found) <= Float64.MAX_FINITE:
        return UNUSUAL
    return _made(
        objects,
        objects[].float_code,
        Int(bitcast[DType.int64, 1](found)),
    )


@always_inline
def known_comparison(
    objects: ObjectsPointer, x: Int, y: Int, operation: Int
) -> Int:
    """`x < y` and the like; `operation` is their order in Python's header."""
    if _are_no_scalars(objects, x, y):
        return UNUSUAL
    var a = _Number(objects, x)
    var b = _Number(objects, y)
    if not (a.is_known and b.is_known):
        return UNUSUAL
    var truth: Bool
    if not (a.is_float or b.is_float):
        truth = _compared(a.bits, b.bits, operation)
    else:
        truth = _compared(a.value(), b.value(), operation)
    var made = new_scalar(objects, objects[].bool_code)
    if made != 0:
        Pointer[UInt8, MutUntrackedOrigin](
            unsafe_from_address=address_inside(objects, made)
        )[] = UInt8(Int(truth))
    return made


@always_inline
def known_unary[negates: Bool](objects: ObjectsPointer, x: Int) -> Int:
    """`-x` or `abs(x)`."""
    if not objects[].is_scalar(load(x, TYPE)) or objects[].learning > 0:
        return UNUSUAL
    var a = _Number(objects, x)
    if not a.is_known or a.is_narrow or a.is_truth:
        return UNUSUAL
    if a.is_float:
        var sign = 1 << 63
        var bits = a.bits ^ sign if negates else a.bits & ~sign
        var made = _made(objects, objects[].float_code, bits)
        if a.is_result:
            _be_result(objects, made)
        return made
    if a.bits == Int.MIN:
        return UNUSUAL
    var found = -a.bits if negates else abs(a.bits)
    return _made(objects, objects[].int_code, found)


@always_inline
def _compared[T: Comparable](a: T, b: T, operation: Int) -> Bool:
    if operation == 0:
        return a < b
    if operation == 1:
        return a <= b
    if operation == 2:
        return a == b
    if operation == 3:
        return a != b
    return a > b if operation == 4 else a >= b


@always_inline
def _be_result(objects: ObjectsPointer, made: Int):
    """Makes a new scalar one that is no float of Python's."""
    if made != 0 and made != UNUSUAL:
        be_no_float(objects[], made)


@always_inline
def _made(objects: ObjectsPointer, code: Int, bits: Int) -> Int:
    var made = new_scalar(objects, code)
    if made != 0:
        store(address_inside(objects, made), 0, bits)
        show_number(objects[], made)
    return made
