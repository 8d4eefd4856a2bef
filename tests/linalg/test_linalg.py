"""Factorizations of matrices, linear systems and determinants, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
import jujunp.linalg
from tests.support.matrices import KINDS, SHAPES, equal, matrix, positive, same

SQUARE = ((0, 0), (1, 1), (3, 3), (17, 17), (2, 3, 3), (0, 3, 3), (2, 0, 0), (2, 1, 4, 4))


def unit(q):
    """Assert that columns are orthonormal."""
    q = np.asarray(q)
    products = q.conj().mT @ q
    equal(products, np.broadcast_to(np.eye(q.shape[-1], dtype=q.dtype), products.shape))


UNIQUE = [
    lambda xp, a: xp.linalg.inv(a),
    lambda xp, a: xp.linalg.inv(a.mT),
    lambda xp, a: xp.linalg.inv(a[..., ::-1, :]),
    lambda xp, a: xp.linalg.det(a),
    lambda xp, a: xp.linalg.det(a[..., ::-1, :]),
    lambda xp, a: tuple(xp.linalg.slogdet(-a)),
    lambda xp, a: xp.linalg.cholesky(a),
    lambda xp, a: xp.linalg.cholesky(a.mT),
    lambda xp, a: xp.linalg.cholesky(a, upper=True),
    lambda xp, a: xp.linalg.eigvalsh(a),
    lambda xp, a: xp.linalg.eigvalsh(a.mT, "u"),
    lambda xp, a: xp.sort(xp.linalg.eigvals(a).real),
    lambda xp, a: xp.linalg.svd(a, compute_uv=False, hermitian=True),
    lambda xp, a: xp.linalg.pinv(a, hermitian=True),
    lambda xp, a: xp.linalg.matrix_rank(a, hermitian=True),
    lambda xp, a: xp.linalg.matrix_power(a, 0),
    lambda xp, a: xp.linalg.matrix_power(a, 5),
    lambda xp, a: xp.linalg.matrix_power(a, 3),
    lambda xp, a: xp.linalg.matrix_power(a, -2),
]


@pytest.mark.parametrize("program", UNIQUE, ids=range(len(UNIQUE)))
@pytest.mark.parametrize("dtype", KINDS)
def test_square(dtype, program):
    for shape in SQUARE:
        same(program, positive(shape, dtype))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64"])
def test_integers_are_computed_in_double_precision(dtype):
    data = np.array([[3, 1, 0], [1, 4, 1], [0, 1, 5]]).astype(dtype)
    for program in UNIQUE:
        same(program, data)
    same(lambda xp, a: xp.linalg.solve(a, a[0]), data)
    same(lambda xp, a: xp.linalg.svdvals(a), data)


@pytest.mark.parametrize("dtype", KINDS)
def test_general_determinants(dtype):
    for shape in SQUARE:
        same(lambda xp, a: (xp.linalg.det(a), *xp.linalg.slogdet(a)), matrix(shape, dtype))
    singular = np.array([[1, 2], [2, 4]], dtype)
    several = np.stack([singular, np.eye(2, dtype=dtype), 0 * singular])
    for data in (singular, several, 0 * singular):
        same(lambda xp, a: (xp.linalg.det(a), *xp.linalg.slogdet(a)), data)


def test_determinants_that_overflow_on_the_way():
    data = np.diag([1e200, 1e200, 1e-200, 1e-200])
    same(lambda xp, a: xp.linalg.det(a), data)
    for number in (np.nan, np.inf):
        same(lambda xp, a: xp.linalg.det(a), np.diag([number, 1.0]))


# -- systems


@pytest.mark.parametrize("dtype", KINDS)
def test_solve(dtype):
    pairs = [
        *(((3, 3), (3,)), ((3, 3), (3, 2)), ((3, 3), (3, 0)), ((0, 0), (0,)), ((0, 0), (0, 2))),
        *(((4, 3, 3), (3,)), ((4, 3, 3), (3, 2)), ((3, 3), (4, 3, 2)), ((2, 1, 3, 3), (4, 3, 1))),
        *(((3, 3), (2, 3)), ((4, 3, 3), (5, 3, 2)), ((3, 3), ()), ((3, 3), (4,)), ((3, 2), (3,))),
        *(((0, 3, 3), (3,)), ((3,), (3,)), ((40, 40), (40, 7))),
    ]
    for first, second in pairs:
        a, b = matrix(first, dtype), matrix(second, dtype, 1)
        if first[-1:] == first[-2:-1]:
            a = a + 10 * np.eye(first[-1], dtype=dtype)
        same(lambda xp, a, b: xp.linalg.solve(a, b), a, b)
        same(lambda xp, a, b: xp.linalg.solve(a.mT, b[::-1]) if b.ndim else b, a, b)


def test_solve_promotes():
    a = np.array([[3, 1], [1, 2]])
    for first in ("int32", *KINDS):
        for second in ("bool", *KINDS):
            same(lambda xp, a, b: xp.linalg.solve(a, b), a.astype(first), a[0].astype(second))
    same(lambda xp: xp.linalg.solve([[1, 2], [3, 5]], [1, 2.5]))


@pytest.mark.parametrize("dtype", ["int64", *KINDS])
def test_tensor_systems(dtype):
    a = (20 * np.eye(24).reshape(6, 4, 2, 3, 4) + matrix((6, 4, 2, 3, 4), "f8")).astype(dtype)
    b = matrix((6, 4), "f8", 1).astype(dtype)
    same(lambda xp, a, b: xp.linalg.tensorsolve(a, b), a, b)
    same(lambda xp, a, b: xp.linalg.tensorsolve(a.transpose(2, 0, 1, 3, 4), b, axes=(0,)), a, b)
    same(lambda xp, a, b: xp.linalg.tensorsolve(a, b[:, :3]), a, b)
    same(lambda xp, a: xp.linalg.tensorinv(a), a)
    same(lambda xp, a: xp.linalg.tensorinv(a.reshape(24, 8, 3), ind=1), a)
    same(lambda xp, a: xp.linalg.tensorinv(a, ind=0), a)
    same(lambda xp, a: xp.linalg.tensorinv(a, ind=1), a)


@pytest.mark.parametrize("dtype", ["int16", *KINDS])
def test_least_squares(dtype):
    for rows, columns in ((6, 3), (3, 6), (4, 4), (5, 0), (0, 5), (0, 0), (1, 1)):
        for width in ((), (1,), (2,), (0,)):
            a, b = (
                (8 * matrix((rows, columns), "f8")).astype(dtype),
                matrix((rows, *width), "f4", 1),
            )
            same(lambda xp, a, b: xp.linalg.lstsq(a, b), a, b, scale=20)


@pytest.mark.parametrize("dtype", ["int16", *KINDS])
def test_least_squares_have_the_bits_of_numpy(dtype):
    for shape in ((6, 3), (3, 6), (20, 20), (40, 2)):
        a = (8 * matrix(shape, "f8")).astype(dtype)
        for width in ((), (3,)):
            b = matrix((shape[0], *width), "f8", 1).astype(dtype)
            found = jujunp.linalg.lstsq(jujunp.asarray(a), jujunp.asarray(b))
            for ours, theirs in zip(found, np.linalg.lstsq(a, b), strict=True):
                assert np.asarray(ours).tobytes() == np.asarray(theirs, ours.dtype).tobytes()
    x, y = np.linspace(0, 1, 30), np.linspace(2, 5, 30) ** 2
    assert jujunp.polyfit(x, y, 3).tolist() == np.polyfit(x, y, 3).tolist()


def test_least_squares_of_deficient_rank():
    a = matrix((6, 4), "float64")
    a[:, 3] = a[:, 0] + a[:, 1]
    a[:, 2] *= 1e-3
    b = matrix((6, 2), "float64", 1)
    for rcond in (None, 1e-2, -1, 0, 2, 1e-30, np.float64(1e-2)):
        if rcond in (None, 1e-2):
            same(lambda xp, a, b, r=rcond: xp.linalg.lstsq(a, b, r), a, b, scale=1e5)
        same(lambda xp, a, b, r=rcond: xp.linalg.lstsq(a[:, :3], b, rcond=r), a, b, scale=1e5)
    same(lambda xp, a, b: xp.linalg.lstsq(a, b[:5]), a, b)
    same(lambda xp, a, b: xp.linalg.lstsq(a[0], b), a, b)
    same(lambda xp, a, b: xp.linalg.lstsq(a, b[None]), a, b)


@pytest.mark.parametrize("dtype", KINDS)
def test_pseudo_inverses(dtype):
    for shape in SHAPES:
        same(lambda xp, a: xp.linalg.pinv(a), matrix(shape, dtype))
    low = matrix((2, 5, 2), dtype) @ matrix((2, 2, 4), dtype, 1)
    for rtol in (None, 1e-3, np.array([1e-3, 0.9])):
        same(lambda xp, a, r=rtol: xp.linalg.pinv(a, rtol=r), low)
    same(lambda xp, a: xp.linalg.pinv(a, 1e-3), low)
    same(lambda xp, a: xp.linalg.pinv(a, rcond=0.1, rtol=0.1), low)
    same(lambda xp, a: xp.linalg.pinv(a.astype(int), rtol=None), low.real)
    same(lambda xp, a: xp.linalg.pinv(a.astype(int)), low.real)


# -- factorizations


@pytest.mark.parametrize("dtype", ["int8", *KINDS])
def test_singular_values(dtype):
    kind = np.result_type(dtype, np.float64) if dtype == "int8" else np.dtype(dtype)
    for shape in SHAPES:
        data = (5 * matrix(shape, "c16" if kind.kind == "c" else "f8")).astype(dtype)
        same(lambda xp, a: xp.linalg.svdvals(a), data)
        same(lambda xp, a: xp.linalg.svd(a.mT, compute_uv=False), data)
        for full in (True, False):
            u, s, vh = jujunp.linalg.svd(jujunp.asarray(data), full)
            shapes = [x.shape for x in np.linalg.svd(data, full)]
            assert [x.shape for x in (u, s, vh)] == shapes
            assert [x.dtype for x in (u, s, vh)] == [kind, kind.type(0).real.dtype, kind]
            unit(u)
            unit(vh.mT)
            k = s.shape[-1]
            equal((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], data.astype(kind))


@pytest.mark.parametrize("dtype", KINDS)
def test_singular_values_of_hermitian_matrices(dtype):
    for shape in SQUARE:
        data = matrix(shape, dtype)
        data = data + data.conj().mT
        u, s, vh = jujunp.linalg.svd(jujunp.asarray(data), hermitian=True)
        equal((u * s[..., None, :]) @ vh, data)
        same(lambda xp, a: xp.linalg.svd(a, hermitian=True).S, data)


@pytest.mark.parametrize("dtype", ["int8", *KINDS])
def test_qr(dtype):
    kind = np.result_type(dtype, np.float64) if dtype == "int8" else np.dtype(dtype)
    for shape in SHAPES:
        data = (5 * matrix(shape, "c16" if kind.kind == "c" else "f8")).astype(dtype)
        for mode in ("reduced", "complete"):
            q, r = jujunp.linalg.qr(jujunp.asarray(data), mode)
            assert [x.shape for x in (q, r)] == [x.shape for x in np.linalg.qr(data, mode)]
            assert (q.dtype, r.dtype) == (kind, kind)
            unit(q)
            equal(q @ r, data.astype(kind))
            assert not np.tril(r, -1).any()
        same(lambda xp, a: xp.linalg.qr(a, mode="r"), data)
        same(lambda xp, a: xp.linalg.qr(a.mT, "raw"), data)


def test_deprecated_modes_of_qr():
    data = matrix((4, 3), "float64")
    for mode in ("f", "full", "e", "economic"):
        with pytest.warns(DeprecationWarning, match="option is deprecated") as found:
            jujunp.linalg.qr(jujunp.asarray(data), mode)
        with pytest.warns(DeprecationWarning, match="deprecated") as wanted:
            np.linalg.qr(data, mode)
        assert str(found[0].message) == str(wanted[0].message)
        assert found[0].filename == __file__


@pytest.mark.parametrize("dtype", ["int8", *KINDS])
def test_hermitian_eigenvalues(dtype):
    kind = np.result_type(dtype, np.float64) if dtype == "int8" else np.dtype(dtype)
    for shape in SQUARE:
        data = (5 * matrix(shape, "c16" if kind.kind == "c" else "f8")).astype(dtype)
        for side, keep in (("L", np.tril), ("U", np.triu)):
            w, v = jujunp.linalg.eigh(jujunp.asarray(data), side)
            inside = keep(data, 0)
            whole = inside + inside.conj().mT
            index = np.arange(shape[-1])
            whole[..., index, index] = data[..., index, index].real
            assert (w.dtype, v.dtype) == (kind.type(0).real.dtype, kind)
            unit(v)
            equal(v * w[..., None, :], (whole @ np.asarray(v)).astype(kind))
            same(lambda xp, a, s=side: xp.linalg.eigvalsh(a, UPLO=s), data)


@pytest.mark.parametrize("dtype", ["int8", *KINDS])
def test_eigenvalues(dtype):
    for shape in SQUARE:
        general = (5 * matrix(shape, "c16" if dtype[0] == "c" else "f8")).astype(dtype)
        for data in (general, np.triu(general)):
            w, v = jujunp.linalg.eig(jujunp.asarray(data))
            wanted = np.linalg.eig(data)
            kind = np.result_type(wanted[0], np.complex64)
            assert (w.dtype, v.dtype) == (wanted[0].dtype, wanted[1].dtype)
            assert (w.shape, v.shape) == (wanted[0].shape, wanted[1].shape)
            equal(v * w[..., None, :], (data.astype(kind) @ np.asarray(v)).astype(kind))
            values = jujunp.linalg.eigvals(jujunp.asarray(data)).to_numpy()
            expected = np.linalg.eigvals(data)
            assert values.dtype == expected.dtype
            distance = abs(values[..., :, None] - expected[..., None, :])
            if distance.size:
                bound = 1e-4 if kind in ("float32", "complex64") else 1e-11
                assert distance.min(-1).max() < bound * max(1, abs(expected).max())


def test_eigenvalues_are_lazy():
    x = jujunp.asarray(matrix((3, 3), "float64")) + 1
    with jujunp.deferred_errors():
        values = jujunp.linalg.eig(x).eigenvalues
        assert values._value.buffer is None
        assert values.dtype == "complex128"


def test_eigenvalues_are_complex_in_transformations():
    diagonal = jujunp.asarray(np.diag([1.0, 2.0]))
    values = jujunp.jit(jujunp.linalg.eigvals)(diagonal)
    assert values.dtype == "complex128"
    assert sorted(values.real.tolist()) == [1, 2]
