"""Gives arrays, scalars and ufuncs their members, which the modules that have them list.

Each module has tables: METHODS for arrays and scalars, OF_ARRAYS and OF_SCALARS for one of them.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.machine import function_type

from .._array import indexing
from .._array.handle import Handle, float_scalar, ndarray, scalar
from .._array.native import Operator
from .._calls.functions import member as recorded
from .._functions.indexing import selection, taking
from .._functions.manipulation import rearranging
from .._functions.mathematics import complex_parts, rounding
from .._functions.matrices import products
from .._functions.reductions import folds, scans
from .._functions.searching import sorting
from .._functions.statistics import averages
from .._ufuncs import operators, two_results
from .._ufuncs.ufunc import ufunc
from . import (
    copies,
    derived,
    iterators,
    memory,
    numbers,
    properties,
    protocols,
    raw,
    ufunc_methods,
    views,
)
from .others import (
    arrow,
    classes,
    for_jax,
    for_namespaces,
    for_numba,
    for_pandas,
    for_standard,
    for_sympy,
    for_torch,
    listed,
)

if TYPE_CHECKING:
    from types import ModuleType

_MODULES: tuple[ModuleType, ...] = (
    *(properties, views, raw, copies, numbers, memory, iterators, protocols),
    *(for_jax, arrow, for_numba, for_pandas, for_namespaces, for_standard),
    *(for_sympy, listed, for_torch, classes),
    derived,
    *(indexing, operators, two_results, rounding, complex_parts, products),
    *(folds, scans, averages, sorting, selection, taking, rearranging),
)
_RECORDING = frozenset(_MODULES) - {
    numbers,
    memory,
    iterators,
    protocols,
    properties,
    raw,
    for_jax,
    arrow,
    for_numba,
    for_pandas,
    for_namespaces,
    for_standard,
    for_sympy,
    listed,
    for_torch,
    classes,
    derived,
}
"""Those whose members record."""
_TABLES = {
    "METHODS": Handle,
    "OF_ARRAYS": ndarray,
    "OF_SCALARS": scalar,
    "OF_FLOATS": float_scalar,
}


def _describe(member: Any, name: str) -> None:
    """Have a method say of its parameters what NumPy's says, if it does; read when wanted."""
    theirs = getattr(np.ndarray, name, None)
    if getattr(theirs, "__text_signature__", None):
        member.__wrapped__ = theirs


def attach() -> None:
    """Give the classes their members."""
    for module in _MODULES:
        for table, kind in _TABLES.items():
            for name, member in getattr(module, table, {}).items():
                member = derived.for_derived(member, name)
                if module in _RECORDING or name in derived.VIEWS:
                    member = recorded(member, name)
                if isinstance(member, function_type):
                    member.theirs = getattr(np.ndarray, name, None)
                if type(member) is FunctionType:
                    _describe(member, name)
                if isinstance(member, Operator):
                    member.bind(name)
                else:
                    setattr(kind, name, member)
    for name, member in {**ufunc_methods.METHODS, "outer": ufunc.outer}.items():
        setattr(ufunc, name, _of_ufuncs(member, name))
    pairs: Any = two_results.paired_ufunc
    pairs.outer = _of_ufuncs(pairs.outer, "outer")


def _of_ufuncs(member: Any, name: str) -> Any:
    found = recorded(member, name)
    found.theirs = getattr(np.ufunc, name)
    return found
