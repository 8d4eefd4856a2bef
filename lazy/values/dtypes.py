"""Dtype codes: the small integers that stand for dtypes in recorded work and in the kernels."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np

from jujunp.kernels.facts import dtype_names

NAMES = dtype_names()
"""Dtype names; a dtype's code is its index."""

DTYPES: tuple[np.dtype, ...] = tuple(
    np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name) for name in NAMES
)

CODES: dict[np.dtype, int] = {dtype: code for code, dtype in enumerate(DTYPES)}
"""Code by dtype. Platform aliases (long long) are equal to these and hash alike."""

NAMED: dict[str, int] = {name: code for code, name in enumerate(NAMES)}
"""Code by name."""

(BOOL, INT32, INT64, UINT8, UINT64, FLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128) = (
    NAMED[name]
    for name in (
        *("bool", "int32", "int64", "uint8", "uint64", "float16", "float32", "float64"),
        *("complex64", "complex128"),
    )
)

SUPPORTED = frozenset(range(len(NAMES))) - {NAMED["bfloat16"]}
"""Codes of dtypes that arrays have, which are NumPy's own; kernels know all."""


SPELLINGS: dict[Any, int] = {
    **{bool: BOOL, int: INT64, float: FLOAT64, complex: COMPLEX128},
    **{"int": INT64, "float": FLOAT64, "complex": COMPLEX128},
    **{
        spelling: code
        for code, dtype in enumerate(DTYPES)
        if code in SUPPORTED
        for spelling in (dtype, dtype.type, dtype.name, dtype.char, dtype.str, dtype.str[1:])
    },
}
"""Code by what dtypes are most often given as; there are more."""

FLOAT0 = np.dtype([("float0", np.void, 0)])
"""JAX's dtype of the tangents of integers, which are 0: in programs, flags that are False."""


@functools.cache
def name_of(dtype: np.dtype) -> str:
    """Return a dtype's name, which NumPy composes anew each time; bool for FLOAT0."""
    return "bool" if dtype == FLOAT0 else dtype.name


class Foreign(TypeError):
    """Raised for a dtype that is not ours: text, objects, dates, structures, long double.

    So are numbers in the byte order that is not the machine's.
    """


def is_ours(dtype: np.dtype) -> bool:
    """Whether the elements of a NumPy array can be recorded, converted to our byte order."""
    return CODES.get(native(dtype)) in SUPPORTED


def native(dtype: np.dtype) -> np.dtype:
    """Return a dtype in the machine's byte order."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def code_of(dtype: np.dtype) -> int:
    """Return the code of a NumPy dtype; Foreign, a TypeError, if arrays of it are NumPy's alone."""
    code = CODES.get(dtype)
    if code is None or code not in SUPPORTED:
        raise Foreign(f"jujunp arrays of dtype {dtype} are not supported")
    return code


def kernel_code(dtype: np.dtype) -> int:
    """Return the code of a dtype that kernels know, BOOL for FLOAT0; TypeError for others."""
    code = BOOL if dtype == FLOAT0 else CODES.get(dtype)
    if code is None:
        raise TypeError(f"no kernel knows the dtype {dtype}")
    return code


def is_float(code: int) -> bool:
    """Whether a code is that of a real floating-point dtype."""
    return 9 <= code <= 12


def is_complex(code: int) -> bool:
    """Whether a code is that of a complex dtype."""
    return code >= 13


def is_integer(code: int) -> bool:
    """Whether a code is that of an integer dtype."""
    return 1 <= code <= 8


def constant_array(value: Any, dtype: np.dtype) -> np.ndarray:
    """Return a constant of a Jaxpr with its dtype, flags for FLOAT0."""
    return np.zeros(np.shape(value), bool) if dtype == FLOAT0 else np.asarray(value, dtype)
