"""Our scalars and arrays in pandas, whose C code asks for NumPy's own types.

Where it looks at objects, it is shown NumPy's scalars in the place of ours, so that columns are
columns of numbers; masks and keys are given to it as NumPy's.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.machine import holds_handles

from ..._array.handle import Array, Handle, scalar, to_numpy
from ..._functions.sharing import shared_with_numpy
from .telling import when_imported

if TYPE_CHECKING:
    from collections.abc import Callable

_LIBRARY = "pandas._libs.lib"
_KINDS = {"is_bool": "b", "is_integer": "iu", "is_float": "f", "is_complex": "c"}
"""What pandas asks of a scalar, with the kinds of dtypes for which the answer is yes."""
_METHODS = {
    "pandas.core.frame.DataFrame": "__getitem__ __setitem__ groupby set_index",
    "pandas.core.series.Series": "__getitem__ __setitem__ groupby",
    "pandas.core.generic.NDFrame": "rolling replace",
    "pandas.core.indexing._LocationIndexer": "__getitem__ __setitem__",
    "pandas.core.indexing._ScalarAccessIndexer": "__getitem__ __setitem__",
    "pandas.core.indexes.base.Index": "__getitem__",
    "pandas.core.indexes.range.RangeIndex": "__getitem__",
    "pandas.core.indexes.multi.MultiIndex": "__getitem__",
    "pandas._libs.tslibs.timedeltas.Timedelta": "__new__",
    "pandas._libs.tslibs.timestamps.Timestamp": "__new__",
}
"""Methods of classes that look at what they are given."""
_FUNCTIONS = {"pandas.core.algorithms": "unique factorize"}
"""Functions of modules that do."""


def _number(x: Any) -> Any:
    """Return NumPy's scalar for one of ours; anything else as it is."""
    return to_numpy(x)[()] if isinstance(x, scalar) else x


def _numpys(x: Any) -> Any:
    """Return an argument with what is NumPy's in the place of what is ours."""
    kind = type(x)
    if kind is slice:
        return slice(_number(x.start), _number(x.stop), _number(x.step))
    if kind is tuple or kind is list:
        return kind(map(_numpys, x))
    if isinstance(x, Handle):
        return shared_with_numpy(x) if isinstance(x, Array) else _number(x)
    return x


def _objects(x: Any) -> Any:
    """Return objects, in an array or a list, with NumPy's scalars in the place of ours."""
    if isinstance(x, np.ndarray) and x.dtype == object and x.ndim == 1:
        items = x.tolist()
        if holds_handles(items):
            x = x.copy()
            for place, item in enumerate(items):
                if isinstance(item, scalar):
                    x[place] = _number(item)
    elif isinstance(x, list) and holds_handles(x):
        x = [_number(item) for item in x]
    return x


def _tell_library() -> None:
    """Change the functions by which pandas looks at objects, wherever it has them by name."""
    library: Any = importlib.import_module(_LIBRARY)
    convert = library.maybe_convert_objects

    @functools.wraps(convert)
    def maybe_convert_objects(objects: Any, *given: Any, **named: Any) -> Any:
        return convert(_objects(objects), *given, **named)

    def mapping(function: Any) -> Any:
        @functools.wraps(function)
        def mapped(*given: Any, convert: bool = True, **named: Any) -> Any:
            found = function(*given, convert=False, **named)
            if convert and found.dtype == object:
                found = maybe_convert_objects(found)
            return found

        return mapped

    def asking(function: Any, kinds: str) -> Any:
        @functools.wraps(function)
        def asked(obj: Any) -> bool:
            return function(obj) or (isinstance(obj, scalar) and obj.dtype.kind in kinds)

        return asked

    infer = library.infer_dtype

    @functools.wraps(infer)
    def infer_dtype(value: Any, *given: Any, **named: Any) -> Any:
        return infer(_objects(value), *given, **named)

    changed: dict[Any, Any] = {convert: maybe_convert_objects, infer: infer_dtype}
    for name in ("map_infer", "map_infer_mask"):
        changed[getattr(library, name)] = mapping(getattr(library, name))
    for name, kinds in (*_KINDS.items(), ("is_scalar", "biufc")):
        changed[getattr(library, name)] = asking(getattr(library, name), kinds)
    _replace(changed)


def _replace(changed: dict[Any, Any]) -> None:
    """Put functions in the place of others in all modules of pandas that have these."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "pandas":
            for member, value in list(vars(module).items()):
                if callable(value) and value.__hash__ and value in changed:
                    setattr(module, member, changed[value])


def _given_numpys(function: Any) -> Any:
    """Return a function that is given what is NumPy's in the place of what is ours."""

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        if named:
            named = {name: _numpys(x) for name, x in named.items()}
        if type(args[-1]) in (slice, tuple) or holds_handles(args):
            args = tuple(map(_numpys, args))
        return function(*args, **named)

    return called


def _tell_class(path: str) -> Callable[[], None]:
    def tell() -> None:
        module, _, name = path.rpartition(".")
        kind: Any = getattr(importlib.import_module(module), name)
        for method in _METHODS[path].split():
            setattr(kind, method, _given_numpys(getattr(kind, method)))

    return tell


def _tell_module(name: str) -> Callable[[], None]:
    def tell() -> None:
        module: Any = importlib.import_module(name)
        found = [getattr(module, member) for member in _FUNCTIONS[name].split()]
        _replace({function: _given_numpys(function) for function in found})

    return tell


when_imported(_LIBRARY, _tell_library)
for _path in _METHODS:
    when_imported(_path.rpartition(".")[0], _tell_class(_path))
for _name in _FUNCTIONS:
    when_imported(_name, _tell_module(_name))
