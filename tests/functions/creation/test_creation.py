"""New arrays: array, zeros, arange, linspace, grids and matrices, against NumPy."""

from __future__ import annotations

import itertools
import random
import sys
import types

import numpy as np
import pytest

import jujunp
from jujunp._array.arguments import NUMPY
from tests.support.differential import DTYPES, FLOATS, check, check_error

SHAPES = [(), 0, 3, (0,), (1,), (2, 3), (2, 0, 3), (2, 3, 4), [2, 2]]


@pytest.mark.parametrize("name", ["zeros", "ones"])
@pytest.mark.parametrize("shape", SHAPES)
def test_filled(name, shape):
    check(lambda xp: getattr(xp, name)(shape))
    if np.prod(shape):
        check(lambda xp: getattr(xp, name)(shape, order="F").strides)
    for dtype in DTYPES:
        check(lambda xp, dtype=dtype: getattr(xp, name)(shape, dtype))


@pytest.mark.parametrize("shape", SHAPES)
def test_empty_has_the_shape_and_dtype(shape):
    check(lambda xp: xp.empty(shape).shape)
    check(lambda xp: xp.empty(shape, "int8").dtype)
    assert not jujunp.empty(shape).any()


@pytest.mark.parametrize("shape", [-1, (2, -3), 2.5, (2.5,), "ab", None, (1 << 62, 8)])
def test_bad_shapes(shape):
    check(lambda xp: xp.zeros(shape))


@pytest.mark.parametrize("dtype", ["nonsense", "int7", object()])
def test_bad_dtypes(dtype):
    check(lambda xp: xp.zeros(3, dtype))


def test_bad_order_and_device():
    check(lambda xp: xp.zeros(3, order="X"))
    check(lambda xp: xp.zeros(3, device="gpu"))
    check(lambda xp: xp.asarray([1], device="gpu"))
    check(lambda xp: xp.zeros(3, device="cpu"))


@pytest.mark.parametrize("value", [1, -3, 2.5, True, [1, 2, 3], [[1.5], [2]], np.float32(3), 300])
@pytest.mark.parametrize("dtype", [None, *DTYPES])
def test_full(value, dtype):
    check(lambda xp: xp.full((2, 3), value, dtype))


def test_full_refuses_what_does_not_broadcast():
    check(lambda xp: xp.full(3, [1, 2]))


@pytest.mark.parametrize("name", ["zeros_like", "ones_like"])
@pytest.mark.parametrize(
    "options",
    [{}, {"dtype": "int16"}, {"shape": (4,)}, {"shape": 3}, {"order": "C"}, {"order": "F"}],
)
def test_like(name, options):
    for model in (1, 2.5, [1, 2], np.zeros((2, 3), "float32"), np.zeros((2, 3, 4)).T):
        check(lambda xp, model=model: getattr(xp, name)(model, **options))
        check(
            lambda xp, model=model: (
                getattr(xp, name)(xp.zeros((2, 3, 4)).transpose(1, 0, 2), **options).strides
            )
        )
    check(lambda xp: xp.full_like([1, 2], 7.5, **options))
    check(lambda xp: xp.full_like(xp.ones((2, 3)).T, [[1, 2]], **options))
    check(lambda xp: xp.empty_like(xp.ones((2, 3)).T, **options).strides)


# -- array


@pytest.mark.parametrize(
    "data",
    [1, 2.5, True, [], [1, 2], [1, 2.5], [True, 2], [[1], [2]], ((1, 2), [3, 4]), [[]], range(4)],
    ids=repr,
)
@pytest.mark.parametrize("dtype", [None, "bool", "int8", "uint64", "float32"])
def test_array_of_numbers(data, dtype):
    check(lambda xp: xp.array(data, dtype))
    check(lambda xp: xp.asarray(data, dtype))
    check(lambda xp: xp.array(data, dtype, ndmin=3))
    check(lambda xp: xp.ascontiguousarray(data, dtype))


@pytest.mark.parametrize(
    "data", [[1, [2]], [[1, 2], [3]], [[[1], 2]], 1 << 70, [300], [-1], [1.5, "a"], "text", None]
)
def test_array_of_what_is_no_array(data):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        jujunp.array(data, dtype="uint8")
    check(lambda xp: xp.array(data, "uint8"))


