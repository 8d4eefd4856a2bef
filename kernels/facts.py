"""Facts that stand in the Mojo sources, for Python: numbers by name, and the dtypes."""

from __future__ import annotations

import functools
import re
from pathlib import Path

_NUMBER = re.compile(r"^comptime ([A-Z][A-Z0-9_]*) = ([-0-9A-FXa-fx_| <]+?)(?:  #.*)?$", re.M)
_NAMES = re.compile(r"^comptime ([A-Z][A-Z0-9_]*) = ([A-Z][A-Z| ]*)$", re.M)
_DTYPE = re.compile(r"^    DType\.(\w+),$", re.M)

DTYPES = "elementwise/numbers/dtypes.mojo"
BYTECODE = "vm/base/bytecode.mojo"
ROUTINES = "vm/routines/routines.mojo"
DENSE = "vm/routines/dense.mojo"
SIZES = "vm/routines/sizes.mojo"
TRANSCRIPT = "vm/calls/transcript.mojo"
OPERAND = "structured/operands/operand.mojo"

COMPLEX = ("complex64", "complex128")
"""Dtypes beyond those that MAX knows, in the order of their codes."""
REAL = ("float32", "float64")
"""The dtypes of the parts of each of COMPLEX."""


def sources() -> Path:
    """Return the folder of the Mojo sources."""
    return Path(__file__).parent


@functools.cache
def numbers(source: str, folder: Path | None = None) -> dict[str, int]:
    """Return the numbers that a source names in lines such as `comptime READ = 0`."""
    text = (folder or sources()).joinpath(source).read_text(encoding="utf-8")
    found = {name: _value(value) for name, value in _NUMBER.findall(text)}
    for name, terms in _NAMES.findall(text):
        found[name] = functools.reduce(int.__or__, (found[term] for term in terms.split(" | ")))
    return found


def _value(text: str) -> int:
    number, _, places = text.partition(" << ")
    return int(number, 0) << int(places or "0")


@functools.cache
def dtype_names() -> tuple[str, ...]:
    """Return the names of all dtypes; a dtype's code is its index."""
    text = sources().joinpath(DTYPES).read_text(encoding="utf-8")
    return (*_DTYPE.findall(text), *COMPLEX)
