"""The operators of handles as Python's interpreter calls them: C functions in the slots of their types.

Each finds its operator by its number, in the table that every handle refers to. What the functions of
`record` are not for, the Python functions answer that were given for the operator.
"""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.fields import HANDLE_OPERATORS, HANDLE_SHAPE, VIEW_COUNT_PLACE
from vm.base.errors import SCALARS
from vm.base.objects import UNUSUAL, Objects, ObjectsPointer, item
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    drop,
    kept,
    load,
    store,
)
from vm.record.derived import (
    HAS_PARTS,
    finished,
    has,
    is_derived,
    plain,
    source_of,
)
from vm.record.arithmetic import (
    ABSOLUTE,
    FIRST_UNARY,
    FLOOR_DIVIDE,
    INVERT,
    NEGATIVE,
    REMAINDER,
    known_comparison,
    known_divmod,
    known_power,
    known_result,
    known_unary,
)
from vm.record.element import (
    address_of_element,
    computed_element,
    float_at,
    int_at,
    number_at,
    truth_at,
)
from vm.record.elements import number_was_read
from vm.record.indexing import get_part, get_row, set_part, transposed
from vm.record.operands import key_of_arrays
from vm.record.pinning import settled
from vm.record.scalars import float_of, part_of_scalar
from vm.record.texts import text_of
from vm.record.views_of_memory import release_memory, view_memory
from vm.record.methods import (
    METHODS,
    TP_METHODS,
    set_doc,
    table_of_methods,
)
from vm.base.types import (
    MP_LENGTH,
    MP_SET_SUBSCRIPT,
    MP_SUBSCRIPT,
    TP_ITER,
    Slot,
    is_handle_type,
    is_native_handle,
    text,
)
from vm.record.record import (
    Operator,
    OperatorPointer,
    array_beside,
    divided,
    new_operator,
    operator_at,
    recorded_augmented,
    recorded_binary,
    recorded_unary,
    simple_power,
)

comptime NAMES = (
    "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __and__ __or__"
    " __xor__ __lshift__ __rshift__"
    " __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __iand__"
    " __ior__ __ixor__ __ilshift__ __irshift__"
    " __lt__ __le__ __eq__ __ne__ __gt__ __ge__"
    " __neg__ __pos__ __abs__ __invert__ __getitem__ __setitem__"
    " __float__ __int__ __index__ __bool__ __iter__ __len__ __pow__ __ipow__"
    " T real imag __hash__ __divmod__ __str__ __repr__ " + METHODS
)
"""The operators; the number of each is its place here."""
comptime BINARY: List[Int] = [7, 36, 29, 37, 12, 34, 8, 31, 38, 28, 35]
"""The numbers of Python's slots for the first of them."""
comptime FIRST_AUGMENTED = 11
comptime AUGMENTED: List[Int] = [14, 23, 18, 24, 16, 21, 15, 19, 25, 17, 22]
comptime FIRST_COMPARISON = 22
comptime UNARY: List[Int] = [30, 32, 6, 27]
comptime GET = 32
comptime SET = 33
comptime FIRST_NUMBER = 34
comptime NUMBERS: List[Int] = [11, 26, 13]
comptime TRUTH = FIRST_NUMBER + len(NUMBERS)
comptime NB_BOOL = 9
comptime ITERATION = TRUTH + 1
comptime LENGTH = ITERATION + 1
comptime SQ_LENGTH = 45
comptime POWER = LENGTH + 1
comptime AUGMENTED_POWER = POWER + 1
comptime TRANSPOSED = AUGMENTED_POWER + 1
comptime NB_POWER = 33
comptime NB_INPLACE_POWER = 20
comptime REAL = TRANSPOSED + 1
comptime IMAGINARY = REAL + 1
comptime HASH = IMAGINARY + 1
comptime DIVMOD = HASH + 1
comptime NB_DIVMOD = 10
comptime STR = DIVMOD + 1
comptime REPR = STR + 1
comptime TP_STR = 70
comptime TP_REPR = 66
comptime FIRST_METHOD = REPR + 1
comptime FLOAT = FIRST_NUMBER
comptime INT = FIRST_NUMBER + 1
comptime FIRST_COMPLEX = 13
"""From this dtype code on elements are complex."""
comptime TP_HASH = 59
comptime TP_COMPARISON = 67
comptime TP_GETSET = 73
comptime PROPERTY_BYTES = 40
"""The size of a row in the table of what is read like a field."""
comptime SQ_ITEM = 44
comptime BF_GET = 1
comptime BF_RELEASE = 2

