"""The linear algebra kernels: identities of the factorizations, NumPy, and what goes wrong."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from jujunp.lazy.blas import blas_path
from tests.support.structured import (
    OUT_OF_BOUNDS,
    THREADS,
    UNSUPPORTED,
    Array,
    Kernels,
    layouts,
    same,
    structured_kernels,
)

DTYPES = ["f4", "f8", "c8", "c16"]
SIZES = [0, 1, 2, 5, 40]
BATCHES: list[tuple[int, ...]] = [(), (3,), (2, 0), (2, 3)]
SQUARES = [(*batch, n, n) for n in SIZES for batch in BATCHES]
OBLONGS = [
    *[(0, 3), (3, 0), (1, 4), (4, 1), (5, 2), (2, 5), (40, 7), (7, 40)],
    *[(3, 5, 2), (2, 3, 2, 5), (2, 0, 3), (2, 3, 0), (0, 4, 3), (2, 40, 31)],
]
NOT_FINITE = -4
INT = "i4"
Outputs = list[tuple[Sequence[int], Any]]


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


def matrices(shape: Sequence[int], dtype: str, seed: int = 0) -> Array:
    """Return random matrices with elements of size 1."""
    rng = np.random.default_rng([seed, *shape])
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return np.asarray(x).astype(dtype)


def hermitian(shape: Sequence[int], dtype: str) -> Array:
    x = matrices(shape, dtype)
    return x + adjoint(x)


def positive(shape: Sequence[int], dtype: str) -> Array:
    x = matrices(shape, dtype)
    return x @ adjoint(x) + np.eye(shape[-1], dtype=dtype) * shape[-1]


def adjoint(x: Array) -> Array:
    return x.conj().swapaxes(-1, -2)


def part(x: Array, *, lower: bool, strict: bool = False) -> Array:
    """Return the matrices with zeros beside one triangle."""
    return np.tril(x, -int(strict)) if lower else np.triu(x, int(strict))


def one_triangle(x: Array, *, lower: bool) -> Array:
    """Return Hermitian matrices with nan in the triangle that must not be read."""
    holes = part(np.ones(x.shape, bool), lower=not lower, strict=True)
    return np.where(holes, x.dtype.type(np.nan), x)


def real(dtype: str) -> str:
    return {"c8": "f4", "c16": "f8"}.get(dtype, dtype)


def complex_of(dtype: str) -> str:
    return {"f4": "c8", "f8": "c16"}.get(dtype, dtype)


def diagonal(values: Array, rows: int, columns: int) -> Array:
    """Return matrices with values on their diagonal."""
    found = np.zeros((*values.shape[:-1], rows, columns), values.dtype)
    for k in range(values.shape[-1]):
        found[..., k, k] = values[..., k]
    return found


def close(found: Array, wanted: Array, scale: float = 1) -> None:
    """Check that matrices agree up to small multiples of eps, their size and their norm."""
    wanted = np.asarray(wanted)
    assert found.shape == wanted.shape
    if found.size:
        norm = max(float(np.abs(wanted).max()), 1.0) * max(wanted.shape[-2:])
        error = float(np.abs(found - wanted).max())
        assert error <= 8 * scale * float(np.finfo(found.dtype).eps) * norm


def orthogonal(q: Array) -> None:
    """Check that the columns of matrices are orthogonal and of length 1."""
    close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *[q.shape[-1]] * 2)))


def householder(kernels: Kernels, a: Array, taus: Array) -> Array:
    (q,) = kernels("householder_product", [(a.shape, a.dtype)], [a, taus])
    return q


KERNELS: dict[str, tuple[str, list[int]]] = {
    "lu": ("x:mn i:k i:m", []),
    "geqrf": ("x:mn x:k", []),
    "svd": ("r:k x:mk x:kn i:", [0, 1]),
    "cholesky": ("x:nn i:", [1]),
    "hessenberg": ("x:nn x:l", []),
    "tridiagonal": ("x:nn r:n r:l x:l", [1]),
    "eigh": ("r:n x:nn i:", [1, 1]),
    "eig": ("c:n c:nn c:nn i:", [1, 1]),
    "schur": ("x:nn x:nn i:", [1]),
}
"""The outputs of kernels of one matrix (m, n), and parameters with which they have all of them.

