"""Dtypes of results: asked of NumPy itself, once for each combination of operand dtypes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run.findings import tell
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL, DTYPES, code_of, is_complex, is_integer
from jujunp.lazy.values.value import pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Scalar

CONVERT = OPCODES["convert_element_type"]
_WIDE = 1 << 1023


class Loop(NamedTuple):
    """How a ufunc computes for given operand dtypes.

    Each operand is converted to dtype `operand` unless it is that already; the step is `code`;
    Python integers outside of low..high do not fit. `result` is the dtype code of the result, and
    `after`, if not None, the code of a conversion that follows. `answer`, if not None, is what the
    result is, whatever the operand holds.
    """

    code: int
    operand: int
    result: int
    direct: bool
    low: int
    high: int
    after: int | None
    answer: bool | None = None


def loop_of(
    primitive: str, given: Sequence[int | None], operand: int, produced: int, result: int
) -> Loop:
    """Return a loop from its primitive and dtype codes; None stands for a Python number."""
    low, high = -_WIDE, _WIDE
    if is_integer(operand):
        info = np.iinfo(DTYPES[operand])
        low, high = int(info.min), int(info.max)
    return Loop(
        code=pack(OPCODES[primitive], operand, produced),
        operand=operand,
        result=result,
        direct=all(code is None or code == operand for code in given) and produced == result,
        low=low,
        high=high,
        after=None if produced == result else convert_code(produced, result),
    )


def convert_code(source: int, target: int) -> int:
    """Return the code of a conversion from one dtype code to another."""
    return pack(CONVERT, source, target)


def resolve(
    function: np.ufunc,
    given: Sequence[np.dtype | type],
    dtype: Any = None,
    casting: str = "same_kind",
    signature: Any = None,
) -> tuple[np.dtype, ...]:
    """Return the operand and result dtypes NumPy uses for operands of dtypes or Python types.

    A dtype, if one is given, is that of the results; a signature tells all dtypes. TypeError when
    operands cannot be cast.
    """
    types = tuple(np.dtype(bool) if kind is bool else kind for kind in given)
    missing: tuple[Any, ...] = (None,) * function.nout
    if dtype is not None:
        signature = (*(None,) * function.nin, *(np.dtype(dtype),) * function.nout)
    wanted = {} if signature is None else {"signature": signature}
    return function.resolve_dtypes((*types, *missing), casting=casting, **wanted)  # type: ignore[arg-type]


def result_code(*codes: int) -> int:
    """Return the dtype code that NumPy promotes the given ones to."""
    return code_of(np.result_type(*(DTYPES[code] for code in codes)))


def as_number(item: Any, code: int) -> Scalar:
    """Return a Python number converted to what an array of the dtype holds."""
    if is_integer(code):
        whole = int(item)
        info = np.iinfo(DTYPES[code])
        if not info.min <= whole <= info.max:
            raise OverflowError(f"Python integer {item} out of bounds for {DTYPES[code]}")
        return whole
    if code == BOOL:
        return bool(item)
    number = complex(item) if is_complex(code) else float(item)
    warn_of_lost(number, code)
    return number


def warn_of_lost(number: Any, code: int) -> None:
    """Warn as NumPy does of a number that is infinite in a dtype of floats only."""
    if _LARGEST[code] < abs(number) < math.inf and _is_lost(number, code):
        tell("over", "cast")


_LARGEST = [
    float(np.finfo(dtype).max) if np.issubdtype(dtype, np.inexact) else math.inf for dtype in DTYPES
]
"""The largest number of a dtype, by code."""


def _is_lost(number: complex, code: int) -> bool:
    """Whether a number becomes infinite in a dtype."""
    with np.errstate(over="ignore"):
        return not np.isfinite(np.array(number).astype(DTYPES[code]))
