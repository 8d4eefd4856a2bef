"""Operators of Python numbers and handles: the first call is Python's way, later ones Mojo's."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.values.value import LOG
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATORS: list[Callable[[Any, Any], Any]] = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.and_, operator.or_, operator.xor, operator.lshift),
    *(operator.rshift, operator.lt, operator.le, operator.gt, operator.ge, operator.eq),
    *(operator.ne, operator.pow),
]
NUMBERS = [0, 1, 2, -1, 3, 200, -200, 2**40, 2**70, True, 0.5, 2.0, -1.0, 1e300, np.inf, 2j]
DTYPES = ["?", "b", "B", "h", "i", "l", "L", "e", "f", "d", "F", "D"]


def answers(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Return what a function answers when called again and again, or the type of its error."""
    found = []
    for _ in range(3):
        try:
            found.append(function(a, b))
        except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
            found.append(str(type(error)))
    return found


def as_text(answer: Any) -> Any:
    return (
        answer
        if isinstance(answer, str)
        else (
            str(np.asarray(answer).dtype),
            np.asarray(answer).tolist(),
        )
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", OPERATORS)
def test_numbers_on_either_side(function: Callable[[Any, Any], Any], dtype: str) -> None:
    """All answers are the first one, and as NumPy's."""
    theirs = np.array([0, 1, 2, 3, 5, 6]).astype(dtype)
    ours = jj.asarray(theirs)
    scalar, element = ours[3], theirs[3]
    float(np.asarray(scalar).real)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number in NUMBERS:
            for reverse in (False, True):

                def call(x: Any, y: Any, reverse: bool = reverse) -> Any:
                    return function(y, x) if reverse else function(x, y)

                expected = as_text(answers(call, theirs, number)[0])
                found = [as_text(answer) for answer in answers(call, ours, number)]
                assert repr(found) == repr(found[:1] * 3), (number, reverse)
                if function is operator.floordiv and number == np.inf:
                    continue  # docs/differences.md
                if dtype in "dl?bi" and function is not operator.pow:
                    assert repr(found[0]) == repr(expected), (number, reverse)
                single = [as_text(answer) for answer in answers(call, scalar, number)]
                assert repr(single) == repr(single[:1] * 3), (number, reverse)
                if dtype in "dl" and function is not operator.pow:
                    wanted = as_text(answers(call, element, number)[0])
                    assert repr(single[0]) == repr(wanted), (number, reverse)


@pytest.mark.parametrize("dtype", ["?", "b", "l", "L", "f", "d", "D"])
def test_powers(dtype: str) -> None:
    def program(xp: Any) -> Any:
        x = xp.asarray(np.array([1, 2, 3, 4, 5, 6]).astype(dtype)).reshape(2, 3)
        y = xp.asarray(np.array([0, 1, 2]).astype(dtype))
        made = []
        for _ in range(2):
            made += [x**y, x.T ** y[:2], x ** y[2], x**2, x**3, x**1, 2**x, x.__pow__(2)]
            made += [x.__rpow__(2), pow(x, 2), y[1] ** x]
        if np.dtype(dtype).kind in "fc":
            made += [x**0.5, x**-1, x**2.0, x**-2, 0.5**x, x ** y.astype("f")]
            z = x.copy()
            z **= y
            z **= 2
            z **= 1.5
            made += [z]
        return made

    check(program, rtol=1e-6 if dtype == "D" else 1e-15 if dtype != "f" else 1e-6)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: pow(x, 2, 3),
        lambda x: pow(2, 3, x),
        lambda x: pow(2, x, 3),
        lambda x: x ** "a",
        lambda x: "a" ** x,
        lambda x: x ** object(),
    ],
)
def test_wrong_powers(program: Callable[[Any], Any]) -> None:
    for xp in (jj, np):
        with pytest.raises(TypeError):
            program(xp.arange(5.0))


def test_integers_to_negative_powers() -> None:
    for xp in (jj, np):
        with pytest.raises(ValueError, match="negative integer powers"):
            xp.arange(5) ** -1
        with pytest.raises(ValueError, match="negative integer powers"):
            2 ** (xp.arange(5) - 3)


