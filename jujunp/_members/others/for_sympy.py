"""Our arrays and scalars in SymPy, which knows NumPy's by the module of their type."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..._array.handle import Array, element, scalar
from .telling import when_imported

_MODULE = "sympy.core.sympify"


def _tell_sympy() -> None:
    """Let it take the number of a scalar, which says that its class is NumPy's, and no array.

    So that an array times a symbol is an array of objects.
    """
    sympify: Any = importlib.import_module(_MODULE)

    def convert(x: Any) -> Any:
        if isinstance(x, scalar):
            return sympify.sympify(element(x))
        return sympify._convert_numpy_types(x)

    is_numpys = sympify._is_numpy_instance
    sympify._is_numpy_instance = lambda x: isinstance(x, Array) or is_numpys(x)
    sympify.converter[np.generic] = convert


when_imported(_MODULE, _tell_sympy)
