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
WIDEST = 1 << 1023
"""What bounds Python integers in loops of other dtypes than those of integers."""


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
    loop = Loop(
        code=pack(OPCODES[primitive], operand, produced),
        operand=operand,
        result=result,
        direct=all(code is None or code == operand for code in given) and produced == result,
        low=-WIDEST,
        high=WIDEST,
        after=None if produced == result else convert_code(produced, result),
    )
    return limited(loop, operand) if is_integer(operand) else loop


def limited(loop: Loop, code: int) -> Loop:
    """Return a loop whose Python integers are to fit an integer dtype."""
    info = np.iinfo(DTYPES[code])
    return loop._replace(low=int(info.min), high=int(info.max))


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
    return as_held(number, code)


def as_held(number: Scalar, code: int) -> Scalar:
    """Return a number as a dtype holds it if that is infinite, of which NumPy warns; else as it is.

    Numbers are infinite in dtypes of floats only.
    """
    if not _LARGEST[code] < abs(number) < math.inf:
        return number
    with np.errstate(over="ignore"):
        held: Scalar = np.array(number).astype(DTYPES[code]).item()
    if np.isfinite(held):
        return number
    tell("over", "cast")
    return held


_LARGEST = [
    float(np.finfo(dtype).max) if np.issubdtype(dtype, np.inexact) else math.inf for dtype in DTYPES
]
"""The largest number of a dtype, by code."""
