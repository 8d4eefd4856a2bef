"""Methods that record without a Python frame: the same results and errors, and nothing leaks."""

from __future__ import annotations

import gc
import operator
import sys

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import floor_divide

OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "ge", "eq", "ne"]
BITWISE = ["and_", "or_", "xor"]
DTYPES = ["bool", "int8", "uint8", "int64", "uint64", "float32", "float64"]
NUMBERS = [True, 3, -3, 2**40, 2**63, 1.5, float("nan"), float("inf"), -1.7e308]
VIEWS = {
    "whole": lambda x: x,
    "reversed": lambda x: x[::-1],
    "transposed": lambda x: x.T,
    "row": lambda x: x[1],
    "column": lambda x: x[:, 1:2],
    "new axis": lambda x: x[:, None, 1],
    "repeated": lambda x: jj.broadcast_to(x[0], x.shape) if type(x) is jj.ndarray else (
        np.broadcast_to(x[0], x.shape)
    ),
    "element": lambda x: x[1, 2],
    "without axes": lambda x: x[1, 2, ...],
    "empty": lambda x: x[:0],
}  # fmt: skip


def outcome(function, *operands):
    """Return what a call gives: array, type and strides, or the error's type and text."""
    try:
        with np.errstate(all="ignore"):
            result = function(*operands)
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        return type(error), str(error)
    if isinstance(result, (jj.ndarray, np.ndarray)):
        return "array", np.asarray(result), result.strides if result.size else ()
    return "scalar", np.asarray(result), ()


def assert_same(found, wanted):
    assert found[0] == wanted[0]
    if isinstance(found[1], str):
        assert found[1] == wanted[1]
        return
    np.testing.assert_array_equal(found[1], wanted[1], strict=True)
    assert found[2] == wanted[2]


def compare(function, *operands, oracle=None):
    """Call with NumPy's arrays and ours, twice: the second call knows the loop."""
    ours = [jj.asarray(x) if isinstance(x, np.ndarray) else x for x in operands]
    wanted = outcome(oracle or function, *operands)
    for _ in range(2):
        assert_same(outcome(function, *ours), wanted)


def numbers(dtype, shape=(3, 4)):
    return np.arange(1, 13).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*OPERATORS, *BITWISE])
def test_dtypes(name, dtype):
    function = getattr(operator, name)
    oracle = floor_divide if name == "floordiv" else function
    for other in DTYPES:
        compare(function, numbers(dtype), numbers(other))
    for number in NUMBERS:
        compare(function, numbers(dtype), number, oracle=oracle)
        compare(
            lambda x, y: function(y, x),
            numbers(dtype),
            number,
            oracle=lambda x, y: oracle(y, x),
        )


@pytest.mark.parametrize("second", VIEWS)
@pytest.mark.parametrize("first", VIEWS)
def test_views(first, second):
    x = numbers("float64")
    compare(lambda x: VIEWS[first](x) + VIEWS[second](x), x)
    compare(lambda x: VIEWS[first](x) < VIEWS[second](x), x)
    compare(lambda x: -VIEWS[first](x), x)

    def augmented(x):
        x = x.copy()
        y = VIEWS[first](x)
        y += VIEWS[second](x * 2)
        return x

    compare(augmented, x)


def test_views_differ_in_what_they_write():
    def program(x):
        y = x.copy()
        z = y[1:]
        z *= 2
        y[0] += z[1]
        z[0] = y[2]
        z[1:, ::2] = x[1:, 1::2]
        y[..., 3] = 7.0
        return y

    compare(program, numbers("float64"))


@pytest.mark.parametrize(
    "key",
    [4, -5, (0, 4), (0, 0, 0), (slice(None), 9), (..., 0, ...), (None, 7), "a", 1.5, (0, "a")],
)
@pytest.mark.parametrize("write", [False, True])
def test_bad_keys(key, write):
    def program(x):
        if write:
            x[key] = 1.0
        return x[key]

    found, wanted = (outcome(program, m.ones((3, 4))) for m in (jj, np))
    assert found == wanted


@pytest.mark.parametrize("item", [np.ones(3), np.ones((2, 4)), [1.0, 2.0], "a", None, object()])
def test_bad_items(item):
    def program(x):
        x[1] = item
        return x

    found, wanted = (outcome(program, m.ones((3, 4))) for m in (jj, np))
    assert found[0] == wanted[0]


@pytest.mark.parametrize("other", ["a", None, object(), {}])
@pytest.mark.parametrize("function", [operator.add, operator.iadd, operator.lt])
def test_operands_that_have_no_answer(function, other):
    with pytest.raises(TypeError):
        function(jj.ones(3), other)


def test_an_operand_may_answer_itself():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, x):
            return "added"

    assert jj.ones(3) + Other() == "added"


def test_read_only_arrays_are_not_written():
    x = jj.ones(3)
    x.flags.writeable = False
    for write in (lambda: operator.iadd(x, 1.0), lambda: operator.setitem(x, 0, 1.0)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_the_usual_operands_need_no_python_frame():
    x, y = jj.ones((3, 4)), jj.ones((3, 4))

    def program(y):
        z = -(x + y) * 2.0 - x[1]
        y += z
        y[1:, ::2] += 1.0
        y[0, 0] = x[1, 1] + 1
        y[2] = x[0]
        return y > 1

    program(y)
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name))
    try:
        program(y)
    finally:
        sys.setprofile(None)
    assert set(calls) <= {"program", "test_the_usual_operands_need_no_python_frame"}


def test_nothing_leaks():
    x, y = jj.ones((3, 4)), jj.ones((4, 3))
    number = float("1.5")
    key = (1, slice(1, 3))

    def program():
        z = x + x * number
        z += x[0]
        z[key] += number
        z[1] = x[2]
        z[0, 0] = x[0, 1]
        for bad in (lambda: x + y, lambda: x[9], lambda: operator.setitem(z, (0, 9), 1.0)):
            with pytest.raises((ValueError, IndexError)):
                bad()
        jj.flush()

    things = [x, y, number, key, x.shape, x._value, None, False, x._value.buffer]
    program()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    for _ in range(50):
        program()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    for old, new in zip(before[0], after[0], strict=True):
        assert abs(new - old) < 25
    assert after[1] - before[1] < 25  # fewer, if the caches of JAX let go of some meanwhile
