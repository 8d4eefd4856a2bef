"""The class that our arrays say they are of, which is NumPy's: `isinstance(x, numpy.ndarray)`.

Libraries ask for it before they take an array. What they then do with one works with ours, but for
some that hand it to C code as it is, which asks for the type: they are shown our class, and convert
what they do not know.
"""

from __future__ import annotations

from jujunp.lazy.run.machine import set_askers
from jujunp.lazy.run.sites import package

_SHOWN_OURS = frozenset(
    (
        *(package().__name__, "numpy", "pandas", "jax", "numba", "scipy"),
        *("array_api_compat", "array_api_extra"),
    )
)
"""Packages that tell our arrays from NumPy's, also where others have copies of them."""
_SHOWN_NUMPYS = (
    "numpy.testing",
    "scipy.linalg.interpolative",
    "scipy.ndimage._interpolation",
    "scipy.ndimage._measurements",
    "scipy.ndimage._morphology",
    "scipy.optimize._nonlin",
    "scipy.optimize._root_scalar",
    "scipy.signal._ltisys",
    "scipy.stats._mgc",
)
"""Modules of these that only look whether they are given an array, and then take any.

That of NumPy asks only to compare: `numpy.ma` and others go on with the type.
"""


class _Askers(dict[str, bool]):
    """By the name of a module that asks: whether arrays say that their class is NumPy's."""

    def __missing__(self, module: str) -> bool:
        is_numpys = _SHOWN_OURS.isdisjoint(module.split(".")) or module.startswith(_SHOWN_NUMPYS)
        self[module] = is_numpys
        return is_numpys


set_askers(_Askers())
