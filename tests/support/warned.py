"""What programs warn of, in NumPy and here: the lines of the step benchmarks on special numbers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import jujunp as jj
from benchmarks.steps.cases import CASES, OTHERS
from benchmarks.steps.operands import operands

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE, ROWS = 64, 4
_LIMITS = {kind: np.finfo(kind) for kind in (np.float16, np.float32, np.float64)}
LINES = tuple(dict.fromkeys(case.code for case in (*CASES, *OTHERS) if not case.unset))
"""The lines: each public function, ufunc, operator and form of indexing is in one at least."""


def numbers(kind: str, dtype: Any) -> np.ndarray:
    """Return some numbers of a dtype: those that a kind of special numbers stands for."""
    limits = _LIMITS[np.dtype(dtype).type]
    largest, least = float(limits.max), float(limits.smallest_subnormal)
    of_kind = {
        "nan": [np.nan, 1.5, -0.5, 2.0],
        "inf": [np.inf, 1.5, -np.inf, -0.5, 0.0],
        "zero": [0.0, 1.5, 0.0, 2.0, -0.0],
        "negative": [-1.5, 0.5, -0.25, -3.0, -1.0, 1.0],
        "huge": [largest, largest / 2, -largest, 1.5, largest / 3, 700.0],
        "tiny": [least, float(limits.tiny), 0.25, -least, float(limits.tiny) * 1.5],
        "plain": [0.25, 1.5, 0.75, 0.5],
    }
    return np.array(of_kind[kind], dtype)


KINDS = ("plain", "nan", "inf", "zero", "negative", "huge", "tiny")


def special_operands(namespace: Any, kind: str, dtype: Any) -> dict[str, Any]:
    """Return the operands of the lines with special numbers among their elements."""
    found = operands(np, SIZE, ROWS)
    given = numbers(kind, dtype)
    for name, array in found.items():
        if isinstance(array, np.ndarray) and array.dtype.kind in "fc":
            shift = sum(map(ord, name))
            made = np.resize(np.roll(given, shift), array.shape)
            if array.dtype.kind == "c":
                part = np.resize(np.roll(given, 1), array.shape)
                double = np.complex128 if dtype == np.float64 else np.complex64
                joined = np.empty(array.shape, double)
                joined.real, joined.imag = made, part
                made = joined
            found[name] = made
    if kind == "zero":
        for name in ("I", "J"):
            found[name] = np.resize([0, 3, -2, 1, 7], found[name].shape)
    found["s"] = np.sort(found["s"])
    arrays = {name: item for name, item in found.items() if isinstance(item, np.ndarray)}
    return {**found, **{name: namespace.array(array) for name, array in arrays.items()}}


Warned = tuple[str, ...]


def warned(namespace: Any, line: str, given: dict[str, Any]) -> Warned | None:
    """Return what a line warns of, sorted, each text once; None if it raises an exception."""
    names = {**given, "np": namespace, "i": 3, "j": 2}
    jj.flush()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            exec(f"__result = {line}" if _is_expression(line) else line, names)
            jj.flush()
        except Exception:
            jj.flush()
            return None
    return texts(found)


def texts(found: Sequence[warnings.WarningMessage]) -> Warned:
    """Return categories and texts of warnings, sorted, each once."""
    return tuple(sorted({f"{item.category.__name__}: {item.message}" for item in found}))


def _is_expression(line: str) -> bool:
    try:
        compile(line, "line", "eval")
    except SyntaxError:
        return False
    return True
