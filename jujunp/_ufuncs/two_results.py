"""Elementwise functions with two results: divmod, modf and frexp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.errors import quiet
from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES, set_ufunc
from jujunp.lazy.values.dtypes import DTYPES, code_of

from .._array.array_likes import as_handle, operand
from .._array.elementwise import elementwise, pick
from .._array.handle import Handle
from .._array.indexing import masked
from .._array.making import as_code, convert, scalar_if_0d
from .._array.outputs import write_out
from .._calls.functions import function
from .._calls.traits import warning, warning_as
from .ufunc import UFUNCS, Recorded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "divmod",
    "frexp",
    "modf",
]

_FREXP = OPCODES["frexp_mantissa"], OPCODES["frexp_exponent"]


class paired_ufunc(Recorded):
    """An elementwise function with two results, as NumPy's ufunc of the same name.

    Args of a call: one or two array_likes, then up to two arrays to write to, which may also be
    given as a tuple `out`, with None for a result that is to be new; `where` a mask of the places
    to write; `casting`, `dtype` as in NumPy. `order` and `subok` have no effect.
    """

    def __init__(self, name: str, nin: int, compute: Callable[..., tuple[Any, Any]]) -> None:
        self.__name__ = name
        self.__doc__ = compute.__doc__
        self.numpy: np.ufunc = getattr(np, name)
        self.nin, self.nout, self.nargs = nin, 2, nin + 2
        self.identity = None
        self._compute = compute
        set_ufunc(self, nin, None, function(self._call))

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    @warning_as("divmod")
    def _call(
        self,
        *args: Any,
        out: Any = (None, None),
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
    ) -> tuple[Any, Any]:
        room()
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments "
                f"but {len(args)} were given"
            )
        given, outs = args[: self.nin], [*args[self.nin :], *out][:2]
        if len(args) > self.nin:
            outs = [*args[self.nin :], None][:2]
        if not isinstance(out, tuple) or len(outs) != 2:
            raise TypeError("'out' must be a tuple of arrays")
        operands = [operand(x) for x in given]
        if not any(isinstance(x, Handle) for x in operands):
            operands[0] = as_handle(operands[0])
        if dtype is not None:
            operands = [as_handle(x, code_of(np.dtype(dtype))) for x in operands]
        results = self._compute(*operands)
        first, second = (
            self._written(result, target, where, casting)
            for result, target in zip(results, outs, strict=True)
        )
        return first, second

    def _written(self, result: Any, out: Any, where: Any, casting: str) -> Any:
        function: Any = self
        if where is not True:
            return masked(function, result, out, where, casting)
        return result if out is None else write_out(function, result, out, casting)


def _as_float(name: str, x: Any) -> Any:
    """Return a handle in the dtype in which NumPy's ufunc of a name computes."""
    found = as_handle(x)
    code = code_of(getattr(np, name).resolve_dtypes((DTYPES[found._code], None, None))[0])
    return as_code(found, code)


def _divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """Return the quotients rounded down, and the remainders."""
    return UFUNCS["floor_divide"](x, y), UFUNCS["remainder"](x, y)


def _modf(x: Any) -> tuple[Any, Any]:
    """Return the fractions and the integral parts, both with the sign of the element."""
    number = _as_float("modf", x)
    whole: Any = UFUNCS["trunc"](number)
    with quiet():
        fraction = pick(UFUNCS["isinf"](number), 0.0, number - whole)
    return UFUNCS["copysign"](scalar_if_0d(fraction), number), whole


def _frexp(x: Any) -> tuple[Any, Any]:
    """Return mantissas in [0.5, 1) and the int32 exponents of the powers of two to scale them by.

    0, nan and infinity are their own mantissas, with exponent 0.
    """
    number = _as_float("frexp", x)
    mantissa, exponent = (elementwise(part, number._code, (number,)) for part in _FREXP)
    return scalar_if_0d(mantissa), scalar_if_0d(convert(exponent, code_of(np.dtype(np.int32))))


PAIRED = {
    "divmod": paired_ufunc("divmod", 2, _divmod),
    "modf": paired_ufunc("modf", 1, _modf),
    "frexp": paired_ufunc("frexp", 1, _frexp),
}
"""The ufuncs with two results, by NumPy's name."""

divmod, modf, frexp = PAIRED["divmod"], PAIRED["modf"], PAIRED["frexp"]

METHODS = {
    "__divmod__": warning(lambda x, y: divmod(x, y)),
    "__rdivmod__": warning(lambda x, y: divmod(y, x)),
}