An output is its dtype, which is that of the matrix, or real, complex or integer, and its sizes,
where k is min(m, n) and l is n - 1.
"""


def signature(name: str, x: Array) -> tuple[Outputs, list[int]]:
    """Return shapes and dtypes of the outputs of a kernel, and its parameters."""
    *batch, m, n = x.shape
    sizes = {"m": m, "n": n, "k": min(m, n), "l": n - 1}
    code = x.dtype.str[1:]
    dtypes = {"x": code, "r": real(code), "c": complex_of(code), "i": "i4"}
    words, params = KERNELS[name]
    outputs = [word.split(":") for word in words.split()]
    return [
        ([*batch, *map(sizes.__getitem__, axes)], dtypes[kind]) for kind, axes in outputs
    ], params


def run(kernels: Kernels, name: str, x: Array, threads: int = 1) -> list[Array]:
    outputs, params = signature(name, x)
    return kernels(name, outputs, [x], params, threads)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_cholesky(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = positive(shape, dtype)
    for lower in (True, False):
        half = one_triangle(a, lower=lower)
        outputs: Outputs = [(shape, dtype), (shape[:-2], INT)]
        found, status = kernels("cholesky", outputs, [half], [int(lower)])
        assert not status.any()
        assert same(part(found, lower=lower), found)
        close(found @ adjoint(found) if lower else adjoint(found) @ found, a)
        wanted = np.linalg.cholesky(a)
        close(found, wanted if lower else adjoint(wanted))


@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky_of_matrices_that_are_not_positive(kernels: Kernels, dtype: str) -> None:
    a = positive((4, 5, 5), dtype)
    a[1, 2, 2] = -1
    a[3] = 0
    found, status = run(kernels, "cholesky", a)
    assert status.tolist() == [0, 3, 0, 1]
    assert np.isnan(found[[1, 3]].real).all()
    assert np.isfinite(found[[0, 2]]).all()


def permutation_of(pivots: Sequence[int], size: int) -> list[int]:
    rows = list(range(size))
    for row, other in enumerate(pivots):
        rows[row], rows[other] = rows[other], rows[row]
    return rows


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES + OBLONGS, ids=str)
def test_lu(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    m, n = shape[-2:]
    k = min(m, n)
    found, pivots, permutation = run(kernels, "lu", a)
    lower = np.tril(found[..., :, :k], -1) + np.eye(m, k)
    close(
        (lower @ np.triu(found[..., :k, :])).astype(dtype),
        np.take_along_axis(a, permutation[..., None].astype("i8"), -2),
    )
    assert (np.abs(lower) <= (1 if a.dtype.kind == "f" else 1.5)).all()
    for batch in np.ndindex(*shape[:-2]):
        assert permutation_of(pivots[batch].tolist(), m) == permutation[batch].tolist()
    again = kernels("lu_pivots_to_permutation", [(permutation.shape, INT)], [pivots])
    assert same(again[0], permutation)


def test_lu_of_singular_matrices(kernels: Kernels) -> None:
    a = np.array([[0.0, 0.0], [0.0, 1.0]])
    found, pivots, permutation = run(kernels, "lu", a)
    assert found.tolist() == [[0, 0], [0, 1]]
    assert pivots.tolist() == permutation.tolist() == [0, 1]


def test_pivots_of_any_strides(kernels: Kernels) -> None:
    pivots = np.array([[1, 1, 3], [2, 2, 2]], INT)
    wanted = [permutation_of(row, 5) for row in pivots.tolist()]
    for source in layouts(pivots):
        for out in layouts(np.zeros((2, 5), INT)):
            assert kernels.status("lu_pivots_to_permutation", [out, source]) == 0
            assert out.tolist() == wanted


def test_pivots_out_of_bounds_are_reported(kernels: Kernels) -> None:
    fault: list[int] = []
    for bad in (-1, 3):
        arrays = [np.zeros((2, 3), INT), np.array([[0, 1, 2], [0, 2, bad]], INT)]
        found = kernels.status("lu_pivots_to_permutation", arrays, fault=fault)
        assert found == OUT_OF_BOUNDS
        assert fault == [1, bad, 3]
        assert not arrays[0].any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_determinants(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    """NumPy calculates in double precision, and so is it compared."""
    a = matrices(shape, dtype)
    batch = shape[:-2]
    wide = a.astype("c16" if a.dtype.kind == "c" else "f8")
    sign, logarithm = kernels("slogdet", [(batch, dtype), (batch, real(dtype))], [a])
    (found,) = kernels("det", [(batch, dtype)], [a])
    close(sign[..., None, None], np.linalg.slogdet(wide)[0].astype(dtype)[..., None, None], 200)
    close(
        logarithm[..., None, None],
        np.linalg.slogdet(wide)[1].astype(real(dtype))[..., None, None],
        200,
    )
    wanted = sign * np.exp(logarithm)
    close(found[..., None, None], wanted[..., None, None], 200)
    if a.dtype.itemsize == wide.dtype.itemsize and min(shape[-2:]) <= 3:
        assert same(found, np.linalg.det(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_determinants_of_singular_matrices(kernels: Kernels, dtype: str) -> None:
    a = np.zeros((3, 2, 2), dtype)
    a[1] = np.eye(2)
    a[2, 0] = 1
    sign, logarithm = kernels("slogdet", [((3,), dtype), ((3,), real(dtype))], [a])
    assert sign.tolist() == [0, 1, 0]
    assert logarithm.tolist() == [-np.inf, 0, -np.inf]
    (found,) = kernels("det", [((3,), dtype)], [a])
    assert found.tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES + OBLONGS, ids=str)
def test_qr(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    m, n = shape[-2:]
    k = min(m, n)
    packed, taus = run(kernels, "geqrf", a)
    q = householder(kernels, packed[..., :k], taus)
    orthogonal(q)
    close(q @ np.triu(packed[..., :k, :]), a)
    full = np.zeros((*shape[:-1], m), dtype)
    full[..., :k] = packed[..., :k]
    full = householder(kernels, full, taus)
    orthogonal(full)
    close(full[..., :k], q)
    for batch in np.ndindex(*shape[:-2]):
        raw, scales = np.linalg.qr(a[batch], mode="raw")
        close(packed[batch], raw.T)
        close(taus[batch][None], scales[None])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 40, 7), (0, 0), (3, 1, 1)], ids=str)
def test_ormqr(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    packed, taus = run(kernels, "geqrf", matrices(shape, dtype))
    *batch, m, n = shape
    full = np.zeros((*batch, m, m), dtype)
    full[..., : min(m, n)] = packed[..., :m]
    q = householder(kernels, full, taus)
    for left, adjoined, other in itertools.product((True, False), (True, False), (0, 1, 4)):
        c = matrices((*batch, m, other) if left else (*batch, other, m), dtype)
        inputs, params = [packed, taus, c], [int(left), int(adjoined)]
        (found,) = kernels("ormqr", [(c.shape, dtype)], inputs, params)
        by = adjoint(q) if adjoined else q
        close(found, by @ c if left else c @ by)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", OBLONGS, ids=str)
def test_geqp3(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    *batch, m, n = shape
    k = min(m, n)
    outputs: Outputs = [(shape, dtype), ([*batch, n], INT), ([*batch, k], dtype)]
    for fixed in (False, True):
        first = np.zeros((*batch, n), INT)
        first[..., -1:] = fixed
        packed, places, taus = kernels("geqp3", outputs, [a, first])
        if k == 0:
            continue
        q = householder(kernels, packed[..., :k], taus)
        moved = np.take_along_axis(a, places[..., None, :].astype("i8") - 1, -1)
        close(q @ np.triu(packed[..., :k, :]), moved)
        if fixed:
            assert (places[..., 0] == n).all()
        else:
            sizes = np.abs(np.diagonal(packed, axis1=-2, axis2=-1))
            assert (sizes[..., 1:] <= sizes[..., :-1] * 1.001).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [shape for shape in SQUARES if shape[-1]], ids=str)
def test_hessenberg(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    packed, taus = run(kernels, "hessenberg", a)
    q = reflections(kernels, packed, taus)
    close(q @ np.triu(packed, -1) @ adjoint(q), a)


def reflections(kernels: Kernels, packed: Array, taus: Array) -> Array:
    """Return the orthogonal matrices whose vectors lie below the first subdiagonal."""
    q = np.zeros_like(packed)
    q[..., 0, 0] = 1
    q[..., 1:, 1:] = householder(kernels, packed[..., 1:, :-1], taus)
    orthogonal(q)
    return q


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [shape for shape in SQUARES if shape[-1]], ids=str)
def test_tridiagonal(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = hermitian(shape, dtype)
    n = shape[-1]
    outputs = signature("tridiagonal", a)[0]
    for lower in (True, False):
        half = one_triangle(a, lower=lower)
        packed, middle, beside, taus = kernels("tridiagonal", outputs, [half], [int(lower)])
        t = diagonal(middle, n, n)
        t[..., 1:, :-1] += diagonal(beside, n - 1, n - 1)
        t[..., :-1, 1:] += diagonal(beside, n - 1, n - 1)
        close(np.linalg.eigvalsh(t)[..., None], np.linalg.eigvalsh(a)[..., None])
        if lower:
            q = reflections(kernels, packed, taus)
            close(q @ t @ adjoint(q), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_triangular_solve(kernels: Kernels, batch: tuple[int, ...], dtype: str) -> None:
    sizes = [(0, 2), (1, 1), (2, 0), (5, 3), (40, 2)]
    for (n, other), flags in itertools.product(sizes, itertools.product((1, 0), repeat=5)):
        left, lower, transposed, conjugated, unit = flags
        eye = np.eye(n, dtype=dtype)
        a = matrices((*batch, n, n), dtype) / np.asarray(max(n, 1), dtype) + 2 * eye
        b = matrices((*batch, n, other) if left else (*batch, other, n), dtype)
        op = part(a, lower=bool(lower), strict=bool(unit)) + unit * eye
        holes = one_triangle(a, lower=bool(lower))
        holes = np.where(unit * eye == 1, holes.dtype.type(np.nan), holes)
        op = op.swapaxes(-1, -2) if transposed else op
        op = op.conj() if conjugated else op
        (x,) = kernels("triangular_solve", [(b.shape, dtype)], [holes, b], flags)
        close(op @ x if left else x @ op, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_solve(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype) + shape[-1] * np.eye(shape[-1], dtype=dtype)
    for columns in (0, 1, 3):
        b = matrices((*shape[:-1], columns), dtype)
        x, status = kernels("solve", [(b.shape, dtype), (shape[:-2], INT)], [a, b])
        assert not status.any()
        close(a @ x, b)
        close(x, np.linalg.solve(a, b))


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve_of_singular_matrices(kernels: Kernels, dtype: str) -> None:
    a = matrices((4, 3, 3), dtype)
    a[1, :, 1] = 0
    a[2] = 0
    b = matrices((4, 3, 2), dtype)
    x, status = kernels("solve", [(b.shape, dtype), ((4,), INT)], [a, b])
    assert status.tolist() == [0, 2, 1, 0]
    assert np.isnan(x[1:3].real).all()
    assert np.isfinite(x[[0, 3]]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_least_squares(kernels: Kernels, batch: tuple[int, ...], dtype: str) -> None:
    bits = int(np.array(1e-6).view("i8"))
    for m, n, columns in itertools.product((0, 1, 3, 30), (0, 1, 3, 30), (0, 1, 2)):
        a, b = matrices((*batch, m, n), dtype), matrices((*batch, m, columns), dtype)
        kinds = [(*batch, n, columns), (*batch, min(m, n)), batch, (*batch, columns), batch]
        outputs = list(zip(kinds, (dtype, real(dtype), INT, real(dtype), INT), strict=True))
        x, values, rank, sums, status = kernels("least_squares", outputs, [a, b], [bits])
        assert not status.any()
        assert (rank == min(m, n)).all()
        rest = b - a @ x
        close(adjoint(a) @ rest, np.zeros((*batch, n, columns), dtype), 200)
        close(values[..., None], np.linalg.svd(a, compute_uv=False)[..., None], 20)
        if m >= n:
            close(sums[..., None], (abs(rest) ** 2).sum(-2)[..., None], 50)
        else:
            close(x, np.linalg.pinv(a) @ b, 200)


@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares_of_what_is_not_finite_or_deficient(kernels: Kernels, dtype: str) -> None:
    a, b = matrices((3, 4, 2), dtype), matrices((3, 4, 1), dtype)
    a[1, 2, 0] = np.nan
    a[2, :, 1] = a[2, :, 0]
    outputs = [((3, 2, 1), dtype), ((3, 2), real(dtype)), ((3,), INT)]
    outputs += [((3, 1), real(dtype)), ((3,), INT)]
    bits = int(np.array(1e-3).view("i8"))
    x, _, rank, _, status = kernels("least_squares", outputs, [a, b], [bits])
    assert status.tolist() == [0, -4, 0]
    assert rank.tolist() == [2, 0, 1]
    assert np.isnan(x[1].real).all()
    close(x[2], np.linalg.pinv(a[2], 1e-3) @ b[2], 200)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_tridiagonal_solve(kernels: Kernels, batch: tuple[int, ...], dtype: str) -> None:
    for n, columns in itertools.product(SIZES, (0, 1, 3)):
        left, middle, right = (matrices((*batch, n), dtype, seed) for seed in range(3))
        middle = middle + middle.dtype.type(4)
        b = matrices((*batch, n, columns), dtype)
        full = diagonal(middle, n, n)
        if n > 1:
            full[..., 1:, :-1] += diagonal(left[..., 1:], n - 1, n - 1)
            full[..., :-1, 1:] += diagonal(right[..., :-1], n - 1, n - 1)
            left[..., 0] = right[..., -1] = np.nan
        outputs: Outputs = [(b.shape, dtype), (batch, INT)]
        x, status = kernels("tridiagonal_solve", outputs, [left, middle, right, b])
        assert not status.any()
        close(full @ x, b)
    zeros = np.zeros((2, 3), dtype)
    outputs = [((2, 3, 1), dtype), ((2,), INT)]
    x, status = kernels("tridiagonal_solve", outputs, [zeros, zeros, zeros, zeros[..., None]])
    assert status.tolist() == [1, 1]
    assert np.isnan(x.real).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_eigh(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = hermitian(shape, dtype)
    values = (shape[:-1], real(dtype))
    outputs: Outputs = [values, (shape, dtype), (shape[:-2], INT)]
    for lower in (True, False):
        half = one_triangle(a, lower=lower)
        w, v, status = kernels("eigh", outputs, [half], [int(lower), 1])
        assert not status.any()
        orthogonal(v)
        close(a @ v, v * w[..., None, :])
        assert (w[..., 1:] >= w[..., :-1]).all()
        close(w[..., None], np.linalg.eigvalsh(a)[..., None])
        alone, status = kernels("eigh", [values, outputs[2]], [half], [int(lower), 0])
        close(alone[..., None], w[..., None])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES + OBLONGS, ids=str)
def test_svd(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    *batch, m, n = shape
    k = min(m, n)
    values, status_ = ([*batch, k], real(dtype)), (batch, INT)
    for full in (True, False):
        left, right = ([*batch, m, m if full else k], dtype), ([*batch, n if full else k, n], dtype)
        outputs: Outputs = [values, left, right, status_]
        s, u, vt, status = kernels("svd", outputs, [a], [int(full), 1])
        assert not status.any()
        orthogonal(u)
        orthogonal(adjoint(vt))
        close(u @ diagonal(s, *(m, n) if full else (k, k)).astype(dtype) @ vt, a)
        assert (s[..., 1:] <= s[..., :-1]).all()
        assert (s >= 0).all()
        alone, status = kernels("svd", [values, status_], [a], [int(full), 0])
        close(alone[..., None], s[..., None])
    close(s[..., None], np.linalg.svd(a, compute_uv=False)[..., None])


def matched(found: Array, wanted: Array) -> None:
    """Check that eigenvalues agree in some order."""
    assert found.shape == wanted.shape
    if found.size:
        apart = np.abs(found[..., :, None] - wanted[..., None, :])
        for axis in (-1, -2):
            nearest = apart.min(axis)[..., None]
            close(nearest.astype(found.dtype), np.zeros_like(nearest), 8)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_eig(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    whole = complex_of(dtype)
    w, vl, vr, status = run(kernels, "eig", a)
    assert not status.any()
    close(a @ vr, vr * w[..., None, :])
    close(adjoint(vl) @ a, w[..., :, None] * adjoint(vl))
    close((np.abs(vr) ** 2).sum(-2)[..., None], np.ones((*shape[:-1], 1), real(dtype)))
    matched(w, np.linalg.eigvals(a))
    for left, right in itertools.product((0, 1), repeat=2):
        vectors: Outputs = [(shape, whole)] * (left + right)
        outputs: Outputs = [(shape[:-1], whole), *vectors, (shape[:-2], INT)]
        found = kernels("eig", outputs, [a], [left, right])
        matched(found[0], w)
        if left and not right:
            close(adjoint(found[1]) @ a, found[0][..., :, None] * adjoint(found[1]))
        if right and not left:
            close(a @ found[1], found[1] * found[0][..., None, :])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES, ids=str)
def test_schur(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    t, z, status = run(kernels, "schur", a)
    assert not status.any()
    orthogonal(z)
    close(z @ t @ adjoint(z), a)
    blocks = -1 if a.dtype.kind == "f" else 0
    assert same(np.triu(t, blocks), t)
    alone, status = kernels("schur", [(shape, dtype), (shape[:-2], INT)], [a], [0])
    assert not status.any()
    assert same(np.triu(alone, blocks), alone)
    # its eigenvalues are those of a, and they can be read off triangular matrices
    matched(np.linalg.eigvals(alone), np.linalg.eigvals(a))


def some(name: str, batch: tuple[int, ...], n: int, dtype: str) -> Array:
    return (
        positive((*batch, n, n), dtype) if name == "cholesky" else matrices((*batch, n, n), dtype)
    )


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("name", KERNELS)
def test_operands_of_any_strides(kernels: Kernels, name: str, dtype: str) -> None:
    x = some(name, (3,), 5, dtype)
    wanted = run(kernels, name, x)
    outputs, params = signature(name, x)
    for source in layouts(x):
        found = run(kernels, name, source)
        assert all(map(same, found, wanted))
    targets = [[*layouts(np.zeros(shape, kind))] for shape, kind in outputs]
    for places in zip(*targets, strict=True):
        assert kernels.status(name, [*places, x], params) == 0
        assert all(map(np.array_equal, places, wanted))


@pytest.mark.parametrize("name", KERNELS)
def test_large_batches_are_split_over_threads(kernels: Kernels, name: str) -> None:
    x = some(name, (700,), 8, "f8")
    one, two = (run(kernels, name, x, threads) for threads in THREADS)
    assert all(map(same, one, two))
    for index in (0, 349, 350, 699):
        alone = run(kernels, name, x[index])
        assert all(same(array[index], wanted) for array, wanted in zip(two, alone, strict=True))


def library_threads() -> int:
    return int(ctypes.CDLL(blas_path()).scipy_openblas_get_num_threads())


@pytest.mark.parametrize("name", ["cholesky", "lu", "geqrf"])
def test_large_matrices_use_the_threads_of_the_library(kernels: Kernels, name: str) -> None:
    before = library_threads()
    x = some(name, (), 260, "f8")
    for array, wanted in zip(run(kernels, name, x, 2), run(kernels, name, x, 1), strict=True):
        if array.dtype == INT:
            assert same(array, wanted)
        else:
            close(array[None], wanted[None], 100)
    assert library_threads() == before


def spoiled(name: str, n: int, dtype: str) -> Iterator[Array]:
    """Yield matrices with nan or infinity in some places."""
    rng = np.random.default_rng(n)
    for value, many in itertools.product((np.nan, np.inf, -np.inf), (1, 2, n * n)):
        x = some(name, (2,), n, dtype)
        rows, columns = rng.integers(0, n, (2, many))
        # In the triangle that is read
        x[0, np.maximum(rows, columns), np.minimum(rows, columns)] = value
        yield x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", KERNELS)
def test_matrices_that_are_not_finite(kernels: Kernels, name: str, dtype: str) -> None:
    for n in (1, 2, 3, 30):
        for x in spoiled(name, n, dtype):
            found = run(kernels, name, x)
            well = run(kernels, name, x[1:])
            assert all(same(array[1:], wanted) for array, wanted in zip(found, well, strict=True))
            if name in ("svd", "eig", "eigh", "schur"):
                *arrays, status = found
                assert status.tolist() == [NOT_FINITE, 0]
                assert all(np.isnan(array[0]).all() for array in arrays)
            elif name == "lu":
                assert sorted(found[2][0].tolist()) == list(range(n))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_cholesky_and_solve_of_what_is_not_finite_as_numpy_does(
    kernels: Kernels, bad: float
) -> None:
    a = np.eye(3) * 2
    a[0, 0] = bad
    b = np.ones((3, 1))
    found, status = run(kernels, "cholesky", a)
    np.testing.assert_array_equal(found, np.linalg.cholesky(a))
    assert not status.any()
    x, status = kernels("solve", [((3, 1), "f8"), ((), INT)], [a, b])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(x, np.linalg.solve(a, b))
    assert not status.any()


@pytest.mark.parametrize("name", KERNELS)
def test_calls_that_make_no_sense_are_refused(kernels: Kernels, name: str) -> None:
    x = some(name, (2,), 4, "f8")
    outputs, params = signature(name, x)

    def status(inputs: list[Array], changes: dict[int, Array] | None = None) -> int:
        arrays = [np.zeros(shape, dtype) for shape, dtype in outputs]
        for index, array in (changes or {}).items():
            arrays[index] = array
        return kernels.status(name, [*arrays, *inputs], params)

    assert status([x]) == 0
    assert status([]) == UNSUPPORTED
    assert status([x, x]) == UNSUPPORTED
    for wrong in (x[:1], x[0, 0], x[0, 0, 0], x[..., :3], x[:, :3], x.astype("i8"), x[None]):
        assert status([np.asarray(wrong)]) == UNSUPPORTED
    assert status([x.astype("f4")]) == UNSUPPORTED
    for index, (shape, dtype) in enumerate(outputs):
        array = np.zeros(shape, dtype)
        for other in (array[:1], np.zeros(shape, "u1"), array[None], np.zeros((*shape, 1), dtype)):
            assert status([x], {index: other}) == UNSUPPORTED
    if params:
        arrays = [np.zeros(shape, dtype) for shape, dtype in outputs]
        assert kernels.status(name, [*arrays, x], params[:-1]) == UNSUPPORTED


def test_systems_that_make_no_sense_are_refused(kernels: Kernels) -> None:
    a, b = np.eye(3), np.ones((3, 2))
    x, status = np.zeros((3, 2)), np.zeros((), INT)
    for wrong in (np.ones((2, 2)), np.ones(3), np.ones((1, 3, 2)), b.astype("f4")):
        assert kernels.status("solve", [x, status, a, wrong]) == UNSUPPORTED
        assert kernels.status("triangular_solve", [x, a, wrong], [1] * 5) == UNSUPPORTED
        row = np.ones(3)
        arrays = [x, status, row, row, row, wrong]
        assert kernels.status("tridiagonal_solve", arrays) == UNSUPPORTED
    assert kernels.status("triangular_solve", [x, a, b], [0, 1, 0, 0, 0]) == UNSUPPORTED
    assert kernels.status("householder_product", [b, b, np.ones(3)]) == UNSUPPORTED
    assert kernels.status("householder_product", [b.T, b.T, np.ones(2)]) == UNSUPPORTED
    assert kernels.status("ormqr", [b, a, np.ones(4), b], [1, 0]) == UNSUPPORTED
    assert kernels.status("ormqr", [b, a, np.ones(3), b], [0, 0]) == UNSUPPORTED
