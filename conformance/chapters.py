"""Calls of the Array API's functions by chapter, over dtypes, shapes and special values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import jujunp as np_

Call = tuple[str, Callable[[], Any]]

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
HALF = "float16"
COMPLEX = ("complex64", "complex128")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.0, 1e-30, 1e30, np.inf, -np.inf, np.nan)
SHAPES = ((), (7,), (0,), (3, 4), (2, 1, 3))

UNARY = {
    "numbers": ("abs", "negative", "positive", "sign", "square"),
    "floats": (
        *("acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1"),
        *("floor", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "reciprocal"),
        *("round", "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
    ),
    "integers": ("bitwise_invert",),
    "bool": ("logical_not",),
}
BINARY = {
    "numbers": (
        *("add", "multiply", "subtract", "maximum", "minimum", "floor_divide", "remainder"),
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    ),
    "floats": ("atan2", "copysign", "divide", "hypot", "logaddexp", "nextafter", "pow"),
    "integers": ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift"),
    "bool": ("logical_and", "logical_or", "logical_xor"),
}
DTYPES_OF = {
    "numbers": (*INTEGERS, HALF, *FLOATS, *COMPLEX),
    "floats": (HALF, *FLOATS, *COMPLEX),
    "integers": INTEGERS,
    "bool": ("bool",),
}
REAL_ONLY = frozenset(
    (
        *("ceil", "floor", "trunc", "round", "signbit", "maximum", "minimum", "floor_divide"),
        *("remainder", "less", "less_equal", "greater", "greater_equal", "atan2", "copysign"),
        *("hypot", "logaddexp", "nextafter"),
    )
)


def sample(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    """Return an array of a dtype: special floats among others, all integers of small magnitude."""
    rng = np.random.default_rng((seed, len(shape), len(dtype)))
    kind = np.dtype(dtype).kind
    if kind == "b":
        numbers = rng.random(shape) < 0.5
    elif kind in "iu":
        numbers = rng.integers(0 if kind == "u" else -9, 10, shape)
    else:
        numbers = np.where(
            rng.random(shape) < 0.3, rng.choice(SPECIAL, shape), rng.normal(size=shape)
        )
        if kind == "c":
            numbers = numbers + 1j * rng.normal(size=shape)
    with np.errstate(all="ignore"):
        return np_.asarray(np.asarray(numbers).astype(dtype))


def elementwise() -> Iterator[Call]:
    """Functions of each element, and of pairs that broadcast."""
    for kinds, arity in ((UNARY, 1), (BINARY, 2)):
        for kind, names in kinds.items():
            for name in names:
                for dtype in DTYPES_OF[kind]:
                    if dtype in COMPLEX and name in REAL_ONLY:
                        continue
                    yield from _elementwise(name, dtype, arity)


def _elementwise(name: str, dtype: str, arity: int) -> Iterator[Call]:
    function = getattr(np_, name)
    pairs = (((40,), (40,)), ((3, 1), (4,))) if arity == 2 else (((40,),), ((3, 4),))
    for shapes in pairs:
        operands = [sample(shape, dtype, place) for place, shape in enumerate(shapes)]
        if name == "bitwise_left_shift":
            operands[1] = np_.abs(operands[1]) % 7
        if name in ("floor_divide", "remainder") and dtype in INTEGERS:
            operands[1] = np_.where(operands[1] == 0, 3, operands[1]).astype(dtype)
        np_.flush()
        yield f"{name}({dtype} {shapes})", partial(function, *operands)


REDUCTIONS = ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all")
OTHERS = ("argmax", "argmin", "cumulative_sum", "count_nonzero")


def statistical() -> Iterator[Call]:
    """Reductions of one axis, of all and of several, and running sums."""
    for name in (*REDUCTIONS, *OTHERS):
        function = getattr(np_, name)
        for dtype in ("bool", "int8", "uint16", "int64", HALF, *FLOATS, "complex128"):
            for axis in (None, 0, -1, (0, 2)):
                if name in OTHERS and isinstance(axis, tuple):
                    continue
                if name == "cumulative_sum" and axis is None:
                    continue
                x = sample((3, 4, 5), dtype)
                yield f"{name}({dtype}, axis={axis})", partial(function, x, axis=axis)


def indexing() -> Iterator[Call]:
    """Basic keys, masks, index arrays, take, and writes through them."""
    keys: dict[str, Any] = {
        "slices": (slice(1, None), slice(None, None, -2)),
        "integer": (1, ...),
        "new axis": (None, slice(None), 0),
        "indices": ([2, 0, -1],),
        "two arrays": ([0, 2], [1, 3]),
        "column": (slice(None), [3, 3, 0]),
    }
    for dtype in ("bool", "int16", "uint64", *FLOATS, "complex64"):
        for name, key in keys.items():
            x = sample((3, 4), dtype)
            yield f"x[{name}] {dtype}", partial(_read, x, key)
            yield f"x[{name}] = {dtype}", partial(_written, x, key)
        x, y, mask = sample((3, 4), dtype), sample((3, 4), dtype, 1), sample((3, 4), "bool")
        yield f"where {dtype}", partial(np_.where, mask, x, y)
        yield f"take {dtype}", partial(np_.take, x, np_.asarray([1, 0, 1]), axis=1)
        yield f"masked write {dtype}", partial(_written, x, (mask,))


def _read(x: Any, key: Any) -> Any:
    found = x[key]
    return np_.where(np_.ones(found.shape, "bool"), found, found)  # a view alone is not computed


def _written(x: Any, key: Any) -> Any:
    found = x.copy()
    found[key] = 1
    return found


def manipulation() -> Iterator[Call]:
    """Functions that join, repeat and rearrange arrays, and sort them."""
    for dtype in ("bool", "uint8", "int64", *FLOATS, "complex128"):
        x, y = sample((3, 4), dtype), sample((3, 4), dtype, 1)
        calls: dict[str, Callable[[], Any]] = {
            "concat": partial(np_.concat, (x, y), axis=1),
            "stack": partial(np_.stack, (x, y), axis=1),
            "roll": partial(np_.roll, x, 2, axis=0),
            "tile": partial(np_.tile, x, (2, 3)),
            "repeat": partial(np_.repeat, x, 2, axis=1),
            "flip": lambda x=x: np_.flip(x, axis=0).copy(),
            "sort": partial(np_.sort, x, axis=0),
            "argsort": partial(np_.argsort, x, stable=True),
            "astype": lambda x=x: np_.astype(x, np_.float32) + 0,
            "tril": partial(np_.tril, x, k=1),
            "searchsorted": lambda x=x: np_.searchsorted(np_.sort(x[0]), x[1]),
            "diff": lambda x=x: np_.diff(x, axis=1),
        }
        for name, call in calls.items():
            yield f"{name} {dtype}", call


def linalg() -> Iterator[Call]:
    """Products of arrays, and factorizations."""
    for dtype in ("int32", *FLOATS, "complex128"):
        rng = np.random.default_rng(5)
        x = np_.asarray((9 * np.eye(4) + 3 * rng.normal(size=(2, 4, 4))).astype(dtype))
        calls: dict[str, Callable[[], Any]] = {
            "matmul": partial(np_.matmul, x, x),
            "tensordot": partial(np_.tensordot, x[0], x[1], axes=1),
            "vecdot": partial(np_.vecdot, x, x),
            "outer": partial(np_.linalg.outer, x[0, 0], x[0, 1]),
            "trace": partial(np_.linalg.trace, x),
            "det": partial(np_.linalg.det, x),
            "inv": partial(np_.linalg.inv, x),
            "svdvals": partial(np_.linalg.svdvals, x),
            "eigvalsh": partial(np_.linalg.eigvalsh, x),
            "cross": partial(np_.linalg.cross, x[..., :3], x[..., 1:]),
        }
        for name, call in calls.items():
            yield f"{name} {dtype}", call


def fft() -> Iterator[Call]:
    """Fourier transforms."""
    for name in ("fft", "ifft", "rfft", "irfft", "fftn", "ifftn", "fftshift"):
        for dtype in (*FLOATS, *COMPLEX):
            if not (name == "rfft" and dtype in COMPLEX):
                x = np_.asarray(np.random.default_rng(6).normal(size=(3, 8)).astype(dtype))
                yield f"{name} {dtype}", partial(getattr(np_.fft, name), x)


CHAPTERS: dict[str, Callable[[], Iterator[Call]]] = {
    "elementwise": elementwise,
    "statistical": statistical,
    "indexing": indexing,
    "manipulation": manipulation,
    "linalg": linalg,
    "fft": fft,
}
