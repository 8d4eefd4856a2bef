"""Operators and methods of derived classes as calls of ufuncs, which ask `__array_ufunc__`.

Arrays of classes that have nothing to say of ufuncs are computed without asking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import Foreign

from ..._ufuncs.arguments import NO_VALUE
from ..._ufuncs.operators import NAMES, SIGNS, operand_or_none
from ..._ufuncs.two_results import PAIRED
from ..._ufuncs.ufunc import UFUNCS
from .wrapping import reduced_by_one, wrapped_by_one

if TYPE_CHECKING:
    from collections.abc import Callable

    Method = Callable[..., Any]


def _operators(name: str, ufunc: Any) -> dict[str, Method]:
    """Return `x.__op__(y)`, `x.__rop__(y)` and `x.__iop__(y)`."""
    return {
        f"__{name}__": lambda x, y: _made(ufunc, x, y) if _takes(y) else NotImplemented,
        f"__r{name}__": lambda x, y: _made(ufunc, y, x) if _takes(y) else NotImplemented,
        f"__i{name}__": lambda x, y: _made_in_place(ufunc, x, y) if _takes(y) else NotImplemented,
    }


def _made(ufunc: Any, x: Any, y: Any) -> Any:
    found = wrapped_by_one(ufunc, (x, y))
    return ufunc(x, y) if found is NotImplemented else found


def _made_in_place(ufunc: Any, x: Any, y: Any) -> Any:
    found = wrapped_by_one(ufunc, (x, y), in_place=True)
    return ufunc(x, y, out=(x,)) if found is NotImplemented else found


def _takes(y: Any) -> bool:
    """Whether an operator takes an operand; else that answers it itself."""
    try:
        return operand_or_none(y) is not None
    except Foreign:
        return True


def _power(x: Any, y: Any) -> Any:
    """`x ** y`, of which NumPy's operator makes a square."""
    if not _takes(y):
        return NotImplemented
    return UFUNCS["square"](x) if type(y) in (int, float) and y == 2 else UFUNCS["power"](x, y)


def _total(name: str) -> Method:
    """Return a method that reduces by a ufunc, in a dtype that may be given."""

    def reduce(
        x: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> Any:
        given = axis, dtype, out, keepdims, initial, where
        usual = out is None and where is True
        found = reduced_by_one(UFUNCS[name], x, *given) if usual else NotImplemented
        return UFUNCS[name].reduce(x, *given) if found is NotImplemented else found

    return reduce


def _reduction(name: str, dtype: Any = None) -> Method:
    """Return the same of a method that is given no dtype."""
    total = _total(name)
    return lambda x, axis=None, out=None, keepdims=False, **named: total(
        x, axis, dtype, out, keepdims, **named
    )


METHODS: dict[str, Method] = {}
"""By the name of an operator or method: the call of a ufunc that it is."""
for _name, _ufunc in NAMES.items():
    METHODS |= _operators(_name, UFUNCS[_ufunc])
METHODS |= {
    **_operators("matmul", lambda x, y, **named: package().matmul(x, y, **named)),
    **_operators("divmod", PAIRED["divmod"]),
    **{f"__{name}__": UFUNCS[ufunc] for name, ufunc in SIGNS.items()},
    "__pow__": _power,
    "sum": _total("add"),
    "prod": _total("multiply"),
    "max": _reduction("maximum"),
    "min": _reduction("minimum"),
    "any": _reduction("logical_or", np.dtype(np.bool)),
    "all": _reduction("logical_and", np.dtype(np.bool)),
}
