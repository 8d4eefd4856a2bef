"""The calls that most programs are made of, but for ufuncs and single elements."""

from __future__ import annotations

from benchmarks.steps.case import Case, values, writes

CREATION = [
    *values("np.array(x)", "np.array(L)", "np.asarray(x)", "np.asarray(L)"),
    *values("np.zeros(n)", "np.ones(n)", "np.full(n, 1.5)", "np.zeros((k, k))"),
    Case("np.empty(n)", loop="z = np.empty(n)\nz[i] = x[i]\ntotal += z[i]", unset=True),
    *values("np.zeros_like(x)", "np.ones_like(x)", "np.full_like(x, 1.5)"),
    Case("np.empty_like(x)", loop="z = np.empty_like(x)\nz[i] = x[i]\ntotal += z[i]", unset=True),
    *values("np.arange(n)", "np.arange(0.0, 1.0, 0.125)", "np.linspace(0.0, 1.0, n)", "np.eye(k)"),
    *values("x.copy()", "np.copy(x)", "x.astype(np.float32)", "I.astype(np.float64)"),
]
SHAPES = [
    *values("x.reshape(4, -1)", "np.reshape(x, (4, -1))", "A.reshape(-1)", "A.T.reshape(-1)"),
    *values("A.ravel()", "np.ravel(A)", "A.T.ravel()", "A.flatten()"),
    *values("A.T", "A.transpose()", "np.transpose(A)", "T.transpose(1, 2, 0)"),
    *values("A.swapaxes(0, 1)", "np.swapaxes(T, 0, 2)"),
    *values("np.expand_dims(x, 0)", "x[:, None]", "np.squeeze(E)", "E.squeeze()"),
    *values("np.broadcast_to(x, (4, n))", "np.repeat(x, 2)", "x.repeat(2)", "np.tile(x, 2)"),
    *values("np.roll(x, 1)", "np.flip(x)", "x[::-1]"),
    *values("np.concatenate((x, y))", "np.concatenate((A, B), axis=1)", "np.stack((x, y))"),
    *values("np.hstack((x, y))", "np.vstack((x, y))"),
]
SELECTION = [
    *values("np.where(m, x, y)", "np.where(x < 0.5, x, 0.0)", "np.where(m)"),
    *values("np.take(x, idx)", "x.take(idx)", "np.take(A, 1, axis=0)", "np.take(x, i)"),
    *values("np.nonzero(x)", "m.nonzero()"),
    *values("np.clip(x, 0.2, 0.8)", "x.clip(0.2, 0.8)", "np.round(x, 2)", "x.round(2)"),
]
_FOLDS = ("sum", "prod", "mean", "std", "var", "min", "max", "argmin", "argmax")
REDUCTIONS = [
    *values(*(f"np.{name}(x)" for name in _FOLDS), *(f"x.{name}()" for name in _FOLDS)),
    *values(*(f"np.{name}(A, axis=0)" for name in _FOLDS)),
    *values(*(f"A.{name}(axis=1)" for name in _FOLDS)),
    *values("np.any(m)", "np.all(m)", "m.any()", "m.all()", "np.any(M, axis=0)", "M.all(axis=1)"),
    *values("np.sum(A, axis=1, keepdims=True)", "(x < 0.5).any()", "np.sum(m)", "I.sum()"),
    *values("np.cumsum(x)", "x.cumsum()", "np.cumsum(A, axis=0)", "np.diff(x)"),
    *values("np.allclose(x, y)", "np.allclose(x, x)", "np.array_equal(x, y)"),
]
PRODUCTS = [
    *values("np.dot(x, y)", "x.dot(y)", "np.dot(A, B)", "x @ y", "A @ B", "A @ A[0]"),
    *values("np.matmul(A, B)", "np.matmul(T, A)", "np.outer(A[0], B[0])", "np.inner(x, y)"),
    *values("np.inner(A, B)", "np.tensordot(A, B, 1)", "np.tensordot(A, B)"),
    *values('np.einsum("i,i", x, y)', 'np.einsum("i,i->i", x, y)', 'np.einsum("ij,j", A, B[0])'),
    *values('np.einsum("ij,jk->ik", A, B)', 'np.einsum("ij,ij->i", A, B)'),
    *values("np.trace(A)", "A.trace()", "np.diag(A)", "np.diag(A[0])", "np.triu(A)", "np.tril(A)"),
    *values("np.linalg.norm(x)", "np.linalg.norm(A)", "np.linalg.norm(A, axis=1)"),
]
SORTING = [
    *values("np.sort(x)", "np.sort(A, axis=0)", "np.argsort(x)", "x.argsort()"),
    *writes("x", "x.sort()"),
    *values("np.searchsorted(s, x)", "s.searchsorted(0.5)", "np.bincount(J)", "np.unique(I)"),
    *values("np.interp(x, s, y)", "np.interp(0.5, s, y)"),
]
READING = [
    *values("x.tolist()", "x.item(3)", "len(x)", "x.shape", "x.size", "x.dtype"),
    *writes("t", "for v in x: t += v", "for row in A: t += row[0]"),
    *writes("x", "x.fill(1.5)", "x[...] = y", "x[:] = 0.0"),
]
CASES = [*CREATION, *SHAPES, *SELECTION, *REDUCTIONS, *PRODUCTS, *SORTING, *READING]
