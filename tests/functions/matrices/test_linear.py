"""Products of vectors, matrices and stacks of them, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import jujunp
from tests.support.differential import (
    DTYPES,
    FLOATS,
    check,
    check_error,
    positive,
    rounding,
    sample,
)

SHAPES = (
    *((), (3,), (2, 3), (3, 4), (4,), (5, 2, 3), (5, 3, 4), (1, 3, 4)),
    *((2, 1, 4, 3), (0, 3), (3, 0), (2, 5, 3, 2), (5, 1), (1,)),
)
PRODUCTS = ["matmul", "dot", "inner", "outer", "vdot", "vecdot", "matvec", "vecmat", "kron"]


def tolerance(*dtypes):
    """Return how far products may be from NumPy's, which BLAS sums in another order."""
    kind = np.result_type(*dtypes)
    return {"float32": 1e-4, "float64": 1e-10}.get(kind.name, rounding(kind.name))


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_pair_of_shapes(dtype, name):
    for first, second in itertools.product(SHAPES, repeat=2):
        if name == "kron" and len(first) + len(second) > 5:
            continue
        x, y = positive(first, dtype), positive(second, dtype, 1)
        check(
            lambda xp, x=x, y=y: getattr(xp, name)(xp.asarray(x), xp.asarray(y)),
            rtol=tolerance(dtype),
        )


@pytest.mark.parametrize("name", PRODUCTS)
def test_promotion(name):
    for first, second in itertools.product(("bool", "int8", "uint8", "int64", *FLOATS), repeat=2):
        x, y = abs(sample((3, 3), first)), abs(sample((3, 3), second, 1))
        check(
            lambda xp, x=x, y=y: getattr(xp, name)(xp.asarray(x), xp.asarray(y)),
            rtol=tolerance(first, second),
        )
    check(lambda xp: getattr(xp, name)([[1, 2], [3, 4]], [[0.5, 1], [2, 3]]))


@pytest.mark.parametrize("dtype", ["int32", *FLOATS])
def test_views(dtype):
    data = abs(sample((40, 60, 3), dtype))
    rtol = tolerance(dtype)
    check(lambda xp: (lambda a: a[:, :, 0] @ a[:, :, 1].T)(xp.asarray(data)), rtol=rtol)
    check(lambda xp: (lambda a: a[::-1, ::2, 0].T @ a[:, :, 1])(xp.asarray(data)), rtol=rtol)
    check(lambda xp: (lambda a: a[0, :, 0] @ a[1, ::-1, 1])(xp.asarray(data)), rtol=rtol)
    check(lambda xp: (lambda a: a.T @ a[:, :, :1].transpose(2, 0, 1))(xp.asarray(data)), rtol=rtol)
    check(lambda xp: xp.broadcast_to(xp.asarray(data[0, 0]), (5, 3)) @ data[0].T, rtol=rtol)


@pytest.mark.parametrize("dtype", FLOATS)
def test_large(dtype):
    x, y = sample((300, 200), dtype), sample((200, 250), dtype, 1)
    expected = x.astype("float64") @ y.astype("float64")
    found = np.asarray(jujunp.asarray(x) @ jujunp.asarray(y))
    bound = 200 * 20 * 20 * np.finfo(dtype).eps
    assert found.dtype == dtype
    assert abs(found - expected).max() < bound


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(40, 70), (70, 40), (33, 33), (410, 420)])
def test_a_matrix_times_its_own_transpose(dtype, shape):
    """Real products are symmetric to the last bit, as NumPy's."""
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    wide = np.repeat(x, 2, axis=1)
    bound = 1e-4 if dtype == "float32" else 1e-11
    views = {
        "rows": lambda xp: xp.asarray(x),
        "every other column": lambda xp: xp.asarray(wide)[:, ::2],
        "every other row": lambda xp: xp.asarray(wide)[::2],
        "columns": lambda xp: xp.asarray(x).T,
        "stack": lambda xp: xp.stack([xp.asarray(x)] * 3)[1:],
    }
    for name, view in views.items():
        given = np.asarray(view(np))
        ours = view(jujunp)
        product = np.asarray(ours @ ours.mT)
        wanted = given @ given.mT.copy()  # by another function of BLAS
        np.testing.assert_allclose(product, wanted, bound, bound, err_msg=name)
        if dtype != "complex128" and name != "every other column":
            np.testing.assert_array_equal(product, product.mT, err_msg=name)


def test_operators():
    data = sample((3, 3), "float64")
    check(lambda xp: xp.asarray(data) @ data.tolist(), rtol=1e-12)
    check(lambda xp: data.tolist() @ xp.asarray(data), rtol=1e-12)
    check(lambda xp: xp.asarray(data) @ xp.asarray(data[0]), rtol=1e-12)
    check(lambda xp: xp.asarray(data).dot(2))
    assert type(data @ jujunp.asarray(data)) is jujunp.ndarray

    def in_place(xp, x, y):
        x = xp.asarray(x).copy()
        same = x
        x @= xp.asarray(y)
        return same is x, x

    whole = np.arange(9).reshape(3, 3)
    check(lambda xp: in_place(xp, data, whole), rtol=1e-12)
    check_error(lambda xp: in_place(xp, whole, data)[1] + 0)
    for x, y in itertools.product((whole, whole[0], whole[:2], 3), repeat=2):
        check_error(lambda xp, x=x, y=y: in_place(xp, x, y)[1] + 0)


