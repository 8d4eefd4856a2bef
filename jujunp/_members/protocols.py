"""NumPy's protocols: its own functions, called with our arrays, are recorded as ours."""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import CODES

from .._array.handle import NATIVE, Handle, to_numpy
from .._calls.functions import function
from .._calls.traits import warning
from .._functions.host import exported, is_unanswered, on_host
from .._ufuncs.two_results import PAIRED
from .._ufuncs.ufunc import UFUNCS, ufunc
from .asking.functions import left_to_us
from .asking.overriding import of_ours, operands, overriding

_MODULES = ("fft", "linalg", "lib.stride_tricks")
"""Modules of NumPy that have a counterpart of the same name."""


_OURS: dict[str, Any] = {**PAIRED, **UFUNCS}
"""Ufuncs by the names of NumPy's."""
_UFUNCS: dict[Any, Any] = {
    theirs: _OURS[theirs.__name__]
    for theirs in vars(np).values()
    if isinstance(theirs, np.ufunc) and theirs.__name__ in _OURS
}


@warning
def array_ufunc(self: Handle, theirs: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """`__array_ufunc__`: NumPy's ufuncs on our arrays are ours; others get NumPy's arrays."""
    if method == "__call__" and "out" in kwargs and _write_few(theirs, args, kwargs):
        return kwargs["out"][0]
    if not isinstance(theirs, ufunc):
        if not callable(getattr(theirs, method, None)):
            raise TypeError(f"__array_ufunc__ takes a ufunc, not {type(theirs).__name__}")
        found = on_host(theirs.__name__, getattr(theirs, method), args, kwargs, asked=True)
        return _written(found, kwargs)
    if any(overriding(type(x)) for x in operands(args, kwargs)):
        return _asked_with_numpys(theirs, method, args, kwargs)
    if not _is_known(theirs):
        return _written(on_host(theirs.__name__, getattr(theirs, method), args, kwargs), kwargs)
    ours: Any = _OURS.get(theirs.__name__)
    if theirs.signature is not None and method == "__call__":
        product = getattr(package(), theirs.__name__, None)
        if product is not None:
            _UFUNCS[theirs] = product  # from now on without Python
            return product(*args, **kwargs)
    if ours is None or not hasattr(ours, method):
        return _written(on_host(theirs.__name__, getattr(theirs, method), args, kwargs), kwargs)
    return getattr(ours, method)(*args, **kwargs)


def _write_few(theirs: Any, args: Any, kwargs: dict[str, Any]) -> bool:
    """Write a ufunc's results to an array of NumPy's of few elements; whether that was all to do.

    They are computed, and copied there: sooner than to share the memory.
    """
    out = kwargs["out"]
    if len(kwargs) > 1 or type(out) is not tuple or len(out) != 1 or theirs not in _UFUNCS:
        return False
    (target,) = out
    if type(target) is not np.ndarray or target.size > _FEW or not target.flags.writeable:
        return False
    made = _UFUNCS[theirs](*args)
    if type(made) not in NATIVE or made.shape != target.shape or made.dtype != target.dtype:
        return False
    target[...] = to_numpy(made)
    return True


_FEW = 1 << 10
"""Elements of an array of NumPy's to which results are copied."""


def _is_known(theirs: Any) -> bool:
    """Whether a ufunc is NumPy's or SciPy's, which compute what ours of the name does.

    Ufuncs that others make (Numba) may have a name of these.
    """
    modules = map(sys.modules.get, ("numpy", "scipy.special"))
    return any(getattr(module, theirs.__name__, None) is theirs for module in modules)


def _asked_with_numpys(theirs: Any, method: str, args: Any, kwargs: Any) -> Any:
    """Ask types that have an answer for NumPy's arrays, but none for ours; else NotImplemented."""
    try:
        return on_host(theirs.__name__, getattr(theirs, method), args, kwargs, asked=True)
    except TypeError as error:
        if is_unanswered(error):
            return NotImplemented
        raise


def _written(made: Any, kwargs: dict[str, Any]) -> Any:
    """Return what NumPy has made: in place of outputs that were given, these."""
    out = kwargs.get("out")
    if not isinstance(out, tuple):
        return made
    if not isinstance(made, tuple):
        return made if out[0] is None else out[0]
    return tuple(x if given is None else given for x, given in zip(made, out, strict=True))


def array_function(self: Handle, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`__array_function__`: NumPy's functions on our arrays are ours where there is one."""
    if not isinstance(args, tuple) or not isinstance(kwargs, dict):
        kind, wanted = ("kwargs", "dict") if isinstance(args, tuple) else ("args", "tuple")
        raise TypeError(f"{kind} must be a {wanted}")
    if not all(issubclass(kind, _ARRAYS) for kind in types):
        return NotImplemented
    source, _, module = (getattr(func, "__module__", None) or "numpy").partition(".")
    if source == package().__name__:
        return left_to_us(func, args, kwargs)
    if source != "numpy":
        return getattr(func, "_implementation", func)(*args, **kwargs)
    name = func.__name__
    if name in _CONVERTING and module == "":
        return func(*exported(args))
    top = package()
    namespace = operator.attrgetter(module)(top) if module in _MODULES else top
    ours = getattr(namespace, name, None) if module in ("", "lib", *_MODULES) else None
    if ours is not None and ours is not func and not _has_foreign(name, args):
        return ours(*args, **kwargs)
    return on_host(name, func, args, kwargs)


_CONVERTING = frozenset(("atleast_1d", "atleast_2d", "atleast_3d"))
"""Functions of NumPy's by which libraries make arrays of NumPy's of what they are given."""


_ARRAYS = (Handle, np.ndarray, np.generic)
"""Types whose arrays our functions take."""


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


METHODS = {"__array_ufunc__": function(array_ufunc, _UFUNCS), "__array_function__": array_function}
of_ours(METHODS["__array_ufunc__"])
