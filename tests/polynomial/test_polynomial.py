"""`np.polynomial` gives our arrays, and NumPy's numbers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import jujunp
import jujunp.polynomial.chebyshev
from tests.support.differential import check

KINDS = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
CALLS = {
    "add": lambda np, f: f("add")([1.0, 2], [3.0, 4, 5]),
    "mul": lambda np, f: f("mul")(np.arange(3.0), [3.0, 4, 5]),
    "val": lambda np, f: f("val")(np.linspace(-1, 1, 7), np.arange(12.0).reshape(4, 3)),
    "grid2d": lambda np, f: f("grid2d")(np.arange(3.0), np.arange(2.0), np.ones((3, 2))),
    "vander": lambda np, f: f("vander")(np.linspace(0, 1, 4), 3),
    "der": lambda np, f: f("der")([1.0, 2, 3, 4], 2),
    "int": lambda np, f: f("int")([1.0, 2, 3], k=[1]),
    "fit": lambda np, f: f("fit")(np.arange(6.0), np.arange(6.0) ** 2 + np.arange(6) + 3, 2),
    "roots": lambda np, f: f("roots")([-6.0, 1, 1]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_functions(kind: str, name: str) -> None:
    def program(np: Any) -> Any:
        module = getattr(np.polynomial, kind)
        return CALLS[name](np, lambda end: getattr(module, KINDS[kind] + end))

    before = dict(jujunp.stats()["host fallbacks"])
    check(program, rtol=1e-10)
    assert jujunp.stats()["host fallbacks"] == before


@pytest.mark.parametrize(
    "program",
    [
        lambda np, p: p.coef,
        lambda np, p: p(np.linspace(-1, 1, 5)),
        lambda np, p: (p * p + 1).coef,
        lambda np, p: (np.float64(2) * p).coef,
        lambda np, p: (np.arange(3.0)[1] * p).coef,
        lambda np, p: (np.arange(3.0) + p).coef,
        lambda np, p: divmod(np.arange(4.0), p)[1].coef,
        lambda np, p: divmod(p, np.arange(1.0, 3))[0].coef,
        lambda np, p: p.deriv().integ(k=1).coef,
        lambda np, p: p.roots(),
        lambda np, p: p.fit(np.arange(6.0), np.exp(np.arange(6.0)), 3).coef,
    ],
)
@pytest.mark.parametrize("kind", ["Polynomial", "Chebyshev", "HermiteE"])
def test_classes(kind: str, program: Any) -> None:
    check(lambda np: program(np, getattr(np.polynomial, kind)(np.arange(1.0, 4))), rtol=1e-10)


def test_modules_and_copies() -> None:
    p = jujunp.polynomial.Polynomial([1, 2, 3])
    assert jujunp.polynomial.chebyshev.chebval is jujunp.polynomial.Chebyshev._val
    assert pickle.loads(pickle.dumps(p)) == p == copy.deepcopy(p)
    jujunp.polynomial.set_default_printstyle("ascii")
    assert str(p) == "1.0 + 2.0 x + 3.0 x**2"
    jujunp.polynomial.set_default_printstyle("unicode")
    with pytest.raises(ValueError, match="Unsupported format"):
        jujunp.polynomial.set_default_printstyle("latin")
