"""The types of values and handles: their slots, as the interpreter calls them, and references."""

from __future__ import annotations

import abc
import collections.abc
import functools
import gc
import os
import typing
import warnings
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.values.value import Value, leaf, record
from tests.support.differential import check

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    RunPython = Callable[..., subprocess.CompletedProcess[str]]

T = typing.TypeVar("T")
STEPS = int(os.environ.get("JUJUNP_RANDOM_STEPS", 100_000))

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod"]
BITS = ["and", "or", "xor", "lshift", "rshift"]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]


@pytest.mark.parametrize("name", [*ARITHMETIC, *BITS])
def test_operators_by_their_methods(name: str) -> None:
    dtype = "float64" if name in ARITHMETIC else "int64"

    def program(xp: Any) -> Any:
        x, y = xp.arange(1, 6).astype(dtype), xp.full(5, 2, dtype)
        forward, reflected = (getattr(x, f"__{prefix}{name}__") for prefix in ("", "r"))
        changed = x.copy()
        getattr(changed, f"__i{name}__")(y)
        return forward(y), reflected(3), forward(2), changed

    check(program)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_by_their_methods(name: str) -> None:
    check(lambda xp: [getattr(xp.arange(5.0), f"__{name}__")(y) for y in (2, xp.full(5, 2.0))])


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x + "text",
        lambda x: "text" + x,
        lambda x: x + object(),
        lambda x: x < object(),
        lambda x: x.__delitem__(0),
        lambda x: x.__getitem__(7),
        lambda x: x.__setitem__(7, 1),
        lambda x: x.__setitem__("key", 1),
        lambda x: hash(x),
    ],
)
def test_wrong_operands(program: Callable[[Any], Any]) -> None:
    for xp in (jj, np):
        with pytest.raises((TypeError, ValueError, IndexError)) as caught:
            program(xp.arange(5.0))
        if xp is jj:
            ours = caught.type
        else:
            assert issubclass(caught.type, ours)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("convert", [float, int, bool, complex, [5, 6, 7].__getitem__])
def test_elements_as_numbers(dtype: str, convert: Callable[[Any], Any]) -> None:
    """Computed, pending, of a view, of a view of a view."""

    def program(xp: Any) -> Any:
        x = xp.asarray(np.array([0, 1, 2, 0, 1, 2]), dtype=dtype)
        parts = [x[1], (x + x)[2], x[::-2][1], x.reshape(2, 3).T[2][0], x[0] + x[1]]
        x[1] = 0
        return [convert(part) for part in parts]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        check(program)


def test_an_element_is_what_it_was_when_it_was_read() -> None:
    def program(xp: Any) -> Any:
        x = xp.arange(4.0)
        first, computed = x[0], float(x[1])
        x[:] = 7
        second = x[0]
        x += 1
        return float(first), computed, float(second), float(x[0]), bool(x[3] - 8)

    check(program)


def test_iteration() -> None:
    def program(xp: Any) -> Any:
        x = xp.arange(6.0).reshape(2, 3)
        rows = list(x)
        rows[1][:] = 5
        a, b = x[:, :2]
        return rows, list(x[0]), list(xp.zeros((0, 3))), a, b, [v * 2 for v in x.T]

    check(program)
    check(lambda xp: iter(xp.asarray(3.0)))


def test_a_class_that_is_derived() -> None:
    """It has the operators, its objects may have attributes, and it may answer for itself."""

    class Plain(jj.ndarray):
        __slots__ = ()

    class Own(jj.ndarray):
        def __add__(self, other: Any) -> str:
            return "mine"

        def __radd__(self, other: Any) -> str:
            return "mine, too"

    whole = jj.arange(4.0)
    plain, own = (
        jj._array.handle.new_handle(kind, whole._value, None, None, (4,), whole._code)  # type: ignore[attr-defined]
        for kind in (Plain, Own)
    )
    assert (plain + whole).tolist() == [0, 2, 4, 6]
    assert (whole - plain).tolist() == [0, 0, 0, 0]
    assert (2 * plain)[1:].tolist() == [2, 4, 6]
    assert own + whole == "mine"
    assert whole + own == "mine, too"
    own.note = [own]
    gone = weakref.ref(own)
    part = own[1:]
    assert own._views == 1
    del own
    gc.collect()
    assert part.tolist() == [1, 2, 3]
    del part
    gc.collect()
    assert gone() is None


def test_neither_values_nor_handles_are_made_by_calls() -> None:
    for kind in (Value, jj._array.handle.Handle):  # type: ignore[attr-defined]
        with pytest.raises(TypeError, match="cannot create"):
            kind()
    for function in (record, leaf, jj._array.handle.new_handle):  # type: ignore[attr-defined]
        with pytest.raises(TypeError):
            function()


