"""The type of ufuncs: a call of the usual operands is recorded, any other is a Python function's."""

from std.ffi import external_call
from vm.base.fields import HANDLE_SHAPE
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import TUPLE_SIZE, TYPE, drop, kept, load, store
from vm.base.types import BASE_TYPE, TP_CALL, is_handle_type, new_type
from vm.record.derived import finished, plain, source_of
from vm.record.elements import is_number
from vm.record.operands import operand_of
from vm.record.pinning import settled
from vm.record.record import (
    Operator,
    array_beside,
    operator_at,
    recorded_binary,
    recorded_into,
    recorded_unary,
    simple_power,
)

# what a ufunc has; classes in Python add a dictionary
comptime OPERATOR = 2
"""The address of its operator: no reference. 0 for a ufunc whose calls are all Python's."""
comptime OTHERWISE = 3
comptime ARITY = 4
comptime NAMING = 5
"""The number of the name under which it warns, 0 for its operation's (`vm.base.errors`)."""
comptime OUTPUT = 6
"""The number of arguments of a call whose last one is an output without a name."""
comptime END = 7

comptime Call = def(me: Int, args: Int, named: Int) thin abi("C") -> Int


def ufunc_type() raises -> Int:
    """The type that the classes of ufuncs derive from."""
    var call: Call = _called
    return new_type(
        "jujunp.recorded_ufunc",
        END,
        BASE_TYPE,
        [(TP_CALL, Pointer(to=call).unsafe_bitcast[Int]()[])],
    )


def set_ufunc(
    ufunc: Int,
    arity: Int,
    operator: Int,
    otherwise: Int,
    naming: Int,
    by_place: Bool,
):
    """Tells a new ufunc how many operands it has, and what records its calls.

    `by_place` says that its output needs no name; where it warns, all such calls are Python's.
    """
    store(ufunc, OPERATOR, operator)
    store(ufunc, OTHERWISE, kept(otherwise))
    store(ufunc, ARITY, arity)
    store(ufunc, NAMING, naming)
    store(ufunc, OUTPUT, arity + 1 if by_place else UNUSUAL)


def _called(me: Int, args: Int, named: Int) abi("C") -> Int:
    var naming = load(me, NAMING)
    if naming == 0 or load(me, OPERATOR) == 0:
        return _made(me, args, named)
    var objects = operator_at(load(me, OPERATOR))[].objects
    var before = objects[].naming
    objects[].naming = naming
    var made = _made(me, args, named)
    objects[].naming = before
    return made


@always_inline
def _made(me: Int, args: Int, named: Int) -> Int:
    var arity = load(me, ARITY)
    var address = load(me, OPERATOR)
    if address != 0:
        ref operator = operator_at(address)[]
        var count = load(args, TUPLE_SIZE)
        var target = 0
        if named != 0:
            target = _only_out(operator.objects[].out_name, named)
        elif count == load(me, OUTPUT):
            target = item(args, arity)
        var made = UNUSUAL
        if target != 0 and count - Int(named == 0) == arity:
            var second = item(args, 1) if arity == 2 else 0
            made = recorded_into(operator, item(args, 0), second, target)
        elif named == 0 and count == arity:
            if me == operator.objects[].power:
                made = _simple_power(
                    operator.objects, item(args, 0), item(args, 1)
                )
            if made == UNUSUAL:
                made = _recorded(
                    operator, item(args, 0), item(args, arity - 1), arity
                )
        if made == UNUSUAL and named == 0 and count == arity:
            made = _of_class(me, operator.objects, args, arity)
        if made != UNUSUAL:
            return settled(operator.objects, made)
    return external_call["PyObject_Call", Int](load(me, OTHERWISE), args, named)


@no_inline
def _of_class(me: Int, objects: ObjectsPointer, args: Int, arity: Int) -> Int:
    """The same of arrays of one derived class with axes; UNUSUAL for all others."""
    var x = item(args, 0)
    var y = item(args, arity - 1)
    var source = source_of(objects, x, y)
    if source == 0 or load(load(source, HANDLE_SHAPE), TUPLE_SIZE) == 0:
        return UNUSUAL
    var given: Array[Int, 2] = [plain(objects, x), plain(objects, y)]
    var made = external_call["PyObject_Vectorcall", Int](
        me, Int(Pointer(to=given)), arity, Int(0)
    )
    drop(given[0])
    drop(given[1])
    return finished(objects, made, source)


@no_inline
def _simple_power(objects: ObjectsPointer, x: Int, exponent: Int) -> Int:
    """A power that another ufunc computes; UNUSUAL for all others."""
    if not objects[].is_handle(x) or objects[].dtype(x) == 0:
        return UNUSUAL  # booleans are converted where no operator asks
    var simple = simple_power(objects, x, exponent)
    if simple == 0:
        return UNUSUAL
    var before = objects[].naming
    objects[].naming = objects[].power_naming
    var made = external_call["PyObject_CallOneArg", Int](simple, x)
    objects[].naming = before
    return made


@always_inline
def _recorded(ref operator: Operator, x: Int, y: Int, arity: Int) -> Int:
    """The result of a call, UNUSUAL where the Python function is to make it."""
    var made: Int
    if arity == 1:
        made = recorded_unary[False](operator, x)
    else:
        made = recorded_binary[False](operator, x, y)
    if made != UNUSUAL or (_is_ours(x) and _is_ours(y)):
        return made
    return _of_others(operator, x, y, arity)


@always_inline
def _is_ours(x: Int) -> Bool:
    return is_handle_type(load(x, TYPE))


@no_inline
def _of_others(ref operator: Operator, x: Int, y: Int, arity: Int) -> Int:
    """The same of operands that are no arrays or scalars of ours: numbers, lists, NumPy's."""
    var objects = operator.objects
    var numbers = is_number(objects, x) and is_number(objects, y)
    var first = array_beside(operator, x, y) if arity == 2 else 0
    if first == 0:
        first = _operand(objects, x, numbers)
    if first == 0:
        return UNUSUAL
    var made: Int
    if arity == 1:
        made = recorded_unary[False](operator, first)
    else:
        # a number is of the dtype that the other operand has
        var second = array_beside(operator, y, first)
        if second == 0:
            second = _operand(objects, y, False)
        made = UNUSUAL
        if second != 0:
            made = recorded_binary[False](operator, first, second)
            drop(second)
    drop(first)
    return made


def _operand(objects: ObjectsPointer, x: Int, made: Bool) -> Int:
    """An operand as a handle, or as the number that it is unless that is to be made a scalar."""
    if _is_ours(x) or (is_number(objects, x) and not made):
        return kept(x)
    return operand_of(objects, x)


def _only_out(name: Int, named: Int) -> Int:
    """The argument `out`, borrowed, if that is the only one with a name; else 0."""
    if external_call["PyDict_Size", Int](named) != 1:
        return 0
    return external_call["PyDict_GetItem", Int](named, name)
