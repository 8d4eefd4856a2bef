"""Lists of numbers beside arrays, and calls at places, without Python: what NumPy gives."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.calls.support import python_frames

if TYPE_CHECKING:
    from collections.abc import Callable

DTYPES = ["float64", "int64", "bool", "float32", "uint8", "complex128"]
LISTS: list[Any] = [
    *([1, 2, 3], [1.5, 2.0, -3.0], (1, 2.5, 3), [True, False, True], [[1, 2, 3], [4, 5, 6]], [7]),
    *([2**40, 1, 2], [1, 2], [], [1j, 2, 3], [-1, 300, 0]),
    *([np.float64(1.5), 2, 3], (1, 2, 3, 4)),
]
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "//": lambda x, y: x // y,
    "&": lambda x, y: x & y,
    "<<": lambda x, y: x << y,
    "<": lambda x, y: x < y,
    "==": lambda x, y: x == y,
    "@": lambda x, y: x @ y,
    "divmod": divmod,
}
AUGMENTED = ("+=", "-=", "*=", "/=", "|=")


def _read(found: Any) -> Any:
    if isinstance(found, tuple):
        return [_read(one) for one in found]
    array = np.asarray(found)
    return type(found) is bool, array.dtype, array.shape, array.tolist()


def _outcome(call: Callable[[], Any]) -> Any:
    with np.errstate(all="ignore"), jj.errstate(all="ignore"):
        try:
            return repr(_read(call()))
        except Exception as error:
            return type(error), str(error)


def _both(call: Callable[[Any, Any], Any], x: Any) -> None:
    """Compare a call of a namespace and an array, computed or pending."""
    expected = _outcome(lambda: call(np, x.copy()))
    for ours in (jj.array(x), jj.maximum(jj.array(x), jj.array(x))):
        found = _outcome(lambda: call(jj, ours))  # noqa: B023
        assert _alike(found, expected), (found, expected)


def _alike(found: Any, expected: Any) -> bool:
    """Whether two outcomes are one: of errors the types."""
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return issubclass(found[0], expected[0]) or issubclass(expected[0], found[0])
    return bool(found == expected)


def _vector(dtype: str) -> Any:
    return np.array([3, 0, 2]).astype(dtype)


# -- operators


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str, dtype: str) -> None:
    function = OPERATORS[name]
    for given in LISTS:
        _both(lambda xp, x, given=given: function(x, given), _vector(dtype))  # type: ignore[misc]
        if name != "@":
            _both(lambda xp, x, given=given: function(given, x), _vector(dtype))  # type: ignore[misc]
        if name not in ("@", "*"):
            _both(lambda xp, x, given=given: function(x[0], given), _vector(dtype))  # type: ignore[misc]


def test_integers_repeat_lists() -> None:
    for x in (jj.array([3, 2]), jj.maximum(jj.array([3, 2]), 1)):
        assert x[0] * [1, 2] == [1, 2] * x[0] == [1, 2] * 3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", AUGMENTED)
def test_augmented(operator: str, dtype: str) -> None:
    for given in LISTS:

        def call(xp: Any, x: Any, given: Any = given) -> Any:
            known = {"x": x, "given": given}
            exec(f"x {operator} given", known)
            return known["x"]

        _both(call, _vector(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name", ["add", "divide", "ldexp", "less", "maximum", "hypot", "bitwise_or"]
)
def test_ufuncs(name: str, dtype: str) -> None:
    for given in LISTS:
        _both(lambda xp, x, given=given: getattr(xp, name)(x, given), _vector(dtype))  # type: ignore[misc]
        _both(lambda xp, x, given=given: getattr(xp, name)(given, x), _vector(dtype))  # type: ignore[misc]


KEYS: list[Any] = [
    slice(None),
    ...,
    [0, 2],
    [2, 2, 1],
    slice(1, 2),
    slice(0, 3, 2),
    np.array([2, 0, 1]),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_writes(dtype: str) -> None:
    for key, given in itertools.product(KEYS, LISTS):

        def call(xp: Any, x: Any, key: Any = key, given: Any = given) -> Any:
            x[key] = given
            return x

        _both(call, _vector(dtype))
        if dtype != "complex128":  # whose matrices are of another test
            _both(call, np.array([[1, 2, 3], [0, 1, 0], [2, 2, 2]]).astype(dtype))


# -- truth values


def test_truth_values_are_numbers_beside_numbers() -> None:
    def found(xp: Any, name: str, other: Any) -> Any:
        truths = xp.array([0.5, 2.0]) < 1.0
        number = xp.array([other])[0] if isinstance(other, (int, float)) else truths[other[0]]
        function = OPERATORS[name]
        results = [function(truths[k], y) for k in (0, 1) for y in (number, truths[0])]
        return [
            (x.dtype, repr(x.item()))
            for x in (*results, *map(abs, truths), function(number, truths[0]))
        ]

    for name, other in itertools.product(
        ("+", "*", "/", "//", "<", "=="), (3, -2, 2.5, (0,), (1,))
    ):
        with np.errstate(all="ignore"), jj.errstate(all="ignore"):
            assert found(jj, name, other) == found(np, name, other), (name, other)


# -- places

PLACES: list[Any] = [
    *(0, 2, -1, 3, -4, True, 2.0, None, [0, 2], [1, -1, 0], [3], [], (0, 1), [[0, 1], [2, 0]]),
    *([True, False, True], [0.0, 1.0], np.int64(1), np.uint8(2), np.array([0, 2]), np.array(1)),
    *(np.array([], int), np.array([1, 0], np.int32), slice(0, 2), "a", 2**70),
]


def _is_index(place: Any) -> bool:
    """Whether NumPy's insert does not fail of it by its own fault."""
    of_bools = isinstance(place, list) and True in place
    return place is not None and not of_bools and not isinstance(place, (bool, float, str))


