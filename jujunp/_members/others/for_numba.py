"""Our arrays as arguments of functions that Numba compiles: NumPy's arrays over the same memory."""

from __future__ import annotations

import importlib
from typing import Any

from ..._array.handle import ndarray, scalar
from ..._functions.sharing import shared_with_numpy
from .telling import when_imported


def _tell_numba() -> None:
    """Register the types: what a function gets is a NumPy array, whose writes are seen here."""
    types: Any = importlib.import_module("numba.core.types")
    extending: Any = importlib.import_module("numba.extending")
    numpy_support: Any = importlib.import_module("numba.np.numpy_support")

    class OurArray(types.Array):  # type: ignore[misc]
        """The type of our arrays, which are NumPy's but for how they come in."""

        name: str

        def __init__(self, dtype: Any, ndim: int, layout: str, *, readonly: bool) -> None:
            super().__init__(dtype, ndim, layout, readonly=readonly)
            self.name = f"jujunp.{self.name}"

        @property
        def as_array(self) -> Any:
            return types.Array(self.dtype, self.ndim, self.layout, readonly=not self.mutable)

    extending.register_model(OurArray)(extending.models.ArrayModel)

    def type_of_array(x: ndarray, context: Any) -> Any:
        flags: Any = x.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        dtype = numpy_support.from_dtype(x.dtype)
        return OurArray(dtype, x.ndim, layout, readonly=not flags.writeable)

    def type_of_scalar(x: scalar, context: Any) -> Any:
        return numpy_support.from_dtype(x.dtype)

    def from_python(kind: OurArray, x: Any, c: Any) -> Any:
        convert = c.pyapi.unserialize(c.pyapi.serialize_object(shared_with_numpy))
        array = c.pyapi.call_function_objargs(convert, (x,))
        found = c.unbox(kind.as_array, array)
        c.pyapi.decref(array)
        c.pyapi.decref(convert)
        return found

    extending.typeof_impl.register(ndarray)(type_of_array)
    extending.typeof_impl.register(scalar)(type_of_scalar)
    extending.unbox(OurArray)(from_python)


when_imported("numba", _tell_numba)
