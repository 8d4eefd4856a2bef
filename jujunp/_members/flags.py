"""`x.flags`: how an array lies in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.machine import Sharing, is_pinned, sharing_of
from jujunp.lazy.run.sites import warn_user

from .._array.handle import Array, Handle, header
from .._array.outputs import Writable, written_as
from .derived import origin


def owns_memory(x: Handle) -> bool:
    """Whether an array has memory that is no other's."""
    if x._base is not None:
        return False
    return sharing_of(x._value) == Sharing.NOBODY or not is_pinned(x._value)


_NUMPYS = type(np.empty(0).flags)
"""The type of NumPy's flags."""


_BITS = {
    "C_CONTIGUOUS": 1,
    "F_CONTIGUOUS": 2,
    "OWNDATA": 4,
    "WRITEABLE": 0x400,
    "ALIGNED": 0x100,
    "WRITEBACKIFCOPY": 0x2000,
}
"""Names, and what they are in NumPy's number for flags."""


def names_of(num: int) -> list[str]:
    """Return the names of the flags in a number for flags."""
    return [name for name, bit in _BITS.items() if num & bit]


def _may_be_written(x: Handle) -> bool:
    """Whether an array can be made writable: if it is no view, or one of what can be written."""
    if x._base is None:
        return True
    source = origin(x)
    while source is not None and source._readonly is True:
        source = origin(source)
    return source is not None


def _is_writeable(x: Handle) -> bool:
    if x._readonly is Writable.WARNING:
        warn_user(_TO_COME, FutureWarning)
    return x._readonly is not True


_TO_COME = (
    "future versions will not create a writeable array from broadcast_array. "
    "Set the writable flag explicitly to avoid this warning."
)


class Flags:
    """Memory layout of an array; `writeable` can be set to False."""

    def __init__(self, array: Handle) -> None:
        self._array = array

    def __getitem__(self, name: str) -> bool:
        key = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE"}.get(
            name, name
        )
        if key == "OWNDATA":
            return owns_memory(self._array)
        if key == "WRITEABLE":
            return self.writeable
        if key == "CONTIGUOUS":
            key = "C_CONTIGUOUS"
        flags: Any = header(self._array).flags
        if key in ("BEHAVED", "CARRAY"):  # nothing can be written to a layout
            return self["WRITEABLE"] and (key == "BEHAVED" or flags.c_contiguous)
        return bool(flags[key])

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in ("W", "WRITEABLE"):
            raise KeyError("Unknown flag")
        self.writeable = value

    def __getattr__(self, name: str) -> bool:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name.upper()]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements lie one after another."""
        return header(self._array).flags.c_contiguous

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """The same with all axes in reverse."""
        return header(self._array).flags.f_contiguous

    @property
    def num(self) -> int:
        """The flags as one number, as C functions of NumPy's have them."""
        return sum(bit for name, bit in _BITS.items() if self[name])

    @property
    def writeable(self) -> bool:
        """Whether the array can be written."""
        return isinstance(self._array, Array) and _is_writeable(self._array)

    @writeable.setter
    def writeable(self, value: bool) -> None:
        x = self._array
        owner = x if x._base is None else x._base
        fixed = sharing_of(owner._value) == Sharing.FIXED
        if value and (fixed or not _may_be_written(x)):
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        x._readonly = written_as(header(x)) if value else True

    @property
    def _warn_on_write(self) -> bool:
        """Whether the first that writes to the array is warned; it can be set."""
        return self._array._readonly is Writable.WARNING

    @_warn_on_write.setter
    def _warn_on_write(self, value: bool) -> None:
        if not value:
            raise ValueError("cannot reset flag _warn_on_write")
        self._array._readonly = Writable.WARNING

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Flags, _NUMPYS)):
            return NotImplemented
        theirs: Any = other
        return all(self[name] == theirs[name] for name in _BITS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "".join(f"  {name} : {self[name]}\n" for name in _BITS)