comptime Function1 = def(x: Int) thin abi("C") -> Int
comptime Function2 = def(x: Int, y: Int) thin abi("C") -> Int
comptime Function3 = def(x: Int, y: Int, z: Int) thin abi("C") -> Int
comptime Comparison = def(x: Int, y: Int, operation: Int32) thin abi("C") -> Int
comptime Truth = def(x: Int) thin abi("C") -> Int32
comptime Viewer = def(x: Int, view: Int, flags: Int32) thin abi("C") -> Int32
comptime Release = def(x: Int, view: Int) thin abi("C")
comptime Setter = def(x: Int, key: Int, value: Int) thin abi("C") -> Int32


def set_operator(
    objects: Int,
    name: String,
    loops: Int,
    forward: PythonObject,
    reflected: PythonObject,
) raises:
    """Tells what an operator does: its loops, and the Python functions of all other operands.

    `reflected` is `y + x`, given `x` and `y`; of `x[key] = y` it is `del x[key]`.
    """
    ref known = Pointer[Objects, MutUntrackedOrigin](
        unsafe_from_address=objects
    )[]
    var names = String(NAMES).split()
    if len(names) > VIEW_COUNT_PLACE:
        raise Error("the table of operators is too small")
    for k in range(len(names)):
        if String(names[k]) == name:
            store(
                known.operators,
                k,
                new_operator(objects, loops, forward, reflected),
            )
            if k >= FIRST_METHOD:
                set_doc(known.array_type, k - FIRST_METHOD, forward.__doc__)
            return
    raise Error("no operator of this name has a slot")


def slots_of_all() -> List[Slot]:
    """The slots of arrays and scalars."""
    var slots = List[Slot]()
    comptime for k in range(len(BINARY)):
        var function: Function2 = binary[k]
        comptime place = BINARY[k]
        slots.append((place, _address(function)))
    comptime for k in range(len(UNARY)):
        var function: Function1 = _unary[FIRST_UNARY + k]
        comptime place = UNARY[k]
        slots.append((place, _address(function)))
    comptime for k in range(len(NUMBERS)):
        var function: Function1 = _number[FIRST_NUMBER + k]
        comptime place = NUMBERS[k]
        slots.append((place, _address(function)))
    var power: Function3 = raised_to
    slots.append((NB_POWER, _address(power)))
    var divmod: Function2 = quotient_and_rest
    slots.append((NB_DIVMOD, _address(divmod)))
    var truth: Truth = _truth
    slots.append((NB_BOOL, _address(truth)))
    var comparison: Comparison = compared
    slots.append((TP_COMPARISON, _address(comparison)))
    var shows: Function1 = _shown[STR]
    slots.append((TP_STR, _address(shows)))
    var represents: Function1 = _shown[REPR]
    slots.append((TP_REPR, _address(represents)))
    var subscript: Function2 = _subscript
    slots.append((MP_SUBSCRIPT, _address(subscript)))
    slots.append((TP_METHODS, table_of_methods[FIRST_METHOD]()))
    slots.append((TP_GETSET, _properties()))
    return slots^


