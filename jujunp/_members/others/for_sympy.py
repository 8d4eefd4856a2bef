"""Our scalars in SymPy, which knows NumPy's by the module of their type."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..._array.handle import element, scalar
from .telling import when_imported

_MODULE = "sympy.core.sympify"


def _tell_sympy() -> None:
    """Let it take the number of Python's: of a scalar, which says that its class is NumPy's."""
    sympify: Any = importlib.import_module(_MODULE)

    def convert(x: Any) -> Any:
        if isinstance(x, scalar):
            return sympify.sympify(element(x))
        return sympify._convert_numpy_types(x)

    sympify.converter[np.generic] = convert


when_imported(_MODULE, _tell_sympy)
