"""Few random numbers at once, for which a call by ctypes would take longer than the numbers."""

from std.python import Python, PythonObject
from vm.base.fields import BUFFER_ADDRESS
from vm.base.parts import draw_few as draw_few_of
from vm.base.parts import draw_float as draw_float_of
from vm.base.parts import draw_whole as draw_whole_of
from vm.base.raw import address_of, load, owned
from vm.calls.drawing import FAMILIES, drawing_type, new_drawing
from vm.calls.parameters import CHECKS
from vm.python.state import state_of


def drawing(
    handle: PythonObject,
    function: PythonObject,
    facts: PythonObject,
    type: PythonObject,
) raises -> PythonObject:
    """A method that draws, before a Python function: see `vm.calls.drawing`."""
    var objects = Int(Pointer(to=state_of(handle)[].objects))
    var made = new_drawing(
        objects, address_of(function), address_of(facts), address_of(type)
    )
    if made == 0:
        raise Error("a method cannot be made")
    return owned(made)


def new_drawing_type() raises -> PythonObject:
    """The type of these methods."""
    return owned(drawing_type())


def drawing_names() raises -> PythonObject:
    """The names of the families, and of the checks, in the order of their numbers."""
    return Python.tuple(FAMILIES, CHECKS)


def draw_float(
    source: PythonObject,
    kind: PythonObject,
    a: PythonObject,
    b: PythonObject,
    c: PythonObject,
) raises -> PythonObject:
    """A float64 of a generator: see vm/random_part.mojo."""
    return PythonObject(
        draw_float_of(
            Int(py=source),
            Int(py=kind),
            Float64(py=a),
            Float64(py=b),
            Float64(py=c),
        )
    )


def draw_whole(
    source: PythonObject,
    kind: PythonObject,
    a: PythonObject,
    b: PythonObject,
    c: PythonObject,
) raises -> PythonObject:
    """An int64 of a generator."""
    return PythonObject(
        draw_whole_of(
            Int(py=source),
            Int(py=kind),
            Float64(py=a),
            Float64(py=b),
            Float64(py=c),
        )
    )


def draw_few(
    source: PythonObject,
    kind: PythonObject,
    code: PythonObject,
    buffer: PythonObject,
    count: PythonObject,
    a: PythonObject,
    b: PythonObject,
    c: PythonObject,
) raises -> PythonObject:
    """Numbers of a generator, into a buffer; returns a status."""
    return PythonObject(
        draw_few_of(
            Int(py=source),
            Int(py=kind),
            Int(py=code),
            load(address_of(buffer), BUFFER_ADDRESS),
            Int(py=count),
            Float64(py=a),
            Float64(py=b),
            Float64(py=c),
        )
    )
