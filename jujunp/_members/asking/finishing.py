"""How what functions and methods make of arrays of one derived class is finished.

The library makes such calls with plain arrays (kernels/vm/calls/of_class.mojo) where the class has
nothing to say of them; here it is told of which functions that holds. `functions.py` makes all
other calls.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..._calls.functions import MEMBERS
from ..derived import NAMES, OWN
from .results import (
    CALLED,
    EACH_ITS_OWN,
    JOINING,
    PLAIN,
    PLAIN_OF_MATRICES,
    REDUCTIONS,
    SEEN,
    SHAPED_BY,
    SOURCES,
)

if TYPE_CHECKING:
    from collections.abc import Collection

# the numbers of kernels/vm/calls/of_class.mojo
_BY_PYTHON, _OF_CLASS, _PLAIN, _REDUCES, _JOINS, _EACH_ITS_OWN = range(6)
_ASKS_METHOD, _IS_MEMBER, _MAY_BE_PLAIN, _OF_FIRST = 8, 16, 32, 64

_BY_NAME = frozenset(
    (
        *SHAPED_BY,
        *(name for name, (place, _) in SOURCES.items() if place > 0),
        *("broadcast_arrays", "multi_dot", "sort"),
        *("eig", "eigh", "svd", "qr", "slogdet"),  # some of their results are plain
        *("unique_all", "unique_counts", "unique_inverse"),
        *("array", "asarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite"),
        *("require", "view", "from_dlpack", "frombuffer", "fromiter"),
    )
)
"""Functions whose results are finished in ways of their own."""


_HOW: dict[int, Collection[str]] = {
    _JOINS: JOINING,
    _REDUCES: REDUCTIONS,
    _EACH_ITS_OWN: EACH_ITS_OWN,
}
"""How what they give is finished: the first that names them, else it is of the class."""
_ALSO: dict[int, Collection[str]] = {
    _ASKS_METHOD: CALLED,
    _MAY_BE_PLAIN: PLAIN_OF_MATRICES,
    _OF_FIRST: SOURCES,
}
"""What else holds for functions, by their names."""


class Finishing(dict[Any, int]):
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
    how = next((how for how, names in _HOW.items() if name in names), _OF_CLASS)
    if is_member:
        return how | _IS_MEMBER
    for also, names in _ALSO.items():
        how |= also if name in names else 0
    return how
