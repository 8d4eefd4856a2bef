"""NumPy ufuncs without loops: they tell dtypes and errors as NumPy does for its own.

NumPy makes them in its C API only, whose table is public and only ever grows.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy._core import umath

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEW_UFUNC = 42
"""The place of PyUFunc_FromFuncAndDataAndSignatureAndIdentity in the table."""
_NO_IDENTITY, _REORDERABLE, _IDENTITY_VALUE = -1, -2, -3

_Loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
_nothing = _Loop(lambda *_: None)
_kept: list[Any] = []
"""What ufuncs point to, which NumPy expects to live as long as the process."""


def new_ufunc(
    name: str,
    doc: str,
    loops: Sequence[Sequence[np.dtype]],
    identity: Any = None,
    *,
    reorderable: bool = False,
) -> np.ufunc:
    """Return a ufunc whose calls compute nothing.

    Args:
        name: Its name.
        doc: Its description.
        loops: The dtypes of the operands and of the result, for each loop.
        identity: The neutral element of a reduction, None if there is none.
        reorderable: Whether a reduction may take several axes at once.
    """
    nin = len(loops[0]) - 1
    functions = (_Loop * len(loops))(*[_nothing] * len(loops))
    data = (ctypes.c_void_p * len(loops))()
    types = bytes(dtype.num for loop in loops for dtype in loop)
    texts = name.encode(), doc.encode()
    _kept.append((functions, data, types, texts))
    kind = _IDENTITY_VALUE
    if identity is None:
        kind = _REORDERABLE if reorderable else _NO_IDENTITY
    made: np.ufunc = _constructor()(
        functions, data, types, len(loops), nin, 1, kind, *texts, 0, None, identity
    )
    return made


def _constructor() -> Any:
    address, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    in_capsule = ctypes.PYFUNCTYPE(address, ctypes.py_object, text)
    get_pointer = in_capsule(("PyCapsule_GetPointer", ctypes.pythonapi))
    table = ctypes.cast(get_pointer(umath._UFUNC_API, None), ctypes.POINTER(address))
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        *(address, address, text, number, number, number, number, text, text, number, text),
        ctypes.py_object,
    )
    return prototype(table[_NEW_UFUNC] or 0)
