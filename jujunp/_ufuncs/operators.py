"""The operators of arrays: ufuncs, and what else Python and NumPy mean by them."""

from __future__ import annotations

import operator as python
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.run.findings import number_of
from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL, Foreign, is_ours
from jujunp.lazy.values.value import pack, record

from .._array.array_likes import answers_itself, as_handle, is_jaxs, wraps_results
from .._array.broadcasting import shown
from .._array.handle import NATIVE, NUMBERS, Handle, element, ndarray, scalar, to_numpy
from .._array.making import wrap, write
from .._array.outputs import check_casting, check_output, check_writeable
from .._calls.traits import uniform, warning
from .ufunc import UFUNCS, ufunc

if TYPE_CHECKING:
    from collections.abc import Callable

    Binary = Callable[[Any, Any], Any]

_ABSENT = object()
_NO_LOOP = "_UFuncNoLoopError"
"""The class of NumPy's error for operands of dtypes that no ufunc compares, such as dates."""
_TRUTH = pack(OPCODES["copy"], BOOL, BOOL)


def _forward(function: ufunc, reflected: str, order: Binary | None = None) -> Binary:
    """Return `x.__op__(y)`, given the name of the method of `y` that does the same.

    A comparison (`order`, for Python's numbers) of a scalar and an object is what that says, as in
    NumPy: a symbol gives no truth value.
    """

    @warning
    @uniform
    def operator(x: Any, y: Any) -> Any:
        room()
        if _is_text_beside(x, y):
            return function(x, y)
        try:
            other = y if type(y) in NATIVE else operand_or_none(y)
        except Foreign:
            if order is not None and isinstance(x, scalar) and _is_object(y):
                return order(element(x), y)
            return function(x, y)  # NumPy's, unless that is refused
        return _asked(y, reflected, x) if other is None else function.binary(x, other)

    return operator


def _is_object(y: Any) -> bool:
    """Whether NumPy knows nothing of an operand but that it is an object."""
    known = isinstance(y, (np.ndarray, np.generic, list, tuple))
    return not known and not any(hasattr(type(y), name) for name in _PROTOCOLS)


_PROTOCOLS = ("__array__", "__array_ufunc__")


def is_of_subclass(x: Any) -> bool:
    """Whether this is an array of a class derived from NumPy's, which has operators of its own."""
    return isinstance(x, np.ndarray) and type(x) not in (np.ndarray, np.memmap)


def _is_text_beside(x: Any, y: Any) -> bool:
    """Whether NumPy must refuse text beside an array, which Python would repeat or join."""
    return isinstance(y, (str, bytes)) and not isinstance(x, scalar)


def is_of_others(y: Any) -> bool:
    """Whether only NumPy's ufunc can write what an operator gives with an operand, or refuse it.

    These are arrays of other dtypes and classes, and what has no ufuncs at all.
    """
    if isinstance(y, np.ndarray):
        return type(y) not in (np.ndarray, np.memmap) or not is_ours(y.dtype)
    return getattr(type(y), "__array_ufunc__", _ABSENT) is None


def operand_or_none(y: Any) -> Any:
    """Return an operator's other operand as a handle or number; None to let it answer itself."""
    if isinstance(y, (str, bytes, dict, set)):
        return None
    if type(y) in NUMBERS:
        return y
    if isinstance(y, np.ndarray):  # subclasses, and dtypes that are not ours, have their own
        ours = type(y) in (np.ndarray, np.memmap) and is_ours(y.dtype)
        return as_handle(y) if ours else None
    # As in NumPy: what has no __array_ufunc__ goes before by its priority, as JAX's tracers and
    # SciPy's sparse arrays do; JAX's arrays have ours.
    if getattr(y, "__array_ufunc__", _ABSENT) is None or _goes_before(y):
        return None
    return as_handle(y)


def _asked(y: Any, name: str, x: Handle) -> Any:
    """Return what an operand that goes before answers, given what is NumPy's if it refuses ours."""
    method = getattr(type(y), name, None)
    if method is None or isinstance(y, np.ndarray) or not _goes_before(y):
        return NotImplemented
    found = method(y, x)
    if found is NotImplemented:
        found = method(y, to_numpy(x)[()] if isinstance(x, scalar) else np.asarray(x))
    return found


def _goes_before(y: Any) -> bool:
    """Whether an operand without ufuncs has a priority for which our arrays let it answer."""
    if getattr(y, "__array_ufunc__", _ABSENT) is not _ABSENT:
        return False
    try:
        priority = float(getattr(y, "__array_priority__", 0))
    except Exception:  # NumPy takes what has no priority that can be read for a scalar
        return False
    return priority > 0 and not (priority == ndarray.__array_priority__ and is_jaxs(y))


def _answers_ufuncs(y: Any) -> bool:
    """Whether what is no array answers ufuncs itself."""
    asked = getattr(type(y), "__array_ufunc__", None)
    return asked is not None and not isinstance(y, (Handle, np.ndarray))


def _reflected(function: ufunc, name: str) -> Binary:
    """Return `x.__rop__(y)`, given the name of the operator."""

    @warning
    @uniform
    def operator(x: Any, y: Any) -> Any:
        room()
        if is_of_subclass(y):  # it has not known what `x` is
            return getattr(y, f"__{name}__")(to_numpy(x))
        if _is_text_beside(x, y):
            return function(y, x)
        try:
            other = y if type(y) in NUMBERS else operand_or_none(y)
        except Foreign:
            return function(y, x)
        if other is not None:
            return function.binary(other, x)
        found = _asked(y, f"__{name}__", x)
        return function(y, x) if found is NotImplemented and wraps_results(type(y)) else found

    return operator


