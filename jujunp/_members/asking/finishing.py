"""How what functions and methods make of arrays of one derived class is finished.

The library makes such calls with plain arrays (kernels/vm/calls/of_class.mojo) where the class has
nothing to say of them; here it is told of which functions that holds. `functions.py` makes all
other calls.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from jujunp.lazy.run.machine import set_finishing

from ..._calls.functions import MEMBERS
from ..derived import CALLED, JOINING, NAMES, OWN, PLAIN, PLAIN_OF_MATRICES, REDUCTIONS

# the numbers of kernels/vm/calls/of_class.mojo
_BY_PYTHON, _OF_CLASS, _PLAIN, _REDUCES, _JOINS = range(5)
_ASKS_METHOD, _IS_MEMBER, _MAY_BE_PLAIN = 8, 16, 32

SEEN = ("broadcast_to", "broadcast_arrays", "as_strided", "sliding_window_view", "copy")
"""Functions that give arrays of the class only if they are asked to."""
SHAPED_BY = {
    **{f"nan{name}": name for name in ("sum", "prod", "mean", "var", "std", "max", "min")},
    **{"nanargmax": "argmax", "nanargmin": "argmin"},
    **dict.fromkeys(("average", "median", "nanmedian"), "mean"),
}
"""Functions that NumPy makes of a method, so that a class with a method of its own shapes them."""
SOURCES = {"solve": (1, "b"), "lstsq": (1, "b"), "tensorsolve": (0, "a")}
"""Which argument alone decides the class of what a function gives."""
_BY_NAME = frozenset(
    (
        *SHAPED_BY,
        *SOURCES,
        *("broadcast_arrays", "multi_dot", "sort"),
        *("eig", "eigh", "svd", "qr", "slogdet"),  # some of their results are plain
        *("unique_all", "unique_counts", "unique_inverse"),
        *("array", "asarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite"),
        *("require", "full", "view", "resize"),
    )
)
"""Functions whose results are finished in ways of their own."""


class _Finishing(dict[Any, int]):
    """By a Python function: how what it gives is finished."""

    def __missing__(self, function: Any) -> int:
        self[function] = found = _finishing(function)
        return found


def _finishing(function: Any) -> int:
    is_member = function in MEMBERS or function in NAMES
    name = NAMES.get(function, function.__name__)
    own = OWN if is_member else _BY_NAME
    if type(function) is not FunctionType or name in own:
        return _BY_PYTHON
    if ".fft" in function.__module__ or (name in SEEN and not is_member) or name in PLAIN:
        return _PLAIN
    how = _JOINS if name in JOINING else _REDUCES if name in REDUCTIONS else _OF_CLASS
    if is_member:
        return how | _IS_MEMBER
    may_be_plain = _MAY_BE_PLAIN if name in PLAIN_OF_MATRICES else 0
    return how | may_be_plain | (_ASKS_METHOD if name in CALLED else 0)


set_finishing(_Finishing())