def test_ragged_lists_raise_as_in_numpy():
    for data in ([1, [2]], [[1, 2], [3]], [[[1], 2]]):
        check(lambda xp, data=data: xp.array(data))
    check(lambda xp: xp.array([xp.ones(2), xp.ones(3)]))
    check(lambda xp: xp.array([[xp.ones(2)], xp.ones(2)]))
    check(lambda xp: xp.array([xp.ones((2, 2)), [1, 2]]))
    with pytest.raises(ValueError, match="inhomogeneous shape after 1 dimensions"):
        jujunp.array([jujunp.ones(2), jujunp.ones(3)])


def test_nested_sequences_of_arrays():
    check(lambda xp: xp.array([xp.arange(3), [4, 5, 6]]))
    check(lambda xp: xp.array([[xp.arange(3).sum(), 2.5], [True, np.float32(3)]]))
    check(lambda xp: xp.array((xp.ones((2, 2)).T, xp.zeros((2, 2), "int8"))))
    check(lambda xp: xp.array([xp.arange(6).reshape(2, 3)[:, ::2], [[7, 8], [9, 1]]], "float32"))
    check(lambda xp: xp.array([[[xp.arange(2)[0]]]]))
    check(lambda xp: xp.array([xp.zeros((0, 2)), xp.ones((0, 2))]))
    check(lambda xp: xp.array([x * 2 for x in xp.arange(300)]))


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_array_converts(source, target):
    check(lambda xp: xp.array(np.array([0, 1, 3, 100]).astype(source), target))
    check(lambda xp: xp.asarray(xp.arange(4).astype(source), target))


def test_array_copies_unless_told_otherwise():
    x = jujunp.arange(6).reshape(2, 3)
    assert jujunp.array(x) is not x
    assert jujunp.asarray(x) is x
    assert jujunp.asanyarray(x, "int64") is x
    assert jujunp.array(x, copy=None) is x
    assert jujunp.array(x, copy=False) is x
    assert jujunp.ascontiguousarray(x) is x
    assert jujunp.ascontiguousarray(x.T) is not x.T
    assert jujunp.asfortranarray(x).flags.f_contiguous
    copied = jujunp.copy(x)
    copied[0, 0] = 99
    assert int(x[0, 0]) == 0
    check(lambda xp: xp.array(xp.ones(3), "int8", copy=False))
    check(lambda xp: xp.array([1, 2], copy=False))
    check(lambda xp: xp.array(xp.ones((2, 3)), order="F", copy=False))
    for order in "CFAK":
        check(lambda xp, o=order: xp.array(xp.arange(24).reshape(2, 3, 4).T, order=o).strides)
        check(lambda xp, o=order: xp.array(xp.arange(24).reshape(2, 3, 4).T, order=o))
        check(lambda xp, o=order: xp.copy(xp.arange(12).reshape(3, 4)[::-1, ::2], o).strides)


def test_numpy_arrays_are_copied():
    source = np.arange(3)
    x = jujunp.array(source)
    source[0] = 99
    assert x.tolist() == [0, 1, 2]


def test_from_host_data():
    check(lambda xp: xp.frombuffer(b"\1\2\3\4", "uint8"))
    check(lambda xp: xp.frombuffer(b"\1\2\3\4" * 4, "int32", 2, 4))
    check(lambda xp: xp.frombuffer(b"\1\2\3", "int32"))
    check(lambda xp: xp.fromiter((n * n for n in range(5)), float))
    check(lambda xp: xp.fromiter(range(5), "int8", 3))
    check(lambda xp: xp.fromiter(range(2), "int8", 3))
    check(lambda xp: xp.asarray_chkfinite([1, 2.0]))
    check(lambda xp: xp.asarray_chkfinite([1, np.inf]))


# -- ranges