def test_the_collector_has_nothing_to_look_for() -> None:
    x = jj.arange(5.0)
    y = x[1:] + 1
    assert not any(map(gc.is_tracked, (x, y, y._value, x[0])))


def test_views_are_counted() -> None:
    x = jj.arange(12.0).reshape(3, 4).copy()
    views = [x[0], x.T, x[1:][0]]
    assert x._views == 3
    assert views[0]._views == 0
    del views[1]
    assert x._views == 2
    views.clear()
    assert x._views == 0


def test_weak_references() -> None:
    x = jj.arange(3.0)
    seen = []
    gone = weakref.ref(x, lambda _: seen.append(True))
    del x
    assert gone() is None
    assert seen == [True]


RANDOM_STEPS = """
import gc, random, sys
import jujunp as np
from jujunp.lazy.run import machine
from jujunp.lazy.values.value import LOG

chance = random.Random(3)
x, matrix = np.arange(64.0), np.ones((8, 8))
kept = []

def view_of(k):
    return matrix[k % 8]

def write(k):
    x[k % 64] = 2.0

def grow(k):
    matrix[k % 8] += 1.5

makers = [
    lambda k: x + k,
    view_of,
    lambda k: matrix[k % 8, 2],
    lambda k: matrix.T[1:] * 2.0,
    lambda k: (kept[-1] if kept else x) < 2,
    write,
    grow,
]

def run(steps):
    for k in range(steps):
        made = makers[chance.randrange(len(makers))](k)
        if made is not None:
            kept.append(made)
        while len(kept) > 300:
            kept.pop(chance.randrange(len(kept)))
    kept.clear()
    np.flush()
    gc.collect()
    return sys.getallocatedblocks(), machine.memory_in_use()

run(2000)
before, after = run(2000), run(STEPS)
print(len(LOG), after[0] - before[0], after[1] - before[1])
"""


def test_nothing_is_left_of_random_steps(run_python: RunPython) -> None:
    """In a process of its own: threads and caches of other tests come and go."""
    code = RANDOM_STEPS.replace("STEPS", str(STEPS))
    pending, blocks, memory = map(int, run_python(code, JUJUNP_POLICY="never").stdout.split())
    assert pending == 0
    assert blocks < 100
    assert memory <= 0


@pytest.mark.parametrize("dtype", ["?", *"bhilBHILefdFD"])
@pytest.mark.parametrize("number", [0, 1, -1, 127, 128, -128, 255, 256, 2**31, 2**53 + 1, 2**63])
def test_elements_written_as_python_integers(dtype: str, number: int) -> None:
    def program(xp: Any) -> Any:
        x = xp.zeros(4, dtype)
        x[1] = number
        x[2:] = number
        x.reshape(2, 2)[0, 0] = number
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(program)


def test_arrays_are_made_by_their_class() -> None:
    for args, named in (
        (((2, 3),), {}),
        ((4,), {"dtype": np.int32}),
        (((2, 3), "f4"), {"order": "F"}),
        (((),), {}),
    ):
        ours, theirs = jj.ndarray(*args, **named), np.ndarray(*args, **named)  # type: ignore[arg-type]
        assert type(ours) is jj.ndarray
        assert (ours.shape, ours.dtype, ours.strides) == (
            theirs.shape,
            theirs.dtype,
            theirs.strides,
        )
        ours[...] = 1
        assert ours.tolist() == np.ones_like(theirs).tolist()

    class Derived(jj.ndarray):
        pass

    made = Derived((2, 3))
    assert type(made) is Derived
    made[1] = 2.0
    assert made.tolist() == [[0.0] * 3, [2.0] * 3]
    with pytest.raises(TypeError):
        jj.ndarray()
    with pytest.raises(ValueError, match="negative dimensions"):
        jj.ndarray((-1,))
    scalar: Any = type(jj.zeros(2, int)[0])
    assert (scalar(), scalar(3), scalar(np.float32(2)).dtype) == (0, 3, np.int64)
    with pytest.raises(TypeError):
        scalar([1, 2])


def test_arrays_say_that_their_class_is_numpys() -> None:
    class Derived(jj.ndarray):
        pass

    x, derived = jj.arange(3.0), jj.arange(3.0).view(Derived)
    assert isinstance(x, np.ndarray)
    assert x.__class__ is np.ndarray
    assert type(x) is jj.ndarray
    assert not isinstance(x, (Derived, np.matrix, list, collections.abc.Sequence))
    assert type(x.view(x.__class__)) is type(derived.view(np.ndarray)) is jj.ndarray
    assert derived.__class__ is Derived
    assert not isinstance(derived, np.ndarray)
    dispatched = functools.singledispatch(lambda _: "any")
    dispatched.register(np.ndarray)(lambda _: "an array")
    assert [dispatched(one) for one in (x, 1)] == ["an array", "any"]
    np.testing.assert_equal({"x": [x]}, {"x": [x]})
    np.testing.assert_almost_equal(x, x)
    with pytest.raises(AssertionError):
        np.testing.assert_equal(x, x + 1)


