"""`numpy.matlib`: the names of this package, with functions that give matrices in place of some.

Importing it is a PendingDeprecationWarning, as in NumPy.
"""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.sites import package

from .matrixlib import asmatrix

if TYPE_CHECKING:
    from collections.abc import Callable

warnings.warn(
    "Importing from numpy.matlib is deprecated since 1.19.0. The matrix subclass is not the "
    "recommended way to represent matrices or deal with linear algebra (see "
    "https://docs.scipy.org/doc/numpy/user/numpy-for-matlab-users.html). Please adjust your code "
    "to use regular ndarray. ",
    PendingDeprecationWarning,
    stacklevel=2,
)

_PUBLIC: Any = package()


def _as_matrix(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose results are matrices."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return asmatrix(function(*args, **kwargs))

    return call


def _random(name: str) -> Callable[..., Any]:
    """Return a function that draws a matrix of a shape, given as integers or as one tuple."""
    draw = getattr(_PUBLIC.random, name)

    def call(*args: Any) -> Any:
        return asmatrix(draw(*(args[0] if isinstance(args[0], tuple) else args)))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = draw.__doc__
    return call


empty, ones, zeros, identity, eye = (
    _as_matrix(getattr(_PUBLIC, name)) for name in ("empty", "ones", "zeros", "identity", "eye")
)
rand, randn = map(_random, ("rand", "randn"))


def repmat(a: Any, m: int, n: int) -> Any:
    """Return an array of at most two axes repeated, `m` times along rows and `n` along columns.

    A matrix stays one. ValueError for more axes.
    """
    x = _PUBLIC.asanyarray(a)
    if x.ndim > 2:
        raise ValueError("too many values to unpack (expected 2)")
    return _PUBLIC.tile(x, (m, n))


__all__ = [*dict.fromkeys(("rand", "randn", "repmat", *_PUBLIC.__all__))]


def __getattr__(name: str) -> Any:
    """Return what the package has under a name that is not this module's."""
    return getattr(_PUBLIC, name)