def _equality(function: ufunc, name: str, *, otherwise: bool) -> Binary:
    """Return `x == y` or `x != y`, whose elements are known for what no number is equal to."""
    forward = _forward(function, name)

    @warning
    @uniform
    def operator(x: Any, y: Any) -> Any:
        if y is None or isinstance(y, (str, bytes, set, dict)):
            return known(x._shape)
        try:
            return forward(x, y)
        except TypeError as error:
            if type(error).__qualname__ != _NO_LOOP:
                raise
            return known(np.broadcast_shapes(x._shape, np.shape(y)))

    def known(shape: tuple[int, ...]) -> Any:
        return wrap(record(_TRUTH, shape, (otherwise,)), shape, BOOL)

    return operator


def _multiplication(product: Binary) -> Binary:
    """Return `x * y` or `y * x`, which Python does of a scalar and a sequence.

    An integer repeats it, all other scalars are refused. The function has no ufunc's name: NumPy's
    would be asked for it, not a matrix for its own product, and be handed sequences of text.
    """

    @warning
    @uniform
    def operator(x: Any, y: Any) -> Any:
        if isinstance(y, (list, tuple, bytearray)) and isinstance(x, scalar):
            return NotImplemented
        return product(x, y)

    return operator


def _power(power: Binary) -> Callable[..., Any]:
    """Return `x ** y`, or `y ** x`, which refuses `pow(x, y, modulus)` as NumPy does."""

    @warning
    @uniform
    def operator(x: Any, y: Any, modulus: Any = None) -> Any:
        return power(x, y) if modulus is None else NotImplemented

    return operator


def _augmented(function: ufunc, forward: Binary) -> Binary:
    """Return `x.__iop__(y)`, given `x.__op__(y)`."""

    @warning
    def operator(x: Any, y: Any) -> Any:
        if x._readonly:
            check_writeable(x, "output array is read-only")
        if type(y) not in NATIVE and _goes_before(y):
            return NotImplemented
        if is_of_others(y) or (answers_itself(type(y)) and _answers_ufuncs(y)):
            return function(x, y, out=(x,))
        try:
            if type(y) in NUMBERS or isinstance(y, Handle):
                function.check_out((x, y), x)  # what is refused computes nothing
            result = forward(x, y)
        except ValueError as error:
            check_casting(function, function.loop_for(x, y).result, x._code)
            if str(error).startswith("operands"):  # NumPy names the output's shape too
                raise ValueError(f"{error}{shown(x._shape)} ") from None
            raise
        if result is NotImplemented:
            return result
        if not isinstance(result, Handle):
            return function(x, y, out=(x,))  # NumPy writes it, or refuses to
        if result._shape != x._shape or result._code != x._code:
            check_output(function, result, x)
        write(x, result)
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
_TURNED = {"lt": "__gt__", "le": "__ge__", "gt": "__lt__", "ge": "__le__"}
SIGNS = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}
"""Ufuncs by the names of operators of one operand."""
NAMES = {
    **_OPERATORS,
    **_COMPARISONS,
    **{"eq": "equal", "ne": "not_equal", "mul": "multiply", "pow": "power"},
}
"""Ufuncs by the names of operators of two operands."""


METHODS: dict[str, Any] = {}
"""Operators of arrays and scalars, by the name of the special method."""
OF_ARRAYS: dict[str, Any] = {}
"""Those that write to an array."""


def _add_arithmetic(name: str, ufunc: ufunc, forward: Binary, reflected: Binary) -> None:
    """Add `x + y`, `y + x` and `x += y`."""
    METHODS[f"__{name}__"] = ufunc.recorder.operator(forward, reflected)
    OF_ARRAYS[f"__i{name}__"] = ufunc.recorder.operator(_augmented(ufunc, forward))


def _fill_tables() -> None:
    for name, function in _OPERATORS.items():
        ufunc = UFUNCS[function]
        _add_arithmetic(name, ufunc, _forward(ufunc, f"__r{name}__"), _reflected(ufunc, name))
    product = UFUNCS["multiply"]
    forward, reflected = (
        _multiplication(_forward(product, "__rmul__")),
        _multiplication(_reflected(product, "mul")),
    )
    _add_arithmetic("mul", product, forward, reflected)
    comparisons = {
        name: (f, _forward(UFUNCS[f], _TURNED[name], getattr(python, name)))
        for name, f in _COMPARISONS.items()
    }
    comparisons["eq"] = "equal", _equality(UFUNCS["equal"], "__eq__", otherwise=False)
    comparisons["ne"] = "not_equal", _equality(UFUNCS["not_equal"], "__ne__", otherwise=True)
    for name, (function, operator) in comparisons.items():
        METHODS[f"__{name}__"] = UFUNCS[function].recorder.operator(operator)
    for name, function in SIGNS.items():
        ufunc = UFUNCS[function]
        METHODS[f"__{name}__"] = ufunc.recorder.operator(ufunc.unary)
    power = UFUNCS["power"]
    METHODS["__pow__"] = power.recorder.operator(
        _power(_forward(power, "__rpow__")), _power(_reflected(power, "pow"))
    )
    OF_ARRAYS["__ipow__"] = power.recorder.operator(_augmented(power, python.pow))
    simple = ("positive", "square", "sqrt", "reciprocal")
    machine.set_simple_powers(power, number_of("power"), tuple(UFUNCS[name] for name in simple))


_fill_tables()