@pytest.mark.parametrize("dtype", ["?", "l", "B", "f", "d", "D"])
@pytest.mark.parametrize("function", [*OPERATORS, operator.neg, abs, operator.invert, jj.sqrt])
def test_known_scalars(function: Callable[..., Any], dtype: str) -> None:
    """They are computed at once, with the bits that all elements have together."""
    numbers = np.array([0, 1, 2, 3, 7, 100, 0.3, -0.0, np.nan, np.inf])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        x = jj.asarray(numbers.astype(dtype))
        single = function in (operator.neg, abs, operator.invert, jj.sqrt)
        count = len(numbers)
        a, b = jj.repeat(x, count), jj.tile(x, count)
        try:
            whole = function(a) if single else function(a, b)
            by_number = None if single or dtype == "D" else function(a, b[1].item())
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                function(x[0]) if single else function(x[0], x[-1])
            return
        jj.flush()
        for k in range(0, len(a), 3):
            for _ in range(2):
                found = function(a[k]) if single else function(a[k], b[k])
            pending = bool(LOG)
            assert found.dtype == whole.dtype
            assert np.asarray(found).tobytes() == np.asarray(whole)[k].tobytes()
            if by_number is not None:
                found = function(a[k], b[1].item())
                assert np.asarray(found).tobytes() == np.asarray(by_number)[k].tobytes()
            if dtype in "dl" and function in (operator.add, operator.lt, operator.neg, abs):
                assert not pending


def test_scalars_that_are_not_known_are_recorded() -> None:
    x = jj.arange(4.0) * 1.0
    s = x[1]
    total = s + 1.0 + x[2] * 2.0
    assert LOG
    y = total + jj.asarray(np.ones(3))[0]
    assert float(y) == 7
    jj.flush()
    kept = x[3]
    x[3] = 9.0
    assert float(kept + x[3]) == 12


SCALARS = [
    *(np.bool_(True), np.int8(3), np.uint8(200), np.int32(-2), np.int64(3), np.uint64(2)),
    *(np.float16(0.5), np.float32(1.1), np.float64(0.3), np.float64(2.0), np.float64("nan")),
    *(np.float32("inf"), np.complex64(1 + 2j), np.complex128(2j), np.longdouble(1)),
]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: f"{scalar.dtype}-{scalar}")
@pytest.mark.parametrize("function", OPERATORS)
def test_scalars_of_numpy_on_either_side(function: Callable[[Any, Any], Any], scalar: Any) -> None:
    """All answers are the first one, and have NumPy's dtype and elements."""
    for dtype in DTYPES:
        theirs = np.array([1, 2, 3, 5, 6]).astype(dtype)
        ours = jj.asarray(theirs)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for operands, arrays in (
                ((theirs, scalar), (ours, scalar)),
                ((scalar, theirs), (scalar, ours)),
                ((theirs[1], scalar), (ours[1], scalar)),
            ):
                expected = answers(function, *operands)[0]
                found = answers(function, *arrays)
                assert repr([as_text(one) for one in found]) == repr([as_text(found[0])] * 3)
                if isinstance(scalar, np.longdouble):
                    continue  # the host's
                if function is operator.floordiv and np.isinf(scalar):
                    continue  # docs/differences.md
                if isinstance(expected, str):
                    assert isinstance(found[0], str), (dtype, expected)
                else:
                    assert np.asarray(found[0]).dtype == np.asarray(expected).dtype
                    np.testing.assert_allclose(found[0], expected, rtol=1e-3)


@pytest.mark.parametrize("scalar", SCALARS[:-1], ids=lambda scalar: f"{scalar.dtype}-{scalar}")
def test_scalars_of_numpy_are_written(scalar: Any) -> None:
    for dtype in DTYPES:
        theirs = np.zeros((2, 3), dtype)
        ours = jj.zeros((2, 3), dtype)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for key in ((0, 1), 1, (slice(None), 2), 0):
                for _ in range(2):
                    results = []
                    for x in (theirs, ours):
                        try:
                            x[key] = scalar
                            results.append(np.asarray(x).tolist())
                        except (TypeError, ValueError, OverflowError) as error:
                            results.append(str(type(error)))
                    assert repr(results[0]) == repr(results[1])
                    np.testing.assert_array_equal(np.asarray(ours), theirs)
