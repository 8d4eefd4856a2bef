"""The Black-Scholes price of many options, in float32."""

from typing import Any

from benchmarks.case import JAX, JIT, JUJUNP, NUMPY, Bound, Case, Work
from benchmarks.measures import hot

RATE, VOLATILITY = 0.03, 0.25
# The normal distribution by Abramowitz and Stegun, 26.2.17.
SLOPE = 0.2316419
COEFFICIENTS = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)


def black_scholes(np: Any, size: int) -> Work:
    """Return the price of a call and of a put for each spot price, strike and time."""

    def normal(x: Any) -> Any:
        k = 1.0 / (1.0 + SLOPE * np.abs(x))
        series = 0.0 * k
        for coefficient in reversed(COEFFICIENTS):
            series = k * (coefficient + series)
        tail = 0.3989422804 * np.exp(-0.5 * x * x) * series
        return np.where(x > 0, 1.0 - tail, tail)

    def work(spot: Any, strike: Any, years: Any) -> Any:
        spread = VOLATILITY * np.sqrt(years)
        d1 = (np.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
        d2 = d1 - spread
        discounted = strike * np.exp(-RATE * years)
        call = spot * normal(d1) - discounted * normal(d2)
        return call + (call - spot + discounted)

    position = np.linspace(0.0, 1.0, size).astype(np.float32)
    return work, (80 + 40 * position, 120 - 40 * position, 0.1 + 2 * position)


CASES = [
    Case(
        "Black-Scholes, 4M float32, compiled",
        black_scholes,
        hot,
        4_000_000,
        100,
        (Bound(1 / 8, NUMPY), Bound(1.2, JIT)),
        (NUMPY, JAX, JIT, JUJUNP),
        "always",
    )
]
