"""Gives arrays and ufuncs the methods that the modules of functions provide."""

from __future__ import annotations

from . import (
    _elementwise,
    _indexing,
    _indexing_functions,
    _linear,
    _memory,
    _operators,
    _paired,
    _rearranging,
    _reductions,
    _scans,
    _selection,
    _sorting,
    _statistics,
    _ufunc_methods,
)
from ._handle import Handle
from ._ndarray import ndarray
from ._ufunc import ufunc

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
