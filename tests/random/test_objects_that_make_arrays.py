"""Parameters that are objects whose `__array__` makes an array of ours, which NumPy refuses."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import jujunp


class _Made:
    def __init__(self, library: Any, items: list[Any]) -> None:
        self.library, self.items = library, items

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.library.asarray(self.items, dtype)


CALLS = {
    "normal": lambda g, made: g.normal(made([1.0, 2.0])),
    "poisson": lambda g, made: g.poisson(made([10, 20])),
    "integers": lambda g, made: g.integers(made([10, 20])),
    "multinomial": lambda g, made: g.multinomial(3, made([0.5, 0.5])),
    "multivariate_hypergeometric": lambda g, made: g.multivariate_hypergeometric(made([5, 6]), 3),
    "multivariate_normal": lambda g, made: g.multivariate_normal(made([5, 6]), numpy.eye(2)),
    "permutation": lambda g, made: g.permutation(made([1, 2, 3])),
    "choice": lambda g, made: g.choice(made([1, 2, 3]), 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_parameters_that_make_arrays(name: str) -> None:
    wanted, found = (
        CALLS[name](m.random.default_rng(1), lambda items, m=m: _Made(m, items))
        for m in (numpy, jujunp)
    )
    numpy.testing.assert_allclose(numpy.asarray(found), wanted, rtol=1e-12)


def test_numbers_are_not_permuted() -> None:
    for m in (numpy, jujunp):
        with pytest.raises(TypeError, match="unsized"):
            m.random.default_rng(1).permuted(5)
