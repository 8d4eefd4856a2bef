"""The operators of arrays: ufuncs, and what else Python and NumPy mean by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import flush
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL, DTYPES, is_integer
from jujunp.lazy.values.value import LIMIT, LOG, Value, pack

from .._array.handle import NUMBERS, Handle
from .._array.making import as_handle, ndarray, scalar, wrap
from .ufunc import UFUNCS, check_casting, check_output, ufunc

if TYPE_CHECKING:
    from collections.abc import Callable

    Operator = Callable[[Any, Any], Any]

_ABSENT = object()
_TRUTH = pack(OPCODES["copy"], BOOL, BOOL)


def _forward(function: ufunc) -> Operator:
    """Return `x.__op__(y)`."""

    def operator(x: Any, y: Any) -> Any:
        if len(LOG) > LIMIT:
            flush()
        other = y if isinstance(y, Handle) else operand_or_none(y)
        return NotImplemented if other is None else function.binary(x, other)

    return operator


def operand_or_none(y: Any) -> Any:
    """Return an operator's other operand as a handle or number; None to let it answer itself."""
    if isinstance(y, (str, bytes, dict, set)):
        return None
    if type(y) in NUMBERS:
        return y
    if isinstance(y, np.ndarray):  # subclasses have operators of their own
        return as_handle(y) if type(y) in (np.ndarray, np.memmap) else None
    # As in NumPy: what has no __array_ufunc__ goes before by its priority, as JAX's tracers and
    # SciPy's sparse arrays do; JAX's arrays have ours.
    asked = getattr(y, "__array_ufunc__", _ABSENT)
    priority = getattr(y, "__array_priority__", 0) if asked is _ABSENT else 0
    if asked is None or (priority > 0 and priority != ndarray.__array_priority__):
        return None
    return as_handle(y)


def _reflected(function: ufunc) -> Operator:
    """Return `x.__rop__(y)`."""

    def operator(x: Any, y: Any) -> Any:
        if len(LOG) > LIMIT:
            flush()
        other = y if type(y) in NUMBERS else operand_or_none(y)
        return NotImplemented if other is None else function.binary(other, x)

    return operator


def _equality(function: ufunc, *, otherwise: bool) -> Operator:
    """Return `x == y` or `x != y`, whose elements are known for what no number is equal to."""
    forward = _forward(function)

    def operator(x: Any, y: Any) -> Any:
        if y is None or isinstance(y, (str, bytes)):
            return wrap(Value(_TRUTH, x._shape, (otherwise,)), x._shape, BOOL)
        return forward(x, y)

    return operator


def _multiplication(operator: Operator) -> Operator:
    """Return `x * y` or `y * x`, which Python does where an integer repeats a sequence."""

    def multiply(x: Any, y: Any) -> Any:
        repeats = isinstance(y, (list, tuple, bytearray))
        if repeats and isinstance(x, scalar) and is_integer(x._code):
            return NotImplemented
        return operator(x, y)

    return multiply


def _augmented(function: ufunc, forward: Operator) -> Operator:
    """Return `x.__iop__(y)`, given `x.__op__(y)`."""

    def operator(x: Any, y: Any) -> Any:
        if x._readonly:
            raise ValueError("output array is read-only")
        try:
            result = forward(x, y)
        except ValueError as error:
            check_casting(function, function.loop_for(x, y).result, x._code)
            if "broadcast" in str(error):  # NumPy names the output's shape too
                raise ValueError(f"{error}{str(x._shape).replace(' ', '')} ") from None
            raise
        if result is NotImplemented:
            return result
        if result._shape != x._shape or result._code != x._code:
            check_output(function, result, x)
        x._write(result)
        return x

    return operator


_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
_COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_SIGNS = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def _power(x: Any, y: Any) -> Any:
    """`x ** y`; the exponents that NumPy computes in a simpler way are so here."""
    if type(y) in (int, float) and DTYPES[x._code].kind in "fc":
        simple = _SIMPLE_POWERS.get(y)
        if simple is not None:
            return UFUNCS[simple].unary(x)
    elif type(y) is int and y == 2 and (is_integer(x._code) or (x._code == BOOL and x._shape)):
        return UFUNCS["square"].unary(x)
    return _POWER(x, y)


_SIMPLE_POWERS = {1: "positive", 2: "square", 0.5: "sqrt", -1: "reciprocal"}
_POWER = _forward(UFUNCS["power"])


def _install_arithmetic(name: str, ufunc: ufunc, forward: Operator, reflected: Operator) -> None:
    """Give handles `x + y`, `y + x` and `x += y`."""
    setattr(Handle, f"__{name}__", ufunc.recorder.method("binary", forward))
    setattr(Handle, f"__r{name}__", reflected)
    in_place = ufunc.recorder.method("augmented", _augmented(ufunc, forward))
    setattr(ndarray, f"__i{name}__", in_place)


def _install() -> None:
    """Give handles their operators."""
    for name, function in _OPERATORS.items():
        ufunc = UFUNCS[function]
        _install_arithmetic(name, ufunc, _forward(ufunc), _reflected(ufunc))
    product = UFUNCS["multiply"]
    forward, reflected = _multiplication(_forward(product)), _multiplication(_reflected(product))
    _install_arithmetic("mul", product, forward, reflected)
    comparisons = {name: (f, _forward(UFUNCS[f])) for name, f in _COMPARISONS.items()}
    comparisons["eq"] = "equal", _equality(UFUNCS["equal"], otherwise=False)
    comparisons["ne"] = "not_equal", _equality(UFUNCS["not_equal"], otherwise=True)
    for name, (function, operator) in comparisons.items():
        setattr(Handle, f"__{name}__", UFUNCS[function].recorder.method("binary", operator))
    for name, function in _SIGNS.items():
        ufunc = UFUNCS[function]
        setattr(Handle, f"__{name}__", ufunc.recorder.method("unary", ufunc.unary))
    # as assignments these would be errors to mypy: the class declares no operators
    setattr(Handle, "__pow__", _power)  # noqa: B010
    setattr(Handle, "__rpow__", _reflected(UFUNCS["power"]))  # noqa: B010
    setattr(ndarray, "__ipow__", _augmented(UFUNCS["power"], _power))  # noqa: B010


_install()