def test_matmul_out_and_dtype():
    data = sample((3, 4), "int64")

    def product(xp, shape, dtype, **more):
        out = xp.zeros(shape, dtype)
        result = xp.matmul(xp.asarray(data), data.T, out=out, **more)
        return result is out, out

    for dtype in ("int64", "float64", "int8", "bool"):
        check(lambda xp, d=dtype: product(xp, (3, 3), d))
    for shape in ((2, 3, 3), (4, 4), (3,)):
        check_error(lambda xp, s=shape: product(xp, s, "int64")[1] + 0)
    check(lambda xp: product(xp, (3, 3), "int8", casting="unsafe"))
    check(lambda xp: xp.matmul(xp.asarray(data), data.T, dtype="float32"))
    check(lambda xp: xp.matmul(xp.asarray(data) * 0.5, data.T, dtype="int32"))


def test_dot_out():
    data = sample((3, 4), "float64")
    for shape, dtype in (((3, 3), float), ((3, 3), "f4"), ((3, 4), float), ((3,), float)):
        check_error(lambda xp, s=shape, d=dtype: xp.dot(data, data.T, out=xp.zeros(s, d)).shape)
    check_error(lambda xp: xp.dot(data, data.T, out=xp.zeros((3, 3)).T).shape)


ERRORS = [
    lambda xp: xp.matmul(xp.ones((2, 3)), xp.ones((2, 3))),
    lambda xp: xp.matmul(xp.ones((2, 3)), 3),
    lambda xp: xp.matmul(3, xp.ones((2, 3))),
    lambda xp: xp.matmul(xp.ones((2, 3, 4)), xp.ones((3, 4, 5))),
    lambda xp: xp.dot(xp.ones((2, 3)), xp.ones((2, 3))),
    lambda xp: xp.dot(xp.ones((2, 3)), xp.ones(2)),
    lambda xp: xp.inner(xp.ones((2, 3)), xp.ones((2, 2))),
    lambda xp: xp.vdot([1, 2], [1, 2, 3]),
    lambda xp: xp.vecdot([1, 2], [1, 2, 3]),
    lambda xp: xp.vecdot(1, 2),
    lambda xp: xp.matvec(xp.ones((2, 3)), xp.ones(2)),
    lambda xp: xp.vecmat(xp.ones(3), xp.ones((2, 3))),
    lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=1),
    lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=([0], [0, 1])),
    lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=([0, 0], [0, 0])),
    lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=([5], [0])),
    lambda xp: xp.trace([1]),
    lambda xp: xp.trace(xp.ones((2, 3)), axis1=0, axis2=0),
]


@pytest.mark.parametrize("program", ERRORS, ids=range(len(ERRORS)))
def test_errors(program):
    check_error(program)


@pytest.mark.parametrize(
    "axes", [0, 1, 2, ([1, 0], [0, 1]), ([-2, 0], [0, 1]), (1, 0), ([0, 1], [1, 0])], ids=str
)
def test_tensordot(axes):
    for dtype in ("float64", "int16", "bool"):
        x, y = sample((3, 4, 5), dtype), sample((4, 3, 5), dtype, 1)
        check(
            lambda xp, x=x, y=y: xp.tensordot(xp.asarray(x), xp.asarray(y), axes=axes),
            rtol=tolerance(dtype),
        )
    check(lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), axes=2))
    check(lambda xp: xp.tensordot(3, 4, axes=0))


def test_vecdot_axis_outer_out_and_trace():
    data = sample((3, 4), "float64")
    check(lambda xp: xp.vecdot(xp.asarray(data), data, axis=0), rtol=1e-12)
    check(lambda xp: xp.outer([1, 2], [3, 4], out=xp.zeros((2, 2))))
    check(lambda xp: xp.outer([[1, 2]], 3.0))
    check(lambda xp: xp.trace(xp.asarray(data)))
    check(lambda xp: xp.asarray(data).trace(1, dtype="float32"))
    check(lambda xp: xp.trace(xp.asarray(data), offset=7))
    check(lambda xp: xp.trace(np.arange(27).reshape(3, 3, 3), 1, 0, 2))
    check(lambda xp: xp.trace(xp.ones((2, 2), bool)))


def test_triangular_solve_by_rows():
    lower = np.tril(sample((60, 60), "float64")) + 60 * np.eye(60)
    right = sample(60, "float64", 1)

    def solve(xp):
        matrix, x = xp.asarray(lower), xp.zeros(60)
        for i in range(60):
            x[i] = (right[i] - matrix[i, :i] @ x[:i]) / matrix[i, i]
        return x

    check(solve, rtol=1e-10)


@pytest.mark.parametrize("name", ["matmul", "vecdot"])
def test_generalized_ufuncs_are_no_methods(name):
    def program(xp):
        kind = type("Kind", (), {"product": getattr(xp, name)})
        return kind().product(xp.ones((2, 2)), xp.ones((2, 2)))

    check(program)


@pytest.mark.parametrize("right", [(3, 1), (1, 3, 1), (3, 3, 1), (2, 3, 3), (3, 3)])
@pytest.mark.parametrize("left", [(3, 3), (3, 3, 3), (1, 3)])
def test_axes_of_products_in_place(left, right):
    def in_place(xp):
        x = xp.ones(left)
        x @= xp.ones(right)
        return x

    check(in_place)
    check(lambda xp: xp.matmul(xp.ones(left), xp.ones(right), out=xp.zeros((3, 3))))
    check(lambda xp: xp.matmul(xp.ones(left), xp.ones(right), out=xp.zeros((2, 3, 3))))
