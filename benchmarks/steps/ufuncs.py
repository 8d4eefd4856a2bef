"""Every ufunc of jujunp's table, the operators, and their forms that work in place."""

from __future__ import annotations

import numpy

from benchmarks.steps.case import Case, values, writes
from jujunp._ufuncs.ufunc import UFUNCS

FLOAT_OPERATORS = ("+", "-", "*", "/", "//", "%", "**")
INTEGER_OPERATORS = ("&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
TWO_RESULTS = ("np.divmod(x, y)", "divmod(x, y)", "np.modf(x)", "np.frexp(x)")
_OPERANDS = {"arccosh": "y", "ldexp": "x, J"}
"""Of those that do not take any floats."""


def ufunc_case(name: str, function: numpy.ufunc) -> Case:
    """Return a call of a ufunc, on floats if it takes them."""
    floats = any(loop.startswith("d" * function.nin) for loop in function.types)
    pair = "x, y" if floats else "I, J"
    return Case(f"np.{name}({_OPERANDS.get(name, pair if function.nin == 2 else pair[0])})")


CASES = [
    *(ufunc_case(name, function.numpy) for name, function in UFUNCS.items()),
    *values(*TWO_RESULTS),
    *values(*(f"x {operator} y" for operator in FLOAT_OPERATORS + COMPARISONS)),
    *values(*(f"I {operator} J" for operator in INTEGER_OPERATORS + FLOAT_OPERATORS)),
    *values("-x", "+x", "abs(x)", "~I", "~m", "m & (x < 0.7)", "x + 1.5", "1.5 - x", "x * 2"),
    *values(
        "x ** 2", "x < 0.5", "I + 1", "A + B", "A + A[0]", "A * A[:, :1]", "x * y + z", "c * c"
    ),
    *writes("x", *(f"x {operator}= y" for operator in FLOAT_OPERATORS), "x += 1.5", "x *= 1.0001"),
    *writes("I", *(f"I {operator}= J" for operator in INTEGER_OPERATORS), "I += 1"),
    *writes("m", "m &= x < 0.7"),
    *writes("A", "A += B", "A -= A[0]"),
    *writes("z", "np.add(x, y, out=z)", "np.sin(x, out=z)", "np.add(z, y, out=z, where=m)"),
]
