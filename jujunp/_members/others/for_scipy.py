"""Our arrays in SciPy, where its C code, or what it asks of an object, is for NumPy's alone."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from ..._array.handle import Handle
from .numpys import functions_given_numpys
from .telling import when_imported

_MODULE = "scipy.sparse.linalg._interface"


def _tell_scipy() -> None:
    """Let a dense operator of an iterative solver be an array of ours."""
    interface: Any = importlib.import_module(_MODULE)
    makes = interface.aslinearoperator

    @functools.wraps(makes)
    def aslinearoperator(A: Any) -> Any:
        return makes(np.asarray(A) if isinstance(A, Handle) else A)

    interface.aslinearoperator = aslinearoperator


when_imported(_MODULE, _tell_scipy)
functions_given_numpys(
    {
        "scipy.linalg._linalg_pythran": "_funm_loops",
        "scipy.ndimage._ni_label": "_label",
        "scipy.spatial.distance": "cdist pdist",
    }
)
