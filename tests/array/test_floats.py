"""Elements of float64 arrays are Python's floats: whoever looks into them finds the number."""

from __future__ import annotations

import copy
import datetime
import decimal
import json
import math
import pickle
import sqlite3
import struct
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp._calls.functions import function
from tests.support.differential import DTYPES, check

if TYPE_CHECKING:
    from collections.abc import Callable


def _inside(x: Any) -> float:
    """Return the number that C code finds in a float."""
    return float.__float__(x)


def _stored(x: Any) -> list[Any]:
    connection = sqlite3.connect(":memory:")
    try:
        return connection.execute("select ?, ?", (x, x)).fetchall()
    finally:
        connection.close()


TEXTS: dict[str, Callable[[Any], Any]] = {
    "json": json.dumps,
    "json of a dictionary": lambda x: json.dumps({"a": [x, {"b": x}]}),
    "json with lines": lambda x: json.dumps({"a": [x, {"b": x}]}, indent=1),
    "json with a default": lambda x: json.dumps([x], default=str),
    "json with a default and lines": lambda x: json.dumps([x], default=str, indent=2),
    "sqlite": _stored,
}
"""What results of functions can be given to, too."""
CALLS: dict[str, Callable[[Any], Any]] = {
    "json as a key": lambda x: json.dumps({x: 1}),
    "sleep": lambda x: time.sleep(x / 1e6),
    "timedelta": lambda x: datetime.timedelta(seconds=x, hours=x),
    "time stamp": lambda x: datetime.datetime.fromtimestamp(x),
    "wait": lambda x: threading.Event().wait(x / 1e6),
    "decimal": decimal.Decimal,
    "struct": lambda x: struct.pack("d", x),
    "method of float": lambda x: (float.hex(x), float.__repr__(x), float.is_integer(x)),
    "reflected method": lambda x: float.__add__(1.0, x),
    "class": lambda x: (isinstance(x, float), issubclass(type(x), float), type(x).__name__),
    "new": lambda x: type(x)(3),
}


@pytest.mark.parametrize("name", [*TEXTS, *CALLS])
def test_elements(name: str) -> None:
    check(lambda xp: (TEXTS | CALLS)[name](xp.asarray([1.5, 2.25])[1]))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("is_known", [False, True])
def test_results(name: str, is_known: bool) -> None:
    def program(xp: Any) -> Any:
        total = xp.asarray([1.5, 2.25]).sum()
        if is_known:
            float(total)
        return TEXTS[name](total)

    check(program)


def test_results_are_no_floats() -> None:
    """They stay arrays without axes for libraries that take each float for a Python number."""
    x = jj.asarray([1.5, 2.25])
    total = x.sum()
    float(total)
    numbers = (
        *(total, total[()], jj.asarray(2.5)[()], -total, total + 1, 2.0 * total, np.sqrt(total)),
        *(total * x[0], x[0] - total, jj.maximum(total, x[0])),
    )
    for number in numbers:
        assert not issubclass(type(number), float)
        assert isinstance(number, float)


@pytest.mark.parametrize("indent", [None, 1])
def test_other_dtypes_are_no_numbers_for_json(indent: int | None) -> None:
    for dtype in ("float32", "int64", "bool", "complex128"):
        with pytest.raises(TypeError, match=f"type {np.dtype(dtype).type.__name__} is not JSON"):
            json.dumps([jj.ones(3, dtype)[0]], indent=indent)
    with pytest.raises(TypeError, match="ndarray is not JSON serializable"):
        json.dumps(jj.ones(3), indent=indent)


@pytest.mark.parametrize("dtype", DTYPES)
def test_only_those_of_float64_are_floats(dtype: Any) -> None:
    x = jj.ones(3, dtype)
    jj.flush()
    assert issubclass(type(x[0]), float) == (x.dtype == np.float64)


def _made(x: Any) -> dict[str, Any]:
    """Return what is calculated of elements in different ways."""
    a, b = x[1], x[2]
    found = {
        "element": a,
        "sum": a + b,
        "quotient": a / b,
        "negative": -a,
        "sum with an int": a + 1,
        "root": np.sqrt(a),
        "one of many": next(iter(x)),
        "row": x.reshape(2, 2)[1, 0],
        "made from a number": np.float64(3.5) * a,
    }
    for number in found.values():
        float(number)
    return found


