"""Errors that are deferred, error states, and what tells of warnings."""

from std.python import PythonObject
from vm.base.raw import address_of, load
from vm.python.state import state_of


def set_deferring(
    handle: PythonObject, blocks: PythonObject
) raises -> PythonObject:
    """Sets how many blocks of deferred errors are open."""
    state_of(handle)[].objects.deferring = Int(py=blocks)
    return PythonObject(None)


def set_errors(
    handle: PythonObject, errors: PythonObject, usual: PythonObject
) raises -> PythonObject:
    """Sets the error state in which this thread records steps, and the usual one: see `vm.base.errors`."""
    state_of(handle)[].objects.set_errors(Int(py=errors), Int(py=usual))
    return PythonObject(None)


def warning_steps(handle: PythonObject) raises -> PythonObject:
    """How many steps were recorded that may warn."""
    return PythonObject(load(state_of(handle)[].objects.warning_steps, 0))


def add_quiet(
    handle: PythonObject, change: PythonObject
) raises -> PythonObject:
    """Counts the calls whose steps never warn: 1 more, or 1 less."""
    state_of(handle)[].objects.quiet += Int(py=change)
    return PythonObject(None)


def set_reporting(
    handle: PythonObject, findings: PythonObject, report: PythonObject
) raises -> PythonObject:
    """Tells the list to which what steps raise is added, and the function that warns of it."""
    state_of(handle)[].objects.set_reporting(
        address_of(findings), address_of(report)
    )
    return PythonObject(None)


def set_frames(
    handle: PythonObject,
    places: PythonObject,
    code: PythonObject,
    roots: PythonObject,
) raises -> PythonObject:
    """Tells where the interpreter has its frames, the type of codes, and how files begin that are no user's,
    as bytes: see `vm.base.frames`."""
    state_of(handle)[].objects.frames.know(places, address_of(code), roots)
    return PythonObject(None)
