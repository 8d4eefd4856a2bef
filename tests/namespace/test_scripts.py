"""Short scripts that give the same with NumPy's name for the module as with ours.

They are of the kind that mixes views, NumPy's own arrays, scalars and random numbers.
"""

from __future__ import annotations

import copy
import functools
import math
import numbers
import pickle
import warnings
from typing import Any

import numpy
import pytest

import jujunp

SCRIPTS = {
    # ravel is a view only where there are no gaps
    "ravel of every second": "x = np.arange(6); y = x[::2].ravel(); y[0] = 99; r = x, y",
    "ravel of a column": "x = np.arange(6.0).reshape(2, 3); y = x[:, 0].ravel(); y *= 0; r = x",
    "ravel in Fortran order": """
        x = np.arange(6).reshape(2, 3)
        y, z = x.T.ravel('F'), x.ravel('F')
        y[0], z[1] = 7, 8
        r = x, y, z""",
    "ravel in memory order": """
        x = np.arange(24).reshape(2, 3, 4)
        y, z = x.transpose(1, 0, 2).ravel('K'), x.T.ravel('A')
        y[0], z[1] = 7, 8
        r = x, y, z, x[::-1].ravel('K')""",
    "ravel of a diagonal": "x = np.eye(3); y = x.diagonal().ravel(); y[0] = 5; r = x, y",
    "ravel of a part": "x = np.array([1 + 2j, 3]); y = x.real.ravel(); y[0] = 9; r = x, y",
    "flags of ravel": "r = np.arange(6)[::2].ravel().flags.c_contiguous",
    # a write of a view of the array into it
    "write through a new axis": "x = np.array([0, 1, 2, 3]); x[None] = x[::-1].ravel(); r = x",
    "write the transpose": "x = np.array([[0, 1], [2, 3]]); x[np.newaxis] = x.T; r = x",
    "write the real part": "x = np.array([1 + 2j, 3]); x[None] = x.real; r = x",
    # views in which elements overlap
    "windows": """
        x = np.arange(5)
        y = np.lib.stride_tricks.sliding_window_view(x, 3)
        x[0] = 9
        r = y, y.sum(1)""",
    "windows of NumPy's": """
        x = np.arange(12.0).reshape(3, 4)
        y = numpy.lib.stride_tricks.sliding_window_view(x, (2, 2))
        x[1, 1] = 50
        r = y.max((2, 3))""",
    "windows along an axis": """
        x = np.arange(12.0).reshape(3, 4)
        r = np.lib.stride_tricks.sliding_window_view(x, 2, axis=1).mean(-1)""",
    "windows are read-only": """
        y = np.lib.stride_tricks.sliding_window_view(np.arange(5), 3)
        y[0, 0] = 9""",
    "windows to write to": """
        x = np.arange(5)
        np.lib.stride_tricks.sliding_window_view(x, 3, writeable=True)[0, 0] = 9
        r = x""",
    "too large a window": "np.lib.stride_tricks.sliding_window_view(np.arange(5), 9)",
    "strides": """
        x = np.zeros((3, 3))
        np.lib.stride_tricks.as_strided(x, (3,), (32,))[:] = 7
        r = x, np.lib.stride_tricks.as_strided(np.arange(5), (3, 3), (8, 8))""",
    # views of another size of elements
    "put": "x = np.zeros(2, 'f4'); y = x.view('u1'); np.put(y, [0, 5], [1, 2]); r = x, y",
    "add.at": "x = np.zeros(2, 'f4'); y = x.view('u1'); np.add.at(y, [0, 0], 1); r = x, y",
    "place": "x = np.zeros(2, 'f4'); y = x.view('u1'); np.place(y, y == 0, [1, 2]); r = x, y",
    # random numbers
    "generator": """
        g = np.random.default_rng(0)
        r = g.permutation(np.arange(4)), g.permutation(5)
        r += (g.permuted(np.arange(6).reshape(2, 3), axis=1),)
        r += g.choice(np.arange(4.0), 3), g.integers(10), g.random(), g.normal(np.arange(2.0))
        r += (g.multivariate_normal(np.zeros(2), np.eye(2)),)""",
    "shuffle": """
        g, x = np.random.default_rng(0), np.arange(6).reshape(3, 2)
        g.shuffle(x)
        g.shuffle(x, axis=1)
        y = [1, 2, 3]
        g.shuffle(y)
        r = x, y""",
    "older generators": """
        np.random.seed(3)
        x = np.arange(6).reshape(3, 2)
        np.random.shuffle(x)
        s = np.random.RandomState(2)
        r = x, np.random.rand(2), np.random.randn(), np.random.permutation(np.arange(4))
        r += s.rand(2), s.permutation(3), np.random.choice(4), np.random.randint(0, 9, (2, 2))""",
    "copies of generators": """
        g = pickle.loads(pickle.dumps(np.random.default_rng(0)))
        r = g.random(2), copy.deepcopy(g).random(2), [c.random(2) for c in g.spawn(2)]""",
    "generators are NumPy's": """
        g = np.random.default_rng(0)
        r = isinstance(g, numpy.random.Generator), np.random.default_rng(g) is g""",
    "in place with random numbers": """
        x = np.random.default_rng(0).normal(size=(4, 2))
        x -= np.mean(x, axis=0)
        x[:2] *= np.arange(2.0)
        r = x""",
    # arrays of NumPy's
    "in place on NumPy's": """
        x = numpy.arange(8.0).reshape(4, 2)
        x -= np.mean(x, axis=0)
        x[:2] *= np.arange(2.0)
        r = x""",
    "out of NumPy's": """
        x = numpy.zeros(3)
        y = np.add(np.arange(3.0), 1, out=x, where=np.array([True, False, True]))
        z = numpy.zeros(2)
        numpy.sum(np.ones((2, 2)), axis=0, out=z)
        r = x, y is x, z""",
    "out of one element": """
        x, y, z = numpy.array(1.0), numpy.zeros(()), numpy.zeros(1)
        x += np.ones(()).sum()
        numpy.add(np.ones(()), 1, out=y)
        numpy.add.reduce(np.ones((3, 1)), out=z)
        r = x, y, z""",
    "out of accumulate": """
        x = numpy.zeros(3)
        r = numpy.add.accumulate(np.arange(3.0), out=x), x, numpy.matmul(np.eye(3), x, out=x)""",
    "out of another kind": "np.add(np.arange(3.0), 1, out=numpy.zeros(3, int))",
    "read-only out": "np.add(np.arange(3.0), 1, out=numpy.broadcast_to(0.0, 3))",
    "NumPy's function of text": "r = numpy.broadcast_arrays(np.ones(2), numpy.array(['a']))[1]",
    "places that are complex": "np.interp(np.array([1 + 1j]), [0, 2], [0, 2])",
    # other kinds of operands
    "masked arrays": """
        m = numpy.ma.array([1.0, 2], mask=[0, 1])
        r = np.ones(2) + m, m + np.ones(2), np.ones(2) < m, 2 * np.arange(2.0) / m""",
    "elements of masked arrays": "r = np.asarray(numpy.ma.array([1.0, 2], mask=[0, 1]))",
    "nothing is equal to None": """
        x = np.ones(2)
        r = x == None, x != None, None in x, x == 'a', x.mean() in (None, 1)
        r += np.array_equal(x, None), bool(x.mean() == None)""",
    "repeated sequences": """
        s = np.arange(4)[3]
        r = [0] * s, s * [1, 2], (1, 2) * s, ['a'] * s, 'ab' * s, bytearray(2) * s
        r += s * 2, [1.5] * np.arange(2.0), (1, 2) * np.float64(2)""",
    # scalars as numbers
    "scalars": """
        s = np.array([2.5, -1]).max()
        r = math.trunc(s), math.floor(s), math.ceil(s), s.as_integer_ratio()
        r += np.arange(8).max().bit_count(), isinstance(s, numbers.Number), np.isscalar(s)""",
    "scalars as bins": "r = np.histogram(np.arange(5.0), bins=np.array([3])[0])",
    "arrays as shapes": """
        r = np.broadcast_to(1, np.array([2, 2])), np.broadcast_to(1.0, numpy.array([2, 2]))""",
    # the shape of an array
    "shape of an owner": """
        x = np.arange(6)
        y = x[1:]
        x.shape = 2, -1
        y[0], x[1, 2] = 50, 9
        r = x, y, x.shape""",
    "shape of a view": "x = np.arange(6); y = x[::2]; y.shape = 3, 1; y[0] = 50; r = x, y",
    "a shape that needs a copy": "x = np.arange(6).reshape(2, 3).T; x.shape = 6",
    "a shape of another size": "x = np.arange(6); x.shape = 4",
    # arguments by name
    "arange": """
        r = np.arange(start=0, stop=3), np.arange(stop=3), np.arange(0, 3, 1, float)
        r += np.arange(1, step=2), np.arange(2, stop=4)""",
    "arange without an end": "np.arange()",
    "arange from two starts": "np.arange(1, start=2)",
    "arange from a start": "np.arange(start=2)",
    # parts of an axis
    "reduceat": """
        x = np.arange(12.0)
        r = np.add.reduceat(x, [0, 3, 5]), np.maximum.reduceat(x, [2, 3, 9])
        r += np.multiply.reduceat(np.arange(1, 6), [0, 2]), np.minimum.reduceat(x[::-1], [1, 2])
        r += np.add.reduceat(np.array([-0.0, -0.0]), [0, 1]), np.add.reduceat(x, [0, 2, 1])""",
    "reduceat along an axis": """
        x = np.arange(12).reshape(3, 4)
        r = np.add.reduceat(x, [0, 1], axis=1), np.minimum.reduceat(x, [0, 2])
        r += np.add.reduceat(x.astype('i4'), [0, 2]), np.add.reduceat(x, [0, 2], dtype=float)""",
    "reduceat of bools": """
        x = np.array([True, False, True, True])
        r = np.logical_and.reduceat(x, [0, 2]), np.logical_or.reduceat(x, [0, 1])
        r += np.add.reduceat(x, [0, 2]), np.logical_or.reduceat(np.array([0, 3, 0]), [0, 2])""",
    "reduceat to out": """
        x = np.zeros(2, int)
        y = np.add.reduceat(np.arange(6.0), [0, 3], out=x)
        r = x, y is x""",
    "reduceat beyond the end": "np.add.reduceat(np.arange(6.0), [0, 6])",
}