def test_the_number_inside_is_the_element() -> None:
    theirs = np.asarray([1.5, 2.25, 1e300, 4.0])
    ours = jj.asarray(theirs.copy())
    wanted = _made(theirs)
    for name, number in _made(ours).items():
        assert issubclass(type(number), float), name
        assert _inside(number) == float(number) == wanted[name], name


def test_one_that_is_written_shows_what_was_written() -> None:
    x = jj.asarray([1.5, 2.5])
    number = x[0]
    again = number
    for value in (7.0, jj.asarray([8.5])[0], jj.asarray([2.0, 3.0]).sum()):
        number[()] = value
        assert again == value
        assert isinstance(again, float)
        assert math.floor(again) == int(value)
        assert json.dumps(again) == str(float(value))
    assert x.tolist() == [1.5, 2.5]


def test_scalars_that_come_and_go_stay_what_they_are() -> None:
    """Freed ones are used again, for elements of another dtype too."""
    x, k, m = jj.arange(300.0), jj.arange(300), jj.arange(300) > 7
    jj.flush()
    counts = [sys.getrefcount(type(y[0])) for y in (x, k)]
    for start in range(0, 300, 100):
        kept: list[Any] = []
        for i in range(start, start + 100):
            kept += [x[i], k[i], m[i], x[i] + 0.5, k[i] + 1]
        for i, (a, b, c, d, e) in enumerate(zip(*[iter(kept)] * 5, strict=True), start):
            assert (_inside(a), int(b), bool(c), _inside(d), int(e)) == (
                i,
                i,
                i > 7,
                i + 0.5,
                i + 1,
            )
            floats = [issubclass(type(y), float) for y in (a, b, c, d, e)]
            assert floats == [True, False, False, True, False]
        del kept, a, b, c, d, e
    after = [sys.getrefcount(type(y[0])) for y in (x, k)]
    assert all(abs(new - old) < 300 for old, new in zip(counts, after, strict=True))


LEARNT: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "full": lambda xp, x, a, b: xp.full(3, a),
    "where at": lambda xp, x, a, b: xp.add(x, a, where=x > b, out=x * 0),
    "linspace": lambda xp, x, a, b: xp.linspace(a, b, 5),
    "arange": lambda xp, x, a, b: xp.arange(a, b, 0.5),
    "quantile": lambda xp, x, a, b: xp.quantile(x, a / 100),
    "clip": lambda xp, x, a, b: xp.clip(x, a, b),
    "pad": lambda xp, x, a, b: xp.pad(x, 1, constant_values=a),
    "histogram": lambda xp, x, a, b: xp.histogram(x, bins=3, range=(a, b))[0],
    "interp": lambda xp, x, a, b: xp.interp(a, x, x * 2),
    "where": lambda xp, x, a, b: xp.where(x > a, b, x),
    "isclose": lambda xp, x, a, b: xp.isclose(x, a, atol=b),
    "nan_to_num": lambda xp, x, a, b: xp.nan_to_num(x / (x - 1), nan=a, posinf=b),
    "std": lambda xp, x, a, b: xp.std(x, mean=a),
    "round": lambda xp, x, a, b: xp.round(a, 1),
}


@pytest.mark.parametrize("name", LEARNT)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_calls_that_are_learnt_see_each_number(name: str) -> None:
    """What a call reads must be seen, or its transcript would keep the first number."""

    def program(xp: Any) -> list[Any]:
        x = xp.asarray(np.arange(1.0, 9.0))
        numbers = xp.asarray(np.linspace(1.5, 2.0, 13))
        return [LEARNT[name](xp, x, a, a * 3) for a in numbers]

    check(program)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpys_scalars_on_the_left(dtype: Any) -> None:
    """To them, a float could be a weak number: the dtypes must be those of two scalars."""
    left = np.ones(1, dtype)[0]
    theirs = np.asarray([1.5])[0]
    ours: Any = jj.asarray([1.5])[0]
    for operation in (
        lambda x: left + x,
        lambda x: left * x,
        lambda x: left < x,
        lambda x: left == x,
        lambda x: np.maximum(left, x),
        lambda x: left**x,
    ):
        found, wanted = operation(ours), operation(theirs)
        assert np.asarray(found).dtype == wanted.dtype
        assert found == wanted


