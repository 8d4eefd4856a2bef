"""NumPy's protocols: its own functions, called with our arrays, are recorded as ours.

A NumPy function that the namespace lacks runs in NumPy on exported elements; it is counted, and
refused under JUJUNP_STRICT=1.
"""

from __future__ import annotations

import functools
import operator
import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.run.statistics import FALLBACKS
from jujunp.lazy.values.dtypes import CODES, SUPPORTED

from .._array.handle import Handle, to_numpy
from .._array.making import as_handle, new_array
from .._ufuncs.two_results import PAIRED
from .._ufuncs.ufunc import UFUNCS, mirrored

if TYPE_CHECKING:
    from collections.abc import Callable

METADATA = frozenset(
    (
        *("shape", "ndim", "size", "iscomplexobj", "isrealobj", "result_type", "can_cast"),
        *("min_scalar_type", "common_type", "may_share_memory", "shares_memory"),
        "broadcast_arrays",
        *("iterable", "isfortran", "typename", "mintypecode", "base_repr", "binary_repr"),
        *("array_repr", "array_str", "array2string", "save", "savez", "savetxt"),
        *("format_float_positional", "format_float_scientific"),
    )
)
"""NumPy functions that compute nothing from elements, or only print or store them."""


_MODULES = ("fft", "linalg", "lib.stride_tricks")
"""Modules of NumPy that have a counterpart of the same name."""


class HostFallbackError(NotImplementedError):
    """Raised under JUJUNP_STRICT=1 where NumPy would have computed."""


def on_host(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run a NumPy function on exported arrays, and import its results."""
    if name not in METADATA:
        if os.environ.get("JUJUNP_STRICT", "") not in ("", "0"):
            raise HostFallbackError(
                f"numpy.{name} has no counterpart here and JUJUNP_STRICT is set"
            )
        FALLBACKS[name] = FALLBACKS.get(name, 0) + 1
    return imported(function(*exported(tuple(args)), **exported(kwargs)))


def exported(x: Any) -> Any:
    """Return arguments of NumPy's, in which arrays are NumPy's."""
    if isinstance(x, Handle):
        return to_numpy(x)[()]
    if isinstance(x, (list, tuple)):
        return type(x)(exported(item) for item in x)
    if isinstance(x, dict):
        return {key: exported(item) for key, item in x.items()}
    return x


def imported(x: Any) -> Any:
    """Return results of NumPy's, in which arrays are ours."""
    if isinstance(x, np.ndarray) and CODES.get(x.dtype) in SUPPORTED:
        return as_handle(x)
    if isinstance(x, tuple) and not hasattr(x, "_fields"):
        return tuple(imported(item) for item in x)
    if isinstance(x, list):
        return [imported(item) for item in x]
    return x


def array_ufunc(self: Handle, function: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
    """`__array_ufunc__`: NumPy's ufuncs on our arrays are ours."""
    out = kwargs.get("out", ())
    if any(isinstance(x, np.ndarray) for x in out):
        if len(out) > 1:
            raise TypeError("several results cannot be written to NumPy arrays by out=")
        with mirrored(out[0]) as mirror:
            array_ufunc(self, function, method, *args, **{**kwargs, "out": (mirror,)})
        return out[0]
    ours: Any = UFUNCS.get(function.__name__) or PAIRED.get(function.__name__)
    if function.signature is not None and method == "__call__":
        import jujunp

        product = getattr(jujunp, function.__name__, None)
        if product is not None:
            return product(*args, **kwargs)
    if ours is None or not hasattr(ours, method):
        return on_host(function.__name__, getattr(function, method), args, kwargs)
    return getattr(ours, method)(*args, **kwargs)


def array_function(self: Handle, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`__array_function__`: NumPy's functions on our arrays are ours where there is one."""
    import jujunp

    name = function.__name__
    package, _, module = (function.__module__ or "numpy").partition(".")
    namespace = operator.attrgetter(module)(jujunp) if module in _MODULES else jujunp
    known = package == "numpy" and module in ("", "lib", *_MODULES)
    ours = getattr(namespace, name, None) if known else None
    if ours is not None and ours is not function and not _has_foreign(name, args):
        out = kwargs.get("out")
        if not isinstance(out, np.ndarray):
            return ours(*args, **kwargs)
        with mirrored(out) as mirror:
            ours(*args, **{**kwargs, "out": mirror})
        return out
    return on_host(name, function, args, kwargs)


def _has_foreign(name: str, args: Any) -> bool:
    """Whether there are arrays of objects, text or dates among the arguments of a function."""
    if name == "broadcast_arrays" and any(x is None or isinstance(x, str) for x in args):
        return True
    return any(
        x.dtype not in CODES
        if isinstance(x, np.ndarray)
        else isinstance(x, (list, tuple)) and _has_foreign("", x)
        for x in args
    )


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Return a copy of an array of another library that offers `__dlpack__`.

    ValueError for copy=False, since elements are always copied in, and for devices but "cpu".
    """
    if device not in (None, "cpu"):
        raise ValueError(f"Unsupported device {device!r}")
    if isinstance(x, Handle):
        return x if copy is not True else x.copy()  # type: ignore[attr-defined]
    if copy is False:
        raise ValueError("importing an array copies it, and copy=False was given")
    array = np.from_dlpack(x)
    code = CODES[array.dtype]
    return new_array(machine.import_array(array, code), array.shape, code)


def host_attribute(name: str) -> Any:
    """Return an attribute of NumPy; a function comes as one that is counted as a fallback."""
    if name.startswith("_") or not hasattr(np, name):
        raise AttributeError(f"module 'jujunp' has no attribute {name!r}")
    found = getattr(np, name)
    if isinstance(found, (type, ModuleType)) or not callable(found):
        return found

    @functools.wraps(found)
    def call(*args: Any, **kwargs: Any) -> Any:
        return on_host(name, found, args, kwargs)

    return call


Handle.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]
Handle.__array_function__ = array_function  # type: ignore[attr-defined]