def _properties() -> Int:
    """The table of what is read like a field: `x.T`."""
    var transposes: Function2 = _transposed
    var real: Function2 = _part[REAL]
    var imaginary: Function2 = _part[IMAGINARY]
    var table = _table_of_properties(3)
    var row = _write_property(
        table,
        "T",
        transposes,
        "The array with its axes in reverse order; a view.",
    )
    row = _write_property(
        row, "real", real, "The real part, a view; of a real array, the array."
    )
    _ = _write_property(
        row,
        "imag",
        imaginary,
        "The imaginary part, a view; of a real array, read-only zeros.",
    )
    return table


def _table_of_properties(count: Int) -> Int:
    """An empty table, which a row of zeros ends."""
    return external_call["calloc", Int](count + 1, PROPERTY_BYTES)


def _write_property(
    row: Int, name: String, getter: Function2, doc: String
) -> Int:
    """Writes a row of such a table; where the next one goes."""
    store(row, 0, text(name))
    store(row, 1, _address(getter))
    store(row, 3, text(doc))
    return row + PROPERTY_BYTES


def _class_property(getter: Function2, doc: String) -> Int:
    """A table of properties: of `__class__` alone."""
    var properties = _table_of_properties(1)
    _ = _write_property(properties, "__class__", getter, doc)
    return properties


def slots_of_scalars() -> List[Slot]:
    """The slots of scalars only: `isinstance` takes them for what NumPy's are."""
    var getter: Function2 = _class
    var properties = _class_property(
        getter, "The class of such a scalar of NumPy's."
    )
    var hash: Function1 = _hash
    var comparison: Comparison = compared  # a type inherits both or none
    return [
        (TP_COMPARISON, _address(comparison)),
        (TP_HASH, _address(hash)),
        (TP_GETSET, properties),
    ]


def slots_of_arrays() -> List[Slot]:
    """The slots of arrays only, which are sequences and are written."""
    var slots = List[Slot]()
    var iteration: Function1 = _iterated
    slots.append((TP_ITER, _address(iteration)))
    var length: Function1 = _length
    slots.append((MP_LENGTH, _address(length)))
    slots.append((SQ_LENGTH, _address(length)))
    var subscript: Function2 = _subscript  # else `__getitem__` were of that
    slots.append((MP_SUBSCRIPT, _address(subscript)))
    var at: Function2 = _item
    slots.append((SQ_ITEM, _address(at)))
    comptime for k in range(len(AUGMENTED)):
        var function: Function2 = _augmented[FIRST_AUGMENTED + k]
        comptime place = AUGMENTED[k]
        slots.append((place, _address(function)))
    var power: Function3 = _augmented_power
    slots.append((NB_INPLACE_POWER, _address(power)))
    var setter: Setter = _set_subscript
    slots.append((MP_SET_SUBSCRIPT, _address(setter)))
    var views: Viewer = _viewed
    slots.append((BF_GET, _address(views)))
    var released: Release = _released
    slots.append((BF_RELEASE, _address(released)))
    var getter: Function2 = _class_of_array
    slots.append(
        (
            TP_GETSET,
            _class_property(getter, "The class of such an array of NumPy's."),
        )
    )
    return slots^


@always_inline
def _address[F: TrivialRegisterPassable](function: F) -> Int:
    var given = function
    return Pointer(to=given).unsafe_bitcast[Int]()[]


@always_inline
def _operator(handle: Int, number: Int) -> OperatorPointer:
    return operator_at(load(load(handle, HANDLE_OPERATORS), number))


@always_inline
def _asked(function: Int, x: Int, y: Int) -> Int:
    """What a Python function answers."""
    var args: Array[Int, 3] = [x, y, 0]
    return _called(function, args, 2)


@no_inline
def _asked_of(ref operator: Operator, x: Int, y: Int) -> Int:
    """What the Python functions of an operator answer, which NumPy names otherwise if its operands are scalars."""
    var saved = _enter(operator, x, y)
    var made = _asked(operator.otherwise, x, y) if _is_handle(x) else _asked(
        operator.reflected, y, x
    )
    operator.objects[].of_scalars = saved
    return _settled(operator, made)