def test_math_reads_them() -> None:
    x = jj.asarray([0.5, 2.0])
    assert math.sin(x[0]) == math.sin(0.5)
    assert math.fsum(x) == 2.5
    assert math.hypot(x[0], x[1]) == math.hypot(0.5, 2.0)


def test_copies_of_elements_are_elements() -> None:
    x: Any = jj.asarray([1.5, 2.5])[1]
    for twin in (copy.copy(x), copy.deepcopy([x])[0], pickle.loads(pickle.dumps(x))):
        assert type(twin) is type(x)
        assert _inside(twin) == 2.5
        assert twin is not x


CONVERSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "array": lambda xp, kind: kind(xp.arange(6).reshape(2, 3)),
    "view": lambda xp, kind: kind(xp.arange(6.0).reshape(2, 3).T[::-1]),
    "no elements": lambda xp, kind: kind(xp.zeros((0, 2))),
    "element": lambda xp, kind: kind(xp.arange(6)[2]),
    "no axes": lambda xp, kind: kind(xp.asarray(2.5)),
    "number": lambda xp, kind: kind(2.5),
    "nothing": lambda xp, kind: kind(),
    "two": lambda xp, kind: kind(xp.zeros(2), xp.zeros(2), 5),
    "name": lambda xp, kind: kind(a=3),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CONVERSIONS)
def test_scalar_types_convert_arrays(name: str, dtype: Any) -> None:
    kind = np.dtype(dtype).type
    check(lambda xp: CONVERSIONS[name](xp, kind))


def test_scalar_types_give_arrays_of_ours() -> None:
    x = jj.arange(3.0) + 0.5
    flushes = jj.stats()["flushes"]
    found: Any = jj.uint8(x)
    assert type(found) is jj.ndarray
    assert jj.stats()["flushes"] == flushes
    found[0] = 9
    assert (found.tolist(), x.tolist()) == ([9, 1, 2], [0.5, 1.5, 2.5])

    class Derived(jj.ndarray):
        pass

    assert type(jj.float32(x.view(Derived))) is Derived
    assert type(jj.float32([1, 2])) is np.ndarray  # it has nothing of ours


@pytest.mark.parametrize("name", ["imag", "real", "T", "conj", "copy", "round", "flatten"])
def test_what_members_give_has_the_number_of_the_element(name: str) -> None:
    """Or it is no float: what they make may be pending."""

    def program(xp: Any) -> list[Any]:
        x = xp.asarray([1.5, -2.5])
        found = [getattr(x[k], name) for k in (0, 1, 0)]
        found = [one() if callable(one) else one for one in found]
        return [found, [one != 0 for one in found], [bool(one > 1.0) for one in found]]

    check(program)


def test_a_call_that_is_learnt_shows_what_c_code_reads() -> None:
    """`math.sqrt` reads a float in the object, which no watch would see."""
    scaled = function(lambda x, number: x * math.sqrt(number))
    x = jj.arange(3.0) + 1
    for number in jj.asarray(np.linspace(1.0, 4.0, 13)):
        assert scaled(x, number).tolist() == [k * math.sqrt(float(number)) for k in (1, 2, 3)]


def test_an_element_stays_a_float_when_a_call_has_been_learnt() -> None:
    x = jj.asarray([1.5, 2.5])
    number = x[1]
    for _ in range(12):
        full = jj.full(3, number)
        assert issubclass(type(number), float)
        assert _inside(number) == 2.5
    assert full.tolist() == [2.5] * 3
    scaled = function(lambda x, number: x * number)
    for _ in range(12):
        assert scaled(x, number).tolist() == [3.75, 6.25]
        assert issubclass(type(number), float)