RANGES = [
    (10,),
    (0,),
    (-3,),
    (2.5,),
    (0, 10, 0),
    (0.0, 1.0, 0.0),
    (1, 2, float("inf")),
    (0, 1, float("nan")),
    (0, float("inf")),
    (0, 1, 0.1),
    (np.float32(0), np.float32(1), np.float32(0.1)),
    (np.int8(3),),
    (True,),
    (5, 0, np.uint8(1)),
    ([1],),
    (np.arange(3),),
    ("a",),
    (0, -1e-320, 1e300),
    (0, 1e-320, 1e300),
    (-0.0, 3.0),
    (1, 10, 3),
    (10, 1, -3),
    (3.3, 100, 0.7),
    (1e16, 1e16 + 50, 3.0),
]


@pytest.mark.parametrize("arguments", RANGES, ids=repr)
def test_arange(arguments):
    check(lambda xp: xp.arange(*arguments))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "arguments",
    [(300,), (0, 300, 100), (5, 0, -1), (0, 5, 0.5), (2,), (-1, 3), (0, 0), (7, -9, -2)],
)
def test_arange_in_a_dtype(arguments, dtype):
    check(lambda xp: xp.arange(*arguments, dtype=dtype))


def test_arange_of_arrays():
    check(lambda xp: xp.arange(xp.arange(5).sum()))
    check(lambda xp: xp.arange(xp.ones(1)[0], 4, xp.full((), 0.5)))


def test_random_ranges():
    random.seed(1)
    for _ in range(200):
        start, stop = random.uniform(-5, 5), random.uniform(-5, 50)
        step, count = random.uniform(0.001, 2), random.randrange(60)
        check(lambda xp, a=(start, stop, step): xp.arange(*a))
        check(lambda xp, a=(start, stop, step): xp.arange(*a, dtype="float32"))
        check(lambda xp, a=(start, stop, count): xp.linspace(*a))
        check(lambda xp, a=(start, stop, count): xp.linspace(*a, dtype=int))
        check(lambda xp, a=(start, stop, count): xp.linspace(*a, endpoint=False, retstep=True))


LINES = [
    ((0, 1, -1), {}),
    ((0, 1, 2.5), {}),
    ((0, 1), {}),
    ((0, 1, 0), {"retstep": True}),
    ((0, 1, 1), {"retstep": True}),
    ((3, 3, 5), {"retstep": True}),
    ((0, 5e-324, 4), {}),
    (([1, 2], [3, 4], 5), {}),
    (([1, 2], [3, 4], 5), {"axis": 1}),
    (([1, 2], [3, 4], 5), {"axis": -1, "retstep": True}),
    (([1, 2], [[3], [4]], 3), {"axis": 1, "dtype": "int16"}),
    ((np.float32([1, 2]), 7, 5), {}),
    ((np.float32(0), np.float32(1), 5), {}),
    ((np.int8([0, 5]), 9, 4), {"endpoint": False}),
]


@pytest.mark.parametrize(("arguments", "options"), LINES, ids=repr)
def test_linspace(arguments, options):
    check(lambda xp: xp.linspace(*arguments, **options))


def test_logspace_and_geomspace():
    check(lambda xp: xp.logspace(0, 3, 4), rtol=1e-14)
    check(lambda xp: xp.logspace(0, 3, 5, base=2, endpoint=False), rtol=1e-14)
    check(lambda xp: xp.logspace(0, 3, 4, base=[2.0, 3.0], axis=-1), rtol=1e-14)
    check(lambda xp: xp.logspace(0, 3, 4, dtype="float32"), rtol=1e-6)
    check(lambda xp: xp.geomspace(1, 1000, 4), rtol=1e-13)
    check(lambda xp: xp.geomspace(-1, -1000, 4), rtol=1e-13)
    check(lambda xp: xp.geomspace([1, 2], [4, 8], 3), rtol=1e-13)
    check(lambda xp: xp.geomspace([1, 2], [4, 8], 3, axis=1, endpoint=False), rtol=1e-13)
    check(lambda xp: xp.geomspace(0, 3))
    check(lambda xp: xp.geomspace(1, 3, 0))


def test_indices_and_fromfunction():
    for dimensions in ((3, 4), (), (2, 0), (5,), (2, 3, 4)):
        check(lambda xp, d=dimensions: xp.indices(d))
        check(lambda xp, d=dimensions: xp.indices(d, sparse=True))
        check(lambda xp, d=dimensions: xp.indices(d, "float32"))
    check(lambda xp: xp.indices((2, 2), bool))
    check(lambda xp: xp.indices((3,), bool))
    check(lambda xp: xp.fromfunction(lambda i, j: i * 2 + j, (3, 4)))
    check(lambda xp: xp.fromfunction(lambda i, n: i + n, (3,), dtype=int, n=4))