def outcome(script: str, np: Any) -> str:
    """Return what a script leaves in `r`, or its error, as text."""
    lines = script.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    modules = {"copy": copy, "math": math, "numbers": numbers, "pickle": pickle}
    names: dict[str, Any] = {"np": np, "numpy": numpy, **modules}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(line[indent:] for line in lines), names)
        return repr(names["r"])
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_same_as_numpy(name: str) -> None:
    found, wanted = (outcome(SCRIPTS[name], module) for module in (jujunp, numpy))
    assert found == wanted


WRITERS = {
    "copyto": lambda np, a: np.copyto(a, 1.0, where=a > 2),
    "put": lambda np, a: np.put(a, [0, 4], [9.0, 8.0]),
    "place": lambda np, a: np.place(a, a > 1, [5.0, 6.0]),
    "putmask": lambda np, a: np.putmask(a, a > 1, 5.0),
    "fill_diagonal": lambda np, a: np.fill_diagonal(a, 7.0),
    "put_along_axis": lambda np, a: np.put_along_axis(a, np.array([[0], [1], [0]]), 3.0, 1),
    "at": lambda np, a: np.add.at(a, (np.array([0, 0]), np.array([1, 1])), 1.0),
    "cumsum": lambda np, a: np.cumsum(a, axis=0, out=a) is a,
    "sum": lambda np, a: np.sum(np.ones((3, 3)), axis=0, out=a[0]).tolist(),
    "product": lambda np, a: np.matmul(a, np.eye(3) * 2, out=a) is a,
    "clip": lambda np, a: np.clip(a, 1, 4, out=a) is a,
    "take": lambda np, a: np.take(a.copy(), [2, 1, 0], axis=0, out=a) is a,
    "concatenate": lambda np, a: np.concatenate([np.ones((1, 3)), np.zeros((2, 3))], out=a) is a,
    "mean": lambda np, a: np.mean(a, axis=1, out=a[:, 0]).tolist(),
    "of a view": lambda np, a: np.copyto(a.T[::2], np.ones(3)),
    "read-only": lambda np, a: np.copyto(numpy.broadcast_to(1.0, (3, 3)), a),
    "another dtype": lambda np, a: np.multiply(a, 0.5, out=numpy.zeros((3, 3), int)),
}


