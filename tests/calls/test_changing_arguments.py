"""Calls with other numbers in each turn need no Python: they are not learnt again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp as jj

from .support import python_frames

CALLS = (
    *("2 ** I[k]", "I[k] ** k", "x[k] ** 2", "divmod(I[k], 3)", "bool(x[k:k + 1] > 0.5)"),
    *("np.linspace(f, f + 1, 3)", "np.asarray(f)", "np.array(k)", "np.array(range(k))"),
    *("np.array([f, 2.0], np.float32)", "np.array([k, 2], 'u1')", "format(x[k], '.3f')"),
    *(
        "np.clip([f, 2.0], 0, 1)",
        "np.take([f, 2.0], 1)",
        "np.roll([f, 2.0], 1)",
        "np.diff([f, 2.0])",
    ),
    *("np.repeat([f, 2.0], 2)", "np.tile([f, 2.0], 2)", "np.flip([f, 2.0])", "np.ravel([[f]])"),
    *("np.diag([f, 2.0])", "np.cov([f, 2.0, 1.0], [1.0, 2.0, f])", "np.fft.fft([f, 2.0])"),
    *("np.tril([[f, 2.0], [1.0, f]])", "np.meshgrid([f, 2.0], [1.0, 2.0])", "np.atleast_1d(f)"),
    *("np.linalg.pinv([[f, 2.0], [1.0, f]])", "np.matmul([[f, 2.0]], [f, 1.0])"),
    *("np.expand_dims([f], 0)", "np.broadcast_to([f], (2, 1))", "np.argwhere([f, 0.0])"),
    *(
        "np.bincount(I[:k], weights=x[:k])",
        "np.maximum.at(x, I[:5], f)",
        "np.subtract.at(x, I[:k], f)",
    ),
    *(
        "x[S[:k]]",
        "x[np.uint64(k)]",
        "x.__setitem__(S[:k], f)",
        "x.__setitem__(I[:k], x[I[:k]] + f)",
    ),
    *("np.repeat(x[:k], I[:k])", "np.repeat(A[:k], I[:k], axis=0)", "np.repeat([f, 2.0], [k, 1])"),
    *(
        "x[I[:k] * 3 % 40]",
        "x.__setitem__(I[:k] * 3 % 40, f)",
        "np.concatenate([A, A[:, :k]], axis=1)",
    ),
    *("A[I[:k] - 1, I[:k]]", "A.__setitem__(k, A[k - 1])", "np.float64(f) * x[k]"),
    *("x[S[:k] - 1]", "x.__setitem__(S[:k] - 1, f)", "x[np.asarray(I[k])]", "A[np.array(k), 3]"),
    *("A.__setitem__((k, np.asarray(I[k])), f)", "I.__setitem__(np.asarray(S[k]), k)"),
    *("np.float32(f) * x", "np.float64(f) < x[k]", "np.float32(f) * F[k]"),
    *(
        "Z[k] * 2",
        "Z[k] * f",
        "Z[k] * complex(f, k)",
        "Z[k] * x[k]",
        "I[k] - Z[k]",
        "Z[k] / Z[k - 1]",
    ),
    *("Z[k].real", "Z[k].imag", "complex(Z[k])", "np.array([S[k], S[k - 1]], np.int32)"),
    *("np.array([F[k], F[k - 1]])", "np.array([B[k], B[k]])", "np.array([Z[k], Z[0]])"),
)


@pytest.mark.parametrize("call", CALLS)
def test_no_python(call: str) -> None:
    x: Any = jj.arange(40.0) / 7
    names = {
        **{"np": jj, "x": x, "A": jj.arange(1600.0).reshape(40, 40) + 0, "I": jj.arange(40)},
        "S": jj.arange(40, dtype="int32"),
        **{"F": (x + 0).astype("f4"), "Z": x * (1 + 2j), "B": x > 2},
    }
    jj.flush()
    run = eval(compile(f"lambda k, f: {call}", __file__, "eval"), names)
    for turn in range(300):
        run(2 + turn % 30, 0.5 + turn / 1000)
        if turn % 50 == 0:
            jj.flush()
    jj.flush()
    assert python_frames(lambda: [run(2 + k % 30, 0.9 + k / 1000) for k in range(40)]) == []


@pytest.mark.parametrize("call", ["+", "*", "/", "<", "==", "**", "//"])
def test_scalars_of_numpy_do_not_ask(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They hand over at once: `__array_ufunc__` is what NumPy would ask."""

    def asked(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("NumPy was to be left out")

    operate = eval(f"lambda x, y: x {call} y")
    for kind in (jj.ndarray, type(jj.arange(2)[0]), type(jj.arange(2.0)[0])):
        monkeypatch.setattr(kind, "__array_ufunc__", asked, raising=False)
    for number in (np.float64(2), np.int64(3), np.float32(0.5), np.uint8(7)):
        for x in (jj.arange(4.0), jj.arange(4.0)[1], jj.arange(4)[1], jj.arange(3)):
            operate(number, x + 1)