def _enter(ref operator: Operator, x: Int, y: Int) -> Int:
    """Notes whether an operator's operands are scalars; returns what was noted before."""
    ref objects = operator.objects[]
    var saved = objects.of_scalars
    objects.of_scalars = 0
    if _is_scalar(objects, x) and _is_scalar(objects, y):
        objects.of_scalars = SCALARS
    return saved


def _is_scalar(ref objects: Objects, x: Int) -> Bool:
    """Whether an operand is a scalar of ours or NumPy's, or a number."""
    var type = load(x, TYPE)
    if (
        objects.is_scalar(type)
        or type == objects.api.float_type
        or type == objects.int_type
        or type == objects.bool_type
        or type == objects.complex_type
    ):
        return True
    return objects.scalar_dtype(type) >= 0


@always_inline
def _called(function: Int, args: Array[Int, 3], count: Int) -> Int:
    var made = external_call["PyObject_Vectorcall", Int](
        function, Int(Pointer(to=args)), count, Int(0)
    )
    _ = args  # is in use until here
    return made


def binary[number: Int](x: Int, y: Int) abi("C") -> Int:
    """`x + y` and the like, where either is a handle."""
    if _is_handle(x):
        ref operator = _operator(x, number)[]
        var known = known_result[number](operator.objects, x, y)
        if known != UNUSUAL:
            return known
        return _result(operator, x, y)
    ref operator = _operator(y, number)[]
    var known = known_result[number](operator.objects, x, y)
    if known != UNUSUAL:
        return known
    return _result(operator, x, y)


@always_inline
def _result(ref operator: Operator, x: Int, y: Int) -> Int:
    """What an operator of two operands gives, recorded or from Python."""
    var made = _settled(operator, recorded_binary(operator, x, y))
    return made if made != UNUSUAL else _unusual(operator, x, y)


@no_inline
def _unusual(ref operator: Operator, x: Int, y: Int) -> Int:
    """The same of other operands: arrays of derived classes, and lists of numbers, which become arrays."""
    var source = source_of(operator.objects, x, y)
    if source != 0:
        var plain_x = plain(operator.objects, x)
        var plain_y = plain(operator.objects, y)
        var made = _result(operator, plain_x, plain_y)
        drop(plain_x)
        drop(plain_y)
        return finished(operator.objects, made, source)
    var first = array_beside(operator, x, y)
    var second = array_beside(operator, y, x)
    if first == 0 and second == 0:
        return _asked_of(operator, x, y)
    var a = first if first != 0 else x
    var b = second if second != 0 else y
    var made = _settled(operator, recorded_binary(operator, a, b))
    if made == UNUSUAL:
        made = _asked_of(operator, a, b)
    if first != 0:
        drop(first)
    if second != 0:
        drop(second)
    return made


@always_inline
def _settled(ref operator: Operator, made: Int) -> Int:
    return settled(operator.objects, made)


@always_inline
def _is_handle(x: Int) -> Bool:
    return is_native_handle(load(x, TYPE)) or is_handle_type(load(x, TYPE))


def raised_to(x: Int, y: Int, modulus: Int) abi("C") -> Int:
    """`x ** y`, or `pow(x, y, modulus)`, which is an error, where any of them is a handle."""
    var handle = x if _is_handle(x) else y
    if not _is_handle(handle):
        handle = modulus
    ref operator = _operator(handle, POWER)[]
    if modulus != operator.objects[].api.none:
        var args: Array[Int, 3] = [x, y, modulus]
        return _called(operator.otherwise, args, 3)
    var known = known_power(operator.objects, x, y)
    if known != UNUSUAL:
        return known
    var source = source_of(operator.objects, x, y)
    if source != 0:
        var plain_x = plain(operator.objects, x)
        var plain_y = plain(operator.objects, y)
        var made = _power(operator, plain_x, plain_y)
        drop(plain_x)
        drop(plain_y)
        return finished(operator.objects, made, source)
    return _power(operator, x, y)


