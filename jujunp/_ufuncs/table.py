"""The ufuncs: which primitive computes each of them, for which dtypes."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A ufunc with one result.

    `primitive` computes it on the operand dtype that NumPy's loop has. Where the operands are
    integers or bool, `integer` (if given) is used instead: a primitive, or a fixed result as bool.
    `boolean` and `complex` likewise for such operands. Where `logical` is given it is used of
    operands converted to bool, unless these are two of one real dtype.
    """

    primitive: str
    integer: str | bool | None = None
    boolean: str | bool | None = None
    logical: str | None = None
    complex: str | None = None


UNARY: dict[str, Row] = {
    "absolute": Row("abs", boolean="copy"),
    "fabs": Row("abs"),
    "negative": Row("neg"),
    "positive": Row("copy"),
    "sign": Row("sign"),
    "square": Row("square", boolean="copy"),
    "sqrt": Row("sqrt"),
    "cbrt": Row("cbrt"),
    "reciprocal": Row("reciprocal"),
    "exp": Row("exp"),
    "exp2": Row("exp2"),
    "expm1": Row("expm1"),
    "log": Row("log"),
    "log2": Row("log2"),
    "log10": Row("log10"),
    "log1p": Row("log1p"),
    "sin": Row("sin"),
    "cos": Row("cos"),
    "tan": Row("tan"),
    "arcsin": Row("asin"),
    "arccos": Row("acos"),
    "arctan": Row("atan"),
    "sinh": Row("sinh"),
    "cosh": Row("cosh"),
    "tanh": Row("tanh"),
    "arcsinh": Row("asinh"),
    "arccosh": Row("acosh"),
    "arctanh": Row("atanh"),
    "degrees": Row("rad2deg"),
    "radians": Row("deg2rad"),
    "rad2deg": Row("rad2deg"),
    "deg2rad": Row("deg2rad"),
    "floor": Row("floor", integer="copy", boolean="copy"),
    "ceil": Row("ceil", integer="copy", boolean="copy"),
    "trunc": Row("trunc", integer="copy", boolean="copy"),
    "rint": Row("round"),
    "isnan": Row("isnan", integer=False, boolean=False),
    "isinf": Row("isinf", integer=False, boolean=False),
    "isfinite": Row("is_finite", integer=True, boolean=True),
    "signbit": Row("signbit"),
    "spacing": Row("spacing"),
    "logical_not": Row("not", logical="not"),
    "invert": Row("not"),
    "bitwise_count": Row("population_count"),
    "conjugate": Row("copy", complex="conj"),
}
"""By the name of NumPy's ufunc."""

BINARY: dict[str, Row] = {
    "add": Row("add", boolean="or"),
    "subtract": Row("sub"),
    "multiply": Row("mul", boolean="and"),
    "divide": Row("div"),
    "floor_divide": Row("floor_divide"),
    "remainder": Row("remainder"),
    "fmod": Row("rem"),
    "power": Row("pow"),
    "float_power": Row("pow"),
    "maximum": Row("max", boolean="or"),
    "minimum": Row("min", boolean="and"),
    "fmax": Row("fmax", boolean="or"),
    "fmin": Row("fmin", boolean="and"),
    "arctan2": Row("atan2"),
    "hypot": Row("hypot"),
    "logaddexp": Row("logaddexp"),
    "logaddexp2": Row("logaddexp2"),
    "copysign": Row("copysign"),
    "nextafter": Row("nextafter"),
    "heaviside": Row("heaviside"),
    "ldexp": Row("ldexp"),
    "equal": Row("eq"),
    "not_equal": Row("ne"),
    "less": Row("lt"),
    "less_equal": Row("le"),
    "greater": Row("gt"),
    "greater_equal": Row("ge"),
    "logical_and": Row("logical_and", logical="and"),
    "logical_or": Row("logical_or", logical="or"),
    "logical_xor": Row("logical_xor", logical="xor"),
    "bitwise_and": Row("and"),
    "bitwise_or": Row("or"),
    "bitwise_xor": Row("xor"),
    "left_shift": Row("shift_left"),
    "right_shift": Row("shift_right_arithmetic"),
    "gcd": Row("gcd"),
    "lcm": Row("lcm"),
}
"""By the name of NumPy's ufunc."""

ASSOCIATIVE = frozenset(
    (
        *("fmax", "fmin", "gcd", "hypot", "logaddexp", "logaddexp2"),
        *("maximum", "minimum", "logical_and", "logical_or", "logical_xor"),
        *("bitwise_and", "bitwise_or", "bitwise_xor"),
    )
)
"""Ufuncs whose elements may be grouped at will, but for rounding."""

COMPARISONS = frozenset(["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])

REVERSED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
"""The comparison that gives the same with its operands interchanged."""
