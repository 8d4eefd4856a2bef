"""Our arrays as linear operators of SciPy's, which asks for `numpy.ndarray` itself there."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from ..._array.handle import Handle
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
