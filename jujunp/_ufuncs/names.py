"""The ufuncs by name, and the names that the Array API gives some of them."""

from __future__ import annotations

from .ufunc import UFUNCS

_ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "mod": "remainder",
    "pow": "power",
    "true_divide": "divide",
}
"""Other names of ufuncs, most of them the Array API's."""

_NAMES = UFUNCS | {alias: UFUNCS[name] for alias, name in _ALIASES.items()}
globals().update(_NAMES)

__all__ = [*_NAMES]
