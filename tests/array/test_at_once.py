"""What is made at once: keys that are lists, elements of other dtypes, shapes."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp
from tests.calls.support import python_frames
from tests.support.differential import compare, settled

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS: list[Callable[[Any], Any]] = [
    lambda xp: [0, 2],
    lambda xp: [3, -1, 3],
    lambda xp: [xp.asarray([1, 2])[1], 0],
    lambda xp: [True, False, True, False],
    lambda xp: [],
    lambda xp: ([0, 1], [2, 0]),
    lambda xp: ([0, 1], xp.asarray([2, 0])),
    lambda xp: ([0, 1], 2),
    lambda xp: ([0, 1], slice(1, None)),
    lambda xp: np.array([2, 0]),
    lambda xp: np.array([True, False, True, True]),
    lambda xp: [[0, 1], [2, 3]],
    lambda xp: [9],
    lambda xp: [1.5],
    lambda xp: ["a"],
    lambda xp: [None],
    lambda xp: [1 << 70],
]


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error)


def _same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, type):
        assert found is wanted
    else:
        compare(settled(found), settled(wanted))


@pytest.mark.parametrize("shape", [(4,), (4, 3), (4, 3, 2)])
@pytest.mark.parametrize("number", range(len(KEYS)))
def test_lists_as_keys(number: int, shape: tuple[int, ...]) -> None:
    theirs = np.arange(np.prod(shape), dtype=float).reshape(shape)
    for _ in range(5):
        ours = jujunp.array(theirs)
        jujunp.flush(ours)
        _same(
            _outcome(lambda x=ours: x[KEYS[number](jujunp)]),
            _outcome(lambda: theirs[KEYS[number](np)]),
        )


@pytest.mark.parametrize("shape", [(4,), (4, 3)])
@pytest.mark.parametrize("number", range(len(KEYS)))
@pytest.mark.parametrize("value", [7, 0.5, "rows"])
def test_writes_by_lists(number: int, shape: tuple[int, ...], value: Any) -> None:
    for _ in range(4):
        theirs = np.arange(np.prod(shape), dtype=float).reshape(shape)
        ours = jujunp.array(theirs)

        def write(xp: Any, x: Any) -> Any:
            x[KEYS[number](xp)] = x[[1, 0]] if value == "rows" else value
            return x

        wanted = _outcome(lambda x=theirs: write(np, x))
        _same(_outcome(lambda x=ours: write(jujunp, x)), wanted)
        _same(ours, theirs)


def test_swaps_by_lists() -> None:
    x = jujunp.arange(6.0)
    A = jujunp.arange(12.0).reshape(4, 3)
    jujunp.flush(x, A)
    for _ in range(3):
        x[[0, 5]] = x[[5, 0]]
        A[[1, 2]] = A[[2, 1]]
    assert x.tolist() == [5, 1, 2, 3, 4, 0]
    assert A[:, 0].tolist() == [0, 6, 3, 9]
    assert not python_frames(lambda: x[[1, 2]])


VALUES = (0, 1, -1, 2.5, -2.5, 127, 255, 65504, 2**31 - 1, 1e-40, 0.9999, -0.5, 2**53 + 1, 2**62)
DTYPES = ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", DTYPES)
def test_elements_of_other_dtypes(target: str) -> None:
    for source, value in itertools.product(DTYPES, VALUES):
        theirs = np.array([value]).astype(source)
        wanted, ours = np.zeros(3, target), jujunp.zeros(3, target)
        given = jujunp.array(theirs)[0]
        jujunp.flush(ours, given)
        try:
            wanted[1] = theirs[0]
        except OverflowError as error:
            if np.dtype(source).kind in "iu":  # floats are cast, with a warning
                with pytest.raises(OverflowError, match=str(error)):
                    ours[1] = given
            continue
        ours[1] = given
        np.testing.assert_array_equal(np.asarray(ours), wanted, err_msg=f"{source} {value}")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300])
def test_casts_that_warn(number: float) -> None:
    for target in ("u4", "f4"):  # integers with a sign refuse them
        x, given = jujunp.zeros(3, target), jujunp.array([number, 1.0])[0]
        jujunp.flush(x, given)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            x[1] = given
            jujunp.flush(x)
        expected = target == "u4" or number == 1e300
        assert [str(one.message).split()[0] for one in found] == (
            [("invalid" if target == "u4" else "overflow")] if expected else []
        )


@pytest.mark.parametrize("number", [1j, 2 - 3j, 2.5, 7, True, -0.0, complex(0, float("inf"))])
def test_complex_elements(number: complex) -> None:
    for target in ("c8", "c16"):
        ours, theirs = jujunp.zeros(3, target), np.zeros(3, target)
        jujunp.flush(ours)
        ours[1] = theirs[1] = number
        _same(ours, theirs)


DTYPES = [*"?bhilBHILefdFD"]
LISTS: list[Callable[[Any, Any, Any], Any]] = [
    lambda x, i, b: [1.0, x[1]],
    lambda x, i, b: [x[0], i[1]],
    lambda x, i, b: [i[0], 3],
    lambda x, i, b: [i[0], True],
    lambda x, i, b: [[i[0], 1], [2, i[1]]],
    lambda x, i, b: [b[0], i[0]],
    lambda x, i, b: [b[0], 1.5],
    lambda x, i, b: [x[1], 1j],
    lambda x, i, b: [x[1], x[:1].sum()],
    lambda x, i, b: [np.float32(2.0), x[0]],
]


@pytest.mark.parametrize("number", range(len(LISTS)))
def test_lists_with_scalars(number: int) -> None:
    given = [np.array([0.25, -3.5]), np.array([1 << 60, -7]), np.array([True, False])]
    arrays = [jujunp.array(one) for one in given]
    jujunp.flush(*arrays)
    for _ in range(5):
        _same(jujunp.array(LISTS[number](*arrays)), np.array(LISTS[number](*given)))


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_lists_of_scalars(first: str, second: str) -> None:
    theirs = [np.array([1, 0, 1]).astype(first), np.array([1, 2, 100]).astype(second)]
    ours = [jujunp.asarray(one) + one.dtype.type(0) for one in theirs]
    jujunp.flush(*ours)

    def made(library: Any, given: list[Any], dtype: Any) -> Any:
        x, y = given
        for parts in ([x[0], x[1]], [x[0], y[2]], [[x[0], 1], [y[1], y[2]]], [x[2], 2.5]):
            yield _outcome(lambda parts=parts: library.array(parts, dtype=dtype))

    for dtype in (None, first, second, "i4", "f4", "?"):
        pairs = zip(made(jujunp, ours, dtype), made(np, theirs, dtype), strict=True)
        for found, wanted in pairs:
            _same(found, wanted)
        pairs = zip(made(jujunp, theirs, dtype), made(np, theirs, dtype), strict=True)
        for found, wanted in pairs:  # of NumPy's scalars
            _same(found, wanted)


SHAPES = [
    (-1,),
    (6, -1),
    (-1, 4),
    (2, 12),
    (3, 2, 4),
    (24,),
    (1, -1, 1),
    (5, -1),
    (-1, -1),
    (0, -1),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("view", ["whole", "part", "rows", "transposed"])
def test_reshape(shape: tuple[int, ...], view: str) -> None:
    seen: dict[str, Callable[[Any], Any]] = {
        "whole": lambda x: x[:24].copy(),
        "part": lambda x: x[3:27],
        "rows": lambda x: x.reshape(-1, 6)[:4],
        "transposed": lambda x: x[:24].reshape(4, 6).T,
    }
    theirs = seen[view](np.arange(60.0))
    ours = seen[view](jujunp.arange(60.0))
    for given in ((shape,), shape, (list(shape),)):
        found = _outcome(lambda given=given: ours.reshape(*given))
        wanted = _outcome(lambda given=given: theirs.reshape(*given))
        _same(found, wanted)
        if isinstance(wanted, np.ndarray):
            assert found.strides == wanted.strides
            found[(0,) * found.ndim] += 1
            wanted[(0,) * wanted.ndim] += 1
            _same(ours, theirs)
    _same(ours.ravel(), theirs.ravel())
    assert np.shares_memory(np.asarray(ours.ravel()), np.asarray(ours)) == np.shares_memory(
        theirs.ravel(), theirs
    )


def test_reshape_wants_a_shape() -> None:
    with pytest.raises(TypeError, match="takes exactly 1 argument"):
        jujunp.ones(1).reshape()


@pytest.mark.parametrize("value", [1.5, 7, True, "x", [1.0], None, np.ones(1), jujunp.ones(1)])
def test_fill(value: Any) -> None:
    for part in (slice(None), slice(1, None, 2), slice(1)):
        ours, theirs = jujunp.zeros(5), np.zeros(5)
        found = _outcome(lambda x=ours, s=part: x[s].fill(value))
        assert found == _outcome(lambda x=theirs, s=part: x[s].fill(value))
        _same(ours, theirs)
