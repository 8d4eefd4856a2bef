"""Operators on two known numbers of the usual dtypes, floats, integers and bool, of which nothing is to be warned.

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
from structured.threads.ieee import OVERFLOW
from vm.base.bytecode import itemsize
from vm.base.errors import watched
from vm.base.numbers import (
    BOOL,
    FIRST_FLOAT,
    FLOAT32,
    FLOAT64,
    INT64,
    UINT64,
    integer_fits,
)
from vm.base.objects import UNUSUAL, ObjectsPointer, pair
from vm.base.raw import FLOAT_VALUE, TYPE, drop, kept, load, store
from vm.record.element import at, integer_at, truth_at
from vm.record.elements import SCALAR_ELEMENT, address_inside, new_scalar
from vm.record.floats import be_no_float, show_number

# operators by their numbers, which are their places among the names in slots.mojo
comptime ADD = 0
comptime SUBTRACT = 1
comptime MULTIPLY = 2
comptime DIVIDE = 3
comptime FLOOR_DIVIDE = 4
comptime REMAINDER = 5
comptime AND = 6
comptime OR = 7
comptime XOR = 8
comptime LEFT_SHIFT = 9
comptime RIGHT_SHIFT = 10
comptime LAST = RIGHT_SHIFT

comptime FIRST_UNARY = 28
comptime NEGATIVE = FIRST_UNARY
comptime ABSOLUTE = FIRST_UNARY + 2
comptime INVERT = FIRST_UNARY + 3

comptime _PYTHON = -1
"""In place of the dtype of a Python int, which has that of what stands beside it."""
comptime _EXACT = 1 << 53
"""Below this sums of integers fit."""
comptime _HALF = 1 << 31
"""Below this products of integers fit."""
comptime _LEAST = 2.2250738585072014e-308
"""The least normal number."""
comptime _LEAST_SINGLE = Float32(1.1754943508222875e-38)
"""The same of a float32."""


struct _Number(TrivialRegisterPassable):
    """A number, and what it is."""

    var bits: Int
    """Of a float those of a float64."""
    var is_known: Bool
    var is_float: Bool
    var is_result: Bool
    """Whether what is calculated of it is no float of Python's."""
    var is_large: Bool
    """Whether it is an integer from 2**63 on, whose bits are below 0."""
    var dtype: Int
    """Its dtype, or `_PYTHON`; bool is one of integers here."""
    var code: Int
    """The same as an object."""

    @always_inline
    def __init__(out self, objects: ObjectsPointer, x: Int):
        self.bits = 0
        self.is_known = False
        self.is_float = False
        self.is_result = False
        self.is_large = False
        self.dtype = _PYTHON
        self.code = 0
        var type = load(x, TYPE)
        ref api = objects[].api
        if type == objects[].float_scalar_type or type == api.float_type:
            self.bits = load(x, FLOAT_VALUE)
            self.is_float = True
            self.is_known = True
            if type != api.float_type:
                self.dtype = FLOAT64
        elif objects[].is_scalar(type):
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
            if self.is_float:
                self.bits = load(address, 0)
                self.dtype = FLOAT64
                self.is_known = True
                return
            self.read(api.small_int(code), code, address)
        elif type == objects[].int_type:
            var overflow = Int32(0)
            self.bits = external_call["PyLong_AsLongLongAndOverflow", Int](
                x, Pointer(to=overflow)
            )
            self.is_known = overflow == 0
        elif type != objects[].array_type:
            var dtype = objects[].scalar_dtype(type)
            if dtype == FLOAT64:
                self.bits = load(x + SCALAR_ELEMENT, 0)
                self.is_float = True
                self.dtype = FLOAT64
                self.is_known = True
            elif dtype >= 0:
                var code = objects[].code_of(dtype)
                self.read(dtype, code, x + SCALAR_ELEMENT)

    @always_inline
    def read(mut self, dtype: Int, code: Int, address: Int):
        """Reads an integer, a truth value or a float32, if it is one."""
        if dtype == FLOAT32:
            var number = at[DType.float32](address).cast[DType.float64]()
            self.bits = Int(bitcast[DType.int64, 1](number))
            self.is_float = True
            self.dtype = FLOAT32
            self.is_known = True
        if dtype >= FIRST_FLOAT:
            return
        self.dtype = dtype
        self.code = code
        if dtype == BOOL:
            self.bits = Int(truth_at(address, dtype))
        else:
            self.bits = integer_at(address, dtype)
        self.is_large = dtype == UINT64 and self.bits < 0
        self.is_known = True

    @always_inline
    def value(self) -> Float64:
        if self.is_float:
            return bitcast[DType.float64, 1](Int64(self.bits))
        if self.is_large:
            return Float64(UInt64(self.bits))
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
    if not (a.is_known and b.is_known):
        return UNUSUAL
    if not (a.is_float or b.is_float):
        var code = _common_code(objects, a, b)
        if code == 0:
            return UNUSUAL
        comptime if number != DIVIDE:
            if objects[].api.small_int(code) == UINT64:
                return _of_unsigned[number](
                    objects, UInt64(a.bits), UInt64(b.bits), code
                )
            return _of_integers[number](objects, a, b, code)
    comptime if number <= DIVIDE:
        if a.dtype == FLOAT32 or b.dtype == FLOAT32:
            if not (_is_wide(a) or _is_wide(b)):
                return _of_singles[number](objects, a, b)
        var made = _of_floats[number](objects, a.value(), b.value())
        if a.is_result or b.is_result:
            _be_result(objects, made)
        return made
    else:
        return UNUSUAL


