"""Oracles and operands of the special functions of two and three operands, in mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
Operands = Callable[[numpy.random.Generator, int], list[Array]]
INF, NAN = float("inf"), float("nan")


class Special(NamedTuple):
    """A special function."""

    bound: float
    """Of the error in float64, in units in the last place of the oracle's scale."""
    cases: tuple[tuple[Callable[..., tuple[Any, Any]], Operands], ...]
    """Functions that give a result and the scale of its error, and operands."""
    values: tuple[tuple[float, ...], ...]
    """Operands and the result."""


def _mp() -> Any:
    import mpmath  # type: ignore[import-untyped, unused-ignore]

    return mpmath.mp


def lgamma(x: Any) -> Any:
    mp = _mp()
    if x <= 0 and x == mp.floor(x):
        return mp.inf
    if x > 0:
        return mp.loggamma(x)
    return mp.log(mp.pi / abs(x * mp.sinpi(x))) - mp.loggamma(-x)


def digamma(x: Any) -> Any:
    mp = _mp()
    if x == mp.inf:
        return x
    return mp.nan if x <= 0 and x == mp.floor(x) else mp.psi(0, x)


def erf_inv(x: Any) -> Any:
    mp = _mp()
    size = abs(x)
    if size >= 1:
        return x * mp.inf if size == 1 else mp.nan
    w = -mp.log1p(-x * x)
    y = mp.sqrt(w) * mp.mpf("0.9")
    for _ in range(8):  # Halley's steps
        step = mp.erfc(y) - (1 - size) if size > 0.5 else size - mp.erf(y)
        step *= mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step / (1 - y * step)
    return mp.sign(x) * y


def scaled_bessel(order: int) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        mp = _mp()
        size = abs(x)
        if size < 10**6:
            return mp.besseli(order, x) * mp.exp(-size)
        if size == mp.inf:
            return mp.mpf(0)
        half = mp.mpf(1) / 2
        series = mp.hyp2f0(half - order, half + order, 1 / (2 * size))
        return mp.sign(x) ** order * series / mp.sqrt(2 * mp.pi * size)

    return function


def i0(x: Any) -> Any:
    mp = _mp()
    # Far beyond the range of float64.
    return mp.besseli(0, x) if abs(x) < 10**4 else mp.inf


def zeta(s: Any, q: Any) -> Any:
    mp = _mp()
    if q < 0:
        f = q - mp.floor(q)
        return zeta(s, f) + (-1) ** int(s) * (zeta(s, 1 - f) - zeta(s, 1 - q))
    terms = 60  # and the Euler-Maclaurin formula
    a = q + terms
    total = mp.fsum((q + k) ** -s for k in range(terms))
    total += a ** (1 - s) / (s - 1) + a**-s / 2
    term = s * a ** (-s - 1)
    for k in range(1, 12):
        total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * term
        term *= (s + 2 * k - 1) * (s + 2 * k) / a / a
    return total


def polygamma(n: Any, x: Any) -> Any:
    mp = _mp()
    if n == 0:
        return mp.psi(0, x)
    return -((-1) ** int(n)) * mp.factorial(n) * zeta(n + 1, x)


def _gamma_parts(a: Any, x: Any) -> tuple[Any, Any]:
    """P and Q, the smaller not as a difference."""
    mp = _mp()
    least = mp.mpf(10) ** -45
    factor = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
    if x < a or x < 30:
        total = term = mp.mpf(1)
        n = 0
        while term > total * least:
            n += 1
            term *= x / (a + n)
            total += term
        p = total * factor
        return p, 1 - p
    b = x + 1 - a
    under = 1 / b
    over = mp.inf
    value = under
    i = 0
    change = mp.mpf(1)
    while abs(change) > least:
        i += 1
        numerator = -i * (i - a)
        b += 2
        under = 1 / (numerator * under + b)
        over = b + numerator / over
        change = under * over - 1
        value *= under * over
    q = value * factor * a
    return 1 - q, q


def igamma(a: Any, x: Any) -> Any:
    return _gamma_parts(a, x)[0]


def igammac(a: Any, x: Any) -> Any:
    return _gamma_parts(a, x)[1]


def igamma_grad_a(a: Any, x: Any) -> Any:
    mp = _mp()
    h = a * mp.mpf(10) ** -18
    k = 1 if x > a else 0
    difference = _gamma_parts(a + h, x)[k] - _gamma_parts(a - h, x)[k]
    return (-1) ** k * difference / (2 * h)


