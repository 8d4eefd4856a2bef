"""Numbers, dtypes and shapes that NumPy refuses, or takes where others are refused.

A call that is refused computes nothing, and so does not warn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import jujunp
from tests.support.differential import told

CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
NUMBERS = (1, 300, -1, 1 << 63, 1 << 70, 1.5, float("nan"), 1e300, 1j, True)
DTYPES = ("?", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")


def _copied(np: Any, x: Any, *args: Any, **named: Any) -> Any:
    np.copyto(x, *args, **named)
    return x


def _put(np: Any, x: Any, *args: Any, **named: Any) -> Any:
    np.put(x, *args, **named)
    return x


def _changed(x: Any, name: str, y: Any) -> Any:
    """Return an array and whether it was refused after an operator in place."""
    try:
        getattr(x, name)(y)
    except Exception as error:
        return x, type(error).__name__
    return x, ""


def _masked(x: Any, mask: Any, item: Any) -> Any:
    x[mask] = item
    return x


def _raising(np: Any, name: str, elements: list[float]) -> Any:
    with np.errstate(all="raise"):
        return getattr(np, name)(np.array(elements))


def _quantiles(np: Any, dtype: str, out: str, q: Any, method: str) -> Any:
    x = np.arange(12, dtype=dtype).reshape(3, 4)
    out = np.zeros((2, 3) if isinstance(q, list) else (3,), out)
    return np.quantile(x, q, axis=1, out=out, method=method)


COPIES: dict[str, Callable[[Any], Any]] = {
    **{
        f"copyto {dtype} {number} {casting} {where}": (
            lambda np, dtype=dtype, number=number, casting=casting, where=where: _copied(
                np, np.ones(2, dtype), number, casting=casting, where=where
            )
        )
        for dtype in DTYPES
        for number in NUMBERS
        for casting in CASTINGS
        for where in (True, [True, False])
    },
    **{
        f"copyto {shape} {where}": lambda np, shape=shape, where=where: _copied(
            np, np.ones(4, "?"), np.zeros(shape, int), casting="unsafe", where=where
        )
        for shape in ((1, 1), (1, 4), (4, 1), (1, 1, 4), (1, 3), (2, 4))
        for where in (True, False, [True, False, True, False], [[True]])
    },
    **{
        f"copyto of {source} where {where}": (
            lambda np, source=source, where=where: _copied(
                np, np.zeros(2, "u1"), np.array(source), casting="unsafe", where=where
            )
        )
        for source in (-numpy.inf, [-numpy.inf], [numpy.inf, 1.0])
        for where in (False, [False, True], [True, True])
    },
}
INTEGERS: dict[str, Callable[[Any], Any]] = {
    **{
        f"{name} {x} {y}": lambda np, name=name, x=x, y=y: getattr(np, name)(x, y)
        for name in ("add", "divide", "less", "equal", "logical_or", "ldexp", "divmod", "hypot")
        for x in (1, 1.5, True, 1 << 63, 1 << 70)
        for y in (1, 1.5, True, 1 << 63, 1 << 70)
        if isinstance(y, int) or name != "ldexp"
    },
    **{
        f"{name} {dtype} {number} {turned}": (
            lambda np, name=name, dtype=dtype, number=number, turned=turned: getattr(np, name)(
                *(number, np.ones(2, dtype))[:: -1 if turned else 1]
            )
        )
        for name in ("logical_and", "logical_or", "logical_xor")
        for dtype in ("?", "u2", "i8", "u8", "f4", "c16")
        for number in (1 << 63, (1 << 63) - 1, -(1 << 63) - 1, 1 << 70)
        for turned in (False, True)
    },
    **{
        f"ldexp {dtype} {number}": lambda np, dtype=dtype, number=number: np.ldexp(
            np.ones(2, dtype), number
        )
        for dtype in ("i1", "u2", "i8", "f4", "f8")
        for number in (3, 1 << 31, 1 << 63, 1 << 70, -(1 << 63) - 1)
    },
    **{
        f"select {dtype} {number}": lambda np, dtype=dtype, number=number: np.select(
            [[True, False]], [number], np.ones(2, dtype)
        )
        for dtype in ("?", "u1", "i1", "i8", "u8", "f4", "f8")
        for number in (5, 300, -1, 1 << 63, 1 << 64, 1.5)
    },
}
OUTPUTS: dict[str, Callable[[Any], Any]] = {
    **{
        f"quantile {dtype} {out} {q} {method}": (
            lambda np, dtype=dtype, out=out, q=q, method=method: _quantiles(
                np, dtype, out, q, method
            )
        )
        for dtype in ("i8", "f4", "f8")
        for out in ("i2", "i8", "f8", "c16")
        for q in ([0.5, 0.25], 0.5, 1)
        for method in ("linear", "lower", "midpoint", "hazen", "inverted_cdf")
    },
    **{
        f"{name} {dtype} by {y}": lambda np, name=name, dtype=dtype, y=y: _changed(
            np.ones(2, dtype), name, np.array(y) if isinstance(y, list) else y
        )
        for name in ("__itruediv__", "__ifloordiv__")
        for dtype in ("?", "u4", "i8", "f4")
        for y in (0, 0.0, [0, 0], [0.0, 0.0], [[0.0, 0.0]], [[0.0], [0.0]], [0.0, 0.0, 0.0])
    },
    "log to another shape": lambda np: np.log([0.0, 1.0], out=np.zeros(3)),
    "log to one element": lambda np: np.log([0.0, 1.0], out=np.zeros(1)),
    "log to more axes": lambda np: np.log([0.0, 1.0], out=np.zeros((2, 2))),
    "log where, to another shape": lambda np: np.log(
        [0.0, 1.0], out=np.zeros(3), where=np.array([True, True])
    ),
    "log of a number": lambda np: np.log(0.0, out=np.zeros(3)),
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    **{
        f"choose {dtype} {mode}": lambda np, dtype=dtype, mode=mode: np.choose(
            np.array([0, 1], dtype), [1, 2], mode=mode
        )
        for dtype in ("?", "u4", "i8", "u8", "f8")
        for mode in ("raise", "wrap", "clip")
    },
    "arange from None": lambda np: np.arange(None, 3),
    "arange from None by name": lambda np: np.arange(start=None, stop=3),
    "arange to an end by name": lambda np: np.arange(stop=3),
    "arange of nothing": lambda np: np.arange(),
    **{
        f"arange complex {dtype}": lambda np, dtype=dtype: np.arange(1j, 2, dtype=dtype)
        for dtype in ("i1", "f8", "c16")
    },
    "linspace to 2**70": lambda np: np.linspace(3, 1 << 70, 2, dtype=int),
    "logspace to 2**70": lambda np: np.logspace(0, -(1 << 70), 2),
    "linspace of arrays to 2**70": lambda np: np.linspace(np.zeros(2), 1 << 70, 2),
    **{
        f"argpartition axis {axis}": lambda np, axis=axis: np.argpartition(
            np.array(5.0), 0, axis=axis
        )
        for axis in (2, 0, -1, -2, None)
    },
    **{
        f"{name} as {signature}": lambda np, name=name, signature=signature: getattr(np, name)(
            np.array([True]), signature=signature
        )
        for name in ("negative", "sqrt")
        for signature in ("d->d", "f->f")
    },
    "subtract as dd->d": lambda np: np.subtract(
        np.array([True]), np.array([False]), signature="dd->d"
    ),
    **{
        f"bincount {list(x)} {list(w)}": lambda np, x=x, w=w: np.bincount(x, weights=w)
        for x, w in (([], [1, 2]), ([], [[1]]), ([], [1j]), ([1], [1.0, 2]))
    },
    **{
        f"put {values} {mode} in {size}": (
            lambda np, values=values, mode=mode, size=size: _put(
                np, np.zeros(size), [0], values, mode=mode
            )
        )
        for values in ([], [1.0])
        for mode in ("raise", "wrap", "clip")
        for size in (0, 2)
    },
    **{
        f"{item!r} under a mask of {dtype}": lambda np, item=item, dtype=dtype: _masked(
            np.ones(2, dtype), np.array([True, False]), item
        )
        for item in (None, "a", "1", ["1"], [300], [1.5], [float("nan")])
        for dtype in ("?", "u1", "f4", "f8")
    },
    "piecewise of text": lambda np: np.piecewise(
        np.array([True, False]), [np.array([True, False])], ["a", 0]
    ),
    "piecewise of None": lambda np: np.piecewise(
        np.array([1.0, 2]), [np.array([True, False])], [1, None]
    ),
    **{
        f"interp of complex {period}": lambda np, period=period: np.interp(
            1, np.array([-1, 3, 3 + 0j]), [1, 2, 3], period=period
        )
        for period in (None, 0, 3)
    },
    **{
        f"bytes {length!r}": lambda np, length=length: str(np.random.default_rng(1).bytes(length))
        for length in (5, 2.5, 0.5, -1.5, numpy.float64(9.5), float("nan"), "a", None)
    },
    **{
        f"einsum of {x!r}": lambda np, x=x: np.einsum(x)
        for x in (1, None, [], [0], numpy.ones(2), "i")
    },
    **{
        f"log {elements}": lambda np, elements=elements: _raising(np, "log", elements)
        for elements in ([0.0, -1.0], [-1.0, 0.0], [1.0])
    },
    **{
        f"same_value of {elements} {source} as {target}": (
            lambda np, elements=elements, source=source, target=target: np.array(
                elements, source
            ).astype(target, casting="same_value")
        )
        for elements in ([numpy.inf, 7], [numpy.nan, 7], [3, 7], [1e30, 1], [-0.0, 255], [2.0**63])
        for source in ("f4", "f8")
        for target in ("u1", "i8", "u8", "f2", "f4", "c8", "?")
        if numpy.__version__ >= "2.4"
    },
    **{
        f"linspace to {stop}": lambda np, stop=stop: np.linspace(3, stop, 2)
        for stop in (2**62, 2**63, 2**64, 2**70, -(2**63) - 1)
    },
    **{
        f"cross {x} {y}": lambda np, x=x, y=y: np.cross(np.array(x, "u1"), np.array(y, "u1"))
        for x in ([1, 0], [200, 7], [1, 0, 1], [0, 200, 3])
        for y in ([2, 3], [2, 3, 3])
    },
}


def _outcome(call: Callable[[Any], Any], np: Any) -> Any:
    return told(
        call,
        np,
        lambda x: (x.dtype, x.shape, repr(numpy.asarray(x).tolist())),
        lambda error: type(error).__name__,
    )


ALL = {**COPIES, **INTEGERS, **OUTPUTS, **OTHERS}


@pytest.mark.parametrize("name", ALL)
def test_calls_are_refused_as_in_numpy(name: str) -> None:
    assert _outcome(ALL[name], jujunp) == _outcome(ALL[name], numpy)
