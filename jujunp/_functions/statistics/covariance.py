"""Covariances and correlation coefficients of variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import FLOAT64, code_of

from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header
from ..._array.making import view
from ..._array.promotion import result_code
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS, conjugated
from ..manipulation.joining import concatenate
from ..matrices.products import dot
from .averages import average

__all__ = [
    "corrcoef",
    "cov",
]


def _variables(x: Handle, name: str, code: int, rowvar: bool) -> Any:
    """Return variables as rows, in a dtype; ValueError for more than two axes."""
    if len(x._shape) > 2:
        raise ValueError(f"{name} has more than 2 dimensions")
    found = as_handle(x, code)
    rows = view(found, np.atleast_2d(header(found)))
    return rows if rowvar or len(x._shape) < 2 else view(rows, header(rows).T)


def _weights(given: Any, name: str, count: int) -> Any:
    """Return weights as float64; computes them to check their signs."""
    weights = as_handle(given, FLOAT64)
    if len(weights._shape) > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights._shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    negative: Any = UFUNCS["less"](weights, 0)
    if bool(negative.any()):
        raise ValueError(f"{name} cannot be negative")
    return weights


@uniform
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """Return the matrix of the variables' covariances; of one variable, its variance.

    Args:
        m: Variables as rows, observations as columns; or one variable.
        y: More variables.
        rowvar: Whether variables are rows; else they are columns.
        bias: Whether to divide by the number of observations, not by one less.
        ddof: What is taken off the number of observations, if given.
        fweights: How often each observation counts: integers.
        aweights: Weight of each observation.
        dtype: Dtype of the result, if not the operands' common one with float64.
    """
    room()
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    given = [as_handle(m)] + ([] if y is None else [as_handle(y)])
    code = result_code(*(x._code for x in given), FLOAT64)
    code = code if dtype is None else code_of(np.dtype(dtype))
    names = ("m", "y")
    parts = [_variables(x, name, code, rowvar) for x, name in zip(given, names, strict=False)]
    x: Any = concatenate(parts, 0) if len(parts) > 1 else parts[0]
    if not x._shape[0]:
        return x.reshape(0, 0)
    degrees = int(not bias) if ddof is None else ddof
    weights = _combined(fweights, aweights, x._shape[1])
    mean, total = average(x, 1, weights, True)
    left = _left(x._shape[1], weights, total[0], degrees, aweights)
    centred = x - view(mean, header(mean)[:, None])
    weighted = centred if weights is None else centred * weights
    found: Any = dot(centred, conjugated(view(weighted, header(weighted).T)))
    found *= UFUNCS["divide"](as_handle(1, found._code), left)
    return found.squeeze()


def _combined(fweights: Any, aweights: Any, count: int) -> Any:
    """Return the product of both kinds of weights; None when there are none."""
    frequencies = None if fweights is None else _weights(fweights, "fweights", count)
    if frequencies is not None:
        whole: Any = UFUNCS["equal"](frequencies, UFUNCS["rint"](frequencies))
        if not bool(whole.all()):
            raise TypeError("fweights must be integer")
    if aweights is None:
        return frequencies
    weights = _weights(aweights, "aweights", count)
    return weights if frequencies is None else frequencies * weights


def _left(count: int, weights: Any, total: Any, degrees: int, aweights: Any) -> Any:
    """Return what the sums of products are divided by; RuntimeWarning when nothing is left."""
    if weights is None:
        left: Any = count - degrees
    elif not degrees:
        left = total
    elif aweights is None:
        left = total - degrees
    else:
        left = total - degrees * (weights * as_handle(aweights, FLOAT64)).sum() / total
    if bool(left <= 0):
        warn_user("Degrees of freedom <= 0 for slice")
        return 0.0
    return left


@uniform
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """Return the matrix of the variables' correlation coefficients, clipped to -1 .. 1.

    The arguments are those of `cov`; of one variable it is 1, or nan.
    """
    found = cov(x, y, rowvar, dtype=dtype)
    if not found._shape:
        return found / found
    deviation = UFUNCS["sqrt"](found.diagonal())
    found /= view(deviation, header(deviation)[:, None])
    found /= deviation
    return UFUNCS["maximum"](UFUNCS["minimum"](found, 1), -1)
