"""NumPy arrays that record instead of compute.

`import jujunp as np` gives NumPy's functions on arrays that are lazy: calls are recorded as JAX
primitives and run when a value is needed, at once on ahead-of-time compiled Mojo kernels or, when
they have proved hot and where that is faster, as one fused MAX graph.

Each module of functions lists in `__all__` what it gives the namespace.
"""

import types as _types
import typing as _typing

import numpy as _numpy

from . import _borrowed_modules, fft, lib, linalg
from ._array.handle import *
from ._borrowed import *
from ._calls.functions import functions as _before_all
from ._calls.kept import begin as _keep_calls
from ._error_states import *
from ._extend.extension import *
from ._extend.vectorize import *
from ._functions import handing_over as _handing_over
from ._functions.applying import *
from ._functions.creation.arrays import *
from ._functions.creation.ranges import *
from ._functions.dtypes import *
from ._functions.files import *
from ._functions.host import *
from ._functions.host import host_attribute as _host_attribute
from ._functions.indexing.grids import *
from ._functions.indexing.selection import *
from ._functions.indexing.taking import *
from ._functions.manipulation.joining import *
from ._functions.manipulation.rearranging import *
from ._functions.manipulation.shapes import *
from ._functions.mathematics.bits import *
from ._functions.mathematics.complex_parts import *
from ._functions.mathematics.convolution import *
from ._functions.mathematics.differences import *
from ._functions.mathematics.integration import *
from ._functions.mathematics.interpolation import *
from ._functions.mathematics.logic import *
from ._functions.mathematics.polynomials import *
from ._functions.mathematics.rounding import *
from ._functions.mathematics.windows import *
from ._functions.matrices.building import *
from ._functions.matrices.cross import *
from ._functions.matrices.einsum import *
from ._functions.matrices.products import *
from ._functions.padding import *
from ._functions.reductions.folds import *
from ._functions.reductions.scans import *
from ._functions.searching.counting import *
from ._functions.searching.sets import *
from ._functions.searching.sorting import *
from ._functions.statistics.averages import *
from ._functions.statistics.covariance import *
from ._functions.statistics.nan_aware import *
from ._functions.statistics.quantiles import *
from ._inspection import *
from ._members.iterators import *
from ._members.memory import *
from ._members.table import attach as _attach
from ._namespace_info import __array_namespace_info__
from ._ufuncs.names import *
from ._ufuncs.two_results import *
from ._ufuncs.ufunc import *

_before_all(globals())
_attach()
_keep_calls()

if _typing.TYPE_CHECKING:
    from ._compile.devices import *
    from ._compile.jit import *
    from ._compile.program import *
    from ._transforms.changes import *
    from ._transforms.control import *
    from ._transforms.custom import *
    from ._transforms.gradients import *
    from ._transforms.mapping import *
    from ._transforms.matrices import *
    from ._transforms.traceable import *
    from .matrixlib import *

__version__ = _numpy.__version__
"""Of the NumPy that this module stands for, since programs choose by it what they call."""

__array_api_version__ = "2025.12"

_LATE = {
    **dict.fromkeys(
        ("BundleError", "Program", "export", "like", "load_program"), "_compile.program"
    ),
    **dict.fromkeys(("jit", "lower", "make_max_graph", "max_execute"), "_compile.jit"),
    **dict.fromkeys(("NoAccelerator", "cpu_engine", "gpu_engine"), "_compile.devices"),
    **dict.fromkeys(("grad", "value_and_grad", "vjp"), "_transforms.gradients"),
    **dict.fromkeys(("jvp", "linearize"), "_transforms.changes"),
    **dict.fromkeys(("hessian", "jacfwd", "jacrev"), "_transforms.matrices"),
    "vmap": "_transforms.mapping",
    "traceable": "_transforms.traceable",
    **dict.fromkeys(
        ("checkpoint", "custom_jvp", "custom_vjp", "stop_gradient"), "_transforms.custom"
    ),
    **dict.fromkeys(("cond", "fori_loop", "scan", "switch", "while_loop"), "_transforms.control"),
    **dict.fromkeys(("asmatrix", "bmat", "matrix", "matrixlib"), "matrixlib"),
    **{name: name for name in ("ctypeslib", "ma", "matlib", "polynomial", "random", "testing")},
}
"""Names by module, for which no program that lacks them should wait."""


def __getattr__(name: str) -> _typing.Any:
    """Return what comes late, or what NumPy has: types as they are, functions run on the host."""
    if name in _MET:
        return _MET[name]
    if name in _LATE:
        import importlib

        module = importlib.import_module(f"{__name__}.{_LATE[name]}")
        found = module if name == _LATE[name] else getattr(module, name)
    else:
        found = _host_attribute(name)
        if name not in vars(_numpy):
            return found  # NumPy may warn of it each time
    _MET[name] = found
    return found


def __dir__() -> list[str]:
    """Return the names that a module of NumPy's has, and those that are ours alone."""
    own = {name for name in globals() if name.startswith("__") or not name.startswith("_")}
    return sorted(own | {name for name in dir(_numpy) if not name.startswith("_")})


_MET: dict[str, _typing.Any] = {}
"""What was asked for before; the variables of the module are ours from the import on."""


_MODULES = ("fft", "lib", "linalg", "random", "testing", "exceptions")
"""Modules that are names of the namespace; others are ours alone."""

__all__ = sorted(
    {
        name
        for name, item in globals().items()
        if name[0] != "_" and (name in _MODULES or not isinstance(item, _types.ModuleType))
    }.union(_numpy.__all__, _LATE.keys() - {"matlib", "matrixlib"})  # which NumPy does not name
)
