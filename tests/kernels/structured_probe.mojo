"""A Python extension that calls the structured kernels, for tests and measurements."""
from std.os import abort
from std.python import Python, PythonObject
from std.python.bindings import PythonModuleBuilder
from std.time import perf_counter_ns

from structured.operand import Operand, Words
from structured.table import NAMES, run


@export
def PyInit_structured_probe() abi("C") -> PythonObject:
    """Builds the module."""
    try:
        var builder = PythonModuleBuilder("structured_probe")
        builder.def_function[call](
            "call", docstring="call(address of a request): status"
        )
        builder.def_function[measure](
            "measure", docstring="measure(request, n): ns per call"
        )
        builder.def_function[names](
            "names", docstring="names(): kernel names by opcode"
        )
        return builder.finalize()
    except e:
        abort(t"cannot create module: {e}")


def _run(request: Words) -> Int:
    """Runs the request of seven words: the arguments of `table.run` in order."""
    return run(
        Int(request[unsafe_offset=0]),
        Pointer[Operand, MutUntrackedOrigin](
            unsafe_from_address=Int(request[unsafe_offset=1])
        ),
        Int(request[unsafe_offset=2]),
        Words(unsafe_from_address=Int(request[unsafe_offset=3])),
        Int(request[unsafe_offset=4]),
        Int(request[unsafe_offset=5]),
        Words(unsafe_from_address=Int(request[unsafe_offset=6])),
    )


def call(request: PythonObject) raises -> PythonObject:
    """Runs one request; returns its status."""
    return PythonObject(_run(Words(unsafe_from_address=Int(py=request))))


def measure(
    request: PythonObject, repeats: PythonObject
) raises -> PythonObject:
    """Runs one request several times; returns nanoseconds per run."""
    var words = Words(unsafe_from_address=Int(py=request))
    var n = Int(py=repeats)
    var start = perf_counter_ns()
    for _ in range(n):
        _ = _run(words)
    return PythonObject(Float64(perf_counter_ns() - start) / Float64(n))


def names() raises -> PythonObject:
    """The kernel names, by opcode."""
    var result = Python.list()
    comptime for opcode in range(len(NAMES)):
        comptime name = NAMES[opcode]
        result.append(String(name))
    return result