@always_inline
def _common_code(objects: ObjectsPointer, a: _Number, b: _Number) -> Int:
    """The dtype in which two integers are calculated; 0 for what is seldom, or an error."""
    if a.dtype == b.dtype:
        return a.code
    if a.dtype == _PYTHON:
        return _beside_python(objects, b, a.bits)
    if b.dtype == _PYTHON:
        return _beside_python(objects, a, b.bits)
    if a.dtype == BOOL:
        return b.code
    if b.dtype == BOOL:
        return a.code
    # the codes of signed integers, and then of unsigned ones, are in the order of their sizes
    if (a.dtype > INT64) == (b.dtype > INT64):
        return a.code if a.dtype > b.dtype else b.code
    if a.dtype > INT64:
        return b.code if a.dtype - INT64 < b.dtype else 0
    return a.code if b.dtype - INT64 < a.dtype else 0


@always_inline
def _beside_python(objects: ObjectsPointer, a: _Number, number: Int) -> Int:
    """The same for an integer and a Python int."""
    if a.dtype == BOOL:
        return objects[].int_code
    return a.code if integer_fits(number, a.dtype) else 0


@always_inline
def _of_integers[
    number: Int
](objects: ObjectsPointer, x: _Number, y: _Number, code: Int) -> Int:
    var a = x.bits
    var b = y.bits
    var dtype = objects[].api.small_int(code)
    comptime if not AND <= number <= XOR:
        if dtype == BOOL:
            return UNUSUAL  # there it is another function
    var found: Int
    comptime if number == ADD or number == SUBTRACT:
        if not (-_EXACT < a < _EXACT and -_EXACT < b < _EXACT):
            return UNUSUAL
        found = a + b if number == ADD else a - b
    elif number == MULTIPLY:
        var fits = -_HALF < a < _HALF and -_HALF < b < _HALF
        if not fits and dtype == INT64:
            return UNUSUAL
        found = a * b
    elif number == AND:
        found = a & b
    elif number == OR:
        found = a | b
    elif number == XOR:
        found = a ^ b
    elif number == LEFT_SHIFT or number == RIGHT_SHIFT:
        if not 0 <= b < 64:
            return UNUSUAL
        # of a shift to the left what is beyond the dtype is lost
        found = a << b if number == LEFT_SHIFT else a >> b
    else:
        if a < 0 or b <= 0:
            return UNUSUAL
        found = a // b if number == FLOOR_DIVIDE else a % b
    comptime if number <= REMAINDER:
        # products of 32 bits that are beyond 64 are below 0 here, and so do not fit
        if not integer_fits(found, dtype):
            if watched(objects[].errors_now()) & OVERFLOW != 0:
                return UNUSUAL
    return _made(objects, code, found)


