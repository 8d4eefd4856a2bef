"""Our arrays and functions in what Numba compiles.

Arrays come in as NumPy's over the same memory. Where the text of a function names this module, its
functions (`np.sqrt(x)`) or arrays of ours, Numba compiles what it knows: NumPy's.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from ..._array.handle import ndarray, scalar
from .numpys import numpys
from .telling import when_imported

_PACKAGE = __name__.partition(".")[0]
_MODULES = ("", ".linalg", ".random", ".fft")
"""Those that Numba knows NumPy's of."""


@functools.cache
def _of_numpy() -> dict[int, tuple[Any, Any]]:
    """Return what has another object in NumPy under its name, and that, by the id of ours."""
    found = {}
    for name in _MODULES:
        ours, others = (importlib.import_module(f"{root}{name}") for root in (_PACKAGE, "numpy"))
        found[id(ours)] = ours, others
        for member in dir(ours):
            mine, theirs = getattr(ours, member), getattr(others, member, None)
            if callable(mine) and theirs is not None and mine is not theirs:
                found[id(mine)] = mine, theirs
    return found


def _as_numpy(x: Any) -> Any:
    """Return what a name outside of a compiled function stands for, as Numba knows it."""
    if callable(x) or isinstance(x, ModuleType):
        return _of_numpy().get(id(x), (x, x))[1]
    return numpys(x)


def _tell_numba() -> None:
    """Register our types: what a function gets is a NumPy array, whose writes are seen here."""
    extending: Any = importlib.import_module("numba.extending")
    _register_names()
    _accept_arrays()
    extending.typeof_impl.register(ndarray)(_type_of_array)
    extending.typeof_impl.register(scalar)(_type_of_scalar)


def _type_of_array(x: ndarray, context: Any) -> Any:
    types: Any = importlib.import_module("numba.core.types")
    flags: Any = x.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return types.Array(_type_of_elements(x), x.ndim, layout, readonly=not flags.writeable)


def _type_of_scalar(x: scalar, context: Any) -> Any:
    return _type_of_elements(x)


def _type_of_elements(x: Any) -> Any:
    numpy_support: Any = importlib.import_module("numba.np.numpy_support")
    return numpy_support.from_dtype(x.dtype)


def _register_names() -> None:
    """Change what names outside of a function stand for, in the place where all passes look."""
    ir: Any = importlib.import_module("numba.core.ir")
    rewrites: Any = importlib.import_module("numba.core.rewrites")

    @rewrites.register_rewrite("before-inference")
    class Names(rewrites.Rewrite):  # type: ignore[misc]
        def match(self, func_ir: Any, block: Any, typemap: Any, calltypes: Any) -> bool:
            for step in block.find_insts(ir.Assign):
                if isinstance(step.value, (ir.Global, ir.FreeVar)):
                    step.value.value = _as_numpy(step.value.value)
            return False


def _accept_arrays() -> None:
    """Let compiled functions convert what is no array of NumPy's, which they would refuse."""
    api: Any = importlib.import_module("numba.core.pythonapi").PythonAPI
    cgutils: Any = importlib.import_module("numba.core.cgutils")
    codegen: Any = importlib.import_module("numba.core.codegen").CPUCodegen
    adapt_numpys, magic_of_numba = api.nrt_adapt_ndarray_from_python, codegen.magic_tuple

    @functools.wraps(adapt_numpys)
    def adapt(self: Any, x: Any, into: Any) -> Any:
        builder = self.builder
        error = cgutils.alloca_once_value(builder, adapt_numpys(self, x, into))
        with builder.if_then(cgutils.is_not_null(builder, builder.load(error)), likely=False):
            convert = self.unserialize(self.serialize_object(numpys))
            array = self.call_function_objargs(convert, (x,))
            with builder.if_then(cgutils.is_not_null(builder, array)):
                builder.store(adapt_numpys(self, array, into), error)
                self.decref(array)
            self.decref(convert)
        return builder.load(error)

    @functools.wraps(magic_of_numba)
    def magic_tuple(self: Any) -> Any:
        """Keep functions apart on disk that were compiled without us: they refuse our arrays."""
        return (*magic_of_numba(self), _PACKAGE)

    api.nrt_adapt_ndarray_from_python = adapt
    codegen.magic_tuple = magic_tuple


when_imported("numba", _tell_numba)
