"""What the elementwise kernels offer, read from their own table."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from .facts import COMPLEX, DTYPES, REAL, dtype_names, numbers, sources

if TYPE_CHECKING:
    from pathlib import Path

OPERATIONS = "elementwise/dispatch/operations.mojo"
"""The source that has the table."""

_ROW = re.compile(r'^    Operation\("(\w+)", (\d), ([A-Z| ]+)(.*)\),$', re.MULTILINE)


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


@functools.cache
def operations() -> dict[str, Operation]:
    """Return the elementwise operations by name."""
    return operations_of(sources())


def operations_of(folder: Path) -> dict[str, Operation]:
    """Return the operations by name of the sources in a folder."""
    masks = numbers(DTYPES, folder)
    names = dtype_names()

    @functools.cache
    def known(dtypes: str) -> frozenset[str]:
        mask = functools.reduce(int.__or__, (masks[term] for term in dtypes.split(" | ")))
        return frozenset(dtype for code, dtype in enumerate(names) if mask >> code & 1)

    table = {}
    text = (folder / OPERATIONS).read_text(encoding="utf-8")
    for opcode, (name, arity, dtypes, more) in enumerate(_ROW.findall(text)):
        flags = [f"{flag}=True" in more for flag in ("predicate", "part", "joins")]
        table[name] = Operation(name, opcode, int(arity), known(dtypes), *flags)
    return table
