"""Gives arrays and ufuncs the methods that the modules of functions provide."""

from __future__ import annotations

from .._array import (
    indexing as _indexing,
)
from .._array.handle import Handle
from .._array.making import ndarray
from .._functions.indexing import (
    selection as _selection,
)
from .._functions.indexing import (
    taking as _indexing_functions,
)
from .._functions.manipulation import (
    rearranging as _rearranging,
)
from .._functions.mathematics import (
    elementwise as _elementwise,
)
from .._functions.matrices import (
    products as _linear,
)
from .._functions.reductions import (
    folds as _reductions,
)
from .._functions.reductions import (
    scans as _scans,
)
from .._functions.searching import (
    sorting as _sorting,
)
from .._functions.statistics import (
    averages as _statistics,
)
from .._ufuncs import (
    operators as _operators,
)
from .._ufuncs import (
    two_results as _paired,
)
from .._ufuncs.ufunc import ufunc
from . import (
    memory as _memory,
)
from . import (
    ufunc_methods as _ufunc_methods,
)

_MODULES = (
    _elementwise,
    _indexing_functions,
    _linear,
    _memory,
    _paired,
    _rearranging,
    _reductions,
    _scans,
    _selection,
    _sorting,
    _statistics,
)
_WRITING = frozenset(("sort", "partition", "put", "resize", "setflags", "__imatmul__"))
"""Methods that change the array: scalars lack them."""


def _attach() -> None:
    tables = [module.METHODS for module in _MODULES]
    for table in (*tables, _linear.OPERATORS):
        for name, function in table.items():
            setattr(ndarray if name in _WRITING else Handle, name, function)
    setattr(ndarray, "flat", _memory.FLAT)  # noqa: B010 (the class does not declare it)
    for name, function in _ufunc_methods.UFUNC_METHODS.items():
        setattr(ufunc, name, function)


_attach()
__all__ = ["_indexing", "_operators"]