@always_inline
def _power(ref operator: Operator, x: Int, y: Int) -> Int:
    if operator.objects[].is_handle(x):
        var simple = simple_power(operator.objects, x, y)
        if simple != 0:
            return external_call["PyObject_CallOneArg", Int](simple, x)
    return _result(operator, x, y)


def quotient_and_rest(x: Int, y: Int) abi("C") -> Int:
    """`divmod(x, y)`, where either is a handle."""
    var handle = x if _is_handle(x) else y
    var known = known_divmod(_operator(handle, DIVMOD)[].objects, x, y)
    if known != UNUSUAL:
        return known
    if _is_handle(x):
        ref operator = _operator(x, DIVMOD)[]
        var made = divided(
            _operator(x, FLOOR_DIVIDE)[], _operator(x, REMAINDER)[], x, y
        )
        return made if made != UNUSUAL else _asked_of(operator, x, y)
    ref operator = _operator(y, DIVMOD)[]
    var made = divided(
        _operator(y, FLOOR_DIVIDE)[], _operator(y, REMAINDER)[], x, y
    )
    return made if made != UNUSUAL else _asked_of(operator, x, y)


def _augmented_power(x: Int, y: Int, modulus: Int) abi("C") -> Int:
    """`x **= y`."""
    ref operator = _operator(x, AUGMENTED_POWER)[]
    if simple_power(operator.objects, x, y) == 0:
        var made = _settled(operator, recorded_augmented(operator, x, y))
        if made != UNUSUAL:
            return made
    return _settled(operator, _asked(operator.otherwise, x, y))


def _augmented[number: Int](x: Int, y: Int) abi("C") -> Int:
    """`x += y` and the like."""
    ref operator = _operator(x, number)[]
    var made = recorded_augmented(operator, x, y)
    if made == UNUSUAL:
        made = _augmented_otherwise(operator, x, y)
    return _settled(operator, made)


@no_inline
def _augmented_otherwise(ref operator: Operator, x: Int, y: Int) -> Int:
    """The same of other operands: of derived classes, and lists of numbers, which become arrays."""
    var source = source_of(operator.objects, x, y)
    if source != 0:
        var plain_x = plain(operator.objects, x)
        var plain_y = plain(operator.objects, y)
        var done = recorded_augmented(operator, plain_x, plain_y)
        drop(plain_x)
        drop(plain_y)
        if done > 0:
            drop(done)
            return kept(x)
        if done == 0:
            return 0
    var array = array_beside(operator, y, x)
    if array == 0:
        return _asked(operator.otherwise, x, y)
    var made = recorded_augmented(operator, x, array)
    if made == UNUSUAL:
        made = _asked(operator.otherwise, x, array)
    drop(array)
    return made


def compared(x: Int, y: Int, operation: Int32) abi("C") -> Int:
    """`x < y` and the like; `operation` is their order in Python's header."""
    ref operator = _operator(x, FIRST_COMPARISON + Int(operation))[]
    var known = known_comparison(operator.objects, x, y, Int(operation))
    if known != UNUSUAL:
        return known
    return _result(operator, x, y)


def _unary[number: Int](x: Int) abi("C") -> Int:
    """`-x` and the like."""
    ref operator = _operator(x, number)[]
    comptime if number in (NEGATIVE, ABSOLUTE, INVERT):
        var known = known_unary[number](operator.objects, x)
        if known != UNUSUAL:
            return known
    var made = _settled(operator, recorded_unary(operator, x))
    if made != UNUSUAL:
        return made
    var source = source_of(operator.objects, x, x)
    if source != 0:
        var plain_x = plain(operator.objects, x)
        made = _settled(operator, recorded_unary(operator, plain_x))
        if made == UNUSUAL:
            made = _unary_otherwise(operator, plain_x)
        drop(plain_x)
        return finished(operator.objects, made, source)
    return _unary_otherwise(operator, x)


