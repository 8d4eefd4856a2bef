"""The distributions that both generators have, with NumPy's parameters: methods of both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import FLOAT64, INT64, is_complex

from .._array.handle import element, scalar
from ._draws.arguments import Checks, Given, given, is_exact, shape_of
from ._draws.few import few
from ._draws.library import KINDS
from ._draws.state import Source, batch_sizes, element_of_batches, spread

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape


def _positive(a: float, b: float = 1.0, c: float = 1.0) -> bool:
    return a > 0 and b > 0 and c > 0


def _scaled(loc: float, scale: float) -> bool:
    return scale > 0


def _chance(p: float) -> bool:
    return 0 < p < 1


def _range_of(low: Any, high: Any) -> tuple[Any, Any]:
    return low, high - low


_MOST = 1e15
"""A mean up to which Poisson numbers are surely drawn."""
_POSITIVE = Checks(_positive, quick="positive")
_SCALED = Checks(_scaled, quick="scaled")

CHECKS: dict[str, Checks] = {
    **dict.fromkeys(("exponential", "gamma", "beta", "chisquare"), _POSITIVE),
    **dict.fromkeys(("noncentral_chisquare", "f", "noncentral_f"), _POSITIVE),
    **dict.fromkeys(("standard_gamma", "standard_t", "pareto", "weibull"), _POSITIVE),
    **dict.fromkeys(("power", "rayleigh", "wald"), _POSITIVE),
    **dict.fromkeys(("normal", "lognormal", "laplace", "gumbel", "logistic", "vonmises"), _SCALED),
    "uniform": Checks(lambda low, high: 0 < high - low < math.inf, made=_range_of, quick="range"),
    "triangular": Checks(
        lambda left, mode, right: left <= mode <= right and left < right, quick="order"
    ),
    "poisson": Checks(lambda lam: 0 <= lam < _MOST, quick="mean"),
    "binomial": Checks(lambda n, p: n >= 0 and _chance(p), whole=(0,), quick="trials"),
    "negative_binomial": Checks(lambda n, p: 0 < n < _MOST and 1e-9 < p < 1, quick="failures"),
    "geometric": Checks(_chance, quick="chance"),
    "hypergeometric": Checks(
        lambda good, bad, sample: (
            0 <= good < 10**9 and 0 <= bad < 10**9 and 1 <= sample <= good + bad
        ),
        whole=(0, 1, 2),
        quick="urn",
    ),
    "zipf": Checks(lambda a: a > 1, quick="steep"),
    "logseries": Checks(_chance, quick="chance"),
}
"""How the parameters of each distribution are checked."""
_WHOLE = frozenset(
    ("poisson", "binomial", "negative_binomial", "geometric", "hypergeometric", "zipf", "logseries")
)
"""Distributions of integers."""


class _Distribution:
    """A distribution: how its parameters are checked, and the kinds by which it is drawn."""

    __slots__ = ("checks", "fine", "kinds", "made", "name", "plain", "whole")

    def __init__(self, name: str, checks: Checks) -> None:
        self.name = name
        self.checks = checks
        self.fine = checks.fine
        self.made = checks.made
        self.plain = not checks.whole
        """Whether parameters that are floats are drawn with as they are."""
        self.kinds = KINDS[name], KINDS.get(f"older_{name}", KINDS[name])
        """Of Generator, and of RandomState."""
        self.whole = name in _WHOLE


_ALL = {name: _Distribution(name, checks) for name, checks in CHECKS.items()}


_BETA = _ALL["beta"]
_BINOMIAL = _ALL["binomial"]
_CHISQUARE = _ALL["chisquare"]
_EXPONENTIAL = _ALL["exponential"]
_F = _ALL["f"]
_GAMMA = _ALL["gamma"]
_GEOMETRIC = _ALL["geometric"]
_GUMBEL = _ALL["gumbel"]
_HYPERGEOMETRIC = _ALL["hypergeometric"]
_LAPLACE = _ALL["laplace"]
_LOGISTIC = _ALL["logistic"]
_LOGNORMAL = _ALL["lognormal"]
_LOGSERIES = _ALL["logseries"]
_NEGATIVE_BINOMIAL = _ALL["negative_binomial"]
_NONCENTRAL_CHISQUARE = _ALL["noncentral_chisquare"]
_NONCENTRAL_F = _ALL["noncentral_f"]
_NORMAL = _ALL["normal"]
_PARETO = _ALL["pareto"]
_POISSON = _ALL["poisson"]
_POWER = _ALL["power"]
_RAYLEIGH = _ALL["rayleigh"]
_STANDARD_T = _ALL["standard_t"]
_TRIANGULAR = _ALL["triangular"]
_UNIFORM = _ALL["uniform"]
_VONMISES = _ALL["vonmises"]
_WALD = _ALL["wald"]
_WEIBULL = _ALL["weibull"]
_ZIPF = _ALL["zipf"]


def _as_floats(parameters: tuple[Any, ...]) -> tuple[float, ...]:
    """Return floats in place of small integers and of scalars; none if anything is neither."""
    found = []
    for x in parameters:
        number = element(x) if isinstance(x, scalar) and not is_complex(x._code) else x
        if not isinstance(number, float) and not (type(number) is int and abs(number) < _EXACT):
            return ()
        found.append(float(number))
    return tuple(found)


_EXACT = 1 << 53
"""From here on not all integers are floats."""


class Distributions:
    """Methods that draw from a distribution, given its parameters and a size."""

    _source: Source
    _oracle: Any
    """A generator of NumPy's that is asked what it refuses."""
    _older = False
    """Whether the older generator's distributions are drawn, where it has its own."""

    def _draw_from(self, source: Source) -> None:
        """Have numbers drawn from a source."""
        self._source = source
        self._address = source.at

    def _draw(self, what: _Distribution, size: Any, *parameters: Any) -> Any:
        """Return numbers of a distribution: a Python number without a size."""
        kind = what.kinds[self._older]
        if what.plain and not WATCHES:
            numbers = parameters
            for x in parameters:
                if type(x) is not float:
                    numbers = _as_floats(parameters)
                    break
            if numbers and what.fine(*numbers):
                if what.made is not None:
                    numbers = what.made(*numbers)
                if size is not None:
                    code = INT64 if what.whole else FLOAT64
                    return self._source.numbers(kind, code, shape_of(size), *numbers)
                if what.whole:
                    return self._source.one_whole(kind, *numbers)
                return self._source.one_float(kind, *numbers)
        found = given(getattr(self._oracle, what.name), what.checks, parameters, size)
        if what.whole and not is_exact(found):
            return self._by_numpy(what.name, *parameters, size=size)
        if found.numbers is not None and size is None and not batch_sizes():
            if what.whole:
                return self._source.one_whole(kind, *found.numbers)
            return self._source.one_float(kind, *found.numbers)
        return self._array(kind, INT64 if what.whole else FLOAT64, found, size)

    def _array(self, kind: int, code: int, found: Given, size: Any) -> Any:
        """Return an array of numbers; under `vmap`, those of an element of the batch."""
        sizes = batch_sizes()
        if found.numbers is not None:
            shape: Shape = () if size is None else shape_of(size)
            drawn = self._source.numbers(kind, code, (*sizes, *shape), *found.numbers)
        else:
            whole = (*sizes, *found.shape)
            parameters = [spread(x, whole) for x in found.arrays]
            drawn = self._source.numbers_of(kind, code, whole, parameters)
        return element_of_batches(drawn) if sizes else drawn

    def _by_numpy(self, name: str, *args: Any, **names: Any) -> Any:
        """Have NumPy's method draw."""
        raise NotImplementedError

    # -- continuous

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        return self._draw(_BETA, size, a, b)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_EXPONENTIAL, size, scale)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_UNIFORM, size, low, high)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_NORMAL, size, loc, scale)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_GAMMA, size, shape, scale)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        return self._draw(_F, size, dfnum, dfden)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Any:
        return self._draw(_NONCENTRAL_F, size, dfnum, dfden, nonc)

    def chisquare(self, df: Any, size: Any = None) -> Any:
        return self._draw(_CHISQUARE, size, df)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Any:
        return self._draw(_NONCENTRAL_CHISQUARE, size, df, nonc)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        return self._draw(_STANDARD_T, size, df)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Any:
        return self._draw(_VONMISES, size, mu, kappa)

    def pareto(self, a: Any, size: Any = None) -> Any:
        return self._draw(_PARETO, size, a)

    def weibull(self, a: Any, size: Any = None) -> Any:
        return self._draw(_WEIBULL, size, a)

    def power(self, a: Any, size: Any = None) -> Any:
        return self._draw(_POWER, size, a)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_LAPLACE, size, loc, scale)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_GUMBEL, size, loc, scale)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_LOGISTIC, size, loc, scale)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_LOGNORMAL, size, mean, sigma)

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_RAYLEIGH, size, scale)

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Any:
        return self._draw(_WALD, size, mean, scale)

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        return self._draw(_TRIANGULAR, size, left, mode, right)

    # -- discrete

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._draw(_BINOMIAL, size, n, p)

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._draw(_NEGATIVE_BINOMIAL, size, n, p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        return self._draw(_POISSON, size, lam)

    def zipf(self, a: Any, size: Any = None) -> Any:
        return self._draw(_ZIPF, size, a)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self._draw(_GEOMETRIC, size, p)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        return self._draw(_HYPERGEOMETRIC, size, ngood, nbad, nsample)

    def logseries(self, p: Any, size: Any = None) -> Any:
        return self._draw(_LOGSERIES, size, p)


def _quicken(name: str, checks: Checks) -> None:
    """Have a method draw a few numbers without a Python frame."""
    family = "wholes" if name in _WHOLE else "floats"
    whole = sum(1 << place for place in checks.whole)
    quick = few(name, family, checks.quick, whole)
    setattr(Distributions, name, quick(getattr(Distributions, name)))


for _name, _checks in CHECKS.items():
    if _checks.quick and hasattr(Distributions, _name):
        _quicken(_name, _checks)