MATRIX = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32", "bool"])
@pytest.mark.parametrize("name", ["take", "delete", "insert", "put", "method take", "method put"])
def test_places(name: str, dtype: str) -> None:
    arrays = [MATRIX[0, :3], MATRIX, MATRIX.T, MATRIX[0, ::2], MATRIX[:1]]
    if "put" not in name:
        arrays.append(MATRIX[:, :0])
    places = PLACES if name != "insert" else [x for x in PLACES if _is_index(x)]
    values: list[tuple[Any, ...]] = [()]
    if name == "insert":
        values = [
            (1,),
            (2.5,),
            ([7, 8, 9],),
            ([1, 2, 3, 4],),
            ([],),
            (np.float64(3),),
            (MATRIX[0],),
        ]
    elif "put" in name:
        values = [(1,), (2.5,), ([7, 8],), ([5.5],), (np.array([1.5, 2.5]),), ([],)]
    _, _, member = name.rpartition(" ")
    for x, place, more in itertools.product(arrays, places, values):
        for named in ({}, {"axis": 0}, {"axis": -1}, {"axis": None}):

            def call(xp: Any, x: Any) -> Any:
                own = jj.asarray(place) if xp is jj and isinstance(place, np.ndarray) else place  # noqa: B023
                if " " in name:
                    return getattr(x, member)(own, *more, **named), x  # noqa: B023
                return getattr(xp, member)(x, own, *more, **named), x  # noqa: B023

            if "put" not in name or not named:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)
                    expected = _outcome(lambda: call(np, x.astype(dtype)))  # noqa: B023
                    found = _outcome(lambda: call(jj, jj.asarray(x.astype(dtype))))  # noqa: B023
                assert _alike(found, expected), (x, place, more, named)


@pytest.mark.parametrize("dtype", ["float64", "int64", "float32", "bool", "uint8"])
@pytest.mark.parametrize("name", ["add", "subtract", "maximum"])
def test_sums_at_places(name: str, dtype: str) -> None:
    arrays = [np.array([3, 0, 2]), np.array([1, 5, 2, 7, 3])[::2], MATRIX]
    others: list[Any] = [
        1,
        2.5,
        True,
        [1, 2],
        [1.5, 2.5],
        np.array([4, 5]),
        np.array([0.5, 1.0]),
        1e300,
        np.float64(2.5),
        np.float32(1.5),
        np.uint64(3),
    ]
    # for masks and two axes NumPy reads values that are not there
    odd = ([True, False, True], [[0, 1], [2, 0]])
    places = [one for one in PLACES if not isinstance(one, list) or one not in odd]
    places += [[1, 1], [1, 1, 1], np.array([0, 0, 2, 0])]
    for x, place, other in itertools.product(arrays, places, others):

        def call(xp: Any, own: Any, place: Any = place, other: Any = other) -> Any:
            given = [xp.asarray(y) if isinstance(y, np.ndarray) else y for y in (place, other)]
            try:
                getattr(xp, name).at(own, *given)
            except (TypeError, ValueError, IndexError):
                return "an error"  # of several which comes first differs
            return own

        _both(call, x.astype(dtype))
        if x.ndim == 1:  # of a view
            _both(lambda xp, own, call=call: call(xp, own[1:]), np.append(7, x).astype(dtype))  # type: ignore[misc]


