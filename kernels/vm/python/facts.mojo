"""Numbers and names that Python and the library must agree on."""

from std.python import Python, PythonObject
from elementwise.dispatch.operations import (
    OPERATIONS,
    OPERATION_COUNT,
    facts_of,
    result_code,
)
from structured.operands.operand import NO_MEMORY, OUT_OF_BOUNDS
from structured.threads.ieee import DIVIDE, INVALID, OVERFLOW, UNDERFLOW
from vm.base.bytecode import (
    CONVERT,
    FIRST_FUNCTION,
    FIRST_KERNEL,
    FUNCTIONS,
    PROJECT,
    STORE,
)
from vm.base.errors import (
    AT,
    DIVIDE_AT,
    INVALID_AT,
    KEPT,
    MODE,
    NAMES,
    NEVER,
    OF_ALL,
    OF_FLOATS,
    OVER_AT,
    SCALARS,
    UNDER_AT,
)
from vm.base.parts import kernel_names
from vm.base.pins import ALONE, FIXED, READ, SHARED
from vm.base.raw import kept, store
from vm.calls.at_once import KINDS as MADE_AT_ONCE
from vm.calls.drawing import MOST_NUMBERS
from vm.calls.shared import (
    ONE_ARGUMENT,
    ARRAY_LIKES,
    AT_ONCE,
    FREE,
    NAMED,
    NUMBERS,
    ORDERED,
    UNIFORM,
    WARNING,
)
from vm.record.record import (
    BOOL_NUMBER,
    COMPLEX_NUMBER,
    FLOAT_NUMBER,
    INT_NUMBER,
)
from vm.run.findings import KINDS, SAMPLE
from vm.run.look import is_silent as is_silent_step
from vm.run.machine import MALFORMED


def opcodes() raises -> PythonObject:
    """Opcodes by name: every elementwise operation, every kernel, and the machine's own."""
    var table = Python.dict()
    var number = FIRST_KERNEL
    for name in kernel_names().split():
        table[PythonObject(String(name))] = PythonObject(number)
        number += 1
    # an elementwise operation wins where both have the name: it fuses
    var operations = materialize[OPERATIONS]()
    for k in range(OPERATION_COUNT):
        table[PythonObject(String(operations[k].name))] = PythonObject(k)
    table[PythonObject("convert_element_type")] = PythonObject(CONVERT)
    table[PythonObject("store")] = PythonObject(STORE)
    table[PythonObject("project")] = PythonObject(PROJECT)
    return table


def constants() raises -> PythonObject:
    """Numbers that both sides must agree on, by name: statuses, opcodes, kinds of Python numbers, traits of
    functions."""
    var table = Python.dict()
    table["out of bounds"] = PythonObject(OUT_OF_BOUNDS)
    table["no memory"] = PythonObject(NO_MEMORY)
    table["malformed"] = PythonObject(MALFORMED)
    table["first function"] = PythonObject(FIRST_FUNCTION)
    table["functions"] = PythonObject(FUNCTIONS)
    table["bool"] = PythonObject(BOOL_NUMBER)
    table["int"] = PythonObject(INT_NUMBER)
    table["float"] = PythonObject(FLOAT_NUMBER)
    table["complex"] = PythonObject(COMPLEX_NUMBER)
    table["uniform"] = PythonObject(UNIFORM)
    table["alone"] = PythonObject(ONE_ARGUMENT)
    table["ordered"] = PythonObject(ORDERED)
    table["free"] = PythonObject(FREE)
    var made = materialize[MADE_AT_ONCE]()
    for kind in range(len(made)):
        table[
            PythonObject(String("at once: ", made[kind].name))
        ] = PythonObject((kind + 1) << AT_ONCE)
    table["warning"] = PythonObject(WARNING)
    table["array_likes"] = PythonObject(ARRAY_LIKES)
    table["numbers"] = PythonObject(NUMBERS)
    table["named"] = PythonObject(NAMED)
    table["mode"] = PythonObject(MODE)
    table["divide at"] = PythonObject(DIVIDE_AT)
    table["over at"] = PythonObject(OVER_AT)
    table["under at"] = PythonObject(UNDER_AT)
    table["invalid at"] = PythonObject(INVALID_AT)
    table["scalars"] = PythonObject(SCALARS)
    table["kept"] = PythonObject(KEPT)
    table["names"] = PythonObject(NAMES)
    table["at"] = PythonObject(AT)
    table["samples"] = PythonObject(KINDS)
    table["sample"] = PythonObject(SAMPLE)
    table["warns never"] = PythonObject(NEVER)
    table["warns of floats"] = PythonObject(OF_FLOATS)
    table["warns of all"] = PythonObject(OF_ALL)
    table["invalid"] = PythonObject(INVALID)
    table["divide"] = PythonObject(DIVIDE)
    table["over"] = PythonObject(OVERFLOW)
    table["under"] = PythonObject(UNDERFLOW)
    table["used by nobody"] = PythonObject(ALONE)
    table["used by readers"] = PythonObject(READ)
    table["used by writers"] = PythonObject(SHARED)
    table["used and fixed"] = PythonObject(FIXED)
    table["numbers at once"] = PythonObject(MOST_NUMBERS)
    return table


def result_of(
    operation: PythonObject, dtype: PythonObject
) raises -> PythonObject:
    """The dtype code of an elementwise operation's result for operands of one, -1 if refused."""
    return PythonObject(result_code(Int(py=operation), Int(py=dtype)))


def arity_of(operation: PythonObject) raises -> PythonObject:
    """How many operands an elementwise operation has, 0 if there is none of this opcode."""
    return PythonObject(facts_of(Int(py=operation)).arity())


def is_silent(
    operation: PythonObject, dtype: PythonObject, result: PythonObject
) raises -> PythonObject:
    """Whether an elementwise operation raises no flag where NumPy warns: see `vm.run.look`."""
    return PythonObject(
        is_silent_step(Int(py=operation), Int(py=dtype), Int(py=result))
    )
