"""Small arrays of zeros and ones, which are made at once, and what is left to Python."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import jujunp
from tests.calls.support import python_frames
from tests.support.differential import check

SHAPES: list[Any] = [
    *(1, 5, 0, 512, 513, 5000, (3,), (2, 3), (), (1, 1, 2), (64, 8), (65, 8), (0, 3), [2, 2]),
    *(numpy.int64(3), (numpy.int32(2), 2), True, (1,) * 9),
]
SPELLINGS: list[Any] = [
    *(None, float, int, bool, complex, "float64", "int", "f4", "=i4", numpy.float32, numpy.intp),
    *(numpy.dtype("int8"), "?", "|b1", "<u2", "d", "B", "F", "l", "q"),
]
WRONG: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((-1,), {}),
    (((2, -3),), {}),
    ((2.5,), {}),
    ((2**62, 8), {}),
    (((2**40, 2**40),), {}),
    ((2**70,), {}),
    ((2, "nonsense"), {}),
    ((2,), {"dtypes": int}),
    ((2, int), {"dtype": int}),
    ((2, int, "C", 4), {}),
    ((2, [1]), {}),
]
NAMES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
FUNCTIONS = ["zeros", "ones", "empty"]


def outcome(library: Any, name: str, *args: Any, **named: Any) -> Any:
    """Return dtype, shape, and elements but those that are unset, or the type of an error."""
    try:
        made = numpy.asarray(getattr(library, name)(*args, **named))
    except Exception as error:
        return type(error)
    return made.dtype, made.shape, None if name == "empty" else made.tolist()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_numpys(name: str) -> None:
    for shape in SHAPES:
        for dtype in [*SPELLINGS, *NAMES]:
            theirs = outcome(numpy, name, shape, dtype)
            assert outcome(jujunp, name, shape, dtype) == theirs, (shape, dtype)
            assert outcome(jujunp, name, shape, dtype=dtype) == theirs, (shape, dtype)


LIKE = ["zeros_like", "ones_like", "empty_like"]


@pytest.mark.parametrize("name", LIKE)
@pytest.mark.parametrize("spelling", NAMES)
def test_those_like_others_are_numpys(name: str, spelling: str) -> None:
    x = numpy.arange(24).reshape(2, 3, 4).astype(spelling)
    for part in (..., (0, 1), (0, 1, 2), slice(0), (slice(None), 0), (0, slice(None, None, -1))):
        for turned in (False, True):
            theirs = x[part].T if turned else x[part]
            ours = jujunp.asarray(x)[part].T if turned else jujunp.asarray(x)[part]
            for given in ((), (None,), (float,), ("i2",)):
                found = getattr(jujunp, name)(ours, *given)
                expected = getattr(numpy, name)(theirs, *given)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                if name != "empty_like":
                    assert found.tolist() == expected.tolist()
                if 0 not in found.shape:
                    assert found.strides == expected.strides


@pytest.mark.parametrize("name", LIKE)
def test_those_like_small_arrays_need_no_python(name: str) -> None:
    x = jujunp.arange(12.0).reshape(3, 4)
    for call in (lambda: getattr(jujunp, name)(x), lambda: getattr(jujunp, name)(x, dtype=int)):
        assert python_frames(call) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_arguments_are_refused(name: str) -> None:
    for args, named in WRONG:
        theirs = outcome(numpy, name, *args, **named)
        assert isinstance(theirs, type)
        assert issubclass(outcome(jujunp, name, *args, **named), theirs), (args, named)


def test_each_has_memory_of_its_own() -> None:
    made = [jujunp.zeros(4) for _ in range(50)]
    for k, x in enumerate(made):
        x[k % 4] = k
    for k, x in enumerate(made):
        assert x.tolist() == [k if place == k % 4 else 0.0 for place in range(4)]


def test_they_are_followed() -> None:
    def f(x: Any) -> Any:
        y = jujunp.zeros(3)
        y[1] = x * x
        return (y + jujunp.ones(3)).sum()

    assert jujunp.grad(f)(3.0) == 6.0


def test_an_array_of_ours_is_itself() -> None:
    x = jujunp.arange(3)
    assert jujunp.asarray(x) is x
    assert jujunp.asanyarray(x) is x


ENDS = (
    *(0.0, -0.0, 1.0, -1.5, 3, 10**6, 1e300, -1e300, 5e-324, 1e-310, numpy.inf, numpy.nan, True),
    *(numpy.float64(2.5), numpy.int64(7), numpy.float32(0.1)),
)
LENGTHS: tuple[dict[str, Any], ...] = (
    *({}, {"num": 1}, {"num": 2}, {"num": 7}, {"num": 0}, {"num": -1}, {"num": 9000}),
    *({"num": 5, "endpoint": False}, {"endpoint": False}, {"num": 1, "endpoint": False}),
    *({"num": 4, "endpoint": True}, {"num": 3, "retstep": True}, {"num": 3, "dtype": "f4"}),
)


@pytest.mark.parametrize("start", ENDS)
def test_spaced_numbers(start: Any) -> None:
    for stop in ENDS:
        for options in LENGTHS:

            def program(xp: Any, stop: Any = stop, options: Any = options) -> Any:
                return xp.linspace(start, stop, **options)

            check(program)
        check(lambda xp, stop=stop: xp.linspace(xp.asarray([start])[0], stop, 4, False))


def test_no_python_for_spaced_numbers() -> None:
    x = jujunp.arange(5.0)

    def made() -> None:
        for k in range(3):
            jujunp.linspace(k / 7, x[k + 1], 3 + k)
            jujunp.linspace(k, k + 1, num=4, endpoint=False)

    assert python_frames(made) == []


@pytest.mark.parametrize("dtype", [None, float, "u1", "f4", bool, "i2"])
def test_ranges_and_numbers_become_arrays(dtype: Any) -> None:
    ranges = (range(0), range(5), range(3, 20, 4), range(10, 0, -3), range(10**5), range(-3, 3))
    numbers = (2.5, 7, True, 300, -1, float("nan"), 2**63 - 1, numpy.float32(0.1), numpy.int8(3))
    for given in (*ranges, range(2**62, 2**62 + 2), *numbers, [2.5, 7], [300], [[1], [2]]):
        for name in ("array", "asarray"):

            def program(xp: Any, given: Any = given, name: str = name) -> Any:
                made = getattr(xp, name)(given, *([] if dtype is None else [dtype]))
                return made, made.shape

            check(program)