@pytest.mark.parametrize(
    ("module", "is_ours"),
    [
        ("pandas", True),
        ("jax.numpy", True),
        ("jujunp.a.b", True),
        ("a.array_api_compat.b", True),
        ("pandas2", False),
        ("numpy.ma.core", True),
        ("numpy.testing._private", False),
        ("a", False),
    ],
)
def test_who_is_shown_the_class_of_ours(module: str, is_ours: bool) -> None:
    x = jj.arange(3.0)
    names = {"__name__": module, "x": x, "numpy": np}
    for _ in range(2):
        assert eval("x.__class__", names) is (jj.ndarray if is_ours else np.ndarray)
        assert eval("isinstance(x, numpy.ndarray)", names) is not is_ours
    assert eval("x.__class__", {"x": x}) is np.ndarray  # a module without a name


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let NumPy make arrays of what is no number."""
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)


@pytest.mark.usefixtures("lenient")
def test_arrays_of_numpys_count_as_arrays() -> None:
    """Other libraries give them, and our functions where elements are no numbers."""
    theirs = (np.zeros(2), jj.array(["a"]), jj.array([1, "b"], dtype=object), np.ma.array([1]))
    for array in (*theirs, jj.zeros(2), jj.zeros(2)[::2], jj.matrix([[1]])):
        assert isinstance(array, jj.ndarray)
        assert issubclass(type(array), jj.ndarray)
    for other in (1, [1], jj.zeros(2)[0], np.float64(1), memoryview(b"a"), jj.ndarray):
        assert not isinstance(other, jj.ndarray)
    assert not issubclass(list, jj.ndarray)


def test_classes_derived_from_ours_have_none_of_numpys() -> None:
    class Derived(jj.ndarray):
        pass

    derived: Any = jj.zeros(2).view(Derived)
    assert isinstance(derived, Derived)
    assert isinstance(derived, jj.ndarray)
    for other in (np.zeros(2), jj.zeros(2)):
        assert not isinstance(other, Derived)
    assert not issubclass(np.ndarray, Derived)
    assert not isinstance(jj.zeros(2), jj.matrix)


def test_an_abstract_class_may_be_another_base() -> None:
    class Abstract(jj.ndarray, abc.ABC):
        @abc.abstractmethod
        def work(self) -> int: ...

    class Generic(jj.ndarray, typing.Generic[T]):
        pass

    class Concrete(Abstract):
        def work(self) -> int:
            return 3

    made: Any = jj.arange(3).view(Concrete)
    assert (made.work(), made.sum()) == (3, 3)
    assert isinstance(made, Abstract)
    assert isinstance(jj.zeros(2).view(Generic), Generic)


RAGGED: dict[str, Any] = {
    "of two lengths": lambda xp: [xp.arange(3.0), xp.arange(2.0)],
    "of one length": lambda xp: [xp.arange(3.0), xp.arange(3.0) + 1],
    "and nothing": lambda xp: [xp.arange(3.0), None],
    "and text": lambda xp: [xp.arange(3.0), "text"],
    "in tuples": lambda xp: [(xp.arange(3.0), [1, 2]), (xp.arange(2.0), [1])],
}


@pytest.mark.parametrize("name", RAGGED)
@pytest.mark.parametrize("maker", ["array", "asarray"])
@pytest.mark.usefixtures("lenient")
def test_objects_that_are_arrays(name: str, maker: str) -> None:
    ours, theirs = (getattr(xp, maker)(RAGGED[name](xp), dtype=object) for xp in (jj, np))
    assert type(ours) is np.ndarray
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    for one, other in zip(ours.flat, theirs.flat, strict=True):
        assert type(one) is (jj.ndarray if type(other) is np.ndarray else type(other))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("given", [3, None, "x", int, object, jj.float64])
def test_what_is_no_class_of_arrays_makes_none(given: Any) -> None:
    with pytest.raises(TypeError) as ours:
        jj.ndarray.__new__(given, (2,))
    with pytest.raises(TypeError) as theirs:
        np.ndarray.__new__(given, (2,))
    if given is not jj.float64:  # NumPy says `numpy.float64` there
        assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("method", [1, None, (), b"__call__", "at", np.ones(2)])
def test_calls_of_ufuncs_by_what_is_no_method(method: Any) -> None:
    x = jj.arange(3.0)
    with pytest.raises((TypeError, ValueError)):
        x.__array_ufunc__(np.add, method, x, x)
    with pytest.raises(TypeError):
        x[1].astype(int).__format__(b"5d")
