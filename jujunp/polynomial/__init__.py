"""`numpy.polynomial` over our functions: polynomials of six kinds, and their classes.

The code is that of the NumPy that is installed.
"""

from __future__ import annotations

import importlib
from typing import Any

_KINDS = {
    "chebyshev": "Chebyshev",
    "hermite": "Hermite",
    "hermite_e": "HermiteE",
    "laguerre": "Laguerre",
    "legendre": "Legendre",
    "polynomial": "Polynomial",
}
"""The modules, and the class of each."""

for _name, _class in _KINDS.items():
    globals()[_class] = getattr(importlib.import_module(f".{_name}", __name__), _class)


def set_default_printstyle(style: str) -> None:
    """Set how polynomials are printed: "unicode" or "ascii"; ValueError for anything else."""
    if style not in ("unicode", "ascii"):
        raise ValueError(
            f"Unsupported format string '{style}'. Valid options are 'ascii' and 'unicode'"
        )
    base: Any = importlib.import_module("._polybase", __name__)
    base.ABCPolyBase._use_unicode = style == "unicode"


__all__ = ["set_default_printstyle", *_KINDS, *_KINDS.values()]
