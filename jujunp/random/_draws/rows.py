"""Distributions of rows: multinomial, Dirichlet, and hypergeometric ones of several colors."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.values.dtypes import FLOAT64, INT64

from ..._array.array_likes import as_handle
from ..._functions.creation.arrays import zeros
from .arguments import EXACT, exported, is_spread
from .library import KINDS
from .state import Source, batch_sizes, element_of_batches, spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.values.types import Shape

_SPARSE = 0.1
"""The parameter below which Dirichlet numbers are made of beta numbers."""


def leading(size: Any, inner: Shape) -> Shape:
    """Return the axes that a size gives rows."""
    if size is None:
        return inner
    try:
        return (operator.index(size),)
    except TypeError:
        return tuple(size)


def _checked(shape: Shape, own: Shape, ask: Callable[[], Any]) -> Shape:
    """Return the shape of rows; asks NumPy to refuse one that parameters do not broadcast to."""
    if any(count < 0 for count in shape) or not is_spread(own, shape):
        ask()
    return shape


def _rows(
    source: Source, name: str, code: int, shape: Shape, parameters: tuple[np.ndarray, ...]
) -> Any:
    """Return rows along the last axis, given parameters that broadcast to them."""
    sizes = batch_sizes()
    whole = (*sizes, *shape)
    if not math.prod(shape):
        return zeros(shape, "float64" if code == FLOAT64 else "int64")
    given = [spread(as_handle(x), whole) for x in parameters]  # type: ignore[arg-type]
    found = source.numbers_of(KINDS[name], code, whole, given)
    return element_of_batches(found) if sizes else found


def multinomial(
    source: Source, method: Callable[..., Any], n: Any, pvals: Any, size: Any, *, older: bool
) -> Any:
    """Return how often each of some things is found in `n` trials."""
    n, pvals, size = exported(n), exported(pvals), exported(size)
    is_one = type(n) is int
    none = min(n, 0) if is_one else np.minimum(n, 0)
    # nothing is drawn: no trials are made, and by the older generator, which draws then, no rows
    own = method(none, pvals, 0).shape[1:] if older else method(none, pvals).shape
    shape = _checked((*leading(size, own[:-1]), own[-1]), own, partial(method, n, pvals, size))
    if (n if is_one else np.max(n, initial=0)) >= EXACT:
        raise OverflowError(f"n must be less than {EXACT}")
    chances = np.asarray(pvals, np.float64)
    trials = np.asarray(n, np.float64)[..., np.newaxis]
    name = "older_multinomial" if older else "multinomial"
    return _rows(source, name, INT64, shape, (trials, chances))


def dirichlet(
    source: Source, method: Callable[..., Any], alpha: Any, size: Any, *, older: bool
) -> Any:
    """Return rows of numbers whose sum is 1."""
    alpha, size = exported(alpha), exported(size)
    parameters = np.asarray(alpha, np.float64) if np.ndim(alpha) == 1 else alpha
    method(alpha, 0)
    own = (len(alpha),)
    shape = _checked((*leading(size, ()), *own), own, partial(method, alpha, size))
    name = "older_dirichlet" if older else "dirichlet"
    if not older and len(alpha) and parameters.max() < _SPARSE:
        name = "sparse_dirichlet"
    return _rows(source, name, FLOAT64, shape, (parameters,))


def multivariate_hypergeometric(
    source: Source, method: Callable[..., Any], colors: Any, nsample: Any, size: Any, how: Any
) -> Any:
    """Return how many of each color are in a sample."""
    colors, nsample, size = exported(colors), exported(nsample), exported(size)
    method(colors, nsample, 0, how)
    counts = np.asarray(colors, np.float64)
    own = (len(counts),)
    ask = partial(method, colors, nsample, size, how)
    shape = _checked((*leading(size, ()), *own), own, ask)
    sample = np.asarray(nsample, np.float64)
    if counts.sum() >= EXACT:
        raise OverflowError(f"sum(colors) must be less than {EXACT}")
    return _rows(source, f"hypergeometric_{how}", INT64, shape, (counts, sample))
