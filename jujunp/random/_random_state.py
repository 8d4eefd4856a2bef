"""`RandomState`: NumPy's older generator, whose numbers our kernels draw."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import random as _numpy

from jujunp.lazy.run.sites import from_user_line, warn_user
from jujunp.lazy.values.dtypes import FLOAT64, INT64

from ._bit_generators import MT19937, made_for, named, source_of
from ._distributions import CHECKS
from ._draws import rows
from ._draws.arguments import OLDER_ORACLE, exported, given
from ._draws.choice import Choice, chosen_at_once
from ._draws.few import few
from ._draws.filling import fill
from ._draws.integers import integers
from ._draws.library import KINDS
from ._draws.normals import Covariance
from ._draws.ordering import places
from ._shared import Shared, for_each


class RandomState(Shared, _numpy.RandomState):
    """NumPy's older generator. Its numbers are arrays of this module."""

    _numpys = _numpy.RandomState
    _oracle = OLDER_ORACLE
    _older = True

    def __init__(self, seed: Any = None) -> None:
        seed = exported(seed)
        if not hasattr(seed, "capsule"):
            bit_generator = MT19937()
            if seed is not None:
                bit_generator._legacy_seeding(seed)
            seed = bit_generator
        with made_for(seed):
            super().__init__(seed)
        self._draw_from(source_of(seed, older=True))

    def __reduce__(self) -> Any:
        return _unpickled, (self._bit_generator,), self.get_state(legacy=False)

    def seed(self, seed: Any = None) -> None:
        """Seed the generator anew."""
        with self._source.state.lock:
            self._source.state.settle()
            super().seed(exported(seed))
            self._source.kept[:] = 0

    def get_state(self, legacy: bool = True) -> Any:
        """Return the state: a tuple, or a dictionary."""
        with self._source.state.lock:
            self._source.state.settle()
            found = from_user_line(super().get_state, (legacy,), {})
            kept = int(self._source.kept[0]), float(self._source.kept.view(np.float64)[1])
        if isinstance(found, tuple):
            return (*found[:3], *kept)
        return {**found, "has_gauss": kept[0], "gauss": kept[1]}

    def set_state(self, state: Any) -> None:
        """Set the state to what `get_state` has given."""
        with self._source.state.lock:
            self._source.state.settle()
            super().set_state(state)
            found = super().get_state(legacy=False)
            self._source.kept[0] = int(bool(found["has_gauss"]))
            self._source.kept.view(np.float64)[1] = found["gauss"]

    @few("random")
    def random_sample(self, size: Any = None) -> Any:
        """Return numbers between 0 and 1."""
        return fill(self._source, KINDS["random"], FLOAT64, size, None)

    random = random_sample

    @few("random", "axes")
    def rand(self, *args: Any) -> Any:
        """Return numbers between 0 and 1; the arguments are the lengths of axes."""
        return self.random_sample(args or None)

    @few("standard_normal", "axes")
    def randn(self, *args: Any) -> Any:
        """Return normal numbers; the arguments are the lengths of axes."""
        return self.standard_normal(args or None)

    @few("standard_normal")
    def standard_normal(self, size: Any = None) -> Any:
        """Return normal numbers."""
        return fill(self._source, KINDS["older_standard_normal"], FLOAT64, size, None)

    @few("standard_exponential")
    def standard_exponential(self, size: Any = None) -> Any:
        """Return exponential numbers."""
        return fill(self._source, KINDS["older_standard_exponential"], FLOAT64, size, None)

    @few("standard_cauchy")
    def standard_cauchy(self, size: Any = None) -> Any:
        """Return Cauchy numbers."""
        return fill(self._source, KINDS["older_standard_cauchy"], FLOAT64, size, None)

    @few("standard_gamma", check="positive")
    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        """Return gamma numbers."""
        found = given(OLDER_ORACLE.standard_gamma, CHECKS["standard_gamma"], (shape,), size)
        return fill(self._source, KINDS["older_standard_gamma"], FLOAT64, size, None, found)

    def tomaxint(self, size: Any = None) -> Any:
        """Return integers from 0 to the largest."""
        if size is None:
            return self._source.one_whole(KINDS["positive"])
        return fill(self._source, KINDS["positive"], INT64, size, None)

    @few("integers", "integers")
    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Return integers from `low` to below `high`, or from 0 to below `low`."""
        return integers(self._source, OLDER_ORACLE.randint, low, high, size, dtype, False)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        """Return integers from `low` to `high`, or from 1 to `low`."""
        first, last = (1, low) if high is None else (low, high)
        given_as = f"1, {low} + 1" if high is None else f"{low}, {high} + 1"
        warn_user(
            f"This function is deprecated. Please call randint({given_as}) instead",
            DeprecationWarning,
        )
        return self.randint(first, int(last) + 1, size, "l")

    def _words(self, count: int) -> Any:
        return self.randint(0, 1 << 32, count, np.uint32)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Return a sample of an array, or of the integers below a number."""
        if replace is True:
            found = chosen_at_once(self, a, size, p, older=True)
            if found is not None:
                return found
        return self._choice(a, size, replace, p)

    @for_each
    def _choice(self, *args: Any) -> Any:
        return Choice(self, *args).sample()

    def _different(self, count: int, population: int, shuffled: bool | None) -> Any:
        return places(self._source, population)[:count]

    @for_each
    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8
    ) -> Any:
        """Return rows of normal numbers, given their mean and covariance."""
        shape = () if size is None else rows.leading(size, ())
        covariance = Covariance(OLDER_ORACLE, mean, cov, check_valid, tol, "svd", older=True)
        return covariance.normals(self.standard_normal((*shape, len(covariance.mean))))

    @few("multinomial", "row")
    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """Return how often each of some things is found in `n` trials."""
        return rows.multinomial(self._source, OLDER_ORACLE.multinomial, n, pvals, size, older=True)

    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        """Return rows of numbers whose sum is 1."""
        return rows.dirichlet(self._source, OLDER_ORACLE.dirichlet, alpha, size, older=True)

    def shuffle(self, x: Any) -> None:  # type: ignore[override]
        """Shuffle an array, or a sequence, in place along its first axis."""
        super().shuffle(x)

    @few("shuffled", "order")
    def permutation(self, x: Any) -> Any:  # type: ignore[override]
        """Return an array shuffled along its first axis, or the integers below a number."""
        return super().permutation(x)


def _unpickled(bit_generator: Any) -> RandomState:
    return RandomState(named(bit_generator))
