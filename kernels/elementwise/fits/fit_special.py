"""Writes special_coefficients.mojo: what the special functions are made of.

Run `python fit_special.py > special_coefficients.mojo` after a change; it needs mpmath. The
polynomials interpolate at Chebyshev's points, which is within a small factor of the best, and
cheap for functions that are slow to evaluate.
"""

from collections.abc import Callable
from typing import NamedTuple

from fit_coefficients import (  # type: ignore[import-not-found, unused-ignore]
    Function,
    array,
    literal,
    nonzero,
    parts,
    rounded,
)
from mpmath import mp, mpf  # type: ignore[import-not-found, import-untyped, unused-ignore]

PRECISION = 240  # bits
LEAST_TAIL = 7  # from here on, lgamma and digamma are asymptotic series
TEMME_LEAST = 30  # from here on, the incomplete gamma function is Temme's series
TEMME_RANGE = mpf("0.37")  # of its variable eta
TEMME_ORDERS = 11
BERNOULLI_COUNT = 12
MAX_FACTORIAL = 170


class Fit(NamedTuple):
    """A polynomial in an interval. Without a float32 degree it is for float64 only."""

    name: str
    meaning: str
    function: Function
    low: mpf
    high: mpf
    degree_f64: int
    degree_f32: int | None = None


def interpolant(fit: Fit, degree: int) -> list[mpf]:
    """The polynomial's coefficients, constant term first."""
    count = degree + 1
    middle, half = (fit.low + fit.high) / 2, (fit.high - fit.low) / 2
    points = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    slopes = [fit.function(x) for x in points]  # divided differences, in place
    for order in range(1, count):
        for i in reversed(range(order, count)):
            slopes[i] = (slopes[i] - slopes[i - 1]) / (points[i] - points[i - order])
    coefficients = [mpf(0)] * count
    for x, slope in zip(reversed(points), reversed(slopes), strict=True):
        shifted = [mpf(0), *coefficients[:-1]]
        coefficients = [a - x * b for a, b in zip(shifted, coefficients, strict=True)]
        coefficients[0] += slope
    return coefficients


def digamma_zero() -> mpf:
    """The zero of digamma above 0."""
    return mp.findroot(lambda x: mp.psi(0, x), mpf("1.4616"))


def erf_inv_ratio(w: mpf) -> mpf:
    """erf_inv(x) / x where w = -log(1 - x**2)."""
    if w < mpf(10) ** -30:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    rest = mp.exp(-w) / (1 + x)  # 1 - x
    y = mp.sqrt(w) * mpf("0.9")
    for _ in range(12):
        step = (mp.erfc(y) - rest) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step / (1 - y * step)  # Halley's
    return y / x


def of_inverse_square(function: Function) -> Function:
    """z -> function(1 / sqrt(z)), with its limit at 0."""
    return lambda z: function(1 / mp.sqrt(max(z, mpf(10) ** -20)))


def stirling_rest(x: mpf) -> mpf:
    """x times what Stirling's formula for lgamma(x) lacks."""
    return (mp.loggamma(x) - ((x - mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)) * x


def digamma_rest(x: mpf) -> mpf:
    """x**2 (log(x) - 1 / (2 x) - digamma(x))."""
    return (mp.log(x) - 1 / (2 * x) - mp.psi(0, x)) * x * x


def scaled_bessel(order: int) -> Function:
    """16 / x - 1 -> sqrt(x) exp(-x) I(x)."""

    def function(t: mpf) -> mpf:
        x = 16 / (1 + t) if t > -1 + mpf(10) ** -12 else mpf(10) ** 13
        return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)

    return function


def of_quarter_square(function: Function) -> Function:
    """z -> function(2 sqrt(z)), with its limit at 0."""
    return lambda z: function(2 * mp.sqrt(max(z, mpf(10) ** -20)))