@pytest.mark.parametrize("name", WRITERS)
def test_functions_write_to_arrays_of_numpy(name: str) -> None:
    results = []
    for module in (jujunp, numpy):
        array = numpy.arange(9.0).reshape(3, 3)
        try:
            found = WRITERS[name](module, array)
        except (TypeError, ValueError) as error:
            found = type(error) if module is numpy else error
        results.append((array.tolist(), found))
    (array, found), (wanted_array, wanted) = results
    assert array == wanted_array
    assert isinstance(found, wanted) if isinstance(wanted, type) else found == wanted


@pytest.mark.parametrize("kind", ["not aligned", "swapped", "empty"])
def test_memory_that_cannot_be_shared_is_written(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By our kernels, too."""
    monkeypatch.setenv("JUJUNP_STRICT", "1")
    array = {
        "not aligned": numpy.zeros(33, "u1")[1:].view("f8"),
        "swapped": numpy.zeros(4, ">f8"),
        "empty": numpy.zeros(0),
    }[kind]
    x = jujunp.arange(float(array.size)) + 1
    assert jujunp.cumsum(x, out=array) is array
    assert array.tolist() == numpy.cumsum(numpy.arange(array.size) + 1).tolist()
    jujunp.copyto(array, 5.0)
    assert numpy.add(x, 1, out=array) is array
    assert array.tolist() == (numpy.arange(array.size) + 2).tolist()


def test_several_results_are_written_to_arrays_of_numpy() -> None:
    x, rest = numpy.zeros((2, 2)), numpy.zeros((2, 2))
    for divmod in (jujunp.divmod, numpy.divmod):
        found = divmod(jujunp.ones((2, 2)) * 5, 2, out=(x, rest))
        assert found[0] is x
        assert found[1] is rest
        assert (x.tolist(), rest.tolist()) == ([[2, 2]] * 2, [[1, 1]] * 2)
        x[...] = rest[...] = 0


def test_strides_stay_in_memory() -> None:
    x = jujunp.arange(6)
    for strides, shape in (((8,), (7,)), ((-8,), (2,)), ((1 << 40,), (2,))):
        with pytest.raises(ValueError, match="out of the array's memory"):
            jujunp.lib.stride_tricks.as_strided(x, shape, strides)
    part = jujunp.lib.stride_tricks.as_strided(x[3:], (2,), (-8,))
    assert part.tolist() == [3, 2]
    assert jujunp.lib.stride_tricks.as_strided(x, (0, 9), (1 << 40, 8)).shape == (0, 9)


def test_orders_of_our_arrays_are_ours() -> None:
    """A library that is given a generator gets arrays of ours, to which it may write."""
    generator, older = jujunp.random.default_rng(1), jujunp.random.RandomState(1)
    of = jujunp.arange(3.0)
    for x in (generator.permutation(of), generator.permuted(of), older.permutation(of)):
        assert type(x) is jujunp.ndarray
        assert sorted(x.tolist()) == [0, 1, 2]
    for x in (
        generator.normal(of),
        generator.permuted([1, 2]),
        older.rand(3),
        older.permutation(3),
    ):
        assert type(x) is jujunp.ndarray
        x[0] = 1
    stats = pytest.importorskip("scipy.stats")
    found = [stats.random_correlation.rvs([0.5, 1.5], random_state=g) for g in (generator, older)]
    assert numpy.shape(found) == (2, 2, 2)
    x = numpy.arange(3.0)
    jujunp.random.default_rng(2).shuffle(x)
    assert sorted(x) == [0, 1, 2]
    for out in (jujunp.zeros(3), x):
        assert generator.permuted(of, out=out) is out
        assert sorted(out.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("shape", [(5,), (5, 3), (2, 3, 4)], ids=str)
def test_orders_are_numpys(shape: tuple[int, ...]) -> None:
    """NumPy draws in another way where there are several axes."""
    x = numpy.arange(float(math.prod(shape))).reshape(shape)
    for axis in range(len(shape)):
        for name in ("shuffle", "permutation", "permuted"):
            found, wanted = jujunp.asarray(x), x.copy()
            made = getattr(jujunp.random.default_rng(3), name)(found, axis=axis)
            expected = getattr(numpy.random.default_rng(3), name)(wanted, axis=axis)
            assert found.tolist() == wanted.tolist()
            assert made is None is expected or made.tolist() == expected.tolist()
    found, wanted = jujunp.asarray(x), x.copy()
    jujunp.random.RandomState(3).shuffle(found)
    numpy.random.RandomState(3).shuffle(wanted)
    assert found.tolist() == wanted.tolist()
    fallbacks = sum(jujunp.stats()["host fallbacks"].values())
    permuted = jujunp.random.default_rng(3).permuted(found).tolist()
    assert permuted == numpy.random.default_rng(3).permuted(wanted).tolist()
    assert sum(jujunp.stats()["host fallbacks"].values()) == fallbacks


def test_sparse_arrays_have_their_own_operators() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix([[1.0, 2], [3, 4]])
    x = jujunp.ones(2)
    for found in (x @ matrix, x * matrix, matrix.T @ x, x.sum() * matrix @ x / 2):
        assert numpy.ravel(found).tolist() in ([4, 6], [3, 7])
    assert (matrix * x[0]).toarray().tolist() == (x[0] * matrix).toarray().tolist()
    A = jujunp.ones((2, 2))
    for dense in (A + matrix, matrix + A, A - matrix, matrix - A, -A + matrix + A + A):
        assert dense.shape == (2, 2)
    assert (A + matrix).tolist() == [[2, 3], [4, 5]]
    assert (A - matrix).tolist() == (-(matrix - A)).tolist() == [[0, -1], [-2, -3]]
    with pytest.raises(ValueError, match="shape"):
        _ = jujunp.ones((3, 3)) + matrix


def _rosen(xp: Any, x: Any) -> Any:
    return xp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def _rosens_gradient(xp: Any, x: Any) -> Any:
    found = xp.zeros_like(x)
    found[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    found[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return found


@pytest.mark.parametrize("method", ["L-BFGS-B", "SLSQP", "BFGS", "TNC", "Newton-CG"])
def test_optimizers_take_gradients_that_are_ours(method: str) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    start = [1.3, 0.7, 0.8]
    found, wanted = (
        optimize.minimize(
            functools.partial(_rosen, xp),
            xp.asarray(start),
            jac=functools.partial(_rosens_gradient, xp),
            method=method,
        ).x
        for xp in (jujunp, numpy)
    )
    numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=1e-3)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares_take_jacobians_that_are_ours(method: str) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    t = jujunp.linspace(0, 2, 9)
    found = optimize.least_squares(
        lambda p: p[0] * jujunp.exp(p[1] * t) - 2 * jujunp.exp(-t),
        jujunp.ones(2),
        jac=lambda p: jujunp.stack([jujunp.exp(p[1] * t), p[0] * t * jujunp.exp(p[1] * t)], 1),
        method=method,
    ).x
    numpy.testing.assert_allclose(numpy.asarray(found), [2, -1], rtol=1e-6)


def test_iterative_solvers_take_matrices_that_are_ours() -> None:
    linalg = pytest.importorskip("scipy.sparse.linalg")
    A, b = jujunp.asarray([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]), jujunp.asarray([1.0, 2, 3])
    for solve in (linalg.cg, linalg.gmres, linalg.lsqr):
        found = jujunp.asarray(solve(A, b)[0])
        assert jujunp.allclose(A @ found, b, atol=1e-4)


def test_plots_take_our_numbers() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    axes = pyplot.figure().subplots()
    x = jujunp.linspace(0, 1, 3)
    axes.bar(x, x * 2)
    axes.barh(x[0], x[1])
    (line,) = axes.plot(x, x**2, color=jujunp.asarray([1, 0, 0.5]), alpha=x[1])
    assert tuple(line.get_color()) == (1, 0, 0.5)
    assert [bar.get_height() for bar in axes.patches[:3]] == [0, 1, 2]
    axes.scatter(x, x, color=jujunp.eye(3))


def test_numpys_assertions() -> None:
    x = jujunp.arange(3)
    jujunp.testing.assert_equal(x, [0, 1, 2])
    jujunp.testing.assert_equal(jujunp.sum(x), 3)
    jujunp.testing.assert_equal({"x": [x]}, {"x": [x.copy()]})
    jujunp.testing.assert_allclose(x, x + 1e-12, atol=1e-9)
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 3"):
        jujunp.testing.assert_equal(x, [0, 1, 5])
    with pytest.raises(AssertionError):
        jujunp.testing.assert_almost_equal(x.mean(), 1.5)


def test_many_short_parts_and_few_long_ones() -> None:
    rng = numpy.random.default_rng(0)
    for dtype in ("float64", "float32", "float16", "int16", "complex64", "bool"):
        x = (rng.random(5000) * 5).astype(dtype)
        for count in (1, 4, 1000):
            starts = numpy.sort(rng.choice(5000, count, replace=False))
            for name in ("add", "maximum", "multiply" if dtype == "bool" else "minimum"):
                wanted = getattr(numpy, name).reduceat(x, starts)
                found = getattr(jujunp, name).reduceat(jujunp.asarray(x), starts)
                assert found.dtype == wanted.dtype
                rtol = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}.get(dtype, 1e-13)
                numpy.testing.assert_allclose(found, wanted, rtol)


def test_the_version_is_numpys() -> None:
    """Programs choose by it what they call."""
    assert jujunp.__version__ == numpy.__version__
    assert jujunp.lib.NumpyVersion(jujunp.__version__) >= "2.0.0"
