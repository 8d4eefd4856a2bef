"""The type of ufuncs: a call of the usual operands is recorded, any other is a Python function's."""

from std.ffi import external_call
from vm.base.objects import UNUSUAL, item
from vm.base.raw import TUPLE_SIZE, kept, load, store
from vm.base.types import BASE_TYPE, TP_CALL, new_type
from vm.record.record import (
    operator_at,
    recorded_binary,
    recorded_unary,
)

# what a ufunc has; classes in Python add a dictionary
comptime OPERATOR = 2
"""The address of its operator: no reference. 0 for a ufunc whose calls are all Python's."""
comptime OTHERWISE = 3
comptime ARITY = 4
comptime END = 5

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


def set_ufunc(ufunc: Int, arity: Int, operator: Int, otherwise: Int):
    """Tells a new ufunc how many operands it has, and what records its calls."""
    store(ufunc, OPERATOR, operator)
    store(ufunc, OTHERWISE, kept(otherwise))
    store(ufunc, ARITY, arity)


def _called(me: Int, args: Int, named: Int) abi("C") -> Int:
    var arity = load(me, ARITY)
    var address = load(me, OPERATOR)
    if named == 0 and address != 0 and load(args, TUPLE_SIZE) == arity:
        ref operator = operator_at(address)[]
        var made: Int
        if arity == 1:
            made = recorded_unary(operator, item(args, 0))
        else:
            made = recorded_binary(operator, item(args, 0), item(args, 1))
        if made != UNUSUAL:
            return made
    return external_call["PyObject_Call", Int](load(me, OTHERWISE), args, named)
