"""take, put and conversions between kinds of indices, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, check, check_error

SHAPES = [(5,), (3, 4), (2, 3, 4), (1,), (0,), (2, 0, 3), ()]
INDICES = [0, -1, 7, [0, 2], [[1, 0], [2, -1]], [], [9], [-9, 0], [True, False], 1.5, [1.5], None]


def grid(xp, *shape):
    return xp.arange(int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("indices", INDICES, ids=repr)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, 5])
def test_take(shape, indices, axis):
    for mode in ("raise", "wrap", "clip"):
        check(lambda xp, m=mode: xp.take(grid(xp, *shape), indices, axis, mode=m))
        check(lambda xp, m=mode: xp.take(grid(xp, *shape).T, indices, axis, mode=m))


@pytest.mark.parametrize("dtype", DTYPES)
def test_take_by_an_array(dtype):
    check(lambda xp: xp.take(grid(xp, 3, 4).astype(dtype), xp.asarray([[0, 2]]), 1))
    check(lambda xp: xp.arange(5).take(xp.asarray([1, 2]).astype(dtype)))
    check(lambda xp: xp.take(xp.arange(5), xp.asarray([1, 9]), mode="other"))
    check(lambda xp: xp.take(grid(xp, 3, 4), xp.asarray([1, 9]), 0))


def test_deferred_errors_of_an_array_of_indices_come_at_the_flush():
    with jujunp.deferred_errors():
        x = jujunp.take(jujunp.arange(3), jujunp.asarray([1, 5]))
        with pytest.raises(IndexError, match=r"index 5 is out of bounds .*test_indexing_functions"):
            x.tolist()
        with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
            jujunp.take(jujunp.arange(3), [1, 5])
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        jujunp.take(jujunp.arange(3), [1, 5])


def _taken_into(xp, dtype, shape):
    out = xp.zeros(shape, dtype)
    assert xp.take(xp.arange(5), [1, 3], out=out) is out
    return out


@pytest.mark.parametrize("dtype", ["int64", "float64", "int32", "uint8"])
def test_take_into_an_array(dtype):
    check(lambda xp: _taken_into(xp, dtype, 2))
    check(lambda xp: _taken_into(xp, dtype, 3))


@pytest.mark.parametrize(
    "condition", [[True, False, True], [0, 1], [], [False] * 3, [True] * 7, [[True]], True]
)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, 5])
def test_compress(condition, axis):
    for shape in SHAPES:
        check(lambda xp, s=shape: xp.compress(condition, grid(xp, *s), axis))
    check(lambda xp: grid(xp, 3, 4).compress(condition, axis))


def changed(xp, function, shape=(3, 4), *, dtype="int64", cut=False):
    """Return an array after a function has written to it, or to a part with gaps."""
    x = grid(xp, *shape).astype(dtype)
    function(xp, x[:, ::2].T if cut else x)
    return x


PLACES = [0, -1, [0, 2], [[1, 0], [2, -1]], [], [99], [-99], [1, 1, 1], [0.5], [5, 4, 3, 2, 1, 0]]


@pytest.mark.parametrize("places", PLACES, ids=repr)
@pytest.mark.parametrize("values", [7, [7, 8], [7.5], [1, 2, 3, 4, 5, 6, 7], [], [[1], [2]]])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_put(places, values, mode):
    for cut in (False, True):
        check(lambda xp, c=cut: changed(xp, lambda xp, x: xp.put(x, places, values, mode), cut=c))
    check(lambda xp: changed(xp, lambda xp, x: x.put(xp.asarray(places), values, mode)))


def test_put_checks_its_arguments():
    check(lambda xp: xp.put([1, 2], 0, 1))
    check(lambda xp: xp.put(xp.broadcast_to(1, (2,)), 0, 1))
    check(lambda xp: changed(xp, lambda xp, x: xp.put(x, 0, 300), dtype="uint8"))
    check(lambda xp: changed(xp, lambda xp, x: xp.put(x, 0, 2.5), dtype="uint8"))


@pytest.mark.parametrize("axis", [0, 1, -1, None, 2])
@pytest.mark.parametrize(
    "indices", [[[0, 1, 2, 0]], [[0], [1], [-1]], [0, 1], [[0.5]], [[9]], np.zeros((3, 4), "int8")]
)
def test_along_an_axis(axis, indices):
    check(lambda xp: xp.take_along_axis(grid(xp, 3, 4), xp.asarray(indices), axis))
    check(lambda xp: xp.take_along_axis(grid(xp, 4, 3).T, xp.asarray(indices), axis))
    for values in (7, [[1.5], [2], [3]], [[5, 6, 7, 8]]):
        check(
            lambda xp, v=values: changed(
                xp, lambda xp, x: xp.put_along_axis(x, xp.asarray(indices), v, axis)
            )
        )


def test_sorting_along_an_axis():
    def program(xp):
        x = xp.asarray([[3, 1, 2], [0, 5, 4]])
        return xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1)

    check(program)


def test_ix():
    check(lambda xp: xp.ix_([0, 1], [2, 3, 4]))
    check(lambda xp: xp.ix_([True, False, True], [1]))
    check(lambda xp: xp.ix_([], [1.5]))
    check(lambda xp: xp.ix_([[1]]))
    check(lambda xp: xp.ix_())
    check(lambda xp: grid(xp, 3, 4)[xp.ix_([0, 2], [1, 3])])


@pytest.mark.parametrize("order", ["C", "F"])
def test_unravel_index(order):
    for indices in (0, 11, [0, 5, 11], [[1], [2]], 12, -1, [], [3, 99], 1.5, [0.5]):
        check(lambda xp, i=indices: xp.unravel_index(i, (3, 4), order))
        check(lambda xp, i=indices: xp.unravel_index(xp.asarray(i), (2, 3, 2), order))
    check(lambda xp: xp.unravel_index(3, 5, order))
    check(lambda xp: xp.unravel_index([0], (), order))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip", ("clip", "wrap")])
def test_ravel_multi_index(order, mode):
    for parts in (([0, 2], [1, 3]), (1, 2), ([5, -1], [9, -7]), ([0], [1], [2]), ([0.5], [1])):
        check(lambda xp, p=parts: xp.ravel_multi_index(p, (3, 4), mode, order))
    check(lambda xp: xp.ravel_multi_index(xp.asarray([[0, 2], [1, 3]]), (3, 4), mode, order))


def test_put_along_no_axis():
    def program(xp):
        x = xp.asarray(3)
        xp.put_along_axis(x, xp.asarray([0, 0]), 5, None)
        return x

    check(program)
    check(lambda xp: xp.arange(5).put(indices=[1, 7], values=[8, 9], mode="clip"))


def test_taking_from_nothing():
    for shape, axis in (((2, 0, 0), 1), ((2, 0, 3), 1), ((0, 0), 1), ((0, 0), 0), ((0, 3), 0)):
        check(lambda xp, s=shape, a=axis: xp.take(xp.zeros(s), [0], a))


@pytest.mark.parametrize(
    "program",
    [
        lambda xp: xp.ravel_multi_index(xp.zeros((3, 0), int), (2, 1, 0)),
        lambda xp: xp.ravel_multi_index(xp.zeros((3, 1), int), (2, 1, 0), mode="wrap"),
        lambda xp: xp.ravel_multi_index(([], []), (10, 3)),
        lambda xp: xp.ravel_multi_index((xp.zeros(0), xp.zeros(0)), (10, 3)),
        lambda xp: xp.ravel_multi_index(([0], [0]), (2**62, 2)),
        lambda xp: xp.ravel_multi_index(([0], [0]), (2**62 - 1, 2)),
        lambda xp: xp.unravel_index(1, (2**32 - 1, 2**31 + 1)),
        lambda xp: xp.unravel_index([], (10, 3)),
        lambda xp: xp.unravel_index(xp.zeros(0), (10, 3)),
    ],
)
def test_places_that_are_refused(program):
    check_error(program)


def test_matrices_of_names(monkeypatch):
    monkeypatch.delenv("JUJUNP_STRICT")
    a, b = (jujunp.array([[number]]) for number in (1, 2))
    assert (
        jujunp.bmat("a, b; b, a").tolist() == jujunp.r_["a, b; b, a"].tolist() == [[1, 2], [2, 1]]
    )
    assert jujunp.bmat("x", {"x": a}, {}).tolist() == [[1]]
    assert jujunp.bmat([[a, b]]).tolist() == [[1, 2]]


@pytest.mark.parametrize("value", [1, 2.5, True, [1, 2], np.float64(3)])
@pytest.mark.parametrize("dtype", ["int64", "float64", "bool"])
def test_place(dtype, value):
    def program(xp):
        x = xp.asarray(np.arange(12).reshape(3, 4).astype(dtype)).copy()
        xp.place(x, xp.asarray(np.arange(12).reshape(3, 4) % 3 == 0), value)
        return x

    try:
        program(np)
    except TypeError:
        check_error(program)
    else:
        check(program)