@no_inline
def _unary_otherwise(ref operator: Operator, x: Int) -> Int:
    var saved = _enter(operator, x, x)
    var made = external_call["PyObject_CallOneArg", Int](operator.otherwise, x)
    operator.objects[].of_scalars = saved
    return _settled(operator, made)


def _number[number: Int](x: Int) abi("C") -> Int:
    """`float(x)`, `int(x)` and `x` as an index."""
    ref operator = _operator(x, number)[]
    var dtype = 0
    var address = 0
    if operator.objects[].learning == 0:
        address = computed_element(operator.objects[], x, dtype)
    if address != 0:
        var made = _converted[number](address, dtype)
        if made != UNUSUAL:
            number_was_read(operator.objects[])
            return made
    return _settled(
        operator,
        external_call["PyObject_CallOneArg", Int](operator.otherwise, x),
    )


@always_inline
def _converted[number: Int](address: Int, dtype: Int) -> Int:
    """An element as a Python float or int."""
    if dtype >= FIRST_COMPLEX:
        return UNUSUAL
    comptime if number == FLOAT:
        return float_at(address, dtype)
    elif number == INT:
        return int_at(address, dtype)
    else:
        # neither flags nor floats are indices
        return int_at(address, dtype) if 1 <= dtype <= 8 else UNUSUAL


def _hash(x: Int) abi("C") -> Int:
    """`hash(x)` of a scalar: that of the number, and of nan the object's; -1 says that Python has raised."""
    ref operator = _operator(x, HASH)[]
    var dtype = 0
    var address = 0
    if operator.objects[].learning == 0:
        address = computed_element(operator.objects[], x, dtype)
    var number: Int
    if address != 0:
        operator.objects[].reads += 1
        number = number_at(address, dtype)
    else:
        number = external_call["PyObject_CallOneArg", Int](
            operator.otherwise, x
        )
    if number == 0:
        return -1
    var found = external_call["PyObject_Hash", Int](number)
    if load(number, TYPE) == operator.objects[].api.float_type:
        var value = float_of(number)
        if value != value:
            found = x >> 4
    drop(number)
    return found


def _shown[number: Int](x: Int) abi("C") -> Int:
    """`str(x)` or `repr(x)`."""
    ref operator = _operator(x, number)[]
    var made = text_of[number == REPR](operator.objects[], x)
    if made != UNUSUAL:
        return made
    return external_call["PyObject_CallOneArg", Int](operator.otherwise, x)


def _truth(x: Int) abi("C") -> Int32:
    """`bool(x)`."""
    ref operator = _operator(x, TRUTH)[]
    ref objects = operator.objects[]
    var dtype = 0
    var address = 0
    if objects.learning == 0:
        address = address_of_element[with_axes=True](objects, x, dtype)
        if address == 0 and not _is_asked_by(objects, objects.probe):
            address = computed_element[with_axes=True](objects, x, dtype)
    if address != 0:
        number_was_read(objects)
        return Int32(Int(truth_at(address, dtype)))
    var made = _settled(
        operator,
        external_call["PyObject_CallOneArg", Int](operator.otherwise, x),
    )
    if made == 0:
        return -1
    var truth = external_call["PyObject_IsTrue", Int32](made)
    drop(made)
    return truth


def _is_asked_by(ref objects: Objects, asker: Int) -> Bool:
    """Whether the function that asks has a name."""
    var frame = external_call["PyEval_GetFrame", Int]()
    if frame == 0:
        return False
    var code = external_call["PyFrame_GetCode", Int](frame)
    var name = external_call["PyObject_GetAttr", Int](code, objects.code_name)
    drop(code)
    drop(name)
    return name == asker


def _subscript(x: Int, key: Int) abi("C") -> Int:
    """`x[key]`."""
    ref operator = _operator(x, GET)[]
    var made: Int
    if is_derived(operator.objects, x) and _names_view(operator.objects[], key):
        made = _part_of_derived(operator, x, key)
    else:
        made = _settled(operator, get_part(operator.objects, x, key))
    if made == UNUSUAL:
        made = _subscript_otherwise(operator, x, key)
    return made


