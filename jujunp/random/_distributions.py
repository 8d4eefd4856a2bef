"""The distributions that both generators have, with NumPy's parameters: methods of both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jujunp.lazy.values.dtypes import FLOAT64, INT64

from .._array.array_likes import as_handle
from ._draws.arguments import Checks, Given, given, is_exact, shape_of
from ._draws.library import KINDS
from ._draws.state import Source, batch_sizes, element_of_batches, spread

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape


def _positive(*parameters: float) -> bool:
    return all(x > 0 for x in parameters)


def _scaled(loc: float, scale: float) -> bool:
    return scale > 0


def _chance(p: float) -> bool:
    return 0 < p < 1


def _range_of(low: Any, high: Any) -> tuple[Any, Any]:
    return low, high - low


_MOST = 1e15
"""A mean up to which Poisson numbers are surely drawn."""
_POSITIVE = Checks(_positive)
_SCALED = Checks(_scaled)

CHECKS: dict[str, Checks] = {
    **dict.fromkeys(("exponential", "gamma", "beta", "chisquare"), _POSITIVE),
    **dict.fromkeys(("noncentral_chisquare", "f", "noncentral_f"), _POSITIVE),
    **dict.fromkeys(("standard_gamma", "standard_t", "pareto", "weibull"), _POSITIVE),
    **dict.fromkeys(("power", "rayleigh", "wald"), _POSITIVE),
    **dict.fromkeys(("normal", "lognormal", "laplace", "gumbel", "logistic", "vonmises"), _SCALED),
    "uniform": Checks(lambda low, high: 0 < high - low < math.inf, made=_range_of),
    "triangular": Checks(lambda left, mode, right: left <= mode <= right and left < right),
    "poisson": Checks(lambda lam: 0 <= lam < _MOST),
    "binomial": Checks(lambda n, p: n >= 0 and _chance(p), whole=(0,)),
    "negative_binomial": Checks(lambda n, p: 0 < n < _MOST and 1e-9 < p < 1),
    "geometric": Checks(_chance),
    "hypergeometric": Checks(
        lambda good, bad, sample: (
            0 <= good < 10**9 and 0 <= bad < 10**9 and 1 <= sample <= good + bad
        ),
        whole=(0, 1, 2),
    ),
    "zipf": Checks(lambda a: a > 1),
    "logseries": Checks(_chance),
}
"""How the parameters of each distribution are checked."""
_WHOLE = frozenset(
    ("poisson", "binomial", "negative_binomial", "geometric", "hypergeometric", "zipf", "logseries")
)
"""Distributions of integers."""


class Distributions:
    """Methods that draw from a distribution, given its parameters and a size."""

    _source: Source
    _oracle: Any
    """A generator of NumPy's that is asked what it refuses."""
    _older = False
    """Whether the older generator's distributions are drawn, where it has its own."""

    def _draw(self, name: str, size: Any, *parameters: Any) -> Any:
        """Return numbers of a distribution: a Python number without a size."""
        checks = CHECKS[name]
        found = given(getattr(self._oracle, name), checks, parameters, size)
        kind = KINDS.get(f"older_{name}" if self._older else name, -1)
        if kind < 0:
            kind = KINDS[name]
        whole = name in _WHOLE
        if whole and not is_exact(found):
            return self._by_numpy(name, *parameters, size=size)
        if found.numbers is not None and size is None and not batch_sizes():
            draw: Any = self._source.one_whole if whole else self._source.one_float
            return draw(kind, *found.numbers)
        return self._array(kind, INT64 if whole else FLOAT64, found, size)

    def _array(self, kind: int, code: int, found: Given, size: Any) -> Any:
        """Return an array of numbers; under `vmap`, those of an element of the batch."""
        sizes = batch_sizes()
        if found.numbers is not None:
            shape: Shape = () if size is None else shape_of(size)
            drawn = self._source.numbers(kind, code, (*sizes, *shape), found.numbers)
        else:
            whole = (*sizes, *found.shape)
            parameters = [spread(as_handle(x), whole) for x in found.arrays]  # type: ignore[arg-type]
            drawn = self._source.numbers(kind, code, whole, parameters)
        return element_of_batches(drawn) if sizes else drawn

    def _by_numpy(self, name: str, *args: Any, **names: Any) -> Any:
        """Have NumPy's method draw."""
        raise NotImplementedError

    # -- continuous

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        return self._draw("beta", size, a, b)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("exponential", size, scale)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self._draw("uniform", size, low, high)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("normal", size, loc, scale)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("gamma", size, shape, scale)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        return self._draw("f", size, dfnum, dfden)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Any:
        return self._draw("noncentral_f", size, dfnum, dfden, nonc)

    def chisquare(self, df: Any, size: Any = None) -> Any:
        return self._draw("chisquare", size, df)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Any:
        return self._draw("noncentral_chisquare", size, df, nonc)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        return self._draw("standard_t", size, df)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Any:
        return self._draw("vonmises", size, mu, kappa)

    def pareto(self, a: Any, size: Any = None) -> Any:
        return self._draw("pareto", size, a)

    def weibull(self, a: Any, size: Any = None) -> Any:
        return self._draw("weibull", size, a)

    def power(self, a: Any, size: Any = None) -> Any:
        return self._draw("power", size, a)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("laplace", size, loc, scale)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("gumbel", size, loc, scale)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("logistic", size, loc, scale)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        return self._draw("lognormal", size, mean, sigma)

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("rayleigh", size, scale)

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Any:
        return self._draw("wald", size, mean, scale)

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        return self._draw("triangular", size, left, mode, right)

    # -- discrete

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._draw("binomial", size, n, p)

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._draw("negative_binomial", size, n, p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        return self._draw("poisson", size, lam)

    def zipf(self, a: Any, size: Any = None) -> Any:
        return self._draw("zipf", size, a)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self._draw("geometric", size, p)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        return self._draw("hypergeometric", size, ngood, nbad, nsample)

    def logseries(self, p: Any, size: Any = None) -> Any:
        return self._draw("logseries", size, p)
