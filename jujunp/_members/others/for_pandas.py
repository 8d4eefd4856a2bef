"""Our scalars and arrays in pandas, whose C code asks for NumPy's own types.

Where it looks at objects, it is shown NumPy's scalars in the place of ours, so that columns are
columns of numbers; masks and keys are given to it as NumPy's, and what it copies because it is an
array of NumPy's.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ..._array.handle import scalar
from .numpys import functions_given_numpys, methods_given_numpys, number, objects, replace
from .telling import when_imported

_LIBRARY = "pandas._libs.lib"
_MISSING = "pandas._libs.missing"
_KINDS = {"is_bool": "b", "is_integer": "iu", "is_float": "f", "is_complex": "c"}
"""What pandas asks of a scalar, with the kinds of dtypes for which the answer is yes."""
_METHODS = {
    "pandas.core.frame.DataFrame": (
        "__init__ __getitem__ __setitem__ groupby set_index _align_for_op"
    ),
    "pandas.core.series.Series": "__init__ __getitem__ __setitem__ groupby _flex_method",
    "pandas.core.generic.NDFrame": "rolling replace sample",
    "pandas.core.indexing._LocationIndexer": "__getitem__ __setitem__",
    "pandas.core.indexing._ScalarAccessIndexer": "__getitem__ __setitem__",
    "pandas.core.indexes.base.Index": "__new__ __getitem__",
    "pandas.core.indexes.range.RangeIndex": "__getitem__",
    "pandas.core.indexes.multi.MultiIndex": "__getitem__",
    "pandas.core.arrays.numeric.NumericArray": "__init__",
    "pandas.core.arrays.boolean.BooleanArray": "__init__",
    "pandas.core.arrays.numpy_.NumpyExtensionArray": "__init__",
    "pandas._libs.tslibs.timedeltas.Timedelta": (
        "__new__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__"
        " __floordiv__ __rfloordiv__ __mod__ __rmod__"
    ),
    "pandas._libs.tslibs.timestamps.Timestamp": "__new__",
}
"""Methods of classes that look at what they are given."""
_FUNCTIONS = {
    "pandas.core.algorithms": "unique factorize",
    "pandas.core.util.hashing": "hash_array",
}
"""Functions of modules that do."""


def _tell_library() -> None:
    """Change the functions by which pandas looks at objects, wherever it has them by name."""
    library: Any = importlib.import_module(_LIBRARY)
    convert = library.maybe_convert_objects

    @functools.wraps(convert)
    def maybe_convert_objects(values: Any, *given: Any, **named: Any) -> Any:
        return convert(objects(values), *given, **named)

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
        return infer(objects(value), *given, **named)

    changed: dict[Any, Any] = {convert: maybe_convert_objects, infer: infer_dtype}
    for name in ("map_infer", "map_infer_mask"):
        changed[getattr(library, name)] = mapping(getattr(library, name))
    for name, kinds in (*_KINDS.items(), ("is_scalar", "biufc")):
        changed[getattr(library, name)] = asking(getattr(library, name), kinds)
    replace("pandas", changed)


def _tell_missing() -> None:
    """Change the functions that look for what is missing: nan may be a scalar of ours."""
    missing: Any = importlib.import_module(_MISSING)
    found = missing.checknull, missing.isnaobj
    replace("pandas", {found[0]: _given(found[0], number), found[1]: _given(found[1], objects)})


def _given(function: Any, show: Any) -> Any:
    """Return a function whose first argument is shown in another way."""

    @functools.wraps(function)
    def called(x: Any, *given: Any, **named: Any) -> Any:
        return function(show(x), *given, **named)

    return called


when_imported(_LIBRARY, _tell_library)
when_imported(_MISSING, _tell_missing)
methods_given_numpys(_METHODS)
functions_given_numpys(_FUNCTIONS)