def fits() -> list[Fit]:
    """The table of polynomials. z is the square of the argument, or of its inverse."""
    zero, half, quarter = mpf(0), mpf(1) / 2, mpf(1) / 4
    root = digamma_zero()
    tail = mpf(1) / LEAST_TAIL**2
    return [
        Fit(
            "ERF_INV",
            "erf_inv(x) = x + x p(w - 3), w = -log(1 - x**2) <= 6.25",
            lambda v: erf_inv_ratio(v + 3) - 1,
            mpf(-3),
            mpf("3.25"),
            23,
            10,
        ),
        Fit(
            "ERF_INV_TAIL",
            "erf_inv(x) = x (s + s p(1 / s - 1 / 4)), s = sqrt(w) >= 2.5",
            lambda v: erf_inv_ratio(1 / (v + quarter) ** 2) * (v + quarter) - 1,
            1 / mpf("6.02") - quarter,
            mpf("0.4") - quarter,
            27,
            8,
        ),
        Fit(
            "LGAMMA_ONE",
            "lgamma(1 + t) = t p(t)",
            nonzero(lambda t: mp.loggamma(1 + t) / t),
            mpf("-0.3"),
            half,
            23,
        ),
        Fit(
            "LGAMMA_TWO",
            "lgamma(2 + t) = t p(t)",
            nonzero(lambda t: mp.loggamma(2 + t) / t),
            -half,
            half,
            18,
        ),
        Fit(
            "STIRLING",
            "lgamma(x) = (x - 1/2) log(x) - x + log(2 pi) / 2 + p(z) / x",
            of_inverse_square(stirling_rest),
            zero,
            tail,
            6,
        ),
        Fit(
            "SIN_PI",
            "sin(pi x) = x (pi + z p(z))",
            of_root_of_square(lambda x: (mp.sin(mp.pi * x) / x - mp.pi) / x**2),
            zero,
            quarter,
            8,
        ),
        Fit(
            "DIGAMMA",
            "digamma(x) = (x - x0) p(x - 1.625), 1 <= x <= 2.25",
            lambda v: mp.psi(0, v + mpf("1.625")) / (v + mpf("1.625") - root),
            mpf("-0.625"),
            mpf("0.625"),
            24,
        ),
        Fit(
            "DIGAMMA_TAIL",
            "digamma(x) = log(x) - 1 / (2 x) - z p(z)",
            of_inverse_square(digamma_rest),
            zero,
            tail,
            7,
        ),
        Fit(
            "I0",
            "i0(x) = 1 + z p(z), z = x**2 / 4 <= 16",
            of_quarter_square(lambda x: (mp.besseli(0, x) - 1) / (x * x / 4)),
            zero,
            mpf(16),
            19,
        ),
        Fit(
            "I0_TAIL",
            "i0(x) = exp(x) / sqrt(x) p(16 / x - 1)",
            scaled_bessel(0),
            mpf(-1),
            mpf(1),
            25,
        ),
        Fit(
            "I1",
            "i1(x) = x / 2 (1 + z p(z)), z = x**2 / 4 <= 16",
            of_quarter_square(lambda x: (2 * mp.besseli(1, x) / x - 1) / (x * x / 4)),
            zero,
            mpf(16),
            19,
        ),
        Fit(
            "I1_TAIL",
            "i1(x) = exp(x) / sqrt(x) p(16 / x - 1)",
            scaled_bessel(1),
            mpf(-1),
            mpf(1),
            25,
        ),
    ]


def of_root_of_square(function: Function) -> Function:
    """z -> function(sqrt(z)), with its limit at 0."""
    return lambda z: function(mp.sqrt(max(z, mpf(10) ** -20)))


def stirling_factors(count: int) -> list[mpf]:
    """g of gamma(a) = sqrt(2 pi / a) (a / e)**a (g[0] + g[1] / a + ...)."""
    logs = [mpf(0)] * count  # of the sum, a series in 1 / a
    for k in range(1, count):
        if k % 2:
            logs[k] = mp.bernoulli(k + 1) / (k * (k + 1))
    factors = [mpf(1)]
    for n in range(1, count):
        factors.append(mp.fsum(k * logs[k] * factors[n - k] for k in range(1, n + 1)) / n)
    return factors


