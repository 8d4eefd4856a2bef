"""What the elementwise kernels offer, read from their own tables."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import NamedTuple

_ROW = re.compile(r'^    Operation\("(\w+)", (\d), ([A-Z| ]+)(.*)\),$', re.MULTILINE)
_MASK = re.compile(r"^comptime ([A-Z]+) = ([0-9A-Zb| ]+)$", re.MULTILINE)
_DTYPE = re.compile(r"^    DType\.(\w+),$", re.MULTILINE)


CONVERT = 200
"""The machine's opcode of a conversion (kernels/vm/base/bytecode.mojo)."""
COMPLEX = ("complex64", "complex128")
"""Dtypes beyond those that MAX knows, in the order of their codes."""


class Operation(NamedTuple):
    """One operation: `dtypes` are those of its operands.

    The result is bool for a predicate, real for a `part` of complex operands, and complex for one
    that `joins` real operands.
    """

    name: str
    opcode: int
    arity: int
    dtypes: frozenset[str]
    predicate: bool
    part: bool
    joins: bool

    def result(self, dtype: str) -> str:
        """Return the dtype of the result for operands of a dtype."""
        if self.predicate:
            return "bool"
        if self.joins:
            return COMPLEX[REAL.index(dtype)]
        return REAL[COMPLEX.index(dtype)] if self.part and dtype in COMPLEX else dtype

    @property
    def trait(self) -> str:
        """The trait under which MAX fuses the operation on real numbers, or "" if it cannot."""
        if self.joins or self.dtypes.issubset(COMPLEX):
            return ""
        if self.arity == 1:
            return "ElementwiseUnaryMixedOp" if self.predicate else "ElementwiseUnaryOp"
        if self.arity == 2:
            return "ElementwiseBinaryComparisonOp" if self.predicate else "ElementwiseBinaryOp"
        return ""


REAL = ("float32", "float64")
"""The dtypes of the parts of each of COMPLEX."""


@functools.cache
def sources() -> Path:
    """Return the folder of the Mojo sources."""
    from . import build

    return Path(build.__file__).parent


@functools.cache
def dtype_codes() -> dict[str, int]:
    """Return the dtype codes by name."""
    return {
        name: code
        for code, name in enumerate(_DTYPE.findall(_read("elementwise/numbers/dtypes.mojo")))
    }


@functools.cache
def operations() -> dict[str, Operation]:
    """Return the elementwise operations by name."""
    masks = dict(_MASK.findall(_read("elementwise/numbers/dtypes.mojo")))
    names = [*dtype_codes(), *COMPLEX]

    @functools.cache
    def known(dtypes: str) -> frozenset[str]:
        mask = _value(dtypes, masks)
        return frozenset(dtype for code, dtype in enumerate(names) if mask >> code & 1)

    table = {}
    for opcode, row in enumerate(_ROW.findall(_read("elementwise/dispatch/operations.mojo"))):
        name, arity, dtypes, more = row
        flags = [f"{flag}=True" in more for flag in ("predicate", "part", "joins")]
        table[name] = Operation(name, opcode, int(arity), known(dtypes), *flags)
    return table


def _value(expression: str, masks: dict[str, str]) -> int:
    """Evaluate numbers and names of masks joined by `|`."""
    value = 0
    for term in expression.split("|"):
        name = term.strip()
        value |= _value(masks[name], masks) if name in masks else int(name, 0)
    return value


def _read(name: str) -> str:
    return (sources() / name).read_text(encoding="utf-8")
