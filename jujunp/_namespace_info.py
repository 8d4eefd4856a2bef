"""What the Array API asks of a namespace about itself: its capabilities, devices and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.values.dtypes import DTYPES, NAMES
from jujunp.lazy.values.layout import MAX_RANK

from ._array.arguments import check_device

_DEFAULTS = {
    "real floating": "float64",
    "complex floating": "complex128",
    "integral": "int64",
    "indexing": "int64",
}
_STANDARD = tuple(
    dtype for name, dtype in zip(NAMES, DTYPES, strict=True) if name not in ("float16", "bfloat16")
)


class Devices(tuple[str, ...]):
    """Devices: a tuple from version 2025.12 on, which can be added to a list as earlier ones."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return [*self, *other] if isinstance(other, list) else super().__add__(other)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(tuple(other) if isinstance(other, list) else other)

    def __hash__(self) -> int:
        return super().__hash__()

    def __radd__(self, other: list[Any]) -> list[Any]:
        return [*other, *self]


class NamespaceInfo:
    """The answers of `__array_namespace_info__`."""

    def capabilities(self) -> dict[str, Any]:
        """Return which optional behaviour there is, and the most axes that an array may have."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MAX_RANK,
        }

    def default_device(self) -> str:
        """Return the device of new arrays."""
        return "cpu"

    def devices(self) -> Devices:
        """Return the devices that arrays may be on."""
        return Devices(("cpu",))

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """Return the dtypes, by kind, that functions choose when none is asked for.

        ValueError for a device that does not exist.
        """
        check_device(device)
        return {kind: np.dtype(name) for kind, name in _DEFAULTS.items()}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """Return the dtypes of the standard by name: all, or those of a kind or several.

        Kinds are those of `isdtype`, such as "integral". ValueError for others, and for a device
        that does not exist.
        """
        check_device(device)
        try:
            chosen = [x for x in _STANDARD if kind is None or np.isdtype(x, kind)]
        except (TypeError, ValueError):
            raise ValueError(f"unsupported kind: {kind!r}") from None
        return {dtype.name: dtype for dtype in chosen}


def __array_namespace_info__() -> NamespaceInfo:
    """Return an object that answers the Array API's questions about this namespace."""
    return NamespaceInfo()
