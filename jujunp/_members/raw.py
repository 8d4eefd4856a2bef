"""Methods that see arrays as bytes: fields, the other byte order, pickled forms."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from jujunp.lazy.values.dtypes import DTYPES, FLOAT64, is_complex

from .._array.arguments import code_for
from .._array.array_likes import converted
from .._array.handle import header, scalar, value_of
from .._array.making import copy, scalar_if_0d
from .._array.making import view as seen_through


def getfield(self: Any, dtype: Any, offset: int = 0) -> Any:
    """Return a view of a part of each element, `offset` bytes from its start, with a dtype.

    ValueError where the part leaves the element.
    """
    code = code_for(dtype, FLOAT64)
    return seen_through(self, header(self).getfield(DTYPES[code], offset), code)


def setfield(self: Any, val: Any, dtype: Any, offset: int = 0) -> None:
    """Write to a part of each element, `offset` bytes from its start, with a dtype."""
    getfield(self, dtype, offset)[...] = val


def byteswap(self: Any, inplace: bool = False) -> Any:
    """Return the elements with their bytes in the other order; `inplace` changes the array.

    The parts of a complex number are two numbers.
    """
    parts = 2 if is_complex(self._code) else 1
    size = self.itemsize // parts
    flat = copy(self).reshape(-1).view(np.uint8).reshape(-1, size)
    swapped = copy(flat[:, ::-1]).reshape(-1).view(DTYPES[self._code]).reshape(self._shape)
    if isinstance(self, scalar):
        return scalar_if_0d(swapped)
    if not inplace:
        return swapped
    self[...] = swapped
    return self


def dumps(self: Any) -> bytes:
    """Return the array pickled."""
    return pickle.dumps(self, protocol=2)


def dump(self: Any, file: Any) -> None:
    """Write the array, pickled, to a file that is open, or to the one of a name."""
    if hasattr(file, "write"):
        file.write(dumps(self))
    else:
        Path(file).write_bytes(dumps(self))


def __setstate__(self: Any, state: Any) -> None:
    """Take the shape, dtype and elements of a state of NumPy's arrays. ValueError for a view.

    A state of ours is a dictionary of attributes, of a class derived from our array's.
    """
    if isinstance(state, dict):
        self.__dict__.update(state)
        return
    if self._base is not None or self._views:
        raise ValueError("the state of an array that shares its memory cannot be set")
    array = np.empty(0)
    array.__setstate__(state)
    found = converted(array)
    self._value, self._shape, self._code = value_of(found), found._shape, found._code
    self._header = None


METHODS = {"dump": dump, "dumps": dumps}
OF_ARRAYS = {
    function.__name__: function for function in (getfield, setfield, byteswap, __setstate__)
}
