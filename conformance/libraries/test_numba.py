"""Functions that Numba compiles: those whose text names our module, given our arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numba
import numpy
import pytest

import jujunp as np
from jujunp import sqrt
from jujunp.linalg import norm

if TYPE_CHECKING:
    from collections.abc import Callable

WEIGHTS = np.arange(4.0)
STEP = np.sqrt(np.float64(2.0))


def _names(x: Any) -> Any:
    y = np.zeros(x.shape[0], dtype=np.float64)
    for k in range(len(x)):
        y[k] = np.sqrt(x[k]) + sqrt(x[k]) * np.pi
    return y, np.linalg.norm(x) + norm(y), np.full((2, 2), np.nan), np.cumsum(x)


def _constants(x: Any) -> Any:
    return x * WEIGHTS[1] + STEP


def _repeated(x: Any) -> Any:
    y = x
    for _ in range(3):
        y = y * 2
    return y


def _chosen(x: Any) -> Any:
    return x if x[0] > 1 else np.empty(4)


def _listed(x: Any) -> Any:
    both = [x, np.ones(4)]
    return both[1] + both[0]


def _swapped(x: Any) -> Any:
    for _ in range(3):
        x, old = np.empty_like(x), x
        x[:] = old + 1
    return x


def _picked(x: Any) -> Any:
    return x[x > 2], np.where(x > 2)[0], np.argsort(-x), np.unique(x)


FUNCTIONS = [_names, _constants, _repeated, _chosen, _listed, _swapped, _picked]


def _plain(found: Any) -> list[Any]:
    return [numpy.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]


pytestmark = pytest.mark.usefixtures("not_strict")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_compiled_as_called(function: Callable[[Any], Any]) -> None:
    """What a function gives when Python calls it, it gives compiled, for arrays of either kind."""
    x = numpy.arange(4.0) + 1.5
    compiled = numba.njit(function)
    wanted = _plain(function(np.array(x)))
    for given in (x, np.array(x), np.arange(16.0)[3:7:1] - 1.5):
        for one, other in zip(_plain(compiled(given)), wanted, strict=True):
            numpy.testing.assert_allclose(one, other, rtol=1e-12)


def test_signatures() -> None:
    """Functions that are compiled before they see an array, and classes with typed members."""
    x = np.arange(4.0)
    assert numba.njit("f8(f8[:])")(lambda y: y.sum())(x) == 6

    @numba.experimental.jitclass([("kept", numba.float64[:]), ("other", numba.typeof(x))])
    class Keeper:
        def __init__(self, x):  # type: ignore[no-untyped-def]
            self.kept, self.other = x, x.copy()

        def total(self):  # type: ignore[no-untyped-def]
            return np.sum(self.kept) + self.other[3]

    keeper = Keeper(x)
    x[0] = 10
    assert keeper.total() == 19


def test_parallel() -> None:
    """Loops on several threads, and ufuncs."""

    @numba.njit(parallel=True)
    def total(x):  # type: ignore[no-untyped-def]
        found = 0.0
        for k in numba.prange(x.shape[0]):
            found += np.exp(x[k])
        return found + np.sum(x**2)

    x = np.linspace(0, 1, 1000)
    assert math.isclose(total(x), float(np.exp(x).sum() + (x**2).sum()), rel_tol=1e-12)
    larger = numba.vectorize(lambda a, b: np.maximum(a, b))(x, 0.5)
    assert isinstance(larger, np.ndarray)
    assert float(larger.min()) == 0.5


def test_strangers_are_refused() -> None:
    """What is no array is told apart as before."""
    with pytest.raises(TypeError, match="No matching definition"):
        numba.njit("f8(f8[:])")(lambda y: y.sum())([1.0])
    with pytest.raises(AttributeError, match="no_such_function"):
        numba.njit(lambda y: np.no_such_function(y))(np.ones(2))