@always_inline
def _of_unsigned[
    number: Int
](objects: ObjectsPointer, a: UInt64, b: UInt64, code: Int) -> Int:
    """The same of integers of 64 bits without a sign."""
    var found: UInt64
    var overflows = False
    comptime if number == ADD:
        found = a + b
        overflows = found < a
    elif number == SUBTRACT:
        found = a - b
        overflows = a < b
    elif number == MULTIPLY:
        found = a * b
        if (a | b) >> 32 != 0:
            overflows = a != 0 and found // a != b
    elif number == AND:
        found = a & b
    elif number == OR:
        found = a | b
    elif number == XOR:
        found = a ^ b
    elif number == LEFT_SHIFT or number == RIGHT_SHIFT:
        if b >= 64:
            return UNUSUAL
        found = a << b if number == LEFT_SHIFT else a >> b
    else:
        if b == 0:
            return UNUSUAL
        found = a // b if number == FLOOR_DIVIDE else a % b
    if overflows and watched(objects[].errors_now()) & OVERFLOW != 0:
        return UNUSUAL
    return _made(objects, code, Int(found))


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
def _is_wide(a: _Number) -> Bool:
    """Whether a number is computed as a float64 beside a float32."""
    return a.dtype == FLOAT64 or a.dtype == INT64


@always_inline
def _of_singles[
    number: Int
](objects: ObjectsPointer, x: _Number, y: _Number) -> Int:
    """The same of float32, and of Python numbers beside them."""
    if not (_is_single(x) and _is_single(y)):
        return UNUSUAL
    var a = x.value().cast[DType.float32]()
    var b = y.value().cast[DType.float32]()
    var found: Float32
    comptime if number == ADD:
        found = a + b
    elif number == SUBTRACT:
        found = a - b
    elif number == MULTIPLY:
        found = a * b
        if abs(found) < _LEAST_SINGLE and a != 0 and b != 0:
            return UNUSUAL
    else:
        if b == 0:
            return UNUSUAL
        found = a / b
        if abs(found) < _LEAST_SINGLE and a != 0:
            return UNUSUAL
    if not abs(found) <= Float32.MAX_FINITE:
        return UNUSUAL
    return _made_single(objects, found)


@always_inline
def _is_single(a: _Number) -> Bool:
    """Whether a number is a float32, or one of Python's that is rounded once to be one."""
    if a.dtype == FLOAT32:
        return True
    if a.dtype != _PYTHON:
        return False
    if a.is_float:
        return abs(a.value()) <= Float64(Float32.MAX_FINITE)
    return -_EXACT < a.bits < _EXACT


@always_inline
def _made_single(objects: ObjectsPointer, number: Float32) -> Int:
    var bits = Int(bitcast[DType.uint32, 1](number))
    return _made(objects, objects[].code_of(FLOAT32), bits)


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
        truth = _compared_integers(a, b, operation)
    elif (a.dtype == FLOAT32) == (b.dtype == FLOAT32):
        truth = _compared(a.value(), b.value(), operation)
    elif _is_single(a) and _is_single(b):
        truth = _compared(
            a.value().cast[DType.float32](),
            b.value().cast[DType.float32](),
            operation,
        )
    else:
        return UNUSUAL
    return _truth(objects, truth)


@always_inline
def _truth(objects: ObjectsPointer, truth: Bool) -> Int:
    """The scalar that says so; there is one of each, as in NumPy."""
    var known = objects[].truths[Int(truth)]
    return kept(known) if known != 0 else _new_truth(objects, truth)


@no_inline
def _new_truth(objects: ObjectsPointer, truth: Bool) -> Int:
    var made = new_scalar(objects, objects[].bool_code)
    if made != 0:
        Pointer[UInt8, MutUntrackedOrigin](
            unsafe_from_address=address_inside(objects, made)
        )[] = UInt8(Int(truth))
        objects[].truths[Int(truth)] = kept(made)
    return made