def temme_inverse(count: int) -> list[mpf]:
    """m of 1 / mu = 1 / eta + m[0] + m[1] eta + ..., eta**2 / 2 = mu - log(1 + mu)."""
    # From mu mu' = eta (1 + mu), order by order.
    mu = [mpf(0), mpf(1)]
    for n in range(2, count + 2):
        known = mp.fsum(i * mu[i] * mu[n + 1 - i] for i in range(2, n))
        mu.append((mu[n - 1] - known) / (n + 1))
    inverse = [mpf(1)]  # of mu / eta
    for n in range(1, count + 1):
        inverse.append(-mp.fsum(mu[i + 1] * inverse[n - i] for i in range(1, n + 1)))
    return inverse[1:]


def temme() -> list[list[mpf]]:
    """The coefficients in powers of eta of each power of 1 / a in Temme's series."""
    count = 24 + 2 * TEMME_ORDERS
    inverse = temme_inverse(count)
    factors = stirling_factors(TEMME_ORDERS)
    row = inverse
    rows = []
    for k in range(TEMME_ORDERS):
        if k:
            last = row
            row = [
                (n + 2) * last[n + 2] + (-1) ** k * factors[k] * inverse[n]
                for n in range(len(last) - 2)
            ]
        size = mpf(TEMME_LEAST) ** -k
        kept = [n for n, c in enumerate(row) if abs(c) * TEMME_RANGE**n * size > mpf(10) ** -18]
        rows.append(row[: max(2, max(kept, default=0) + 1)])
    return rows


def tables() -> list[tuple[str, str, Callable[[], list[mpf]]]]:
    """Name, meaning and values of the arrays that are no polynomials."""
    return [
        (
            "ZETA_TAIL",
            "B(2 k) / (2 k)! of the Euler-Maclaurin formula, from k = 1 on",
            lambda: [
                mp.bernoulli(2 * k) / mp.factorial(2 * k) for k in range(1, BERNOULLI_COUNT + 1)
            ],
        ),
        ("FACTORIAL", "n!", lambda: [mp.factorial(n) for n in range(MAX_FACTORIAL + 1)]),
        ("DIGAMMA_ZERO", "x0, in parts", lambda: [*map(mpf, parts(digamma_zero(), 2, "F64"))]),
        ("PI", "pi, in parts", lambda: [*map(mpf, parts(+mp.pi, 2, "F64"))]),
    ]


def short_literal(value: mpf, dtype: str) -> str:
    """The float nearest to `value`, written as mblack has it."""
    text: str = literal(rounded(value, dtype), dtype)
    return text.replace("e+", "e")


def main() -> None:
    """Prints the Mojo source."""
    mp.prec = PRECISION
    print('"""Polynomials of the special functions. Written by fit_special.py."""')
    for fit in fits():
        print(f"\n# {fit.meaning}")
        for dtype, degree in (("F64", fit.degree_f64), ("F32", fit.degree_f32)):
            if degree is not None:
                texts = [short_literal(c, dtype) for c in interpolant(fit, degree)]
                print(array(f"{fit.name}_{dtype}", texts, "Float64"), end="")
    for name, meaning, values in tables():
        print(f"\n# {meaning}")
        texts = [short_literal(c, "F64") for c in values()]
        print(array(f"{name}_F64", texts, "Float64"), end="")
    for k, row in enumerate(temme()):
        print(f"\n# The factor of a**-{k} in Temme's series: powers of eta.")
        texts = [short_literal(c, "F64") for c in row]
        print(array(f"TEMME{k}_F64", texts, "Float64"), end="")


if __name__ == "__main__":
    main()