@no_inline
def _subscript_otherwise(ref operator: Operator, x: Int, key: Int) -> Int:
    """The same of keys that Python must look at, and the error of an index that is out of bounds."""
    ref objects = operator.objects[]
    var shape = load(x, HANDLE_SHAPE)
    if load(key, TYPE) == objects.int_type and load(shape, TUPLE_SIZE) > 0:
        var overflow = Int32(0)
        var index = external_call["PyLong_AsLongLongAndOverflow", Int](
            key, Pointer(to=overflow)
        )
        var rows = external_call["PyLong_AsSsize_t", Int](item(shape, 0))
        if overflow == 0 and not -rows <= index < rows:
            return _out_of_bounds(operator.objects, index, rows)
    if is_derived(operator.objects, x) and not _names_view(objects, key):
        var part = _part_of_derived(operator, x, key)
        if part != UNUSUAL:
            return part
    var given = key_of_arrays(operator.objects, key)
    var made = _asked(operator.otherwise, x, given)
    drop(given)
    return made


def _part_of_derived(ref operator: Operator, x: Int, key: Int) -> Int:
    """The same of an array of a derived class."""
    var plain_x = plain(operator.objects, x)
    var plain_key = plain(operator.objects, key)
    var made = _settled(
        operator, get_part(operator.objects, plain_x, plain_key)
    )
    drop(plain_x)
    drop(plain_key)
    return finished(operator.objects, made, x)


def _item(x: Int, index: Int) abi("C") -> Int:
    """`x[index]` for those that take an array as a sequence."""
    ref operator = _operator(x, GET)[]
    var found = get_row(operator.objects, x, index)
    if found != UNUSUAL:
        return found
    var shape = load(x, HANDLE_SHAPE)
    if load(shape, TUPLE_SIZE) > 0:
        var rows = external_call["PyLong_AsSsize_t", Int](item(shape, 0))
        if index >= rows:  # each loop over rows ends with this
            return _out_of_bounds(operator.objects, index, rows)
    var key = external_call["PyLong_FromSsize_t", Int](index)
    var made = _subscript(x, key)
    drop(key)
    return made


def _out_of_bounds(objects: ObjectsPointer, index: Int, rows: Int) -> Int:
    """Raises IndexError with NumPy's text; returns 0."""
    var text = String(
        "index ", index, " is out of bounds for axis 0 with size ", rows
    )
    var made = external_call["PyUnicode_FromStringAndSize", Int](
        Int(text.unsafe_ptr()), text.byte_length()
    )
    _ = text
    if made != 0:
        external_call["PyErr_SetObject", NoneType](objects[].index_error, made)
        drop(made)
    return 0


def _length(x: Int) abi("C") -> Int:
    """`len(x)`; -1 says that Python has raised."""
    var shape = load(x, HANDLE_SHAPE)
    if load(shape, TUPLE_SIZE) > 0:
        return external_call["PyLong_AsSsize_t", Int](item(shape, 0))
    var otherwise = _operator(x, LENGTH)[].otherwise
    var made = external_call["PyObject_CallOneArg", Int](otherwise, x)
    if made == 0:
        return -1
    drop(made)
    return 0


def _transposed(x: Int, unused: Int) abi("C") -> Int:
    """`x.T`."""
    ref operator = _operator(x, TRANSPOSED)[]
    var made = transposed(operator.objects, x)
    if made == UNUSUAL and is_derived(operator.objects, x):
        var plain_x = plain(operator.objects, x)
        made = finished(
            operator.objects, transposed(operator.objects, plain_x), x
        )
        drop(plain_x)
    if made != UNUSUAL:
        return made
    return external_call["PyObject_CallOneArg", Int](operator.otherwise, x)


