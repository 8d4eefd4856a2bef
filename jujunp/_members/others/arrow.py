"""Arrow's interface of capsules: arrays of one dimension as pyarrow, polars and others take them.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html. Elements are not
copied, but for truth values, which Arrow packs into bits: as Arrow's data does not change, an array
that was handed over must not be written to.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from jujunp.lazy.run.machine import arrow_capsules
from jujunp.lazy.values.dtypes import BOOL

from ..._array.handle import ndarray
from ..._functions.sharing import shared_with_numpy

FORMATS = {
    **{"bool": b"b", "int8": b"c", "int16": b"s", "int32": b"i", "int64": b"l"},
    **{"uint8": b"C", "uint16": b"S", "uint32": b"I", "uint64": b"L"},
    **{"float16": b"e", "float32": b"f", "float64": b"g"},
}
"""Arrow's letters by the names of dtypes."""


def __arrow_c_schema__(self: ndarray) -> Any:
    """Return a capsule with the type of the elements, as Arrow describes it.

    TypeError for dtypes that Arrow lacks, and for arrays of several dimensions.
    """
    return arrow_capsules(_letters(self), b"", 0)[0]


def __arrow_c_array__(self: ndarray, requested_schema: Any = None) -> tuple[Any, Any]:
    """Return capsules with the type and the elements, as Arrow wants them; computes them.

    TypeError for dtypes that Arrow lacks, and for arrays of several dimensions. A requested type
    is not converted to: the consumer does.
    """
    letters = _letters(self)
    elements = np.ascontiguousarray(shared_with_numpy(self))
    if self._code == BOOL:
        elements = np.packbits(elements, bitorder="little")
    found: tuple[Any, Any] = arrow_capsules(letters, elements, self.size)
    return found


def __arrow_array__(self: ndarray, type: Any = None) -> Any:
    """Return an array of pyarrow, which alone asks for this, of one of its types."""
    return importlib.import_module("pyarrow").array(shared_with_numpy(self), type=type)


def _letters(x: ndarray) -> bytes:
    found = FORMATS.get(str(x.dtype))
    if found is None or len(x._shape) != 1:
        raise TypeError(f"Arrow has no arrays of shape {x._shape} and {x.dtype}")
    return found


OF_ARRAYS = {
    function.__name__: function
    for function in (__arrow_c_schema__, __arrow_c_array__, __arrow_array__)
}
