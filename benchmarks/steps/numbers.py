"""Calls with Python's numbers, and on parts of arrays, which are others in each turn."""

from __future__ import annotations

from benchmarks.steps.case import summed, values

CASES = [
    *values("np.sqrt(i * 0.5)", "np.exp(-0.1 * i)", "np.floor(i / 7)", "np.sin(i)", "np.abs(-i)"),
    *values("np.hypot(i, 2.0)", "np.minimum(i, 3)", "np.power(i * 0.1, 1.5)"),
    *values("np.where(x < 0.5, x, 0.1 * i)", "np.where(m, i, x)", "np.clip(x, 0.0, 0.01 * i)"),
    *values("np.full(n, i)", "np.full_like(x, 0.1 * i)", "np.append(x, 0.5 * i)"),
    *values("np.searchsorted(s, 0.01 * i)", "np.interp(0.01 * i, s, x)", "np.round(0.123 * i, 2)"),
    *values("np.array([0.5 * i, 1.0, 2.0])", "np.mean([i, 2.5])", "np.linalg.norm([i, 3.0])"),
    *values("np.linspace(0.0, i, 8)", "np.roll(x, i)", "np.isclose(x, 0.01 * i)"),
    *values("np.concatenate([x[:i], y[i:]])", "np.linalg.norm(x[:i])", "np.vdot(x[:i], y[:i])"),
    *values("np.take(x, [i, 0])", "x[[i, -1]]"),
    *summed("np.append(x[:i], 1.0)", "np.vstack([x[:i], y[:i]])", "np.array([x[:i], y[:i]])"),
    *summed("np.diff(x[: i + 2])", "np.ravel(x[:i])", "np.convolve(x[: i + 3], y[:3])"),
    *summed("np.zeros((i, 2))", "x[: i + 1].reshape(1, -1)", "np.arange(i + 1)", "np.zeros(i + 1)"),
]
