"""Whether a conversion to another dtype has kept all values: `casting="same_value"`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT64, is_complex, is_integer

from .._array.elementwise import pick
from .._array.making import as_code
from .._ufuncs.ufunc import UFUNCS

if TYPE_CHECKING:
    from .._array.handle import Handle


def kept(x: Any, code: int) -> Any:
    """Return what is converted to a dtype: 0 in the place of floats that would be warned of.

    They are refused afterwards.
    """
    dtype = DTYPES[code]
    if DTYPES[x._code].kind != "f" or code in (BOOL, x._code):
        return x
    wide: Any = as_code(x, FLOAT64)
    if is_integer(code):
        info = np.iinfo(dtype)
        keep = (wide >= float(info.min)) & (wide < float(int(info.max) + 1))
    else:
        keep = (abs(wide) <= float(np.finfo(dtype).max)) | ~UFUNCS["isfinite"](wide)
    return pick(keep, x, 0)


def check_values(x: Handle, found: Handle) -> None:
    """Raise ValueError unless what is found of elements is equal to them, which is computed.

    What has become bool is not looked at.
    """
    if found._code in (BOOL, x._code) or bool(_same(x, found).all()):
        return
    names = (_NAMES.get(DTYPES[one._code].char, "bool") for one in (x, found))
    raise ValueError(f"could not cast 'same_value' {' to '.join(names)}")


_NAMES = {
    **{"b": "byte", "h": "short", "i": "int", "l": "long", "q": "longlong"},
    **{"B": "ubyte", "H": "ushort", "I": "uint", "L": "ulong", "Q": "ulonglong"},
    **{"e": "half", "f": "float", "d": "double", "F": "cfloat", "D": "cdouble"},
}
"""What C calls the numbers, by the character of their dtype."""


def _same(x: Any, found: Any) -> Any:
    """Return where elements are what they were."""
    whole = is_integer(x._code), is_integer(found._code)
    if all(whole):
        return UFUNCS["equal"](x, found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        back = as_code(found, x._code)
    isnan = UFUNCS["isnan"]
    same = UFUNCS["equal"](x, back) | (isnan(x) & isnan(back))
    if any(whole):  # the largest integer is no float: the next one is taken for it
        wide, number = (found, x) if whole[1] else (x, found)
        real = as_code(number.real if is_complex(number._code) else number, FLOAT64)
        info = np.iinfo(DTYPES[wide._code])
        same = same & (real >= float(info.min)) & (real < float(int(info.max) + 1))
    return same