@pytest.mark.parametrize("options", [{}, {"indexing": "ij"}, {"sparse": True}, {"copy": False}])
def test_meshgrid(options):
    check(lambda xp: xp.meshgrid([1, 2, 3], [4.0, 5], **options))
    check(lambda xp: xp.meshgrid([1, 2, 3], [4.0, 5], 7, **options))
    check(lambda xp: xp.meshgrid([1, 2, 3], **options))
    check(lambda xp: xp.meshgrid(**options))
    check(lambda xp: xp.meshgrid([[1, 2], [3, 4]], [], **options))


def test_meshgrid_checks_its_arguments():
    check(lambda xp: xp.meshgrid([1], indexing="ab"))
    check(lambda xp: xp.meshgrid([1], other=1))


# -- matrices


@pytest.mark.parametrize("rows", [0, 1, 3, 4])
@pytest.mark.parametrize("columns", [None, 0, 1, 4])
@pytest.mark.parametrize("k", [-5, -1, 0, 1, 5])
def test_eye_and_tri(rows, columns, k):
    check(lambda xp: xp.eye(rows, columns, k))
    check(lambda xp: xp.tri(rows, columns, k))
    check(lambda xp: xp.eye(rows, columns, k, dtype="int8", order="F"))
    check(lambda xp: xp.tri(rows, columns, k, bool))
    check(lambda xp: xp.tril_indices(rows, k, columns))
    check(lambda xp: xp.triu_indices(rows, k, columns))
    check(lambda xp: xp.tril(xp.ones((2, rows, columns or 3), "int16"), k))
    check(lambda xp: xp.triu(xp.ones((rows, columns or 3)) * 2.5, k))


def test_matrices_check_their_arguments():
    check(lambda xp: xp.eye(-1))
    check(lambda xp: xp.eye(2.5))
    check(lambda xp: xp.identity(3, "int32"))
    check(lambda xp: xp.tril(5))
    check(lambda xp: xp.tril([1, 2, 3]))
    check(lambda xp: xp.triu([[True, True], [True, True]]))
    check(lambda xp: xp.diag(3))
    check(lambda xp: xp.diag(xp.ones((2, 2, 2))))
    check(lambda xp: xp.mask_indices(3, xp.triu, 1))
    check(lambda xp: xp.diag_indices(3, 3))
    check(lambda xp: xp.diag_indices_from(xp.ones((2, 2))))
    check(lambda xp: xp.diag_indices_from(xp.ones((2, 3))))
    check(lambda xp: xp.tril_indices_from(xp.ones((2, 3)), 1))
    check(lambda xp: xp.triu_indices_from(xp.ones(3)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [-2, 0, 1])
def test_diag(dtype, k):
    check(lambda xp: xp.diag(xp.arange(3).astype(dtype), k))
    check(lambda xp: xp.diag(xp.arange(12).reshape(3, 4).astype(dtype), k))
    check(lambda xp: xp.diagflat(xp.arange(4).reshape(2, 2).astype(dtype).T, k))


def test_diagonals_are_read_only_views():
    x = jujunp.arange(9).reshape(3, 3)
    line = jujunp.diag(x)
    x[1, 1] = 99
    assert line.tolist() == [0, 99, 8]
    with pytest.raises(ValueError, match="read-only"):
        line[0] = 1


def test_vander():
    check(lambda xp: xp.vander([1, 2, 3]))
    check(lambda xp: xp.vander(np.float32([1, 2, 3]), 4, increasing=True), rtol=1e-7)
    check(lambda xp: xp.vander([1, 2], 0))
    check(lambda xp: xp.vander([1, 2], 1))
    check(lambda xp: xp.vander([[1, 2]]))


def _filled_diagonal(xp, shape, value, wrap, order):
    x = xp.zeros(shape, order=order)
    xp.fill_diagonal(x, value, wrap)
    return x


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (7, 3), (3, 3, 3), (1, 1), (4, 1)])
@pytest.mark.parametrize("value", [7, [1, 2], np.arange(10.0)])
def test_fill_diagonal(shape, value):
    for wrap, order in itertools.product((False, True), "CF"):
        check(lambda xp, w=wrap, o=order: _filled_diagonal(xp, shape, value, w, o))


