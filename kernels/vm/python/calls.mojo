"""Functions whose calls are learnt, and replayed."""

from std.python import Python, PythonObject
from vm.base.raw import address_of, kept, owned
from vm.calls.function import new_function
from vm.calls.kept import all_known
from vm.calls.shared import CallsPointer
from vm.calls.signature import class_of_number
from vm.python.state import state_of
from vm.record.described import Described, record_table
from vm.run.outside import first_outside


def _calls(handle: PythonObject) raises -> CallsPointer:
    return CallsPointer(unsafe_from_address=state_of(handle)[].calls)


def function(
    handle: PythonObject,
    otherwise: PythonObject,
    ufuncs: PythonObject,
    traits: PythonObject,
) raises -> PythonObject:
    """A function that stands before a Python function: see `vm.calls.function`."""
    return owned(
        new_function(
            state_of(handle)[].calls, otherwise, ufuncs, Int(py=traits)
        )
    )


def function_type(handle: PythonObject) raises -> PythonObject:
    """The type of these functions."""
    return owned(kept(_calls(handle)[].type))


def set_learner(
    handle: PythonObject,
    learner: PythonObject,
    first_outside: PythonObject,
    checking: PythonObject,
) raises -> PythonObject:
    """Tells which Python functions write transcripts, None for none, and look through indices.

    With `checking`, each call is learnt, and compared with what was learnt before.
    """
    ref calls = _calls(handle)[]
    var none = calls.objects[].api.none
    var given = kept(address_of(learner))
    calls.learner = 0 if given == none else given
    calls.checking = Bool(py=checking)
    calls.objects[].first_outside = kept(address_of(first_outside))
    return PythonObject(None)


def set_keeper(
    handle: PythonObject, keeper: PythonObject
) raises -> PythonObject:
    """Tells which Python function looks for a transcript that is kept: see `vm.calls.kept`."""
    _calls(handle)[].keeper = kept(address_of(keeper))
    return PythonObject(None)


def known_calls(handle: PythonObject) raises -> PythonObject:
    """All transcripts that say anything: see `vm.calls.kept`."""
    return owned(all_known(_calls(handle)[]))


def set_other_calls(
    handle: PythonObject, errors: PythonObject, maker: PythonObject
) raises -> PythonObject:
    """Tells which error says that JAX traces an argument, and what makes the call then."""
    ref calls = _calls(handle)[]
    calls.others = kept(address_of(errors))
    calls.maker = kept(address_of(maker))
    return PythonObject(None)


def set_host(
    handle: PythonObject,
    host: PythonObject,
    kinds: PythonObject,
    names_of_dtypes: PythonObject,
) raises -> PythonObject:
    """Tells what hands calls over to NumPy, and by which types and names these are known."""
    ref calls = _calls(handle)[]
    calls.host = kept(address_of(host))
    calls.kinds = kept(address_of(kinds))
    calls.names_of_dtypes = kept(address_of(names_of_dtypes))
    calls.left = address_of(Python.import_module("builtins").NotImplemented)
    return PythonObject(None)


def set_finishing(
    handle: PythonObject, finishing: PythonObject
) raises -> PythonObject:
    """Tells how what functions make of derived classes is finished: see `vm.calls.of_class`."""
    _calls(handle)[].finishing = kept(address_of(finishing))
    return PythonObject(None)


def class_of(handle: PythonObject, number: PythonObject) raises -> PythonObject:
    """A number for all numbers that functions treat alike: `vm.calls.signature.class_of_number`."""
    ref objects = state_of(handle)[].objects
    return PythonObject(class_of_number(objects, address_of(number)))


def described(handle: PythonObject, first: PythonObject) raises -> PythonObject:
    """The steps of the log from a place on, in words: `vm.record.described`."""
    ref objects = state_of(handle)[].objects
    var found = Described(objects, objects.log, Int(py=first))
    return owned(found.result())


def record_steps(
    handle: PythonObject, values: PythonObject, steps: PythonObject
) raises -> PythonObject:
    """Records the steps of a table, whose results are added to a list of values."""
    ref objects = state_of(handle)[].objects
    if not record_table(objects, address_of(values), address_of(steps)):
        raise Error("steps cannot be recorded")
    return PythonObject(None)


def forget_calls(handle: PythonObject) raises -> PythonObject:
    """Forgets all transcripts; no call may be under way."""
    ref transcripts = _calls(handle)[].transcripts
    if transcripts.busy > 0:
        raise Error("a call is being recorded again")
    transcripts.forget()
    return PythonObject(None)


def set_learning(
    handle: PythonObject, calls: PythonObject, thread: PythonObject
) raises -> PythonObject:
    """Sets how many calls are being made whose transcripts will be written, and by which thread.

    The thread is 0 if there are several.
    """
    ref objects = state_of(handle)[].objects
    objects.learning = Int(py=calls)
    objects.learner = Int(py=thread)
    return PythonObject(None)