def known_power(objects: ObjectsPointer, x: Int, y: Int) -> Int:
    """`x ** y` of integers, and the square of a float64."""
    if _are_no_scalars(objects, x, y):
        return UNUSUAL
    var a = _Number(objects, x)
    if not a.is_known:
        return UNUSUAL
    var b = _Number(objects, y)
    if a.dtype == FLOAT32:
        return UNUSUAL
    if a.is_float:
        if b.dtype != _PYTHON or not b.is_known or b.bits != 2 or b.is_float:
            return UNUSUAL
        var made = _of_floats[MULTIPLY](objects, a.value(), a.value())
        if a.is_result:
            _be_result(objects, made)
        return made
    if not b.is_known or b.is_float or (b.bits < 0 and not b.is_large):
        return UNUSUAL
    var code = _common_code(objects, a, b)
    if code == 0 or objects[].api.small_int(code) == BOOL:
        return UNUSUAL
    # what is beyond the dtype is lost, as in NumPy
    var found = 1
    var base = a.bits
    var exponent = UInt64(b.bits)
    while exponent != 0:
        if exponent & 1 != 0:
            found *= base
        base *= base
        exponent >>= 1
    return _made(objects, code, found)


def known_divmod(objects: ObjectsPointer, x: Int, y: Int) -> Int:
    """`divmod(x, y)` of integers."""
    if _are_no_scalars(objects, x, y):
        return UNUSUAL
    var quotient = known_result[FLOOR_DIVIDE](objects, x, y)
    if quotient == UNUSUAL or quotient == 0:
        return quotient
    var rest = known_result[REMAINDER](objects, x, y)
    if rest == UNUSUAL or rest == 0:
        drop(quotient)
        return rest
    var made = pair(quotient, rest)
    drop(quotient)
    drop(rest)
    return made


@always_inline
def known_unary[number: Int](objects: ObjectsPointer, x: Int) -> Int:
    """`-x`, `abs(x)` or `~x`."""
    if not objects[].is_scalar(load(x, TYPE)) or objects[].learning > 0:
        return UNUSUAL
    var a = _Number(objects, x)
    if not a.is_known:
        return UNUSUAL
    if not a.is_float:
        return _of_integer[number](objects, a)
    comptime if number == INVERT:
        return UNUSUAL
    var sign = 1 << 63
    var bits = a.bits ^ sign if number == NEGATIVE else a.bits & ~sign
    if a.dtype == FLOAT32:
        var number = bitcast[DType.float64, 1](Int64(bits))
        return _made_single(objects, number.cast[DType.float32]())
    var made = _made(objects, objects[].float_code, bits)
    if a.is_result:
        _be_result(objects, made)
    return made


@always_inline
def _of_integer[number: Int](objects: ObjectsPointer, a: _Number) -> Int:
    if a.dtype == BOOL:
        comptime if number == INVERT:
            return _made(objects, a.code, 1 - a.bits)
        return UNUSUAL
    comptime if number == INVERT:
        if a.dtype <= INT64:
            return _made(objects, a.code, ~a.bits)
        if a.dtype == UINT64:
            return UNUSUAL
        return _made(
            objects, a.code, ~a.bits & ((1 << 8 * itemsize(a.dtype)) - 1)
        )
    if a.bits == Int.MIN or a.is_large:
        return UNUSUAL
    var found = -a.bits if number == NEGATIVE else abs(a.bits)
    if not integer_fits(found, a.dtype):
        return UNUSUAL
    return _made(objects, a.code, found)


@always_inline
def _compared_integers(a: _Number, b: _Number, operation: Int) -> Bool:
    if not (a.is_large or b.is_large):
        return _compared(a.bits, b.bits, operation)
    if a.bits < 0 and not a.is_large:
        return _compared(0, 1, operation)
    if b.bits < 0 and not b.is_large:
        return _compared(1, 0, operation)
    return _compared(UInt64(a.bits), UInt64(b.bits), operation)


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