def test_fill_diagonal_checks_its_arguments():
    check(lambda xp: xp.fill_diagonal(xp.zeros(3), 1))
    check(lambda xp: xp.fill_diagonal(xp.zeros((2, 2, 3)), 1))


@pytest.mark.parametrize("dtype", FLOATS)
def test_eye_in_float_dtypes(dtype):
    check(lambda xp: xp.eye(3, dtype=dtype))


@pytest.mark.parametrize("k", [-(2**70), -(2**63) + 1, -3, 3, 2**63, 2**70])
def test_diagonals_far_outside(k):
    x = jujunp.arange(6).reshape(2, 3) + 1
    whole = x.tolist()
    empty = [[0] * 3] * 2
    assert jujunp.tril(x, k).tolist() == (whole if k > 0 else empty)
    assert jujunp.triu(x, k).tolist() == (empty if k > 0 else whole)
    assert jujunp.eye(2, 3, k).tolist() == empty
    assert jujunp.tri(2, 3, k).tolist() == ([[1] * 3] * 2 if k > 0 else empty)


def test_arrays_are_made_while_jax_is_being_imported(monkeypatch):
    """Which a thread of its own does, once steps are hot."""
    monkeypatch.setitem(sys.modules, "jax", types.ModuleType("jax"))
    assert jujunp.array(np.arange(3.0)).tolist() == [0, 1, 2]
    assert (jujunp.ones(3) + np.arange(3)).tolist() == [1, 2, 3]


def test_copies_that_are_no_truth_values():
    check_error(lambda xp: xp.array([1], copy="always"))
    check_error(lambda xp: xp.asarray(xp.arange(2), copy="x"))
    check_error(lambda xp: xp.arange(2).astype(float, copy=np._CopyMode.NEVER))
    check(lambda xp: xp.arange(2).astype(float, copy="x"))
    check_error(lambda xp: xp.array([1], dtype=np.dtype))


@pytest.mark.skipif(NUMPY < (2, 4), reason="NumPy has ndmax from 2.4 on")
def test_ranks_that_contradict():
    check_error(lambda xp: xp.array([[[1]]], ndmin=2, ndmax=1))
    check_error(lambda xp: xp.array([1], ndmin=65))


class Keeper:
    """Gives an array that it keeps, and copies of it where it is told to."""

    def __init__(self, xp):
        self.kept, self.copied = xp.zeros((3, 4)), xp.ones((3, 4))

    def __array__(self, dtype=None, copy=None):
        return self.copied if copy else self.kept


class Deaf(Keeper):
    """One that is not told whether to copy."""

    def __array__(self, dtype=None):
        return self.kept


@pytest.mark.parametrize(
    "options", [{}, {"order": "F"}, {"ndmin": 3}, {"dtype": "float32"}], ids=str
)
@pytest.mark.parametrize("copy", [True, False, None])
@pytest.mark.parametrize("kind", [Keeper, Deaf])
@pytest.mark.filterwarnings("ignore:__array__ implementation")
def test_objects_that_make_arrays(kind, copy, options):
    def program(xp):
        x = kind(xp)
        made = xp.array(x, copy=copy, **options)
        return made, made is x.kept, made is x.copied, made.flags.f_contiguous

    check(program)


def test_objects_that_are_not_told_whether_to_copy():
    with pytest.warns(DeprecationWarning, match="must implement"):
        jujunp.array(Deaf(jujunp), copy=True)


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("shape", [(), (5,), (5, 6), (5, 6, 7)])
def test_like_an_array_of_another_shape(order, shape):
    for model in (
        np.zeros((2, 3)),
        np.zeros((2, 3), order="F"),
        np.zeros((2, 3, 4)).swapaxes(0, 1),
    ):
        check(
            lambda xp, model=model: (
                xp.zeros_like(xp.asarray(model), order=order, shape=shape).flags.f_contiguous
            )
        )


def test_ranges_that_are_too_long():
    check(lambda xp: xp.arange(2**64))
