"""`numpy.random`: generators, whose numbers our kernels draw with NumPy's bits for the same seed.

What is drawn is recorded like any step, and the state of the generator is carried from draw to
draw, so that nothing is computed before it is needed. Generators are subclasses of NumPy's. Under
`vmap` they draw for each element of the batch.
"""

from __future__ import annotations

from typing import Any

from numpy import random as _numpy
from numpy.random import BitGenerator

from ._bit_generators import MT19937, PCG64, PCG64DXSM, SFC64, Philox, SeedSequence
from ._draws.arguments import exported as _exported
from ._generator import Generator, default_rng
from ._random_state import RandomState
from .mtrand import _rand

_METHODS = (
    *("beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma"),
    *("geometric", "get_state", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal"),
    *("logseries", "multinomial", "multivariate_normal", "negative_binomial"),
    *("noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation", "poisson"),
    *("power", "rand", "randint", "randn", "random", "random_integers", "random_sample"),
    *("rayleigh", "set_state", "shuffle", "standard_cauchy", "standard_exponential"),
    *("standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises"),
    *("wald", "weibull", "zipf"),
)


def seed(seed: Any = None) -> None:
    """Seed the generator of this module's functions, and that of NumPy's, which libraries use."""
    bits = _rand._bit_generator
    if isinstance(bits, _numpy.MT19937):
        _rand.seed(seed)
    else:
        _rand.set_state(type(bits)(_exported(seed)).state)
    _numpy.seed(_exported(seed))


def get_bit_generator() -> Any:
    """Return the bit generator of this module's functions."""
    return _rand._bit_generator


def set_bit_generator(bitgen: Any) -> None:
    """Have the functions of this module draw from another bit generator."""
    _rand.__init__(bitgen)  # type: ignore[misc]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'jujunp.random' has no attribute {name!r}")
    return getattr(_numpy, name)  # its modules


globals().update({name: getattr(_rand, name) for name in _METHODS})
ranf = sample = _rand.random_sample

__all__ = [
    "BitGenerator",
    "Generator",
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "RandomState",
    "SFC64",
    "SeedSequence",
    "default_rng",
    "get_bit_generator",
    "ranf",
    "sample",
    "seed",
    "set_bit_generator",
    *_METHODS,
]
