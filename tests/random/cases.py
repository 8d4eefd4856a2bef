"""What the tests of random numbers share: calls of all distributions, and comparing states."""

from __future__ import annotations

from typing import Any

import numpy as np

import jujunp

GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
CONTINUOUS: dict[str, list[tuple[Any, ...]]] = {
    "uniform": [(), (-1.0, 3.0)],
    "normal": [(), (1.0, 3.0)],
    "exponential": [(), (2.5,)],
    "gamma": [(0.5, 2.0), (1.0, 2.0), (2.5,)],
    "standard_gamma": [(0.5,), (1.0,), (2.5,), (0.0,)],
    "beta": [(0.5, 0.7), (2.0, 0.7), (1e-3, 2e-3)],
    "chisquare": [(3.0,)],
    "noncentral_chisquare": [(3.0, 1.5), (0.3, 1.5), (0.3, 0.0)],
    "f": [(3.0, 4.0)],
    "noncentral_f": [(3.0, 4.0, 1.0)],
    "standard_t": [(4.0,)],
    "vonmises": [(1.0, 2.0), (1.0, 1e-9), (1.0, 1e-6), (-3.0, 1e7)],
    "pareto": [(3.0,)],
    "weibull": [(3.0,), (0.0,)],
    "power": [(3.0,)],
    "laplace": [(), (1.0, 2.0)],
    "gumbel": [(), (1.0, 2.0)],
    "logistic": [(), (1.0, 2.0)],
    "lognormal": [(), (1.0, 2.0)],
    "rayleigh": [(), (2.0,)],
    "wald": [(2.0, 3.0)],
    "triangular": [(1.0, 2.0, 4.0)],
    "standard_normal": [()],
    "standard_exponential": [()],
    "standard_cauchy": [()],
}
DISCRETE: dict[str, list[tuple[Any, ...]]] = {
    "poisson": [(), (3.0,), (30.0,), (1e12,), (0.0,)],
    "binomial": [(10, 0.3), (1000, 0.3), (1000, 0.8), (10**9, 0.8), (0, 0.3), (5, 0.0)],
    "negative_binomial": [(3.0, 0.3)],
    "geometric": [(0.1,), (0.5,), (1.0,)],
    "hypergeometric": [(10, 20, 5), (10, 20, 15), (1000, 2000, 150), (2000, 1000, 2500)],
    "zipf": [(1.5,), (4.0,)],
    "logseries": [(0.3,), (0.99,)],
}
ALL = {**CONTINUOUS, **DISCRETE}
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "multinomial": [
        *((1000, [0.2, 0.3, 0.1, 0.4]), (3, [0.5, 0.5]), (0, [0.5, 0.5])),
        *((5, [0.0, 1.0]), (5, [1.0, 0.0])),
    ],
    "dirichlet": [([1.0, 2.0, 0.5],), ([0.05, 0.02, 0.01],)],
}


def pair(name: str, seed: int = 7, *, older: bool = False) -> tuple[Any, Any]:
    """Return a generator of ours and one of NumPy's of the same seed."""
    kind = "RandomState" if older else "Generator"
    return tuple(  # type: ignore[return-value]
        getattr(library.random, kind)(getattr(library.random, name)(seed))
        for library in (jujunp, np)
    )


def assert_same_state(ours: Any, theirs: Any) -> None:
    """Assert that two generators go on in the same way."""
    if isinstance(theirs, np.random.RandomState):
        found, wanted = (x.get_state(legacy=False) for x in (ours, theirs))
    else:
        found, wanted = ours.bit_generator.state, theirs.bit_generator.state
    np.testing.assert_equal(found, wanted)


def assert_same(found: Any, wanted: Any) -> None:
    """Assert that results are alike: in kind, dtype, shape and bits."""
    if isinstance(wanted, np.ndarray):
        assert type(found) is jujunp.ndarray
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(np.asarray(found), wanted)
    elif isinstance(wanted, np.generic) and type(found) is not type(wanted):
        assert found.dtype == wanted.dtype  # a scalar of ours
        assert found.item() == wanted.item()
    else:
        assert type(found) is type(wanted)
        np.testing.assert_equal(found, wanted)


def check_call(ours: Any, theirs: Any, name: str, *args: Any, **names: Any) -> None:
    """Assert that a method of both gives the same, or the same error."""
    outcomes = []
    for generator in (ours, theirs):
        try:
            outcomes.append(getattr(generator, name)(*args, **names))
        except Exception as error:  # whatever it raises
            outcomes.append(error)
    found, wanted = outcomes
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        assert type(found) is type(wanted), f"{found!r} instead of {wanted!r}"
        assert str(found) == str(wanted)
    else:
        assert_same(found, wanted)
