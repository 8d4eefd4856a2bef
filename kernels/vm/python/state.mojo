"""The state of the library, which Python knows by a handle."""

from std.ffi import external_call
from std.python import PythonObject
from std.sys import size_of
from vm.run.state import State, StatePointer, state_at


@always_inline
def state_of(handle: PythonObject) raises -> StatePointer:
    return state_at(Int(py=handle))


def start(threads: PythonObject) raises -> PythonObject:
    """A new state: its handle is an int. It lives as long as the process."""
    var pointer = StatePointer(
        unsafe_from_address=external_call["malloc", Int](size_of[State]())
    )
    pointer.unsafe_write(State(Int(py=threads)))
    pointer[].objects.state = Int(pointer)
    return PythonObject(Int(pointer))
