"""What the elementwise kernels offer, read from their own tables."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

_ROW = re.compile(r'^    Operation\("(\w+)", (\d), ([A-Z| ]+)(.*)\),$', re.MULTILINE)
_MASK = re.compile(r"^comptime ([A-Z]+) = ([0-9A-Zb| ]+)$", re.MULTILINE)
_DTYPE = re.compile(r"^    DType\.(\w+),$", re.MULTILINE)


@dataclass(frozen=True)
class Operation:
    """One operation: `dtypes` are those of its operands; the result is bool for a predicate."""

    name: str
    arity: int
    dtypes: frozenset[str]
    predicate: bool

    @property
    def trait(self) -> str:
        """The trait under which MAX fuses the operation, or "" if it has none (arity 3)."""
        if self.arity == 1:
            return "ElementwiseUnaryMixedOp" if self.predicate else "ElementwiseUnaryOp"
        if self.arity == 2:
            return "ElementwiseBinaryComparisonOp" if self.predicate else "ElementwiseBinaryOp"
        return ""


@functools.cache
def sources() -> Path:
    """Return the folder of the Mojo sources."""
    from ...kernels import build

    return Path(build.__file__).parent


@functools.cache
def dtype_codes() -> dict[str, int]:
    """Return the dtype codes by name."""
    return {
        name: code for code, name in enumerate(_DTYPE.findall(_read("elementwise/dtypes.mojo")))
    }


@functools.cache
def operations() -> dict[str, Operation]:
    """Return the elementwise operations by name, but those of complex numbers only."""
    masks = dict(_MASK.findall(_read("elementwise/dtypes.mojo")))
    table = {}
    for name, arity, dtypes, more in _ROW.findall(_read("elementwise/operations.mojo")):
        mask = _value(dtypes, masks)
        names = frozenset(dtype for dtype, code in dtype_codes().items() if mask >> code & 1)
        if not names or "joins=True" in more:
            continue  # complex numbers have no graph ops
        table[name] = Operation(name, int(arity), names, "predicate=True" in more)
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