def _part[number: Int](x: Int, unused: Int) abi("C") -> Int:
    """`x.real` or `x.imag`."""
    ref operator = _operator(x, number)[]
    if operator.objects[].is_scalar(load(x, TYPE)):
        var made = part_of_scalar(operator.objects, x, Int(number == IMAGINARY))
        if made != UNUSUAL:
            return made
    return external_call["PyObject_CallOneArg", Int](operator.otherwise, x)


def _class_of_array(x: Int, unused: Int) abi("C") -> Int:
    """`x.__class__` of an array: NumPy's, but to some modules, and of classes derived from ours."""
    ref objects = _operator(x, GET)[].objects[]
    var type = load(x, TYPE)
    if type != objects.array_type:
        return kept(type)
    var names = external_call["PyEval_GetGlobals", Int]()
    var module = 0
    if names != 0:
        module = external_call["PyDict_GetItem", Int](
            names, objects.dunder_name
        )
    if module == 0:
        return kept(objects.numpy_array_type)
    var is_numpys = external_call["PyObject_GetItem", Int](
        objects.askers, module
    )
    if is_numpys == 0:
        return 0
    var shown = objects.numpy_array_type if is_numpys == objects.yes else type
    drop(is_numpys)
    return kept(shown)


def _class(x: Int, unused: Int) abi("C") -> Int:
    """`x.__class__` of a scalar: NumPy's, or its own where NumPy has none."""
    ref objects = _operator(x, GET)[].objects[]
    var found = objects.scalar_types[objects.dtype(x)]
    if found == objects.api.none:
        found = load(x, TYPE)
    return kept(found)


def _iterated(x: Int) abi("C") -> Int:
    """`iter(x)`: Python's iterator over `x[0]`, `x[1]` and so on."""
    var shape = load(x, HANDLE_SHAPE)
    if load(shape, TUPLE_SIZE) > 0:
        return external_call["PySeqIter_New", Int](x)
    var otherwise = _operator(x, ITERATION)[].otherwise
    return external_call["PyObject_CallOneArg", Int](otherwise, x)


def _set_subscript(x: Int, key: Int, value: Int) abi("C") -> Int32:
    """`x[key] = value`, or `del x[key]` if there is no value."""
    if value == 0:
        _ = _asked(_operator(x, SET)[].reflected, x, key)  # which raises
        return -1
    ref operator = _operator(x, SET)[]
    var made = UNUSUAL
    if not is_derived(operator.objects, x):
        made = _settled(operator, set_part(operator.objects, x, key, value))
    elif not _names_view(operator.objects[], key) or not has(
        operator.objects, x, HAS_PARTS
    ):
        made = _set_of_derived(operator, x, key, value)
    if made == UNUSUAL:
        var given = key_of_arrays(operator.objects, key)
        var args: Array[Int, 3] = [x, given, value]
        made = _called(operator.otherwise, args, 3)
        drop(given)
    if made == 0:
        return -1
    drop(made)
    return 0


def _set_of_derived(
    ref operator: Operator, x: Int, key: Int, value: Int
) -> Int:
    """The same of an array of a derived class."""
    var plain_x = plain(operator.objects, x)
    var plain_key = plain(operator.objects, key)
    var plain_value = plain(operator.objects, value)
    var made = _settled(
        operator, set_part(operator.objects, plain_x, plain_key, plain_value)
    )
    drop(plain_x)
    drop(plain_key)
    drop(plain_value)
    return made


def _names_view(ref objects: Objects, key: Int) -> Bool:
    """Whether a key may name a view: anything but an int or a tuple of ints."""
    if load(key, TYPE) != objects.tuple_type:
        return load(key, TYPE) != objects.int_type
    for k in range(load(key, TUPLE_SIZE)):
        if load(item(key, k), TYPE) != objects.int_type:
            return True
    return False


def _viewed(x: Int, view: Int, flags: Int32) abi("C") -> Int32:
    """`memoryview(x)`; -1 says that Python has raised."""
    return view_memory(_operator(x, GET)[].objects, x, view, flags)


def _released(x: Int, view: Int) abi("C"):
    """The end of such a view."""
    release_memory(view)