def random_gamma_grad(a: Any, x: Any) -> Any:
    mp = _mp()
    return -igamma_grad_a(a, x) / mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def regularized_incomplete_beta(a: Any, b: Any, x: Any) -> Any:
    if (a + 1) < (a + b + 2) * x:
        return 1 - _beta_to_mean(b, a, 1 - x)
    return _beta_to_mean(a, b, x)


def _beta_to_mean(a: Any, b: Any, x: Any) -> Any:
    """By the continued fraction 1 / (1 + d1 / (1 + d2 / ...)), as written."""
    mp = _mp()
    under, over, value = mp.mpf(0), mp.mpf(1), mp.mpf(1)
    change = mp.mpf(1)
    m = 0
    while abs(change) > mp.mpf(10) ** -40:
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        change = mp.mpf(1)
        for d in (odd, even):
            under = 1 / (1 + d * under)
            over = 1 + d / over
            value *= under * over
            change *= under * over
        change -= 1
    logs = mp.loggamma(a + b) - mp.loggamma(a + 1) - mp.loggamma(b)
    return mp.exp(a * mp.log(x) + b * mp.log1p(-x) + logs) / value


def relative(oracle: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    """With the scale of a relative error."""

    def function(*operands: Any) -> tuple[Any, Any]:
        value = oracle(*operands)
        return value, abs(value)

    return function


def zeta_below(s: Any, q: Any) -> tuple[Any, Any]:
    """zeta(s, q) for q < 0, the difference of sums that are no larger than the scale."""
    f = q - _mp().floor(q)
    return zeta(s, q), zeta(s, f) + zeta(s, 1 - f)


def _powers(rng: numpy.random.Generator, low: float, high: float, count: int) -> Array:
    return 10 ** rng.uniform(low, high, count)


def integers_and_below(rng: numpy.random.Generator, count: int) -> list[Array]:
    below = -rng.integers(0, 50, count) - rng.uniform(0.1, 0.9, count)
    return [rng.integers(2, 20, count) * 1.0, below]


def _large_orders(rng: numpy.random.Generator, count: int) -> list[Array]:
    """Where zeta may underflow, but not n! times zeta."""
    n = rng.integers(1, 171, count) * 1.0
    return [n, n * rng.uniform(0.25, 0.6, count)]


def _near(rng: numpy.random.Generator, count: int) -> list[Array]:
    a = _powers(rng, 1.4, 4, count)
    return [a, abs(a + rng.uniform(-4, 4, count) * numpy.sqrt(a))]


def _wide(rng: numpy.random.Generator, count: int) -> list[Array]:
    a = _powers(rng, -3, 2, count)
    return [a, a * _powers(rng, -1, 0.5, count)]


def _near_mean(rng: numpy.random.Generator, count: int) -> list[Array]:
    a, b = _powers(rng, -1, 4, count), _powers(rng, -1, 4, count)
    spread = numpy.sqrt(a * b / (a + b + 1)) / (a + b)
    x = a / (a + b) + rng.uniform(-4, 4, count) * spread
    return [a, b, numpy.clip(x, 1e-6, 0.9999)]


def _near_ends(rng: numpy.random.Generator, count: int) -> Array:
    """Probabilities, half of them near 0 and half near 1."""
    small = _powers(rng, -9, -0.3, count)
    return numpy.where(numpy.arange(count) % 2, small, 1 - small)


def _in_the_tails(rng: numpy.random.Generator, count: int) -> list[Array]:
    """Down to some exp(-500)."""
    a = _powers(rng, 0.9, 2.4, count)
    return [a, a * _powers(rng, -1.2, 0.55, count)]


GAMMA_OPERANDS: tuple[Operands, ...] = (
    _near,
    _wide,
    _in_the_tails,
    lambda rng, n: [_powers(rng, -8, 0, n), _powers(rng, -8, 1.5, n)],
)


def _gamma_cases(oracle: Callable[..., Any]) -> tuple[tuple[Callable[..., Any], Operands], ...]:
    return tuple((relative(oracle), operands) for operands in GAMMA_OPERANDS)


HARD_FOR_BETA = (
    (4126.781505534238, 1.442904099139343, 0.9994887651060016),
    (5066.066144288066, 2.5444093135636576, 0.9993212553399459),
    (1386.2881745297163, 1.3373068232316796, 0.9983747013796238),
    (1337.7702631349282, 66.98112770853703, 0.9519749520837723),
    (0.4590578079555255, 6.155623114795573e-06, 0.6509247157043139),
    (2.313015977874202, 3.2222882418390256e-06, 0.7688952776093537),
)
"""Where roundings of a first step of a fraction, or of a small logarithm, cost 5 to 8 units."""


def _hard_for_beta(_: numpy.random.Generator, count: int) -> list[Array]:
    return list(numpy.resize(HARD_FOR_BETA, (count, 3)).T.copy())


OUTSIDE = ((-1, 1, NAN), (1, -1, NAN), (NAN, 1, NAN), (1, NAN, NAN), (0, 0, NAN))
SPECIAL = {
    "zeta": Special(
        4,
        (
            (
                relative(zeta),
                lambda rng, n: [1 + _powers(rng, -4, 2, n), _powers(rng, -2, 3, n)],
            ),
            (
                relative(zeta),
                lambda rng, n: [rng.uniform(1.1, 5, n), _powers(rng, -5, 30, n)],
            ),
            (zeta_below, integers_and_below),
        ),
        (
            *((1, 2, INF), (1, NAN, INF), (0.5, 2, NAN), (-1, 2, NAN), (2, NAN, NAN)),
            *((2, 0, INF), (2, -1, INF), (3, -1, NAN), (2.5, -1.5, NAN), (2, -INF, INF)),
            *((INF, 2, 0), (INF, 1, 1), (INF, 0.5, INF), (2, INF, 0), (NAN, 2, NAN)),
        ),
    ),
    "polygamma": Special(
        4,
        (
            (
                relative(polygamma),
                lambda rng, n: [rng.integers(1, 30, n) * 1.0, _powers(rng, -1, 3, n)],
            ),
            (relative(polygamma), _large_orders),
        ),
        (
            *((1, 0, INF), (2, 0, NAN), (1, -1, INF), (2, -1, NAN), (0, 0, NAN)),
            *((-1, 2, NAN), (1.5, 2, NAN), (171, 2, NAN), (1, INF, 0), (0, INF, INF)),
        ),
    ),
    "igamma": Special(
        3,
        _gamma_cases(igamma),
        (*OUTSIDE, (0, 1, 1), (1, 0, 0), (1, INF, 1), (INF, 1, 0), (INF, INF, 1)),
    ),
    "igammac": Special(
        3,
        _gamma_cases(igammac),
        (*OUTSIDE, (0, 1, 0), (1, 0, 1), (1, INF, 0), (INF, 1, 1), (INF, INF, 0)),
    ),
    "igamma_grad_a": Special(3, _gamma_cases(igamma_grad_a), (*OUTSIDE, (1, 0, 0), (0, 1, NAN))),
    "random_gamma_grad": Special(
        3, _gamma_cases(random_gamma_grad), (*OUTSIDE, (1, 0, 0), (0, 1, NAN))
    ),
    "regularized_incomplete_beta": Special(
        4,
        (
            (relative(regularized_incomplete_beta), _hard_for_beta),
            (relative(regularized_incomplete_beta), _near_mean),
            (
                relative(regularized_incomplete_beta),
                lambda rng, n: [*_powers(rng, -6, 1, 2 * n).reshape(2, n), rng.uniform(0, 1, n)],
            ),
            (
                relative(regularized_incomplete_beta),
                lambda rng, n: [*_powers(rng, -4, 2, 2 * n).reshape(2, n), _near_ends(rng, n)],
            ),
        ),
        (
            *((0, 1, 0.5, 1), (1, 0, 0.5, 0), (0, 0, 0.5, NAN), (1, 1, 0, 0), (1, 1, 1, 1)),
            *((2, 3, -1, NAN), (2, 3, 2, NAN), (-1, 1, 0.5, NAN), (1, -1, 0.5, NAN)),
            *((INF, 1, 0.5, 0), (1, INF, 0.5, 1), (INF, INF, 0.5, NAN), (NAN, 1, 0.5, NAN)),
            *((1, NAN, 0.5, NAN), (1, 1, NAN, NAN), (0, 1, 0, 0), (1, 0, 1, 1), (INF, 1, 1, 1)),
        ),
    ),
}
