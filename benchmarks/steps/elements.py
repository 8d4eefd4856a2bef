"""Indexing: what reads and writes single elements, parts and views, as loops of programs do."""

from __future__ import annotations

from benchmarks.steps.case import values, writes

READS = [
    *values("x[i]", "x[-1]", "A[i, j]", "A[i][j]", "A[i]", "T[0, i, j]", "x[i] + x[j]"),
    *values("x[i] * 2.0 + 1.0", "x[i] < 0.5", "np.sqrt(x[i])", "A[i, j] * x[j]"),
    *values("float(x[i])", "int(I[3])", "bool(x[i] < 3)", "x[i].item()", "x.item(i)"),
    *values("float(A[i, j])", "float((x + y)[0])", "float(x.sum())", "float(np.dot(x, y))"),
    *values("float(np.max(np.abs(x - y)))", "abs(x[i] - x[j])", "max(x[i], x[j])"),
]
PARTS = [
    *values("x[1:-1]", "x[:3]", "x[::2]", "A[i, :3]", "A[:, j]", "A[1:, 1:]", "A[0, ...]"),
    *values("x[1:] - x[:-1]", "A[i, :2] @ A[:2, j]"),
    *values("x[idx]", "A[[0, 1]]", "A[[0, 1], [1, 2]]", "A[:, [0, 2]]", "x[[1, 2, 3]]"),
    *values("x[m]", "A[M]", "x[x < 0.5]", "A[A[:, 0] > 0.5]"),
    *values("numpy.asarray(x)", "numpy.asarray(x + y)", "numpy.asarray(A @ B)"),
]
WRITES = [
    *writes("x", "x[i] = 1.5", "x[i] += 1.5", "x[i] *= y[j]", "x[i] = x[j] + 1.0", "x[i] = y[j]"),
    *writes("x", "x[i] = (y[i] + y[j]) / 2.0", "x[i] = y.sum()", "x[i], x[j] = x[j], x[i]"),
    *writes("x", "x[1:-1] = 0.5", "x[1:-1] = y[1:-1]", "x[1:] = x[:-1]", "x[::2] += 1.0"),
    *writes("x", "x[1:-1] = (x[:-2] + x[2:]) / 2.0", "x[1:-1] += y[2:]"),
    *writes("x", "x[idx] = 1.5", "x[idx] = w", "x[idx] += w", "x[m] = 1.5", "x[m] = y[m]"),
    *writes("x", "x[m] += 1.5", "x[x < 0.5] = 0.0", "x[[1, 2, 3]] = 1.5"),
    *writes("A", "A[i, j] = 1.5", "A[i, j] += 1.5", "A[i, j] = A[j, i] + 1.0", "A[i] = 1.5"),
    *writes("A", "A[i] = B[j]", "A[:, j] = B[i]", "A[i, :3] = B[j, :3]", "A[1:, 1:] = 0.5"),
    *writes("A", "A[M] = 1.5", "A[[0, 1]] = 0.5", "A[i, :2] += B[j, :2]", "A[i] += B[j]"),
    *writes("I", "I[i] = 7", "I[i] += 1", "I[idx] += 1"),
]
CASES = [*READS, *PARTS, *WRITES]
