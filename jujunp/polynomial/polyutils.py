"""`numpy.polynomial.polyutils` over our functions."""

from __future__ import annotations

from typing import Any

from .._adopted import adopt
from .._functions.host import exported

adopt(globals())
_format_float: Any = globals()["format_float"]


def format_float(x: Any, parens: bool = False) -> str:
    """Return a number as polynomials print it; of NumPy's type, which decides how."""
    return str(_format_float(exported(x), parens))
