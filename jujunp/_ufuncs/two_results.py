"""Elementwise functions with two results: divmod, modf and frexp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES, set_ufunc
from jujunp.lazy.values.dtypes import DTYPES, Foreign, code_of

from .._array.array_likes import as_array, as_handle, check_asked, operand
from .._array.elementwise import elementwise, pick
from .._array.handle import Handle
from .._array.indexing import masked, where_mask
from .._array.making import as_code, convert, scalar_if_0d
from .._array.native import Recorder
from .._array.outputs import write_out
from .._array.promotion import resolve
from .._calls.functions import function
from .._calls.traits import warning_as
from .arguments import (
    NO_VALUE,
    check_arguments,
    check_count,
    outputs_of,
    signature_from,
    warn_of_gaps,
)
from .kind import Kind, Named, Recorded, describe
from .operators import operand_or_none
from .ufunc import UFUNCS, outer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "divmod",
    "frexp",
    "modf",
]

_FREXP = OPCODES["frexp_mantissa"], OPCODES["frexp_exponent"]


class paired_ufunc(Recorded, Named, metaclass=Kind):
    """An elementwise function with two results, as NumPy's ufunc of the same name.

    Args of a call: one or two array_likes, then up to two arrays to write to, which may also be
    given as a tuple `out`, with None for a result that is to be new; `where` a mask of the places
    to write; `casting`, `dtype` and `signature` as in NumPy. `order` and `subok` have no effect.
    """

    def __init__(self, name: str, nin: int, compute: Callable[..., tuple[Any, Any]]) -> None:
        describe(self, getattr(np, name))
        for method in ("reduce", "accumulate", "reduceat"):
            setattr(self, method, getattr(self.numpy, method))  # they raise
        self.__doc__ = compute.__doc__
        self._compute = compute
        set_ufunc(self, nin, None, function(self._call))

    @warning_as("divmod")
    def _call(
        self,
        *args: Any,
        out: Any = NO_VALUE,
        where: Any = True,
        casting: str = "same_kind",
        order: Any = "K",
        dtype: Any = None,
        subok: Any = True,
        signature: Any = None,
        sig: Any = None,
    ) -> tuple[Any, Any]:
        room()
        check_count(self.numpy, args)
        said = NO_VALUE if out is NO_VALUE and len(args) == self.nin else None
        given, outs = outputs_of(self.numpy, args, None if out is NO_VALUE else out)
        check_asked((*given, where, *(x for x in outs if x is not ...)))
        check_arguments(casting, order, subok)
        warn_of_gaps(where, said)
        operands = [operand(x) for x in given]
        if not any(isinstance(x, Handle) for x in operands):
            paired = len(operands) == 2
            numbers = UFUNCS["floor_divide"].numbers if paired else _number
            operands = [*numbers(*operands)]
        wanted = signature_from(self.numpy, dtype, signature, sig)
        if wanted is not None:
            types = [np.dtype(DTYPES[as_handle(x)._code]) for x in operands]
            found = resolve(self.numpy, types, None, casting, wanted)
            operands = [
                as_code(as_handle(x), code_of(one)) for x, one in zip(operands, found, strict=False)
            ]
        if where is not True:
            where = where_mask(where)
            if self is divmod:
                divide = UFUNCS["floor_divide"]
                operands = divide.calmed(divide.loop_for(*operands), operands, where) or operands
        first, second = (
            self._written(result, target, where, casting)
            for result, target in zip(self._compute(*operands), outs, strict=True)
        )
        return first, second

    def _written(self, result: Any, out: Any, where: Any, casting: str) -> Any:
        function: Any = self
        new = out is None or out is ...
        if where is not True:
            result = masked(function, result, None if new else out, where, casting)
        elif not new:
            return write_out(function, result, out, casting)
        return as_array(result) if out is ... else result

    def outer(self, a: Any, b: Any, /, **kwargs: Any) -> tuple[Any, Any]:
        """Apply the function to all pairs of an element of `a` and one of `b`."""
        return outer(self, a, b, **kwargs)  # type: ignore[no-any-return]

    def at(self, a: Any, indices: Any, b: Any = None, /) -> None:
        """Raise: there is no such method of functions with two results."""
        self.numpy.at(np.ones(1), [0], *() if b is None else (1.0,))


def _number(x: Any) -> tuple[Handle]:
    """Return a Python number as a handle."""
    return (as_handle(x),)


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
    infinite: Any = UFUNCS["isinf"](number)
    fraction = pick(infinite, 0.0, number) - pick(infinite, 0.0, whole)
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


def _lets_answer(y: Any) -> bool:
    """Whether the other operand of an operator answers it itself."""
    try:
        return operand_or_none(y) is None
    except Foreign:
        return False


_warning = warning_as("divmod")
METHODS = {
    "__divmod__": Recorder().operator(
        _warning(lambda x, y: NotImplemented if _lets_answer(y) else divmod(x, y)),
        _warning(lambda x, y: NotImplemented if _lets_answer(y) else divmod(y, x)),
    )
}
