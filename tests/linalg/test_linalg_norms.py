"""Norms, products and failures of linear algebra, against NumPy."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest

import jujunp
import jujunp.linalg
from jujunp._array.arguments import NUMPY
from jujunp.lazy.run.flush import LinAlgFailure
from jujunp.linalg._common import required
from tests.support.matrices import KINDS, SHAPES, equal, matrix, positive, same

RESULTS = {
    "eig": ("EigResult", "eigenvalues", "eigenvectors"),
    "eigh": ("EighResult", "eigenvalues", "eigenvectors"),
    "qr": ("QRResult", "Q", "R"),
    "svd": ("SVDResult", "U", "S", "Vh"),
    "slogdet": ("SlogdetResult", "sign", "logabsdet"),
}
ORDERS = (None, 0, 1, -1, 2, -2, 3, 0.5, -1.5, np.inf, -np.inf, "fro", "f", "nuc", "other")


# -- norms


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("dtype", ["bool", "int16", *KINDS])
def test_norms_of_vectors(dtype, order):
    scale = 100 if order == -2 else None  # singular matrices have tiny ones
    for shape in ((0,), (1,), (7,), (3, 5), (2, 0), (2, 3, 4)):
        data = (5 * matrix(shape, "c16" if dtype[0] == "c" else "f8")).astype(dtype)
        for axis, keepdims in itertools.product((None, 0, -1, (0,), 5, "x"), (False, True)):
            more = {"axis": axis, "keepdims": keepdims}
            same(lambda xp, a, m=more: xp.linalg.norm(a, order, **m), data, scale=scale)
            if axis != "x":
                same(
                    lambda xp, a, m=more: xp.linalg.vector_norm(a, ord=order, **m),
                    data,
                    scale=scale,
                )
        for axis in ((0, 1), (-1, 0), (), (0, 0)):
            for keepdims in (False, True):
                more = {"axis": axis, "keepdims": keepdims, "ord": order}
                same(lambda xp, a, m=more: xp.linalg.vector_norm(a, **m), data, scale=scale)


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("dtype", ["bool", "int16", *KINDS])
def test_norms_of_matrices(dtype, order):
    scale = 100 if order == -2 else None
    for shape in SHAPES:
        data = (5 * matrix(shape, "c16" if dtype[0] == "c" else "f8")).astype(dtype)
        same(lambda xp, a: xp.linalg.norm(a, order), data, scale=scale)
        for axis in ((0, 1), (-1, -2), (0, -1), (0, 0), (0, 9), (0, 1, 2)):
            for keepdims in (False, True):
                more = {"axis": axis, "keepdims": keepdims}
                same(lambda xp, a, m=more: xp.linalg.norm(a.mT, order, **m), data, scale=scale)
        for keepdims in (False, True):
            more = {"keepdims": keepdims, "ord": order}
            same(lambda xp, a, m=more: xp.linalg.matrix_norm(a, **m), data, scale=scale)
        same(lambda xp, a: xp.linalg.matrix_norm(a[..., 0]), data, scale=scale)


def test_norms_of_other_arrays():
    for order in ORDERS:
        same(lambda xp, o=order: xp.linalg.norm(3, o))
        same(lambda xp, o=order: xp.linalg.norm([3, 4], o))
        same(lambda xp, o=order: xp.linalg.vector_norm(3.0, ord=o))


@pytest.mark.parametrize("order", [np.float64(3), np.int8(2), np.float64(-1.5), np.float64(1)])
def test_orders_that_are_scalars(order):
    same(lambda xp, a: xp.linalg.norm(a, order, axis=0), matrix((5, 3), "float32"))
    if order != 3 and order != -1.5:
        same(lambda xp, a: xp.linalg.norm(a, order), matrix((5, 3), "float32"))


@pytest.mark.parametrize("order", [o for o in ORDERS if o not in (0, 0.5)], ids=str)
@pytest.mark.parametrize("dtype", ["int16", *KINDS])
def test_condition_numbers(dtype, order):
    for shape in SHAPES:
        data = (5 * matrix(shape, "c16" if dtype[0] == "c" else "f8")).astype(dtype)
        if not (dtype == "int16" and order == -2):  # rounding of singular matrices
            same(lambda xp, a: xp.linalg.cond(a, order), data)
    several = np.stack([np.eye(3), np.zeros((3, 3)), np.diag([1.0, 2, 4])]).astype(dtype)
    if order != "nuc" or NUMPY >= (2, 5):
        same(lambda xp, a: xp.linalg.cond(a, order), several)
    if dtype != "int16" and (order in (1, np.inf, "fro") or NUMPY >= (2, 5)):
        several[2, 0, 0] = np.nan
        same(lambda xp, a: xp.linalg.cond(a, order), several)


@pytest.mark.parametrize("dtype", ["bool", "int16", *KINDS])
def test_ranks(dtype):
    for shape in (*SHAPES, (3,), (0,), ()):
        data = (5 * matrix(shape, "c16" if dtype[0] == "c" else "f8")).astype(dtype)
        for part in (data, 0 * data):
            same(lambda xp, a: xp.linalg.matrix_rank(a), part)
    low = matrix((2, 5, 2), "f8") @ matrix((2, 2, 4), "f8", 1)
    low[0] = 0
    low = low.astype(dtype)
    for bound in (0.3, 1, np.array([0.1, 2])):
        same(lambda xp, a, b=bound: xp.linalg.matrix_rank(a, b), low)
        same(lambda xp, a, b=bound: xp.linalg.matrix_rank(a, rtol=b), low)
    same(lambda xp, a: xp.linalg.matrix_rank(a, 1, rtol=1), low)


# -- products


@pytest.mark.parametrize("dtype", ["bool", "int16", *KINDS])
def test_products(dtype):
    def give(shape, seed=0):
        return (4 * matrix(shape, "c16" if dtype[0] == "c" else "f8", seed)).astype(dtype)

    x, y, vectors = give((3, 3)), give((3, 3), 1), give((4, 3))
    same(lambda xp, a, b: xp.linalg.matmul(a, b), x, y)
    same(lambda xp, a, b: xp.linalg.outer(a[0], b[:, 0]), x, y)
    same(lambda xp, a, b: xp.linalg.outer(a, b[0]), x, y)
    same(lambda xp, a, b: xp.linalg.tensordot(a, b, axes=((1, 0), (0, 1))), x, y)
    same(lambda xp, a, b: xp.linalg.tensordot(a, b), x, y)
    same(lambda xp, a, b: xp.linalg.vecdot(a, b, axis=0), x, y)
    if dtype != "bool":
        same(lambda xp, a, b: xp.linalg.cross(a, b), x, vectors[0])
        same(lambda xp, a, b: xp.linalg.cross(a, b, axis=0), x, y)
    same(lambda xp, a, b: xp.linalg.cross(a[:, :2], b[:, :2]), x, y)
    stack = give((2, 3, 4))
    for offset in (0, 1, -2, 9):
        same(lambda xp, a, o=offset: xp.linalg.diagonal(a, offset=o), stack)
        same(lambda xp, a, o=offset: xp.linalg.trace(a, offset=o), stack)
    same(lambda xp, a: xp.linalg.trace(a, dtype="complex128"), stack)
    same(lambda xp, a: xp.linalg.matrix_transpose(a), stack)
    for count in (0, 1, 2, 3, 4, 7, 10):
        same(lambda xp, a, n=count: xp.linalg.matrix_power(a, n), x)


def test_wrong_products():
    data = matrix((3, 3), "float64")
    for name in ("diagonal", "trace", "matrix_transpose"):
        same(lambda xp, a, n=name: getattr(xp.linalg, n)(a[0]), data)
    for power in (1.5, "2", None):
        same(lambda xp, a, p=power: xp.linalg.matrix_power(a, p), data)
    same(lambda xp, a: xp.linalg.matrix_power(a[:2], 2), data)
    same(lambda xp, a: xp.linalg.matmul(a, a[:2]), data)


CHAINS = [
    [(3, 4)],
    [(3, 4), (4, 2)],
    [(3, 4), (4,)],
    [(4,), (4,)],
    [(2, 3), (3, 40), (40, 5)],
    [(40, 3), (3, 40), (40, 5)],
    [(3,), (3, 4), (4,)],
    [(3,), (3, 4), (4, 2)],
    [(2, 3), (3, 4), (4,)],
    [(3,), (3, 4), (4,), (4,)],
    [(30, 35), (35, 15), (15, 5), (5, 10), (10, 20), (20, 25)],
    [(3,), (3, 4), (4, 2), (2,)],
    [(3, 4), (4, 2), (2, 3), (4, 1)],
    [(3, 4), (2, 4, 2), (2, 3)],
    [(0, 3), (3, 0), (0, 4)],
]


@pytest.mark.parametrize("shapes", CHAINS, ids=str)
@pytest.mark.parametrize("dtype", ["int64", *KINDS])
def test_chains(dtype, shapes):
    chain = [(4 * matrix(s, "f8", k)).astype(dtype) for k, s in enumerate(shapes)]
    same(lambda xp, *a: xp.linalg.multi_dot(a), *chain)


def test_chain_into_an_array():
    chain = [matrix(s, "float64") for s in ((2, 3), (3, 4), (4, 5), (5, 2))]
    for count in (2, 3, 4):
        out = jujunp.zeros((2, chain[count - 1].shape[1]))
        assert jujunp.linalg.multi_dot([jujunp.asarray(x) for x in chain[:count]], out=out) is out
        equal(out, np.linalg.multi_dot(chain[:count]))


# -- arguments


FUNCTIONS = [name for name in np.linalg.__all__ if name != "LinAlgError"]


def test_names():
    assert sorted(jujunp.linalg.__all__) == sorted(np.linalg.__all__)
    assert jujunp.linalg.LinAlgError is np.linalg.LinAlgError


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures(name):
    found, wanted = (
        list(inspect.signature(getattr(library.linalg, name)).parameters.values())
        for library in (jujunp, np)
    )
    assert [(p.name, p.kind, p.default) for p in found] == [
        (p.name, p.kind, p.default) for p in wanted
    ]
    assert getattr(jujunp.linalg, name).__doc__.strip()


MATRICES = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "pinv", "qr", "slogdet")
OTHERS = ("svd", "svdvals", "cond", "matrix_norm")


@pytest.mark.parametrize("name", [*MATRICES, *OTHERS])
def test_wrong_shapes(name):
    for shape in ((), (3,), (2, 3), (4, 2, 3)):
        wanted = found = None
        try:
            getattr(np.linalg, name)(np.ones(shape))
        except Exception as error:
            wanted = error
        try:
            getattr(jujunp.linalg, name)(jujunp.ones(shape))
        except Exception as error:
            found = error
        assert (type(found), str(found)) == (type(wanted), str(wanted)), shape


@pytest.mark.parametrize("name", [*MATRICES, "svd", "svdvals", "cond", "matrix_rank"])
def test_half_precision_is_refused(name):
    half = np.eye(2, dtype="float16")
    with pytest.raises(TypeError, match="float16"):
        getattr(np.linalg, name)(half)
    with pytest.raises(TypeError, match="float16"):
        getattr(jujunp.linalg, name)(half)


def test_other_wrong_arguments():
    data = positive((3, 3), "float64")
    same(lambda xp, a: xp.linalg.eigh(a, "lower"), data)
    same(lambda xp, a: xp.linalg.eigvalsh(a, "X"), data)
    same(lambda xp, a: xp.linalg.qr(a, "wide"), data)


# -- results and failures


@pytest.mark.parametrize("name", RESULTS)
def test_named_results(name):
    found = getattr(jujunp.linalg, name)(jujunp.asarray(np.eye(2)))
    assert type(found) is type(getattr(np.linalg, name)(np.eye(2)))
    assert (type(found).__name__, *found._fields) == RESULTS[name]


def test_results_without_axes_are_scalars():
    for name in ("det", "slogdet", "matrix_rank", "cond", "norm"):
        found = getattr(jujunp.linalg, name)(jujunp.asarray(np.eye(2)))
        for one in found if isinstance(found, tuple) else (found,):
            assert type(one) is not jujunp.ndarray


NAN = np.array([[np.nan, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 9.0]])
ONES = np.ones((2, 2))
FAILURES = [
    ("cholesky", (-ONES,), "Matrix is not positive definite"),
    ("cholesky", (np.stack([np.eye(2), -ONES]),), "Matrix is not positive definite"),
    ("inv", (ONES,), "Singular matrix"),
    ("inv", (np.stack([np.eye(2), ONES]),), "Singular matrix"),
    ("solve", (ONES, ONES), "Singular matrix"),
    ("solve", (ONES, ONES[0]), "Singular matrix"),
    ("matrix_power", (ONES, -1), "Singular matrix"),
    ("tensorinv", (ONES, 1), "Singular matrix"),
    ("eigh", (NAN,), "Eigenvalues did not converge"),
    ("eigvalsh", (NAN,), "Eigenvalues did not converge"),
    ("svd", (NAN,), "SVD did not converge"),
    ("svdvals", (NAN,), "SVD did not converge"),
    ("pinv", (NAN,), "SVD did not converge"),
    ("matrix_rank", (NAN,), "SVD did not converge"),
    ("norm", (NAN, 2), "SVD did not converge"),
    ("eig", (NAN,), "Array must not contain infs or NaNs"),
    ("eigvals", (NAN / NAN,), "Array must not contain infs or NaNs"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), FAILURES)
def test_deferred_failures_come_when_computed_and_name_the_line(name, arguments, message):
    with pytest.raises(np.linalg.LinAlgError, match=message):
        getattr(np.linalg, name)(*arguments)
    function = getattr(jujunp.linalg, name)
    given = [jujunp.array(x) if isinstance(x, np.ndarray) else x for x in arguments]
    with jujunp.deferred_errors():
        found = function(*given)
        for one in found if isinstance(found, tuple) else (found,):
            with pytest.raises(
                np.linalg.LinAlgError, match=f"^{message} .*test_linalg_norms.py, line"
            ):
                np.asarray(one)


def test_failures_of_least_squares():
    a = jujunp.asarray(NAN)
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge in Linear Least Squares"):
        jujunp.linalg.lstsq(a, [1.0, 2.0, 3.0])[0].to_numpy()


def test_what_does_not_depend_on_a_failure_is_computed():
    good, bad = jujunp.ones((2, 2)) + jujunp.eye(2), jujunp.ones((2, 2))
    with pytest.raises(jujunp.linalg.LinAlgError), jujunp.deferred_errors():
        right, wrong = jujunp.linalg.inv(good), jujunp.linalg.inv(bad)
    equal(right @ good, np.eye(2))
    with pytest.raises(jujunp.linalg.LinAlgError):
        (wrong + 1).to_numpy()


def test_an_operand_is_left_as_it_is():
    data = positive((3, 3), "float64")
    x = jujunp.asarray(data) + 0
    for name in ("cholesky", "inv", "svd", "eigh", "eig", "qr", "det"):
        getattr(jujunp.linalg, name)(x)
    jujunp.flush()
    np.testing.assert_array_equal(np.asarray(x), data + 0)


@pytest.mark.long
@pytest.mark.compile
def test_a_compiled_graph_checks_a_status():
    """Also where what it checks was computed before."""
    x = jujunp.asarray(np.ones((2, 2)))
    failed, fine = jujunp.asarray(np.ones((), np.int32)), jujunp.asarray(np.zeros((), np.int32))
    jujunp.flush()
    before = jujunp.stats()["compiled runs"]
    with jujunp.compile_policy("always"):
        checked = required(x, failed, LinAlgFailure.SINGULAR) * 2
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            checked.to_numpy()
        checked = required(x, fine, LinAlgFailure.SINGULAR) * 2
        np.testing.assert_array_equal(checked.to_numpy(), np.full((2, 2), 2.0))
    assert jujunp.stats()["compiled runs"] > before