@pytest.mark.parametrize(("place", "text"), [(0, "overflow"), (1, "invalid")])
def test_sums_at_places_that_are_not_finite_warn(place: int, text: str) -> None:
    for xp in (np, jj):
        x = xp.array([1.7e308, np.inf])
        with pytest.warns(RuntimeWarning, match=text):
            _read_sum(xp, x, place)


def _read_sum(xp: Any, x: Any, place: int) -> float:
    xp.add.at(x, [place, place], -np.inf if place else 1.7e308)
    return float(x[place])


def test_what_is_taken_is_a_copy() -> None:
    x = jj.array(MATRIX)
    row, rows, first = jj.take(x, 1, axis=0), jj.take(x, [0, 1], axis=0), jj.take(x[0], 0)
    x[...] = 0
    assert row.tolist() == MATRIX[1].tolist()
    assert rows.tolist() == MATRIX[:2].tolist()
    assert first == 0
    left = jj.delete(x, 1, axis=0)
    left += 1
    assert not x.any()


@pytest.mark.parametrize("name", ["concatenate", "vstack", "hstack", "stack", "column_stack"])
def test_joined_lists(name: str) -> None:
    floats, ints = np.array([0.5, 1.0, 2.0]), np.array([1, 2, 3])
    parts = [
        [1, 2, 3],
        [1.5, 2, 3],
        (4, 5, 6),
        [True, False, True],
        [1],
        [],
        [[1, 2, 3]],
        floats,
        ints,
    ]
    for several in itertools.chain(itertools.product(parts, repeat=2), [(parts[0],) * 3]):

        def call(xp: Any, several: Any = several) -> Any:
            own = tuple(xp.asarray(x) if isinstance(x, np.ndarray) else x for x in several)
            return getattr(xp, name)(own)

        found, expected = _outcome(lambda: call(jj)), _outcome(lambda: call(np))
        assert _alike(found, expected), several


# -- without Python


def test_no_python() -> None:
    x, places = jj.array([1.0, 2.0, 3.0]) + 0, jj.array([0, 2])
    matrix = jj.array(MATRIX) + 0
    jj.flush()
    _ = x + x, x - x, x < x, x == x  # operators are told what they do when they are first called
    calls: list[Callable[[], Any]] = [
        lambda: x + [1, 2, 3],  # noqa: RUF005
        lambda: [0.5, 1, 2] - x,
        lambda: x < (1, 2, 3),
        lambda: x == [1, 2, 3],
        lambda: jj.take(x, 1),
        lambda: jj.take(x, [0, 1]),
        lambda: x.take(places),
        lambda: jj.take(matrix, 1, axis=0),
        lambda: jj.put(x, 1, 2.5),
        lambda: x.put([0, 1], [1.5, 2]),
        lambda: jj.add.at(x, [0, 0, 2], 1.5),
        lambda: jj.add.at(x, places, jj.take(x, places)),
        lambda: jj.delete(x, 1),
        lambda: jj.delete(matrix, [0, 1], axis=0),
        lambda: jj.insert(x, 3, 1),
        lambda: jj.insert(matrix, 0, matrix[1], axis=0),
        lambda: jj.concatenate(([1], x)),
        lambda: jj.vstack(([1, 2], [3.5, 4])),
        lambda: x.__setitem__(slice(0, 2), [1, 2]),
        lambda: x.__setitem__([0, 1], [1.5, 2]),
        lambda: jj.arange(0, 1, 0.125),
        lambda: 1 + (x[0] < x[1]),
    ]
    for number, call in enumerate(calls):
        jj.flush()
        assert python_frames(call) == [], number


def test_ranges_of_floats() -> None:
    rng = np.random.default_rng(3)
    ends: list[Any] = [0, 0.0, -0.0, 1, 1.0, -2.5, 7, 1e9, float("inf"), float("nan"), 2**60]
    steps: list[Any] = [1, 0.1, -0.25, 1e-3, 0.0, 3, 1e-300, float("inf"), *rng.random(20)]
    for start, stop, step in itertools.product(ends, ends, steps):
        if abs((stop - start) / (step or 1)) < 1e5 or start == stop:
            found = _outcome(lambda: jj.arange(start, stop, float(step)))  # noqa: B023
            assert found == _outcome(lambda: np.arange(start, stop, float(step)))  # noqa: B023
    # the second is start + step, which is not start + 1 * delta
    ends = (-0.42, 9.0, 0.92)
    assert _outcome(lambda: jj.arange(*ends)) == _outcome(lambda: np.arange(*ends))
