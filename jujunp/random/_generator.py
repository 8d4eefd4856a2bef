"""`Generator`: NumPy's class, whose numbers our kernels draw."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import random as _numpy

from jujunp.lazy.values.dtypes import FLOAT64, is_ours

from .._array.array_likes import as_handle
from ._bit_generators import PCG64, made_for, named, source_of
from ._distributions import CHECKS
from ._draws import rows
from ._draws.arguments import ORACLE, array_of, exported, given
from ._draws.choice import Choice, chosen_at_once
from ._draws.few import few
from ._draws.filling import code_of_floats, fill, put_into
from ._draws.integers import integers
from ._draws.library import KINDS
from ._draws.normals import Covariance
from ._draws.ordering import are_turned, check_target, chosen, permuted
from ._shared import Shared, for_each


class Generator(Shared, _numpy.Generator):
    """NumPy's generator. Its numbers are arrays of this module, which are computed when needed."""

    _numpys = _numpy.Generator
    _oracle = ORACLE

    def __init__(self, bit_generator: Any) -> None:
        with made_for(bit_generator):
            super().__init__(bit_generator)
        self._draw_from(source_of(bit_generator))

    def __reduce__(self) -> Any:
        return _unpickled, (self.bit_generator,), None

    @few("random")
    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return numbers between 0 and 1."""
        return fill(self._source, KINDS["random"], code_of_floats(dtype, "random"), size, out)

    @few("standard_normal")
    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return normal numbers."""
        code = code_of_floats(dtype, "standard_normal")
        return fill(self._source, KINDS["standard_normal"], code, size, out)

    @few("standard_exponential")
    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Return exponential numbers: by the ziggurat method, or by the inverse."""
        name = "standard_exponential" if method == "zig" else "standard_exponential_inv"
        code = code_of_floats(dtype, "standard_exponential")
        return fill(self._source, KINDS[name], code, size, out)

    @few("standard_gamma", check="positive")
    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None
    ) -> Any:
        """Return gamma numbers."""
        code = code_of_floats(dtype, "standard_gamma")
        found = given(ORACLE.standard_gamma, CHECKS["standard_gamma"], (shape,), size)
        return fill(self._source, KINDS["standard_gamma"], code, size, out, found)

    @few("standard_cauchy")
    def standard_cauchy(self, size: Any = None) -> Any:
        """Return Cauchy numbers."""
        return fill(self._source, KINDS["standard_cauchy"], FLOAT64, size, None)

    @few("integers", "integers")
    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """Return integers from `low` to `high`, or from 0 to `low`."""
        return integers(self._source, ORACLE.integers, low, high, size, dtype, endpoint)

    def _words(self, count: int) -> Any:
        return self.integers(0, 1 << 32, count, np.uint32)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Return a sample of an array along an axis, or of the integers below a number."""
        if replace is True and axis == 0:
            found = chosen_at_once(self, a, size, p, older=False)
            if found is not None:
                return found
        return self._choice(a, size, replace, p, axis, shuffle)

    @for_each
    def _choice(self, *args: Any) -> Any:
        return Choice(self, *args).sample()

    def _different(self, count: int, population: int, shuffled: bool | None) -> Any:
        return chosen(self._source, count, population, bool(shuffled))

    @for_each
    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> Any:
        """Return rows of normal numbers, given their mean and covariance."""
        shape = () if size is None else rows.leading(size, ())
        covariance = Covariance(ORACLE, mean, cov, check_valid, tol, method, older=False)
        return covariance.normals(self.standard_normal((*shape, len(covariance.mean))))

    @few("multinomial", "row")
    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """Return how often each of some things is found in `n` trials."""
        return rows.multinomial(self._source, ORACLE.multinomial, n, pvals, size, older=False)

    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        """Return rows of numbers whose sum is 1."""
        return rows.dirichlet(self._source, ORACLE.dirichlet, alpha, size, older=False)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals"
    ) -> Any:
        """Return how many of each color are in a sample."""
        ask = ORACLE.multivariate_hypergeometric
        return rows.multivariate_hypergeometric(self._source, ask, colors, nsample, size, method)

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Return an array with all its elements shuffled, or those along each line of an axis."""
        read = array_of(x)
        if not read.ndim:
            raise TypeError("len() of unsized object")
        if out is not None:
            check_target(read, out)
        turned = axis is None and are_turned(read, out)
        array = as_handle(read) if is_ours(read.dtype) else read
        found = permuted(self._source, array.T if turned else array, axis)
        found = found.T if turned else found
        if out is None:
            return found
        put_into(out, found)
        return out


def _unpickled(bit_generator: Any) -> Generator:
    return Generator(named(bit_generator))


def default_rng(seed: Any = None) -> Generator:
    """Return a generator that draws from PCG64, or from the bit generator that is given."""
    if issubclass(type(seed), Generator):  # NumPy's own count as instances, too
        return seed  # type: ignore[no-any-return]
    if isinstance(seed, (_numpy.Generator, _numpy.RandomState)):
        return Generator(seed._bit_generator)  # type: ignore[union-attr]
    if isinstance(seed, _numpy.BitGenerator):
        return Generator(seed)
    return Generator(PCG64(exported(seed)))
