"""Members of our class, given what is not ours; and methods of NumPy's arrays, given our class."""

from __future__ import annotations

import numpy
import pytest

import jujunp

FOREIGN = {
    "list": [1],
    "number": 3,
    "floats": numpy.ones(2),
    "text": numpy.array(["a"]),
    "objects": numpy.array([1, None]),
    "record": numpy.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    "masked": numpy.ma.array([1, 2], mask=[0, 1]),
}
GETTERS = ("shape", "dtype", "ndim", "size")
CALLS = {
    "view": lambda kind, x: kind.view(x, kind),
    "view as it is": lambda kind, x: kind.view(x),
    "wrapped": lambda kind, x: kind.__array_wrap__(x, numpy.ones(2)),
    **{name: lambda kind, x, name=name: vars(kind)[name].__get__(x) for name in GETTERS},
}


def outcome(call, kind, x):
    try:
        return call(kind, x)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("call", CALLS)
def test_members_of_what_is_not_ours(call, name):
    x = FOREIGN[name]
    class_of_getters = jujunp.ndarray.__mro__
    found = outcome(
        lambda kind, x: next(
            CALLS[call](cls if call in GETTERS else kind, x)
            for cls in class_of_getters
            if call not in GETTERS or call in vars(cls)
        ),
        jujunp.ndarray,
        x,
    )
    wanted = outcome(CALLS[call], numpy.ndarray, x)
    assert type(found) is type(wanted)
    numpy.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("name", [*GETTERS, "flat"])
def test_getters_refuse_other_numbers_of_arguments(name, count):
    getter = getattr(jujunp.ndarray, name).fget
    with pytest.raises(TypeError):
        getter(*[3] * count)


@pytest.mark.parametrize("name", ["text", "objects", "record", "masked"])
def test_numpys_arrays_are_seen_as_our_class(name):
    x = FOREIGN[name]
    for found in (x.view(jujunp.ndarray), numpy.ndarray.view(x, type=jujunp.ndarray)):
        assert type(found) is numpy.ndarray
        assert found.dtype.names == x.dtype.names
        assert numpy.shares_memory(found, x)


def test_numpys_arrays_are_seen_as_our_class_and_another_dtype():
    x = numpy.ma.array([1.0, 2.0])
    found = numpy.ndarray.view(x, "i8", jujunp.ndarray)
    assert type(found) is numpy.ndarray
    assert found.dtype == "i8"
    with pytest.raises(ValueError, match="twice"):
        numpy.ndarray.view(x, jujunp.ndarray, jujunp.ndarray)


MAKERS = ("zeros_like", "ones_like", "empty_like", "zeros", "ones", "array", "arange", "linspace")


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("named", [{}, {"dtype": "f4"}, {"no_such": 1}])
def test_makers_refuse_calls_without_arguments(name, named):
    for _ in range(6):
        with pytest.raises(TypeError):
            getattr(jujunp, name)(**named)


SWEEP = """
import os
import signal
import warnings

warnings.simplefilter("ignore")
import numpy
import jujunp as np

MODULES = np, np.linalg, np.fft, np.random
OBJECTS = np.ones(2), np.ones(2)[0], np.arange(2)[1], np.ones(2).flat, np.add, np.random.PCG64()
ARGUMENTS = (), (None,), ([],), (object(),), ({},), ("x",), ([()],), (np.ones(2), object())
NAMED = {}, {"no_such": 1}, {"dtype": "f4"}, {"axis": 0}, {"a": [1]}
FOREIGN = [1], 3, "a", None, numpy.ones(2), numpy.array(["a"]), numpy.array([None]), object()
LEFT = "zipf", "spawn", "__class__", "__del__", "test", "f2py"


def attempt(call, *args, **named):
    try:
        return call(*args, **named)
    except BaseException as error:
        return error


def unbound(name):
    for cls in np.ndarray.__mro__:
        member = vars(cls).get(name)
        for x in FOREIGN if member is not None else ():
            attempt(getattr(member, "__get__", None), x)
            attempt(getattr(member, "__set__", None), x, 1)
            for args in ((), (np.ndarray,), (1,), (numpy.ones(2),), (0, [1])):
                attempt(member, x, *args)


def called(owner, name):
    found = attempt(getattr, owner, name)
    if callable(found):
        for args in ARGUMENTS:
            for named in NAMED:
                attempt(found, *args, **named)
        attempt(np.flush)


def forked(label, function, *args):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        for stream in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        function(*args)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(label)


for owner in (*MODULES, *OBJECTS):
    for name in dir(owner):
        if name not in LEFT and not (type(owner) is type(os) and name[0] == "_"):
            forked(name, called, owner, name)
for name in dir(np.ndarray):
    if name not in LEFT:
        forked("ndarray." + name, unbound, name)
"""


@pytest.mark.slow
def test_no_odd_call_ends_the_process(run_python, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_python(SWEEP, JUJUNP_STRICT="0").stdout == ""
